"""Orders of test cases on finished campaigns, what they cost, and whether certainty holds.

``python -m benchmarks --prioritise FOLDER`` (may be repeated) replays all orders on each model of a
campaign with ``--seeds``, and compares the adaptive order with the others: pairs to 80 % of the
faults, and its own time with that of the calls that it saves. Of the priors of the adaptive order,
those of *text* and *source word in text* were raised, and that of *source group* lowered, after a
look at the sample and at IMDB test reviews with race and gender. The rest was chosen on other
campaigns: 300 IMDB *training* reviews with race and gender, and the sample with age and body.

``python -m benchmarks --stopping [--trials N]`` simulates campaigns whose rate of faults is 2 %,
and counts how often each rule says that it is below: 5 % are allowed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy
from scipy.stats import beta

from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import HinterError
from hinter_core.models.registry import load_model
from hinter_core.prioritisation.adaptive import AdaptiveOrder
from hinter_core.prioritisation.cases import EditWords, PairCase
from hinter_core.prioritisation.features import design_of
from hinter_core.prioritisation.metrics import PairScorer
from hinter_core.prioritisation.orders import CaseOrder, FixedOrder, random_order
from hinter_core.prioritisation.scorers import METRICS, load_scorers
from hinter_core.prioritisation.stopping import AuditedOrder, StopBelow, replay
from hinter_core.replays.answered import AnsweredCases, read_cases
from hinter_core.replays.replays import Replays, ReplaySettings, replay_orders

_TIMED = 300  # follow-ups whose calls are timed
_REPEATED = 5  # seeds with which the order is timed
_REMOTE = 0.5  # seconds of a call to a language model behind a server
_OF_RANDOM, _OF_DIVERSITY, _OF_CALLS = 0.4, 0.7, 0.05  # what the adaptive order may need


def report(folders: list[Path], seeds: int, models: list[str] | None = None) -> Iterator[str]:
    """Yield a paragraph for each campaign and model."""
    for folder in folders:
        known: dict[Hashable, numpy.ndarray] = {}
        store = CampaignStore(folder)
        for model in models or store.read()["models"]:
            yield f"{folder.name}, {model}"
            try:
                answered = read_cases(store, model)
            except HinterError as error:
                yield f"  {error}"
                continue
            found = replay_orders(
                answered, ReplaySettings(seeds=seeds), partial(_scorers, model, known)
            )
            yield from map("  {}".format, _of_model(found, _seconds_of_call(answered)))


@dataclass(frozen=True)
class RememberedScorer(PairScorer):
    """A metric whose scores are kept, as the pairs of all models of a campaign are the same."""

    scorer: PairScorer
    known: dict[Hashable, numpy.ndarray]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The metric's."""
        return self.scorer.name

    def score(self, sources: Sequence[str], follow_ups: Sequence[str]) -> numpy.ndarray:
        """Score pairs that are new to this metric and its model."""
        key = (self.name, getattr(self.scorer, "model", ""), hash((*sources, *follow_ups)))
        if key not in self.known:
            self.known[key] = self.scorer.score(sources, follow_ups)
        return self.known[key]


def _scorers(model: str, known: dict[Hashable, numpy.ndarray]) -> list[PairScorer]:
    return [RememberedScorer(scorer, known) for scorer in load_scorers(METRICS, model)]


def _of_model(found: Replays, call: float) -> Iterator[str]:
    expected = found.expected
    assert expected is not None
    assert expected.most is not None
    assert expected.first is not None
    faults, texts = found.answered.faults, found.population.failures()
    yield (
        f"{len(faults):,} pairs of {len(texts):,} texts; {int(faults.sum()):,} faults in "
        f"{int((texts > 0).sum())} texts"
    )
    yield (
        f"{'random, expected':<17} first {expected.first:>8,.1f}  80 % {expected.most:>8,.1f}  "
        f"APFD {expected.apfd:.3f}  FDR area {expected.area:.4f}"
    )
    most = {"random": expected.most}
    for order in found.orders:
        of = order.measures
        first, needed = of["first"], of["most"]
        most.setdefault(order.name, needed.value or 0.0)
        yield (
            f"{order.name:<17} first {first.value:>8,.1f}  80 % {needed.value:>8,.1f} "
            f"[{needed.low or needed.value:,.0f}, {needed.high or needed.value:,.0f}]  "
            f"APFD {of['apfd'].value:.3f}  FDR area {of['area'].value:.4f}  "
            f"{order.seconds + found.scoring.get(order.name, 0.0):.2f} s"
        )
    for other, allowed in (("random", _OF_RANDOM), ("diversity", _OF_DIVERSITY)):
        share = most["adaptive"] / most[other]
        verdict = "holds" if share <= allowed else "DOES NOT HOLD"
        yield f"adaptive / {other}: {share:.3f} (at most {allowed}): {verdict}"
    saved = most["random"] - most["adaptive"]
    seconds = _seconds_of_order(found)
    for name, each in ((f"calls of {1000 * call:.2f} ms", call), ("calls of 0.5 s", _REMOTE)):
        share = seconds / (saved * each) if saved > 0 else float("inf")
        verdict = "holds" if share <= _OF_CALLS else "DOES NOT HOLD"
        yield (
            f"its {seconds:.2f} s until then are {100 * share:.2f} % of the {saved:,.0f} {name} "
            f"that it saves (at most {100 * _OF_CALLS:.0f} %): {verdict}"
        )


def _seconds_of_order(found: Replays) -> float:
    """Time the adaptive order up to 80 % of the faults, its features included."""
    population, taken = found.population, []
    for seed in range(_REPEATED):
        start = time.perf_counter()
        order, left = AdaptiveOrder(design_of(found.answered.cases), seed), population.needed
        while left > 0 and (chosen := order.next(len(population.faults))):
            faults = population.faults[chosen]
            order.learn(chosen, faults.tolist())
            left -= int(faults.sum())
        taken.append(time.perf_counter() - start)
    return float(numpy.median(taken))


def _seconds_of_call(answered: AnsweredCases) -> float:
    """Time the model on some of the follow-ups."""
    texts = [record.mutant for record in answered.records[:: len(answered.records) // _TIMED + 1]]
    model = load_model(answered.model)
    model.predict(texts[:10])
    start = time.perf_counter()
    model.predict(texts)
    return (time.perf_counter() - start) / len(texts)


@dataclass(frozen=True)
class SimulatedCases:
    """Cases of simulated texts, with their faults."""

    cases: list[PairCase]
    faults: numpy.ndarray
    texts: numpy.ndarray


def simulated(
    rng: numpy.random.Generator, texts: int, each: int, rate: float, *, exact: bool
) -> SimulatedCases:
    """Simulate texts with equally many cases; a few texts have nearly all the faults.

    With ``exact``, exactly this share of the cases are faults; otherwise it is their expectation.
    """
    # A fifth of the texts fails at all, so that the faults of a text are alike.
    failing = rng.random(texts) < 0.2
    shares = numpy.where(failing, rate / 0.2, 0.0).repeat(each)
    number = texts * each
    if exact:
        chance = numpy.maximum(shares, 1e-9)
        hits = rng.choice(number, round(rate * number), replace=False, p=chance / chance.sum())
        faults = numpy.zeros(number, dtype=bool)
        faults[hits] = True
    else:
        # All cases of a text with one chance fail together in blocks.
        faults = (rng.random((texts, max(1, each // 10))) < shares[::each][:, None]).repeat(10, 1)
        faults = faults[:, :each].ravel()
    numbers = numpy.arange(texts).repeat(each)
    cases = [
        PairCase(
            int(text), "substitute", (EditWords("race", "a", f"w{i % each}", "g", f"h{i % 7}"),)
        )
        for i, text in enumerate(numbers)
    ]
    return SimulatedCases(cases, faults, numbers)


def false_claims(trials: int, texts: int = 40, each: int = 25, rate: float = 0.02) -> dict[
    str, float
]:  # fmt: skip
    """Return how often rules say "below ``rate``" of campaigns where it is not, by rule.

    The rate among all cases is exactly the limit. Every rule looks after each batch of 10.
    """
    claims = dict.fromkeys(("audit, adaptive", "audit, worst order", "naive, random",
                            "naive, adaptive", "naive, worst order"), 0)  # fmt: skip
    for trial in range(trials):
        made = simulated(numpy.random.default_rng(trial), texts, each, rate, exact=True)
        design = design_of(made.cases)
        worst = numpy.argsort(made.faults, kind="stable").tolist()  # what will not fail comes first
        orders: dict[str, Callable[[], CaseOrder]] = {
            "adaptive": partial(AdaptiveOrder, design, trial),
            "worst order": partial(FixedOrder, worst),
            "random": partial(random_order, len(worst), trial),
        }
        for name, make in orders.items():
            if f"audit, {name}" in claims:
                claims[f"audit, {name}"] += _audited_claim(made, make(), trial, rate)
            asked = replay(make(), made.faults, batch=10)
            claims[f"naive, {name}"] += _naive_claim(made.faults[asked], rate)
    return {name: count / trials for name, count in claims.items()}


def _audited_claim(made: SimulatedCases, order: CaseOrder, seed: int, rate: float) -> bool:
    rule, audited = StopBelow(rate), AuditedOrder(order, len(made.cases), seed, centre=rate)
    replay(audited, made.faults, stop=partial(_stops, rule, audited), batch=10)
    return " below " in rule.stops(audited)


def _stops(rule: StopBelow, audited: AuditedOrder) -> bool:
    return bool(rule.stops(audited))


def _naive_claim(verdicts: numpy.ndarray, rate: float) -> bool:
    """Whether a 95 % upper bound (Clopper-Pearson) of what was asked so far is ever below."""
    cases = numpy.arange(10, len(verdicts), 10)  # before everything is asked
    faults = numpy.cumsum(verdicts)[cases - 1]
    return bool((beta.ppf(0.95, faults + 1, cases - faults) < rate).any())


def coverage(trials: int, texts: int = 40, each: int = 25, rate: float = 0.1) -> dict[str, float]:
    """Return how often 95 % intervals hold the rate of all cases at each of their looks."""
    held = dict.fromkeys(("audit, adaptive", "naive, adaptive", "naive, random"), 0)
    for trial in range(trials):
        made = simulated(numpy.random.default_rng(trial), texts, each, rate, exact=True)
        true = float(made.faults.mean())
        audited = AuditedOrder(AdaptiveOrder(design_of(made.cases), trial), len(made.cases), trial)
        always = True
        asked: list[int] = []
        while chosen := audited.next(10):
            audited.learn(chosen, made.faults[chosen].tolist())
            asked += chosen
            low, high = audited.rate.bounds()
            always &= low - 1e-9 <= true <= high + 1e-9
        held["audit, adaptive"] += always
        held["naive, adaptive"] += _naive_holds(made.faults[asked], true)
        drawn = numpy.random.default_rng(trial).permutation(len(made.faults))
        held["naive, random"] += _naive_holds(made.faults[drawn], true)
    return {name: count / trials for name, count in held.items()}


def _naive_holds(verdicts: numpy.ndarray, true: float) -> bool:
    cases = numpy.arange(10, len(verdicts), 10)
    faults = numpy.cumsum(verdicts)[cases - 1]
    low = numpy.where(faults > 0, beta.ppf(0.025, faults, cases - faults + 1), 0.0)
    high = numpy.where(faults < cases, beta.ppf(0.975, faults + 1, cases - faults), 1.0)
    return bool(((low <= true) & (true <= high)).all())


def stopping(trials: int) -> Iterator[str]:
    """Yield the shares of false claims and of intervals that hold."""
    yield f"{trials} simulated campaigns of 40 texts with 25 pairs, 2 % faults; looked at every 10"
    yield "says that the rate is below 2 % (allowed: 5 %)"
    for name, share in false_claims(trials).items():
        yield f"  {name:<22} {100 * share:5.1f} %"
    yield "the 95 % interval holds the rate (10 %) at every look (promised: 95 %)"
    for name, share in coverage(trials).items():
        yield f"  {name:<22} {100 * share:5.1f} %"
