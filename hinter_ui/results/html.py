"""A campaign's report on the page: figures on cards, sections that unfold, findings to open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hinter_core.campaign.findings import Finding
from hinter_core.campaign.schema import edit_from_row
from hinter_core.report.comparison import Comparison, comparison_sections, points
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.section import Section
from hinter_core.report.sections import line_in_words, sections
from hinter_core.statistics.format import percent
from hinter_core.types import Edit, Verdict
from hinter_ui.html import glossary
from hinter_ui.html.difference import answers, changed
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.sections import ENTRIES, pager, section_of
from hinter_ui.html.words import badge, change_of, name_of
from hinter_ui.results.venn import venn

_OPEN = {"excess"}  # sections that need no click
_OWN_PLACE = {"overview", "main", "examples", "coverage", "unused", "flow", "overlap", "groups"}
_LAST = ("coverage", "unused")


def head(report: Report, state: str) -> Markup:
    """What the campaign was, and what it has not done yet."""
    overview = next(s for s in sections(report) if s.key == "overview")
    told = [tag("p", isolated(sentence)) for sentence in overview.sentences[:2]]
    if state:
        told.insert(0, tag("p", state, class_="notice info", role="status"))
    return tag("div", *told, class_="results-head")


def cards(report: Report) -> Markup:
    """A card for each model: its rates, and the same in words."""
    if not report.models:
        return tag("p", "No model has answered yet, so there is nothing to show.", class_="quiet")
    return tag("div", *map(_card, report.models), class_="results-cards")


def _card(model: ModelReport) -> Markup:
    line = model.intersectional
    share, _, interval = percent(line.errors).partition(" [")
    hidden = line.verdicts[Verdict.HIDDEN.value]
    figures = [
        _figure(share, "intersectional errors", f"[{interval}" if interval else "no interval"),
        _figure(f"{hidden:,}", "hidden", f"{percent(line.hidden)} of errors"
                if line.hidden and line.hidden.of else "of no errors"),
    ]  # fmt: skip
    excess = [e for e in model.excess if e.difference.value is not None]
    if excess:
        last = excess[-1]
        figures.append(
            _figure(
                f"{100 * (last.difference.value or 0):+.1f}",
                "points beyond placebo",
                points(last.difference).partition(" ")[2] or "no interval",
            )
        )
    title = tag("h3", isolated(model.model))
    words = tag("p", isolated(line_in_words(line)))
    return tag("article", title, tag("div", *figures, class_="headlines"), words, class_="card")


def _figure(value: str, what: str, more: str) -> Markup:
    return tag(
        "div",
        tag("span", value, class_="big"),
        tag("span", glossary.head(what, ENTRIES), class_="what"),
        tag("span", more, class_="quiet-inline"),
        class_="figure",
    )


def rates(report: Report) -> Markup:
    """The main table, folded under its chart."""
    return section_of(next(s for s in sections(report) if s.key == "main"))


def of_model(report: Report, model: ModelReport) -> Markup:
    """All sections of one model that have no chart of their own."""
    found = _sections(report, model)
    return join(section_of(s, wide=s.key in _OPEN) for s in found if s.key not in _OWN_PLACE)


def _sections(report: Report, model: ModelReport) -> list[Section]:
    every = sections(replace(report, models=[model]))
    return [section for section in every if section.model]


def words_of(report: Report, model: ModelReport, key: str) -> Markup:
    """Sentences and table of the section beside a chart."""
    found = [s for s in _sections(report, model) if s.key == key]
    return join(section_of(section) for section in found)


def overlaps(model: ModelReport) -> Markup:
    """Circles for each set of attributes."""
    if not model.overlaps:
        return Markup("")
    title = tag("h3", "Texts that show bias", class_="map-title")
    return tag("div", title, tag("div", *map(venn, model.overlaps), class_="venns"))


def ending(report: Report) -> Markup:
    """Coverage and unused rows."""
    return join(section_of(s) for s in sections(report) if s.key in _LAST)


def examples(model: ModelReport) -> Markup:
    """Hidden findings, each with its text and a button that opens it in Explore."""
    if not model.examples:
        words = "No hidden bias was found here: no change together turns what its parts leave."
        return tag("p", words, class_="quiet")
    items = []
    for number, example in enumerate(model.examples):
        edits = [edit_from_row(row) for row in example["edits"]]
        items.append(
            _finding(
                badge(Verdict.HIDDEN), example["text"], edits,
                answers(example["original"] or (), example["labels"] or ()),
                f"row {example['row']}", {"example": number}, example["mutant"],
            )
        )  # fmt: skip
    return tag("ul", *items, class_="finding-list")


def _finding(
    mark: Markup, text: str, edits: Sequence[Edit], said: Markup, where: str,
    place: Mapping[str, int], by_hand: str | None,
) -> Markup:  # fmt: skip
    return tag(
        "li",
        tag("div", mark, " ", said, tag("span", where, class_="where"), class_="finding-top"),
        tag("p", changed(text, edits, by_hand)),
        tag("div", _button(edits, place, by_hand), class_="finding-end"),
        class_="card finding",
    )


def _button(edits: Sequence[Edit], place: Mapping[str, int], by_hand: str | None) -> Markup | None:
    if by_hand is not None:
        return None  # Explore makes mutants of its own
    if any(edit.attribute.startswith("placebo") for edit in edits):
        return None  # Explore has no such pseudo-attributes
    spoken = ", ".join(f"{name_of(e.attribute)} {change_of(e)}" for e in edits)
    data = {f"data_{key}": value for key, value in place.items()}
    return tag("button", "Open in Explore", tag("span", f": {spoken}", class_="sr-only"),
               type="button", class_="act open", **data)  # fmt: skip


def findings(found: Sequence[Finding], total: int, page: int, size: int) -> Markup:
    """One page of the table of findings."""
    if not found:
        return tag("p", "No mutant passes this filter.", class_="quiet", role="status")
    names = ("verdict", "change", "answer", "in the text", "row", "")
    spoken = tag("span", "open", class_="sr-only")
    heads = (glossary.head(name, ENTRIES) if name else spoken for name in names)
    header = tag("tr", *(tag("th", name, scope="col") for name in heads))
    grid = tag("table", tag("caption", "Findings", class_="sr-only"), tag("thead", header),
               tag("tbody", *map(_row, found)))  # fmt: skip
    box = tag("div", grid, class_="report-table", role="region", tabindex="0",
              aria_label="Findings")  # fmt: skip
    return join([box, pager(total, page, size)])


def _row(finding: Finding) -> Markup:
    changes = join(
        (tag("span", tag("span", f"{name_of(e.attribute)} ", class_="quiet-inline"),
             isolated(change_of(e)), class_="one-change") for e in finding.edits),
    )  # fmt: skip
    why = tag("div", isolated(finding.reason), class_="quiet-inline") if finding.reason else None
    place = {"shard": finding.shard, "place": finding.place}
    cells = (
        ("verdict", badge(Verdict(finding.verdict))),
        ("change", changes),
        ("answer", join([answers(finding.original, finding.labels), why or Markup("")])),
        ("in the text", changed(finding.text, finding.edits, finding.by_hand)),
        ("row", str(finding.row)),
        ("", _button(finding.edits, place, finding.by_hand) or Markup("")),
    )
    return tag("tr", *(tag("td", tag("div", cell), data_column=name) for name, cell in cells))


def comparison(found: Comparison) -> Markup:
    """Two sides: sentences, the table, and mutants that changed, to be opened in Explore."""
    parts: list[Markup] = []
    for section in comparison_sections(found):
        if section.key in ("overview", "main", "verdicts"):
            if section.key == "overview":
                parts.append(_overview(section))
            else:
                parts.append(section_of(section, wide=section.key == "main"))
    changes: list[Markup] = []
    for number, change in enumerate(found.changes):
        edits = [edit_from_row(row) for row in change["edits"]]
        said = [
            join([tag("span", which, class_="quiet-inline"), " ",
                  answers(change["originals"][i] or (), change["labels"][i] or ())])
            for i, which in enumerate(("first", "second"))
        ]  # fmt: skip
        mark = tag("span", change["change"], class_=f"badge {change['change'].split()[0]}")
        changes.append(
            _finding(mark, change["text"], edits, join(said, " \u00b7 "), f"row {change['row']}",
                     {"change": number}, change["mutant"])
        )  # fmt: skip
    listed_changes = tag("ul", *changes, class_="finding-list") if changes else None
    return tag("div", *parts, listed_changes, class_="comparison")


def _overview(section: Section) -> Markup:
    said = [tag("p", isolated(sentence)) for sentence in section.sentences]
    return tag("div", *said, class_="card", role="status")
