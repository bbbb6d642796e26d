"""Wording: words that do not go together, and words that speak of the replaced group."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestCase, conform, follow_up_of
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Layer

Reasons = Callable[[str, str], dict[str, str]]


def planned(text: str, dictionary: Dictionary, parses: ParseStore) -> Plan:
    """Plan exchanges of single words; coherent ones do not clash in the first place."""
    settings = Settings(order=1, coherent=False, validity=0, keep_soft=True)
    return make_plan(text, [dictionary], settings, parses)


@pytest.fixture
def reasons(shipped: dict[str, Dictionary], parses: ParseStore) -> Reasons:
    """Why each atomic mutant of a text is discarded for its wording; by its text."""

    def judge(text: str, attribute: str) -> dict[str, str]:
        plan = planned(text, shipped[attribute], parses)
        batch = [follow_up_of(TestCase(plan), edits) for edits in plan.chosen()]
        conform(batch, parses)
        assert all(x.conformance.layer in (None, Layer.WORDING) for x in batch)
        return {x.mutant.text: x.conformance.reason for x in batch if not x.conformance.kept}

    return judge


def test_a_word_beside_itself(reasons: Reasons) -> None:
    found = reasons("Mum and dad left early.", "gender")
    assert found["Dad and dad left early."] == "\u201cDad\u201d stands beside itself"
    assert "Mum and mum left early." in found
    assert not reasons("The waitress left early, and a man came.", "gender")
    assert reasons("As a white American, I agree.", "race")[
        "As an American Indian American, I agree."
    ]


@pytest.mark.parametrize(
    ("text", "attribute", "same", "other"),
    [
        (
            "Men live longer than women.",
            "gender",
            "Women live longer than women.",
            "Trans women live",
        ),
        (
            "The boys here are lazy and the girls work.",
            "gender",
            "The boys here are lazy and the boys work.",
            "The trans girls here",
        ),
        (
            "Unlike the boys of 4B, the girls won.",
            "gender",
            "Unlike the girls of 4B, the girls won.",
            "Unlike the boys of 4B, the trans",
        ),
        ("A nun is not a monk.", "gender", "A monk is not a monk.", ""),
        (
            "Polish cooks earn less than Dutch cooks.",
            "nationality",
            "Polish cooks earn less than Polish cooks.",
            "Danish cooks",
        ),
        ("White men earn more than Black men.", "gender", "", "White men earn more than Black w"),
        (
            "Men in Chad live longer than women in Peru.",
            "gender",
            "",
            "Men in Chad live longer than m",
        ),
        ("My wife cooks better than my husband's aunt.", "gender", "", "My husband cooks"),
        ("Some men cook and some women drive.", "gender", "", "Some women cook"),
        ("My father likes tea, but his mother does not.", "gender", "", ""),
    ],
)
def test_two_sides_of_a_contrast_stay_apart(
    text: str, attribute: str, same: str, other: str, reasons: Reasons
) -> None:
    found = reasons(text, attribute)
    contrasts = [one for one, why in found.items() if "both sides of a contrast" in why]
    assert same in contrasts if same else not contrasts
    assert not any(one.startswith(other) for one in found if other)


def test_no_side_of_a_contrast_includes_the_other(reasons: Reasons) -> None:
    found = reasons("The teacher praised the girls and scolded the boys.", "gender")
    why = "\u201cchildren\u201d stands beside a part of them"
    assert found["The teacher praised the girls and scolded the children."] == why


@pytest.mark.parametrize(
    ("text", "attribute", "mutant", "why"),
    [
        ("It cost him his job.", "gender", "It cost her her job.", ""),
        (
            "The Angolan and the Algerian met, and the Angolan paid.",
            "nationality",
            "The Algerian and the Algerian met, and the Algerian paid.",
            "\u201cAlgerian\u201d stands beside itself",
        ),
        (
            "He was an actor, juggler and performer.",
            "gender",
            "He was an actor, juggler and actor.",
            "\u201cactor\u201d stands beside itself",
        ),
        (
            "A widower, two cooks, and a widow sat down.",
            "gender",
            "A widow, two cooks, and a widow sat down.",
            "\u201cwidow\u201d stands beside itself",
        ),
        ("An actor sang, and a performer left.", "gender", "An actor sang, and an actor left.", ""),
        (
            "Mr and Mrs. Khan sang.",
            "gender",
            "Mr and Mr. Khan sang.",
            "\u201cMr.\u201d stands beside itself",
        ),
    ],
)
def test_what_stands_beside_itself_in_whole_changes(
    text: str, attribute: str, mutant: str, why: str,
    shipped: dict[str, Dictionary], parses: ParseStore,
) -> None:  # fmt: skip
    plan = make_plan(text, [shipped[attribute]], Settings(order=1), parses)
    batch = [follow_up_of(TestCase(plan), edits) for edits in plan.chosen()]
    conform(batch, parses)
    assert {x.mutant.text: x.conformance.reason for x in batch}[mutant] == why


def test_nobody_becomes_a_lesbian_man(shipped: dict[str, Dictionary], parses: ParseStore) -> None:
    words = [shipped["gender"], shipped["sexual-orientation"]]
    plan = make_plan("The bi woman sang.", words, Settings(limit=None), parses)
    batch = [follow_up_of(TestCase(plan), edits) for edits in plan.each()]
    conform(batch, parses)
    found = {x.mutant.text: x.conformance.reason for x in batch}
    assert found["The lesbian man sang."] == "\u201clesbian\u201d stands beside \u201cman\u201d"
    assert not found["The hetero man sang."]
    assert len(batch) == plan.total


def test_a_reflexive_agrees_with_its_subject(reasons: Reasons) -> None:
    found = reasons("He hurt himself.", "gender")
    assert found["She hurt himself."] == "\u201cShe\u201d and \u201chimself\u201d do not agree"
    assert found["He hurt herself."]
    assert found["Ze hurt himself."]
    assert not reasons("The clerk hurt himself.", "gender")


def test_a_reflexive_agrees_with_the_object_of_another_verb(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    text = "His brother found him talking to himself."
    plan = make_plan(text, [shipped["gender"]], Settings(order=1), parses)
    batch = [follow_up_of(TestCase(plan), edits) for edits in plan.chosen()]
    conform(batch, parses)
    reasons = {x.mutant.text: x.conformance.reason for x in batch}
    assert "do not agree" not in reasons["His sister found him talking to himself."]


def test_a_title_before_a_name_remains_a_title(reasons: Reasons) -> None:
    found = reasons("Father Aldous met them.", "gender")
    assert "is no title of a name" in found["Parent Aldous met them."]
    assert "Mother Aldous met them." not in found
    assert not any(
        "title" in why for why in reasons("They met the father in town.", "gender").values()
    )


def test_a_person_being_moved_is_no_human_being(reasons: Reasons) -> None:
    assert "A person being moved sang." not in reasons("A man being moved sang.", "gender")


def test_a_word_for_all_beside_some_of_them(reasons: Reasons) -> None:
    found = reasons("The men and women of the village sang.", "gender")
    assert "stands beside" in found["The people and women of the village sang."]
    assert found["The men and people of the village sang."]
    assert not any("people" in text for text in reasons("The men of the village sang.", "gender"))


def test_a_title_and_a_description_are_no_expressions(reasons: Reasons) -> None:
    found = reasons("Lord Justice Brown left.", "gender")
    assert "Lady Justice Brown left." not in found
    assert "A black Russian woman left." not in reasons("A black French woman left.", "nationality")
    found = reasons("A middle-aged Asian man left.", "race")
    assert "A middle-aged Middle Eastern man left." not in found


def test_a_word_beside_its_counterpart(reasons: Reasons) -> None:
    found = reasons("The brother and sister sang.", "gender")
    assert found["The sibling and sister sang."] == (
        "\u201csibling\u201d stands beside \u201csister\u201d"
    )
    assert found["The brother and sibling sang."]
    assert "The non-binary sibling and sister sang." not in found
    assert not reasons("The clerk said that he or she left.", "gender")  # changes as one
    assert not reasons("He and she left.", "gender").get("Xe and she left.")
    assert not reasons("My sister and the king sang.", "gender")


def test_a_phrase_is_no_title_before_a_name(reasons: Reasons) -> None:
    found = reasons("We saw Sister Abena at work.", "gender")
    assert any(" sibling Abena" in text for text in found)
    assert "We saw Brother Abena at work." not in found
    assert not any(" sibling" in text for text in reasons("My sister left at noon.", "gender"))


def test_a_word_before_one_of_the_same_meaning(reasons: Reasons) -> None:
    found = reasons("A girl child came.", "gender")
    assert found["A kid child came."] == "\u201ckid child\u201d says the same twice"
    assert "A boy child came." not in found
    assert "A person doctor came." in reasons("A woman doctor came.", "gender")
    assert not reasons("A girl came with a doll.", "gender")


def test_an_adjective_goes_with_its_noun(reasons: Reasons) -> None:
    found = reasons("An Irish citizen met an Irish woman.", "race")
    assert found["A Yoruba citizen met a Yoruba woman."]
    assert "A Nigerian citizen met a Nigerian woman." not in found
    found = reasons("The white woman met a clerk.", "race")
    assert found["The Latino woman met a clerk."]
    assert "The Hispanic woman met a clerk." not in found
    assert "The Latino clerk sang." not in reasons("The white clerk sang.", "race")


def test_an_adjective_does_not_divide_a_compound(reasons: Reasons) -> None:
    found = reasons("The makeup person left early.", "gender")
    reason = "\u201cnon-binary person\u201d divides a compound"
    assert found["The makeup non-binary person left early."] == reason
    assert "The makeup man left early." not in found
    assert not any("non-binary" in text for text in reasons("The kind person left.", "gender"))


def test_a_word_for_all_ends_no_compound(reasons: Reasons) -> None:
    found = reasons("The weather girl left early.", "gender")
    reason = "\u201cchild\u201d divides a compound"
    assert found["The weather child left early."] == reason
    assert "The weather boy left early." not in found
    assert not any("child" in text for text in reasons("The kind girl left.", "gender"))
    assert not any("trans" in text for text in reasons("A Texas man left early.", "gender"))


@pytest.mark.parametrize(
    ("text", "mutant"),
    [
        ("The boys' coats were wet.", "The men's coats were wet."),
        ("The women's coats were wet.", "The ladies' coats were wet."),
        ("'The boys' said a woman.", None),
    ],
)
def test_possessive_plurals_are_adapted(
    text: str, mutant: str | None, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = planned(text, shipped["gender"], parses)
    texts = {plan.mutant(edits).text for edits in plan.chosen()}
    assert not any("men' " in one or "s's " in one for one in texts)
    if mutant and "ladies" not in mutant:
        assert any(one.endswith("n's coats were wet.") for one in texts) or mutant in texts
