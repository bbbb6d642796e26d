"""A campaign's report on the page: figures on cards, sections that unfold, findings to open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hinter_core.campaign.reader import MutantRecord
from hinter_core.campaign.schema import edit_from_row
from hinter_core.report.comparison import Comparison
from hinter_core.report.comparison_sections import comparison_sections
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.section import Section
from hinter_core.report.sections import line_in_words, sections
from hinter_core.statistics.format import percent, points
from hinter_core.types import Edit, Verdict
from hinter_ui.html import glossary
from hinter_ui.html.difference import answers, changed
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.sections import pager, report_table, section_of
from hinter_ui.html.wording import Words
from hinter_ui.html.words import badge, change_of, name_of
from hinter_ui.results.venn import venn

ROOM = "results"
_ENTRIES = {"errors": "error-rate", "hidden": "hidden", "excess": "excess", "verdict": "verdict"}
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


def cards(report: Report, say: Words) -> Markup:
    """A card for each model: its rates, and the same in words."""
    if not report.models:
        return tag("p", say("cards.none"), class_="quiet")
    return tag("div", *(_card(model, say) for model in report.models), class_="results-cards")


def _card(model: ModelReport, say: Words) -> Markup:
    line = model.intersectional
    share, _, interval = percent(line.errors).partition(" [")
    hidden = line.verdicts[Verdict.HIDDEN.value]
    if line.hidden and line.hidden.of:
        of_errors = say("cards.of_errors", share=percent(line.hidden))
    else:
        of_errors = say("cards.no_errors")
    figures = [
        _figure(share, "errors", f"[{interval}" if interval else say("cards.no_interval"), say),
        _figure(f"{hidden:,}", "hidden", of_errors, say),
    ]
    excess = [e for e in model.excess if e.difference.value is not None]
    if excess:
        last = excess[-1].difference
        interval = points(last).partition(" ")[2] or say("cards.no_interval")
        figures.append(_figure(f"{100 * (last.value or 0):+.1f}", "excess", interval, say))
    title = tag("h3", isolated(model.model))
    words = tag("p", isolated(line_in_words(line)))
    return tag("article", title, tag("div", *figures, class_="headlines"), words, class_="card")


def _figure(value: str, key: str, more: str, say: Words) -> Markup:
    return tag(
        "div",
        tag("span", value, class_="big"),
        tag("span", glossary.head(say(f"cards.{key}"), _ENTRIES, key), class_="what"),
        tag("span", more, class_="quiet-inline"),
        class_="figure",
    )


def rates(report: Report, say: Words) -> Markup:
    """The main table, folded under its chart."""
    return section_of(next(s for s in sections(report) if s.key == "main"), say=say)


def of_model(report: Report, model: ModelReport, say: Words) -> Markup:
    """All sections of one model that have no chart of their own."""
    found = _sections(report, model)
    return join(
        section_of(s, wide=s.key in _OPEN, say=say) for s in found if s.key not in _OWN_PLACE
    )


def _sections(report: Report, model: ModelReport) -> list[Section]:
    every = sections(replace(report, models=[model]))
    return [section for section in every if section.model]


def beside_chart(report: Report, model: ModelReport, key: str, say: Words) -> Markup:
    """Sentences and table of the section beside a chart."""
    found = [s for s in _sections(report, model) if s.key == key]
    return join(section_of(section, say=say) for section in found)


def overlaps(model: ModelReport, say: Words) -> Markup:
    """Circles for each set of attributes."""
    if not model.overlaps:
        return Markup("")
    title = tag("h3", say("overlaps.title"), class_="map-title")
    return tag(
        "div", title, tag("div", *(venn(one, say) for one in model.overlaps), class_="venns")
    )


def ending(report: Report, say: Words) -> Markup:
    """Coverage and unused rows."""
    return join(section_of(s, say=say) for s in sections(report) if s.key in _LAST)


def examples(model: ModelReport, say: Words) -> Markup:
    """Hidden findings, each with its text and a button that opens it in Explore."""
    if not model.examples:
        return tag("p", say("hidden.none"), class_="quiet")
    items = []
    for number, example in enumerate(model.examples):
        edits = [edit_from_row(row) for row in example["edits"]]
        items.append(
            _finding(
                badge(Verdict.HIDDEN, say), example["text"], edits,
                answers(example["original"] or (), example["labels"] or (), say),
                say("findings.row", n=example["row"]), {"example": number}, example["mutant"],
                say,
            )
        )  # fmt: skip
    return tag("ul", *items, class_="finding-list")


def _finding(
    mark: Markup, text: str, edits: Sequence[Edit], said: Markup, where: str,
    place: Mapping[str, int], by_hand: str | None, say: Words,
) -> Markup:  # fmt: skip
    return tag(
        "li",
        tag("div", mark, " ", said, tag("span", where, class_="where"), class_="finding-top"),
        tag("p", changed(text, edits, by_hand)),
        tag("div", _button(edits, place, by_hand, say), class_="finding-end"),
        class_="card finding",
    )


def _button(
    edits: Sequence[Edit], place: Mapping[str, int], by_hand: str | None, say: Words
) -> Markup | None:
    if by_hand is not None:
        return None  # Explore makes mutants of its own
    if any(edit.attribute.startswith("placebo") for edit in edits):
        return None  # Explore has no such pseudo-attributes
    changes = ", ".join(f"{name_of(e.attribute, say)} {change_of(e)}" for e in edits)
    data = {f"data_{key}": value for key, value in place.items()}
    return tag("button", say("findings.open"),
               tag("span", say("findings.opened", changes=changes), class_="sr-only"),
               type="button", class_="act open", **data)  # fmt: skip


def findings(found: Sequence[MutantRecord], total: int, page: int, size: int, say: Words) -> Markup:
    """One page of the table of findings."""
    if not found:
        return tag("p", say("findings.none"), class_="quiet", role="status")
    columns = say.branch("findings.columns")
    heads = [glossary.head(name, _ENTRIES, key) for key, name in columns.items()]
    heads.append(tag("span", say("findings.action"), class_="sr-only"))
    rows = [_row(one, columns, say) for one in found]
    return join(
        [report_table(say("findings.title"), heads, rows), pager(total, page, size, say=say)]
    )


def _row(finding: MutantRecord, columns: Mapping[str, str], say: Words) -> Markup:
    changes = join(
        (tag("span", tag("span", f"{name_of(e.attribute, say)} ", class_="quiet-inline"),
             isolated(change_of(e)), class_="one-change") for e in finding.edits),
    )  # fmt: skip
    why = tag("div", isolated(finding.why), class_="quiet-inline") if finding.why else None
    place = {"shard": finding.shard, "place": finding.place}
    cells = (
        badge(Verdict(finding.verdict), say),
        changes,
        join([answers(finding.original, finding.labels, say), why or Markup("")]),
        changed(finding.text, finding.edits, finding.by_hand),
        str(finding.row),
        _button(finding.edits, place, finding.by_hand, say) or Markup(""),
    )
    heads = (*columns.values(), "")
    return tag("tr", *(tag("td", tag("div", cell), data_column=head)
                       for head, cell in zip(heads, cells, strict=True)))  # fmt: skip


def comparison(found: Comparison, say: Words) -> Markup:
    """Two sides: sentences, the table, and mutants that changed, to be opened in Explore."""
    parts: list[Markup] = []
    for section in comparison_sections(found):
        if section.key in ("overview", "main", "verdicts"):
            if section.key == "overview":
                parts.append(_overview(section))
            else:
                parts.append(section_of(section, wide=section.key == "main", say=say))
    changes: list[Markup] = []
    for number, change in enumerate(found.changes):
        edits = [edit_from_row(row) for row in change["edits"]]
        said = [
            join([tag("span", which, class_="quiet-inline"), " ",
                  answers(change["originals"][i] or (), change["labels"][i] or (), say)])
            for i, which in enumerate(say.branch("comparison.sides"))
        ]  # fmt: skip
        mark = tag("span", change["change"], class_=f"badge {change['change'].split()[0]}")
        changes.append(
            _finding(mark, change["text"], edits, join(said, " \u00b7 "),
                     say("findings.row", n=change["row"]), {"change": number}, change["mutant"],
                     say)
        )  # fmt: skip
    listed_changes = tag("ul", *changes, class_="finding-list") if changes else None
    return tag("div", *parts, listed_changes, class_="comparison")


def _overview(section: Section) -> Markup:
    said = [tag("p", isolated(sentence)) for sentence in section.sentences]
    return tag("div", *said, class_="card", role="status")
