"""Arms: groups of test cases that are asked together, and orders of whole arms.

The paper orders metamorphic relations. With one relation, or in addition to it, an arm can be a
relation and a set of attributes, of groups, or of word pairs; an arm of one case is the order of
pairs (:mod:`hinter_core.prioritisation.orders`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinter_core.campaign.tables import TIMES
from hinter_core.errors import InputError
from hinter_core.prioritisation.adaptive import SHARE, FaultModel
from hinter_core.prioritisation.cases import PairCase
from hinter_core.prioritisation.features import Design
from hinter_core.prioritisation.orders import CaseOrder, FixedOrder

if TYPE_CHECKING:
    from numpy import ndarray


_MOST = 1 - 1e-9  # probability of a fault, so that its logarithm is finite
_TIE = 1e-9  # by which equal arms are shuffled


def _named(case: PairCase, parts: Iterable[str]) -> str:
    return f"{case.relation}: {TIMES.join(parts)}"


ARMS: dict[str, Callable[[PairCase], str]] = {
    "relation": lambda case: case.relation,
    "attributes": lambda case: _named(case, case.attributes),
    "groups": lambda case: _named(
        case, (f"{e.attribute} {e.source_group} \u2192 {e.target_group}" for e in case.edits)
    ),
    "words": lambda case: _named(
        case, (f"{e.attribute} {e.source} \u2192 {e.target}" for e in case.edits)
    ),
}


@dataclass(frozen=True)
class Arms:
    """``names`` of all arms, and the number of the arm ``of`` each case."""

    names: tuple[str, ...]
    of: ndarray

    def places(self, scores: ndarray) -> ndarray:
        """Return the place of each arm by its mean score, from 1; equal arms have the same."""
        from scipy.stats import rankdata

        places: ndarray = rankdata(-self.means(scores).round(9), "min")
        return places

    def means(self, scores: ndarray) -> ndarray:
        """Return the mean of the scores of the cases of each arm (an arm's FDS)."""
        import numpy

        sums = numpy.bincount(self.of, scores, len(self.names))
        mean: ndarray = sums / numpy.bincount(self.of, minlength=len(self.names))
        return mean


@dataclass(frozen=True)
class RankedArm:
    """An arm, its cases, and its places from 1 by order.

    ``texts``: source texts with a fault. ``scores``: the mean score of its pairs, by order that
    ranks arms by a score. ``places``: in these orders, equal arms have the same; in others, the
    mean over the seeds.
    """

    name: str
    pairs: int
    faults: int
    texts: int
    scores: Mapping[str, float]
    places: Mapping[str, float]

    @property
    def rate(self) -> float:
        """The share of the arm's pairs that detect a fault (FDR of the paper, V-D)."""
        return self.faults / self.pairs


def arms_of(cases: Sequence[PairCase], kind: str) -> Arms:
    """Group cases by :data:`ARMS`, sorted by name.

    Raises:
        InputError: an unknown kind, or all cases in one arm.
    """
    import numpy

    if kind not in ARMS:
        raise InputError(f"'{kind}' is no kind of arm; name one of {', '.join(ARMS)}.")
    names = [ARMS[kind](case) for case in cases]
    distinct = tuple(sorted(set(names)))
    if len(distinct) < 2:
        raise InputError(
            f"All cases have the same {kind} ({distinct[0]}), so there is no order of arms; name "
            f"another --arm ({', '.join(ARMS)})."
        )
    places = {name: i for i, name in enumerate(distinct)}
    return Arms(distinct, numpy.array([places[name] for name in names]))


class ArmOrder(CaseOrder):
    """Gives the cases of one arm after the other, those of an arm in random order.

    ``choose`` names the next arm among those left, when the verdicts on all before are known.
    """

    def __init__(self, arms: Arms, choose: Callable[[list[int]], int], seed: int) -> None:
        import numpy

        drawn = numpy.random.default_rng(seed).permutation(len(arms.of))
        by_arm = drawn[numpy.argsort(arms.of[drawn], kind="stable")]
        self.sizes = numpy.bincount(arms.of, minlength=len(arms.names))
        ends = numpy.cumsum(self.sizes)
        self._cases = [part.tolist() for part in numpy.split(by_arm, ends[:-1])]
        self._choose = choose
        self._left = list(range(len(arms.names)))
        self._open: list[int] = []
        self.given: list[int] = []  # numbers of arms, in order

    def next(self, number: int) -> list[int]:
        """Return cases of the current arm, or of the next one if it is done."""
        if not self._open and self._left and number > 0:
            arm = self._choose(self._left)
            self._left.remove(arm)
            self._open = self._cases[arm]
            self.given.append(arm)
        chosen, self._open = self._open[:number], self._open[number:]
        return chosen

    def learn(self, chosen: Sequence[int], faults: Sequence[bool]) -> None:
        """Learn nothing; :class:`AdaptiveArms` does."""


def arms_by(arms: Arms, ranking: CaseOrder, seed: int) -> ArmOrder:
    """Return the order of arms by a ranking of their numbers."""
    place = {arm: i for i, arm in enumerate(ranking.next(len(arms.names)))}
    return ArmOrder(arms, lambda left: min(left, key=place.__getitem__), seed)


def fault_based_arms(arms: Arms, faults: ndarray, texts: ndarray, seed: int) -> FixedOrder:
    """Rank arms greedily by unique faults, with all verdicts known (the paper, V-C).

    A fault is a source text whose answer changes. The paper stops when all are covered; arms after
    that are ordered by the same rule anew, as is usual.
    """
    import numpy

    rng = numpy.random.default_rng(seed)
    every = [set(texts[faults & (arms.of == arm)].tolist()) for arm in range(len(arms.names))]
    left, ranking, missing = set(range(len(every))), [], set().union(*every)
    while left:
        most = max(len(every[arm] & missing) for arm in left)
        if not most and any(every[arm] for arm in left):
            missing = set().union(*(every[arm] for arm in left))
            continue
        best = sorted(arm for arm in left if len(every[arm] & missing) == most)
        arm = int(rng.choice(best))
        ranking.append(arm)
        left.remove(arm)
        missing -= every[arm]
    return FixedOrder(ranking)


class AdaptiveArms(ArmOrder):
    """Chooses the arm with the most texts that are expected to fail for the first time, per pair.

    The probabilities are those of :class:`FaultModel`, fitted as often as in the order of pairs.
    Per pair and not per arm, since pairs are what costs; the greedy order of the paper counts arms.
    """

    def __init__(self, arms: Arms, design: Design, texts: ndarray, seed: int) -> None:
        import numpy

        super().__init__(arms, self._likeliest, seed)
        self._model = FaultModel(design)
        self._texts = texts
        self._number = len(arms.names)
        # A number for each arm and text that has cases in it.
        _, self._cell = numpy.unique(arms.of * (texts.max() + 1) + texts, return_inverse=True)
        self._arm_of_cell = numpy.zeros(self._cell.max() + 1, dtype=int)
        self._arm_of_cell[self._cell] = arms.of
        self._tie = numpy.random.default_rng(seed).random(self._number) * _TIE
        self._asked: list[int] = []
        self._faults: list[bool] = []
        self._fitted = 0

    def learn(self, chosen: Sequence[int], faults: Sequence[bool]) -> None:
        """Remember verdicts for the choice of the next arm."""
        self._asked += map(int, chosen)
        self._faults += map(bool, faults)

    def _likeliest(self, left: list[int]) -> int:
        import numpy

        places, faults = numpy.array(self._asked, dtype=int), numpy.array(self._faults, dtype=float)
        if len(places) > (1 + SHARE) * self._fitted:
            self._model.fit(places, faults)
            self._fitted = len(places)
        fresh = ~numpy.isin(self._texts, self._texts[places[faults > 0]])
        benign = numpy.log1p(-numpy.minimum(self._model.probabilities(), _MOST))
        none = numpy.bincount(self._cell, benign * fresh)
        expected = numpy.bincount(self._arm_of_cell, -numpy.expm1(none), self._number)
        return max(left, key=(expected / self.sizes + self._tie).__getitem__)
