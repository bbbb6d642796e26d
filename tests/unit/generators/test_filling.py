"""Filled templates: words of each class in agreement, edits of one source, and joint names."""

from __future__ import annotations

import re

import pytest

from hinter_core.campaign.tables import edit_from_row, edits_to_rows
from hinter_core.generators.templates.filling import (
    SAME_CLASS,
    TemplateValues,
    occupations,
)
from hinter_core.generators.templates.template import ATTRIBUTES, template_from_json
from hinter_core.mutation.edits import article_for, as_written
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.names import ANYWHERE, GENDERS, NameList, load_names
from hinter_core.types import OriginKind

TEXT = (
    "«name:full», «a» «noun:actress», says «pronoun:subject» likes «pronoun:possessive» work as "
    "«a» «occupation». «title:Mr.» «name:family» hurt «pronoun:reflexive», so help "
    "«pronoun:object». The key of «name» is «pronoun:absolute»."
)
_MALE = re.compile(r"\b(he|him|his|himself|actor|Mr\.)(?!\w)")
_FEMALE = re.compile(r"\b(she|her|hers|herself|actress|Ms\.)(?!\w)")


def plan(text: str, *attributes: str, per_class: int = 5, seed: int = 0) -> Plan:
    template = template_from_json({"text": text}, "t")
    values = TemplateValues(load_names(), per_class)
    return values.plan(template, Settings(seed=seed), attributes or ATTRIBUTES)


@pytest.mark.parametrize("seed", range(8))
def test_all_slots_agree_in_source_and_mutants(seed: int) -> None:
    filled = plan(TEXT, seed=seed)
    names = load_names()
    for edits in [(), *([one] for one in filled.edits["gender"])]:
        text = filled.mutant(edits).text
        genders = [bool(_MALE.search(text)), bool(_FEMALE.search(text))]
        assert sorted(genders) == [False, True]
        gender = "male" if genders[0] else "female"
        given, family = text.split(",")[0].split(" ", 1)
        assert given in names.given[ANYWHERE, gender]
        assert family in names.family[ANYWHERE]
        assert text.count(family) == 2
        assert text.count(given) == 2


def test_edits_are_of_one_source_and_counted_by_class() -> None:
    filled = plan(TEXT, per_class=5)
    assert filled.origin.kind is OriginKind.TEMPLATE
    assert [slot.name for slot in filled.slots[:3]] == ["name:full", "a", "noun:actress"]
    assert len({slot.name for slot in filled.slots}) == len(filled.slots)
    assert len(filled.edits["gender"]) == 5
    assert len(filled.edits["country"]) == len(load_names().countries)
    assert len(filled.edits["occupation"]) == len(occupations()) - 1
    assert len(filled.edits[SAME_CLASS]) == 4
    for edits in filled.edits.values():
        assert len({filled.mutant((edit,)).text for edit in edits}) == len(edits)


@pytest.mark.parametrize("name", ["name", "name:full"])
def test_a_change_of_gender_and_country_takes_a_name_of_both(name: str) -> None:
    filled = plan(f"«{name}» lost «pronoun:possessive» key.", "gender", "country")
    names = load_names()
    (gender, *_), (country, *_) = filled.edits["gender"], filled.edits["country"]
    both = filled.mutant((gender, country))
    word = both.text.split()[0]
    assert word in names.given[country.target.group, gender.target.group]
    assert both.text.split()[-2] == ("his" if gender.target.group == "male" else "her")
    assert both.text == filled.mutant((country, gender)).text
    stored = tuple(map(edit_from_row, edits_to_rows((gender, country))))
    for edits in ((gender, country), (country, gender), stored):
        named = as_written(edits)
        assert {one.in_words for one in named} == {f"{filled.text.split()[0]} \u2192 {word}"}
        assert [one.target.group for one in named] == [one.target.group for one in edits]
    assert as_written((gender,)) == [gender]
    parts = [filled.mutant((edit,)).text.split()[0] for edit in (gender, country)]
    assert word not in parts
    every = {
        filled.mutant((g, c)).text for g in filled.edits["gender"] for c in filled.edits["country"]
    }
    assert len(every) == len(filled.edits["gender"]) * len(filled.edits["country"])


@pytest.mark.parametrize("seed", range(6))
def test_an_article_follows_the_name_of_both(seed: int) -> None:
    filled = plan(
        "I am «a» «name» fan, for «pronoun:subject» sings.", "gender", "country", seed=seed
    )
    for gender in filled.edits["gender"]:
        for country in filled.edits["country"]:
            for edits in ((gender,), (country,), (gender, country)):
                words = filled.mutant(edits).text.split()
                assert words[2] == article_for(words[3])


def test_the_article_follows_the_occupation() -> None:
    filled = plan("«A» «occupation» came, and «a» honest «occupation» left.", "occupation")
    for edit in filled.edits["occupation"]:
        first, word, *_ = filled.mutant((edit,)).text.split()
        assert first == ("An" if word[0] in "aeiou" else "A")
        assert " an honest " in filled.mutant((edit,)).text


def test_names_of_one_class_change_no_pronoun() -> None:
    filled = plan("«name» lost «pronoun:possessive» key.", "gender", "country")
    tail = filled.text.split(" ", 1)[1]
    for edit in filled.edits[SAME_CLASS]:
        assert edit.source.group == edit.target.group in GENDERS
        assert filled.mutant((edit,)).text.endswith(tail)


def test_a_name_in_the_text_is_not_used_again() -> None:
    names = NameList(
        {("", "male"): ("Ben", "Max"), ("", "female"): ("Ida", "Eva")}, {"": ("Lund",)}
    )
    template = template_from_json({"text": "«name» knows Max and Ida.", "gender": "male"}, "t")
    filled = TemplateValues(names).plan(template, Settings(), ("gender",))
    assert filled.text == "Ben knows Max and Ida."
    assert [filled.mutant((e,)).text for e in filled.edits["gender"]] == ["Eva knows Max and Ida."]


@pytest.mark.parametrize(
    "attributes", [("gender",), ("gender", "country"), ("gender", "occupation"), ATTRIBUTES]
)
@pytest.mark.parametrize("words", [["Brad", "his"], ["Tapio", "his"], []])
def test_thirty_names_of_a_class_whatever_is_combined(
    attributes: tuple[str, ...], words: list[str]
) -> None:
    record = {
        "text": "«name» lost «pronoun:possessive» key.", "gender": "male", "words": words,
    }  # fmt: skip
    template = template_from_json({k: v for k, v in record.items() if v}, "t")
    filled = TemplateValues(load_names()).plan(template, Settings(), attributes)
    assert len({filled.mutant((e,)).text for e in filled.edits["gender"]}) == 30
    names = {filled.text.split()[0]}
    names |= {filled.mutant((e,)).text.split()[0] for e in filled.edits[SAME_CLASS]}
    assert len(names) == 30


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("name", "kind", "country"),
    [("George", "name", ANYWHERE), ("Brad Pitt", "name:full", ANYWHERE),
     ("Tapio", "name", "finland"), ("Hiroshi Kato", "name:full", "japan"),
     ("Quentin", "name", ANYWHERE)],
)  # fmt: skip
def test_a_base_name_fits_the_text(name: str, kind: str, country: str, seed: int) -> None:
    record = {
        "text": f"«{kind}» lost «pronoun:possessive» key.", "gender": "male",
        "words": [name, "his"],
    }  # fmt: skip
    filled = TemplateValues(load_names()).plan(
        template_from_json(record, "t"), Settings(seed=seed), ("gender", "country")
    )
    known = load_names()
    assert filled.text.split()[0] in known.given[country, "male"]
    groups = {edit.target.group for edit in filled.edits["country"]}
    assert groups == {*known.countries} - {country}
    assert {e.source.group for e in filled.edits["country"]} == {country or "unspecified"}


def test_names_of_countries_alone_serve_too() -> None:
    given = {(c, g): (f"{g}{c}a", f"{g}{c}b") for c in ("x", "y") for g in GENDERS}
    template = template_from_json({"text": "«name» lost «pronoun:possessive» key."}, "t")
    values = TemplateValues(NameList(given, {}))
    filled = values.plan(template, Settings(), ("gender", "country"))
    assert len(filled.edits["gender"]) == 2
    assert len(filled.edits["country"]) == 1


def test_equal_seeds_fill_equally() -> None:
    assert plan(TEXT, seed=3).text == plan(TEXT, seed=3).text
    assert len({plan(TEXT, seed=seed).text for seed in range(6)}) > 3


def test_occupations_are_many_and_of_no_gender() -> None:
    assert len(occupations()) == 95  # as the departures from BiasFinder say
    assert len(set(occupations().values())) == 10
    assert not {"actress", "waiter", "policeman"} & set(occupations())
