"""Rates of cases clustered by source text, and their differences, with 95 % intervals.

Mutants of one text are not independent: texts are. Intervals cover 95 % or a little more for few
texts, few errors, uneven and alike ones, without a jump where there is no error: simulated by
``python -m benchmarks --coverage``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hinter_core.statistics.rates import CONFIDENCE, Difference, Rate, binomial, wilson_ends

if TYPE_CHECKING:
    from numpy import ndarray

Sources = Iterable[tuple[int, ...]] | Mapping[tuple[int, ...], int]  # or how often each occurs

# The grid on which the beta-binomial likelihood is integrated: logits of the mean and of the
# correlation within a text, laid anew around the mass as often as _ZOOMS says.
_MEANS, _CORRELATIONS, _ZOOMS = 33, 11, 3
_MEAN_ENDS, _CORRELATION_ENDS = (-13.0, 13.0), (-8.5, 2.2)
_NO_MASS = 1e-4  # of the highest: what lies outside is left out of the next grid
_MOST_OF_A_WORD = 0.8  # of a side's weight, by which its share is corrected
_FEWEST_CLUSTERS = 4  # of Student's distribution


class WordSums(NamedTuple):
    """Sums over the mutants of one side by the words that they exchange.

    A mutant of a text with n and m cases on its own and on the other side counts m / (n + m).
    ``sums``: ``(hits, weight)`` by word. ``shared``: sums over the words of each text of hits
    squared, of hits times weight and of weight squared.
    """

    sums: Sequence[tuple[float, float]]
    shared: tuple[float, float, float]


def cluster_rate(sources: Sources) -> Rate:
    """Compute a rate of cases clustered by text; ``sources``: ``(hits, cases)`` of each text.

    The hits of a text are beta-binomial, with a mean and a correlation within texts that all texts
    share. The interval holds the mean's central 95 % of the likelihood, integrated over the
    correlation, with Jeffreys' prior of a share for the mean and Beta(1, 3) for the correlation.
    Fewer than two texts give no interval.
    """
    pairs = _counted(sources, 1)
    hits, of = _sums(pairs) or (0, 0)
    if pairs.total() < 2:
        return Rate(hits, of)
    low, high = _beta_binomial(pairs)
    # The share weights texts by their cases, the mean does not; the interval holds both.
    low, high = min(low, hits / of), max(high, hits / of)
    return Rate(hits, of, low if hits else 0.0, high if hits < of else 1.0)


def _counted(sources: Sources, *cases: int) -> Counter[tuple[int, ...]]:
    """How many sources have the same numbers, of those with a case at all of these places."""
    counted = Counter(sources)
    return Counter({own: n for own, n in counted.items() if all(own[place] for place in cases)})


def _sums(counted: Counter[tuple[int, ...]]) -> list[int]:
    """Each number summed over all sources."""
    every = zip(*([value * n for value in own] for own, n in counted.items()), strict=True)
    return [sum(column) for column in every]


def _beta_binomial(pairs: Counter[tuple[int, ...]]) -> tuple[float, float]:
    """Return the ends of the mean's interval."""
    import numpy
    from scipy.special import expit

    hits, misses, cases = Counter[int](), Counter[int](), Counter[int]()
    for (hit, of), texts in pairs.items():
        hits[hit] += texts
        misses[of - hit] += texts
        cases[of] += texts
    means, correlations = _MEAN_ENDS, _CORRELATION_ENDS
    for zoom in range(_ZOOMS):
        mean = numpy.linspace(*means, _MEANS)
        correlation = numpy.linspace(*correlations, _CORRELATIONS)
        size = numpy.exp(-correlation)  # the sum of the parameters of the beta distribution
        share, within = expit(mean), expit(correlation)
        log = _log_rising(numpy.outer(share, size), hits)
        log += _log_rising(numpy.outer(1 - share, size), misses) - _log_rising(size, cases)
        # The priors, by the logit: Jeffreys' and Beta(1, 3).
        log += 0.5 * numpy.log(share * (1 - share))[:, None]
        log += numpy.log(within) + 3 * numpy.log1p(-within)
        mass = numpy.exp(log - log.max())
        if zoom < _ZOOMS - 1:
            means = _around(mean, mass.sum(axis=1))
            correlations = _around(correlation, mass.sum(axis=0))
    density = mass.sum(axis=1)
    below = numpy.concatenate([[0.0], numpy.cumsum(density[1:] + density[:-1])])
    tail = (1 - CONFIDENCE) / 2
    low, high = expit(numpy.interp([tail, 1 - tail], below / below[-1], mean))
    return float(low), float(high)


def _log_rising(start: ndarray, numbers: Counter[int]) -> ndarray:
    """Sum the logarithms of ``start (start + 1) ... (start + n - 1)`` over all ``numbers`` n."""
    import numpy
    from scipy.special import gammaln

    distinct = sorted(n for n in numbers if n)
    total = numpy.zeros(start.shape)
    if distinct and distinct[-1] > 10 * len(distinct):  # as a ratio of gamma functions
        for n in distinct:
            total += numbers[n] * (gammaln(start + n) - gammaln(start))
        return total
    more = sum(numbers[n] for n in distinct)  # of the numbers, those above i
    for i in range(distinct[-1] if distinct else 0):
        total += more * numpy.log(start + i)
        more -= numbers[i + 1]
    return total


def _around(grid: ndarray, mass: ndarray) -> tuple[float, float]:
    """Return the ends of the part of a grid where the mass lies, with a step beyond."""
    import numpy

    (there,) = numpy.nonzero(mass > mass.max() * _NO_MASS)
    ends = max(there[0] - 1, 0), min(there[-1] + 1, len(grid) - 1)
    return float(grid[ends[0]]), float(grid[ends[1]])


def paired_difference(sources: Sources, words: Sequence[WordSums] = ()) -> Difference:
    """Subtract a second rate from a first within texts (Mantel and Haenszel 1959).

    ``sources``: ``(hits, cases, hits, cases)`` of each text; texts without a case on either side
    are dropped. A text with n and m cases weighs n m / (n + m), so that fragile texts do not count
    for one side more than for the other. With as many cases on both sides it is the difference of
    the pooled rates.

    Interval and p-value are Student's with the variance between texts, to which the variance of
    independent cases at the pooled rate is added, less the more errors there are: few errors show
    no variance between texts. Fewer than two texts give neither.

    ``words``: the sums by word of both sides. The variance between words is added then, less that
    of words within texts (clusters in two ways: Cameron, Gelbach and Miller 2011), for a model that
    reacts to a word does so in every text. Student's degrees of freedom are the effective number of
    texts or of words, whichever is lower, since a few words may make all the difference.
    """
    import numpy
    from scipy.stats import t

    both = _counted(sources, 1, 3)
    if not both:
        return Difference(None)
    a, n, b, m = numpy.array(list(both), dtype=float).T
    texts = numpy.array(list(both.values()), dtype=float)
    weights, number = texts * n * m / (n + m), int(both.total())
    total = weights.sum()
    own = a / n - b / m
    value = float((weights * own).sum() / total)
    if number < 2:
        return Difference(value)
    residuals = weights / texts * (own - value) / total
    spread, freedom = float((texts * residuals**2).sum()), float(number - 1)
    if words:
        rates = [float((weights * rate).sum() / total) for rate in (a / n, b / m)]
        more, effective = _between_words(words, rates, float(total))
        spread += max(more, 0.0)
        effective = min(effective, _effective(residuals, texts))
        freedom = min(freedom, max(effective, _FEWEST_CLUSTERS))
    hits, of = (texts * (a + b)).sum(), (texts * (n + m)).sum()
    hits = min(hits, of - hits) + 1  # one more, so that none is not certain
    share = hits / (of + 2)
    few = share * (1 - share) / total * min(1.0, 4 / hits)
    error = float(numpy.sqrt(spread * number / (number - 1) + few))
    reach = error * float(t.ppf((1 + CONFIDENCE) / 2, freedom))
    p_value = 2 * float(t.sf(abs(value) / error, freedom))
    return Difference(value, max(value - reach, -1.0), min(value + reach, 1.0), p_value)


def _between_words(
    words: Sequence[WordSums], rates: Sequence[float], total: float
) -> tuple[float, float]:
    """Return what words add to the variance, and their effective number."""
    import numpy

    variance, every = 0.0, []
    for (sums, (squares, products, weight_squares)), rate in zip(words, rates, strict=True):
        hits, weight = numpy.array(sums, dtype=float).reshape(-1, 2).T
        # A word with a large share of the weight draws the rate towards its own.
        own = (hits - rate * weight) / numpy.maximum(total - weight, (1 - _MOST_OF_A_WORD) * total)
        variance += float((own**2).sum())
        variance -= (squares - 2 * rate * products + rate**2 * weight_squares) / total**2
        every.append(own)
    found = numpy.concatenate(every)
    return variance, _effective(found, numpy.ones(len(found)))


def _effective(residuals: ndarray, number: ndarray) -> float:
    """Return the effective number of clusters, by their shares of the variance."""
    squares = residuals**2
    most = (number * squares**2).sum()
    return float((number * squares).sum() ** 2 / most) if most else float(number.sum())


def two_sample_difference(first: Sources, second: Sources) -> Difference:
    """Subtract a second rate from a first on different texts; ``(hits, cases)`` of each text.

    The interval joins those of both rates (MOVER; Zou and Donner 2008). Fewer than two texts on a
    side give none.
    """
    one, two = cluster_rate(first), cluster_rate(second)
    if one.share is None or two.share is None:
        return Difference(None)
    value = one.share - two.share
    if one.low is None or one.high is None or two.low is None or two.high is None:
        return Difference(value)
    down = ((one.share - one.low) ** 2 + (two.high - two.share) ** 2) ** 0.5
    up = ((one.high - one.share) ** 2 + (two.share - two.low) ** 2) ** 0.5
    return Difference(value, value - down, value + up)


@dataclass(slots=True)
class Clusters:
    """Running sums over source texts with ``errors`` e of ``cases`` n.

    ``texts`` counts those with a case; the others are the sums of e * e, e * n and n * n.
    """

    errors: int = 0
    cases: int = 0
    texts: int = 0
    error_squares: int = 0
    products: int = 0
    case_squares: int = 0

    def add(self, errors: int, cases: int) -> None:
        """Add one text, with all its cases."""
        self.errors += errors
        self.cases += cases
        self.texts += cases > 0
        self.error_squares += errors * errors
        self.products += errors * cases
        self.case_squares += cases * cases

    @property
    def design_effect(self) -> float:
        """Design effect of clustering by text, at least 1 (Rao and Scott 1992).

        The variance of the rate between texts, with the factor k / (k - 1) for k texts, over that
        of independent cases. It is 1 if each text has one case. If no case or every case is an
        error it cannot be estimated, and the cases of a text count as one.
        """
        if self.case_squares == self.cases:
            return 1.0
        if self.texts < 2 or self.errors in (0, self.cases):
            return self.case_squares / self.cases
        rate = self.errors / self.cases
        spread = self.error_squares - 2 * rate * self.products + rate * rate * self.case_squares
        spread *= self.texts / (self.texts - 1)
        return max(1.0, spread / (self.cases * rate * (1 - rate)))


def cluster_wilson(sums: Clusters) -> Rate:
    """Compute a clustered rate with Wilson's interval over the effective number of cases.

    Fewer than two texts give no interval, as in :func:`cluster_rate`.
    """
    if sums.texts < 2:
        return Rate(sums.errors, sums.cases)
    effect = sums.design_effect
    return Rate(sums.errors, sums.cases, *wilson_ends(sums.errors / effect, sums.cases / effect))


def one_sided_test(sums: Clusters, share: float) -> float:
    """Compute the one-sided p-value that a rate of clustered cases is higher than ``share``.

    The test is :func:`binomial` over the effective number of cases (Rao and Scott 1992); with
    fewer than two texts the p-value is 1.
    """
    if sums.texts < 2:
        return 1.0
    effect = sums.design_effect
    return binomial(sums.errors / effect, sums.cases / effect, share)
