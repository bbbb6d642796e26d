"""What annotators see, as HTML: the form to join, the judging screen, the items, and the end.

No item says more than its texts while the project is blind: no verdict of a model, no word of the
invariant, no label and no stratum leaves the server.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hinter_core.annotation.project.types import AnnotationItem, Assignment, Project, Question
from hinter_ui.html.difference import Piece, differences
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.wording import Words, words_of

_SCROLLS = 700  # characters from which a text may scroll
ROOM = "annotate"


def join_form(project: Project, login: str = "") -> Markup:
    """The way in; ``login``: the name of who is signed in elsewhere."""
    words = words_of(project.language, ROOM)
    by_login = None
    if login:
        by_login = tag(
            "p",
            button("login", words("join.login", name=login), class_="primary"),
            tag("span", " ", words("join.or"), class_="quiet-inline"),
        )
    form = tag(
        "form",
        _field(words, "name", maxlength=40, autocomplete="username"),
        _field(words, "phrase", type="password", maxlength=200, autocomplete="current-password"),
        tag("label", tag("input", type="checkbox", name="stay"), " ", words("join.stay")),
        tag("button", words("join.enter"), type="submit", class_="primary"),
        class_="join-form",
        novalidate=True,
    )
    note = tag(
        "div",
        tag("h3", words("join.content_note_title")),
        tag("p", words("join.content_note")),
        tag("p", words("join.stored"), class_="quiet"),
        class_="card join-note",
    )
    return section(
        words,
        tag("h2", words("join.title", project=project.name), tabindex="-1"),
        tag("p", words("join.lead")),
        tag("div", role="alert", class_="judge-notice", hidden=True),
        note,
        by_login,
        form,
        kind="join",
    )


def _field(words: Words, name: str, **attributes: Any) -> Markup:
    ident = f"annotate-{name}"
    field = tag(
        "input",
        id=ident,
        name=name,
        required=True,
        aria_describedby=f"{ident}-help",
        **({"type": "text", "spellcheck": "false"} | attributes),
    )
    shown = None
    if attributes.get("type") == "password":
        shown = button("show", words("join.show"), aria_controls=ident, aria_pressed="false")
    return tag(
        "div",
        tag("label", words(f"join.{name}"), for_=ident),
        tag("span", field, shown, class_="join-input"),
        tag("p", words(f"join.{name}_help"), id=f"{ident}-help", class_="quiet"),
        class_="join-field",
    )


def item(assignment: Assignment, project: Project) -> dict[str, Any]:
    """An assignment as the page gets it: texts as HTML and as words to be read out."""
    words = words_of(project.language, ROOM)
    own = assignment.item
    old, new = differences(own.source, own.mutant, own.edits) if own.source else ([], [])
    parts: list[Markup | None] = []
    if own.source:
        parts.append(_text(words, "source", old, words("screen.removed")))
        parts.append(_text(words, "mutant", new, words("screen.added")))
    else:
        parts.append(_text(words, "alone", [Piece(own.mutant)], ""))
    if not project.blind:
        parts.append(_told(words, own))
    heard = words("screen.mutant" if own.source else "screen.alone")
    return {
        "item": own.id,
        "showing": assignment.showing,
        "pair": bool(own.source),
        "html": join(part for part in parts if part),
        "heard": f"{heard}: {own.mutant[:600]}",
        "earlier": dict(assignment.earlier),
        "comment": assignment.comment,
    }


def _text(words: Words, kind: str, pieces: Sequence[Piece], mark: str) -> Markup:
    long = sum(len(piece.text) for piece in pieces) > _SCROLLS
    title = words(f"screen.{kind}")
    sign, element = ("\u2212", "del") if kind == "source" else ("+", "ins")
    marked = [
        tag(
            element,
            tag("span", sign, class_="sign", aria_hidden="true"),
            tag("span", f" {mark} ", class_="sr-only"),
            piece.text,
        )
        if piece.changed
        else piece.text
        for piece in pieces
    ]
    return tag(
        "div",
        tag("h3", title),
        tag(
            "div",
            tag("bdi", join(marked), dir="auto"),
            class_="judge-words",
            tabindex="0" if long else None,
            role="region" if long else None,
            aria_label=title if long else None,
        ),
        class_=f"judge-text {kind}",
    )


def _told(words: Words, own: AnnotationItem) -> Markup | None:
    """What is known of an item; only for projects that are not blind."""
    lines = []
    if own.kept is not None:
        lines.append(
            words("screen.told_kept")
            if own.kept
            else words("screen.told_discarded", reason=own.reason or own.layer)
        )
    if own.label:
        lines.append(words("screen.told_label", label=own.label))
    lines += [
        words("screen.told_verdict", model=model, verdict=verdict)
        for model, verdict in own.verdicts.items()
    ]
    if not lines:
        return None
    listed = tag("ul", *(tag("li", isolated(line)) for line in lines))
    return tag("div", tag("h3", words("screen.told")), listed, class_="judge-told quiet")


def ending(project: Project, kind: str, judged: int = 0, skipped: int = 0) -> Markup:
    """The last page: all is ``done``, the person ``left``, or the project is ``closed``."""
    words = words_of(project.language, ROOM)
    if kind == "done":
        key = "end.some" if skipped else "end.done"
        again = None
        if skipped:
            again = tag(
                "div",
                tag("p", words("end.skipped", n=skipped)),
                button("again", words("end.again"), class_="primary"),
            )
        return section(
            words,
            tag("h2", words("end.title"), tabindex="-1"),
            tag("p", words(key, judged=judged)),
            again,
            tag("p", words("end.leave")),
            tag("p", button("undo", words("screen.undo"), key="z"),
                button("leave", words("screen.leave")), class_="judge-actions"),
            kind="end",
        )  # fmt: skip
    back = button("back", words("end.back"), class_="primary") if kind == "left" else None
    return section(
        words,
        tag("h2", words(f"end.{kind}_title"), tabindex="-1"),
        tag("p", words(f"end.{kind}")),
        tag("p", class_="judge-unsaved", data_words=words("end.closed_unsaved"), hidden=True),
        back,
        kind="end",
    )


def problem(message: str, language: str = "en") -> Markup:
    """A page that only says what is wrong."""
    words = words_of(language, ROOM)
    told = tag("div", tag("strong", words("errors.title")), " ", message, class_="notice error",
               role="alert")  # fmt: skip
    return section(words, told, kind="end")


def section(words: Words, *children: object, kind: str, words_: str = "") -> Markup:
    """A page of the room; ``words_``: what its script says, as JSON."""
    return tag(
        "section",
        *children,
        class_=f"judge-room {kind}",
        lang=words.language,
        data_words=words_ or None,
        data_waiting=words("join.waiting") if kind == "join" else None,
        data_show=words("join.show") if kind == "join" else None,
        data_hide=words("join.hide") if kind == "join" else None,
        data_failed=words("errors.failed") if kind == "join" else None,
    )


def button(act: str, words: str, key: str = "", **attributes: Any) -> Markup:
    """A button that does ``act`` in the page's script, also by a key."""
    shown = tag("kbd", key.upper(), aria_hidden="true") if key else None
    return tag(
        "button",
        shown,
        " " if key else None,
        words,
        type="button",
        data_act=act,
        aria_keyshortcuts=key or None,
        **attributes,
    )


def screen(project: Project, name: str, instructions: str) -> Markup:
    """The judging screen without an item; the page fills it in."""
    words = words_of(project.language, ROOM)
    told = {key: words(f"screen.{key}") for key in _FOR_THE_PAGE}
    top = tag(
        "div",
        tag(
            "div",
            tag("progress", value=0, max=1, aria_label=words("screen.progress_label")),
            tag("span", class_="progress-words"),
            class_="judge-progress",
        ),
        tag("span", class_="judge-clock quiet-inline"),
        tag("span", words("screen.saved"), class_="judge-saved"),
        tag("span", isolated(name), class_="judge-name quiet-inline"),
        button("help", words("screen.help"), key="?"),
        button("leave", words("screen.leave")),
        class_="judge-top",
    )
    offline = tag(
        "div",
        tag("span", class_="offline-words"),
        " ",
        button("retry", words("screen.retry")),
        class_="notice info judge-offline",
        role="status",
        hidden=True,
    )
    comment = tag(
        "div",
        tag("label", words("screen.comment_label"), for_="annotate-comment"),
        tag(
            "textarea", id="annotate-comment", rows=2, maxlength=4000,
            aria_describedby="annotate-comment-help",
        ),
        tag("p", words("screen.comment_hint"), id="annotate-comment-help", class_="quiet"),
        class_="judge-comment",
        hidden=True,
    )  # fmt: skip
    return section(
        words,
        tag("h2", words("screen.title"), class_="sr-only"),
        top,
        tag("div", role="alert", class_="judge-notice", hidden=True),
        offline,
        tag("p", role="status", class_="sr-only", data_told=True),
        tag(
            "div",
            tag("article", class_="judge-item", tabindex="-1"),
            tag("div", _asked(project.questions), _actions(words), class_="judge-bar"),
            class_="judge-desk",
        ),
        comment,
        tag("div", class_="judge-trees", hidden=True, tabindex="-1", role="region",
            aria_label=words("screen.trees_label")),
        _help(words, project, instructions),
        kind="judge",
        words_=json.dumps(told, ensure_ascii=False),
    )  # fmt: skip


_FOR_THE_PAGE = (
    "item", "question", "progress", "minutes", "saved", "unsaved", "sending", "offline", "again",
    "loading", "working", "trees_failed",
)  # fmt: skip


def _asked(questions: Sequence[Question]) -> Markup:
    boxes = []
    for place, question in enumerate(questions):
        ident = f"annotate-help-{place}"
        answers = tag(
            "div",
            *(
                tag(
                    "button",
                    tag("kbd", answer.key.upper(), aria_hidden="true"),
                    " ",
                    tag("span", isolated(answer.label)),
                    type="button",
                    data_value=answer.value,
                    data_key=answer.key,
                    aria_pressed="false",
                    aria_keyshortcuts=answer.key,
                )
                for answer in question.answers
            ),
            class_="judge-answers",
        )
        boxes.append(
            tag(
                "fieldset",
                tag(
                    "legend",
                    tag("span", class_="question-number quiet-inline"),
                    tag("span", isolated(question.ask), class_="question-words"),
                ),
                answers,
                tag("p", isolated(question.help), id=ident, class_="quiet")
                if question.help
                else None,
                class_="judge-question",
                data_question=question.id,
                data_pair=question.pair,
                aria_describedby=ident if question.help else None,
            )
        )
    return tag("div", *boxes, class_="judge-questions")


def _actions(words: Words) -> Markup:
    keys = {"undo": "z", "skip": "s", "comment": "c", "trees": "t"}
    buttons = [
        button(name, words(f"screen.{name}"), key=key,
                aria_expanded="false" if name in ("comment", "trees") else None)
        for name, key in keys.items()
    ]  # fmt: skip
    return tag("div", *buttons, class_="judge-actions")


def _help(words: Words, project: Project, instructions: str) -> Markup:
    answers = sorted({answer.key for question in project.questions for answer in question.answers})
    rows = [
        ("  ".join(key.upper() for key in answers), "answer_key"),
        ("\u21b5", "enter_key"),
        ("\u2190 \u2192", "arrows_key"),
        *((key.upper(), f"{name}_key") for name, key in
          (("undo", "z"), ("skip", "s"), ("comment", "c"), ("trees", "t"), ("help", "?"))),
    ]  # fmt: skip
    keys = [
        part for key, name in rows
        for part in (tag("dt", tag("kbd", key)), tag("dd", words(f"help.{name}")))
    ]  # fmt: skip
    about = None
    if instructions:
        about = tag("p", isolated(instructions), class_="instructions")
    explained = [
        tag("li", tag("strong", isolated(question.ask)), " ", isolated(question.help))
        for question in project.questions if question.help
    ]  # fmt: skip
    return tag(
        "dialog",
        tag("h2", words("help.title"), id="annotate-help-title"),
        tag("h3", words("help.about")),
        about,
        tag("ul", *explained, class_="plain") if explained else None,
        tag("p", words("join.content_note"), class_="quiet"),
        tag("h3", words("help.keys")),
        tag("dl", *keys, class_="key-list"),
        tag("label", tag("input", type="checkbox", name="keys", checked=True), " ",
            words("help.use_keys")),
        tag("p", words("help.use_keys_help"), class_="quiet"),
        tag("p", button("close", words("help.close"), class_="primary")),
        class_="judge-help",
        aria_labelledby="annotate-help-title",
    )  # fmt: skip
