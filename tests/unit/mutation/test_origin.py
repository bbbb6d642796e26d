"""Names of the new origin, where they are asked for: all names of a person, or none."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from hinter_core.campaign.spec import Campaign
from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.edits import as_written, mutant_of
from hinter_core.mutation.plan import Plan, make_plan, require_mutable
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.words import refused_alike
from hinter_core.relations.soft import why_soft
from hinter_core.terms.dictionary import choose, load_shipped
from hinter_core.terms.names import FAMILY, country_of, load_names, name_usage

_NEW = r"(?P<given>[^\W\d_]+) (?P<family>[^\W\d_]+)"


def plan_of(text: str, parses: ParseStore, origin_names: bool = True) -> Plan:
    words = choose(["nationality", "gender"], load_shipped())
    return make_plan(text, words, Settings(origin_names=origin_names), parses)


def variant(plan: Plan, *targets: str) -> str:
    (edits,) = (
        edits
        for edits in [*plan.atomic(), *plan.chosen()]
        if tuple(edit.target.text for edit in edits) == targets
    )
    mutant = plan.mutant(edits)
    assert mutant_of(plan.text, edits).text == mutant.text  # as a campaign stores it
    return mutant.text


@pytest.mark.parametrize(
    ("text", "target", "expected", "gender"),
    [
        (
            "Anna Moss is a German actress. Anna's hat is red, and Ms Moss loves her dog.",
            "Japanese",
            "NAME is a Japanese actress. GIVEN's hat is red, and Ms FAMILY loves her dog.",
            "female",
        ),
        (
            "The Irish waiter Sean O'Neil met Mary O'Neil. Sean laughed.",
            "Kenyan",
            "The Kenyan waiter NAME met Mary O'Neil. GIVEN laughed.",
            "male",
        ),
        (
            "Hans-Peter van Loon is a Dutch boy. Hans-Peter left.",
            "Indian",
            "NAME is an Indian boy. GIVEN left.",
            "male",
        ),
        (
            "ANNA MOSS IS A GERMAN ACTRESS. MS MOSS LEFT.",
            "Turkish",
            "NAME IS A TURKISH ACTRESS. MS FAMILY LEFT.",
            "female",
        ),
    ],
)
def test_all_names_of_a_person_become_those_of_a_people(
    text: str, target: str, expected: str, gender: str, parses: ParseStore
) -> None:
    pattern = expected.replace("NAME", _NEW).replace("GIVEN", "(?P=given)")
    mutant = variant(plan_of(text, parses), target)
    match = re.fullmatch(pattern.replace("FAMILY", "(?P=family)"), mutant)
    assert match, mutant
    country = country_of(target)
    assert country
    assert match["given"].title() in load_names().given[country, gender]
    assert match["family"].title() in load_names().family[country]


def test_with_a_change_of_gender_a_name_says_both(parses: ParseStore) -> None:
    plan = plan_of("Anna Moss is a German actress. Anna left.", parses)
    match = re.fullmatch(
        rf"{_NEW} is a Greek actor. (?P=given) left.", variant(plan, "actor", "Greek")
    )
    assert match
    assert name_usage().of[match["given"]] == ("greece", "male")


@pytest.mark.parametrize(
    ("text", "target", "reason"),
    [
        ("Anna Moss is a German actress.", "Somali", "no list has names"),
        ("Anna Moss is a German actress.", "Samoan", "no list has names"),
        ("Robin Moss is a German actress.", "Iranian", "no one gender"),
        ("Anna Zorb Moss is a German actress.", "Greek", "stands in for \u201cZorb\u201d"),
    ],
)
def test_what_the_lists_do_not_know_is_not_made_and_says_why(
    text: str, target: str, reason: str, parses: ParseStore
) -> None:
    plan = plan_of(text, parses)
    refused = {r.edit.target.text: r.reason for r in plan.refused}
    assert reason in refused[target]
    assert target not in {edit.target.text for edit in plan.edits.get("nationality", ())}


@pytest.mark.parametrize("word", ["German", "Japanese", "Kenyan"])
def test_changes_that_one_reason_refuses_are_said_at_once(word: str, parses: ParseStore) -> None:
    plan = plan_of(f"Anna Moss is a {word} actress.", parses)
    refused = [r for r in plan.refused if r.reason.startswith("no list")]
    ((first, changes),) = refused_alike(refused)
    assert first is refused[0]
    assert re.fullmatch(rf"{word} \u2192 \w[\w ]*, [\w ]+, [\w ]+ and (\d+) more", changes)
    assert changes.endswith(f" and {len(refused) - 3} more")
    ((_, two),) = refused_alike(refused[:2])
    assert two == f"{refused[0].edit.in_words}, {refused[1].edit.target.text}"


def test_nobody_is_renamed_by_default_or_without_a_name(parses: ParseStore) -> None:
    text = "Anna Moss is a German actress."
    assert variant(plan_of(text, parses, False), "Somali") == "Anna Moss is a Somali actress."
    nobody = plan_of("The German actress left.", parses)
    assert variant(nobody, "Somali") == "The Somali actress left."
    assert not nobody.refused


def by_name(text: str, parses: ParseStore, attribute: str, origin_names: bool = True) -> Plan:
    words = choose([attribute, "gender"], load_shipped())
    return make_plan(text, words, Settings(origin_names=origin_names), parses)


def test_a_name_changes_alone_where_nothing_else_tells_of_a_person(parses: ParseStore) -> None:
    plan = by_name("Jamal and Emily Walsh applied. Ms Walsh waits.", parses, "race")
    jamal = [e for e in plan.edits["race"] if e.source.text == "Jamal"]
    assert {e.source.group for e in jamal} == {"middle-eastern"}
    assert {e.target.group for e in jamal} >= {"white", "black", "east-asian", "south-asian"}
    assert "middle-eastern" not in (groups := [e.target.group for e in jamal])
    assert max(map(groups.count, groups)) <= 3
    said = [one.surface for one in plan.terms if one.attribute == "race"]
    assert said == ["Jamal", "Emily", "Walsh", "Walsh"]
    assert [one.surface for one in plan.occurrences] == ["Ms"]
    walsh = [e for e in plan.edits["race"] if e.source.text == "Emily Walsh"]
    assert {e.source.group for e in walsh} == {"white"}
    for edit in walsh:
        given, family = edit.target.text.split()
        text = plan.mutant([edit]).text
        assert text == f"Jamal and {given} {family} applied. Ms {family} waits."
        assert name_usage().of[given][1] == "female"
        assert plan.people is not None
        assert len(plan.people.of_edit(edit)) == 1


def test_both_changes_of_a_name_alone_make_a_name_of_both(parses: ParseStore) -> None:
    plan = by_name("Kwame called the bank.", parses, "race")
    (gender,) = plan.edits["gender"]
    assert (gender.source.group, gender.target.group) == ("male", "female")
    assert name_usage().of[gender.target.text] == ("ghana", "female")
    for edits in plan.chosen():
        (race,) = (e for e in edits if e.attribute == "race")
        name = plan.mutant(edits).text.split()[0]
        country, said = name_usage().of[name]
        assert said == "female"
        assert race.target.text in name_usage().given[country, "male"]
        assert mutant_of(plan.text, edits).text == plan.mutant(edits).text


@pytest.mark.parametrize("text", ["Neil Campbell called.", "Her son Oliver Campbell called."])
def test_a_mutant_is_labelled_with_the_name_that_stands_in_it(
    text: str, parses: ParseStore
) -> None:
    plan = by_name(text, parses, "race")
    for edits in plan.chosen():
        mutant = plan.mutant(edits).text
        named = as_written(edits)
        assert all(one.target.text in mutant for one in named), (mutant, named)
        assert [one.target.group for one in named] == [one.target.group for one in edits]
        assert as_written(edits[:1]) == [edits[0]]


@pytest.mark.parametrize(
    ("text", "attribute", "edited"),
    [
        ("Tom, Dick and Harry like Hugo Boss.", "race", {}),  # whoever that is
        ("Anna wore Calvin Klein.", "race", {"gender": "Anna", "race": "Anna"}),
        (
            "Ann's hat, and James' hat. Mr James Hill is a man.",
            "race",
            {"gender": "Mr", "race": "Ann"},
        ),
        ("Jane Austen left. She cried.", "race", {"gender": "She", "race": "Jane austen"}),
        ("Zorbox called the bank.", "race", {}),  # a name that no list has
        ("Alex called the bank.", "nationality", {}),  # of both genders
        ("Emily called the bank.", "nationality", {"gender": "Emily"}),  # of many countries
        ("Will Emily call? She may.", "race", {"gender": "She", "race": "Emily"}),
    ],
)
def test_what_a_name_does_not_tell_stays(
    text: str, attribute: str, edited: dict[str, str], parses: ParseStore
) -> None:
    plan = by_name(text, parses, attribute)
    assert {a: edits[0].source.text.capitalize() for a, edits in plan.edits.items()} == edited


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("Emily Chen", "east-asian"), ("Sarah Khan", "south-asian"), ("Malcolm Okafor", "black"),
        ("Emma Baker", "white"), ("Emma Johnson", "white"), ("Hector Garc\u00eda", "latino"),
        ("Minh Nguyen", "southeast-asian-pacific"), ("Ali Khan", "south-asian"),
        ("Priya Jones", "south-asian"), ("Minjun Lee", "east-asian"), ("Keisha Jackson", "black"),
        ("Mr Kim", "east-asian"), ("K. Adeyemi", "black"),
    ],
)  # fmt: skip
def test_a_surname_tells_the_people_beside_a_given_name_of_none(
    name: str, group: str, parses: ParseStore
) -> None:
    edits = by_name(f"We like {name} a lot.", parses, "race").edits["race"]
    assert {edit.source.group for edit in edits} == {group}
    assert group not in (targets := {edit.target.group for edit in edits})
    assert {"white", "black"} - {group} <= targets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jack White's son Oliver White came.", r"\w+ X's son \w+ X came\."),
        ("Mr Nowak left. The Nowaks moved, and Ewa Nowak cried.",
         r"Mr X left\. The Xe?s moved, and \w+ X cried\."),
        ("Jack Rose came. The Rose family likes a rose.",
         r"\w+ X came\. The X family likes a rose\."),
        ("Dick van Dyke and Anna van Dyke came.", r"\w+ X and \w+ X came\."),
        ("Jack White met Priya Mensah.", r"\w+ [A-Z]\w+ met Priya Mensah\."),
    ],
)  # fmt: skip
def test_those_who_share_a_surname_share_the_new_one(
    text: str, expected: str, parses: ParseStore
) -> None:
    plan = by_name(text, parses, "race")
    source = plan.edits["race"][0].source.text
    pattern = expected.replace("X", "(?P<x>[A-Z]\\w+)", 1).replace("X", "(?P=x)")
    for edit in plan.edits["race"]:
        assert edit.source.text == source
        assert re.fullmatch(pattern, plan.mutant([edit]).text), plan.mutant([edit]).text
    for both in plan.chosen():
        assert mutant_of(plan.text, both).text == plan.mutant(both).text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Emily Lee", "\u201cLee\u201d is a surname of several peoples"),
        ("Emma Washington", "\u201cWashington\u201d is a surname of several peoples"),
        ("Priya Schneider", "\u201cPriya\u201d and \u201cSchneider\u201d are names of different"),
    ],
)
def test_a_name_that_may_be_of_several_peoples_stays_and_says_why(
    name: str, reason: str, parses: ParseStore
) -> None:
    plan = by_name(f"We like {name} a lot.", parses, "race")
    assert "race" not in plan.edits
    (refused,) = plan.refused
    assert refused.in_words.startswith(f"{name} \u2192 \u2026 is not made: {reason}")


def test_it_is_told_that_names_alone_can_be_changed(parses: ParseStore) -> None:
    plan = by_name("Jamal called the bank.", parses, "race", origin_names=False)
    assert not plan.edits
    with pytest.raises(InputError, match="Names alone can be changed, too"):
        require_mutable(plan)
    plan.settings = replace(plan.settings, coherent=False)  # then no name changes
    assert not plan.only_names_tell
    for text in ("Zorbox called the bank.", "The bank closed."):
        with pytest.raises(InputError) as refused:
            require_mutable(by_name(text, parses, "race", origin_names=False))
        assert "Names alone" not in str(refused.value)


def test_campaigns_have_the_setting_and_old_ones_do_not() -> None:
    assert Campaign(origin_names=True).settings.origin_names
    assert not Campaign().settings.origin_names
    assert Campaign().identity() != Campaign(origin_names=True).identity()


@pytest.mark.parametrize(
    ("word", "country"),
    [("Japanese", "japan"), ("from Japan", "japan"), ("Nigerians", "nigeria"), ("Finns", "finland"),
     ("American", ""), ("Latino", "spanish"), ("Black", "kenya"), ("Samoan", None)],
)  # fmt: skip
def test_a_word_for_a_people_stands_for_the_names_of_a_country(
    word: str, country: str | None
) -> None:
    assert country_of(word) == country


def test_the_initial_stays_where_a_name_has_it() -> None:
    usage = name_usage()
    assert usage.of_country("Anna", "japan", "female", ())[0] == "A"
    assert usage.of_country("Moss", "italy", FAMILY, ())[0] == "M"
    taken = load_names().family["italy"]
    assert usage.of_country("Moss", "italy", FAMILY, taken) == ""


def test_what_else_says_the_origin_of_a_name_makes_its_change_soft(parses: ParseStore) -> None:
    plan = by_name("Kwame met Tom in Ghana.", parses, "race")
    reasons = {
        edit.source.text: why_soft(plan.text, plan.mutant([edit])) for edit in plan.edits["race"]
    }
    assert reasons == {"Kwame": "the text also says \u201cGhana\u201d", "Tom": ""}
