"""The HTML of a campaign's report: a decision for each model, and sections that unfold."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from re import compile as pattern
from typing import Any

from hinter_core.campaign.findings import FindingGroup
from hinter_core.campaign.reader import MutantRecord
from hinter_core.campaign.tables import edit_from_row, is_placebo
from hinter_core.mutation.edits import as_written
from hinter_core.report.compared.comparison import (
    BOTH,
    NEITHER,
    ONLY_FIRST,
    ONLY_SECOND,
    Comparison,
)
from hinter_core.report.compared.sections import comparison_sections
from hinter_core.report.metrics.lattice import Overlap, circles, overlap_kinds
from hinter_core.report.model import ModelReport, Report
from hinter_core.report.page.html import Wording, charts_of, to_html
from hinter_core.report.page.opening import LABELS, Opening
from hinter_core.report.section import Section
from hinter_core.report.sections import sections
from hinter_core.types import Edit, Verdict
from hinter_ui.html import glossary
from hinter_ui.html.marked import answers, changed
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.pages import Macros, macros_of
from hinter_ui.html.sections import for_visitors, narrow_fold, pager, section_of
from hinter_ui.html.wording import (
    DEFAULT,
    Words,
    badge,
    formatted,
    group_name,
    grouped,
    name_of,
    numeral,
    product,
    spoken,
    translated,
    two_people,
    validity_in_words,
    verdict_name,
    where,
)

say = Words("results")

_NUMBERS = ("value", "total", "number", "share")  # of a chart, as text
_RATES = ("main", "answers", "models", "by-model", "accuracy")
_LAST = ("coverage", "discards", "unused")
_ELSEWHERE = {"overview", "examples", "overlap", "groups", *_RATES, *_LAST}
VALIDITIES = (0.0, 0.8, 0.9, 0.95)  # least scores to choose from
PER_GROUP = 4  # findings of a text that are shown at first
_IN_BRACKETS = pattern(r"(?<=\()[\w-]+(?=\)$)")  # the attribute at the end of an axis


def validity_choices() -> list[tuple[str, float]]:
    """Return (words, score) of every least validity."""
    words = [
        say("choices.any_validity"),
        *(f"\u2265 {formatted(least, 'g')}" for least in VALIDITIES[1:]),
    ]
    return list(zip(words, VALIDITIES, strict=True))


def page_in_language(report: Report, limit: float) -> str:
    """Return the report as one HTML file in the language spoken.

    In English it has the words of the papers, and tables are repeated as sentences.
    """
    if spoken() == DEFAULT:
        return to_html(report, limit=limit)
    labels = {key: translated(text) for key, text in LABELS.items()}
    wording = Wording(spoken(), for_visitors, _labels, labels)
    return to_html(report, limit=limit, in_words=False, wording=wording)


# -- the first view -----------------------------------------------------------------------------


def head(report: Report, state: str) -> Markup:
    """Write the campaign's title, and what is still missing."""
    title = tag("h2", isolated(report.campaign.title))
    notice = tag("p", state, class_="notice info", role="status") if state else None
    return tag("div", title, notice, class_="results-head")


def cards(opening: Opening) -> Markup:
    """Show the decision about each model."""
    said = for_visitors(opening.cards, (card.model for card in opening.cards))
    for_page = [replace(card, bars=list(map(_bar, card.bars))) for card in said]
    return macros_of("parts").decisions(for_page, _labels_of_first_view(), 3)


def _bar(bar: dict[str, Any]) -> dict[str, Any]:
    return {**bar, "name": for_visitors(bar["name"]), "written": grouped(bar["written"])}


def _labels_of_first_view() -> dict[str, Markup]:
    words = say.branch("opening").items()
    return {key: glossary.linked(text) for key, text in words if "{" not in text}


def examples(opening: Opening) -> Markup:
    """List the texts with most hidden findings, each with a button that opens one in Explore."""
    words = say.branch("opening")
    title = tag(
        "h3",
        _labels_of_first_view()["examples"],
        " ",
        tag("span", isolated(opening.model), class_="quiet"),
    )
    about = tag("p", for_visitors(opening.hidden))
    items = []
    for number, example in enumerate(opening.clusters):
        alike = example["alike"]
        more = words["alike"].format(n=alike) if alike > 1 else words["one"]
        mark = badge(Verdict.HIDDEN, example["grade"])
        said = answers(example["original"] or (), example["labels"] or (), example.get("shift"))
        row = tag("span", more, class_="quiet-inline")
        items.append(_finding(mark, join([said, row], " \u00b7 "), example, {"example": number}))
    listed = tag("ul", *items, class_="finding-list") if items else ""
    more = narrow_fold(say.count("narrow.examples", len(items) - 1)) if len(items) > 1 else ""
    return join([title, about, listed, more])


def beside(opening: Opening) -> Markup:
    """Write caveats, method and the command of the gate."""
    shown = for_visitors(replace(opening, clusters=[]), (card.model for card in opening.cards))
    return macros_of("parts").beside(shown, _labels_of_first_view(), 3)


# -- what unfolds -------------------------------------------------------------------------------


def rates(report: Report) -> Markup:
    """Draw the rates of all models, and write the main table and the accuracy."""
    named = [model.model for model in report.models]
    tables = [for_visitors(s, named) for s in sections(report) if s.key in _RATES]
    tables.sort(key=lambda section: _RATES.index(section.key))
    if len(named) > 1:
        tables = [replace(section, title=section.heading) for section in tables]
    written = (section_of(section, wide=section.key == "answers") for section in tables)
    return join([_charts("main", report, None), *written])


def groups(report: Report, model: ModelReport) -> Markup:
    """Draw circles for each set of attributes; write the table of groups, and draw heat maps."""
    tables = (for_visitors(s) for s in _sections(report, model) if s.key == "groups")
    return join([overlaps(model), *map(section_of, tables), _charts("groups", report, model)])


def details(report: Report, model: ModelReport) -> Markup:
    """Write the other sections of one model, with their charts."""
    written = []
    for section in _sections(report, model):
        if section.key not in _ELSEWHERE:
            said = section_of(for_visitors(section, [model.model]))
            written.append(join([_charts(section.key, report, model), said]))
    return join(written)


def ending(report: Report) -> Markup:
    """Write coverage, discards and unused rows."""
    return join(section_of(for_visitors(s)) for s in sections(report) if s.key in _LAST)


def _charts(key: str, report: Report, model: ModelReport | None) -> Markup:
    """Draw the charts of a section."""
    draw = macros_of("parts").drawing
    charts = charts_of(key, report, model)
    return join(draw(for_visitors(name), _labels(chart)) for name, chart in charts)


def _labels(chart: dict[str, Any]) -> dict[str, Any]:
    """Write the labels of a chart in the words of the app."""
    rows: Any = chart.get("rows")
    if chart["kind"] == "bars":
        rows = [(for_visitors(label), [_said(bar, "of") for bar in bars]) for label, bars in rows]
        return {**chart, "rows": rows}
    if chart["kind"] == "stacks":
        rows = [
            {**_said(row, "name"), "parts": [_said(part, "name") for part in row["parts"]]}
            for row in rows
        ]
        return {**chart, "rows": rows}
    across = _IN_BRACKETS.sub(lambda found: name_of(found[0]), chart["across"])
    named = {**chart, "across": for_visitors(across)}
    if chart["kind"] == "grid":
        named["heads"] = [group_name(head) for head in chart["heads"]]
        named["rows"] = [
            (group_name(head), [c and {**c, "number": grouped(c["number"])} for c in cells])
            for head, cells in rows
        ]
    return named


def _said(part: dict[str, Any], key: str) -> dict[str, Any]:
    numbers = {name: grouped(part[name]) for name in _NUMBERS if name in part}
    return {**part, **numbers, key: for_visitors(part[key])}


def _sections(report: Report, model: ModelReport) -> list[Section]:
    every = sections(replace(report, models=[model]))
    return [section for section in every if section.model]


def overlaps(model: ModelReport) -> Markup:
    """Draw circles for each set of attributes."""
    drawn = [_venn(one) for one in model.overlaps if one.texts]
    if not drawn:
        return Markup("")
    title = tag("h3", say("overlaps.title"))
    return tag("div", title, tag("div", *drawn, class_="venns"))


def _venn(overlap: Overlap) -> Markup:
    kinds = {kind: number for kind, number, _ in overlap_kinds(overlap)}
    legend = [(kind, numeral(number), say(f"overlaps.{kind}")) for kind, number in kinds.items()]
    name = product([name_of(attribute) for attribute in overlap.attributes])
    texts = say.count("overlaps.texts", overlap.texts)
    words = say.count("overlaps.summary", overlap.texts, **kinds)
    return macros_of("parts").venn(circles(overlap), name, texts, words, legend)


# -- findings -----------------------------------------------------------------------------------


def findings(
    groups_of: Sequence[tuple[FindingGroup, Sequence[MutantRecord]]],
    total: int,
    mutants: int,
    page: int,
    size: int,
) -> Markup:
    """Write one page of findings, by text and attributes."""
    if not groups_of:
        return tag("p", say("findings.none"), class_="quiet", role="status")
    words = say.count("findings.texts", total, mutants=mutants)
    status = tag("p", words, class_="quiet number-found")
    items = [_group(group, records) for group, records in groups_of]
    return join([status, tag("ul", *items, class_="finding-list"), pager(total, page, size)])


def _group(group: FindingGroup, records: Sequence[MutantRecord]) -> Markup:
    rest = group.mutants - len(records)
    listed = len(group.places) > len(records)
    more = None
    if rest:
        words = say.count("findings.more", rest)
        place = {"data-group-shard": group.shard, "data-group-row": group.row}
        opening = {"data-attributes": "\n".join(group.attributes)}
        more = (
            tag("button", words, type="button", class_="act more", **place, **opening)
            if listed
            else tag("span", words, class_="quiet")
        )
    neutral = is_placebo(group.attributes)
    counts = [
        tag("span", f"{numeral(n)} {verdict_name(kind, neutral=neutral)}", class_=f"badge {kind}")
        for kind, n in ((Verdict.HIDDEN, group.hidden), (Verdict.BIASED, group.biased))
        if n
    ]
    return _page().group(
        join(counts, " "), product([name_of(name) for name in group.attributes]),
        where(group.row, records[0].id), records[0].text, list(map(_variant, records)), more,
    )  # fmt: skip


def _variant(one: MutantRecord) -> Markup:
    apart = two_people() if one.across_people else ""
    neutral = _neutral(one.edits)
    grade = None if neutral else one.answer.grade
    mark = join([badge(Verdict(one.verdict), grade, neutral=neutral), " ", apart])
    why = tag("span", " ", isolated(translated(one.why)), class_="quiet-inline") if one.why else ""
    validity = validity_in_words(one.validity, one.soft, one.unfair)
    place = {"shard": one.shard, "place": one.place}
    said = join([answers(one.original, one.labels, one.answer.moved), why])
    text = changed(one.text, one.edits, one.handwritten)
    return _page().variant(mark, one.edits, said, text, validity, place, one.handwritten)


def _finding(
    mark: Markup, said: Markup, row: Mapping[str, Any], place: Mapping[str, int]
) -> Markup:
    edits, handwritten = [edit_from_row(edit) for edit in row["edits"]], row["mutant"]
    text = changed(row["text"], edits, handwritten)
    place_in_data = where(row["row"], row.get("id", ""))
    mark = join([mark, " ", two_people()]) if row["across_people"] else mark
    return _page().finding(mark, said, place_in_data, text, edits, place, handwritten)


def _page() -> Macros:
    helpers = {"name_of": name_of, "neutral": _neutral, "changes": _changes}
    return macros_of("results", say=say, **helpers)


def _neutral(edits: Sequence[Edit]) -> bool:
    return is_placebo(tuple(edit.attribute for edit in edits))


def _changes(edits: Sequence[Edit]) -> str:
    return ", ".join(f"{name_of(e.attribute)} {e.in_words}" for e in as_written(edits))


# -- two sides ----------------------------------------------------------------------------------


def comparison(result: Comparison) -> Markup:
    """Compare two sides: sentences, who errs on which variants, and a table."""
    named = [result.first, result.second, *result.models]
    written = {s.key: for_visitors(s, named) for s in comparison_sections(result)}
    said = [tag("p", isolated(sentence)) for sentence in written["overview"].sentences]
    parts = [tag("div", *said, class_="card", role="status")]
    cells = _cells(result) if result.paired else []
    tables = [section_of(written[key]) for key in ("main", "verdicts") if key in written]
    return _page().comparison(parts, cells, tables)


def _cells(result: Comparison) -> list[tuple[str, str, str, list[Markup]]]:
    """Return the cells of two by two: kind, title, number, and the findings behind it."""
    kinds = {ONLY_FIRST: "first", ONLY_SECOND: "second", BOTH: "both", NEITHER: "neither"}
    listed: dict[str, list[Markup]] = {kind: [] for kind in kinds}
    for number, change in enumerate((*result.changes, *result.alike)):
        said = [
            join([tag("span", which, class_="quiet-inline"), " ",
                  answers(change["originals"][i] or (), change["labels"][i] or (),
                          change["shifts"][i])])
            for i, which in enumerate(say.branch("comparison.sides"))
        ]  # fmt: skip
        kind = change["change"]
        finding = _finding(Markup(""), join(said, " \u00b7 "), change, {"change": number})
        listed[kind].append(finding)
    of_versions = {ONLY_FIRST: "fixed", ONLY_SECOND: "broken"} if result.versions else {}
    return [
        (key, say(f"comparison.{of_versions.get(kind, key)}"),
         say.count("comparison.all", number) if len(shown) == number
         else say("comparison.shown", shown=len(shown), n=number), shown)
        for kind, key in kinds.items()
        for shown, number in [(listed[kind], result.cells[kind])]
    ]  # fmt: skip
