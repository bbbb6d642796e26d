"""A campaign's tables as columns of numbers, piece by piece, so that counting is adding arrays.

Pieces span shards: small shards are put together, large ones are read in parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from hinter_core.campaign.schema import answer_schema
from hinter_core.campaign.store import CampaignStore, StoreError, read_batches
from hinter_core.types import Verdict

if TYPE_CHECKING:
    import numpy


Attributes = tuple[str, ...]
# Those of cases (kept and answered) first.
VERDICTS = (
    Verdict.BENIGN,
    Verdict.BIASED,
    Verdict.HIDDEN,
    Verdict.DISCARDED,
    Verdict.UNANSWERED,
)
PIECE = 2**16
_PLACEBO = "placebo"
_PARTS = ("attribute", "source", "target", "source_group", "target_group", "form")


def is_placebo(attributes: Attributes) -> bool:
    """Whether mutants of these attributes change something that should not matter."""
    return any(attribute.startswith(_PLACEBO) for attribute in attributes)


class Swap(NamedTuple):
    """A word pair as the tables know it."""

    attribute: str
    source: str
    target: str
    source_group: str
    target_group: str
    form: str


@dataclass
class Codebook:
    """Numbers for swaps, for attributes and for groups of attributes, given as they come."""

    swaps: list[Swap] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    groups: list[tuple[str, str]] = field(default_factory=list)
    attribute_of: list[int] = field(default_factory=list)
    group_of: list[int] = field(default_factory=list)
    _known: dict[str, int] = field(default_factory=dict)

    def number(self, edits: Any) -> numpy.ndarray:
        """The numbers of the swaps of a column of edits."""
        import numpy
        import pyarrow.compute as pc

        columns = [pc.struct_field(edits, part) for part in _PARTS]
        keys = pc.binary_join_element_wise(*columns, "\x1f", null_handling="replace")
        encoded = keys.dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        names = encoded.dictionary.to_pylist()
        fresh = [place for place, name in enumerate(names) if name not in self._known]
        if fresh:
            _, first = numpy.unique(codes, return_index=True)
            for place, values in zip(fresh, edits.take(first[fresh]).to_pylist(), strict=True):
                self._known[names[place]] = self._add(Swap(*(values[part] for part in _PARTS)))
        numbers = numpy.array([self._known[name] for name in names], dtype=numpy.int64)
        return numbers[codes] if len(names) else numbers

    def _add(self, swap: Swap) -> int:
        group = (swap.attribute, swap.target_group)
        if swap.attribute not in self.attributes:
            self.attributes.append(swap.attribute)
        if group not in self.groups:
            self.groups.append(group)
        self.attribute_of.append(self.attributes.index(swap.attribute))
        self.group_of.append(self.groups.index(group))
        self.swaps.append(swap)
        return len(self.swaps) - 1


@dataclass(frozen=True)
class ColumnBlock:
    """Mutants of one order: one line a mutant, one column an edit in ``swaps``.

    ``at``: their places in the piece. ``sets`` and ``groups`` number the distinct attributes, and
    target groups, of a mutant; ``set_names`` and ``group_names`` say what the numbers stand for.
    """

    order: int
    at: numpy.ndarray
    rows: numpy.ndarray
    kept: numpy.ndarray
    swaps: numpy.ndarray
    sets: numpy.ndarray
    set_names: list[Attributes]
    groups: numpy.ndarray
    group_names: list[tuple[Attributes, tuple[str, ...]]]


def blocks(piece: Any, book: Codebook) -> Iterator[ColumnBlock]:
    """The mutants of a piece by order, the lowest first."""
    import numpy

    edits = piece["edits"].combine_chunks()
    swaps, rows = book.number(edits.flatten()), piece["row"].to_numpy()
    kept = piece["kept"].to_numpy()
    orders = edits.value_lengths().to_numpy()
    starts = numpy.cumsum(orders) - orders
    attribute_of, group_of = numpy.array(book.attribute_of), numpy.array(book.group_of)
    for order in numpy.unique(orders).tolist():
        at = numpy.flatnonzero(orders == order)
        own = swaps[starts[at][:, None] + numpy.arange(order)]
        sets, set_rows = distinct(attribute_of[own])
        groups, group_rows = distinct(group_of[own])
        yield ColumnBlock(
            order, at, rows[at], kept[at], own, sets,
            [tuple(book.attributes[i] for i in line) for line in set_rows.tolist()],
            groups,
            [
                (tuple(book.groups[i][0] for i in line), tuple(book.groups[i][1] for i in line))
                for line in group_rows.tolist()
            ],
        )  # fmt: skip


def distinct(lines: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """A number for each line of a matrix, equal for equal lines, and the distinct lines."""
    import numpy
    import pandas

    codes = numpy.zeros(len(lines), dtype=numpy.int64)
    for column in lines.T:
        # Numbered anew after each column, so that wide lines cannot overflow.
        codes = pandas.factorize(codes * (int(column.max(initial=0)) + 1) + column)[0]
    first = numpy.unique(codes, return_index=True)[1]
    return codes, lines[first]


def pieces(store: CampaignStore, shards: Sequence[int], models: Mapping[str, str]) -> Iterator[Any]:
    """All mutants with their answers, in tables of about ``PIECE`` rows, in order.

    ``models``: identities by name. Columns: ``shard``, ``row``, ``edits``, ``kept``, ``text`` (of
    mutants by hand, else null) and for the model at place 2 ``verdict-2``, ``failure-2``,
    ``changed-2``, ``labels-2``, null where it has not been asked yet.

    Raises:
        StoreError: a table that cannot be read, or tables that do not fit together.
    """
    import pyarrow

    held: list[Any] = []
    for shard in shards:
        for part in of_shard(store, shard, list(models.values())):
            held.append(part)
            if sum(map(len, held)) >= PIECE:
                yield pyarrow.concat_tables(held, promote_options="permissive")
                held = []
    if held:
        yield pyarrow.concat_tables(held, promote_options="permissive")


_ANSWER = ("verdict", "failure", "changed", "labels")


def of_shard(
    store: CampaignStore,
    shard: int,
    identities: Sequence[str],
    more: Sequence[str] = (),
    answers_too: Sequence[str] = (),
) -> Iterator[Any]:
    """One shard's mutants with their answers, in tables of at most ``PIECE`` rows.

    Columns and errors as of :func:`pieces`; ``more`` columns of mutants and of answers.
    """
    import pyarrow

    path, wanted = store.mutants(shard), (*_ANSWER, *answers_too)
    streams: list[Iterator[Any] | None] = []
    for identity in identities:
        answers = store.answers(shard, identity)
        streams.append(_even(_of_mutants(answers, wanted)) if answers.exists() else None)
    for table in _even(read_batches(path, ("row", "edits", "kept", "text", *more), PIECE)):
        whole = table.append_column("shard", pyarrow.repeat(shard, len(table)))
        for place, stream in enumerate(streams):
            answer = next(stream, None) if stream else None
            if stream and (answer is None or len(answer) != len(table)):
                raise StoreError(f"Answers do not fit {path.name}; hinter verify says which.")
            for name in wanted:
                empty = pyarrow.nulls(len(table), _kind(name))
                column = answer[name] if answer is not None else empty
                whole = whole.append_column(f"{name}-{place}", column)
        yield whole
    if any(stream and next(stream, None) is not None for stream in streams):
        raise StoreError(f"Answers do not fit {path.name}; hinter verify says which.")


def _kind(name: str) -> Any:
    return answer_schema().field(name).type


def _of_mutants(path: Any, columns: Sequence[str]) -> Iterator[Any]:
    """Answers without those to the originals."""
    import pyarrow.compute as pc

    for batch in read_batches(path, ("mutant", *columns), PIECE):
        yield batch.filter(pc.greater_equal(batch["mutant"], 0))


def _even(batches: Iterator[Any]) -> Iterator[Any]:
    """The same rows in tables of ``PIECE`` rows, so that two tables go in step."""
    import pyarrow

    held: list[Any] = []
    for batch in batches:
        left = batch
        while (room := PIECE - sum(map(len, held))) <= len(left):
            yield pyarrow.Table.from_batches([*held, left.slice(0, room)])
            held, left = [], left.slice(room)
        if len(left):
            held.append(left)
    if held:
        yield pyarrow.Table.from_batches(held)
