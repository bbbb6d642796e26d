"""Data at a glance: how many rows, which columns and labels, and what cannot be used."""

from __future__ import annotations

from hinter_core.preview import Preview
from hinter_ui.present.markup import Markup, isolated, tag

_SHORT = 160  # characters of a text in a table
_ROWS, _FAULTS, _LABELS = 5, 5, 8  # shown


def preview(seen: Preview) -> Markup:
    """How many rows, which columns and labels, the first texts, and rows that cannot be used."""
    columns, by_hand = seen.chosen, seen.mutants is not None
    usable = [row for row in seen.rows if not row.fault][:_ROWS]
    head = tag("p", tag("strong", _count(seen)), *(f" \u00b7 {fact}" for fact in _facts(seen)))
    with_label = bool(columns.label) and any(row.label for row in usable)
    titles = ["row", "source" if by_hand else "text", *(["label"] if with_label else [])]
    lines = [
        tag(
            "tr",
            tag("td", f"{row.number:,}", class_="number"),
            tag("td", isolated(_short(row.text))),
            tag("td", isolated(_short(row.label, 40)), class_="row-label") if with_label else None,
        )
        for row in usable
    ]
    table = tag(
        "table",
        tag("caption", "The first rows", class_="sr-only"),
        tag("thead", tag("tr", *(tag("th", title, scope="col") for title in titles))),
        tag("tbody", *lines),
    )
    box = tag("div", table, class_="rows-table") if lines else None
    parts = (head, _labels(seen), box, _faults(seen))
    return tag("div", *parts, class_="data-preview", role="status")


def _count(seen: Preview) -> str:
    usable = seen.looked_at - seen.unusable
    if seen.mutants is not None:
        sources = "source" if usable == 1 else "sources"
        return f"{seen.mutants:,} mutants by hand of {usable:,} {sources}"
    words = f"{usable:,} usable {'text' if usable == 1 else 'texts'}"
    if seen.complete:
        return words
    of = f" of {seen.count:,}" if seen.count is not None else ""
    return f"{words} among the first {seen.looked_at:,}{of} rows"


def _facts(seen: Preview) -> list[str]:
    """What else is to be known before these rows are tested."""
    columns, facts = seen.chosen, []
    if len(seen.names) > 1 and seen.mutants is None:
        facts.append(f"text column \u201c{columns.text}\u201d")
        facts += [f"label column \u201c{columns.label}\u201d"] if columns.label else []
        facts += [f"id column \u201c{columns.id}\u201d"] if columns.id else []
    if seen.encoding not in ("", "utf-8"):
        facts.append(f"written in {seen.encoding.upper()}")
    if seen.mended:
        rows = "row that is" if seen.mended == 1 else "rows that are"
        facts.append(f"{seen.mended:,} {rows} not UTF-8, read as Windows-1252")
    if seen.repeated:
        rows = "row repeats" if seen.repeated == 1 else "rows repeat"
        facts.append(f"{seen.repeated:,} {rows} an id; row numbers tell them apart")
    return facts


def _labels(seen: Preview) -> Markup | None:
    if not seen.labels:
        return None
    common = [
        tag("li", isolated(_short(label, 40)), f" {many:,}")
        for label, many in seen.labels.most_common(_LABELS)
    ]
    if len(seen.labels) > _LABELS:
        common.append(tag("li", f"and {len(seen.labels) - _LABELS:,} more"))
    return tag("ul", *common, class_="label-counts", aria_label="Labels, and how often")


def _faults(seen: Preview) -> Markup | None:
    if not seen.unusable:
        return None
    rows = "row" if seen.unusable == 1 else "rows"
    shown = seen.faults[:_FAULTS]
    items = [tag("li", f"Row {row.number:,}: ", isolated(row.fault)) for row in shown]
    if seen.unusable > len(items):
        items.append(tag("li", f"\u2026 and {seen.unusable - len(items):,} more"))
    head = tag("p", tag("strong", f"{seen.unusable:,} {rows} cannot be used"), " and will be "
               "listed as such; the others are tested.")  # fmt: skip
    return tag("div", head, tag("ul", *items), class_="notice info")


def _short(text: str, most: int = _SHORT) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"
