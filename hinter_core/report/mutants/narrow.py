"""Read the tables of a chunk once: verified, as narrow columns that sums are computed from.

Word pairs, sets of attributes, groups and lists of labels become 64-bit hashes, with their names
once for a chunk. Reading and verifying are one step, so that no table is decoded twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from hinter_core.campaign.parquet import StoreError, read_batches
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import Written
from hinter_core.campaign.tables import answer_schema, mutant_schema
from hinter_core.language.spelling import spelling

_THREADS = 2
_MUTANT = ("row", "order", "kept", "layer", "validity", "across_people")
SWAP = ("attribute", "source", "target", "source_group", "target_group", "form")  # a word pair
_EDIT = tuple(f"edits.list.element.{name}" for name in (*SWAP, "spans"))
_ANSWER = ("row", "mutant", "verdict", "changed", "failure", "audit", "shift", "interaction")


class Chunk(NamedTuple):
    """Some shards as pyarrow tables.

    ``mutants``: ``shard``, ``place``, ``row``, ``order``, ``kept``, ``layer``, ``validity``,
    ``across_people``, ``places`` (changed in the text), ``set``, ``key`` (of the set and its
    groups), and the word pairs ``s1`` to ``s<width>``, NULL past the last edit. ``change`` is there
    if words are exchanged alike for several attributes: mutants of a text with equal ones have the
    same text. ``swaps``, ``groups`` and ``labels``: names of the hashes; ``swaps`` also with the
    hashes of ``word`` and ``direction``, by which changes of words and of groups are counted. By
    model: ``judged``, the mutants with a row of answers and their columns; ``originals``, the
    ``row``, ``labels`` and ``failure`` of texts.
    """

    width: int
    mutants: Any
    swaps: Any
    groups: Any
    labels: Any
    judged: Mapping[str, Any]
    originals: Mapping[str, Any]


class _Lists(NamedTuple):
    """Rows of a table; the length of each row's list; and the items of all lists."""

    rows: Any
    lengths: Any
    items: Any


def read_chunk(reader: CampaignReader, shards: Sequence[int]) -> Chunk:
    """Read some shards with the answers of all models of a reader.

    Raises:
        StoreError: a table is damaged, or answers do not fit their mutants.
    """
    written = reader.written
    with ThreadPoolExecutor(_THREADS) as threads:
        made = list(threads.map(lambda shard: _mutants(written, shard), shards))
        sizes = [len(one.rows) for one in made]
        begins = _begins(sizes).tolist()
        width, mutants, swaps, groups = _named(_concat(made))
        del made
        names: dict[int, list[str]] = {}
        judged, originals = {}, {}
        for name, identity in reader.models.items():
            paths = [written.answers(shard, identity) for shard in shards]
            of = [partial(written.require_placed, shard) for shard in shards]
            given = list(threads.map(_answers, paths, begins, sizes, of))
            if any(paths):
                answers = _concat(filter(None, given))
                judged[name], originals[name] = _judged(mutants, answers, names)
    return Chunk(width, mutants, swaps, groups, _listed("labels", names), judged, originals)


def _mutants(written: Written, shard: int) -> _Lists:
    import numpy
    import pyarrow

    path = written.mutants(shard)

    def flat(batch: Any) -> _Lists:
        lists = batch["edits"]
        edits = lists.flatten()
        words = {name: _coded(edits.field(name)) for name in SWAP}
        places = edits.field("spans")
        spans = {"spans": _lengths(places), "first": _firsts(places)}
        rows = _columns(batch, _MUTANT, mutant_schema())
        return _Lists(rows, _lengths(lists), pyarrow.table(words | spans))

    read = _read(path, (*_MUTANT, *_EDIT), mutant_schema(), flat)
    written.require_placed(shard, path, _between(read.rows))
    places = numpy.arange(len(read.rows), dtype="int32")
    rows = read.rows.append_column("shard", pyarrow.array(numpy.full_like(places, shard)))
    return read._replace(rows=rows.append_column("place", pyarrow.array(places)))


def _answers(
    path: Path | None, begin: int, size: int, require_placed: Callable[..., None]
) -> _Lists | None:
    """Read answers; ``begin`` and ``size`` of the shard's mutants in the chunk."""
    import numpy
    import pyarrow

    def flat(batch: Any) -> _Lists:
        lists = batch["labels"]
        items = pyarrow.table({"label": _coded(lists.flatten())})
        rows = _columns(batch, _ANSWER, answer_schema())
        return _Lists(rows, _lengths(lists), items)

    if path is None:
        return None
    read = _read(path, (*_ANSWER, "labels"), answer_schema(), flat)
    require_placed(path, _between(read.rows))
    mutant = read.rows["mutant"].to_numpy()
    if not numpy.array_equal(numpy.sort(mutant[mutant >= 0]), numpy.arange(size)):
        raise StoreError(f"Rows of {path.name} do not fit their mutants; see hinter verify.")
    at = pyarrow.array(numpy.where(mutant < 0, -1, mutant + begin))
    return read._replace(rows=read.rows.drop_columns(["mutant"]).append_column("at", at))


def _between(rows: Any) -> tuple[int, int] | None:
    import pyarrow.compute as pc

    least, most = pc.min_max(rows["row"]).as_py().values()
    return None if least is None else (least, most)


def _columns(batch: Any, names: Sequence[str], schema: Any) -> Any:
    """Return columns of a batch as a table; those that an older version lacks are NULL."""
    import pyarrow

    held = set(batch.schema.names)
    columns = {
        name: batch[name] if name in held else pyarrow.nulls(len(batch), schema.field(name).type)
        for name in names
    }
    words = {name for name in names if schema.field(name).type == pyarrow.string()}
    return pyarrow.table(columns | {name: _coded(columns[name]) for name in words})


def _coded(words: Any) -> Any:
    return words if hasattr(words, "dictionary") else words.dictionary_encode()


def _read(path: Path, columns: Sequence[str], schema: Any, flat: Callable[[Any], _Lists]) -> _Lists:
    import pyarrow

    batches = list(read_batches(path, columns))
    return _concat(map(flat, batches or [pyarrow.RecordBatch.from_pylist([], schema)]))


def _concat(parts: Iterable[_Lists]) -> _Lists:
    import numpy
    import pyarrow

    rows, lengths, items = zip(*parts, strict=True)
    return _Lists(
        pyarrow.concat_tables(rows), numpy.concatenate(lengths), pyarrow.concat_tables(items)
    )


def _named(read: _Lists) -> tuple[int, Any, Any, Any]:
    """Return the number of columns of word pairs, the mutants with hashes, and their names."""
    import numpy
    import pyarrow

    lengths, items = read.lengths, read.items.unify_dictionaries().combine_chunks()
    begins = _begins(lengths)
    codes, firsts = _same([_codes(items[name]) for name in SWAP])
    words = items.select(SWAP).take(pyarrow.array(firsts)).to_pylist()
    swaps = _hashes(one.values() for one in words)
    attribute = _numbers(word["attribute"] for word in words)
    group = _numbers((word["attribute"], word["target_group"]) for word in words)
    set_of, set_firsts = _lists(begins, lengths, attribute[codes])
    key_of, key_firsts = _lists(begins, lengths, group[codes])

    def named(firsts: Any, field: str) -> list[list[str]]:
        return [
            [words[code][field] for code in codes[begins[row] : begins[row] + lengths[row]]]
            for row in firsts
        ]

    sets = _hashes(named(set_firsts, "attribute"))
    attributes, to = named(key_firsts, "attribute"), named(key_firsts, "target_group")
    keys = _hashes([*one, "", *other] for one, other in zip(attributes, to, strict=True))
    spans = numpy.concatenate([[0], numpy.cumsum(items["spans"].to_numpy())])
    columns = {
        "places": ((spans[begins + lengths] - spans[begins]) // 2).astype("int32"),
        "set": sets[set_of],
        "key": keys[key_of],
    }
    width = max(2, int(lengths.max(initial=0)))
    for place in range(width):
        has = lengths > place
        swap = numpy.zeros(len(lengths), dtype="uint64")
        swap[has] = swaps[codes[begins[has] + place]]
        columns[f"s{place + 1}"] = pyarrow.array(swap, mask=~has)
    pair = _numbers((word["source"], word["target"]) for word in words)
    if len(set(pair.tolist())) < len(pair):
        columns["change"] = _changes(pair[codes], items["first"].to_numpy(), begins, lengths)
    mutants = read.rows
    for name, column in columns.items():
        mutants = mutants.append_column(name, pyarrow.array(column))
    groups = {
        "key": keys, "set": sets[set_of[key_firsts]],
        "attributes": _strings(attributes), "groups": _strings(to),
    }  # fmt: skip
    edits = pyarrow.array(words, pyarrow.struct([(name, pyarrow.string()) for name in SWAP]))
    named_swaps = {
        "swap": swaps,
        "edit": edits,
        "word": _hashes(
            ("word", one["attribute"], spelling(one["source"] or ""), spelling(one["target"] or ""))
            for one in words
        ),
        "direction": _hashes(
            ("direction", one["attribute"], one["source_group"], one["target_group"])
            for one in words
        ),
    }
    return width, mutants, pyarrow.table(named_swaps), pyarrow.table(groups)


def _judged(mutants: Any, answers: _Lists, names: dict[int, list[str]]) -> tuple[Any, Any]:
    """Return mutants beside their answers, and the originals; add to the ``names`` of labels."""
    import numpy
    import pyarrow

    lengths, items = answers.lengths, answers.items.unify_dictionaries()
    label, begins = items["label"].combine_chunks(), _begins(lengths)
    codes = _codes(label)
    of, firsts = _lists(begins, lengths, codes)
    listed = [label[begins[row] : begins[row] + lengths[row]].to_pylist() for row in firsts]
    hashes = _hashes(listed)
    names.update(zip(hashes.tolist(), listed, strict=True))
    rows = answers.rows.append_column("labels", pyarrow.array(hashes[of]))
    at = rows["at"].to_numpy()
    originals = rows.filter(pyarrow.array(at < 0)).select(["row", "labels", "failure"])
    (own,) = numpy.nonzero(at >= 0)
    if not (numpy.diff(at[own]) > 0).all():
        own = own[numpy.argsort(at[own])]
    table = rows.drop_columns(["row", "at"]).take(pyarrow.array(own))
    if len(own) < len(mutants):  # shards without answers
        mutants = mutants.take(pyarrow.array(at[own]))
    for name in mutants.column_names:
        table = table.append_column(name, mutants[name])
    return table, originals


def _begins(lengths: Any) -> Any:
    """Return where each list begins among the items of all."""
    import numpy

    return numpy.cumsum(lengths, dtype="int64") - lengths


def _lengths(lists: Any) -> Any:
    import pyarrow.compute as pc

    return pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)


def _firsts(lists: Any) -> Any:
    """Return the first number of each list, or -1."""
    import numpy

    lengths, numbers = _lengths(lists), lists.flatten().to_numpy()
    if not len(numbers):
        return numpy.full(len(lengths), -1, dtype="int32")
    at = numpy.minimum(_begins(lengths), len(numbers) - 1)
    return numpy.where(lengths > 0, numbers[at], -1).astype("int32")


def _changes(pairs: Any, firsts: Any, begins: Any, lengths: Any) -> Any:
    """Hash which words are exchanged at which places by each list of edits, in any order."""
    import numpy

    # From 1: the hash of 0 is 0, so that the first pair at the begin of a text added nothing.
    hashes = ((pairs.astype("uint64") + 1) << numpy.uint64(32)) ^ firsts.astype("uint64")
    for factor, shift in ((0xBF58476D1CE4E5B9, 30), (0x94D049BB133111EB, 31)):  # SplitMix64
        hashes = (hashes ^ (hashes >> numpy.uint64(shift))) * numpy.uint64(factor)
    sums = numpy.concatenate([[numpy.uint64(0)], numpy.cumsum(hashes, dtype="uint64")])
    return sums[begins + lengths] - sums[begins]


def _codes(column: Any) -> Any:
    """Return the codes of a column of words, from 1; 0 for NULL."""
    import pyarrow.compute as pc

    array = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    return pc.fill_null(array.indices, -1).to_numpy(zero_copy_only=False).astype("int64") + 1


def _same(columns: Iterable[Any]) -> tuple[Any, Any]:
    """Number rows of codes so that equal ones share a number; also return the first row of each."""
    import numpy

    numbers: Any = None
    for codes in columns:
        if numbers is None:
            numbers = codes
            continue
        size = int(codes.max(initial=0)) + 1
        if int(numbers.max(initial=0)) >= 2**62 // size:
            numbers = _dense(numbers)
        numbers = numbers * size + codes
    numbers = _dense(numbers)
    firsts = numpy.zeros(int(numbers.max(initial=-1)) + 1, dtype=numpy.int64)
    firsts[numbers[::-1]] = numpy.arange(len(numbers))[::-1]
    return numbers, firsts


def _dense(numbers: Any) -> Any:
    import pyarrow

    return pyarrow.array(numbers).dictionary_encode().indices.to_numpy().astype("int64")


def _lists(begins: Any, lengths: Any, codes: Any) -> tuple[Any, Any]:
    """Number lists of codes as :func:`_same` does rows."""
    import numpy

    def at(place: int) -> Any:
        found = numpy.zeros(len(lengths), dtype=numpy.int64)
        has = lengths > place
        found[has] = codes[begins[has] + place] + 1
        return found

    return _same(map(at, range(max(1, int(lengths.max(initial=0))))))


def _numbers(keys: Iterable[Any]) -> Any:
    import numpy

    known: dict[Any, int] = {}
    return numpy.array([known.setdefault(key, len(known)) for key in keys], dtype=numpy.int64)


def _hashes(lists: Iterable[Iterable[str | None]]) -> Any:
    """Hash each list of words."""
    import numpy

    joined = ("\x1f".join("\x00" if w is None else w for w in words) for words in lists)
    digests = (blake2b(words.encode(), digest_size=8).digest() for words in joined)
    return numpy.array([int.from_bytes(digest) for digest in digests], dtype="uint64")


def _strings(lists: Iterable[Sequence[str]]) -> Any:
    import pyarrow

    return pyarrow.array(lists, pyarrow.list_(pyarrow.string()))


def _listed(name: str, names: Mapping[int, Sequence[str]]) -> Any:
    import pyarrow

    hashes = pyarrow.array(list(names), pyarrow.uint64())
    return pyarrow.table({name: hashes, "names": _strings(list(names.values()))})
