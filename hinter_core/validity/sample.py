"""A seeded sample of a campaign's mutants, kept and discarded, balanced over attributes."""

from __future__ import annotations

from dataclasses import dataclass

from hinter_core.campaign.draw import NOT_ASKED, balanced, strata
from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.views import Attributes
from hinter_core.language.sentences import split_sentences


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
    with CampaignReader(store, ()) as reader:
        candidates = strata(reader, most, seed, by_layer=False)
        chosen = [
            place
            for kept in (True, False)
            for place in balanced(
                {of: found for of, found in candidates.items() if (of[1] == NOT_ASKED) is kept},
                most,
            )
        ]
        return [_drawn(record) for record in reader.at(chosen)]


def _drawn(record: MutantRecord) -> Drawn:
    before, after = (
        [sentence.text for sentence in split_sentences(text)]
        for text in (record.text, record.mutant)
    )
    sources, sentences = changed(before, after)
    return Drawn(
        record.shard, record.place, record.row, record.attributes, record.kept, sentences, sources
    )


def changed(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """The sentences in which two texts differ: of the first, and of the second."""
    if len(before) == len(after):
        pairs = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
        return [a for a, _ in pairs], [b for _, b in pairs]
    return [a for a in before if a not in after], [b for b in after if b not in before]
