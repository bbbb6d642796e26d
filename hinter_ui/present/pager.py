"""The line below a table: which rows are shown, of how many, and the way to the others."""

from __future__ import annotations

from hinter_ui.present.markup import Markup, tag


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
