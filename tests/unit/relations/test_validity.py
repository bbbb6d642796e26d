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
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import LEAST_FAIR, Settings
from hinter_core.relations.validity import (
    FEATURES,
    features_of,
    graded,
    is_ambiguous,
    validity_of,
)
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Edit, Grades, GrammaticalForm, Mutant, Pair, Sense, Slot, Term

ADJECTIVE = GrammaticalForm.ADJECTIVE


def features(text: str, mutant: Mutant) -> dict[str, float]:
    """Return the most of each feature of its edits."""
    found = features_of(Plan.of_text(text, Settings()), mutant)
    return dict(zip(FEATURES, map(max, zip(*found, strict=True)), strict=True))


def mutant_of(text: str, *pairs: tuple[str, str]) -> Mutant:
    edits = []
    for source, target in pairs:
        spans = [
            (start, start + len(source))
            for start in range(len(text))
            if text.startswith(source, start)
        ]
        edits.append(Edit(Pair("own", Term(source, "a"), Term(target, "b")), tuple(spans)))
    return apply_edits(text, edits)


def test_a_text_tells_what_somebody_does_but_no_template_or_plain_sentence(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plain, text = "My aunt is a nurse.", "My aunt is a nurse from Leeds. We saw the play together."

    def fair(text: str, *slots: Slot) -> tuple[float, float]:
        plan = make_plan(text, [shipped["occupation"]], Settings(order=1), parses)
        mutant = plan.mutant(plan.edits["occupation"][:1])
        filled = replace(plan, slots=slots)
        (found,) = features_of(filled, mutant)
        return found.occupation, validity_of(filled, mutant, kept=True).fair

    assert fair(plain)[0] == fair(text, Slot("occupation", (13, 18)))[0] == 0.0
    told, low = fair(text)
    assert told == 1.0
    assert low < LEAST_FAIR < fair(text, Slot("occupation", (13, 18)))[1]


def test_the_coefficients_are_those_of_the_fit() -> None:
    labelled = fitted.fitted()
    found = fitted.fit(labelled)
    assert abs(found.grades(labelled) - fitted.SHIPPED.grades(labelled)).max() < 5e-3


@pytest.mark.slow
def test_scores_tell_labels_apart_on_domains_that_were_not_fitted() -> None:
    labelled = fitted.fitted()
    grades, _ = fitted.without_own_domain(labelled)
    kept = labelled.of(labelled.kept)
    for other, least in ((1, 0.7), (2, 0.7)):  # chance is 0.5
        chosen = kept.all_say(0) | kept.all_say(other)
        fair = kept.all_say(0)[chosen]
        assert set(fair) == {True, False}
        assert roc_auc_score(fair, grades[labelled.kept][chosen, 0]) > least


def test_features_are_of_the_replaced_words() -> None:
    text = "We met a tall white nurse. Danish bakers and a Danish clerk came."
    asked = features(text, mutant_of(text, ("white", "black"), ("Danish", "Finnish")))
    assert asked["places"] == pytest.approx(log1p(2))
    plain = features(text, mutant_of(text, ("nurse", "clerk")))
    assert plain["places"] == pytest.approx(log1p(1))
    assert plain["doubt"] == pytest.approx(-log(99))


def gendered(text: str, source: str, target: str, *more: str) -> Mutant:
    spans = [(text.index(word), text.index(word) + len(word)) for word in (source, *more)]
    pair = Pair("gender", Term(source, "male"), Term(target, "female"))
    return apply_edits(text, [Edit(pair, tuple(spans))])


@pytest.mark.parametrize(
    ("text", "word", "near"),
    [
        ("A man sang. It rained.", "man", 0),
        ("A man sang, and he bowed.", "man", 1),
        ("Mr Low is a waiter. He is kind, is he not?", "waiter", 2),
        ("My uncle David sang. It rained. It snowed. It hailed. He left.", "uncle", 0),
        ("A man met his wife. She left with her sister.", "man", 1),
    ],
)
def test_pronouns_of_the_replaced_gender_that_stay_near_are_counted(
    text: str, word: str, near: int
) -> None:
    assert features(text, gendered(text, word, "woman"))["near"] == pytest.approx(log1p(near))


@pytest.mark.parametrize(
    ("attribute", "text", "word", "group", "words", "years"),
    [
        ("age", "A young man sang. The boy left at 12.", "young", "young", 1, 1),
        ("age", "A young man sang. It rained. It snowed. An old boy left, aged 12.", "young",
         "young", 0, 0),
        ("age", "The elderly clerk smiled at a young woman.", "elderly", "old", 1, 0),
        ("gender", "A man sang. His brother left at 12.", "man", "male", 1, 0),
        ("gender", "A man sang. His sister left.", "man", "male", 0, 0),
        ("religion", "A Muslim clerk met a Sikh nurse and a doctor.", "Muslim", "muslim", 0, 0),
        ("nationality", "The Danish baker met 12 tall clerks.", "Danish", "danish", 0, 0),
    ],
)  # fmt: skip
def test_other_words_for_what_changes_are_counted_near_by(
    attribute: str, text: str, word: str, group: str, words: int, years: int
) -> None:
    span = (text.index(word), text.index(word) + len(word))
    edit = Edit(Pair(attribute, Term(word, group), Term("x", "y")), (span,))
    found = features(text, apply_edits(text, [edit]))
    assert found["words"] == pytest.approx(log1p(words))
    assert found["years"] == pytest.approx(log1p(years))


def test_a_disability_is_known_and_how_often_the_text_speaks_of_who_has_it(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    text = "A blind Danish woman sang. She bowed. Her son left."
    chosen = [shipped["disability"], shipped["nationality"]]
    plan = make_plan(text, chosen, Settings(order=1), parses)
    found = {
        (edit.attribute, features.disability, round(features.disabled, 3))
        for edits in plan.atomic()
        for edit, features in zip(edits, features_of(plan, plan.mutant(edits)), strict=True)
    }
    assert found == {("disability", 1.0, round(log1p(3), 3)), ("nationality", 0.0, 0.0)}


def test_each_kind_that_is_no_person_is_asked_about() -> None:
    pair = Pair("race", Term("English", "a", ADJECTIVE), Term("Danish", "b", ADJECTIVE))
    speaks, nurse = (
        features(text, apply_edits(text, [Edit(pair, ((at, at + len("English")),))]))
        for text in ("She speaks English.", "An English nurse left.")
        for at in [text.index("English")]
    )
    assert speaks["language"] > 0.5 > nurse["language"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("The kitchen was clean.", "kitchen"),
        ("We bought the table in March.", "table"),
        ("The zorp left for the bank.", "zorp"),
    ],
)
def test_neutral_words_and_words_of_a_user_may_be_of_any_kind(text: str, word: str) -> None:
    found = features_of(Plan.of_text(text, Settings()), mutant_of(text, (word, "x")))
    assert {getattr(one, kind) for one in found for kind in ("thing", "place", "work")} == {0}


def test_words_for_children_are_known() -> None:
    text = "A girl met a woman."
    assert features(text, mutant_of(text, ("girl", "x")))["child"] == 1
    assert features(text, mutant_of(text, ("woman", "x")))["child"] == 0


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
            zip(FEATURES, features_of(plan, plan.mutant((edit,)))[0], strict=True)
        )
        for edit in plan.edits["age"]
    }
    assert (found["young"]["named"], found["old"]["named"]) == (1, 0)
    assert found["young"]["mentions"] > found["old"]["mentions"]
    assert found["young"]["people"] == found["old"]["people"] >= log1p(2)
    unknown = make_plan(text, [shipped["age"]], Settings(order=1, coherent=False), parses)
    edits = next(unknown.atomic())
    (alone,) = features_of(unknown, unknown.mutant(edits))
    assert alone.people == 0


@pytest.mark.parametrize(
    "text", ["He is a good man.", "She is a good woman.", "Tom is a good boy."]
)
def test_what_somebody_is_said_to_be_is_no_figure_of_speech(
    text: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = make_plan(text, [shipped["gender"]], Settings(order=1, coherent=True), parses)
    assert all(
        validity_of(plan, plan.mutant(edits), kept=True).fair > LEAST_FAIR
        for edits in plan.atomic()
    )


@pytest.mark.parametrize("said", ["is kind", "is an idiot", "stole my bike"])
def test_an_adjective_of_a_person_noun_is_as_fair_whoever_it_is(
    said: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    """The encoder is less sure of a Christian man than of a Christian woman."""
    scores = set()
    for noun in ("woman", "man", "lady", "doctor"):
        text = f"The Christian {noun} {said}."
        plan = make_plan(text, [shipped["religion"]], Settings(order=1), parses)
        found = [validity_of(plan, plan.mutant(edits), kept=True).fair for edits in plan.atomic()]
        assert min(found) > LEAST_FAIR
        scores.add(round(max(found), 2))
    assert max(scores) - min(scores) <= 0.03


@given(
    st.lists(
        st.lists(st.floats(-4.6, 6), min_size=len(FEATURES), max_size=len(FEATURES)),
        min_size=1,
        max_size=4,
    ),
    st.lists(st.floats(-4.6, 6), min_size=len(FEATURES), max_size=len(FEATURES)),
    st.booleans(),
)
def test_one_more_edit_never_makes_a_mutant_fairer(
    edits: list[list[float]], more: list[float], kept: bool
) -> None:
    before, after = graded(edits, kept=kept), graded([*edits, more], kept=kept)
    assert sum(before) == pytest.approx(1)
    assert after.fair <= before.fair + 1e-9
    assert graded(edits, kept=False).fair <= graded(edits, kept=True).fair


def test_grades_in_words() -> None:
    assert Grades(0.82, 0.11, 0.07).in_words == "fair 82 % \u00b7 soft 11 % \u00b7 unfair 7 %"
    assert Grades(0.597, 0.343, 0.06).in_words == "fair 59 % \u00b7 soft 34 % \u00b7 unfair 6 %"
    assert Grades(0.29, 0.71, 0.0).in_words == "fair 29 % \u00b7 soft 71 % \u00b7 unfair 0 %"


def test_a_users_word_may_be_ambiguous_too() -> None:
    assert is_ambiguous(Term("zorp", "a", sense=Sense.ASK))
    assert not is_ambiguous(Term("zorp", "a"))
    assert is_ambiguous(Term("White", "a"))


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


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("The black man was kind.", "gender"),
        ("The old waitress forgot us.", "gender"),
        ("My Danish aunt sang.", "nationality"),
    ],
)
def test_capitals_of_a_whole_text_say_nothing(
    text: str, attribute: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    fair = []
    for written in (text, text.upper()):
        plan = make_plan(written, [shipped[attribute]], Settings(order=1), parses)
        fair += [max(validity_of(plan, plan.mutant((edit,)), kept=True).fair
                     for edit in plan.edits[attribute])]  # fmt: skip
    assert fair[1] == pytest.approx(fair[0], abs=0.1)
