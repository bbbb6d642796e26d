"""The validity score: its features, its grades, and that the coefficients are those of the fit."""

from __future__ import annotations

from dataclasses import replace
from math import log, log1p

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from benchmarks import validity as fitted
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.edits import apply_edits, handwritten_mutant
from hinter_core.mutation.plan import Plan, Settings, make_plan
from hinter_core.relations.validity import (
    FEATURES,
    Grades,
    features_of,
    graded,
    suffices,
    validity_of,
)
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Edit, Mutant, Pair, Sense, Term


def features(text: str, mutant: Mutant) -> dict[str, float]:
    plan = Plan.of_text(text, Settings())
    return dict(zip(FEATURES, features_of(plan, mutant, kept=True), strict=True))


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
    labelled = fitted.fitted()
    found = fitted.fit(labelled)
    assert (
        abs(found.grades(labelled.features) - fitted.SHIPPED.grades(labelled.features)).max() < 5e-3
    )


def test_scores_tell_fair_from_unfair_mutants_that_were_not_fitted() -> None:
    last = fitted.read(fitted.PROBES / "blind_7.csv")
    kept = last.of(last.kept)
    unfair = kept.all_say(2)
    assert set(unfair) == {True, False}
    scores = fitted.SHIPPED.grades(kept.features)[:, 0]
    # That round knows three of the features; chance is 0.5.
    assert roc_auc_score(~unfair, scores) > 0.65


def test_features_are_of_the_replaced_words() -> None:
    text = "We met a tall white nurse. Danish bakers and a Danish clerk came."
    asked = features(text, mutant_of(text, ("white", "black"), ("Danish", "Finnish")))
    assert asked["ambiguous"] == 1
    assert asked["places"] == pytest.approx(log1p(3))
    plain = features(text, mutant_of(text, ("nurse", "clerk")))
    assert plain["ambiguous"] == 0
    assert plain["doubt"] == pytest.approx(-log(99))


def gendered(text: str, source: str, target: str, *more: str) -> Mutant:
    spans = [(text.index(word), text.index(word) + len(word)) for word in (source, *more)]
    pair = Pair("gender", Term(source, "male"), Term(target, "female"))
    return apply_edits(text, [Edit(pair, tuple(spans))], ())


@pytest.mark.parametrize(
    ("text", "word", "near", "far"),
    [
        ("A man sang. It rained.", "man", 0, 0),
        ("A man sang, and he bowed.", "man", 1, 0),
        ("Mr Low is a waiter. He is kind.", "waiter", 2, 0),
        ("My uncle David sang. It rained. It snowed. It hailed. He left.", "uncle", 1, 1),
        ("A man met his wife. She left with her sister.", "man", 1, 0),
    ],
)
def test_words_of_the_replaced_gender_that_stay_are_counted(
    text: str, word: str, near: int, far: int
) -> None:
    found = features(text, gendered(text, word, "woman"))
    assert (found["near"], found["far"]) == pytest.approx((log1p(near), log1p(far)))


@pytest.mark.parametrize(
    ("text", "word", "name", "wanted"),
    [
        ("I read the German yesterday.", "German", "after_the", 1),
        ("I met a German yesterday.", "German", "after_the", 0),
        ("We watched the Asian Games on Monday.", "Asian", "capitals", 1),
        ("They like Little Italian songs.", "Italian", "capitals", 1),
        ("We met an Asian singer on Monday.", "Asian", "capitals", 0),
        ("They like Italian songs.", "Italian", "capitals", 0),
    ],
)
def test_words_around_a_change_are_looked_at(
    text: str, word: str, name: str, wanted: float
) -> None:
    assert features(text, mutant_of(text, (word, "x")))[name] == wanted


def test_people_are_looked_at_where_they_are_known(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    text = "Anna Reed is a young nurse. She likes her work. An old man waved."
    plan = make_plan(text, [shipped["age"]], Settings(order=1, coherent=True), parses)
    found = {
        edit.source.text: dict(
            zip(FEATURES, features_of(plan, plan.mutant((edit,)), kept=True), strict=True)
        )
        for edit in plan.edits["age"]
    }
    assert (found["young"]["named"], found["old"]["named"]) == (1, 0)
    assert found["young"]["mentions"] > found["old"]["mentions"]
    assert found["young"]["people"] == found["old"]["people"] >= log1p(2)
    unknown = make_plan(text, [shipped["age"]], Settings(order=1, coherent=False), parses)
    edits = next(unknown.atomic())
    alone = features_of(unknown, unknown.mutant(edits), kept=True)
    assert dict(zip(FEATURES, alone, strict=True))["people"] == 0


def test_doubts_of_a_coherent_edit_are_a_risk(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = make_plan("A man left.", [shipped["gender"]], Settings(order=1), parses)
    (edit, *_) = plan.edits["gender"]
    place, mutant = FEATURES.index("doubts"), plan.mutant((edit,))
    plan.doubts[edit] = ("he", "his")
    doubtful = features_of(plan, mutant, kept=True)
    plan.doubts.clear()
    assert doubtful[place] == pytest.approx(log1p(2))
    assert features_of(plan, mutant, kept=True)[place] == 0


@given(
    st.lists(st.floats(-4.6, 6), min_size=len(FEATURES), max_size=len(FEATURES)),
    st.integers(0, len(FEATURES) - 1),
    st.floats(0, 6),
    st.floats(0.01, 0.99),
)
def test_more_of_a_risk_never_makes_a_mutant_fairer(
    values: list[float], place: int, more: float, least: float
) -> None:
    worse = [*values[:place], values[place] + more, *values[place + 1 :]]
    before, after = graded(values), graded(worse)
    assert sum(before) == pytest.approx(1)
    assert after.fair <= before.fair + 1e-9
    assert suffices(before, least) or not suffices(after, least)


def test_grades_in_words() -> None:
    assert (
        Grades(0.82, 0.11, 0.07).in_words
        == "fair 82\u00a0% \u00b7 soft 11\u00a0% \u00b7 unfair 7\u00a0%"
    )


def test_a_users_word_may_be_ambiguous_too() -> None:
    text = "The zorp left."
    plan, plain = Plan.of_text(text, Settings()), mutant_of(text, ("zorp", "quix"))
    assert features(text, plain)["ambiguous"] == 0
    pair = Pair("own", Term("zorp", "a", sense=Sense.ASK), Term("quix", "b"))
    asked = replace(plain, edits=(Edit(pair, plain.edits[0].spans),))
    assert features(text, asked)["ambiguous"] == 1
    assert validity_of(plan, asked, kept=True).fair <= validity_of(plan, plain, kept=True).fair


@given(st.text(max_size=60), st.text(max_size=60), st.booleans())
def test_any_mutant_by_hand_has_a_score(source: str, mutant: str, kept: bool) -> None:
    made = handwritten_mutant(source, mutant, ())
    found = validity_of(Plan.of_text(source, Settings()), made, kept=kept)
    assert sum(found) == pytest.approx(1)
    assert all(0 < part < 1 for part in found)


def test_every_shipped_pair_has_a_score_and_parts_are_no_less_fair_than_wholes(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    text = "The old Black waiter thanked her sister, a Catholic lawyer."
    plan = make_plan(text, list(shipped.values()), Settings(order=2, limit=400), parses)
    fair = {e: validity_of(plan, plan.mutant(e), kept=True).fair for e in plan.atomic()}
    assert len(set(fair.values())) > 1
    assert all(0.1 < score < 1 for score in fair.values())
    for edits in plan.chosen():
        whole = validity_of(plan, plan.mutant(edits), kept=True).fair
        assert whole <= min(fair[edit,] for edit in edits) + 1e-9
