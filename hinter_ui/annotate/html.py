"""HTML for owners of annotation projects."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from urllib.parse import urlencode, urlsplit

from hinter_core.annotation.evaluation.agreement import Agreement, Quality
from hinter_core.annotation.evaluation.answers import Answers, Consensus
from hinter_core.annotation.evaluation.evaluation import Evaluation, evaluation_sections
from hinter_core.annotation.invitation import link, reach
from hinter_core.annotation.project.types import (
    AnnotationItem,
    AnnotatorProgress,
    Judgement,
    Project,
    Question,
)
from hinter_core.report.section import gathered
from hinter_core.statistics.format import percent
from hinter_ui.annotate.texts import PAGE, Found
from hinter_ui.html.marked import differences
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.notice import qr_code
from hinter_ui.html.pages import Macros, macros_of
from hinter_ui.html.sections import cells_of, folded, for_visitors, pager, report_table
from hinter_ui.html.wording import Words, address, decimals, formatted, grouped, numeral, translated

say = Words("projects")

_LONG = 400  # characters of a text in a list
_OWN_PLACE = {"overview", "disputed"}  # sections that are shown elsewhere


def page() -> Macros:
    """Return the parts of the owner's page (``assets/html/projects.html``)."""
    return macros_of("projects", say=say, marked=_marked, answered=_answered, fate=_fate,
                     decimals=decimals)  # fmt: skip


def links(name: str, key: str = "", *, at: str, local: bool = False) -> Markup:
    """Return the annotators' link and, with a ``key``, the owner's.

    ``at``: the address at which the owner opened the app. If only this machine reaches it, the
    link has the machine's address in its network, unless the app is ``local``.
    """
    there = reach(at, local=local)
    invitation = link(there.address, name)
    query = f"{address(urlencode({'annotate': name, 'owner': ''}))}#{key}"
    owner, sent = (query, there.address + query) if key else ("", "")
    title = say("project.code_title")
    code = qr_code(invitation, title) if at and not there.alone else None
    whole = bool(urlsplit(invitation).netloc)
    return page().links(invitation, whole, there.network, there.alone, code, owner, sent)


def editor(name: str, key: str, project: Project) -> Markup:
    """Return the form in which an owner changes a project, its questions, and a preview."""
    preview = f"?{urlencode({'annotate': name, 'preview': ''})}#{key}"
    return page().editor(name, project, preview)


def head(
    project: Project,
    size: int,
    lasting: str = "",
    done: int = 0,
    agreements: Sequence[Agreement] = (),
) -> Markup:
    """Return a project's name, state, progress and settings.

    ``done`` of its ``size`` texts have the judgements that they need; ``lasting``: a warning that
    the project may be lost.
    """
    settings = say(
        "project.settings",
        items=numeral(size),
        questions=len(project.questions),
        share=formatted(100 * project.share, "g"),
        copies=project.copies,
        repeats=formatted(100 * project.repeats, "g"),
        blind=say("project.blind" if project.blind else "project.open_eyed"),
    )
    wordings = {question.id: question.ask for question in project.questions}
    agreed = [
        (wordings[one.question], one.alpha)
        for one in agreements
        if not one.attributes and None not in (one.alpha.value, one.alpha.low, one.alpha.high)
    ]
    return page().head(project, settings, size, done, agreed, lasting)


def people(states: Sequence[AnnotatorProgress], evaluation: Evaluation) -> Markup:
    """Return a table of the annotators, their progress and how they judge; and what to do."""
    every = (evaluation.with_excluded or evaluation).qualities
    known = {one.annotator: one for one in every}
    judged = sum(one.judged for one in states)
    remark = say("project.people_remark", judged=numeral(judged), n=len(states))
    title = page().subheading(say("project.people"), remark)
    if not states:
        return join([title, tag("p", say("project.nobody"), class_="quiet")])
    alike = "majority" if sum(one.judged > 0 for one in states) > 2 else "other"
    keys = ("name", "judged", "skipped", "left", "seconds", "fast", alike, "seen")
    names = [say(f"project.{key}") for key in keys]
    rows = [
        [
            one.annotator.name, numeral(one.judged), numeral(one.skipped), numeral(one.left),
            *_quality(known.get(one.annotator.name)),
            one.latest[:16].replace("T", " ") + " UTC" if one.latest else say("project.never"),
        ]
        for one in states
    ]  # fmt: skip
    lines = [
        say("person.excluded", name=one.annotator.name, reason=one.annotator.excluded)
        for one in states
        if one.annotator.excluded
    ]
    lines += [
        say(
            "person.alarm",
            name=one.annotator,
            alarm="; ".join(say(f"person.alarms.{alarm}") for alarm in one.alarms),
        )
        for one in every
        if one.alarms
    ]
    table = report_table(say("project.people"), names, cells_of(names, rows))
    # A box for the notes, so that the forms keep their places, whatever is said above them.
    notes = tag("div", *(tag("p", isolated(line), class_="quiet") for line in lines))
    managing = page().managing([one.annotator for one in states])
    return join([title, table, notes, tag("div", managing)])


def _quality(one: Quality | None) -> list[str]:
    """Return median seconds, and the shares too fast and as the majority of the others."""
    if one is None:
        return ["\u2013"] * 3
    seconds = "\u2013" if one.seconds is None else formatted(one.seconds, ".1f")
    return [seconds, grouped(percent(one.fast)), grouped(percent(one.others))]


def texts(page_of_texts: Found) -> Markup:
    """List texts of a project, with a search and a field for more."""
    return page().texts(
        page_of_texts, pager(page_of_texts.number, page_of_texts.page, PAGE, page_of_texts.of)
    )


def disputes(
    questions: Sequence[Question],
    disputed: Sequence[Consensus],
    items: dict[str, AnnotationItem],
    answers: Answers,
    judges: int,
) -> Markup:
    """List differing answers about ``items`` and who gave them, with a button for each decision.

    ``judges``: how many people have judged a text.
    """
    shown = gathered((one for one in disputed if one.item in items), attrgetter("item"))
    by_id = {question.id: question for question in questions}
    none = "agreed" if judges > 1 else "alone" if judges else "unjudged"
    return page().disputes(by_id, disputed, shown, items, answers, say(f"project.{none}"))


def decided(
    questions: Sequence[Question],
    decisions: Sequence[tuple[str, str, str]],
    items: dict[str, AnnotationItem],
    number: int,
) -> Markup:
    """List the latest of a ``number`` of decisions, each with buttons to change it or undo it."""
    by_id = {question.id: question for question in questions}
    return page().decided(by_id, decisions, items, numeral(number))


def _answered(question: Question, by_annotator: Mapping[str, Mapping[str, str]]) -> str:
    """Return the answers to a question, each with who gave it; "" if nobody did."""
    people = {
        answer.label: [name for name, row in by_annotator.items()
                       if row.get(question.id) == answer.value]
        for answer in question.answers
    }  # fmt: skip
    return "; ".join(f"{label}: {', '.join(names)}" for label, names in people.items() if names)


def _fate(item: AnnotationItem) -> str:
    """Say whether the invariant kept a mutant, and why not; "" if it was not run."""
    if item.kept is None:
        return ""
    reason = translated(item.reason or item.layer)
    return say("project.fate_kept") if item.kept else say("project.fate_lost", reason=reason)


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
    return page().comments(shown, items)


def numbers(evaluation: Evaluation) -> Markup:
    """Return agreement, annotators, and the invariant against people."""
    title = page().subheading(say("project.numbers"), say("project.numbers_remark"))
    every = for_visitors(evaluation_sections(evaluation), evaluation.annotators)
    overview = [tag("p", isolated(line)) for section in every if section.key == "overview"
                for line in section.sentences]  # fmt: skip
    rest = [section for section in every if section.key not in _OWN_PLACE]
    score = next((one for one in evaluation.scores if one.kind == "all"), None)
    alike = [(one.annotator, one.others) for one in evaluation.qualities if one.others.of]
    return join([title, page().charts(score, alike, len(alike) > 2), *overview, folded(rest)])
