"""Rates, their differences and tests, and shares of weighted samples, with 95 % intervals.

The formulas for independent and clustered cases are those of statsmodels and scipy.

The cells of a stratified, weighted sample have few cases, often all equal, so that bootstrap
resamples would not vary. Intervals of its shares, and of figures of several shares, come from draws
of Jeffreys' posterior of a share instead (Brown, Cai and DasGupta 2001), over the *effective*
number of cases (Kish 1965), with the finite population correction (Cochran 1977) if the size of the
population is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy
    from numpy import ndarray


CONFIDENCE = 0.95
RESAMPLES = 2000


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
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(hits, of, alpha=1 - CONFIDENCE, method="wilson")
    # Rounding leaves the ends of 0 and 1 a little off.
    return float(low) if hits else 0.0, float(high) if hits < of else 1.0


def resampled(sources: Mapping[Any, int], seed: int) -> ndarray:
    """Draw bootstrap resamples of sources; return sums (resamples x numbers of a source).

    ``sources``: how many sources have the same numbers. Equal sources are exchangeable, so the
    counts of the distinct ones are multinomial.
    """
    import numpy

    distinct = sorted(sources)
    counts = numpy.array([sources[own] for own in distinct])
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


def newcombe_difference(first: Rate, second: Rate) -> Difference:
    """Subtract a second rate from a first, of independent cases, with Newcombe's interval."""
    if first.share is None or second.share is None:
        return Difference(None)
    return Difference(first.share - second.share, *_newcombe(first, second))


def _newcombe(first: Rate, second: Rate) -> tuple[float, float]:
    """Compute the hybrid score interval of a difference of independent rates (Newcombe 1998)."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    low, high = confint_proportions_2indep(
        first.hits, first.of, second.hits, second.of, method="newcomb", alpha=1 - CONFIDENCE
    )
    return float(low), float(high)


def mcnemar(only_first: int, only_second: int) -> float:
    """Compute the p-value of the exact McNemar test from the numbers of discordant pairs."""
    from statsmodels.stats.contingency_tables import mcnemar as test

    if not only_first and not only_second:
        return 1.0
    return float(test([[0, only_first], [only_second, 0]], exact=True).pvalue)


def binomial(hits: float, of: float, share: float) -> float:
    """Compute the p-value of the one-sided exact test that a rate is higher than ``share``.

    Effective numbers need not be whole: the binomial tail is an incomplete beta function of both.
    """
    from scipy.special import betainc

    return float(betainc(hits, of - hits + 1, share)) if hits else 1.0


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
    cases = [(hit, weight, text) for hit, weight, text in sample if weight > 0]
    if not cases:
        return WeightedShare(float(total or 0), None)
    weights = sum(weight for _, weight, _ in cases)
    share = sum(weight for hit, weight, _ in cases if hit) / weights
    effective = _effective(cases, share)
    if total is None:
        return WeightedShare(weights, share, effective)
    left = total - len(cases)
    effective = effective * (total - 1) / left if left > 0 else float("inf")
    return WeightedShare(float(total), share, effective)


def _effective(cases: Sequence[tuple[bool, float, str]], share: float) -> float:
    """Compute the effective number of cases: by weights (Kish), over the design effect of texts.

    The latter is the variance between texts over that between cases, both linearised, at least 1
    (Rao and Scott 1992). If all cases agree it cannot be estimated: the cases of a text count as
    one.
    """
    texts: dict[str, float] = defaultdict(float)
    residuals: dict[str, float] = defaultdict(float)
    for hit, weight, text in cases:
        texts[text] += weight
        residuals[text] += weight * (hit - share)
    weights = sum(texts.values())
    if 0 < share < 1 and len(texts) > 1:
        within = sum((weight * (hit - share)) ** 2 for hit, weight, _ in cases)
        between = sum(value**2 for value in residuals.values()) * len(texts) / (len(texts) - 1)
        effect = between / (within * len(cases) / (len(cases) - 1))
        return weights**2 / sum(weight**2 for _, weight, _ in cases) / max(1.0, effect)
    return weights**2 / sum(weight**2 for weight in texts.values())


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
