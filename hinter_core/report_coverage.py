"""How much of the dictionaries a campaign met (MutaInt, pairwise coverage)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from hinter_core.dictionary import Dictionary
from hinter_core.tally import Counts
from hinter_core.tally_columns import Attributes, is_placebo, ordered


@dataclass(frozen=True)
class Coverage:
    """How much of the dictionaries mutants of these attributes met, whatever became of them.

    ``pairs``: by attribute, word pairs made, kept by the invariant, and held by its dictionary.
    ``groups``: target groups (one of each attribute) met, of those that the dictionaries allow.
    """

    attributes: Attributes
    pairs: dict[str, tuple[int, int, int]]
    groups: tuple[int, int]


def coverage(counts: Counts, vocabulary: Sequence[Dictionary]) -> list[Coverage]:
    """Of every attribute alone, and of every set of them that mutants changed."""
    held = {d.attribute: d.pair_count for d in vocabulary}
    groups = {
        d.attribute: len({pair.target.group for pairs in d.pairs_from.values() for pair in pairs})
        for d in vocabulary
    }
    alone: list[Attributes] = [(attribute,) for attribute in held]
    return [
        Coverage(
            attributes,
            {
                attribute: (
                    sum(swap.attribute == attribute for swap in counts.made.get(attributes, ())),
                    sum(swap.attribute == attribute for swap in counts.kept.get(attributes, ())),
                    held[attribute],
                )
                for attribute in attributes
            },
            (len(counts.met.get(attributes, ())), prod(groups[a] for a in attributes)),
        )
        for attributes in ordered({*alone, *counts.made})
        if all(attribute in held for attribute in attributes) and not is_placebo(attributes)
    ]
