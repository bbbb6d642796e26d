"""The validity score: its features, its range, and that the coefficients are those of the fit."""

from __future__ import annotations

from dataclasses import replace
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import validity as fitted
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.edits import apply_edits, handwritten_mutant
from hinter_core.mutation.plan import Settings, make_plan
from hinter_core.relations.validity import (
    INTERCEPT,
    STRUCTURE,
    WEIGHTS,
    validity_of,
    word_features,
)
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Edit, Mutant, Pair, Sense, Term


def mutant_of(text: str, *pairs: tuple[str, str]) -> Mutant:
    edits = []
    for source, target in pairs:
        spans = [
            (start, start + len(source))
            for start in range(len(text))
            if text.startswith(source, start)
        ]
        edits.append(Edit(Pair("own", Term(source, "a"), Term(target, "b")), tuple(spans)))
    return apply_edits(text, edits, ())


def test_the_coefficients_are_those_of_the_fit() -> None:
    found = fitted.fit([fitted.read(number) for number in fitted.FITTED])
    assert found.structure == pytest.approx(STRUCTURE, abs=1e-3)
    assert (found.intercept, *found.weights) == pytest.approx((INTERCEPT, *WEIGHTS), abs=1e-3)


def test_scores_tell_fair_from_unfair_mutants_that_were_not_fitted() -> None:
    last = fitted.read(7)
    kept = last.of(last.kept)
    assert set(kept.fair) == {True, False}
    scores = fitted.SHIPPED.scores(kept)
    assert scores[kept.fair].mean() > scores[~kept.fair].mean() + 0.05


def test_features_are_of_the_replaced_words() -> None:
    text = "We met a tall white nurse. Danish bakers and a Danish clerk came."
    asked = mutant_of(text, ("white", "black"), ("Danish", "Finnish"))
    assert word_features(text, asked).ambiguous == 2.0
    assert word_features(text, mutant_of(text, ("nurse", "clerk"))) == pytest.approx((0.0, log(99)))


def test_a_users_word_may_be_ambiguous_too() -> None:
    text = "The zorp left."
    plain = mutant_of(text, ("zorp", "quix"))
    assert word_features(text, plain).ambiguous == 0
    pair = Pair("own", Term("zorp", "a", sense=Sense.ASK), Term("quix", "b"))
    asked = replace(plain, edits=(Edit(pair, plain.edits[0].spans),))
    assert word_features(text, asked).ambiguous == 1
    assert validity_of(text, asked, kept=True).score < validity_of(text, plain, kept=True).score


@given(st.text(max_size=60), st.text(max_size=60), st.booleans())
def test_any_mutant_by_hand_has_a_score(source: str, mutant: str, kept: bool) -> None:
    found = validity_of(source, handwritten_mutant(source, mutant, ()), kept=kept)
    assert 0 < found.score < 1
    assert found.score == found.structure * found.words
    assert found.structure == (1 if kept else STRUCTURE)


def test_every_shipped_pair_has_a_score(shipped: dict[str, Dictionary], parses: ParseStore) -> None:
    text = "The old Black waiter thanked her sister, a Catholic lawyer."
    plan = make_plan(text, list(shipped.values()), Settings(order=1), parses)
    scores = {validity_of(text, plan.mutant(e), kept=True).score for e in plan.atomic()}
    assert len(scores) > 1
    assert all(0.5 < score < 1 for score in scores)
