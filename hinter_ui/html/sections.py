"""Sections of a report, folded below their first sentence, and tables by the page."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from hinter_core.report.section import Section
from hinter_core.statistics.format import percent
from hinter_core.statistics.rates import Rate
from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, escape, isolated, join, tag
from hinter_ui.html.pages import macros_of
from hinter_ui.html.wording import Words, capital, grouped, listed

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
    return escape(macros_of("parts").section("fold", title, 3, "", heading, join(each)))


def section_of(section: Section, *, wide: bool = False) -> Markup:
    """Write a section's first sentence, and the rest of it folded unless ``wide``."""
    if not section.sentences and not section.rows:
        return Markup("")
    said = [tag("p", isolated(sentence)) for sentence in section.sentences]
    body = join([*said[1:], _table_of(section)])
    entry = SECTION_ENTRIES.get(section.key)
    title = glossary.link(entry, section.title) if entry else section.title
    part = macros_of("parts").section
    return escape(part("fold", title, 3, join(said[:1]), _rest(section), body, wide))


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
    return [escape(macros_of("parts").row(columns, row)) for row in rows]


def row_of(columns: Sequence[str], cells: Sequence[object]) -> Markup:
    """Write a row of a table, whose cells hold markup and name their columns."""
    return escape(macros_of("parts").cells(columns, cells))


def report_table(title: str, columns: Iterable[object], rows: Iterable[Markup]) -> Markup:
    """Write a table in a box that scrolls where it is too wide."""
    return escape(macros_of("parts").table(title, list(columns), join(rows)))


def rate_cell(rate: Rate, *, bad: bool = False) -> Markup:
    """Draw a rate as a bar, and write it beside."""
    return join((_rate_bar(rate, bad=bad), grouped(percent(rate))))


def _rate_bar(rate: Rate, *, bad: bool = False) -> Markup:
    """Draw a rate as a bar with its interval; its numbers stand beside it."""
    share, low, high = rate.share or 0.0, rate.low, rate.high
    ends = (share if end is None else end for end in (low, high))
    first, last = (f"{100 * end:.1f}" for end in ends)
    return tag(
        "span",
        tag("span", class_="fill bad" if bad else "fill", style=f"width:{100 * share:.1f}%"),
        tag("span", class_="whisker", style=f"left:{first}%;right:calc(100% - {last}%)"),
        class_="bar rate-bar", aria_hidden="true",
    )  # fmt: skip
