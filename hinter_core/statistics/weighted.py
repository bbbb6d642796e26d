"""What a weighted sample says of all it was drawn from: shares, and figures made of several shares.

A sample drawn by strata has weights, and few cases in a cell, often all of one kind. Drawing its
cases anew shows nothing where they agree, so shares are drawn instead: from Jeffreys' distribution
of a share (Brown, Cai and DasGupta 2001) over the *effective* number of cases (Kish 1965), with the
correction for a finite population (Cochran 1977) where it is known how many there are.
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
    """A figure with a 95 % interval, or None with the reason ``why`` there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class WeightedShare:
    """``total`` cases, of which a sample says that ``share`` are of a kind; None without a sample.

    ``effective``: as many unweighted cases the sample is worth; infinite where it is all of them.
    """

    total: float
    share: float | None
    effective: float = 0.0


def weighted_share(
    sample: Iterable[tuple[bool, float, str]], total: int | None = None
) -> WeightedShare:
    """The cell of ``(is of the kind, weight, text it is of)``; ``total`` cases, if that is known.

    Without ``total``, it is the sum of weights, and the population counts as endless. Cases of one
    text are alike, so that they are worth less than as many of other texts.
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
    """The number of cases for their weights (Kish), over the design effect of their texts.

    That is the variance between texts over that between cases, both linearised, at least 1 (Rao and
    Scott 1992). Where all cases agree it cannot be seen: each text speaks with one voice.
    """
    texts: dict[str, float] = defaultdict(float)
    off: dict[str, float] = defaultdict(float)
    for hit, weight, text in cases:
        texts[text] += weight
        off[text] += weight * (hit - share)
    weights = sum(texts.values())
    if 0 < share < 1 and len(texts) > 1:
        apart = sum((weight * (hit - share)) ** 2 for hit, weight, _ in cases)
        between = sum(value**2 for value in off.values()) * len(texts) / (len(texts) - 1)
        effect = between / (apart * len(cases) / (len(cases) - 1))
        return weights**2 / sum(weight**2 for _, weight, _ in cases) / max(1.0, effect)
    return weights**2 / sum(weight**2 for weight in texts.values())


def estimate(
    cells: Sequence[WeightedShare], figure: Callable[[Sequence[ndarray]], ndarray], seed: int = 0
) -> Estimate:
    """A figure of the shares of some cells, with an interval from shares drawn (see above).

    ``figure`` is given one array of shares a cell, and answers NaN where it cannot be computed.
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
    # A share of 0 or 1 lies at the end of its own interval.
    return Estimate(value, min(low, value), max(high, value))


def _drawn(cell: WeightedShare, rng: numpy.random.Generator) -> ndarray:
    import numpy

    assert cell.share is not None
    if numpy.isinf(cell.effective):
        return numpy.full(RESAMPLES, cell.share)
    hits = cell.share * cell.effective
    return rng.beta(hits + 0.5, cell.effective - hits + 0.5, RESAMPLES)
