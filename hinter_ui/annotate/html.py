"""HTML for owners of annotation projects."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from hinter_core.annotation.evaluation.answers import Consensus
from hinter_core.annotation.evaluation.evaluation import Evaluation, evaluation_sections
from hinter_core.annotation.invitation import elsewhere, is_loopback, link
from hinter_core.annotation.project.types import (
    AnnotationItem,
    AnnotatorProgress,
    Judgement,
    Project,
    Question,
)
from hinter_ui.html.marked import differences
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.pages import macros_of
from hinter_ui.html.sections import cells_of, folded, report_table
from hinter_ui.html.wording import Words
from hinter_ui.shared.library import Listed

say = Words("projects")

_LONG = 400  # characters of a text in a list
_REMOVED = 50  # items in a list
_OWN_PLACE = {"overview", "disputed"}  # sections that are shown elsewhere


def _page() -> Any:
    return macros_of("projects", say=say, marked=_marked, counted=_counted)


def heading(key: str) -> Markup:
    """Return a section's heading with its remark."""
    return Markup(_page().heading(key))


def subheading(title: str, remark: str = "") -> Markup:
    """Return a heading within a section."""
    return Markup(_page().subheading(title, remark))


def listed(projects: Sequence[Listed]) -> Markup:
    """List the projects of this machine, each with a button that opens it."""
    return Markup(_page().listed(projects))


def links(name: str, key: str = "", *, page: str, local: bool = False) -> Markup:
    """Return the annotators' link and, with a ``key``, the owner's.

    ``page``: the address at which the owner opened the app. If only this machine reaches it, the
    link has the machine's address in its network, unless the app is ``local``.
    """
    alone = is_loopback(urlsplit(page).hostname or "")
    address = (not local and elsewhere(page)) or page if alone else page
    invitation = link(address, name)
    owner = f"?{urlencode({'annotate': name, 'owner': ''})}#{key}" if key else ""
    whole, unreached = bool(urlsplit(invitation).netloc), alone and address == page
    code = _code(invitation) if page and not unreached else None
    return Markup(_page().links(invitation, whole, alone, unreached, code, owner))


def _code(invitation: str) -> Markup:
    import segno

    # Dark on light also on a dark page, as cameras expect it.
    drawn = segno.make(invitation, error="m").svg_inline(
        scale=4, border=3, light="#fff", title=say("project.code_title")
    )
    return Markup(drawn)


def head(project: Project, size: int, lasting: str = "") -> Markup:
    """Return a project's name, state and settings; ``lasting``: a warning that it may be lost."""
    settings = say(
        "project.settings",
        items=f"{size:,}",
        questions=len(project.questions),
        share=f"{100 * project.share:g}",
        copies=project.copies,
        repeats=f"{100 * project.repeats:g}",
        blind=say("project.blind" if project.blind else "project.open_eyed"),
    )
    return Markup(_page().head(project, settings, lasting))


def people(states: Sequence[AnnotatorProgress]) -> Markup:
    """Return a table of the annotators and their progress."""
    judged = sum(one.judged for one in states)
    remark = say("project.people_remark", judged=f"{judged:,}", n=len(states))
    title = subheading(say("project.people"), remark)
    if not states:
        return join([title, tag("p", say("project.nobody"), class_="quiet")])
    names = [say(f"project.{key}") for key in ("name", "judged", "skipped", "left", "seen")]
    rows = [
        [
            one.annotator.name, f"{one.judged:,}", f"{one.skipped:,}", f"{one.left:,}",
            one.latest[:16].replace("T", " ") + " UTC" if one.latest else say("project.never"),
        ]
        for one in states
    ]  # fmt: skip
    return join([title, report_table(say("project.people"), names, cells_of(names, rows))])


def disputes(
    questions: Sequence[Question],
    disputed: Sequence[Consensus],
    items: dict[str, AnnotationItem],
) -> Markup:
    """List differing answers about ``items``, with a button for each decision."""
    shown = [one for one in disputed if one.item in items]
    asked = {question.id: question for question in questions}
    return Markup(_page().disputes(asked, disputed, shown, items))


def _counted(question: Question, one: Consensus) -> str:
    """Return the answers to a question, each with its number."""
    labels = {answer.value: answer.label for answer in question.answers}
    return ", ".join(f"{labels.get(value, value)} {n}" for value, n in one.counts.items())


def removed(items: Sequence[AnnotationItem]) -> Markup:
    """List the removed items, each with a button that restores it."""
    return Markup(_page().removed(items, _REMOVED))


def just_removed(item: str) -> Markup:
    """Say that an item was removed, with a button beside it that restores it."""
    return Markup(_page().just_removed(item))


def _marked(item: AnnotationItem) -> Markup:
    """Return an item in one line, with the removed and added words in its text."""
    if not item.source:
        return tag("p", isolated(_cut(item.mutant)))
    old, new = differences(item.source, item.mutant, item.edits)
    gone = [piece.text for piece in old if piece.changed]
    parts: list[object] = []
    size = 0
    for piece in new:
        if piece.changed:
            parts += [tag("del", gone.pop(0)), " "] if gone else []
            parts.append(tag("ins", piece.text))
        else:
            parts.append(_cut(piece.text))
        size += len(piece.text)
        if size > _LONG:
            parts.append(" \u2026")
            break
    return tag("p", tag("bdi", join(parts)), class_="changed")


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]} \u2026"


def comments(remarks: Sequence[Judgement], items: dict[str, AnnotationItem]) -> Markup:
    """List the comments of annotators on ``items``."""
    shown = [one for one in remarks if one.item in items]
    return Markup(_page().comments(shown, items))


def numbers(found: Evaluation) -> Markup:
    """Return agreement, annotators, and the invariant against people."""
    title = subheading(say("project.numbers"), say("project.numbers_remark"))
    every = evaluation_sections(found)
    overview = [tag("p", isolated(line)) for section in every if section.key == "overview"
                for line in section.sentences]  # fmt: skip
    rest = [section for section in every if section.key not in _OWN_PLACE]
    return join([title, *overview, folded(rest)])
