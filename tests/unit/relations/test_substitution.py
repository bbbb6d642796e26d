"""The relation's truth tables."""

from __future__ import annotations

from itertools import product

import pytest

from hinter_core.models.registry import open_store
from hinter_core.mutation.lattice import subsets
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import FollowUp, TestCase
from hinter_core.relations.family import SubstitutionRelation
from hinter_core.types import (
    Conformance,
    Edit,
    Failure,
    Grades,
    Layer,
    Mutant,
    Pair,
    Prediction,
    Term,
    Verdict,
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
    case = TestCase(Plan.of_text("s", Settings()))
    store = open_store("vader")
    case.answer_original(store, original)
    follow_up = FollowUp(case, mutant(A), frozenset([A]), conformance, graded=Grades(0.9, 0.1, 0.0))
    outcome = case.judge(follow_up, store.model.name, store.model.capabilities, answer)
    assert outcome.verdict is verdict
    compared = answer is not None and answer.answered and original.answered
    assert outcome.changed is (original.labels != answer.labels if answer and compared else None)
    assert outcome.validity == (0.9, 0.1, 0.0)


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
