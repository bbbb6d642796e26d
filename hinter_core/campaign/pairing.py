"""The answers of two models to the same mutants side by side, piece by piece.

Two models of one campaign were asked about the same tables. Mutants of two campaigns are matched by
their text and their edits: each piece of the first is held while the shards of the second that have
its texts stream past, so memory depends on texts and on the size of a piece, not on mutants.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from hinter_core.campaign.reader import of_shard, pieces
from hinter_core.campaign.store import TESTED, CampaignStore, read_table
from hinter_core.errors import InputError

if TYPE_CHECKING:
    import numpy


_EDIT, _PART = "\x1e", "\x1f"
_PARTS = ("attribute", "source", "target", "form")


@dataclass(frozen=True)
class Side:
    """One model's answers in one campaign."""

    store: CampaignStore
    model: str
    identity: str

    @property
    def place(self) -> tuple[str, str]:
        """What makes two sides the same."""
        return str(self.store.folder.resolve()), self.model


def choose_sides(
    first: CampaignStore, second: CampaignStore | None, models: Sequence[str] = ()
) -> tuple[Side, Side]:
    """What to compare: two models of one campaign, or one model each of two campaigns.

    Without names, the one model that both campaigns asked, or the only two of one campaign. One
    name with two campaigns stands for both.

    Raises:
        HinterError: no campaign, an unknown name, or more than one way to choose.
    """
    if len(models) > 2:
        raise InputError(f"Two models are compared, not {len(models)}; name one or two.")
    of_first = first.read()["models"]
    if second is None or second.folder.resolve() == first.folder.resolve():
        names = list(models) or list(of_first)
        if len(names) != 2 or names[0] == names[1]:
            raise InputError(
                f"Within one campaign, name two models to compare with --model: "
                f"{', '.join(of_first) or 'it has asked none yet'}."
            )
        return _side(first, of_first, names[0]), _side(first, of_first, names[1])
    of_second = second.read()["models"]
    if not models:
        both = [name for name in of_first if name in of_second]
        alone = [*of_first, *of_second] if len(of_first) == len(of_second) == 1 else []
        models = both if len(both) == 1 else alone
    if not models:
        raise InputError(
            "Say with --model which model to compare, once for both or once for each. The first "
            f"campaign asked {', '.join(of_first) or 'none'}, the second "
            f"{', '.join(of_second) or 'none'}."
        )
    return _side(first, of_first, models[0]), _side(second, of_second, models[-1])


def _side(store: CampaignStore, models: dict[str, Any], name: str) -> Side:
    if name not in models:
        raise InputError(
            f"{store.folder} has not asked the model {name}; it has asked "
            f"{', '.join(models) or 'none'}."
        )
    return Side(store, name, models[name]["identity"])


def paired(first: Side, second: Side) -> Iterator[Any]:
    """The mutants that both campaigns have, in tables of at most a piece.

    Columns as of :func:`hinter_core.campaign.reader.pieces`, the first side at place 0 and the
    second at place 1; ``shard`` and ``row`` are the first's, ``shard-1`` and ``row-1`` of the
    second.

    Raises:
        StoreError: a table that cannot be read, or tables that do not fit together.
    """
    if first.store.folder.resolve() == second.store.folder.resolve():
        asked = {"first": first.identity, "second": second.identity}
        for piece in pieces(first.store, first.store.known(), asked):
            yield piece.append_column("shard-1", piece["shard"]).append_column(
                "row-1", piece["row"]
            )
        return
    shared = Shared.of(first.store, second.store)
    for piece in pieces(first.store, first.store.known(), {"first": first.identity}):
        yield from _matched(piece, shared, second)


def _matched(piece: Any, shared: Shared, second: Side) -> Iterator[Any]:
    import pyarrow
    import pyarrow.compute as pc

    texts = pc.index_in(piece["row"], value_set=shared.first)
    own = piece.filter(pc.is_valid(texts))
    texts = texts.drop_null()
    if not len(own):
        return
    keys = _keys(own, texts)
    for shard in shared.shards_of(texts.unique().to_numpy()):
        for other in of_shard(second.store, shard, [second.identity]):
            theirs = pc.index_in(other["row"], value_set=shared.second)
            place = pc.index_in(_keys(other, theirs), value_set=keys)
            found = other.filter(pc.is_valid(place))
            if not len(found):
                continue
            table = own.take(place.drop_null())
            for name in ("verdict", "failure", "labels"):
                table = table.append_column(f"{name}-1", found[f"{name}-0"])
            table = table.append_column("shard-1", pyarrow.repeat(shard, len(found)))
            yield table.append_column("row-1", found["row"])


def _keys(table: Any, texts: Any) -> Any:
    """What makes a mutant the same elsewhere: its text's number and its edits, null without one.

    Groups have no part in it: two dictionaries may sort the same words differently. Of mutants by
    hand the text has, as several may share their edits.
    """
    import pyarrow
    import pyarrow.compute as pc

    edits = table["edits"].combine_chunks()
    flat = edits.flatten()
    spans = pc.cast(pc.struct_field(flat, "spans"), pyarrow.list_(pyarrow.string()))
    columns = [pc.struct_field(flat, part) for part in _PARTS]
    written = pc.binary_join_element_wise(*columns, pc.binary_join(spans, ","), _PART)
    orders = edits.value_lengths().to_numpy()
    ends = orders.cumsum()
    offsets = pyarrow.array([0, *ends.tolist()], pyarrow.int32())
    order = _sorted_within(written, orders)
    together = pc.binary_join(pyarrow.ListArray.from_arrays(offsets, written.take(order)), _EDIT)
    if isinstance(texts, pyarrow.ChunkedArray):
        texts = texts.combine_chunks()
    own = pc.fill_null(table["text"].combine_chunks(), "")
    return pc.binary_join_element_wise(pc.cast(texts, pyarrow.string()), together, own, _EDIT)


def _sorted_within(written: Any, orders: numpy.ndarray) -> Any:
    """Places of the edits, sorted within each mutant: the order of attributes is a setting."""
    import numpy
    import pyarrow
    import pyarrow.compute as pc

    mutants = numpy.repeat(numpy.arange(len(orders)), orders)
    table = pyarrow.table({"mutant": mutants, "edit": written})
    return pc.sort_indices(table, sort_keys=[("mutant", "ascending"), ("edit", "ascending")])


@dataclass(frozen=True)
class Shared:
    """Texts that two campaigns tested both; each has a number, its place in the columns.

    ``first`` and ``second``: its row in either campaign. ``shards``: its shard in the second.
    Where a text is there several times, the first goes with the first.
    """

    first: Any
    second: Any
    shards: numpy.ndarray

    @classmethod
    def of(cls, first: CampaignStore, second: CampaignStore) -> Shared:
        """Read the tables of texts of both."""
        import numpy
        import pyarrow

        waiting: dict[bytes, list[int]] = defaultdict(list)
        for _, row, digest in _texts(first):
            waiting[digest].append(row)
        for rows in waiting.values():
            rows.reverse()
        found = [
            (waiting[digest].pop(), row, shard)
            for shard, row, digest in _texts(second)
            if waiting.get(digest)
        ]
        columns = list(zip(*found, strict=True)) or [(), (), ()]
        rows_of = [pyarrow.array(column, pyarrow.int64()) for column in columns[:2]]
        return cls(rows_of[0], rows_of[1], numpy.array(columns[2], dtype=numpy.int64))

    def shards_of(self, texts: numpy.ndarray) -> list[int]:
        """The second campaign's shards that hold these texts."""
        import numpy

        shards: list[int] = numpy.unique(self.shards[texts]).tolist()
        return shards


def _texts(store: CampaignStore) -> Iterator[tuple[int, int, bytes]]:
    """Shard, row and a digest of every text that was tested."""
    for shard in store.known():
        table = read_table(store.texts(shard), "row", "text", "outcome")
        for row in table.to_pylist():
            if row["outcome"] == TESTED:
                yield shard, row["row"], blake2b(row["text"].encode(), digest_size=16).digest()


def mutants_of(store: CampaignStore) -> int:
    """How many mutants a campaign has made so far."""
    tables = (read_table(store.texts(shard), "mutants") for shard in store.known())
    return sum(sum(table["mutants"].to_pylist()) for table in tables)
