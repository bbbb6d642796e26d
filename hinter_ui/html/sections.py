"""Sections of a report, folded below their first sentence; tables with the way to further rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from hinter_core.report.section import Section
from hinter_ui.html import glossary
from hinter_ui.html.markup import Markup, isolated, join, tag
from hinter_ui.html.words import capital, listed

# Entries of the glossary: by figure or column, and by the section they head.
ENTRIES = {
    "intersectional errors": "error-rate",
    "hidden": "hidden",
    "points beyond placebo": "excess",
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

_MANY = {"confusion": "Answer by answer"}  # sections of which there are many, and what they are


def pager(found: int, page: int, size: int, remark: str = "") -> Markup:
    """Rows ``page * size + 1`` and on of ``found``; buttons where there is more than one page."""
    last = max(0, (found - 1) // size)
    start = page * size + 1
    words = f"{start:,}\u2013{min(found, start + size - 1):,} of {found:,}{remark}"
    told = tag("span", words, role="status")
    if not last:
        return tag("div", told, class_="pager")

    def turn(name: str, to: int) -> Markup:
        off = not 0 <= to <= last
        return tag("button", name, type="button", class_="page", data_page=to, disabled=off)

    return tag("div", turn("\u2190 Previous", page - 1), told, turn("Next \u2192", page + 1),
               class_="pager")  # fmt: skip


def folded(found: Iterable[Section]) -> Markup:
    """Sections one after another, each with its first sentence; many of a kind fold into one."""
    return join(
        _together(_MANY[key], list(alike)) if key in _MANY else join(map(section_of, alike))
        for key, alike in groupby(found, key=lambda section: section.key)
    )


def _together(title: str, found: Sequence[Section]) -> Markup:
    """Sections of one kind under one title, each with its own once unfolded."""
    many = f"{len(found):,} table{'s' if len(found) != 1 else ''}"
    each = [
        join([tag("h4", section.title), *(tag("p", isolated(s)) for s in section.sentences),
              _table_of(section)])
        for section in found
    ]  # fmt: skip
    rest = tag("details", tag("summary", many), *each)
    return tag("section", tag("h3", title), rest, class_="fold")


def section_of(section: Section, *, wide: bool = False) -> Markup:
    """A section's first sentence, and the rest of it folded unless ``wide``."""
    if not section.sentences and not section.rows:
        return Markup("")
    said = [tag("p", isolated(sentence)) for sentence in section.sentences]
    body = join([*said[1:], _table_of(section)])
    rest = tag("details", tag("summary", _rest(section)), body, open=wide) if body else None
    entry = SECTION_ENTRIES.get(section.key)
    title = glossary.link(entry, section.title) if entry else section.title
    return tag("section", tag("h3", title), join(said[:1]), rest, class_="fold")


def _rest(section: Section) -> str:
    """What a click unfolds."""
    lines, more = len(section.rows), len(section.sentences) - 1
    parts = [f"table, {lines:,} line{'s' if lines != 1 else ''}"] if lines else []
    if more > 0:
        parts.insert(0, f"{more:,} more sentence{'s' if more != 1 else ''}")
    return capital(listed(parts))


def _table_of(section: Section) -> Markup:
    if not section.rows:
        return Markup("")
    heads = (glossary.head(column, ENTRIES) for column in section.columns)
    header = tag("tr", *(tag("th", column, scope="col") for column in heads))
    body = [
        tag("tr", *(tag("td", isolated(cell), data_column=column)
                    for column, cell in zip(section.columns, row, strict=True)))
        for row in section.rows
    ]  # fmt: skip
    grid = tag("table", tag("caption", section.title, class_="sr-only"), tag("thead", header),
               tag("tbody", *body))  # fmt: skip
    return tag("div", grid, class_="report-table", role="region", tabindex="0",
               aria_label=section.title)  # fmt: skip
