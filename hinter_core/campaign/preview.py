"""A look at a data set before a campaign: columns, labels, first rows, and rows that are no use."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

from hinter_core.campaign.spec import Campaign
from hinter_core.data.handwritten import HandwrittenSource
from hinter_core.data.hub import HubTable
from hinter_core.data.rows import Columns, Row, Rows, Table

MOST = 10_000  # rows looked at
_NAMED = 20  # unusable rows that are named
_SHOWN = 60  # characters of a label


@dataclass(frozen=True)
class Preview:
    """What a data set looks like.

    ``source``: the file, or the data set of the Hub at its commit. ``chosen``: the columns that
    will be read, and ``found``, of these, the ones that were not named. ``count``: all rows, where
    known; ``looked_at``: those that the rest is about (``complete``: these are all). ``unusable``:
    how many cannot be used; ``faults``: the first of them. ``repeated``: rows whose id an earlier
    one has. ``mended``: rows that were not UTF-8 and were read as Windows-1252. ``mutants``: those
    of the sources looked at, where they are given by hand.
    """

    source: str
    names: tuple[str, ...]
    chosen: Columns
    found: tuple[str, ...]
    encoding: str
    count: int | None
    rows: list[Row]
    looked_at: int = 0
    complete: bool = False
    labels: Counter[str] = field(default_factory=Counter)
    unusable: int = 0
    faults: list[Row] = field(default_factory=list)
    repeated: int = 0
    mended: int = 0
    mutants: int | None = None


def preview(campaign: Campaign, rows: int = 5, most: int = MOST) -> Preview:
    """Look at the first ``most`` rows of a campaign's data and show the first ``rows``.

    Raises:
        InputError: see :meth:`hinter_core.campaign.spec.Campaign.table`.
    """
    table = campaign.table()
    reading = iter(table.rows())
    shown: list[Row] = []
    labels: Counter[str] = Counter()
    faults: list[Row] = []
    looked_at = unusable = repeated = mended = mutants = 0
    ids: set[str] = set()
    for row in islice(reading, most):
        looked_at += 1
        if len(shown) < rows:
            shown.append(row)
        repeated += row.id in ids
        ids.add(row.id)
        mended += row.mended
        mutants += len(row.variants) if isinstance(row, HandwrittenSource) else 0
        if row.fault:
            unusable += 1
            if len(faults) < _NAMED:
                faults.append(row)
        elif row.label:
            labels[row.label] += 1
    complete = looked_at < most or next(reading, None) is None
    given = (campaign.text_column, campaign.label_column, campaign.id_column)
    chosen = (table.columns.text, table.columns.label, table.columns.id)
    found = tuple(c for c, named in zip(chosen, given, strict=True) if c and not named)
    return Preview(
        _source(campaign, table), tuple(table.names), table.columns, found, _encoding(table),
        looked_at if complete else table.count, shown, looked_at, complete, labels, unusable,
        faults, repeated, mended, mutants if campaign.mutants else None,
    )  # fmt: skip


def _source(campaign: Campaign, table: Rows) -> str:
    return str(table.name) if isinstance(table, HubTable) else campaign.mutants or campaign.data


def _encoding(table: Rows) -> str:
    return table.encoding if isinstance(table, Table) else ""


def preview_in_words(seen: Preview) -> list[str]:
    """The preview in lines, without its rows."""
    columns = seen.chosen
    named = [("texts", columns.text), ("labels", columns.label), ("ids", columns.id)]
    how = [
        f"{what} from '{name}'{' (found)' if name in seen.found else ''}"
        for what, name in named
        if name
    ]
    total = (
        f"{seen.count:,} rows" if seen.count is not None else f"more than {seen.looked_at:,} rows"
    )
    if not seen.complete:
        total += f", of which the first {seen.looked_at:,} were looked at"
    lines = [
        f"{seen.source}: {total}{f'; {seen.encoding.upper()}' if seen.encoding else ''}",
        f"columns: {', '.join(seen.names)}; {', '.join(how)}",
    ]
    if seen.mutants is not None:
        lines.append(f"mutants: {seen.mutants:,}")
    if seen.labels:
        common = [f"{label[:_SHOWN]} ({many:,})" for label, many in seen.labels.most_common(12)]
        rest = len(seen.labels) - len(common)
        lines.append(f"labels: {', '.join(common)}{f' and {rest:,} more' if rest else ''}")
    if seen.mended:
        lines.append(f"not UTF-8, read as Windows-1252: {seen.mended:,}")
    if seen.repeated:
        lines.append(f"id of an earlier row: {seen.repeated:,} (row numbers tell them apart)")
    if seen.unusable:
        lines.append(f"of no use, and to be listed in the report: {seen.unusable:,}")
        lines += [f"  row {row.number}: {row.fault}" for row in seen.faults]
        if seen.unusable > len(seen.faults):
            lines.append(f"  and {seen.unusable - len(seen.faults):,} more")
    return lines
