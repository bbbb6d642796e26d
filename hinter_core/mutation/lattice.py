"""The lattice of mutants: one edit from each of several attributes, and all sub-mutants.

Algorithm 1 is the case of two attributes; here any number N of attributes and any order up to N.
Combinations are numbered, not listed, so that a budget can sample from millions.

Departure: the paper combines any two edits; here, those of one person may be meant alone.
"""

import random
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, combinations, islice, product
from math import prod
from typing import TypeVar

from hinter_core.types import Edit

EditSet = frozenset[Edit]
_Key = TypeVar("_Key")
Persons = frozenset[int]  # empty: of nobody in the text, so that it goes with everybody
_Block = tuple[Sequence[Edit], ...]  # of each attribute some edits, all of whose products count
# Draws after which a sample stays smaller than its limit (nearly all combinations overlap).
_MIN_DRAWS = 5_000
_DRAWS_IN_TURN = 20  # for each mutant, before groups that are drawn up leave the rest to chance
_MOST_CHECKED = 10_000  # combinations of places that are looked at to count what is possible


def subsets(edits: Collection[_Key]) -> Iterator[tuple[_Key, ...]]:
    """Yield all non-empty subsets of ``edits``, smaller ones first."""
    for size in range(1, len(edits) + 1):
        yield from combinations(edits, size)


def proper_subsets(edits: Collection[_Key]) -> Iterator[tuple[_Key, ...]]:
    """Yield all non-empty proper subsets of ``edits``, smaller ones first."""
    for size in range(1, len(edits)):
        yield from combinations(edits, size)


@dataclass(frozen=True)
class Lattice:
    """All combinations of edits of distinct attributes, of orders 1 to ``order``.

    ``edits`` maps an attribute to its possible edits. ``persons``: whom an edit changes; if given,
    edits combine only if all of them change one person. Overlapping combinations are counted here
    (they are numbers only) and dropped when they are made.
    """

    edits: Mapping[str, Sequence[Edit]]
    order: int
    persons: Callable[[Edit], Persons] | None = None
    _known: dict[int, tuple[list[_Block], list[int]]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @cached_property
    def _alike(self) -> Mapping[str, Sequence[tuple[Persons, Sequence[Edit]]]]:
        """The edits of each attribute that change the same people; there are few such groups."""
        persons = self.persons or (lambda _: frozenset())
        return {name: [*_grouped(edits, persons).items()] for name, edits in self.edits.items()}

    def _sharing(
        self, attributes: Sequence[str], shared: Persons = frozenset()
    ) -> Iterator[_Block]:
        """Yield the groups of edits, one of each attribute, that have a person in common."""
        if not attributes:
            yield ()
            return
        for persons, edits in self._alike[attributes[0]]:
            both = shared & persons if shared and persons else shared or persons
            if both or not (shared and persons):
                for others in self._sharing(attributes[1:], both):
                    yield (edits, *others)

    def _blocks(self, order: int) -> tuple[list[_Block], list[int]]:
        """Return the blocks of an order, and how many combinations there are up to each."""
        if order not in self._known:
            every = combinations(sorted(self.edits), order)
            blocks = [block for attributes in every for block in self._sharing(attributes)]
            ends = list(accumulate(prod(map(len, block)) for block in blocks))
            self._known[order] = blocks, ends
        return self._known[order]

    def alone(self) -> list[Edit]:
        """Return the edits that combine with none of another attribute."""
        paired = {edit for block in self._blocks(2)[0] for edits in block for edit in edits}
        return [edit for edits in self.edits.values() for edit in edits if edit not in paired]

    def count(self, order: int) -> int:
        """Count the combinations of exactly ``order`` edits."""
        _, ends = self._blocks(order)
        return ends[-1] if ends else 0

    def count_possible(self, order: int, possible: Callable[[Sequence[Edit]], bool]) -> int:
        """Count the possible ones of exactly ``order`` edits; edits of one place are alike.

        Where a long text has very many places, all of a block count.
        """
        counted = 0
        for block in self._blocks(order)[0]:
            alike = [[*_grouped(edits, lambda one: one.spans).values()] for edits in block]
            if prod(map(len, alike)) > _MOST_CHECKED:
                counted += prod(map(len, block))
                continue
            counted += sum(
                prod(map(len, groups))
                for groups in product(*alike)
                if possible([edits[0] for edits in groups])
            )
        return counted

    def at(self, order: int, index: int) -> tuple[Edit, ...]:
        """Return combination number ``index`` (0-based) of exactly ``order`` edits.

        Raises:
            IndexError: there is no such combination.
        """
        blocks, ends = self._blocks(order)
        number = bisect_right(ends, index)
        index -= ends[number - 1] if number else 0
        chosen = []
        for edits in reversed(blocks[number]):
            index, place = divmod(index, len(edits))
            chosen.append(edits[place])
        return tuple(reversed(chosen))

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
            for block in self._blocks(order)[0]:  # in the order of their numbers
                yield from filter(possible, product(*block))

    def intersectional(
        self,
        limit: int | None = None,
        seed: int = 0,
        possible: Callable[[Sequence[Edit]], bool] = lambda _: True,
        *,
        groups_of: str | None = None,
    ) -> list[tuple[Edit, ...]]:
        """Return the possible combinations of orders 2 to ``order``, or a seeded sample.

        The sample is drawn without replacement and returned in lattice order. ``limit`` caps the
        combinations together with their intersectional sub-mutants, which are tested too.
        ``groups_of``: a text, which is part of the seed; the groups that the edits change to take
        turns, so that a group of many words is not drawn more often. When no more come of them, and
        without a text, every combination is as likely.
        """
        counts = [(order, self.count(order)) for order in self._orders()]
        room = sum(count * _inside(order) for order, count in counts)
        if limit is None or limit >= room:
            return list(self.every(possible))
        counts = [(order, count) for order, count in counts if _inside(order) <= limit]
        total = sum(count for _, count in counts)
        draws = max(_MIN_DRAWS, 20 * limit)
        drawn: Iterator[tuple[Edit, ...]] = (
            self._numbered(counts, number) for number in islice(_shuffled(total, seed), draws)
        )
        if groups_of is not None:
            rng = random.Random(f"{seed} {groups_of}")
            in_turn = self._in_turn([order for order, _ in counts], rng)
            drawn = chain(islice(in_turn, _DRAWS_IN_TURN * limit), drawn)
        taken: set[tuple[Edit, ...]] = set()
        listed: set[EditSet] = set()
        for edits in drawn:
            fits = edits not in taken and len(listed) + _inside(len(edits)) <= limit
            if fits and possible(edits):
                taken.add(edits)
                listed |= {frozenset(part) for part in subsets(edits) if len(part) > 1}
                if len(listed) == limit:
                    break
        place = {edit: at for edits in self.edits.values() for at, edit in enumerate(edits)}

        def in_lattice(edits: Sequence[Edit]) -> tuple[int, list[str], list[int]]:
            return len(edits), [e.attribute for e in edits], [place[e] for e in edits]

        return sorted(taken, key=in_lattice)

    def _in_turn(self, orders: Sequence[int], rng: random.Random) -> Iterator[tuple[Edit, ...]]:
        """Yield combinations, some often; attributes take turns, and in them groups do.

        Each attribute has its groups in a random order, which is drawn anew when all had their
        turn, so that every pair of groups is as likely. Groups that nobody has together are passed.
        """
        turns = [
            (decks, blocks)
            for order in orders
            for attributes in combinations(sorted(self.edits), order)
            if (blocks := [[*map(_by_group, block)] for block in self._sharing(attributes)])
            for decks in [[_turns(_by_group(self.edits[a]), rng) for a in attributes]]
        ]
        while turns:
            rng.shuffle(turns)
            for decks, blocks in turns:
                groups = [next(deck) for deck in decks]
                found = [
                    [edits.get(group, []) for edits, group in zip(block, groups, strict=True)]
                    for block in blocks
                ]
                if any(sizes := [prod(map(len, edits)) for edits in found]):
                    yield tuple(map(rng.choice, rng.choices(found, sizes)[0]))

    def _numbered(self, counts: list[tuple[int, int]], number: int) -> tuple[Edit, ...]:
        for order, count in counts:
            if number < count:
                return self.at(order, number)
            number -= count
        raise IndexError(number)


def _grouped(edits: Iterable[Edit], key: Callable[[Edit], _Key]) -> dict[_Key, list[Edit]]:
    groups: dict[_Key, list[Edit]] = {}
    for edit in edits:
        groups.setdefault(key(edit), []).append(edit)
    return groups


def _by_group(edits: Iterable[Edit]) -> dict[str, list[Edit]]:
    return _grouped(edits, lambda one: one.target.group)


def _turns(groups: Iterable[str], rng: random.Random) -> Iterator[str]:
    """Yield all groups in a random order, again and again."""
    deck = list(groups)
    while True:
        yield from rng.sample(deck, len(deck))


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
