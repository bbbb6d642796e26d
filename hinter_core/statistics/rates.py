"""Numbers with their uncertainty: rates, their differences, and many comparisons at once.

The formulas are those of statsmodels and scipy; this module says which one is used for what.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import ndarray


_CONFIDENCE = 0.95
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Rate:
    """``hits`` of ``of``, with a 95 % interval; without cases there is no share."""

    hits: int
    of: int
    low: float | None = None
    high: float | None = None

    @property
    def share(self) -> float | None:
        """Between 0 and 1; None where there is no case."""
        return self.hits / self.of if self.of else None


def wilson(hits: int, of: int) -> Rate:
    """A rate of independent cases with Wilson's score interval (Wilson 1927)."""
    return Rate(hits, of, *_wilson(hits, of)) if of else Rate(hits, of)


def _wilson(hits: float, of: float) -> tuple[float, float]:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(hits, of, alpha=1 - _CONFIDENCE, method="wilson")
    return float(low), float(high)


def cluster_rate(sources: Iterable[tuple[int, int]], seed: int = 0) -> Rate:
    """A rate of cases that come in clusters, one a source text: its ``(hits, cases)``.

    Mutants of one text are no independent cases: sources are drawn anew, with all their mutants
    (percentile bootstrap, 2,000 resamples). With fewer than two sources there is no interval. Where
    no case or every case is a hit, resampling shows nothing: the interval is Wilson's over sources.
    """
    pairs = [(hits, of) for hits, of in sources if of]
    hits, of = sum(h for h, _ in pairs), sum(n for _, n in pairs)
    if len(pairs) < 2:
        return Rate(hits, of)
    if not hits or hits == of:
        bounds = wilson(len(pairs) if hits else 0, len(pairs))
        return Rate(hits, of, bounds.low, bounds.high)
    hit, cases = resampled(pairs, seed).T
    return Rate(hits, of, *percentiles(hit / cases))


def resampled(sources: Sequence[Sequence[float]] | ndarray, seed: int) -> ndarray:
    """Sums over sources drawn anew: one line a resample, one column for each number of a source.

    Equal sources are exchangeable, so how often each distinct one is drawn is multinomial.
    """
    import numpy

    distinct, counts = numpy.unique(numpy.array(sources), axis=0, return_counts=True)
    rng = numpy.random.default_rng(seed)
    drawn = rng.multinomial(len(sources), counts / len(sources), size=RESAMPLES)
    sums: ndarray = drawn @ distinct
    return sums


def percentiles(values: ndarray) -> tuple[float, float]:
    """The ends of the 95 % interval of what resampling gave."""
    import numpy

    tail = (1 - _CONFIDENCE) / 2
    low, high = numpy.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Difference:
    """How much higher one rate is than another on the same texts, with a 95 % interval."""

    value: float | None
    low: float | None = None
    high: float | None = None


def paired_difference(sources: Iterable[tuple[int, int, int, int]], seed: int = 0) -> Difference:
    """The first rate minus the second; a source gives ``(hits, cases, hits, cases)``.

    Only sources with a case of both count, so that the same texts stand on both sides; they are
    drawn anew together (percentile bootstrap). With fewer than two there is no interval. Where both
    rates are 0 or 1, resampling shows nothing: the interval is Newcombe's over sources.
    """
    both = [source for source in sources if source[1] and source[3]]
    if not both:
        return Difference(None)
    a, n, b, m = (sum(column) for column in zip(*both, strict=True))
    value, texts = a / n - b / m, len(both)
    if texts < 2:
        return Difference(value)
    if a in (0, n) and b in (0, m):
        ends = Rate(texts if a else 0, texts), Rate(texts if b else 0, texts)
        return Difference(value, *_newcombe(*ends))
    if all(x * m == y * n for x, n, y, m in both):
        # The rates agree in every text, so that resampling shows nothing: Newcombe's, over texts.
        same = Rate(round(a / n * texts), texts)
        return Difference(value, *_newcombe(same, same))
    hit, cases, other, others = resampled(both, seed).T
    return Difference(value, *percentiles(hit / cases - other / others))


def newcombe_difference(first: Rate, second: Rate) -> Difference:
    """The first rate minus the second, of different cases; Newcombe's interval."""
    if first.share is None or second.share is None:
        return Difference(None)
    return Difference(first.share - second.share, *_newcombe(first, second))


def _newcombe(first: Rate, second: Rate) -> tuple[float, float]:
    """Newcombe's hybrid score interval of a difference of independent rates (Newcombe 1998)."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    low, high = confint_proportions_2indep(
        first.hits, first.of, second.hits, second.of, method="newcomb", alpha=1 - _CONFIDENCE
    )
    return float(low), float(high)


def two_sample_difference(
    first: Iterable[tuple[int, int]], second: Iterable[tuple[int, int]], seed: int = 0
) -> Difference:
    """The first rate minus the second, of different texts; a source gives ``(hits, cases)``.

    Either side's sources are drawn anew on their own (percentile bootstrap). With fewer than two
    on a side there is no interval. Where both rates are 0 or 1, it is Newcombe's over sources.
    """
    own, other = ([pair for pair in side if pair[1]] for side in (first, second))
    if not own or not other:
        return Difference(None)
    (a, n), (b, m) = (tuple(map(sum, zip(*side, strict=True))) for side in (own, other))
    value = a / n - b / m
    if min(len(own), len(other)) < 2:
        return Difference(value)
    if a in (0, n) and b in (0, m):
        ends = (Rate(len(side) if hits else 0, len(side)) for side, hits in ((own, a), (other, b)))
        return Difference(value, *_newcombe(*ends))
    hit, cases = resampled(own, seed).T
    hits, of = resampled(other, seed + 1).T
    return Difference(value, *percentiles(hit / cases - hits / of))


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact McNemar test of paired outcomes: the p-value of their disagreement."""
    from statsmodels.stats.contingency_tables import mcnemar as test

    if not only_first and not only_second:
        return 1.0
    return float(test([[0, only_first], [only_second, 0]], exact=True).pvalue)


def binomial(hits: float, of: float, share: float) -> float:
    """One-sided exact test: is a rate higher than ``share``? The p-value.

    Effective numbers need not be whole: the binomial tail is an incomplete beta function of both.
    """
    from scipy.special import betainc

    return float(betainc(hits, of - hits + 1, share)) if hits else 1.0


@dataclass(slots=True)
class Clusters:
    """Sums over source texts with their ``errors`` e of ``cases`` n: no text is kept.

    ``texts`` have a case; the others are the sums of e * e, e * n and n * n over texts.
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
        """For how many cases one stands, as those of a text resemble each other; at least 1.

        The variance of the rate between texts, with the factor k / (k - 1) for k texts, over that
        of independent cases (Rao and Scott 1992). Where each text has one case it is 1; where no
        case or every case is an error, the texts tell nothing of it: as if each spoke with one
        voice.
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
    """A rate with Wilson's interval over as many cases as the texts are worth.

    With fewer than two texts there is no interval, as in :func:`clustered`.
    """
    if sums.texts < 2:
        return Rate(sums.errors, sums.cases)
    effect = sums.design_effect
    return Rate(sums.errors, sums.cases, *_wilson(sums.errors / effect, sums.cases / effect))


def one_sided_test(sums: Clusters, share: float) -> float:
    """One-sided test: is a rate of clustered cases higher than ``share``? The p-value.

    The exact binomial test of :func:`binomial` over as many cases as the texts are worth (Rao and
    Scott 1992). One text is no evidence: with fewer than two it is 1.
    """
    if sums.texts < 2:
        return 1.0
    effect = sums.design_effect
    return binomial(sums.errors / effect, sums.cases / effect, share)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for the false discovery rate (Benjamini and Hochberg 1995)."""
    from scipy.stats import false_discovery_control

    return [float(p) for p in false_discovery_control(p_values)] if p_values else []
