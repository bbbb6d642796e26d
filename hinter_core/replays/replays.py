"""Replay orders on the known verdicts of a campaign, with several seeds, and compare them.

A figure over seeds has the interval of the central 95 % of the replays; it says how much the order
varies on these cases, not what it would do on others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

from hinter_core.errors import InputError
from hinter_core.prioritisation.adaptive import AdaptiveOrder
from hinter_core.prioritisation.features import Design, design_of
from hinter_core.prioritisation.metrics import LEVENSHTEIN, Diversity, PairScorer, diversity
from hinter_core.prioritisation.orders import CaseOrder, by_score, fault_based, random_order
from hinter_core.prioritisation.stopping import AuditedOrder, StopBelow, replay
from hinter_core.replays.answered import AnsweredCases
from hinter_core.replays.arms import (
    AdaptiveArms,
    ArmOrder,
    Arms,
    RankedArm,
    arms_by,
    arms_of,
    fault_based_arms,
)
from hinter_core.replays.measures import MEASURES, OrderMeasures, Population
from hinter_core.statistics.rates import Estimate, percentiles

if TYPE_CHECKING:
    from numpy import ndarray

ORDERS = {
    "random": "a random order",
    "levenshtein": "by distance of the texts, the largest first",
    "diversity": "by the diversity score of the texts, the largest first",
    "fault-based": "greedy with all verdicts known: a reference, not always the best",
    "adaptive": "HInter's own: the likeliest to fail first, learnt from the verdicts so far",
    "adaptive-texts": "the same, but texts with a fault come last: soonest one fault of each",
}
LEVELS = ("pair", "arm")
T = TypeVar("T")
_POINTS = 200  # of a curve
_BATCH = 16  # pairs that are asked before a rule is looked at


@dataclass(frozen=True)
class ReplaySettings:
    """Settings of replays; see ``hinter prioritise``.

    ``level``: ``pair`` or ``arm``, and of which kind ``arm`` is. ``budget``: pairs that are asked
    at most. ``below``: a rate that the audit shall certify.

    Raises:
        InputError: an unknown or repeated order or level, no seed, or a budget of 0.
    """

    orders: tuple[str, ...] = tuple(ORDERS)
    seeds: int = 30
    level: str = "pair"
    arm: str = "groups"
    budget: int | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        for name in self.orders:
            if name not in ORDERS:
                raise InputError(f"'{name}' is no order; the orders are {', '.join(ORDERS)}.")
        if not self.orders or len(set(self.orders)) < len(self.orders):
            raise InputError(f"Name each order once, of {', '.join(ORDERS)}.")
        if self.level not in LEVELS:
            raise InputError(f"'{self.level}' is no level; name one of {', '.join(LEVELS)}.")
        if self.seeds < 1:
            raise InputError(f"{self.seeds} seeds replay nothing; give 1 or more.")
        if self.budget is not None and self.budget < 1:
            raise InputError(f"A budget of {self.budget} calls asks nothing; give 1 or more.")
        if self.below is not None:
            StopBelow(self.below)


@dataclass(frozen=True)
class Certainty:
    """Cost of certifying a rate: ``calls`` over seeds, and the shares of replays by outcome."""

    calls: Estimate
    below: float
    above: float


@dataclass(frozen=True)
class OrderReplay:
    """An order over all seeds.

    ``measures`` by name. ``faults`` and ``sources``: curves of the shares found, mean and ends of
    the interval (3 x points), at the numbers of pairs of :class:`Replays`. ``by_arm``: the curve of
    sources after each arm, as in the paper's figures (3 x arms), and ``places``: of each arm, the
    mean over the seeds; both None at the level of pairs, or with a budget. ``seconds``: that one
    replay took to order all cases, model calls not counted.
    """

    name: str
    measures: Mapping[str, Estimate]
    faults: ndarray
    sources: ndarray
    seconds: float
    by_arm: ndarray | None = None
    places: ndarray | None = None
    certainty: Certainty | None = None


@dataclass(frozen=True)
class Replays:
    """All orders of a comparison; ``pairs``: numbers of pairs of the curves' points.

    ``expected``: of a random order of pairs, in closed form; None at the level of arms.
    ``scoring``: seconds that the scores of an order took, by order. ``ranking``: of arms, by the
    diversity score if that order is replayed; empty at the level of pairs.
    """

    answered: AnsweredCases
    settings: ReplaySettings
    pairs: ndarray
    orders: Sequence[OrderReplay]
    expected: OrderMeasures | None
    scoring: Mapping[str, float]
    ranking: Sequence[RankedArm] = ()
    diversity: Diversity | None = None

    @property
    def population(self) -> Population:
        """The verdicts on all cases."""
        return Population(self.answered.faults, self.answered.texts)


class _Scores:
    """Scores of orders, computed when an order first needs them, with the time it took."""

    def __init__(
        self,
        answered: AnsweredCases,
        scorers: Sequence[PairScorer],
        weights: Mapping[str, float],
    ) -> None:
        self._cases, self._scorers, self._weights = answered.cases, scorers, weights
        self._texts = [answered.sources[c.text] for c in answered.cases], answered.follow_ups()
        self.seconds: dict[str, float] = {}

    def _timed(self, order: str, computed: Callable[[], T]) -> T:
        start = time.perf_counter()
        scores = computed()
        self.seconds[order] = time.perf_counter() - start
        return scores

    @cached_property
    def levenshtein(self) -> ndarray:
        """The normalised distance of each pair."""
        return self._timed("levenshtein", lambda: LEVENSHTEIN.score(*self._texts))

    @cached_property
    def diversity(self) -> Diversity:
        """The metrics of each pair.

        Raises:
            InputError: all pairs have the same score, so that they have no order.
        """
        import numpy

        scored = partial(diversity, *self._texts, self._scorers, self._weights)
        scores = self._timed("diversity", scored)
        if numpy.ptp(scores.total) < 1e-9:
            raise InputError(
                f"All pairs have the same diversity by {', '.join(scores.names)}, so that order "
                "would be random; name other metrics or leave out the order diversity."
            )
        return scores

    def of(self, order: str) -> ndarray:
        """Return the score of each pair by which an order ranks."""
        return self.levenshtein if order == "levenshtein" else self.diversity.total

    @cached_property
    def design(self) -> Design:
        """The features of the adaptive order."""
        return self._timed("adaptive", lambda: design_of(self._cases))


def replay_orders(
    answered: AnsweredCases,
    settings: ReplaySettings,
    scorers: Callable[[], Sequence[PairScorer]] = tuple,
    weights: Mapping[str, float] | None = None,
    on_progress: Callable[[], object] = lambda: None,
) -> Replays:
    """Replay orders with all seeds.

    ``scorers`` loads the metrics, if the order *diversity* is among them.

    Raises:
        HinterError: a metric cannot be loaded, or nothing can be compared.
    """
    import numpy

    population = Population(answered.faults, answered.texts)
    arms = arms_of(answered.cases, settings.arm) if settings.level == "arm" else None
    most = min(settings.budget or len(answered.cases), len(answered.cases))
    pairs = numpy.unique(numpy.linspace(1, most, min(_POINTS, most)).astype(int))
    # Loaded first, so that a missing model is told before anything is replayed.
    scores = _Scores(answered, scorers() if "diversity" in settings.orders else (), weights or {})
    done = []
    # Arms are chosen by texts that fail for the first time in any case.
    names = [n for n in settings.orders if arms is None or n != "adaptive-texts"]
    for name in names or ("adaptive",):
        make = _maker(name, answered, scores, arms)
        done.append(_replayed(name, make, population, settings, pairs, on_progress))
    expected = population.expected() if arms is None else None
    return Replays(
        answered, settings, pairs, done, expected, scores.seconds,
        _ranking(arms, population, scores, done) if arms else (), scores.__dict__.get("diversity"),
    )  # fmt: skip


def _ranking(
    arms: Arms, population: Population, scores: _Scores, orders: Sequence[OrderReplay]
) -> list[RankedArm]:
    """Rank arms by each order but the random one, the diversity score first; else by name."""
    import numpy

    scored = ("diversity", "levenshtein")
    names = sorted({one.name for one in orders}.intersection(scored))
    means = {name: arms.means(scores.of(name)) for name in names}
    places = {name: arms.places(scores.of(name)) for name in names}
    for one in orders:
        if one.places is not None and one.name not in ("random", *places):
            places[one.name] = one.places
    failing = numpy.array([arms.of, population.texts])[:, population.faults]
    in_all, failed, texts = (
        numpy.bincount(cases, minlength=len(arms.names))
        for cases in (arms.of, failing[0], numpy.unique(failing, axis=1)[0])
    )
    ranked = [
        RankedArm(
            name,
            int(in_all[arm]),
            int(failed[arm]),
            int(texts[arm]),
            {order: float(mean[arm]) for order, mean in means.items()},
            {order: float(place[arm]) for order, place in places.items()},
        )
        for arm, name in enumerate(arms.names)
    ]
    first = next(iter(places), None)
    return sorted(ranked, key=lambda one: one.places[first]) if first else ranked


def _maker(
    name: str, answered: AnsweredCases, scores: _Scores, arms: Arms | None
) -> Callable[[int], CaseOrder]:
    """Return a function from a seed to an order; its scores are computed now."""
    faults, texts = answered.faults, answered.texts
    if name.startswith("adaptive"):
        if arms is None:
            beside = texts if name == "adaptive-texts" else None
            return partial(AdaptiveOrder, scores.design, texts=beside)
        return partial(AdaptiveArms, arms, scores.design, texts)
    make: Callable[[int], CaseOrder]
    if name == "random":
        make = partial(random_order, len(faults) if arms is None else len(arms.names))
    elif name == "fault-based":
        if arms is None:
            make = partial(fault_based, faults, texts)
        else:
            make = partial(fault_based_arms, arms, faults, texts)
    else:
        values = scores.of(name)
        make = partial(by_score, values if arms is None else arms.means(values))
    return make if arms is None else lambda seed: arms_by(arms, make(seed), seed)


def _replayed(
    name: str,
    make: Callable[[int], CaseOrder],
    population: Population,
    settings: ReplaySettings,
    pairs: ndarray,
    on_progress: Callable[[], object],
) -> OrderReplay:
    import numpy

    measured, faults, sources, by_arm, places, seconds = [], [], [], [], [], []
    for seed in range(settings.seeds):
        start = time.perf_counter()
        order = make(seed)
        replayed = replay(order, population.faults, settings.budget)
        seconds.append(time.perf_counter() - start)
        measured.append(population.measure(replayed))
        of_faults, of_sources = population.cumulated(replayed)
        faults.append(of_faults[pairs - 1])
        sources.append(of_sources[pairs - 1])
        if isinstance(order, ArmOrder) and settings.budget is None:
            by_arm.append(of_sources[numpy.cumsum(order.sizes[order.given]) - 1])
            places.append(numpy.argsort(order.given) + 1)
        on_progress()
    values = {one: over_seeds([getattr(m, one) for m in measured]) for one in MEASURES}
    certainty = None
    if settings.below is not None and settings.level == "pair":
        certainty = _certified(make, population, settings)
    return OrderReplay(
        name, values, _band(faults), _band(sources), float(numpy.median(seconds)),
        _band(by_arm) if by_arm else None, numpy.mean(places, axis=0) if places else None,
        certainty,
    )  # fmt: skip


def _certified(
    make: Callable[[int], CaseOrder], population: Population, settings: ReplaySettings
) -> Certainty:
    """Replay an order with an audit until a rate is certain."""
    assert settings.below is not None
    rule, calls, below, above = StopBelow(settings.below), [], 0, 0
    for seed in range(settings.seeds):
        order = AuditedOrder(make(seed), len(population.texts), seed, centre=settings.below)
        replayed = replay(
            order, population.faults, settings.budget, partial(rule.stops, order), batch=_BATCH
        )
        answer = rule.stops(order)
        below, above = below + (" below " in answer), above + (" above " in answer)
        calls.append(float(len(replayed)) if answer else None)
    return Certainty(over_seeds(calls), below / settings.seeds, above / settings.seeds)


def _band(curves: Sequence[ndarray]) -> ndarray:
    import numpy

    every = numpy.array(curves)
    low, high = numpy.quantile(every, [0.025, 0.975], axis=0)
    return numpy.array([every.mean(axis=0), low, high])


def over_seeds(values: Sequence[float | None]) -> Estimate:
    """Return the mean with the central 95 % of the replays, if they differ.

    None if a replay has no value.
    """
    import numpy

    known = [value for value in values if value is not None]
    if len(known) < len(values):
        missing = len(values) - len(known)
        return Estimate(None, why=f"{missing} of {len(values)} replays did not get there")
    if min(known) == max(known):
        return Estimate(known[0])
    return Estimate(float(numpy.mean(known)), *percentiles(numpy.array(known)))
