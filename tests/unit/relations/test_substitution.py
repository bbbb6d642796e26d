"""The label oracle's truth tables, and the effects it measures."""

from __future__ import annotations

from itertools import product
from math import log

import pytest

from hinter_core.models.base import Capabilities, margin
from hinter_core.mutation.lattice import subsets
from hinter_core.relations.substitution import SubstitutionRelation
from hinter_core.types import (
    NO_INTERACTION,
    Conformance,
    Edit,
    Failure,
    HiddenGrade,
    Layer,
    Mutant,
    Pair,
    Prediction,
    Term,
    Verdict,
    hidden_grade,
)

RELATION = SubstitutionRelation()

KEPT, BROKEN = Conformance(True), Conformance(False, Layer.POS)
YES, NO = Prediction(("yes",)), Prediction(("no",))
LOST = Prediction(failure=Failure.TIMED_OUT)


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
    assert RELATION.same_answer(Prediction(first), Prediction(second)) is same


@pytest.mark.parametrize(
    ("conformance", "original", "answer", "verdict"),
    [
        (KEPT, YES, YES, Verdict.BENIGN),
        (KEPT, YES, NO, Verdict.BIASED),
        (BROKEN, YES, NO, Verdict.DISCARDED),
        (BROKEN, YES, None, Verdict.DISCARDED),
        (BROKEN, LOST, None, Verdict.DISCARDED),
        (KEPT, YES, None, Verdict.UNANSWERED),
        (KEPT, YES, LOST, Verdict.UNANSWERED),
        (KEPT, LOST, NO, Verdict.UNANSWERED),
        # "No label" is an answer of a multi-label model, a failure is not.
        (KEPT, Prediction(()), Prediction(()), Verdict.BENIGN),
        (KEPT, Prediction(()), Prediction(("a",)), Verdict.BIASED),
    ],
)
def test_local_verdict(
    conformance: Conformance, original: Prediction, answer: Prediction | None, verdict: Verdict
) -> None:
    assert RELATION.local_verdict(conformance, original, answer) is verdict


LOCAL = (Verdict.BENIGN, Verdict.BIASED, Verdict.DISCARDED, Verdict.UNANSWERED)


@pytest.mark.parametrize(("first", "second", "both"), list(product(LOCAL, LOCAL, LOCAL)))
def test_hidden_at_order_two(first: Verdict, second: Verdict, both: Verdict) -> None:
    """All 64 rows: lines 26-29 hold in exactly one of them."""
    local = {frozenset({A}): first, frozenset({B}): second, frozenset({A, B}): both}
    verdict = RELATION.verdict(mutant(A, B), local)
    hidden = (first, second, both) == (Verdict.BENIGN, Verdict.BENIGN, Verdict.BIASED)
    assert verdict is (Verdict.HIDDEN if hidden else both)


@pytest.mark.parametrize("broken", range(6))
@pytest.mark.parametrize("how", LOCAL)
def test_hidden_at_order_three_needs_every_part(broken: int, how: Verdict) -> None:
    parts = [frozenset(p) for p in subsets((A, B, C))]
    local = dict.fromkeys(parts, Verdict.BENIGN)
    local[parts[broken]] = how
    local[frozenset({A, B, C})] = Verdict.BIASED
    verdicts = {p: RELATION.verdict(mutant(*sorted(p, key=lambda e: e.key)), local) for p in parts}
    hidden = how is Verdict.BENIGN
    assert verdicts[frozenset({A, B, C})] is (Verdict.HIDDEN if hidden else Verdict.BIASED)
    # A biased pair inside is itself hidden, since its own parts are benign.
    if how is Verdict.BIASED:
        order = len(parts[broken])
        assert verdicts[parts[broken]] is (Verdict.HIDDEN if order == 2 else Verdict.BIASED)


def test_atomic_bias_is_never_hidden_and_a_missing_part_hides_nothing() -> None:
    assert RELATION.verdict(mutant(A), {frozenset({A}): Verdict.BIASED}) is Verdict.BIASED
    local = {frozenset({A}): Verdict.BENIGN, frozenset({A, B}): Verdict.BIASED}
    assert RELATION.verdict(mutant(A, B), local) is Verdict.BIASED


BINARY = Capabilities(labels=("yes", "no"))
MANY = Capabilities(labels=("a", "b", "c"), multi_label=True)


def binary(p: float) -> Prediction:
    return Prediction(("yes",) if p >= 0.5 else ("no",), {"yes": p, "no": 1 - p})


def sigmoid(x: float) -> float:
    return 1 / (1 + 2.718281828459045 ** (-x))


def test_shift_and_margin_speak_of_the_original_label() -> None:
    answers = {frozenset({A}): binary(0.3)}
    found = RELATION.effect(mutant(A), binary(0.8), answers.get, BINARY)
    assert found is not None
    assert found.label == "yes"
    assert found.shift == pytest.approx(-0.5)
    assert found.margin == pytest.approx(0.4)
    assert found.interaction is None


@pytest.mark.parametrize("extra", [0.0, -2.5, 1.0])
def test_interaction_is_what_the_pair_does_beyond_its_parts(extra: float) -> None:
    base, a, b = 1.2, -0.7, 0.4
    answers = {
        frozenset({A}): binary(sigmoid(base + a)),
        frozenset({B}): binary(sigmoid(base + b)),
        frozenset({A, B}): binary(sigmoid(base + a + b + extra)),
    }
    found = RELATION.effect(mutant(A, B), binary(sigmoid(base)), answers.get, BINARY)
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
    found = RELATION.effect(mutant(A, B, C), binary(sigmoid(0)), answers.get, BINARY)
    assert found is not None
    assert found.interaction == pytest.approx(extra, abs=1e-6)


def test_interaction_is_unknown_where_a_part_was_not_asked() -> None:
    answers = {frozenset({A}): binary(0.6), frozenset({A, B}): binary(0.2)}
    found = RELATION.effect(mutant(A, B), binary(0.7), answers.get, BINARY)
    assert found is not None
    assert found.interaction is None
    assert found.shift == pytest.approx(-0.5)


def test_certain_answers_keep_log_odds_finite() -> None:
    answers = {frozenset({A}): binary(1.0), frozenset({B}): binary(1.0),
               frozenset({A, B}): binary(0.0)}  # fmt: skip
    found = RELATION.effect(mutant(A, B), binary(1.0), answers.get, BINARY)
    assert found is not None
    assert found.interaction is not None
    assert -2 * log(1e6) == pytest.approx(found.interaction, rel=1e-3)


def test_multi_label_effect_follows_the_label_that_changed_most() -> None:
    original = Prediction(("a",), {"a": 0.9, "b": 0.4, "c": 0.1})
    changed = Prediction(("a", "b"), {"a": 0.5, "b": 0.6, "c": 0.1})
    found = RELATION.effect(mutant(A), original, {frozenset({A}): changed}.get, MANY)
    assert found is not None
    assert (found.label, found.shift) == ("b", pytest.approx(0.2))
    same = Prediction(("a",), {"a": 0.8, "b": 0.1, "c": 0.1})
    found = RELATION.effect(mutant(A), original, {frozenset({A}): same}.get, MANY)
    assert found is not None
    assert found.label == "b"


def test_no_effect_without_scores() -> None:
    assert RELATION.effect(mutant(A), YES, {frozenset({A}): NO}.get, BINARY) is None
    assert RELATION.effect(mutant(A), binary(0.6), {}.get, BINARY) is None
    other = Prediction(("z",), {"z": 1.0})
    assert RELATION.effect(mutant(A), binary(0.6), {frozenset({A}): other}.get, BINARY) is None


def test_margin() -> None:
    assert margin(Prediction(("a",), {"a": 0.6, "b": 0.3, "c": 0.1}), BINARY) == pytest.approx(0.3)
    assert margin(Prediction((), {"a": 0.45, "b": 0.1}), MANY) == pytest.approx(0.05)
    assert margin(Prediction(("a",)), BINARY) is None
    assert margin(Prediction(("a",), {"a": 1.0}), BINARY) is None


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
            edits: RELATION.local_verdict(KEPT, original, answer)
            for edits, answer in answers.items()
        }
        verdict = RELATION.verdict(mutant(A, B), local)
        assert verdict is Verdict.HIDDEN
        found = RELATION.effect(mutant(A, B), original, answers.get, BINARY)
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
