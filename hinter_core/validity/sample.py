"""A seeded sample of a campaign's mutants, kept and discarded, balanced over attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hinter_core.campaign.reader import PIECE, Attributes, Codebook, blocks, is_placebo
from hinter_core.campaign.schema import edit_from_row
from hinter_core.campaign.store import CampaignStore, read_batches, read_table
from hinter_core.language.sentences import split_sentences
from hinter_core.mutation.difference import mutant_of

_Candidate = tuple[float, int, int]  # a random key, shard, place in its table of mutants


@dataclass(frozen=True)
class Drawn:
    """A mutant of the sample, with its sentences that the edits changed, and those as they were."""

    shard: int
    mutant: int
    row: int
    attributes: Attributes
    kept: bool
    sentences: list[str]
    sources: list[str]


def draw(store: CampaignStore, most: int, seed: int) -> list[Drawn]:
    """At most so many kept and so many discarded mutants, placebo ones aside.

    As evenly as may be from every set of attributes, as the paper balances its own (HInter, RQ2).
    Memory depends on the sample and not on the campaign.

    Raises:
        StoreError: a table that cannot be read.
    """
    import numpy

    rng = numpy.random.default_rng(seed)
    book, best = Codebook(), dict[tuple[bool, Attributes], list[_Candidate]]()
    for shard in store.known():
        first = 0
        for table in _parts(store, shard):
            keys = rng.random(len(table))
            for block in blocks(table, book):
                for number, attributes in enumerate(block.set_names):
                    if is_placebo(attributes):
                        continue
                    for kept in (True, False):
                        at = block.at[(block.sets == number) & (block.kept == kept)]
                        at = at[numpy.argsort(keys[at], kind="stable")][:most]
                        new = [(float(keys[i]), shard, first + i) for i in at.tolist()]
                        old = best.get((kept, attributes), [])
                        best[kept, attributes] = sorted([*old, *new])[:most]
            first += len(table)
    chosen = {
        (shard, place): attributes
        for kept in (True, False)
        for attributes, shard, place in _in_turn(
            {of: found for (own, of), found in best.items() if own is kept}, most
        )
    }
    return list(_fetched(store, chosen))


def _parts(store: CampaignStore, shard: int) -> Iterator[Any]:
    import pyarrow

    for batch in read_batches(store.mutants(shard), ("row", "edits", "kept"), PIECE):
        yield pyarrow.Table.from_batches([batch])


def _in_turn(
    of: dict[Attributes, list[_Candidate]], most: int
) -> Iterator[tuple[Attributes, int, int]]:
    """One of each set of attributes in turn, until there are enough or none is left."""
    left = {attributes: iter(of[attributes]) for attributes in sorted(of)}
    taken = 0
    while left and taken < most:
        for attributes in list(left):
            found = next(left[attributes], None)
            if found is None:
                del left[attributes]
            elif taken < most:
                taken += 1
                yield attributes, found[1], found[2]


def _fetched(store: CampaignStore, chosen: dict[tuple[int, int], Attributes]) -> Iterator[Drawn]:
    for shard in sorted({shard for shard, _ in chosen}):
        places = sorted(place for own, place in chosen if own == shard)
        mutants = (
            read_table(store.mutants(shard), "row", "edits", "kept", "text")
            .take(places)
            .to_pylist()
        )
        rows = {mutant["row"] for mutant in mutants}
        table = read_table(store.texts(shard), "row", "text").to_pylist()
        texts = {text["row"]: text["text"] for text in table if text["row"] in rows}
        for place, mutant in zip(places, mutants, strict=True):
            source = texts[mutant["row"]]
            split = [sentence.text for sentence in split_sentences(source)]
            edits = [edit_from_row(edit) for edit in mutant["edits"]]
            whole = mutant_of(source, edits, mutant["text"]).text
            new = [sentence.text for sentence in split_sentences(whole)]
            before, after = changed(split, new)
            attributes = chosen[shard, place]
            yield Drawn(shard, place, mutant["row"], attributes, mutant["kept"], after, before)


def changed(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """The sentences in which two texts differ: of the first, and of the second."""
    if len(before) == len(after):
        pairs = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
        return [a for a, _ in pairs], [b for _, b in pairs]
    return [a for a in before if a not in after], [b for b in after if b not in before]
