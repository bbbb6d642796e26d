"""Orders give each case once; fault-based is never beaten at rank 1, the adaptive one learns."""

from __future__ import annotations

from collections.abc import Callable

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.errors import InputError
from hinter_core.prioritisation.adaptive import AdaptiveOrder, FaultModel
from hinter_core.prioritisation.cases import EditWords, PairCase
from hinter_core.prioritisation.features import design_of
from hinter_core.prioritisation.orders import CaseOrder, by_score, fault_based, random_order
from hinter_core.prioritisation.stopping import AuditedOrder, replay
from hinter_core.replays.arms import (
    AdaptiveArms,
    ArmOrder,
    Arms,
    arms_by,
    arms_of,
    fault_based_arms,
)
from hinter_core.replays.measures import Population
from tests.unit.prioritisation.planted import grid, targets, texts_of

CASES = grid(texts=6, targets=5)
FAULTS = targets(CASES, "t2")
TEXTS = texts_of(CASES)
ARMS = arms_of(CASES, "words")
DESIGN = design_of(CASES)
SCORES = numpy.arange(len(CASES)) % 7 / 7


def random_arms(seed: int) -> ArmOrder:
    return arms_by(ARMS, random_order(len(ARMS.names), seed), seed)


def arms_by_score(seed: int) -> ArmOrder:
    return arms_by(ARMS, by_score(ARMS.means(SCORES), seed), seed)


def greedy_arms(faults: numpy.ndarray, seed: int) -> ArmOrder:
    return arms_by(ARMS, fault_based_arms(ARMS, faults, TEXTS, seed), seed)


MADE: dict[str, Callable[[int], CaseOrder]] = {
    "random": lambda seed: random_order(len(CASES), seed),
    "score": lambda seed: by_score(SCORES, seed),
    "fault-based": lambda seed: fault_based(FAULTS, TEXTS, seed),
    "adaptive": lambda seed: AdaptiveOrder(DESIGN, seed),
    "adaptive-texts": lambda seed: AdaptiveOrder(DESIGN, seed, TEXTS),
    "random arms": random_arms,
    "arms by score": arms_by_score,
    "fault-based arms": lambda seed: greedy_arms(FAULTS, seed),
    "adaptive arms": lambda seed: AdaptiveArms(ARMS, DESIGN, TEXTS, seed),
    "audited": lambda seed: AuditedOrder(AdaptiveOrder(DESIGN, seed), len(TEXTS), seed),
}


@pytest.mark.parametrize("name", MADE)
@given(st.lists(st.integers(1, 50), max_size=8), st.booleans(), st.integers(0, 3))
def test_each_case_is_given_once(name: str, sizes: list[int], learns: bool, seed: int) -> None:
    order, given_ = MADE[name](seed), []
    for size in [*sizes, *[1000] * len(CASES)]:
        chosen = order.next(size)
        assert len(chosen) <= size
        given_ += chosen
        if learns and chosen:
            order.learn(chosen, FAULTS[chosen].tolist())
        if not chosen:
            break
    assert sorted(given_) == list(range(len(CASES)))
    assert order.next(5) == []


@pytest.mark.parametrize("name", MADE)
def test_a_seed_gives_the_same_order(name: str) -> None:
    first, second, other = (replay(MADE[name](seed), FAULTS) for seed in (1, 1, 2))
    assert first == second
    assert first != other


def test_scores_are_descending() -> None:
    asked = replay(by_score(SCORES, 0), FAULTS)
    assert (numpy.diff(SCORES[asked]) <= 0).all()


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1), st.integers(0, 5))
def test_no_order_beats_fault_based(cases: list[tuple[int, bool]], seed: int) -> None:
    texts, faults = (numpy.array(column) for column in zip(*cases, strict=True))
    if not faults.any():
        return
    population = Population(faults, texts)
    best = population.cumulated(replay(fault_based(faults, texts, seed), faults))
    other = population.cumulated(numpy.random.default_rng(seed).permutation(len(faults)).tolist())
    for ours, theirs in zip(best, other, strict=True):
        assert (ours >= theirs - 1e-12).all()


@given(st.integers(0, 30))
def test_no_arm_beats_fault_based_at_rank_1(seed: int) -> None:
    rng = numpy.random.default_rng(seed)
    faults = rng.random(len(CASES)) < 0.1
    if not faults.any():
        return
    firsts = {}
    for name, made in (
        ("fault-based", greedy_arms(faults, seed)),
        ("random", random_arms(seed)),
        ("score", arms_by_score(seed)),
        ("adaptive", AdaptiveArms(ARMS, DESIGN, TEXTS, seed)),
    ):
        chosen = made.next(10**6)
        firsts[name] = len(set(TEXTS[chosen][faults[chosen]].tolist()))
    assert firsts["fault-based"] == max(firsts.values())


def test_greedy_covers_new_faults_first() -> None:
    # Arm a finds texts 0 and 1, b finds 1 and 2 and 3, c finds 0 twice.
    of = numpy.array([0, 0, 1, 1, 1, 2, 2])
    texts = numpy.array([0, 1, 1, 2, 3, 0, 0])
    arms, faults = Arms(("a", "b", "c"), of), numpy.ones(7, dtype=bool)
    for seed in range(6):
        order = arms_by(arms, fault_based_arms(arms, faults, texts, seed), seed)
        ranking = [int(of[order.next(10)[0]]) for _ in range(3)]
        assert ranking[0] == 1
    assert order.sizes[order.given].tolist() == [3, 2, 2]
    assert arms.means(numpy.array([1, 0, 1, 1, 1, 0, 0])).tolist() == [0.5, 1, 0]


def test_arms_are_given_whole() -> None:
    order = random_arms(3)
    asked = replay(order, FAULTS)
    assert isinstance(order, ArmOrder)
    parts = numpy.split(ARMS.of[asked], numpy.cumsum(order.sizes[order.given])[:-1])
    assert all(len(set(part.tolist())) == 1 for part in parts)


def test_one_arm_is_no_order() -> None:
    with pytest.raises(InputError, match="same relation"):
        arms_of(CASES, "relation")
    with pytest.raises(InputError, match="no kind of arm"):
        arms_of(CASES, "colour")


@pytest.mark.parametrize(
    "faulty",
    [lambda case: any(e.target == "t7" for e in case.edits), lambda case: case.text in (3, 11)],
    ids=["word", "text"],
)
def test_the_adaptive_order_learns_what_was_planted(faulty: Callable[[PairCase], bool]) -> None:
    cases = grid(texts=20, targets=10)
    faults = numpy.array([faulty(case) for case in cases])
    population = Population(faults, texts_of(cases))
    design = design_of(cases)
    needed = [population.measure(replay(AdaptiveOrder(design, s), faults)).most for s in range(5)]
    expected = population.expected().most
    assert expected is not None
    assert max(filter(None, needed)) < 0.4 * expected


def test_texts_without_a_fault_may_come_first() -> None:
    cases = grid(texts=12, targets=6)
    faults = targets(cases, "t1", "t2", "t4")
    population = Population(faults, texts_of(cases))
    order = AdaptiveOrder(design_of(cases), 0, texts_of(cases))
    first = population.measure(replay(order, faults, batch=1)).apfd_sources
    other = AdaptiveOrder(design_of(cases), 0)
    second = population.measure(replay(other, faults, batch=1)).apfd_sources
    assert first is not None
    assert second is not None
    assert first > second
    # Once a text has failed, no case of it is given while others have not.
    order = AdaptiveOrder(design_of(cases), 1, texts_of(cases))
    failed: set[int] = set()
    while len(failed) < 12:
        (case,) = order.next(1)
        assert cases[case].text not in failed
        order.learn([case], [bool(faults[case])])
        failed |= {cases[case].text} if faults[case] else set()


def test_verdicts_of_parts_tell_about_the_whole() -> None:
    cases = grid(texts=2, sources=1, targets=3)
    model = FaultModel(design_of(cases))
    before = model.probabilities()
    atomic = next(i for i, c in enumerate(cases) if c.text == 0 and len(c.edits) == 1)
    model.fit(numpy.array([atomic]), numpy.array([1.0]))
    gain = model.probabilities() / before
    same = [i for i, c in enumerate(cases) if set(cases[atomic].edits) < set(c.edits)]
    whole, elsewhere = (next(i for i in same if cases[i].text == t) for t in (0, 1))
    assert gain[whole] > gain[elsewhere] > 1


def test_the_model_approaches_the_mode() -> None:
    cases = grid(texts=4, targets=4)
    design, places = design_of(cases), numpy.arange(len(cases))
    faults = targets(cases, "t1").astype(float)
    model = FaultModel(design)
    for _ in range(60):
        model.fit(places, faults)
    odds = design.matrix @ model.mean + numpy.log(0.018 / 0.982)
    slope = design.matrix.T @ (faults - 1 / (1 + numpy.exp(-odds))) - model.mean / design.spread**2
    assert numpy.abs(slope).max() < 1e-4


def test_features_need_no_model_and_count_once() -> None:
    edit = EditWords("race", "black", "white", "b", "w")
    design = design_of([PairCase(1, "substitute", (edit,)), PairCase(1, "add one", (edit, edit))])
    assert design.matrix.shape == (2, 18)
    assert design.matrix.max() == 1
    shared = design.matrix[0].multiply(design.matrix[1]).sum()
    assert shared == 10  # the text, and all of the edit but itself in the text
