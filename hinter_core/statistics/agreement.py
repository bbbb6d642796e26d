"""Agreement beyond chance: Cohen's and Fleiss' kappa and Krippendorff's alpha, with intervals.

The intervals are percentile bootstraps over items, or over ``clusters`` of items (one text or
template), with 2,000 resamples. These are computed at once, vectorised, from sums over items (Cohen
1960; Fleiss 1971; Krippendorff 2011, "Computing Krippendorff's alpha-reliability").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinter_core.statistics.rates import percentiles, resampled

if TYPE_CHECKING:
    from numpy import ndarray


_ONE_ANSWER = "all answers are the same one, so that chance alone would give full agreement"
_NO_ITEM = "no item was judged by two people"
_TOO_FEW = "the items are too few, or their answers too much alike, for an interval"
_TAIL = 0.025  # share of the resamples beyond either end of an interval
RatingClusters = Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Coefficient:
    """Agreement beyond chance over ``items``: 1 is full agreement, 0 that of chance.

    ``value`` is None if undefined; ``why`` is the reason for a missing value or interval.
    """

    value: float | None
    items: int
    low: float | None = None
    high: float | None = None
    why: str = ""


def cohen(pairs: Sequence[tuple[int, int]], clusters: RatingClusters = None) -> Coefficient:
    """Compute Cohen's unweighted kappa; ``pairs``: codes of two annotators' answers by item."""
    import numpy

    items = len(pairs)
    if not items:
        return Coefficient(None, 0, why=_NO_ITEM)
    used, codes = numpy.unique(pairs, return_inverse=True)
    if len(used) < 2:
        return Coefficient(None, items, why=_ONE_ANSWER)
    # Each item adds one to a cell of the table of first against second answers.
    cells = codes.reshape(-1, 2) @ [len(used), 1]
    return _coefficient(_cohens, numpy.eye(len(used) ** 2, dtype=int)[cells], clusters)


def fleiss(counts: ndarray, clusters: RatingClusters = None) -> Coefficient:
    """Compute Fleiss' kappa; ``counts`` (items, k) of answers, with equal row sums.

    Raises:
        ValueError: items with different numbers of answers.
    """
    import numpy

    items = len(counts)
    if not items or counts[0].sum() < 2:
        return Coefficient(None, 0, why=_NO_ITEM)
    if (counts.sum(axis=1) != counts[0].sum()).any():
        raise ValueError("Fleiss' kappa needs the same number of answers to each item.")
    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return Coefficient(None, items, why=_ONE_ANSWER)
    raters = counts[0].sum()
    # Share of agreeing pairs of answers per item.
    same = ((counts**2).sum(axis=1) - raters) / (raters * (raters - 1))
    parts = numpy.column_stack([counts, same, numpy.ones(items)])
    return _coefficient(_fleisses, parts, clusters)


def alpha(
    counts: ndarray, clusters: RatingClusters = None, *, ordinal: bool = False, seed: int = 0
) -> Coefficient:
    """Compute Krippendorff's alpha; ``counts`` (items, k) of answers, with any row sums.

    Items with a single answer are ignored. ``ordinal``: the columns are ordered, and disagreement
    grows with the distance of ranks.
    """
    import numpy

    paired = counts.sum(axis=1) > 1
    counts = counts[paired]
    if clusters is not None:
        clusters = [cluster for cluster, kept in zip(clusters, paired, strict=True) if kept]
    items = len(counts)
    if not items:
        return Coefficient(None, 0, why=_NO_ITEM)
    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return Coefficient(None, items, why=_ONE_ANSWER)
    # Coincidences: pairs of answers within each item, weighted by 1 / (answers - 1).
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * numpy.eye(
        counts.shape[1], dtype=int
    )
    parts = (pairs / (counts.sum(axis=1) - 1)[:, None, None]).reshape(items, -1)
    return _coefficient(_ordinals if ordinal else _nominals, parts, clusters, seed)


def _coefficient(
    figures: Callable[[ndarray], ndarray], parts: ndarray, clusters: RatingClusters, seed: int = 0
) -> Coefficient:
    """``parts`` (items x sums): contribution of each item to the sums that ``figures`` takes."""
    import numpy

    items, value = len(parts), float(figures(parts.sum(axis=0, keepdims=True))[0])
    if clusters is not None:
        names, rows = numpy.unique(numpy.asarray(clusters), return_inverse=True)
        sums = numpy.zeros((len(names), parts.shape[1]))
        numpy.add.at(sums, rows, parts)
        parts = sums
    if len(parts) < 2:
        made = "all items are made from one text or template"
        return Coefficient(value, items, why=made if items > 1 else "there is only one item")
    if value > 1 - 1e-12:
        return Coefficient(1.0, items, why="no two answers differ")
    with numpy.errstate(divide="ignore", invalid="ignore"):
        drawn = figures(resampled(Counter(map(tuple, parts.tolist())), seed))
    defined = drawn[numpy.isfinite(drawn)]  # undefined where all answers of a resample are equal
    if len(defined) < len(drawn) / 2:
        return Coefficient(value, items, why="nearly all answers are the same one")
    low, high = percentiles(defined)
    # Undefined ones agree fully: leaving out more of them than lie beyond an end moves that end.
    if len(drawn) - len(defined) > _TAIL * len(drawn) or not low < value < high:
        return Coefficient(value, items, why=_TOO_FEW)
    return Coefficient(value, items, low, high)


def _cohens(cells: ndarray) -> ndarray:
    """Compute Cohen's kappa of each row, a flattened (k, k) table."""
    k = round(cells.shape[1] ** 0.5)
    tables = cells.reshape(-1, k, k) / cells.sum(axis=1)[:, None, None]
    observed = tables.trace(axis1=1, axis2=2)
    expected = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)
    return _beyond(observed, expected)


def _fleisses(sums: ndarray) -> ndarray:
    """Compute Fleiss' kappa of each row: k counts of answers, share of agreeing pairs, items."""
    answers, same, items = sums[:, :-2], sums[:, -2], sums[:, -1]
    shares = answers / answers.sum(axis=1, keepdims=True)
    return _beyond(same / items, (shares**2).sum(axis=1))


def _beyond(observed: ndarray, expected: ndarray) -> ndarray:
    import numpy

    # If all answers are equal, 1 - expected is 0 up to rounding.
    return numpy.where(expected > 1 - 1e-12, numpy.nan, (observed - expected) / (1 - expected))


def _nominals(sums: ndarray) -> ndarray:
    """Compute nominal alpha of each row, flattened coincidences (k, k)."""
    import numpy

    k = round(sums.shape[1] ** 0.5)
    return _alphas(sums.reshape(-1, k, k), 1 - numpy.eye(k))


def _ordinals(sums: ndarray) -> ndarray:
    """Compute ordinal alpha of each row: the distance of two values is that of their mid-ranks."""
    k = round(sums.shape[1] ** 0.5)
    by_value = sums.reshape(-1, k, k).sum(axis=2)
    middle = by_value.cumsum(axis=1) - by_value / 2
    return _alphas(sums.reshape(-1, k, k), (middle[:, :, None] - middle[:, None, :]) ** 2)


def _alphas(coincidences: ndarray, distance: ndarray) -> ndarray:
    import numpy

    by_value = coincidences.sum(axis=2)
    chance = by_value[:, :, None] * by_value[:, None, :] * distance
    observed, expected = (coincidences * distance).sum(axis=(1, 2)), chance.sum(axis=(1, 2))
    total = by_value.sum(axis=1)
    return numpy.where(expected > 0, 1 - (total - 1) * observed / expected, numpy.nan)
