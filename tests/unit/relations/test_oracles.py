"""Which answers are the same, and how far they moved."""

from __future__ import annotations

import re
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.errors import InputError
from hinter_core.models.base import COREFERENCE, MASKED, Capabilities, distance_to_threshold
from hinter_core.mutation.edits import apply_edits
from hinter_core.mutation.lattice import subsets
from hinter_core.relations.family import SubstitutionRelation
from hinter_core.relations.oracles import LabelOracle, MaskOracle, ScoreOracle, oracle_for
from hinter_core.types import (
    KEPT,
    NO_INTERACTION,
    Edit,
    HiddenGrade,
    Mutant,
    Pair,
    Prediction,
    Span,
    Term,
    Verdict,
    hidden_grade,
)

ORACLE, RELATION = LabelOracle(), SubstitutionRelation()

YES, NO = Prediction(("yes",)), Prediction(("no",))


def edit(name: str) -> Edit:
    return Edit(Pair(name, Term("s", "g"), Term("t", "h")), ((0, 1),))


A, B, C = edit("a"), edit("b"), edit("c")


def mutant(*edits: Edit) -> Mutant:
    return Mutant(edits, "", ())


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (("yes",), ("yes",), True),
        (("yes",), ("no",), False),
        (("a", "b"), ("b", "a"), True),
        (("a", "b"), ("a",), False),
        ((), (), True),
        ((), ("a",), False),
    ],
)
def test_answers_are_compared_as_sets(
    first: tuple[str, ...], second: tuple[str, ...], same: bool
) -> None:
    assert ORACLE.same_answer(Prediction(first), Prediction(second)) is same


BINARY = Capabilities(labels=("yes", "no"))
MANY = Capabilities(labels=("a", "b", "c"), multi_label=True)


def binary(p: float) -> Prediction:
    return Prediction(("yes",) if p >= 0.5 else ("no",), {"yes": p, "no": 1 - p})


def sigmoid(x: float) -> float:
    return 1 / (1 + 2.718281828459045 ** (-x))


def test_shift_and_distance_speak_of_the_original_label() -> None:
    answers = {frozenset({A}): binary(0.3)}
    found = ORACLE.effect(mutant(A), binary(0.8), answers.get, BINARY)
    assert found is not None
    assert found.label == "yes"
    assert found.shift == pytest.approx(-0.5)
    assert found.distance == pytest.approx(0.2)
    assert found.interaction is None


@pytest.mark.parametrize("extra", [0.0, -2.5, 1.0])
def test_interaction_is_what_the_pair_does_beyond_its_parts(extra: float) -> None:
    base, a, b = 1.2, -0.7, 0.4
    answers = {
        frozenset({A}): binary(sigmoid(base + a)),
        frozenset({B}): binary(sigmoid(base + b)),
        frozenset({A, B}): binary(sigmoid(base + a + b + extra)),
    }
    found = ORACLE.effect(mutant(A, B), binary(sigmoid(base)), answers.get, BINARY)
    assert found is not None
    assert found.interaction == pytest.approx(extra, abs=1e-6)


@pytest.mark.parametrize("extra", [0.0, 0.9])
def test_interaction_of_order_three_leaves_out_the_pairs(extra: float) -> None:
    single = {A: 0.3, B: -0.6, C: 0.2}
    double = {frozenset({A, B}): 0.5, frozenset({A, C}): -0.4, frozenset({B, C}): 0.1}
    answers = {}
    for part in subsets((A, B, C)):
        total = sum(single[e] for e in part)
        total += sum(v for pair, v in double.items() if pair <= set(part))
        answers[frozenset(part)] = binary(sigmoid(total + (extra if len(part) == 3 else 0)))
    found = ORACLE.effect(mutant(A, B, C), binary(sigmoid(0)), answers.get, BINARY)
    assert found is not None
    assert found.interaction == pytest.approx(extra, abs=1e-6)


def test_interaction_is_unknown_where_a_part_was_not_asked() -> None:
    answers = {frozenset({A}): binary(0.6), frozenset({A, B}): binary(0.2)}
    found = ORACLE.effect(mutant(A, B), binary(0.7), answers.get, BINARY)
    assert found is not None
    assert found.interaction is None
    assert found.shift == pytest.approx(-0.5)


def test_certain_answers_keep_log_odds_finite() -> None:
    answers = {frozenset({A}): binary(1.0), frozenset({B}): binary(1.0),
               frozenset({A, B}): binary(0.0)}  # fmt: skip
    found = ORACLE.effect(mutant(A, B), binary(1.0), answers.get, BINARY)
    assert found is not None
    assert found.interaction is not None
    assert -2 * log(1e6) == pytest.approx(found.interaction, rel=1e-3)


def test_multi_label_effect_follows_the_label_that_changed_most() -> None:
    original = Prediction(("a",), {"a": 0.9, "b": 0.4, "c": 0.1})
    changed = Prediction(("a", "b"), {"a": 0.5, "b": 0.6, "c": 0.1})
    found = ORACLE.effect(mutant(A), original, {frozenset({A}): changed}.get, MANY)
    assert found is not None
    assert (found.label, found.shift) == ("b", pytest.approx(0.2))
    same = Prediction(("a",), {"a": 0.8, "b": 0.1, "c": 0.1})
    found = ORACLE.effect(mutant(A), original, {frozenset({A}): same}.get, MANY)
    assert found is not None
    assert found.label == "b"


def test_no_effect_without_scores() -> None:
    assert ORACLE.effect(mutant(A), YES, {frozenset({A}): NO}.get, BINARY) is None
    assert ORACLE.effect(mutant(A), binary(0.6), {}.get, BINARY) is None
    other = Prediction(("z",), {"z": 1.0})
    assert ORACLE.effect(mutant(A), binary(0.6), {frozenset({A}): other}.get, BINARY) is None


def test_the_distance_to_the_threshold_is_what_must_move_for_another_answer() -> None:
    far = distance_to_threshold
    assert far(Prediction(("a",), {"a": 0.59, "b": 0.41}), BINARY) == pytest.approx(0.09)
    three = {"a": 0.6, "b": 0.3, "c": 0.1}
    assert far(Prediction(("a",), three), BINARY) == pytest.approx(0.15)
    assert far(Prediction((), {"a": 0.45, "b": 0.1}), MANY) == pytest.approx(0.05)
    assert far(Prediction(("a",)), BINARY) is None
    assert far(Prediction(("a",), {"a": 1.0}), BINARY) is None


@given(scores=st.lists(st.floats(0.01, 1), min_size=2, max_size=5))
def test_moved_by_its_distance_an_answer_is_a_tie(scores: list[float]) -> None:
    total = sum(scores)
    scores = sorted((x / total for x in scores), reverse=True)
    own = Prediction(("0",), {str(i): x for i, x in enumerate(scores)})
    moved = distance_to_threshold(own, BINARY)
    assert moved is not None
    assert scores[0] - moved == pytest.approx(scores[1] + moved)


@pytest.mark.parametrize(("base", "shift"), [(1.2, -0.8), (-1.2, 0.8)])
def test_hidden_bias_is_more_than_the_sum_or_at_the_threshold(base: float, shift: float) -> None:
    """Two changes of half the way each add up; one that needs the other does not."""

    def grade(first: float, second: float, extra: float) -> HiddenGrade | None:
        answers = {
            frozenset({A}): binary(sigmoid(base + first)),
            frozenset({B}): binary(sigmoid(base + second)),
            frozenset({A, B}): binary(sigmoid(base + first + second + extra)),
        }
        original = binary(sigmoid(base))
        local = {
            edits: RELATION.local_verdict(KEPT, ORACLE.same_answer(original, answer))
            for edits, answer in answers.items()
        }
        verdict = RELATION.verdict(mutant(A, B), local)
        assert verdict is Verdict.HIDDEN
        found = ORACLE.effect(mutant(A, B), original, answers.get, BINARY)
        assert found is not None
        return hidden_grade(verdict, found.shift, found.interaction)

    way = -1 if shift < 0 else 1
    assert grade(0.8 * way, 0.8 * way, 0.0) is HiddenGrade.THRESHOLD
    assert grade(0.8 * way, 0.8 * way, 0.9 * NO_INTERACTION * way) is HiddenGrade.THRESHOLD
    assert grade(0.8 * way, 0.8 * way, 1.1 * NO_INTERACTION * way) is HiddenGrade.MORE
    # Together they do less than their sum, and it is enough all the same.
    assert grade(1.1 * way, 1.1 * way, -0.5 * way) is HiddenGrade.THRESHOLD
    assert grade(0.0, 0.0, 2.0 * way) is HiddenGrade.MORE


def test_only_hidden_findings_with_scores_have_a_grade() -> None:
    assert hidden_grade("biased", -0.5, -1.0) is None
    assert hidden_grade("hidden", None, None) is None
    assert hidden_grade("hidden", -0.5, None) is None
    assert hidden_grade(None, -0.5, -1.0) is None


def masked(*rows: tuple[float, float]) -> Prediction:
    masks = tuple({"his": his, "her": her} for his, her in rows)
    return Prediction((max(masks[0], key=lambda word: masks[0][word]),), masks[0], masks=masks)


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ([(0.7, 0.2)], [(0.65, 0.25)], True),
        ([(0.7, 0.2)], [(0.6, 0.2)], True),  # by the tolerance itself
        ([(0.7, 0.2)], [(0.59, 0.2)], False),
        ([(0.7, 0.2)], [(0.7, 0.31)], False),  # one word is enough
        ([(0.52, 0.48)], [(0.48, 0.52)], True),  # the likeliest word may change
        ([(0.7, 0.2), (0.5, 0.5)], [(0.7, 0.2), (0.3, 0.7)], False),  # at any mask
        ([(0.7, 0.2), (0.5, 0.5)], [(0.7, 0.2)], False),
    ],
)
def test_a_masked_word_may_move_by_the_tolerance(
    before: list[tuple[float, float]], after: list[tuple[float, float]], same: bool
) -> None:
    assert MaskOracle(0.1).same_answer(masked(*before), masked(*after)) is same


def test_the_effect_at_a_mask_follows_the_word_that_moved_most() -> None:
    able = Capabilities(task=MASKED, labels=("his", "her"))
    answers = {frozenset({A}): masked((0.65, 0.4))}
    found = MaskOracle(0.1).effect(mutant(A), masked((0.7, 0.1)), answers.get, able)
    assert found is not None
    assert (found.label, found.shift) == ("her", pytest.approx(0.3))


@pytest.mark.parametrize(
    ("several", "before", "after", "same"),
    [
        (False, (0.8, 0.1, 0.1), (0.6, 0.3, 0.1), True),  # by the tolerance itself
        (False, (0.8, 0.1, 0.1), (0.59, 0.31, 0.1), False),
        (False, (0.8, 0.15, 0.0), (0.8, 0.0, 0.45), True),  # other labels than the answer
        (True, (0.8, 0.15, 0.0), (0.8, 0.0, 0.45), False),  # of several, each is one
        (False, (0.51, 0.49, 0.0), (0.49, 0.51, 0.0), False),  # another label, by however little
    ],
)
def test_the_score_of_the_label_may_move_by_the_tolerance(
    several: bool, before: tuple[float, ...], after: tuple[float, ...], same: bool
) -> None:
    def scored(scores: tuple[float, ...]) -> Prediction:
        named = dict(zip("abc", scores, strict=True))
        return Prediction((max(named, key=lambda label: named[label]),), named)

    oracle = ScoreOracle(ORACLE, 0.2, several)
    assert oracle.same_answer(scored(before), scored(after)) is same


def test_where_the_label_stays_the_distance_is_that_to_the_tolerance() -> None:
    oracle = ScoreOracle(ORACLE, 0.2, several=False)
    for after, distance in ((0.55, 0.15), (0.85, 0.15), (0.9, 0.2), (0.3, 0.2)):
        found = oracle.effect(mutant(A), binary(0.9), {frozenset({A}): binary(after)}.get, BINARY)
        assert found is not None
        assert (found.label, found.distance) == ("yes", pytest.approx(distance))


TEXT = "A farmer met the cook, because he liked the food."


def swapped(old: str, new: str) -> Mutant:
    ((start, _),) = [m.span() for m in re.finditer(rf"\b{old}\b", TEXT)]
    change = Edit(Pair("a", Term(old, "g"), Term(new, "h")), ((start, start + len(old)),))
    return apply_edits(TEXT, [change])


def clusters(text: str, *chains: tuple[str, ...]) -> Prediction:
    def span(words: str) -> Span:
        ((start, end),) = [m.span() for m in re.finditer(rf"\b{words}\b", text)]
        return start, end

    return Prediction(clusters=tuple(tuple(map(span, chain)) for chain in chains))


@pytest.mark.parametrize(
    ("old", "new", "chains", "same"),
    [
        ("he", "she", [("A farmer", "she")], True),
        ("he", "she", [("the cook", "she")], False),
        ("he", "she", [], False),
        ("he", "she", [("A farmer", "she"), ("the food",)], True),  # one alone is no link
        ("farmer", "engineer", [("An engineer", "he")], True),  # with its article
        ("farmer", "engineer", [("the cook", "he")], False),
        ("cook", "flight attendant", [("A farmer", "he")], True),
        ("cook", "flight attendant", [("the flight attendant", "he")], False),
        ("cook", "flight attendant", [("A farmer", "he"), ("attendant", "food")], False),
    ],
)
def test_clusters_are_compared_in_the_places_of_the_source(
    old: str, new: str, chains: list[tuple[str, ...]], same: bool
) -> None:
    oracle, original = oracle_for(COREFERENCE, 0), clusters(TEXT, ("A farmer", "he"))
    mutant = swapped(old, new)
    answer = clusters(mutant.text, *chains)
    assert oracle.same_answer(original, answer, mutant) is same


def test_an_unknown_task_has_no_oracle() -> None:
    with pytest.raises(InputError, match="No answers of the task 'translation'"):
        oracle_for("translation", 0.1)
