"""Related words: as many of each kind for every people and faith, and how a text is read."""

from __future__ import annotations

import csv

import pytest

from hinter_core.storage import DICTIONARIES
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.related import people_of, related_words, rows_of
from hinter_core.types import GrammaticalForm

with (DICTIONARIES / "related.csv").open(encoding="utf-8", newline="") as lines:
    ROWS = list(csv.DictReader(lines))
SIZES = {"Christian": 12, "other-faith": 8}  # of words; the others have as many as each other
NO_COUNTRY = {"Black", "white", "Yiddish"}


def listed(row: dict[str, str], kind: str) -> list[str]:
    return [word for word in row[kind].split(";") if word]


def said(text: str) -> list[str]:
    return [one.words for one in related_words(text)]


@pytest.mark.parametrize("attribute", ["race", "nationality", "language"])
def test_every_people_has_a_row(attribute: str) -> None:
    without = [
        term.text
        for term in load_shipped()[attribute].terms
        if term.concept != "skin" and not rows_of(attribute, term.text, term.group)
    ]
    assert without == []


def test_every_faith_has_a_row() -> None:
    without = [
        term.text
        for term in load_shipped()["religion"].terms
        if term.form is GrammaticalForm.ADJECTIVE and not rows_of("religion", term.text, term.group)
    ]
    assert without == []


def test_peoples_have_as_many_words_of_each_kind() -> None:
    for row in ROWS:
        if row["attribute"] == "origin" and listed(row, "of")[0] not in NO_COUNTRY:
            assert len(listed(row, "cities")) == 5, row["of"]
            assert 1 <= len(listed(row, "places")) <= 5, row["of"]
            assert len(listed(row, "words")) <= 2, row["of"]


def test_faiths_have_as_many_words() -> None:
    large = {"christian", "muslim", "jewish", "hindu", "buddhist", "sikh"}
    for row in (row for row in ROWS if row["attribute"] == "religion"):
        of, words = listed(row, "of")[0], listed(row, "words")
        if words and of != "non-religious":
            assert len(words) == SIZES.get(of, 81 if of in large else 19), of


def test_every_occupation_has_a_trade() -> None:
    without = [
        term.text
        for term in load_shipped()["occupation"].terms
        if not rows_of("occupation", term.text, term.group)
    ]
    assert without == []


def test_trades_have_as_many_words() -> None:
    assert {len(listed(row, "words")) for row in ROWS if row["attribute"] == "occupation"} == {24}


def test_no_row_lists_a_word_twice() -> None:
    for row in ROWS:
        words = [w for kind in ("people", "places", "cities", "words") for w in listed(row, kind)]
        assert len(words) == len(set(words)), row["of"]


def test_capitals_tell_a_country_from_a_thing() -> None:
    assert said("She ate turkey from a china plate.") == []
    assert said("She moved from Turkey to China.") == ["Turkey", "China"]
    assert said("SHE MOVED TO CHINA.") == ["CHINA"]
    assert said("i moved to china") == ["china"]
    assert said("The Mosque is near.") == ["Mosque"]


def test_the_longest_words_count() -> None:
    assert said("He left South Korea for Latin America.") == ["South Korea", "Latin America"]
    assert said("She lives in St. Petersburg, Russia.") == ["St. Petersburg", "Russia"]
    assert said("a map of the U.S. and the U.K.") == ["U.S", "U.K"]
    assert rows_of("race", "American Indian", "indigenous") == rows_of(
        "race", "Native American", "indigenous"
    )


def test_words_count_in_the_plural_too() -> None:
    assert said("Two churches, six mosques, a few clergymen and many prophecies.") == [
        "churches",
        "mosques",
    ]


def test_a_word_with_a_capital_is_read_before_the_name_of_a_group() -> None:
    assert rows_of("religion", "Christian", "christian") > rows_of(
        "religion", "Lutheran", "christian"
    ) & rows_of("religion", "churchgoer", "christian")


def test_words_for_one_people_have_one_adjective() -> None:
    found = {word: people_of(word) for word in ("Danes", "Thais", "Scots", "Jews", "Czechs")}
    assert found == {
        "Danes": "Danish", "Thais": "Thai", "Scots": "Scottish", "Jews": "Jewish",
        "Czechs": "Czech",
    }  # fmt: skip
    assert people_of("Indians") == "Indian"
    assert people_of("boys") == "boys"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Indian summer was lovely, and our Indian guide waved.", ["Indian"]),
        ("The German shepherds bit a boy from Berlin.", ["Berlin"]),
        ("Turkish delight is sweet.", []),
        ("In India there is no Indian summer.", ["India"]),
        ("An Indian's summer.", ["Indian"]),
    ],
)
def test_an_expression_says_nothing_of_a_people(text: str, words: list[str]) -> None:
    assert [one.words for one in related_words(text)] == words
