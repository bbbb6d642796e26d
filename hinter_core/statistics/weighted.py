"""Estimate population shares, and figures of several shares, from a stratified, weighted sample.

The cells of such a sample have few cases, often all equal, so that bootstrap resamples would not
vary. Intervals come from draws of Jeffreys' posterior of a share instead (Brown, Cai and DasGupta
2001), over the *effective* number of cases (Kish 1965), with the finite population correction
(Cochran 1977) if the size of the population is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinter_core.statistics.rates import RESAMPLES, percentiles

if TYPE_CHECKING:
    import numpy
    from numpy import ndarray


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
