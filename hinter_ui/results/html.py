"""The HTML of a campaign's report: figures on cards, sections that unfold, findings to open."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hinter_core.campaign.reader import MutantRecord
from hinter_core.campaign.tables import edit_from_row, is_placebo
from hinter_core.report.compared.comparison import ONLY_FIRST, Comparison
from hinter_core.report.compared.sections import comparison_sections
from hinter_core.report.metrics.lattice import (
    Overlap,
    circles,
    overlap_kinds,
)
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.section import Section
from hinter_core.report.sections import card_of, sections
from hinter_core.types import Edit, Verdict
from hinter_ui.html import glossary
from hinter_ui.html.marked import answers, changed
from hinter_ui.html.markup import Markup, escape, isolated, join, tag
from hinter_ui.html.pages import macros_of
from hinter_ui.html.sections import pager, report_table, row_of, section_of
from hinter_ui.html.wording import (
    Words,
    badge,
    name_of,
    product,
    two_people,
    validity_in_words,
)

say = Words("results")

_ENTRIES = {"errors": "error-rate", "hidden": "hidden", "excess": "excess", "verdict": "verdict",
            "validity": "validity"}  # fmt: skip
_OPEN = {"excess", "priority"}  # sections that need no click
_OWN_PLACE = {"overview", "main", "examples", "coverage", "unused", "flow", "overlap", "groups"}
_RATES = ("main", "models", "accuracy")
_LAST = ("coverage", "unused")
VALIDITIES = (0.0, 0.8, 0.9, 0.95)  # least scores to choose from


def validity_choices() -> list[tuple[str, float]]:
    """Return (words, score) of every least validity."""
    words = [say("choices.any_validity"), *(f"\u2265 {least:g}" for least in VALIDITIES[1:])]
    return list(zip(words, VALIDITIES, strict=True))


def head(report: Report, state: str) -> Markup:
    """Write what was tested, and what is still missing."""
    overview = next(s for s in sections(report) if s.key == "overview")
    told = [tag("p", isolated(sentence)) for sentence in overview.sentences[:2]]
    if state:
        told.insert(0, tag("p", state, class_="notice info", role="status"))
    return tag("div", *told, class_="results-head")


def cards(report: Report) -> Markup:
    """Show a card for each model: its rates, and the same in words."""
    if not report.models:
        return tag("p", say("cards.none"), class_="quiet")
    return tag("div", *(_card(model) for model in report.models), class_="results-cards")


def _card(model: ModelReport) -> Markup:
    figures, words = card_of(model)
    explained = [
        (value, glossary.head(what, _ENTRIES, key), more, alarm, key)
        for value, what, more, alarm, key in figures
    ]
    return escape(macros_of("parts").card(model.model, 3, explained, words))


def rates(report: Report) -> Markup:
    """Write the main table and the accuracy, folded under the chart."""
    return join(section_of(s) for s in sections(report) if s.key in _RATES)


def of_model(report: Report, model: ModelReport) -> Markup:
    """Write the sections of one model that have no chart of their own."""
    found = _sections(report, model)
    return join(section_of(s, wide=s.key in _OPEN) for s in found if s.key not in _OWN_PLACE)


def _sections(report: Report, model: ModelReport) -> list[Section]:
    every = sections(replace(report, models=[model]))
    return [section for section in every if section.model]


def beside_chart(report: Report, model: ModelReport, key: str) -> Markup:
    """Write sentences and table of the section beside a chart."""
    found = [s for s in _sections(report, model) if s.key == key]
    return join(section_of(section) for section in found)


def overlaps(model: ModelReport) -> Markup:
    """Draw circles for each set of attributes."""
    if not model.overlaps:
        return Markup("")
    title = tag("h3", say("overlaps.title"), class_="map-title")
    return tag("div", title, tag("div", *(_venn(one) for one in model.overlaps), class_="venns"))


def ending(report: Report) -> Markup:
    """Write coverage and unused rows."""
    return join(section_of(s) for s in sections(report) if s.key in _LAST)


def examples(model: ModelReport) -> Markup:
    """List hidden findings, each with its text and a button that opens it in Explore."""
    if not model.examples:
        return tag("p", say("hidden.none"), class_="quiet")
    items = []
    for number, example in enumerate(model.examples):
        mark = badge(Verdict.HIDDEN, example["grade"])
        said = answers(example["original"] or (), example["labels"] or ())
        items.append(_finding(mark, said, example, {"example": number}))
    return tag("ul", *items, class_="finding-list")


def _finding(
    mark: Markup, said: Markup, row: Mapping[str, Any], place: Mapping[str, int]
) -> Markup:
    edits, handwritten = [edit_from_row(edit) for edit in row["edits"]], row["mutant"]
    text, where = changed(row["text"], edits, handwritten), say("findings.row", n=row["row"])
    mark = join([mark, " ", two_people()]) if row["across_people"] else mark
    return escape(_page().finding(mark, said, where, text, edits, place, handwritten))


def _page() -> Any:
    helpers = {"name_of": name_of, "neutral": _neutral, "changes": _changes}
    return macros_of("results", say=say, **helpers)


def _neutral(edits: Sequence[Edit]) -> bool:
    return is_placebo(tuple(edit.attribute for edit in edits))


def _changes(edits: Sequence[Edit]) -> str:
    return ", ".join(f"{name_of(e.attribute)} {e.in_words}" for e in edits)


def findings(found: Sequence[MutantRecord], total: int, page: int, size: int) -> Markup:
    """Write one page of the table of findings."""
    if not found:
        return tag("p", say("findings.none"), class_="quiet", role="status")
    columns = say.branch("findings.columns")
    heads = [glossary.head(name, _ENTRIES, key) for key, name in columns.items()]
    heads.append(tag("span", say("findings.action"), class_="sr-only"))
    rows = [_row(one, columns) for one in found]
    return join([report_table(say("findings.title"), heads, rows), pager(total, page, size)])


def _row(finding: MutantRecord, columns: Mapping[str, str]) -> Markup:
    why = tag("div", isolated(finding.why), class_="quiet-inline") if finding.why else None
    place = {"shard": finding.shard, "place": finding.place}
    apart = two_people() if finding.across_people else ""
    cells = (
        join([badge(Verdict(finding.verdict), finding.answer.grade), " ", apart]),
        escape(_page().edited(finding.edits)),
        join([answers(finding.original, finding.labels), why or Markup("")]),
        changed(finding.text, finding.edits, finding.handwritten),
        validity_in_words(finding.validity, finding.soft, finding.unfair),
        str(finding.row),
        escape(_page().button(finding.edits, place, finding.handwritten)),
    )
    return row_of((*columns.values(), ""), cells)


def comparison(found: Comparison) -> Markup:
    """Compare two sides: sentences, a table, and mutants that changed, to open in Explore."""
    parts: list[Markup] = []
    for section in comparison_sections(found):
        if section.key in ("overview", "main", "verdicts"):
            if section.key == "overview":
                parts.append(_overview(section))
            else:
                parts.append(section_of(section, wide=section.key == "main"))
    changes: list[Markup] = []
    for number, change in enumerate(found.changes):
        said = [
            join([tag("span", which, class_="quiet-inline"), " ",
                  answers(change["originals"][i] or (), change["labels"][i] or ())])
            for i, which in enumerate(say.branch("comparison.sides"))
        ]  # fmt: skip
        which = "first" if change["change"] == ONLY_FIRST else "second"
        mark = tag("span", say(f"comparison.{which}"), class_="badge biased")
        changes.append(_finding(mark, join(said, " \u00b7 "), change, {"change": number}))
    return escape(_page().comparison(parts, changes))


def _overview(section: Section) -> Markup:
    said = [tag("p", isolated(sentence)) for sentence in section.sentences]
    return tag("div", *said, class_="card", role="status")


def _venn(overlap: Overlap) -> Markup:
    kinds = {kind: number for kind, number, _ in overlap_kinds(overlap)}
    total = sum(kinds.values())
    legend = [(kind, number, say(f"overlaps.{kind}")) for kind, number in kinds.items()]
    name = product([name_of(attribute) for attribute in overlap.attributes])
    texts = say.count("overlaps.texts", total)
    words = say.count("overlaps.summary", total, **kinds)
    return escape(macros_of("parts").venn(circles(overlap), name, texts, words, legend))
