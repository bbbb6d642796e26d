"""Words for conditions and aids count if somebody of the sentence has what they name."""

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.relations.soft import why_soft
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.senses.conditions import names_condition
from hinter_core.types import GrammaticalForm


def found(text: str, shipped: dict[str, Dictionary], parses: ParseStore) -> dict[str, str]:
    """Return why each word of a text does not count, by word; "" of those that count."""
    plan = make_plan(text, [shipped["disability"]], Settings(order=1), parses)
    refused = {one.occurrence.surface: one.reason for one in plan.rejected}
    return refused | {one.surface: "" for one in plan.occurrences}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("My mother has dementia.", "dementia"),
        ("Her guide dog barked.", "guide dog"),
        ("The hearing aid of Mr Novak whistled.", "hearing aid"),
        ("The driver is a man with a prosthetic arm.", "prosthetic arm"),
        ("A child with a severe form of cerebral palsy was sent home.", "cerebral palsy"),
        ("Epilepsy has never kept Amina from work.", "Epilepsy"),
        ("A trainee who has type 1 diabetes called.", "type 1 diabetes"),
        ("The girl in the wheelchair laughed.", "in the wheelchair"),
        ("She suffers from depression and sleeps badly.", "depression"),
        ("He has a stutter and works hard.", "a stutter"),
        ("My son has learning disabilities.", "learning disabilities"),
        ("Hx asthma, NKDA.", "asthma"),  # a note is about its patient
    ],
)
def test_what_somebody_has_counts(
    text: str, word: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    assert found(text, shipped, parses)[word] == ""


@pytest.mark.parametrize(
    ("text", "word", "reason"),
    [
        ("The articles question the link between HIV and AIDS.", "HIV", "nobody's"),
        ("Iodine deficiency can lead to brain damage and deafness.", "deafness", "nobody's"),
        ("A wheelchair stood in the hall.", "wheelchair", "nobody's"),
        ("The storm brought a depression with rain.", "depression", "about a thing"),
        ("He had a depression in his skull.", "depression", ""),
        ("My grandfather lived through the Depression.", "Depression", ""),
        ("He played in the wheelchair basketball team.", "in the wheelchair", "basketball"),
        ("She works with cancer patients.", "with cancer", "cancer patients"),
        ("She is a woman bound to a wheelchair.", "wheelchair", "bound to a wheelchair"),
        ("She must be deaf and blind.", "deaf", "deaf and blind"),
        ("He went blind at seven.", "blind", "went blind"),
        ("Her uncle is completely deaf.", "deaf", "completely deaf"),
        ("The end left me depressed.", "depressed", "left me depressed"),
    ],
)
def test_what_nobody_has_and_set_phrases_do_not_count(
    text: str, word: str, reason: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    assert reason in found(text, shipped, parses)[word]


def test_a_mentally_disabled_boy_is_changed_as_a_whole(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    text = "The mentally disabled boy waved; the severely deaf girl did, too."
    words = found(text, shipped, parses)
    assert words == {"mentally disabled": "", "deaf": ""}


def test_conditions_and_aids_name_no_person(shipped: dict[str, Dictionary]) -> None:
    words = [term for term in shipped["disability"].terms if names_condition(term)]
    assert {"wheelchair", "asthma", "guide dogs"} <= {term.text for term in words}
    assert {term.form for term in words} == {GrammaticalForm.ANY}
    assert "deaf" not in {term.text for term in words}


def test_words_of_illness_contradict_a_change_to_none(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = make_plan(
        "The severely disabled child laughed.", [shipped["disability"]], Settings(order=1), parses
    )
    targets = {edit.target.group for edit in plan.edits["disability"]}
    assert "vision" in targets
    for edit in plan.edits["disability"]:
        why = why_soft(plan.text, plan.mutant((edit,)), plan.people)
        assert ("severely" in why) is (edit.target.group == "non-disabled")
