"""Single mutants of a campaign as one model answered them: filtered, a page at a time.

Shards stream past, so memory depends on the size of a page and of a piece. What a filter lets
through is counted once, shard by shard; a page then reads its own shards only.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from hinter_core.campaign.pairing import Side
from hinter_core.campaign.reader import PIECE, of_shard
from hinter_core.campaign.schema import edit_from_row
from hinter_core.campaign.store import read_batches, read_table
from hinter_core.data.tables import safe_cell
from hinter_core.mutation.difference import mutant_of
from hinter_core.types import Edit

if TYPE_CHECKING:
    import numpy


PLACEBO = ("placebo",)
_WORDS = ("source", "target", "source_group", "target_group")
_MORE, _ANSWERS = ("reason",), ("shift", "interaction", "detail", "reply")

ShardCounts = list[tuple[int, int]]  # shards, and how many of their mutants pass the filter


@dataclass(frozen=True)
class FindingFilter:
    """A filter; empty means all, without placebo mutants.

    ``verdicts``: one of these. ``attributes``: exactly these are changed, or ``PLACEBO``.
    ``search``: stands in a changed word, a group, the text or a mutant by hand, whatever the case;
    or is the text's id or row.
    """

    verdicts: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    search: str = ""


@dataclass(frozen=True)
class Finding:
    """A mutant and what became of it; ``place`` is its row in the shard's table of mutants.

    ``labels`` are None where the model was not asked; ``reason`` says why it was discarded or
    unanswered. ``by_hand`` is the text of a mutant that a person wrote; others follow from edits.
    """

    shard: int
    place: int
    row: int
    id: str
    text: str
    edits: tuple[Edit, ...]
    verdict: str
    original: tuple[str, ...]
    labels: tuple[str, ...] | None
    shift: float | None
    interaction: float | None
    reason: str
    by_hand: str | None = None

    @property
    def attributes(self) -> tuple[str, ...]:
        """What is changed."""
        return tuple(edit.attribute for edit in self.edits)

    @property
    def mutant(self) -> str:
        """The changed text."""
        return mutant_of(self.text, self.edits, self.by_hand).text


def count_findings(side: Side, wanted: FindingFilter) -> ShardCounts:
    """How many mutants pass the filter, by shard.

    Raises:
        StoreError: a table that cannot be read, or tables that do not fit together.
    """
    counted = []
    for shard in side.store.known():
        many = sum(int(passed.sum()) for _, _, passed in _tables(side, shard, wanted))
        if many:
            counted.append((shard, many))
    return counted


def page_of_findings(
    side: Side, wanted: FindingFilter, counted: ShardCounts, start: int, many: int
) -> list[Finding]:
    """At most ``many`` findings from the place ``start`` on, in the order of the tables.

    Raises:
        StoreError: see :func:`count_findings`.
    """
    found: list[Finding] = []
    for shard, held in counted:
        if start >= held:
            start -= held
            continue
        if len(found) == many:
            break
        found += _of_shard(side, shard, wanted, start, many - len(found))
        start = 0
    return found


def find(side: Side, shard: int, place: int) -> Finding | None:
    """The mutant at a place of a shard, if there is one.

    Raises:
        StoreError: see :func:`count_findings`.
    """
    if shard not in side.store.known() or place < 0:
        return None
    import numpy

    base = 0
    for table in of_shard(side.store, shard, [side.identity], _MORE, _ANSWERS):
        if place < base + len(table):
            row = table.slice(place - base, 1)
            return next(_findings(side, shard, row, numpy.array([place])), None)
        base += len(table)
    return None


def write_findings(side: Side, wanted: FindingFilter, stream: TextIO) -> int:
    """All findings as CSV, shard after shard; returns how many.

    Cells that a spreadsheet would run as a formula are prefixed with ``'``.

    Raises:
        StoreError: see :func:`count_findings`.
    """
    writer, written = csv.writer(stream, lineterminator="\n"), 0
    writer.writerow(COLUMNS)
    for shard in side.store.known():
        for finding in _of_shard(side, shard, wanted, 0, None):
            writer.writerow([safe_cell(value) for value in _cells(side.model, finding)])
            written += 1
    return written


COLUMNS = (
    "model", "row", "id", "verdict", "order", "attributes", "change", "from", "to",
    "original answer", "answer", "shift", "interaction", "reason", "mutant",
)  # fmt: skip


def _cells(model: str, finding: Finding) -> list[Any]:
    edits = finding.edits
    return [
        model, finding.row, finding.id, finding.verdict, len(edits),
        ", ".join(finding.attributes),
        ", ".join(edit.in_words for edit in edits),
        ", ".join(edit.source.group for edit in edits),
        ", ".join(edit.target.group for edit in edits),
        ", ".join(finding.original), ", ".join(finding.labels or ()),
        finding.shift, finding.interaction, finding.reason, finding.mutant,
    ]  # fmt: skip


def _tables(
    side: Side, shard: int, wanted: FindingFilter, *, whole: bool = False
) -> Iterator[tuple[int, Any, numpy.ndarray]]:
    """A shard's tables, the place of their first row, and which rows pass."""
    rows = _rows_with(side, shard, wanted.search)
    more = (_MORE, _ANSWERS) if whole else ((), ())
    base = 0
    for table in of_shard(side.store, shard, [side.identity], *more):
        yield base, table, _passed(table, wanted, rows)
        base += len(table)


def _of_shard(
    side: Side, shard: int, wanted: FindingFilter, start: int, many: int | None
) -> Iterator[Finding]:
    import numpy

    for base, table, passed in _tables(side, shard, wanted, whole=True):
        at = numpy.flatnonzero(passed)
        skipped = min(start, len(at))
        start -= skipped
        at = at[skipped:] if many is None else at[skipped : skipped + many]
        if many is not None:
            many -= len(at)
        if len(at):
            yield from _findings(side, shard, table.take(at), base + at)
        if many == 0:
            return


def _findings(side: Side, shard: int, table: Any, places: numpy.ndarray) -> Iterator[Finding]:
    texts = {
        row["row"]: row
        for row in read_table(side.store.texts(shard), "row", "id", "text").to_pylist()
    }
    originals = _originals(side, shard)
    # In small parts: a text stands beside each of its mutants.
    for start in range(0, len(table), 1024):
        part = table.slice(start, 1024).to_pylist()
        for place, row in zip(places[start:].tolist(), part, strict=False):
            text = texts[row["row"]]
            failed = row["detail-0"] or row["failure-0"] or ""
            yield Finding(
                shard, place, row["row"], text["id"] or "", text["text"],
                tuple(edit_from_row(edit) for edit in row["edits"]),
                row["verdict-0"], originals.get(row["row"], ()),
                None if not row["kept"] or failed else tuple(row["labels-0"] or ()),
                row["shift-0"], row["interaction-0"],
                failed if row["kept"] else row["reason"], row["text"],
            )  # fmt: skip


def _originals(side: Side, shard: int) -> dict[int, tuple[str, ...]]:
    """The model's answers to the unchanged texts, by row."""
    import pyarrow.compute as pc

    found = {}
    path = side.store.answers(shard, side.identity)
    for batch in read_batches(path, ("row", "mutant", "labels"), PIECE):
        for row in batch.filter(pc.equal(batch["mutant"], -1)).to_pylist():
            found[row["row"]] = tuple(row["labels"] or ())
    return found


def _rows_with(side: Side, shard: int, search: str) -> Any:
    """Rows of the shard's texts that hold what is searched for."""
    import pyarrow.compute as pc

    if not search:
        return None
    texts = read_table(side.store.texts(shard), "row", "id", "text")
    held = pc.match_substring(texts["text"], search, ignore_case=True)
    named = pc.equal(pc.fill_null(texts["id"], ""), search)
    numbered = pc.equal(pc.cast(texts["row"], "string"), search)
    return texts.filter(pc.or_(pc.or_(pc.fill_null(held, False), named), numbered))["row"]


def _passed(table: Any, wanted: FindingFilter, rows: Any) -> numpy.ndarray:
    import numpy
    import pyarrow
    import pyarrow.compute as pc

    passed: numpy.ndarray = pc.is_valid(table["verdict-0"]).to_numpy().copy()
    if wanted.verdicts:
        passed &= pc.is_in(table["verdict-0"], value_set=pyarrow.array(wanted.verdicts)).to_numpy()
    edits = table["edits"].combine_chunks()
    flat, orders = edits.flatten(), edits.value_lengths().to_numpy()
    starts = numpy.cumsum(orders) - orders

    def many(flags: Any) -> numpy.ndarray:
        """How many edits of each mutant have the flag."""
        numbers = numpy.asarray(flags, dtype=numpy.int64)
        return numpy.add.reduceat(numbers, starts) if len(starts) else numbers

    names = pc.struct_field(flat, "attribute")
    neutral = many(pc.starts_with(names, PLACEBO[0])) > 0
    passed &= neutral if wanted.attributes == PLACEBO else ~neutral
    if wanted.attributes not in ((), PLACEBO):
        held = many(pc.is_in(names, value_set=pyarrow.array(wanted.attributes)))
        passed &= (held == orders) & (orders == len(wanted.attributes))
    if wanted.search:
        found = pc.is_in(table["row"], value_set=rows.combine_chunks()).to_numpy().copy()
        for part in _WORDS:
            words = pc.struct_field(flat, part)
            found |= many(pc.match_substring(words, wanted.search, ignore_case=True)) > 0
        own = pc.match_substring(table["text"], wanted.search, ignore_case=True)
        found |= pc.fill_null(own, False).to_numpy()
        passed &= found
    return passed
