"""Rates of cases clustered by source text, and their differences, with 95 % intervals.

Mutants of one text are not independent: texts are. The estimand of a rate is the ratio that is
printed, of all hits to all cases in the population of texts. Intervals and tests of it are those of
independent cases over the *effective number of cases* (:func:`effective_cases`). How often they
hold the truth is simulated by ``python -m benchmarks --coverage``: see
docs/explanation/statistics.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hinter_core.statistics.rates import (
    CONFIDENCE,
    FEWEST,
    Difference,
    Rate,
    binomial,
    effective_cases,
    effective_number,
    wilson_ends,
)

if TYPE_CHECKING:
    from numpy import ndarray

Sources = Iterable[tuple[int, ...]] | Mapping[tuple[int, ...], int]  # or how often each occurs

POWER = 0.8
_MOST_OF_A_WORD = 0.8  # of a side's weight, by which its share is corrected
_THREE_IN_ALL = (3 / 1.96) ** 2  # the rule of three, as a variance whose interval reaches it
_FEWEST_WORDS = 4  # degrees of freedom of a variance between words


class WordSums(NamedTuple):
    """Per-word weighted error sums of one arm.

    Weight of a mutant: m / (n + m), where its text has n cases in this arm and m in the other.
    ``sums``: ``(hits, weight)`` by word. ``shared``: sums over the words of each text of hits
    squared, of hits times weight and of weight squared.
    """

    sums: Sequence[tuple[float, float]]
    shared: tuple[float, float, float]


def cluster_rate(sources: Sources) -> Rate:
    """Compute a rate of cases clustered by text; ``sources``: ``(hits, cases)`` of each text.

    The interval is Wilson's over the effective number of cases. Fewer than two texts give none.
    """
    hits, of, number = _pooled(sources)
    return Rate(hits, of, *wilson_ends(hits / of * number, number)) if number else Rate(hits, of)


def one_sided_test(sources: Sources, share: float) -> float:
    """Compute the one-sided p-value that a rate of clustered cases is higher than ``share``.

    The test is :func:`binomial` over the effective number of cases, as if their variance were
    known: few unlike texts rather hide a high rate than make one. With fewer than two texts the
    p-value is 1.
    """
    hits, of, number = _pooled(sources, few=False)
    return binomial(hits / of * number, number, share) if number else 1.0


def tested_number(sources: Sources) -> float:
    """Return the number of independent cases that :func:`one_sided_test` takes the cases for."""
    return _pooled(sources, few=False)[2]


def _pooled(sources: Sources, *, few: bool = True) -> tuple[int, int, float]:
    """Return hits and cases of all texts, and the effective number of cases."""
    import numpy

    texts = _counted(sources, 1)
    hits, cases = numpy.array([text[:2] for text in sorted(texts)], dtype=float).reshape(-1, 2).T
    times = numpy.array([texts[text] for text in sorted(texts)], dtype=float)
    of = int(times @ cases)
    return int(times @ hits), of, effective_cases(hits, cases, of, times, few=few)


def _counted(sources: Sources, *cases: int) -> Counter[tuple[int, ...]]:
    """Count sources with equal numbers, among those with cases at all of these indices.

    They are sorted, as sums of numbers in another order differ in their last digits.
    """
    counted = sorted(Counter(sources).items())
    return Counter({counts: n for counts, n in counted if all(counts[place] for place in cases)})


def paired_difference(sources: Sources, words: Sequence[WordSums] = ()) -> Difference:
    """Subtract a second rate from a first within texts (Mantel and Haenszel 1959).

    ``sources``: ``(hits, cases, hits, cases)`` of each text; texts without a case on either side
    are dropped. A text with n and m cases weighs n m / (n + m), so that fragile texts do not count
    for one side more than for the other. With as many cases on both sides it is the difference of
    the pooled rates.

    Interval and p-value are Student's with the variance between texts (jackknife), to which what
    few errors cannot show is added, less the more there are: the larger of the variance of
    independent cases at the pooled rate and of a text that was not drawn and differs in all its
    cases (:func:`_unseen`). The degrees of freedom are the effective number of texts. Fewer than
    two texts give neither.

    ``words``: the sums by word of both sides. The variance between words is added then, less that
    of words within texts (clusters in two ways: Cameron, Gelbach and Miller 2011), for a model that
    reacts to a word does so in every text. The degrees of freedom are those of words, by the weight
    that they have and not by their residuals: if one word makes all errors of one side, its
    residual says how strong the effect is and not how few words there were to show it.
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
    differences = a / n - b / m
    value = float((weights * differences).sum() / total)
    if number < 2:
        return Difference(value)
    each = weights / texts
    residuals = each * (differences - value) / (total - each)
    spread, freedom = float((texts * residuals**2).sum()), float(number - 1)
    if words:
        rates = [float((weights * rate).sum() / total) for rate in (a / n, b / m)]
        more, effective = _between_words(words, rates, float(total))
        spread += max(more, 0.0)
        freedom = min(freedom, max(effective, _FEWEST_WORDS))
    else:
        # Three times, as for normal residuals: unlike those of a rate, they are hardly skewed.
        freedom = max(min(freedom, 3 * effective_number(residuals, texts)), FEWEST)
    hits, of = (texts * (a + b)).sum(), (texts * (n + m)).sum()
    hits = min(hits, of - hits) + 1  # one more, so that none is not certain
    share = hits / (of + 2)
    few = share * (1 - share) / total * min(1.0, 4 / hits)
    few = max(few, _unseen(differences, weights, texts))
    error = float(numpy.sqrt(spread * number / (number - 1) + few))
    reach = error * float(t.ppf((1 + CONFIDENCE) / 2, freedom))
    p_value = 2 * float(t.sf(abs(value) / error, freedom))
    return Difference(value, max(value - reach, -1.0), min(value + reach, 1.0), p_value)


def _unseen(differences: ndarray, weights: ndarray, texts: ndarray) -> float:
    """Return the variance by texts that differ and were not drawn.

    If none of n texts differs, up to 3/n of all may (Hanley and Lippman-Hand 1983), and each in all
    its cases. The more texts differ, the less this adds, and the more like theirs it is taken to
    be.
    """
    total, differ = weights.sum(), texts[differences != 0].sum()
    squares = ((weights * differences / total) ** 2 / texts).sum()
    one_more = (weights**2 / texts).sum() / total**2  # the weight of a text (Kish 1965)
    return float(_THREE_IN_ALL * (squares + one_more**2) / (differ + 1) ** 2)


def _between_words(
    words: Sequence[WordSums], rates: Sequence[float], total: float
) -> tuple[float, float]:
    """Return what words add to the variance, and its degrees of freedom (Welch 1947)."""
    import numpy

    variance, squared, by_freedom = 0.0, 0.0, 0.0
    for (sums, (squares, products, weight_squares)), rate in zip(words, rates, strict=True):
        hits, weight = numpy.array(sorted(sums), dtype=float).reshape(-1, 2).T
        # A word with a large share of the weight draws the rate towards its own.
        deviations = (hits - rate * weight) / numpy.maximum(
            total - weight, (1 - _MOST_OF_A_WORD) * total
        )
        side = float((deviations**2).sum())
        within = (squares - 2 * rate * products + rate**2 * weight_squares) / total**2
        variance += side - within
        squared += side
        by_freedom += side**2 / max(effective_number(weight, numpy.ones(len(weight))), 1.0)
    return variance, squared**2 / by_freedom if by_freedom else float("inf")


def texts_needed(
    cases: Sequence[tuple[int, int]], rates: tuple[float, float], alike: float
) -> int | None:
    """Return how many texts :func:`paired_difference` needs to find a difference of two rates.

    With the usual power of 80 % at the 5 % level. ``cases``: numbers of cases of some of the texts
    on both sides. ``alike``: correlation of the cases of a text on one side. None if no text has
    cases on both.
    """
    import numpy
    from scipy.special import ndtri

    n, m = numpy.array([pair for pair in cases if all(pair)], dtype=float).reshape(-1, 2).T
    if not len(n):
        return None
    variance = sum(
        rate * (1 - rate) * (1 + (of - 1) * alike) / of
        for rate, of in zip(rates, (n, m), strict=True)
    )
    weights = n * m / (n + m)
    # Texts that weigh unlike each other, or have cases on one side only, tell less.
    each = (weights**2 * variance).sum() / weights.sum() ** 2 * len(cases)
    reach = ndtri((1 + CONFIDENCE) / 2) + ndtri(POWER)
    return int(numpy.ceil(each * (reach / (rates[0] - rates[1])) ** 2))
