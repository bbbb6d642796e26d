"""The line below a table: which rows are shown, of how many, and the way to the others."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from hinter_core.report.section import Section
from hinter_ui.html.markup import Markup, join, tag
from hinter_ui.results.html import _MANY, _section, _together


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
        _together(_MANY[key], list(alike)) if key in _MANY else join(map(_section, alike))
        for key, alike in groupby(found, key=lambda section: section.key)
    )
