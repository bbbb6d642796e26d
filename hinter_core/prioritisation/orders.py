"""Orders of test cases: what is asked next, given the verdicts so far.

Published orders: random, by distance (Levenshtein), by diversity (FDS) and fault-based (greedy,
with the verdicts known: a reference and no strategy; greedy is not optimal). The adaptive order is
HInter's own (:mod:`hinter_core.prioritisation.adaptive`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from numpy import ndarray


class CaseOrder(Protocol):
    """Choose the next cases, and learn from the verdicts on them.

    Cases are numbered by their place in the sequence that the order was made for. Each case is
    given once. ``next`` may give fewer than wanted if an order first waits for verdicts; it gives
    none only when all were given. ``learn`` may come in any batches, also not at all.
    """

    def next(self, number: int) -> list[int]:
        """Return up to ``number`` cases that were not given before, the first one first."""

    def learn(self, chosen: Sequence[int], faults: Sequence[bool]) -> None:
        """Take the verdicts on these cases: whether each is a fault."""


class FixedOrder(CaseOrder):
    """An order that is known beforehand: a permutation of the cases."""

    def __init__(self, places: Sequence[int]) -> None:
        self._left = iter(places)

    def next(self, number: int) -> list[int]:
        """Return the next cases of the permutation."""
        return list(islice(self._left, number))

    def learn(self, chosen: Sequence[int], faults: Sequence[bool]) -> None:
        """Learn nothing."""


def random_order(number: int, seed: int) -> FixedOrder:
    """Return a random order of ``number`` cases."""
    import numpy

    return FixedOrder(numpy.random.default_rng(seed).permutation(number).tolist())


def by_score(scores: ndarray, seed: int) -> FixedOrder:
    """Return the order of descending scores (diversity, distance); ties are drawn by the seed."""
    import numpy

    tie = numpy.random.default_rng(seed).random(len(scores))
    return FixedOrder(numpy.lexsort((tie, -scores)).tolist())


def fault_based(faults: ndarray, texts: ndarray, seed: int) -> FixedOrder:
    """Return the greedy order by unique faults, with all verdicts known (the paper, V-C).

    A case detects the fault of its source text, as the paper's rates count sources. Cases that
    detect one more come first, then the other faults, then the rest; ties are drawn by the seed.
    """
    import numpy

    drawn = numpy.random.default_rng(seed).permutation(len(faults))
    faulty = drawn[faults[drawn]]
    _, first = numpy.unique(texts[faulty], return_index=True)
    again = numpy.ones(len(faulty), dtype=bool)
    again[first] = False
    parts = (faulty[numpy.sort(first)], faulty[again], drawn[~faults[drawn]])
    return FixedOrder(numpy.concatenate(parts).tolist())
