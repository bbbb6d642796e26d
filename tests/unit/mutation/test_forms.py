"""Forms: which word of a people or group stands in which place, by examples kept as data."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestCase, conform, follow_up_of
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import GrammaticalForm

with (Path(__file__).parents[2] / "data" / "forms.csv").open(encoding="utf-8") as lines:
    EXAMPLES = list(csv.DictReader(lines))
PARADIGMS = {
    "he": "he him his his himself",
    "she": "she her her hers herself",
    "xe": "xe xem xyr xyrs xemself",
    "ze": "ze hir hir hirs hirself",
    # The subject "they" would need another verb.
    "they": "- them their theirs themself",
}
CASES = [
    GrammaticalForm.PRONOUN_SUBJECT, GrammaticalForm.PRONOUN_OBJECT,
    GrammaticalForm.PRONOUN_POSSESSIVE, GrammaticalForm.PRONOUN_POSSESSIVE_ABSOLUTE,
    GrammaticalForm.PRONOUN_REFLEXIVE,
]  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e['text']} {e['target']}")
def test_examples_of_forms(
    example: dict[str, str], shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    words = [shipped[example["attribute"]]]
    settings = Settings(order=1, keep_soft=True, validity=0)
    plan = make_plan(example["text"], words, settings, parses)
    batch = [follow_up_of(TestCase(plan), edits) for edits in plan.chosen()]
    conform(batch, parses)
    kept = {
        one.mutant.text: one.mutant.edits[0].target.text for one in batch if one.conformance.kept
    }
    assert kept
    if example["mutant"]:
        assert example["mutant"] in kept
    else:
        assert example["target"] not in kept.values()


def test_paradigms_of_pronouns_are_complete(shipped: dict[str, Dictionary]) -> None:
    listed = {(t.text, t.form) for t in shipped["gender"].terms if t.concept == "he"}
    wanted = {
        (word, form)
        for words in PARADIGMS.values()
        for word, form in zip(words.split(), CASES, strict=True)
        if word != "-"
    }
    assert listed == wanted


def test_what_english_has_no_word_for_is_said(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    def notices(text: str) -> list[str]:
        return make_plan(text, [shipped["nationality"]], Settings(order=1), parses).notices

    [why] = notices("An Indonesian came to the door.")
    assert "French" in why
    assert "no noun for one of them that is free of gender" in why
    [why] = notices("Two Indonesians came to the door.")
    assert "Dutch" in why
    assert notices("The Indonesians are late.") == []
    race = make_plan("Blacks are late.", [shipped["race"]], Settings(order=1), parses)
    assert "Caucasian" not in race.notices[0]
    assert notices("An Indonesian girl is late.") == []


def test_literal_changes_join_no_forms(shipped: dict[str, Dictionary], parses: ParseStore) -> None:
    words, text = [shipped["nationality"]], "A Danish sailor and two Danes came."
    literal = make_plan(text, words, Settings(order=1, literal=True), parses)
    assert {len(edit.spans) for edit in literal.edits["nationality"]} == {1}
    own = make_plan(text, words, Settings(order=1), parses)
    assert {len(edit.spans) for edit in own.edits["nationality"]} >= {2}
    assert all("Dan" not in own.mutant(edits).text for edits in own.chosen())


def made(text: str, attribute: str, shipped: dict[str, Dictionary], parses: ParseStore) -> set[str]:
    """Return the texts of all changes of an attribute."""
    plan = make_plan(text, [shipped[attribute]], Settings(order=1), parses)
    return {plan.mutant((edit,)).text for edit in plan.edits.get(attribute, ())}


@pytest.mark.parametrize(
    ("attribute", "text", "expected"),
    [
        ("race", "The Latina nurse sang.", "The Black nurse sang."),
        ("race", "A Latina sang.", "A Black woman sang."),
        ("marital-status", "The widow sang.", "The married woman sang."),
        ("marital-status", "Widower. Lives alone.", "Married man. Lives alone."),
        ("marital-status", "Claimant unmarried, 2 kids.", "Claimant married, 2 kids."),
        ("marital-status", "The married woman sang.", "The widowed woman sang."),
        ("sexual-orientation", "The gay man sang.", "The biromantic man sang."),
        ("disability", "I depend on my wheelchair.", "I depend on my white cane."),
        ("age", "I'm nineteen and I sing.", "I'm forty and I sing."),
        ("age", "she 17 and funny", "she 40 and funny"),
        ("body", "I'm too fat for it.", "I'm too thin for it."),
        ("race", "She is so Black, he said.", "She is so Asian American, he said."),
        ("gender", "my cousin, shes a waitress", "my cousin, theyre a server"),
        ("gender", "my sis sings, i love her #sisters", "my bro sings, i love him #sisters"),
        ("gender", "Women can't drive.", "Men can't drive."),
        ("gender", "The women can't drive.", "The people can't drive."),
        ("gender", "Toys for girls are dear.", "Toys for children are dear."),
    ],
)
def test_changes_that_are_made(
    attribute: str, text: str, expected: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    assert expected in made(text, attribute, shipped, parses)


@pytest.mark.parametrize(
    ("attribute", "text", "never"),
    [
        ("race", "The Asian man sang.", "The Latina man sang."),
        ("body", "I'm too fat for it.", "I'm too slim-bodied for it."),
        ("gender", "Women can't drive.", "People can't drive."),
        ("gender", "It is no job for men.", "It is no job for people."),
        ("disability", "adhd kid lol, he sings", "paraplegia kid lol, he sings"),
        ("age", "He is 2 and 0 this year.", "He is 40 and 0 this year."),
        ("sexual-orientation", "we're here, we're queer!", "we're here, we're gay!"),
        ("age", "ok boomer, she said", "ok millennial, she said"),
        ("gender", "Two lesbian women sang.", "Two lesbian men sang."),
        ("gender", "A Latina nurse came. She sang.", "A Latina nurse came. He sang."),
    ],
)
def test_changes_that_are_not_made(
    attribute: str, text: str, never: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    assert never not in made(text, attribute, shipped, parses)
