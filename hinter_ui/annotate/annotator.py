"""HTML of annotators' pages: the form to join, the judging screen, the items, and the end.

While a project is blind, only the texts of an item leave the server: no verdict of a model or of
the invariant, no label and no stratum.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt

from hinter_core.annotation.project.types import (
    AnnotationItem,
    Assignment,
    Practice,
    Project,
    Question,
)
from hinter_core.language.people import NEOPRONOUNS
from hinter_ui.html.marked import Piece, differences
from hinter_ui.html.markup import TEMPLATE, Markup, isolated, join, tag
from hinter_ui.html.pages import Macros, macros_of
from hinter_ui.html.wording import Words, validity_in_words

say = Words("annotate")

_LINE = 20  # characters of a word that are sure to fit into a line of a phone
_SCROLLS = 700  # characters from which a text may scroll
_KEYS = {"fine": "\u2423", "undo": "z", "skip": "s", "comment": "c", "trees": "t"}  # of the actions
# What the page's script says.
_FOR_THE_PAGE = (
    "item", "question", "progress", "minutes", "saved", "unsaved", "sending", "offline",
    "offline_empty", "again", "working", "trees_failed", "practice", "right", "expected", "begin",
    "preview", "leave_sure", "begun", "hasty",
)  # fmt: skip


def item(assignment: Assignment, project: Project) -> dict[str, Any]:
    """Return an assignment for the page: its texts as HTML and as words to be read out."""
    shown = assignment.item
    alone = [_text("alone", [Piece(shown.mutant)])]
    parts, known = alone, [_pronouns(shown.mutant), *([] if project.blind else [_known(shown)])]
    if shown.source:
        old, new = differences(shown.source, shown.mutant, shown.edits)
        parts = [_text("source", old), _text("mutant", new)]
    return {
        "item": shown.id,
        "showing": assignment.showing,
        "pair": bool(shown.source),
        "html": join([*parts, *known]),
        # Until a question compares, no mark says where to look.
        "alone": join([*alone, *known]) if project.alone else "",
        "heard": f"{say('screen.alone')}: {shown.mutant[:600]}",
        "compared": f"{say('screen.source')}: {shown.source[:600]}",
        "earlier": dict(assignment.earlier),
        "comment": assignment.comment,
    }


def practice(project: Project) -> list[dict[str, Any]]:
    """Return the texts to practise on, each as an item with the owner's answers and the reason."""
    return [
        item(Assignment(_practised(n, one), 0), project)
        | {"expected": dict(one.answers), "why": one.why, "of": [n, len(project.practice)]}
        for n, one in enumerate(project.practice, 1)
    ]


def _practised(number: int, one: Practice) -> AnnotationItem:
    return AnnotationItem(f"practice {number}", one.text, one.source)


def _text(kind: str, pieces: Sequence[Piece]) -> Markup:
    title = say(f"screen.{kind}")
    sign, element, mark = ("+", "ins", say("screen.added"))
    if kind == "source":
        sign, element, mark = ("\u2212", "del", say("screen.removed"))
    signs = (
        tag("span", sign, class_="sign", aria_hidden="true"),
        tag("span", f" {mark} ", class_="sr-only"),
    )

    def marking(text: str) -> Markup:
        first, blank, rest = text.partition(" ")
        # The sign stays with its word, unless that may be longer than a line.
        kept = {"class_": "unbroken"} if len(first) < _LINE else {}
        return tag(element, tag("span", *signs, first, **kept), blank, rest)

    marked = [marking(one.text) if one.changed else one.text for one in pieces]
    scrolls: dict[str, Any] = {}
    if sum(len(piece.text) for piece in pieces) > _SCROLLS:
        scrolls = {"tabindex": "0", "role": "region", "aria_label": title}
    shown = tag("div", tag("bdi", join(marked), dir="auto"), class_="judge-words", **scrolls)
    return tag("div", tag("h2", title), shown, class_=f"judge-text {kind}")


def _pronouns(text: str) -> Markup:
    """Explain the pronouns of a text that few people know."""
    every = dict.fromkeys(re.findall(r"\w+", text.lower()))
    found = [word for word in every if word in NEOPRONOUNS]
    if not found:
        return Markup("")
    words = ", ".join(found)
    return tag("p", say.count("screen.pronouns", len(found), words=words), class_="quiet")


def _known(shown: AnnotationItem) -> Markup:
    """List what is known of an item; only for projects that are not blind."""
    lines = []
    if shown.kept:
        lines.append(say("screen.told_kept"))
    elif shown.kept is not None:
        lines.append(say("screen.told_discarded", reason=shown.reason or shown.layer))
    if shown.validity is not None:
        grades = validity_in_words(shown.validity, shown.soft, shown.unfair)
        lines.append(say("screen.told_validity", grades=grades))
    if shown.across_people:
        lines.append(say("screen.told_apart"))
    if shown.label:
        lines.append(say("screen.told_label", label=shown.label))
    lines += [
        say("screen.told_verdict", model=model, verdict=verdict)
        for model, verdict in shown.verdicts.items()
    ]
    if not lines:
        return Markup("")
    listed = tag("ul", *(tag("li", isolated(line)) for line in lines))
    return tag("div", tag("h2", say("screen.told")), listed, class_="judge-told quiet")


def page() -> Macros:
    """Return the parts of annotators' pages (``assets/html/annotator.html``)."""
    return macros_of("annotator", say=say, opening=opening, ends=ends)


def ends(question: Question, questions: Sequence[Question]) -> str:
    """Name the answers after which no further question is asked; "" if there are none."""
    later = questions[questions.index(question) + 1 :]
    last = [
        answer.label
        for answer in question.answers
        if all(
            any(name == question.id and answer.value not in values for name, values in one.ask_if)
            for one in later
        )
    ]
    return " / ".join(last) if later else ""


def opening(project: Project) -> Markup:
    """Return the task in its owner's words; no HTML of theirs, and nothing from elsewhere."""
    reader = MarkdownIt("commonmark", {"html": False}).disable("image")
    return Markup(reader.render(project.opening).translate(TEMPLATE))


def screen(project: Project, name: str) -> Markup:
    """Return the judging screen without an item; the page fills it in."""
    said = {key: say(f"screen.{key}") for key in _FOR_THE_PAGE}
    if project.repeats:
        said["progress"] = say("screen.progress_twice")
    words = json.dumps(said, ensure_ascii=False)
    # A tree shows both texts and what differs between them.
    keys = {act: key for act, key in _KEYS.items() if act != "trees" or not project.blind}
    return page().screen(project, name, words, keys)


def ending(
    kind: str, judged: int = 0, skipped: int = 0, code: str = "", *, owed: bool = False,
    again: int = 0,
) -> Markup:  # fmt: skip
    """Return the last page: all is ``done``, the person ``left``, or the project is ``closed``.

    ``code``: what shows another service that all is done, or its address. ``owed``: there is one,
    for which the person has not done enough. ``again``: how many texts were ``judged`` twice.
    """
    if kind == "done":
        return page().done(judged, skipped, code, owed, again)
    return page().gone(kind, code)
