"""How often the intervals of rates and differences hold the truth, and tests raise false alarms.

Run by ``python -m benchmarks --coverage [--trials N] [--resample CAMPAIGN]``. A campaign is a
number of texts, each with a number of mutants and a chance of an error of its own, drawn by one of
:data:`KINDS`; or texts of a real campaign, drawn with replacement. The truth is the ratio that a
report prints, of all errors to all cases, in the population of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy
from scipy.special import expit

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import is_placebo
from hinter_core.report.aggregate import count
from hinter_core.report.metrics.groups import ALPHA, FEWEST_TEXTS
from hinter_core.statistics.clustered import cluster_rate, one_sided_test, paired_difference
from hinter_core.statistics.rates import (
    Difference,
    Estimate,
    benjamini_hochberg,
    estimate,
    independent_difference,
    weighted_share,
)

if TYPE_CHECKING:
    from numpy import ndarray
    from numpy.random import Generator

TEXTS = (12, 30, 100, 300)
SIZES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30)  # texts of a group
GROUPS = 40
LEAST = (2, 5, 8, FEWEST_TEXTS, 20)
BEYOND = (0.05, 0.1)
REACTS = (0.005, 0.02, 0.1, 0.25)  # share of words that turn an answer
PLACEBO = 6  # mutants of a text
_MANY = 200_000  # texts that tell the truth of a kind
Cases = Callable[[int, "Generator"], "ndarray"]  # of each text
Draw = Callable[[int, "Generator"], tuple["ndarray", "ndarray"]]  # chance and cases of each text
Texts = list[tuple[int, ...]]


@dataclass(frozen=True)
class Kind:
    """One kind of campaign; ``draw`` returns the texts' chances of an error, and their cases.

    ``real``: the chances are shares that were counted.
    """

    name: str
    draw: Draw
    real: bool = False

    @cached_property
    def truth(self) -> float:
        """Of all cases of the population, the share of errors."""
        chances, cases = self.draw(_MANY, numpy.random.default_rng(99))
        return float((chances * cases).sum() / cases.sum())

    def texts(self, texts: int, rng: Generator) -> Texts:
        """Draw the errors and cases of each text."""
        chances, cases = self.draw(texts, rng)
        errors = (chances * cases).round() if self.real else rng.binomial(cases, chances)
        return list(zip(errors.astype(int).tolist(), cases.tolist(), strict=True))


def _alike(number: int) -> Cases:
    return lambda texts, _: numpy.full(texts, number)


def _heavy(texts: int, rng: Generator) -> ndarray:
    return rng.lognormal(numpy.log(12), 1.0, texts).round().clip(1, 400).astype(int)


def _giant(texts: int, rng: Generator) -> ndarray:
    return numpy.where(rng.random(texts) < 0.1, 200, rng.integers(1, 8, texts))


def _mostly_one(texts: int, rng: Generator) -> ndarray:
    return numpy.where(rng.random(texts) < 0.15, rng.integers(10, 40, texts), 1)


def _beta(mean: ndarray | float, alike: float, texts: int, rng: Generator) -> ndarray:
    size = 1 / alike - 1
    return rng.beta(mean * size, (1 - mean) * size, texts)


def _beta_binomial(cases: Cases, rate: float, alike: float) -> Draw:
    return lambda texts, rng: (_beta(rate, alike, texts, rng), cases(texts, rng))


def _all_or_none(cases: Cases, rate: float) -> Draw:
    return lambda texts, rng: ((rng.random(texts) < rate) * 1.0, cases(texts, rng))


def _mixture(cases: Cases, share: float, high: float, low: float) -> Draw:
    return lambda texts, rng: (
        numpy.where(rng.random(texts) < share, high, low), cases(texts, rng)
    )  # fmt: skip


def _by_size(slope: float, level: float, alike: float = 0.05) -> Draw:
    def draw(texts: int, rng: Generator) -> tuple[ndarray, ndarray]:
        cases = _heavy(texts, rng)
        return _beta(expit(level + slope * numpy.log(cases / 12)), alike, texts, rng), cases

    return draw


def _by_words(cases: Cases, share: float) -> Draw:
    """A text's mutants exchange some of 40 words, of which some turn the answer wherever they are.

    Words are fixed, as the truth is one over texts: a dictionary is not drawn from a population.
    """
    fixed = numpy.random.default_rng(7)
    common = 1 / numpy.arange(1, 41) ** 0.8
    turns = fixed.random(40) < share

    def draw(texts: int, rng: Generator) -> tuple[ndarray, ndarray]:
        words = rng.choice(40, size=(texts, 4), p=common / common.sum())
        among = numpy.arange(4) < rng.integers(1, 5, texts)[:, None]
        return (0.9 * turns[words] * among).sum(1) / among.sum(1), cases(texts, rng)

    return draw


KINDS = (
    Kind("beta-binomial, even", _beta_binomial(_alike(35), 0.15, 0.1)),
    Kind("beta-binomial, heavy-tailed", _beta_binomial(_heavy, 0.15, 0.2)),
    Kind("beta-binomial, rare", _beta_binomial(_heavy, 0.005, 0.1)),
    Kind("all or none, even", _all_or_none(_alike(35), 0.2)),
    Kind("all or none, heavy-tailed", _all_or_none(_heavy, 0.2)),
    Kind("all or none, rare", _all_or_none(_heavy, 0.01)),
    Kind("larger texts err more", _by_size(0.5, -1.5)),
    Kind("larger texts err much more", _by_size(1.0, -2.0)),
    Kind("larger texts err less", _by_size(-0.7, -1.0)),
    Kind("few giant texts", _beta_binomial(_giant, 0.3, 0.2)),
    Kind("mostly one mutant", _beta_binomial(_mostly_one, 0.3, 0.2)),
    Kind("one mutant each", _beta_binomial(_alike(1), 0.1, 0.1)),
    Kind("a few fragile texts", _mixture(_heavy, 0.15, 0.7, 0.01)),
    Kind("words, even", _by_words(_alike(35), 0.2)),
    Kind("words, heavy-tailed", _by_words(_heavy, 0.2)),
    Kind("nearly always", _beta_binomial(_heavy, 0.9, 0.2)),
)


def real(folder: Path) -> list[Kind]:
    """Return a kind for each model of a campaign: texts drawn with replacement."""
    kinds = []
    store = CampaignStore(folder)
    names = tuple(store.campaign().models)
    with CampaignReader(store, names, rates=True) as reader:
        for name, tally in count(reader).models.items():
            parts = [a for a in tally.with_cases() if len(a) > 1 and not is_placebo(a)]
            texts = [own for (own,), n in tally.by_text(parts).items() for _ in range(n)]
            for what, hits, cases in (
                ("errors", [t.errors for t in texts], [t.cases for t in texts]),
                ("hidden", [t.hidden for t in texts], [t.errors for t in texts]),
            ):
                if 0 < sum(hits) < sum(cases):
                    kinds.append(Kind(f"{name}: {what}", _resampled(hits, cases), real=True))
    return kinds


def _resampled(hits: list[int], cases: list[int]) -> Draw:
    errors, of = (numpy.array(column)[numpy.array(cases) > 0] for column in (hits, cases))

    def draw(texts: int, rng: Generator) -> tuple[ndarray, ndarray]:
        chosen = rng.integers(0, len(of), texts)
        return errors[chosen] / of[chosen], of[chosen]

    return draw


def _seeded(*parts: object) -> Generator:
    return numpy.random.default_rng([crc32(str(part).encode()) for part in parts])


def covered(kind: Kind, texts: int, trials: int, seed: int = 0) -> tuple[float, float]:
    """Return the share of campaigns whose interval holds the rate, and its mean width."""
    rng, truth = _seeded(kind.name, texts, seed), kind.truth
    held, width = 0, 0.0
    for _ in range(trials):
        found = cluster_rate(kind.texts(texts, rng))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
        width += found.high - found.low
    return held / trials, width / trials


def _pairs(chances: ndarray, n: ndarray, other: ndarray, m: ndarray, rng: Generator) -> Texts:
    columns = (rng.binomial(n, chances), n, rng.binomial(m, other), m)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _excess(more: float) -> Question:
    """Compare with placebo mutants of the same texts, which flip as often but for ``more``."""

    def found(kind: Kind, texts: int, rng: Generator) -> Difference:
        chances, cases = kind.draw(texts, rng)
        placebo = numpy.full(texts, PLACEBO)
        sensitive = chances + more * (1 - chances)
        return paired_difference(_pairs(sensitive, cases, chances, placebo, rng))

    return found


def _compared(kind: Kind, texts: int, rng: Generator) -> Difference:
    """Two models on the same mutants, equally often wrong, each in texts of its own."""
    chances, cases = kind.draw(texts, rng)
    # Texts are exchangeable between the models, which differ in half of them.
    other = numpy.where(rng.random(texts) < 0.5, rng.permutation(chances), chances)
    swap = rng.random(texts) < 0.5
    first, second = numpy.where(swap, other, chances), numpy.where(swap, chances, other)
    return paired_difference(_pairs(first, cases, second, cases, rng))


def _alone(kind: Kind, texts: int, rng: Generator) -> Difference:
    """Compare with a model that never errs on the same mutants; how much the other errs is 0."""
    never = ((errors, cases, 0, cases) for errors, cases in kind.texts(texts, rng))
    return _off(paired_difference(never), kind.truth)


def _off(found: Difference | Estimate, truth: float) -> Difference:
    """Return an interval less the truth, so that it should hold 0."""
    assert found.low is not None
    assert found.high is not None
    return Difference(None, found.low - truth, found.high - truth)


def _apart(kind: Kind, texts: int, rng: Generator) -> Difference:
    first, second = (cluster_rate(kind.texts(texts, rng)) for _ in range(2))
    return independent_difference(first, second)


def _weighted(kind: Kind, texts: int, rng: Generator) -> Difference:
    """Judge some mutants of each text; their weights are the mutants that each stands for."""
    chances, cases = kind.draw(texts, rng)
    sample = [
        (bool(hit), float(of / judged), str(text))
        for text, (chance, of) in enumerate(zip(chances, cases, strict=True))
        for judged in [min(int(of), 3)]
        for hit in rng.random(judged) < chance
    ]
    return _off(estimate([weighted_share(sample)], lambda shares: shares[0]), kind.truth)


Question = Callable[[Kind, int, "Generator"], Difference]  # an interval that should hold 0
QUESTIONS: dict[str, Question] = {
    "excess over placebo, none": _excess(0.0),
    "excess over placebo, 10 points": _excess(0.1),
    "two models, same mutants": _compared,
    "two models, one of which never errs": _alone,
    "two campaigns, other texts": _apart,
    "weighted sample of judgements": _weighted,
}


def beside(
    question: str, kind: Kind, texts: int, trials: int, seed: int = 0
) -> tuple[float, float]:
    """Return how often intervals of a difference, or of an error, lie below and above 0."""
    rng = _seeded(question, kind.name, texts, seed)
    found = [QUESTIONS[question](kind, texts, rng) for _ in range(trials)]
    below = sum(one.high is not None and one.high < 0 for one in found)
    return below / trials, sum(one.low is not None and one.low > 0 for one in found) / trials


def group_alarms(kind: Kind, texts: int, trials: int, seed: int = 0) -> float:
    """Return how often a group is called higher than a mean that it has."""
    rng, truth = _seeded("group", kind.name, texts, seed), kind.truth
    found = (one_sided_test(kind.texts(texts, rng), truth) for _ in range(trials))
    return sum(p < ALPHA for p in found) / trials


def family_alarms(
    kind: Kind, least: int, trials: int, seed: int = 0, *, beyond: float | None = None
) -> float:
    """Return how often some of many groups at the mean is called higher.

    ``least``: texts, below which a group is not tested. ``beyond``: as a gate does, its interval
    must lie above the mean by so much, too.
    """
    rng, truth = _seeded("family", kind.name, seed), kind.truth
    drawn = {n: [kind.texts(n, rng) for _ in range(trials)] for n in SIZES}
    tests = {n: [one_sided_test(texts, truth) for texts in of] for n, of in drawn.items()}
    lows = {n: [cluster_rate(texts).low or 0.0 for texts in of] for n, of in drawn.items()}
    alarms = 0
    for _ in range(trials):
        groups = [(n, rng.integers(trials)) for n in rng.choice(SIZES, GROUPS).tolist()]
        tested = [tests[n][at] if n >= least else 1.0 for n, at in groups]
        alarms += any(
            p < ALPHA and (beyond is None or lows[n][at] - truth > beyond)
            for p, (n, at) in zip(benjamini_hochberg(tested), groups, strict=True)
        )
    return alarms / trials


def word_alarms(
    share: float, trials: int, seed: int = 0, *, groups: int = 14, words: int = 5, texts: int = 40
) -> float:
    """Return how often a group is beyond a gate's limit for a model that reacts to words alone.

    Each text is changed to each word of each group of one attribute. A ``share`` of all words turns
    the answer of every text, whatever its group is: no group is treated worse than another one.
    """
    rng, alarms = _seeded("words of groups", share, seed), 0
    for _ in range(trials):
        hits = (rng.random((groups, words)) < share).sum(1).tolist()
        mean = sum(hits) / (groups * words)
        each = [[(n, words)] * texts for n in hits]
        tested = benjamini_hochberg([one_sided_test(one, mean) for one in each])
        alarms += any(
            p < ALPHA and (cluster_rate(one).low or 0.0) - mean > BEYOND[0]
            for p, one in zip(tested, each, strict=True)
        )
    return alarms / trials


def report(trials: int, folders: list[Path]) -> Iterator[str]:
    """Yield the lines of both tables."""
    kinds = [*KINDS, *(kind for folder in folders for kind in real(folder))]
    yield f"95 % intervals of a rate: share of {trials:,} campaigns where it holds the rate, and"
    yield "its mean width in percentage points, by the number of texts."
    yield ""
    yield f"| Campaign | Rate | {' | '.join(map(str, TEXTS))} |"
    yield "|---|---:|" + "---:|" * len(TEXTS)
    for kind in kinds:
        cells = [
            f"{100 * held:.1f} ({100 * width:.1f})"
            for held, width in (covered(kind, texts, trials) for texts in TEXTS)
        ]
        yield f"| {kind.name} | {100 * kind.truth:.1f} % | {' | '.join(cells)} |"
    yield ""
    yield "Other intervals: share of campaigns where they lie below and above the truth (2.5 % each"
    yield "are what 95 % allows); with an excess of 10 points, *above* is the power."
    yield ""
    yield f"| Question | Campaign | {' | '.join(map(str, TEXTS))} |"
    yield "|---|---|" + "---:|" * len(TEXTS)
    some = [kind for kind in KINDS if kind.name in _SHOWN]
    for question in QUESTIONS:
        for kind in some:
            found = (beside(question, kind, texts, trials) for texts in TEXTS)
            cells = [f"{100 * below:.1f}, {100 * above:.1f}" for below, above in found]
            yield f"| {question} | {kind.name} | {' | '.join(cells)} |"
    for kind in some:
        cells = [f"{100 * group_alarms(kind, texts, trials):.1f}" for texts in TEXTS]
        yield f"| a group at its mean is *higher*, p < 0.05 | {kind.name} | {' | '.join(cells)} |"
    yield ""
    yield f"Share of campaigns that call one of {GROUPS} groups at the mean *significant*, by the"
    yield f"least number of texts of a tested group; of {FEWEST_TEXTS} texts, also if it must lie"
    yield "beyond the mean by so many points, as for a gate."
    yield ""
    heads = [*map(str, LEAST), *(f"{FEWEST_TEXTS}, {100 * one:g} points" for one in BEYOND)]
    yield f"| Campaign | {' | '.join(heads)} |"
    yield "|---|" + "---:|" * len(heads)
    for kind in KINDS:
        cells = [f"{100 * family_alarms(kind, least, trials):.1f}" for least in LEAST]
        cells += [
            f"{100 * family_alarms(kind, FEWEST_TEXTS, trials, beyond=one):.1f}" for one in BEYOND
        ]
        yield f"| {kind.name} | {' | '.join(cells)} |"
    yield ""
    yield "Share of models that react to words alone that have a group of one attribute beyond the"
    yield f"mean by {100 * BEYOND[0]:g} points, by the share of words that they react to."
    yield ""
    yield f"| {' | '.join(f'{100 * share:g} %' for share in REACTS)} |"
    yield "|" + "---:|" * len(REACTS)
    yield f"| {' | '.join(f'{100 * word_alarms(share, trials):.1f}' for share in REACTS)} |"


_SHOWN = (
    "beta-binomial, even", "all or none, heavy-tailed", "all or none, rare",
    "larger texts err more",
)  # fmt: skip
