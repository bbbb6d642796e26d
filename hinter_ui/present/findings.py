"""The latest hidden findings of a campaign: the words in their text, the change, the answers."""

from __future__ import annotations

from collections.abc import Sequence

from hinter_core.types import Edit
from hinter_ui.batch_watch import Finding
from hinter_ui.present.changed import changed
from hinter_ui.present.markup import Markup, isolated, join, tag
from hinter_ui.present.words import ARROW, change_of, term

_AROUND = 70  # characters beside the first and the last change
_GAP = 160  # characters between two changes, from which the middle is left out


def findings(found: Sequence[Finding], models: Sequence[str], *, busy: bool) -> Markup:
    """A table of findings, each with a button that opens it in Explore; empty where there is none.

    ``models``: all of the campaign, by whose places a button names one.
    """
    if not found:
        return Markup("")
    columns = ("text", "changed together", "answer", "")
    head = tag("tr", *(tag("th", c, scope="col") for c in columns))
    grid = tag(
        "table",
        tag("caption", "The latest hidden findings", class_="sr-only"),
        tag("thead", head),
        tag("tbody", *(_row(one, models.index(one.model)) for one in found)),
    )
    words = "Latest hidden findings" if busy else "Some hidden findings"
    remark = tag("span", "each change alone leaves the answer as it was", class_="quiet")
    return join([tag("h3", words, " ", remark), tag("div", grid, class_="model-table found-table")])


def _row(finding: Finding, model: int) -> Markup:
    changes = [tag("li", isolated(change_of(edit))) for edit in finding.edits]
    answer = tag(
        "div",
        tag("span", isolated(finding.before), f" {ARROW} "),
        tag("strong", isolated(finding.after)),
        tag("code", isolated(finding.model)),
    )
    return tag(
        "tr",
        tag("th", tag("p", _words(finding)), scope="row"),
        tag("td", tag("ul", *changes, class_="plain"), data_column="changed"),
        tag("td", answer, data_column="answer"),
        tag("td", _button(finding, model), data_column=""),
    )


def _words(finding: Finding) -> Markup:
    if finding.by_hand is not None:
        return changed(finding.text, finding.edits, finding.by_hand)
    return excerpt(finding.text, finding.edits)


def _button(finding: Finding, model: int) -> Markup | None:
    if finding.by_hand is not None:
        return None  # Explore makes mutants of its own
    return tag(
        "button",
        "Open in Explore",
        type="button",
        class_="act open",
        data_model=model,
        data_shard=finding.shard,
        data_place=finding.place,
    )


def excerpt(text: str, edits: Sequence[Edit]) -> Markup:
    """The words that were changed, with what stands around them."""
    spans = ((start, end, edit) for edit in edits for start, end in edit.spans)
    places = sorted(spans, key=lambda place: place[:2])
    if not places:
        return isolated(text[: 2 * _AROUND])
    at = max(0, places[0][0] - _AROUND)
    if at:
        blank = text.find(" ", at, places[0][0])
        at = blank + 1 if blank >= 0 else at
    parts: list[object] = ["\u2026 "] if at else []
    for start, end, edit in places:
        between = text[at:start]
        if len(between) > _GAP:
            between = f"{between[: _GAP // 2]} \u2026 {between[-_GAP // 2 :]}"
        parts += [between, term(text[start:end], edit.attribute)]
        at = end
    rest = text[at : at + _AROUND]
    if at + _AROUND < len(text):
        rest = f"{rest.rpartition(' ')[0] or rest} \u2026"
    parts.append(rest)
    return tag("bdi", *parts)
