"""HTML of annotators' pages: the form to join, the judging screen, the items, and the end.

While a project is blind, only the texts of an item leave the server: no verdict of a model or of
the invariant, no label and no stratum.
"""

import json
from collections.abc import Sequence
from typing import Any

from hinter_core.annotation.project.types import AnnotationItem, Assignment, Project, Question
from hinter_ui.html.marked import Piece, differences
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.wording import Words, validity_in_words

say = Words("annotate")

_SCROLLS = 700  # characters from which a text may scroll
_KEYS = {"undo": "z", "skip": "s", "comment": "c", "trees": "t"}  # of the actions
# What the page's script says.
_FOR_THE_PAGE = (
    "item", "question", "progress", "minutes", "saved", "unsaved", "sending", "offline",
    "offline_empty", "again", "working", "trees_failed",
)  # fmt: skip


def join_form(project: Project, login: str = "") -> Markup:
    """Return the form to join; ``login``: the name of a visitor who is signed in elsewhere."""
    by_login = None
    if login:
        signed_in = _button("login", say("join.login", name=login), class_="primary")
        by_login = tag("p", signed_in, tag("span", " ", say("join.or"), class_="quiet-inline"))
    form = tag(
        "form",
        _field("name", type="text", maxlength=40, autocomplete="username"),
        _field("phrase", type="password", maxlength=200, autocomplete="current-password"),
        tag("label", tag("input", type="checkbox", name="stay"), " ", say("join.stay")),
        tag("button", say("join.enter"), type="submit", class_="primary"),
        class_="join-form", novalidate=True,
    )  # fmt: skip
    note = tag(
        "div",
        tag("h2", say("join.content_note_title")),
        tag("p", say("join.content_note")),
        tag("p", say("join.stored"), class_="quiet"),
        class_="card join-note",
    )
    return _section(
        "join",
        tag("h1", say("join.title", project=project.name), tabindex="-1"),
        tag("p", say("join.lead")),
        tag("div", role="alert", class_="judge-notice", hidden=True),
        note, by_login, form,
        data_waiting=say("join.waiting"), data_show=say("join.show"),
        data_hide=say("join.hide"), data_failed=say("errors.failed"),
    )  # fmt: skip


def _field(name: str, **attributes: Any) -> Markup:
    ident = f"annotate-{name}"
    field = tag("input", id=ident, name=name, required=True, aria_describedby=f"{ident}-help",
                spellcheck="false", **attributes)  # fmt: skip
    shown = None
    if attributes["type"] == "password":
        shown = _button("show", say("join.show"), aria_controls=ident, aria_pressed="false")
    return tag(
        "div",
        tag("label", say(f"join.{name}"), for_=ident),
        tag("span", field, shown, class_="join-input"),
        tag("p", say(f"join.{name}_help"), id=f"{ident}-help", class_="quiet"),
        class_="join-field",
    )


def item(assignment: Assignment, project: Project) -> dict[str, Any]:
    """Return an assignment for the page: its texts as HTML and as words to be read out."""
    own = assignment.item
    if own.source:
        old, new = differences(own.source, own.mutant, own.edits)
        parts = [_text("source", old), _text("mutant", new)]
    else:
        parts = [_text("alone", [Piece(own.mutant)])]
    if not project.blind:
        parts.append(_known(own))
    heard = say("screen.mutant" if own.source else "screen.alone")
    return {
        "item": own.id,
        "showing": assignment.showing,
        "pair": bool(own.source),
        "html": join(parts),
        "heard": f"{heard}: {own.mutant[:600]}",
        "earlier": dict(assignment.earlier),
        "comment": assignment.comment,
    }


def _text(kind: str, pieces: Sequence[Piece]) -> Markup:
    title = say(f"screen.{kind}")
    sign, element, mark = ("+", "ins", say("screen.added"))
    if kind == "source":
        sign, element, mark = ("\u2212", "del", say("screen.removed"))
    signs = (
        tag("span", sign, class_="sign", aria_hidden="true"),
        tag("span", f" {mark} ", class_="sr-only"),
    )
    marked = [tag(element, *signs, one.text) if one.changed else one.text for one in pieces]
    scrolls: dict[str, Any] = {}
    if sum(len(piece.text) for piece in pieces) > _SCROLLS:
        scrolls = {"tabindex": "0", "role": "region", "aria_label": title}
    shown = tag("div", tag("bdi", join(marked), dir="auto"), class_="judge-words", **scrolls)
    return tag("div", tag("h2", title), shown, class_=f"judge-text {kind}")


def _known(own: AnnotationItem) -> Markup:
    """List what is known of an item; only for projects that are not blind."""
    lines = []
    if own.kept:
        lines.append(say("screen.told_kept"))
    elif own.kept is not None:
        lines.append(say("screen.told_discarded", reason=own.reason or own.layer))
    if own.validity is not None:
        grades = validity_in_words(own.validity, own.soft, own.unfair)
        lines.append(say("screen.told_validity", grades=grades))
    if own.across_people:
        lines.append(say("screen.told_apart"))
    if own.label:
        lines.append(say("screen.told_label", label=own.label))
    lines += [
        say("screen.told_verdict", model=model, verdict=verdict)
        for model, verdict in own.verdicts.items()
    ]
    if not lines:
        return Markup("")
    listed = tag("ul", *(tag("li", isolated(line)) for line in lines))
    return tag("div", tag("h2", say("screen.told")), listed, class_="judge-told quiet")


def ending(kind: str, judged: int = 0, skipped: int = 0) -> Markup:
    """Return the last page: all is ``done``, the person ``left``, or the project is ``closed``."""
    if kind == "done":
        again = None
        if skipped:
            offer = _button("again", say("end.again"), class_="primary")
            again = tag("div", tag("p", say("end.skipped", n=skipped)), offer)
        undo = _button("undo", say("screen.undo"), key="z")
        leave = _button("leave", say("screen.leave"))
        return _section(
            "end",
            tag("h1", say("end.title"), tabindex="-1"),
            tag("p", say("end.some" if skipped else "end.done", judged=judged)),
            again,
            tag("p", say("end.leave")),
            tag("p", undo, leave, class_="judge-actions"),
        )  # fmt: skip
    return _section(
        "end",
        tag("h1", say(f"end.{kind}_title"), tabindex="-1"),
        tag("p", say(f"end.{kind}")),
        tag("p", class_="judge-unsaved", data_words=say("end.closed_unsaved"), hidden=True),
        _button("back", say("end.back"), class_="primary") if kind == "left" else None,
    )  # fmt: skip


def problem(message: str) -> Markup:
    """Return a page with an error only."""
    title = tag("h1", say("errors.title"))
    return _section("end", title, tag("p", message, class_="notice error", role="alert"))


def _section(kind: str, *children: object, **attributes: object) -> Markup:
    return tag("section", *children, class_=f"judge-room {kind}", lang=say.language, **attributes)


def _button(act: str, words: str, key: str = "", **attributes: Any) -> Markup:
    """Return a button that does ``act`` in the page's script, also by a key."""
    shown = [tag("kbd", key.upper(), aria_hidden="true"), " "] if key else []
    shortcut = {"aria_keyshortcuts": key} if key else {}
    return tag("button", *shown, words, type="button", data_act=act, **shortcut, **attributes)


def screen(project: Project, name: str) -> Markup:
    """Return the judging screen without an item; the page fills it in."""
    progress = tag(
        "div",
        tag("progress", value=0, max=1, aria_label=say("screen.progress_label")),
        tag("span", class_="progress-words"),
        class_="judge-progress",
    )
    top = tag(
        "div",
        progress,
        tag("span", class_="judge-clock quiet-inline"),
        tag("span", say("screen.saved"), class_="judge-saved"),
        tag("span", isolated(name), class_="judge-name quiet-inline"),
        _button("help", say("screen.help"), key="?"),
        _button("leave", say("screen.leave")),
        class_="judge-top",
    )
    retry = _button("retry", say("screen.retry"))
    offline = tag("div", tag("span", class_="offline-words"), " ", retry,
                  class_="notice info judge-offline", role="status", hidden=True)  # fmt: skip
    comment = tag(
        "div",
        tag("label", say("screen.comment_label"), for_="annotate-comment"),
        tag("textarea", id="annotate-comment", rows=2, maxlength=4000,
            aria_describedby="annotate-comment-help"),
        tag("p", say("screen.comment_hint"), id="annotate-comment-help", class_="quiet"),
        class_="judge-comment", hidden=True,
    )  # fmt: skip
    actions = [
        _button(act, say(f"screen.{act}"), key=key,
                aria_expanded="false" if act in ("comment", "trees") else None)
        for act, key in _KEYS.items()
    ]  # fmt: skip
    asked = [_question(place, question) for place, question in enumerate(project.questions)]
    bar = tag(
        "div",
        tag("div", *asked, class_="judge-questions"),
        tag("div", *actions, class_="judge-actions"),
        class_="judge-bar",
    )
    article = tag("article", class_="judge-item", tabindex="-1")
    said = {key: say(f"screen.{key}") for key in _FOR_THE_PAGE}
    return _section(
        "judge",
        tag("h1", say("screen.title"), class_="sr-only"),
        top,
        tag("div", role="alert", class_="judge-notice", hidden=True),
        offline,
        tag("p", role="status", class_="sr-only", data_told=True),
        tag("p", say("screen.loading"), role="status", class_="judge-waiting", hidden=True),
        tag("div", article, bar, class_="judge-columns"),
        comment,
        tag("div", class_="judge-trees", hidden=True, tabindex="-1", role="region",
            aria_label=say("screen.trees_label")),
        _help(project),
        data_words=json.dumps(said, ensure_ascii=False),
    )  # fmt: skip


def _question(place: int, question: Question) -> Markup:
    ident = f"annotate-help-{place}"
    answers = [
        tag(
            "button",
            tag("kbd", answer.key.upper(), aria_hidden="true"),
            " ",
            tag("span", isolated(answer.label)),
            type="button", data_value=answer.value, data_key=answer.key, aria_pressed="false",
            aria_keyshortcuts=answer.key,
        )
        for answer in question.answers
    ]  # fmt: skip
    legend = tag(
        "legend",
        tag("span", class_="question-number quiet-inline"),
        tag("span", isolated(question.ask), class_="question-words"),
    )
    remark = tag("p", isolated(question.help), id=ident, class_="quiet") if question.help else None
    return tag(
        "fieldset", legend, tag("div", *answers, class_="judge-answers"), remark,
        class_="judge-question", data_question=question.id, data_pair=question.pair,
        aria_describedby=ident if question.help else None,
    )  # fmt: skip


def _help(project: Project) -> Markup:
    answers = sorted({answer.key for question in project.questions for answer in question.answers})
    rows = [
        ("  ".join(answers).upper(), "answer"),
        ("\u21b5", "enter"),
        ("\u2190 \u2192", "arrows"),
    ]
    rows += [(key.upper(), act) for act, key in _KEYS.items()] + [("?", "help")]
    keys = [
        part for key, name in rows
        for part in (tag("dt", tag("kbd", key)), tag("dd", say(f"help.{name}_key")))
    ]  # fmt: skip
    explained = [
        tag("li", tag("strong", isolated(question.ask)), " ", isolated(question.help))
        for question in project.questions if question.help
    ]  # fmt: skip
    about = project.instructions
    use_keys = tag("input", type="checkbox", name="keys", checked=True)
    return tag(
        "dialog",
        tag("h2", say("help.title"), id="annotate-help-title"),
        tag("h3", say("help.about")),
        tag("p", isolated(about), class_="instructions") if about else None,
        tag("ul", *explained, class_="plain") if explained else None,
        tag("p", say("join.content_note"), class_="quiet"),
        tag("h3", say("help.keys")),
        tag("dl", *keys, class_="key-list"),
        tag("label", use_keys, " ", say("help.use_keys")),
        tag("p", say("help.use_keys_help"), class_="quiet"),
        tag("p", _button("close", say("help.close"), class_="primary")),
        class_="judge-help",
        aria_labelledby="annotate-help-title",
    )
