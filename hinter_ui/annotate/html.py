"""HTML for owners of annotation projects."""

from collections.abc import Sequence
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
from hinter_ui.html.sections import cells_of, folded, report_table
from hinter_ui.html.wording import Words
from hinter_ui.shared.library import Listed

say = Words("projects")

_LONG = 400  # characters of a text in a list
_REMOVED = 50  # items in a list
_OWN_PLACE = {"overview", "disputed"}  # sections that are shown elsewhere


def heading(key: str) -> Markup:
    """Return a section's heading with its remark."""
    remark = tag("span", say(f"headings.{key}_remark"), class_="quiet")
    return tag("h2", say(f"headings.{key}"), " ", remark)


def subheading(title: str, remark: str = "") -> Markup:
    """Return a heading within a section."""
    return tag("h3", title, " ", tag("span", remark, class_="quiet") if remark else None)


def listed(projects: Sequence[Listed]) -> Markup:
    """List the projects of this machine, each with a button that opens it."""
    if not projects:
        return tag("p", say("told.no_projects"), class_="quiet")
    rows = [
        tag(
            "li",
            tag("button", isolated(one.title), type="button", class_="open-project",
                data_project=one.id),
            _state(closed=one.closed),
        )
        for one in projects
    ]  # fmt: skip
    return tag("ul", *rows, class_="project-list")


def _state(*, closed: bool) -> Markup:
    text, kind = ("list.closed", "discarded") if closed else ("list.running", "benign")
    return tag("span", say(text), class_=f"badge {kind}")


def links(name: str, key: str = "", *, page: str, local: bool = False) -> Markup:
    """Return the annotators' link and, with a ``key``, the owner's.

    ``page``: the address at which the owner opened the app. If only this machine reaches it, the
    link has the machine's address in its network, unless the app is ``local``.
    """
    alone = is_loopback(urlsplit(page).hostname or "")
    address = (not local and elsewhere(page)) or page if alone else page
    invitation = link(address, name)
    parts = [_link("project.link", invitation)]
    if alone and address == page:
        told = (tag("strong", say("told.alone_title")), " ", say("told.alone"))
        parts.append(tag("div", *told, class_="notice error"))
    else:
        send = say("project.send") + (" " + say("project.network") if alone else "")
        parts.append(tag("p", send, class_="quiet"))
        parts += [_code(invitation)] if page else []
    if key:
        owner = _link("told.owner_link", f"?{urlencode({'annotate': name, 'owner': ''})}#{key}")
        title = tag("strong", say("told.key_title"))
        text = say("told.key")
        parts.append(tag("div", title, " ", text, owner, class_="notice info", role="status"))
    return tag("div", *parts, class_="project-links")


def _code(invitation: str) -> Markup:
    import segno

    # Dark on light also on a dark page, as cameras expect it.
    drawn = segno.make(invitation, error="m").svg_inline(
        scale=4, border=3, light="#fff", title=say("project.code_title")
    )
    shown = tag("summary", say("project.code"))
    return tag("details", shown, Markup(drawn), class_="link-code")


def _link(label: str, href: str) -> Markup:
    named = tag("a", say(label), href=href, class_="share")
    copy = tag("button", say("project.copy"), type="button", class_="copy-link")
    shown = tag("code", href) if urlsplit(href).netloc else None
    return tag("p", named, " ", copy, shown, class_="share-line")


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
    state = _state(closed=project.closed)
    parts = [
        tag("h2", isolated(project.name), " ", state),
        tag("p", settings, class_="quiet"),
    ]
    if lasting:
        warning = (say("told.lasting"), tag("p", lasting))
        parts.append(tag("div", *warning, class_="notice error", role="alert"))
    if project.closed:
        parts.append(tag("p", say("project.closed"), class_="notice info"))
    return join(parts)


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
    remark = say("project.disputed_remark", n=len(disputed)) if disputed else ""
    title = subheading(say("project.disputed"), remark)
    if not shown:
        return join([title, tag("p", say("project.agreed"), class_="quiet")])
    asked = {question.id: question for question in questions}
    boxes = [_dispute(asked[one.question], one, items[one.item]) for one in shown]
    parts = [title, tag("ul", *boxes, class_="dispute-list")]
    if len(disputed) > len(shown):
        parts.append(tag("p", say("project.more", n=len(shown)), class_="quiet"))
    return join(parts)


def _dispute(question: Question, one: Consensus, item: AnnotationItem) -> Markup:
    labels = {answer.value: answer.label for answer in question.answers}
    counts = ", ".join(f"{labels.get(value, value)} {n}" for value, n in one.counts.items())
    buttons = [
        tag("button", say("project.decide", value=answer.label), type="button",
            data_item=item.id, data_question=question.id, data_value=answer.value)
        for answer in question.answers
    ]  # fmt: skip
    asked, given = tag("strong", isolated(question.ask)), say("project.undecided", counts=counts)
    return tag(
        "li",
        _marked(item),
        tag("p", asked, " ", isolated(given), class_="dispute-words"),
        tag("div", *buttons, _removal(item.id), class_="dispute-actions"),
        class_="card",
    )


def _removal(item: str) -> Markup:
    return tag("button", say("project.remove"), type="button", class_="quiet", data_remove=item)


def removed(items: Sequence[AnnotationItem]) -> Markup:
    """List the removed items, each with a button that restores it."""
    if not items:
        return Markup("")
    title = tag("h4", say("project.removed"))
    shown = [tag("li", _marked(item), _restoring(item.id)) for item in items[:_REMOVED]]
    parts = [title, tag("ul", *shown, class_="removed-list")]
    if more := len(items) - len(shown):
        parts.append(tag("p", say("project.removed_more", n=f"{more:,}"), class_="quiet"))
    return join(parts)


def just_removed(item: str) -> Markup:
    """Say that an item was removed, with a button beside it that restores it."""
    return tag("div", tag("p", say("told.removed")), _restoring(item, say("project.undo")),
               role="status", class_="notice info undo-notice")  # fmt: skip


def _restoring(item: str, words: str = "") -> Markup:
    return tag("button", words or say("project.restore"), type="button", data_restore=item)


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
    title = subheading(say("project.comments"), say("project.comments_remark"))
    shown = [one for one in remarks if one.item in items]
    if not shown:
        return join([title, tag("p", say("project.no_comments"), class_="quiet")])
    boxes = []
    for one in shown:
        said = say("project.says", name=one.annotator, item=one.item)
        removal = tag("div", _removal(one.item), class_="dispute-actions")
        quoted = tag("blockquote", isolated(one.comment))
        whose = tag("p", isolated(said), class_="quiet")
        boxes.append(tag("li", whose, quoted, _marked(items[one.item]), removal, class_="card"))
    return join([title, tag("ul", *boxes, class_="dispute-list")])


def numbers(found: Evaluation) -> Markup:
    """Return agreement, annotators, and the invariant against people."""
    title = subheading(say("project.numbers"), say("project.numbers_remark"))
    every = evaluation_sections(found)
    overview = [tag("p", isolated(line)) for section in every if section.key == "overview"
                for line in section.sentences]  # fmt: skip
    rest = [section for section in every if section.key not in _OWN_PLACE]
    return join([title, *overview, folded(rest)])
