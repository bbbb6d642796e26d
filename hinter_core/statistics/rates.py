"""Rates, their differences and tests, and shares of weighted samples, with 95 % intervals.

The cells of a stratified, weighted sample have few cases, often all equal, so that bootstrap
resamples would not vary. Intervals of its shares, and of figures of several shares, come from draws
of Jeffreys' posterior of a share instead (Brown, Cai and DasGupta 2001), over the *effective*
number of cases (Kish 1965), with the finite population correction (Cochran 1977) if the size of the
population is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import add
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy
    from numpy import ndarray


CONFIDENCE = 0.95
RESAMPLES = 2000
FEWEST = 2  # degrees of freedom of a variance between texts


@dataclass(frozen=True, slots=True)
class Rate:
    """``hits`` of ``of`` cases, with a 95 % interval."""

    hits: int
    of: int
    low: float | None = None
    high: float | None = None

    @property
    def share(self) -> float | None:
        """Between 0 and 1; None without cases."""
        return self.hits / self.of if self.of else None


def wilson(hits: int, of: int) -> Rate:
    """Compute a rate of independent cases with Wilson's score interval (Wilson 1927)."""
    return Rate(hits, of, *wilson_ends(hits, of)) if of else Rate(hits, of)


def wilson_ends(hits: float, of: float) -> tuple[float, float]:
    """Return the ends of Wilson's interval; effective numbers need not be whole."""
    from scipy.special import ndtri

    z = float(ndtri((1 + CONFIDENCE) / 2))
    middle, square = (hits + z * z / 2) / (of + z * z), hits * (of - hits) / of + z * z / 4
    reach = z * max(square, 0.0) ** 0.5 / (of + z * z)
    # Rounding leaves the ends of 0 and 1 a little off.
    return middle - reach if hits else 0.0, middle + reach if hits < of else 1.0


def summed(cases: Iterable[tuple[Any, ...]]) -> dict[Any, tuple[Any, ...]]:
    """Add up the numbers of ``(cluster, number, ...)`` by cluster, such as those of each text."""
    sums: dict[Any, tuple[Any, ...]] = {}
    for cluster, *numbers in cases:
        before = sums.get(cluster, (0,) * len(numbers))
        sums[cluster] = tuple(map(add, before, numbers))
    return sums


def effective_cases(
    hits: ndarray, weights: ndarray, most: float, texts: ndarray, *, few: bool = True
) -> float:
    """Compute how many independent cases would tell a ratio as well as cases clustered by text.

    ``hits`` of ``weights`` (sums over the cases) for each kind of text, ``texts`` how many there
    are of it. ``most``: the number of cases, an upper limit. The variance is that of the linearised
    ratio between texts (jackknife), so that texts may differ in rate and in number of cases, and
    one may depend on the other. It is itself an estimate from ``few`` texts: by Student's quantile
    the number shrinks (Korn and Graubard 1998), with the effective number of residuals as degrees
    of freedom, since one large or one unlike text may make nearly all of the variance.

    Where all cases agree, or equal texts have all or none, texts are the cases, by their effective
    number (Kish 1965). Fewer than two texts: 0.
    """
    from scipy.special import ndtri, stdtrit

    number, total = texts.sum(), (texts * weights).sum()
    if number < 2:
        return 0.0
    share = (texts * hits).sum() / total
    equal = weights.min() == weights.max()
    if share in (0, 1) or (equal and bool(((hits == 0) | (hits == weights)).all())):
        return min(float(total**2 / (texts * weights**2).sum()), most)
    left_out = (hits - share * weights) / (total - weights)
    variance = (texts * left_out**2).sum() * (number - 1) / number
    effective = share * (1 - share) / variance if variance else most
    if not few:
        return float(min(effective, most))
    freedom = max(min(effective_number(left_out, texts), number - 1), FEWEST)
    tail = (1 + CONFIDENCE) / 2
    shrunk = (ndtri(tail) / stdtrit(freedom, tail)) ** 2
    return float(min(effective, most) * shrunk)


def effective_number(residuals: ndarray, times: ndarray) -> float:
    """Return how many residuals make the variance, by their shares of it."""
    squares = residuals**2
    most = (times * squares**2).sum()
    return float((times * squares).sum() ** 2 / most) if most else float(times.sum())


def resampled(sources: Mapping[Any, int], seed: int) -> ndarray:
    """Draw bootstrap resamples of sources; return sums (resamples x numbers of a source).

    ``sources``: how many sources have the same numbers. Equal sources are exchangeable, so the
    counts of the distinct ones are multinomial.
    """
    import numpy

    distinct = sorted(sources)
    counts = numpy.array([sources[source] for source in distinct])
    rng = numpy.random.default_rng(seed)
    drawn = rng.multinomial(counts.sum(), counts / counts.sum(), size=RESAMPLES)
    sums: ndarray = drawn @ numpy.array(distinct)
    return sums


def percentiles(values: ndarray) -> tuple[float, float]:
    """Return the ends of the 95 % percentile interval of bootstrap values."""
    import numpy

    tail = (1 - CONFIDENCE) / 2
    low, high = numpy.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two rates, with a 95 % interval; None if a rate has no cases.

    ``p_value``: two-sided, of no difference, where a test goes with the interval.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None


def independent_difference(first: Rate, second: Rate) -> Difference:
    """Subtract a second rate from a first of other cases.

    The interval joins those of both (Newcombe 1998; MOVER, Zou and Donner 2008).
    """
    if first.share is None or second.share is None:
        return Difference(None)
    value = first.share - second.share
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return Difference(value)
    down = ((first.share - first.low) ** 2 + (second.high - second.share) ** 2) ** 0.5
    up = ((first.high - first.share) ** 2 + (second.share - second.low) ** 2) ** 0.5
    return Difference(value, value - down, value + up)


def mcnemar(only_first: int, only_second: int) -> float:
    """Compute the p-value of the exact McNemar test from the numbers of discordant pairs."""
    from scipy.stats import binomtest

    pairs = only_first + only_second
    return float(binomtest(only_first, pairs).pvalue) if pairs else 1.0


def binomial(hits: float, of: float, share: float) -> float:
    """Compute the p-value of the one-sided exact test that a rate is higher than ``share``.

    Effective numbers need not be whole: the binomial tail is an incomplete beta function of both.
    """
    from scipy.special import betainc

    return float(betainc(hits, of - hits + 1, share)) if hits else 1.0


def higher_values(higher: Sequence[float], others: Sequence[float]) -> float:
    """Return the p-value of ``higher`` values lying above the median of all more often than others.

    Mood's median test by the hypergeometric distribution (Brown and Mood 1951). With ties, as of
    many texts without any error, what counts is to lie above them.
    """
    from scipy.stats import hypergeom

    if not higher or not others:
        return 1.0
    middle = median([*higher, *others])
    above = [sum(value > middle for value in values) for values in (higher, others)]
    return float(hypergeom.sf(above[0] - 1, len(higher) + len(others), sum(above), len(higher)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for the chance of any false rejection (Holm 1979)."""
    adjusted, least = [1.0] * len(p_values), 0.0
    for done, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, p_values[place] * (len(p_values) - done)))
        adjusted[place] = least
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for the false discovery rate (Benjamini and Hochberg 1995)."""
    from scipy.stats import false_discovery_control

    return [float(p) for p in false_discovery_control(p_values)] if p_values else []


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with a 95 % interval; ``why`` is the reason for a missing value or interval."""

    value: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class WeightedShare:
    """Estimated ``share`` of hits among ``total`` cases; None without a sample.

    ``effective``: effective number of sampled cases, infinite if all cases are sampled.
    """

    total: float
    share: float | None
    effective: float = 0.0


def weighted_share(
    sample: Iterable[tuple[bool, float, str]], total: int | None = None
) -> WeightedShare:
    """Estimate a share from ``(hit, weight, text)`` of each case, clustered by text.

    Without ``total``, it is the sum of weights, and the population counts as infinite.
    """
    import numpy

    cases = [(hit, weight, text) for hit, weight, text in sample if weight > 0]
    if not cases:
        return WeightedShare(float(total or 0), None)
    texts = summed((text, weight * hit, weight) for hit, weight, text in cases)
    every = numpy.array([weight for _, weight, _ in cases])
    hit_weights, weights = numpy.array(list(texts.values())).T
    kish = float(every.sum() ** 2 / (every**2).sum())
    # One text says nothing of others, but something of its own cases.
    effective = effective_cases(hit_weights, weights, kish, numpy.ones(len(texts))) or 1.0
    share = float(hit_weights.sum() / weights.sum())
    if total is None:
        return WeightedShare(float(weights.sum()), share, effective)
    left = total - len(cases)
    effective = effective * (total - 1) / left if left > 0 else float("inf")
    return WeightedShare(float(total), share, effective)


def estimate(
    cells: Sequence[WeightedShare], figure: Callable[[Sequence[ndarray]], ndarray], seed: int = 0
) -> Estimate:
    """Estimate a figure of several shares, with an interval from draws of the shares.

    ``figure`` gets one array of shares per cell and returns NaN where it is undefined.
    """
    import numpy

    if not cells or any(cell.share is None for cell in cells):
        return Estimate(None, why="a part of it was not judged")
    with numpy.errstate(divide="ignore", invalid="ignore"):
        value = float(figure([numpy.array([cell.share]) for cell in cells])[0])
        if not numpy.isfinite(value):
            return Estimate(None, why="there is no case")
        rng = numpy.random.default_rng(seed)
        drawn = figure([_drawn(cell, rng) for cell in cells])
    drawn = drawn[numpy.isfinite(drawn)]
    if len(drawn) < RESAMPLES / 2:
        return Estimate(value, why="too few cases for an interval")
    low, high = percentiles(drawn)
    # A share of 0 or 1 lies at the end of its interval.
    return Estimate(value, min(low, value), max(high, value))


def _drawn(cell: WeightedShare, rng: numpy.random.Generator) -> ndarray:
    import numpy

    assert cell.share is not None
    if numpy.isinf(cell.effective):
        return numpy.full(RESAMPLES, cell.share)
    hits = cell.share * cell.effective
    return rng.beta(hits + 0.5, cell.effective - hits + 0.5, RESAMPLES)
