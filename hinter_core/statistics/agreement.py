"""Agreement beyond chance: Cohen's and Fleiss' kappa and Krippendorff's alpha, with intervals.

The figures are those of statsmodels and of the package krippendorff. Their intervals draw items
anew (percentile bootstrap, 2,000 resamples), and items of one text or template together, as they
are alike. That needs each figure 2,000 times, so it is computed for all resamples at once from sums
over items (Cohen 1960; Fleiss 1971; Krippendorff 2011, "Computing Krippendorff's
alpha-reliability"). The tests hold both ways of computing together.

``clusters`` say which text or template each item is of; without them each item is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinter_core.statistics.rates import percentiles, resampled

if TYPE_CHECKING:
    from numpy import ndarray


_ONE_ANSWER = "all answers are the same one, so that chance alone would give full agreement"
_NO_ITEM = "no item was judged by two people"
RatingClusters = Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Coefficient:
    """An agreement beyond chance: 1 is full, 0 is that of chance, below is worse than chance.

    ``items``: how many it comes from. ``value`` is None where it is not defined; ``why`` says why
    there is no value, or no interval.
    """

    value: float | None
    items: int
    low: float | None = None
    high: float | None = None
    why: str = ""


def cohen(pairs: ndarray, clusters: RatingClusters = None, seed: int = 0) -> Coefficient:
    """Cohen's kappa of two annotators, not weighted; ``pairs`` (items, 2) of numbers of answers."""
    import numpy
    from statsmodels.stats.inter_rater import cohens_kappa

    items = len(pairs)
    if not items:
        return Coefficient(None, 0, why=_NO_ITEM)
    used, codes = numpy.unique(pairs, return_inverse=True)
    if len(used) < 2:
        return Coefficient(None, items, why=_ONE_ANSWER)
    # Each item adds one to a cell of the table of first against second answers.
    cells = codes.reshape(-1, 2) @ [len(used), 1]
    parts = numpy.eye(len(used) ** 2, dtype=int)[cells]
    table = parts.sum(axis=0).reshape(len(used), len(used))
    value = float(cohens_kappa(table, return_results=False))
    return _with_interval(value, parts, _cohens, clusters, seed)


def fleiss(counts: ndarray, clusters: RatingClusters = None, seed: int = 0) -> Coefficient:
    """Fleiss' kappa; ``counts`` (items, k) of answers, with the same number of them everywhere.

    Raises:
        ValueError: items with different numbers of answers.
    """
    import numpy
    from statsmodels.stats.inter_rater import fleiss_kappa

    items = len(counts)
    if not items or counts[0].sum() < 2:
        return Coefficient(None, 0, why=_NO_ITEM)
    if (counts.sum(axis=1) != counts[0].sum()).any():
        raise ValueError("Fleiss' kappa needs the same number of answers to each item.")
    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return Coefficient(None, items, why=_ONE_ANSWER)
    many = counts[0].sum()
    same = ((counts**2).sum(axis=1) - many) / (many * (many - 1))  # pairs of answers that agree
    parts = numpy.column_stack([counts, same, numpy.ones(items)])
    return _with_interval(float(fleiss_kappa(counts)), parts, _fleisses, clusters, seed)


def alpha(
    counts: ndarray, clusters: RatingClusters = None, *, ordinal: bool = False, seed: int = 0
) -> Coefficient:
    """Krippendorff's alpha; ``counts`` (items, k) of answers, any number of them to an item.

    Items with a single answer count for nothing. ``ordinal``: the columns have an order, and a near
    miss counts less than a far one.
    """
    import krippendorff
    import numpy

    paired = counts.sum(axis=1) > 1
    counts = counts[paired]
    if clusters is not None:
        clusters = [own for own, stays in zip(clusters, paired, strict=True) if stays]
    items = len(counts)
    if not items:
        return Coefficient(None, 0, why=_NO_ITEM)
    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return Coefficient(None, items, why=_ONE_ANSWER)
    value = krippendorff.alpha(
        value_counts=counts, level_of_measurement="ordinal" if ordinal else "nominal"
    )
    # Pairs of answers within each item, by their two values, over the partners of an answer.
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * numpy.eye(
        counts.shape[1], dtype=int
    )
    parts = (pairs / (counts.sum(axis=1) - 1)[:, None, None]).reshape(items, -1)
    figures = _ordinals if ordinal else _nominals
    return _with_interval(float(value), parts, figures, clusters, seed)


def _with_interval(
    value: float,
    parts: ndarray,
    figures: Callable[[ndarray], ndarray],
    clusters: RatingClusters,
    seed: int,
) -> Coefficient:
    """``parts``: what each item adds to the sums (a line an item) that ``figures`` come from."""
    import numpy

    items = len(parts)
    if clusters is not None:
        names, own = numpy.unique(numpy.asarray(clusters), return_inverse=True)
        sums = numpy.zeros((len(names), parts.shape[1]))
        numpy.add.at(sums, own, parts)
        parts = sums
    if len(parts) < 2:
        return Coefficient(value, items, why="one item or text says nothing of others")
    if value > 1 - 1e-12:
        return Coefficient(1.0, items, why="no two answers differ")
    with numpy.errstate(divide="ignore", invalid="ignore"):
        drawn = figures(resampled(parts, seed))
    whole = drawn[numpy.isfinite(drawn)]  # a resample that holds one answer only has no figure
    if len(whole) < len(drawn) / 2:
        return Coefficient(value, items, why="nearly all answers are the same one")
    return Coefficient(value, items, *percentiles(whole))


def _cohens(cells: ndarray) -> ndarray:
    """Cohen's kappa of each line, a table of (k, k) cells laid flat."""
    k = round(cells.shape[1] ** 0.5)
    tables = cells.reshape(-1, k, k) / cells.sum(axis=1)[:, None, None]
    observed = tables.trace(axis1=1, axis2=2)
    expected = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)
    return _beyond(observed, expected)


def _fleisses(sums: ndarray) -> ndarray:
    """Fleiss' kappa of each line: k counts of answers, agreeing pairs, items."""
    answers, same, items = sums[:, :-2], sums[:, -2], sums[:, -1]
    shares = answers / answers.sum(axis=1, keepdims=True)
    return _beyond(same / items, (shares**2).sum(axis=1))


def _beyond(observed: ndarray, expected: ndarray) -> ndarray:
    import numpy

    # Where all answers are one, 1 - expected is 0 but for rounding.
    return numpy.where(expected > 1 - 1e-12, numpy.nan, (observed - expected) / (1 - expected))


def _nominals(sums: ndarray) -> ndarray:
    """Krippendorff's alpha of each line, coincidences (k, k) laid flat; any two values differ."""
    import numpy

    found, by_value = _coincidences(sums)
    k = by_value.shape[1]
    return _alphas(found, by_value, numpy.broadcast_to(1 - numpy.eye(k), found.shape))


def _ordinals(sums: ndarray) -> ndarray:
    """The same where values are ranks: apart by the answers between them, half of their own."""
    import numpy

    found, by_value = _coincidences(sums)
    until = by_value.cumsum(axis=1) - by_value / 2  # the middle of each value's ranks
    apart = (until[:, :, None] - until[:, None, :]) ** 2
    return _alphas(found, by_value, numpy.asarray(apart))


def _coincidences(sums: ndarray) -> tuple[ndarray, ndarray]:
    k = round(sums.shape[1] ** 0.5)
    found = sums.reshape(-1, k, k)
    return found, found.sum(axis=2)


def _alphas(found: ndarray, by_value: ndarray, apart: ndarray) -> ndarray:
    import numpy

    chance = by_value[:, :, None] * by_value[:, None, :] * apart
    off, expected = (found * apart).sum(axis=(1, 2)), chance.sum(axis=(1, 2))
    total = by_value.sum(axis=1)
    return numpy.where(expected > 0, 1 - (total - 1) * off / expected, numpy.nan)
