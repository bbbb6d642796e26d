"""The lattice of mutants: one edit from each of several attributes, and all sub-mutants.

Algorithm 1 is the case of two attributes; here any number N of attributes and any order up to N.
Combinations are numbered, not listed, so that a budget can sample from millions.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from math import prod

from hinter_core.types import Edit

EditSet = frozenset[Edit]
# Draws after which a sample stays smaller than its limit (nearly all combinations overlap).
_MIN_DRAWS = 5_000


def subsets(edits: Sequence[Edit]) -> Iterator[tuple[Edit, ...]]:
    """Yield all non-empty subsets of ``edits``, smaller ones first."""
    for size in range(1, len(edits) + 1):
        yield from combinations(edits, size)


def proper_subsets(edits: Sequence[Edit]) -> Iterator[tuple[Edit, ...]]:
    """Yield all non-empty proper subsets of ``edits``, smaller ones first."""
    for size in range(1, len(edits)):
        yield from combinations(edits, size)


@dataclass(frozen=True)
class Lattice:
    """All combinations of edits of distinct attributes, of orders 1 to ``order``.

    ``edits`` maps an attribute to its possible edits. Overlapping combinations are counted here
    (they are numbers only) and dropped when they are made.
    """

    edits: Mapping[str, Sequence[Edit]]
    order: int

    def _blocks(self, order: int) -> Iterator[tuple[tuple[str, ...], int]]:
        for attributes in combinations(sorted(self.edits), order):
            yield attributes, prod(len(self.edits[a]) for a in attributes)

    def count(self, order: int) -> int:
        """Count the combinations of exactly ``order`` edits."""
        return sum(size for _, size in self._blocks(order))

    def at(self, order: int, index: int) -> tuple[Edit, ...]:
        """Return combination number ``index`` (0-based) of exactly ``order`` edits.

        Raises:
            IndexError: there is no such combination.
        """
        for attributes, size in self._blocks(order):
            if index < size:
                chosen = []
                for attribute in reversed(attributes):
                    index, place = divmod(index, len(self.edits[attribute]))
                    chosen.append(self.edits[attribute][place])
                return tuple(reversed(chosen))
            index -= size
        raise IndexError(index)

    def drawn(self, order: int, most: int, seed: int = 0) -> Iterator[tuple[Edit, ...]]:
        """Return all combinations of exactly ``order`` edits, or a seeded sample of ``most``."""
        total = self.count(order)
        numbers = range(total) if total <= most else islice(_shuffled(total, seed), most)
        return (self.at(order, number) for number in numbers)

    def _orders(self) -> range:
        return range(2, min(self.order, len(self.edits)) + 1)

    def every(
        self, possible: Callable[[Sequence[Edit]], bool] = lambda _: True
    ) -> Iterator[tuple[Edit, ...]]:
        """Yield all possible combinations of orders 2 to ``order``, lower orders first."""
        for order in self._orders():
            for attributes, _ in self._blocks(order):  # in the order of their numbers
                yield from filter(possible, product(*(self.edits[a] for a in attributes)))

    def intersectional(
        self,
        limit: int | None = None,
        seed: int = 0,
        possible: Callable[[Sequence[Edit]], bool] = lambda _: True,
    ) -> list[tuple[Edit, ...]]:
        """Return the possible combinations of orders 2 to ``order``, or a seeded sample.

        The sample is drawn without replacement and returned in lattice order. ``limit`` caps the
        combinations together with their intersectional sub-mutants, which are tested too.
        """
        counts = [(order, self.count(order)) for order in self._orders()]
        room = sum(count * _inside(order) for order, count in counts)
        if limit is None or limit >= room:
            return list(self.every(possible))
        counts = [(order, count) for order, count in counts if _inside(order) <= limit]
        total = sum(count for _, count in counts)
        taken: dict[int, tuple[Edit, ...]] = {}
        listed: set[EditSet] = set()
        for number in islice(_shuffled(total, seed), max(_MIN_DRAWS, 20 * limit)):
            edits = self._numbered(counts, number)
            if len(listed) + _inside(len(edits)) <= limit and possible(edits):
                taken[number] = edits
                listed |= {frozenset(part) for part in subsets(edits) if len(part) > 1}
                if len(listed) == limit:
                    break
        return [taken[number] for number in sorted(taken)]

    def _numbered(self, counts: list[tuple[int, int]], number: int) -> tuple[Edit, ...]:
        for order, count in counts:
            if number < count:
                return self.at(order, number)
            number -= count
        raise IndexError(number)


def _inside(order: int) -> int:
    """Count the intersectional sub-mutants of a mutant, itself included."""
    return (1 << order) - order - 1


def _shuffled(total: int, seed: int) -> Iterator[int]:
    """Yield the numbers below ``total`` in random order, lazily (sparse Fisher-Yates shuffle)."""
    rng = random.Random(seed)
    moved: dict[int, int] = {}
    for place in range(total):
        other = rng.randrange(place, total)
        yield moved.get(other, other)
        moved[other] = moved.get(place, place)
