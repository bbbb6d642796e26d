"""Numbers with their uncertainty: rates, their differences, and many comparisons at once.

The formulas are those of statsmodels and scipy; this module says which one is used for what.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_CONFIDENCE = 0.95
_RESAMPLES = 2000


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
    from statsmodels.stats.proportion import proportion_confint

    if not of:
        return Rate(hits, of)
    low, high = proportion_confint(hits, of, alpha=1 - _CONFIDENCE, method="wilson")
    return Rate(hits, of, float(low), float(high))


def clustered(sources: Iterable[tuple[int, int]], seed: int = 0) -> Rate:
    """A rate of cases that come in clusters, one a source text: its ``(hits, cases)``.

    Mutants of one text are no independent cases: sources are drawn anew, with all their mutants
    (percentile bootstrap, 2,000 resamples). With fewer than two sources there is no interval. Where
    no case or every case is a hit, resampling shows nothing: the interval is Wilson's over sources.
    """
    import numpy
    from scipy.stats import bootstrap

    pairs = [(hits, of) for hits, of in sources if of]
    hits, of = sum(h for h, _ in pairs), sum(n for _, n in pairs)
    if len(pairs) < 2:
        return Rate(hits, of)

    def ratio(hit: numpy.ndarray, cases: numpy.ndarray, axis: int = -1) -> numpy.ndarray:
        return numpy.asarray(hit.sum(axis=axis) / cases.sum(axis=axis))

    data = tuple(numpy.array(column, dtype=float) for column in zip(*pairs, strict=True))
    if not hits or hits == of:
        bounds = wilson(len(pairs) if hits else 0, len(pairs))
        return Rate(hits, of, bounds.low, bounds.high)
    found = bootstrap(
        data,
        ratio,
        paired=True,
        vectorized=True,
        n_resamples=_RESAMPLES,
        batch=100,
        confidence_level=_CONFIDENCE,
        method="percentile",
        rng=numpy.random.default_rng(seed),
    )
    return Rate(
        hits, of, float(found.confidence_interval.low), float(found.confidence_interval.high)
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact McNemar test of paired outcomes: the p-value of their disagreement."""
    from statsmodels.stats.contingency_tables import mcnemar as test

    if not only_first and not only_second:
        return 1.0
    return float(test([[0, only_first], [only_second, 0]], exact=True).pvalue)


def binomial(hits: int, of: int, share: float) -> float:
    """One-sided exact test: is a rate higher than ``share``? The p-value."""
    from scipy.stats import binomtest

    return float(binomtest(hits, of, share, alternative="greater").pvalue) if of else 1.0


def adjusted(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for the false discovery rate (Benjamini and Hochberg 1995)."""
    from scipy.stats import false_discovery_control

    return [float(p) for p in false_discovery_control(p_values)] if p_values else []


def in_words(rate: Rate) -> str:
    """``12 of 80 (15.0 %, 95 % interval 9.0 to 24.4)``."""
    if rate.share is None:
        return "no case"
    words = f"{rate.hits:,} of {rate.of:,} ({100 * rate.share:.1f} %"
    if rate.low is not None and rate.high is not None:
        words += f", 95 % interval {100 * rate.low:.1f} to {100 * rate.high:.1f}"
    return words + ")"
