"""Sections of a report, folded below their first sentence, and tables by the page."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import groupby, zip_longest
from re import compile as pattern
from re import escape as literally
from typing import Any, TypeVar, cast

from hinter_core.report.section import ARROW, Section, written
from hinter_core.statistics.format import percent
from hinter_core.statistics.rates import Rate
from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.pages import macros_of
from hinter_ui.html.wording import (
    DEFAULT,
    TIMES,
    Words,
    capital,
    group_name,
    grouped,
    in_visitors_words,
    listed,
    product,
    spoken,
    translated,
)

say = Words("check")

# Entries of the glossary: by figure or column, and by the section they head.
ENTRIES = {
    "hidden": "hidden",
    "verdict": "verdict",
    "error rate": "error-rate",
    "placebo": "placebo",
    "excess": "excess",
    "mutants": "mutant",
    "hidden, of errors": "hidden",
}
SECTION_ENTRIES = {
    "excess": "excess",
    "groups": "group-bias",
    "coverage": "pairwise-coverage",
    "invariant": "invariant",
}

Told = TypeVar("Told")
_SET = pattern(r" \(n\s|: ")  # what follows the attributes of a chart
_SENTENCES = pattern(r"(?<=\.) (?=[A-Z\d]|p is )")  # between two of them
_COUNTED = pattern(r"[^A-Za-z]+( of [^A-Za-z]+)+")
_NAMES = {"cells", "command", "key", "model"}  # of fields that hold no words, or those of data
# Columns whose cells come from data, dictionaries or models, and stay as they are.
_DATA = {
    "Change", "Changed groups", "Changed to", "Data", "Dictionary", "From answer", "Group",
    "Higher", "Label", "Labels", "Lower", "Model", "Most often to", "Significant groups",
    "Significant, hidden", "To answer", "What was said (an example)", "Word",
}  # fmt: skip
_GROUPS = {"Changed groups", "Changed to", "Group", "Significant groups", "Significant, hidden"}
_MANY = ("confusion",)  # sections of which there are many


def pager(rows: int, page: int, size: int, every: int | None = None) -> Markup:
    """Show which of so many ``rows`` are on this page, with buttons to turn pages.

    ``every`` is the number of rows without the filter, where there is one.
    """
    start, last = page * size + 1, max(0, (rows - 1) // size)
    key = "table.rows" if every in (None, rows) else "table.filtered"
    words = say(key, start=start, end=min(rows, start + size - 1), found=rows, every=every)
    status = tag("span", words, role="status")
    if not last:
        return tag("div", status, class_="pager")

    def turn(name: str, to: int) -> Markup:
        off = not 0 <= to <= last
        return tag("button", name, type="button", class_="page", data_page=to, disabled=off)

    return tag("div", turn(say("table.previous"), page - 1), status,
               turn(say("table.next"), page + 1), class_="pager")  # fmt: skip


def narrow_fold(title: str) -> Markup:
    """Write the title behind which a narrow page folds what follows; a wide one has no title."""
    return tag("details", tag("summary", title), class_="narrow-fold")


def folded(sections: Iterable[Section]) -> Markup:
    """Write sections with their first sentences; many of a kind fold into one."""
    return join(
        _together(say(f"sections.{key}"), list(alike))
        if key in _MANY
        else join(section_of(section) for section in alike)
        for key, alike in groupby(sections, key=lambda section: section.key)
    )


def _together(title: str, sections: Sequence[Section]) -> Markup:
    heading = say.count("sections.tables", len(sections))
    each = [
        join([tag("h4", section.title), *(tag("p", isolated(s)) for s in section.sentences),
              _table_of(section)])
        for section in sections
    ]  # fmt: skip
    return macros_of("parts").section("fold", title, 3, "", heading, join(each))


def section_of(section: Section, *, wide: bool = False) -> Markup:
    """Write a section's first sentence, and the rest of it folded unless ``wide``."""
    if not section.sentences and not section.rows:
        return Markup("")
    said = [tag("p", isolated(sentence)) for sentence in section.sentences]
    body = join([*said[1:], _table_of(section)])
    entry = SECTION_ENTRIES.get(section.key)
    title = glossary.link(entry, section.title) if entry else section.title
    lead, rest = join(said[:1]), _rest(section)
    return macros_of("parts").section("fold", title, 3, lead, rest, body, wide)


def _rest(section: Section) -> str:
    """Name what a click unfolds."""
    rows, more = len(section.rows), len(section.sentences) - 1
    parts = [say.count("sections.sentences", more)] if more > 0 else []
    parts += [say.count("sections.rows", rows)] if rows else []
    return capital(listed(parts))


def _table_of(section: Section) -> Markup:
    if not section.rows:
        return Markup("")
    heads = [glossary.head(column, ENTRIES) for column in section.columns]
    return report_table(section.title, heads, cells_of(section.columns, section.rows))


def cells_of(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[Markup]:
    """Write rows of text; on a narrow page a table is a list, so each cell names its column."""
    return [macros_of("parts").row(columns, row) for row in rows]


def row_of(columns: Sequence[str], cells: Sequence[object]) -> Markup:
    """Write a row of a table, whose cells hold markup and name their columns."""
    return macros_of("parts").cells(columns, cells)


def report_table(title: str, columns: Iterable[object], rows: Iterable[Markup]) -> Markup:
    """Write a table in a box that scrolls where it is too wide."""
    return macros_of("parts").table(title, list(columns), join(rows))


def rate_cell(rate: Rate, *, bad: bool = False) -> Markup:
    """Draw a rate as a bar with its interval, and write it beside."""
    share = rate.share or 0.0
    ends = (share if end is None else end for end in (share, rate.low, rate.high))
    width, low, high = (f"{100 * end:.1f}%" for end in ends)
    drawn = macros_of("parts").rate_bar(width, low, f"calc(100% - {high})", bad=bad)
    return join((drawn, grouped(percent(rate))))


# -- one vocabulary -----------------------------------------------------------------------------


def for_visitors(report_part: Told, names: Iterable[str] = ()) -> Told:
    """Say what a report for researchers says, in the words of the app.

    Of a section or another value of strings, all of its strings change, but no ``names`` of models,
    nor texts of a campaign, which stand in mappings.
    """
    kept = tuple(names)
    if isinstance(report_part, str):
        return cast(Told, _in_words(report_part, kept))
    if isinstance(report_part, list | tuple):
        return type(report_part)(for_visitors(one, kept) for one in report_part)
    if is_dataclass(report_part) and not isinstance(report_part, type):
        names_of_fields = {field.name for field in fields(report_part)} - _NAMES
        rewritten: dict[str, Any] = {
            name: for_visitors(getattr(report_part, name), kept) for name in names_of_fields
        }
        if isinstance(report_part, Section):
            columns = report_part.columns
            rewritten["cells"] = [
                [_cell(column, cell, kept) for column, cell in zip_longest(columns, row)]
                for row in report_part.cells
            ]
        return replace(report_part, **rewritten)
    return report_part


def _cell(column: str | None, cell: Any, names: Sequence[str]) -> Any:
    """Say what stands in a cell; groups are named, and data stays as it is."""
    if column in _GROUPS and isinstance(cell, str):
        return ARROW.join(map(group_name, cell.split(ARROW)))
    if column in _DATA:
        return cell
    return for_visitors(written(cell), names)


def _in_words(text: str, names: Sequence[str]) -> str:
    if spoken() != DEFAULT and (said := grouped(_in_language(text))) != text:
        return said
    if any(name in text for name in names):
        parts = pattern("(" + "|".join(map(literally, names)) + ")").split(text)
        return "".join(part if part in names else _in_words(part, ()) for part in parts)
    return in_visitors_words(text)


def _in_language(text: str) -> str:
    """Write a text in the language spoken: sentence by sentence if all are known, else as a whole.

    A pattern of the catalogue may reach over sentences that have patterns of their own.
    """
    if _COUNTED.fullmatch(text):
        return text.replace(" of ", f" {say('sections.of')} ")
    sentences = _SENTENCES.split(text)
    # Figures are written once, by who calls this: "0,458" would become "0 458".
    said = [translated(_attributes(one), figures=False) for one in sentences]
    if any(map(str.__eq__, said, sentences)):
        whole = translated(_attributes(text), figures=False)
        if whole != text:
            return whole
    return " ".join(said)


def _attributes(text: str) -> str:
    """Name the attributes with which a text begins in the language spoken."""
    names, known = _SET.split(text, maxsplit=1)[0], Words("check").branch("attributes")
    if not set(parts := names.split(f" {TIMES} ")) <= set(known):
        return text
    return product([known[name] for name in parts]) + text.removeprefix(names)
