"""Forms, CVs and telegrams: values of fields, roles in lists and series of pronouns."""

from __future__ import annotations

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.senses.fields import field_at, series_of

ATTRIBUTES = ("gender", "nationality", "race", "religion", "marital-status")
FORM = "Name: Fatima Khan\nGender: female\nNationality: Pakistani\nReligion: Muslim\n"


def plan_of(text: str, shipped: dict[str, Dictionary], parses: ParseStore) -> Plan:
    return make_plan(text, [shipped[a] for a in ATTRIBUTES], Settings(1), parses)


def variants(plan: Plan, attribute: str) -> dict[str, str]:
    return {e.target.text: plan.mutant([e]).text for e in plan.edits.get(attribute, ())}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (FORM, "female Muslim Pakistani"),
        ("Nationality: Pakistani\nGender: female\nReligion: Muslim", "female Muslim Pakistani"),
        ("Sex: male\nRace: Black\nEthnicity: Hispanic\nMarital status: widowed",
         "Black Hispanic male widowed"),
        ("Gender: woman\nReligion: Catholic, practising\nMarital status: single",
         "Catholic single woman"),
        ("Nationality: British and Irish; religion: Sikh", "British Irish Sikh"),
        ("Position: Waitress\nHobbies: chess", "Waitress"),
        ("Experience\n\u2022 Chairwoman, Women in Tech, 2015\n- Night watchman, Hotel Adler\n"
         "- Spokeswoman for the trade\n- Stewardess, Oak Airlines",
         "Chairwoman Spokeswoman Stewardess watchman"),
        ("\u2022 29, transgender man, he/him\n\u2022 Barman, then head waiter",
         "Barman he him transgender man waiter"),
        ("Staff: Ann Roe, Italian, 57.", "Italian"),
    ],
)  # fmt: skip
def test_what_a_form_says_of_somebody(
    text: str, words: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    found = {one.surface for one in plan_of(text, shipped, parses).occurrences}
    assert {word for surface in found for word in surface.split()} == set(words.split())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Languages: English (native), Yoruba (native)", "is a language"),
        ("Race: Black horse wins the cup.", "animal"),
        ("- Men in Black\n- Black comedy", "expression"),
        ("- The Godfather\n- Queen", "title"),
        ("Girls Friday need not apply.", "does not see"),
        ("Black female, NAD, A&Ox3.", "does not see"),
    ],
)
def test_what_no_form_says(
    text: str, reason: str, shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = plan_of(text, shipped, parses)
    assert not plan.occurrences
    assert any(reason in rejected.reason for rejected in plan.rejected)


def test_a_people_without_a_state_is_no_citizenship(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = plan_of("Citizenship: Japanese\nEthnicity: Korean", shipped, parses)
    texts = variants(plan, "race")
    assert "Mayan" not in {e.target.text for e in plan.edits["race"] if e.source.text == "Japanese"}
    assert texts["Mayan"] == "Citizenship: Japanese\nEthnicity: Mayan"
    refused = {(r.edit.source.text, r.edit.target.text): r.reason for r in plan.refused}
    assert "does not fit the label \u201cCitizenship\u201d" in refused["Japanese", "Mayan"]


def test_a_form_is_of_one_person(shipped: dict[str, Dictionary], parses: ParseStore) -> None:
    text = f"{FORM}\n\u2022 Waitress, The Inn\n\u2022 She led a crew and liked her work."
    made = variants(plan_of(text, shipped, parses), "gender")
    assert "Gender: male" in made["male"]
    assert "\u2022 Waiter, The Inn\n\u2022 He led a crew and liked his work." in made["male"]
    assert not any("female" in text for text in made.values())


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("Young woman, cook.\n- Head girl, Hall School\n- Cook", "man",
         "Young man, cook.\n- Head boy, Hall School\n- Cook"),
        ("Bob Lee\nSex: male\nSummary\nA keen salesman.\n- Foreman, Hotel Adler", "female",
         "Brenda Lee\nSex: female\nSummary\nA keen saleswoman.\n- Forewoman, Hotel Adler"),
        ("Pronouns: she/her. She led a team.", "he", "Pronouns: he/him. He led a team."),
        ("Pronouns: she/her. She led a team.", "them", "Pronouns: they/them. They led a team."),
        ("My pronouns are he/him and I like him.", "she",
         "My pronouns are she/her and I like her."),
        ("Bob Lee (he/him/his) led a team.", "she", "Brenda Lee (she/her/hers) led a team."),
        ("Ask her/him.", "he", None),
        ("She is she/they.", "he", None),
    ],
)  # fmt: skip
def test_a_series_of_pronouns_changes_as_one(
    text: str,
    target: str,
    expected: str | None,
    shipped: dict[str, Dictionary],
    parses: ParseStore,
) -> None:
    assert variants(plan_of(text, shipped, parses), "gender").get(target) == expected


def test_a_people_between_commas_is_an_adjective(
    shipped: dict[str, Dictionary], parses: ParseStore
) -> None:
    plan = plan_of("Staff: Ann Roe, Italian, 57.", shipped, parses)
    assert {"English", "Welsh"} <= variants(plan, "nationality").keys()


def test_fields_and_series_are_found() -> None:
    text = "Gender identity: female"
    assert field_at(text, (17, 23)) == ("Gender identity", "gender")
    assert field_at("Note: the race: Black horses run", (16, 21)) == ("", "")
    assert list(series_of("she/her and he/she")) == [((0, 3), (4, 7))]
