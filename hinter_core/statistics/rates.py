"""Rates, their differences and tests, and shares of weighted samples, with 95 % intervals.

The formulas for independent and clustered cases are those of statsmodels and scipy.

The cells of a stratified, weighted sample have few cases, often all equal, so that bootstrap
resamples would not vary. Intervals of its shares, and of figures of several shares, come from draws
of Jeffreys' posterior of a share instead (Brown, Cai and DasGupta 2001), over the *effective*
number of cases (Kish 1965), with the finite population correction (Cochran 1977) if the size of the
population is known.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy
    from numpy import ndarray


_CONFIDENCE = 0.95
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
    return Rate(hits, of, *_wilson(hits, of)) if of else Rate(hits, of)


def _wilson(hits: float, of: float) -> tuple[float, float]:
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(hits, of, alpha=1 - _CONFIDENCE, method="wilson")
    return float(low), float(high)


Sources = Iterable[tuple[int, ...]] | Mapping[tuple[int, ...], int]  # or how often each occurs


def _counted(sources: Sources, *cases: int) -> Counter[tuple[int, ...]]:
    """How many sources have the same numbers, of those with a case at all of these places."""
    counted = Counter(sources)
    return Counter({own: n for own, n in counted.items() if all(own[place] for place in cases)})


def _sums(counted: Counter[tuple[int, ...]]) -> list[int]:
    """Each number summed over all sources."""
    every = zip(*([value * n for value in own] for own, n in counted.items()), strict=True)
    return [sum(column) for column in every]


def cluster_rate(sources: Sources, seed: int = 0) -> Rate:
    """Compute a rate of cases clustered by source text; ``sources``: ``(hits, cases)`` of each.

    Mutants of one text are not independent, so the interval is a percentile bootstrap over sources
    (2,000 resamples). Fewer than two sources give no interval. If no case or every case is a hit,
    resamples do not vary, and the interval is Wilson's over sources.
    """
    pairs = _counted(sources, 1)
    hits, of = _sums(pairs) or (0, 0)
    if pairs.total() < 2:
        return Rate(hits, of)
    if not hits or hits == of:
        bounds = wilson(pairs.total() if hits else 0, pairs.total())
        return Rate(hits, of, bounds.low, bounds.high)
    hit, cases = resampled(pairs, seed).T
    return Rate(hits, of, *percentiles(hit / cases))


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

    tail = (1 - _CONFIDENCE) / 2
    low, high = numpy.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two rates, with a 95 % interval; None if a rate has no cases."""

    value: float | None
    low: float | None = None
    high: float | None = None


def paired_difference(sources: Sources, seed: int = 0) -> Difference:
    """Subtract a second rate from a first on the same texts.

    ``sources``: ``(hits, cases, hits, cases)`` of each text; texts without a case on either side
    are dropped. The interval is a percentile bootstrap over texts; fewer than two give none. If
    resamples do not vary, as with rates of 0 or 1, it is Newcombe's over texts.
    """
    both = _counted(sources, 1, 3)
    if not both:
        return Difference(None)
    a, n, b, m = _sums(both)
    value, texts = a / n - b / m, both.total()
    if texts < 2:
        return Difference(value)
    if a in (0, n) and b in (0, m):
        ends = Rate(texts if a else 0, texts), Rate(texts if b else 0, texts)
        return Difference(value, *_newcombe(*ends))
    if all(x * m == y * n for x, n, y, m in both):
        # The rates agree in every text, so resamples do not vary.
        same = Rate(round(a / n * texts), texts)
        return Difference(value, *_newcombe(same, same))
    hit, cases, other, others = resampled(both, seed).T
    return Difference(value, *percentiles(hit / cases - other / others))


def newcombe_difference(first: Rate, second: Rate) -> Difference:
    """Subtract a second rate from a first, of independent cases, with Newcombe's interval."""
    if first.share is None or second.share is None:
        return Difference(None)
    return Difference(first.share - second.share, *_newcombe(first, second))


def _newcombe(first: Rate, second: Rate) -> tuple[float, float]:
    """Compute the hybrid score interval of a difference of independent rates (Newcombe 1998)."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    low, high = confint_proportions_2indep(
        first.hits, first.of, second.hits, second.of, method="newcomb", alpha=1 - _CONFIDENCE
    )
    return float(low), float(high)


def two_sample_difference(first: Sources, second: Sources, seed: int = 0) -> Difference:
    """Subtract a second rate from a first on different texts; ``(hits, cases)`` of each text.

    The interval is a percentile bootstrap over the texts of each side; fewer than two on a side
    give none. If both rates are 0 or 1, it is Newcombe's over texts.
    """
    one, two = (_counted(side, 1) for side in (first, second))
    if not one or not two:
        return Difference(None)
    (a, n), (b, m) = map(_sums, (one, two))
    value, texts = a / n - b / m, (one.total(), two.total())
    if min(texts) < 2:
        return Difference(value)
    if a in (0, n) and b in (0, m):
        ends = (Rate(of if hits else 0, of) for of, hits in zip(texts, (a, b), strict=True))
        return Difference(value, *_newcombe(*ends))
    hit, cases = resampled(one, seed).T
    hits, of = resampled(two, seed + 1).T
    return Difference(value, *percentiles(hit / cases - hits / of))


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
    return Rate(sums.errors, sums.cases, *_wilson(sums.errors / effect, sums.cases / effect))


def one_sided_test(sums: Clusters, share: float) -> float:
    """Compute the one-sided p-value that a rate of clustered cases is higher than ``share``.

    The test is :func:`binomial` over the effective number of cases (Rao and Scott 1992); with
    fewer than two texts the p-value is 1.
    """
    if sums.texts < 2:
        return 1.0
    effect = sums.design_effect
    return binomial(sums.errors / effect, sums.cases / effect, share)


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
