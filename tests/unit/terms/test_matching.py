"""Matching: whole words, longest first, and everything that only looks like a term."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hinter_core.terms.dictionary import Dictionary, load_shipped
from hinter_core.terms.matching import Matcher, fold, matcher_for
from hinter_core.types import GrammaticalForm, Term


def dictionary(attribute: str, *words: str) -> Dictionary:
    return Dictionary(
        attribute, tuple(Term(w, f"g{i}", GrammaticalForm.ANY) for i, w in enumerate(words))
    )


WORDS = dictionary(
    "race", "black", "white", "African American", "African-American", "African", "Don", "Qur'an"
)
PEOPLE = dictionary(
    "gender", "man", "woman", "old man", "Mr.", "Mrs.", "ma'am", "wife",
    "person with Down's syndrome",
)  # fmt: skip


def surfaces(text: str, *dictionaries: Dictionary) -> list[str]:
    found, _ = Matcher(dictionaries or (WORDS, PEOPLE)).find(text)
    for occurrence in found:
        start, end = occurrence.span
        assert text[start:end] == occurrence.surface
    return [o.surface for o in found]


def refused(text: str) -> list[tuple[str, str]]:
    _, rejected = Matcher((WORDS, PEOPLE)).find(text)
    return [(r.occurrence.surface, r.reason) for r in rejected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The man left.", ["man"]),
        ("MAN and Woman", ["MAN", "Woman"]),
        ("human, mankind, woman", ["woman"]),
        ("a blackboard", []),
        ("man,woman;white", ["man", "woman", "white"]),
        ("(man) \u201cwoman\u201d *white*", ["man", "woman", "white"]),
        ("'man'", ["man"]),
        ("\u2018black\u2019 said", ["black"]),
        ("\u2014man\u2014", ["man"]),
        ("man/woman", ["man", "woman"]),
        ("", []),
        ("\U0001f600man\U0001f600", ["man"]),
    ],
)
def test_whole_words_in_any_case(text: str, expected: list[str]) -> None:
    assert surfaces(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("An African American man", ["African American", "man"]),
        ("An African  American man", ["African  American", "man"]),
        ("An African\nAmerican man", ["African\nAmerican", "man"]),
        ("An African\n\nAmerican man", ["African", "man"]),
        ("An African, American man", ["African", "man"]),
        ("An African-American man", ["African-American", "man"]),
        ("An African\u2011American man", ["African\u2011American", "man"]),
        ("the old man", ["old man"]),
        ("the old Man", ["old Man"]),
        ("a person with Down's syndrome", ["person with Down's syndrome"]),
        ("a person with Down\u2019s syndrome", ["person with Down\u2019s syndrome"]),
        ("Mr. Hill and Mrs. Hill", ["Mr.", "Mrs."]),
    ],
)
def test_multi_word_terms_take_the_longest(text: str, expected: list[str]) -> None:
    assert surfaces(text) == expected


def test_leftmost_match_wins_over_a_later_longer_one() -> None:
    overlapping = dictionary("x", "one two", "two three four")
    assert surfaces("one two three four", overlapping) == ["one two"]


@pytest.mark.parametrize("apostrophe", ["'", "\u2019"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't know", []),
        ("DON'T", []),
        ("Don's house", ["Don"]),
        ("the woman's hat", ["woman"]),
        ("the woman'd gone", ["woman"]),
        ("a man'll come", ["man"]),
        ("black's", ["black"]),
        ("D'man left", []),
        ("ma'am", ["ma'am"]),
        ("the Qur'an's text", ["Qur'an"]),
    ],
)
def test_contractions_are_no_terms_and_possessives_stay_outside(
    text: str, expected: list[str], apostrophe: str
) -> None:
    text = text.replace("'", apostrophe)
    assert surfaces(text) == [e.replace("'", apostrophe) for e in expected]


def test_a_clitic_does_not_join_a_multi_word_term() -> None:
    assert surfaces("the African's American friend") == ["African"]


@pytest.mark.parametrize(
    ("text", "compound"),
    [
        ("a man-made lake", "man-made"),
        ("a con-man", "con-man"),
        ("black-and-white film", "black-and-white"),
        ("non-black readers", "non-black"),
        ("a snow\u2011white wall", "snow\u2011white"),
        ("the_man variable", "the_man"),
    ],
)
def test_a_part_of_a_compound_is_refused_with_the_compound(text: str, compound: str) -> None:
    assert surfaces(text) == []
    assert refused(text)[0][1] == f"is part of the word \u201c{compound}\u201d"


@pytest.mark.parametrize("text", ["his ex-wife", "the co-wife", "Ex-man"])
def test_prefixes_that_keep_the_person(text: str) -> None:
    assert len(surfaces(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "see https://example.org/man/woman",
        "see www.man.org",
        "mail man@woman.org today",
        "thanks @man and #woman",
    ],
)
def test_addresses_and_tags_are_no_people(text: str) -> None:
    assert surfaces(text) == []


def test_words_after_an_address_count_again() -> None:
    assert surfaces("see www.man.org and the man") == ["man"]


@pytest.mark.parametrize(
    ("text", "surface"),
    [
        ("a wo\u200bman", "wo\u200bman"),
        ("a wo\u00adman", "wo\u00adman"),
        ("\ufeffwoman", "woman"),
        ("\u200fwo\u200eman\u200f", "wo\u200eman\u200f"),
    ],
)
def test_invisible_characters_hide_nothing(text: str, surface: str) -> None:
    assert surfaces(text) == [surface]


def test_decomposed_and_right_to_left_text() -> None:
    words = dictionary("race", "mesti\u00e7o", "\u05d0\u05d9\u05e9")
    assert surfaces("a mestic\u0327o man", words) == ["mestic\u0327o"]
    assert surfaces("\u05d0\u05d9\u05e9 \u05d8\u05d5\u05d1", words) == ["\u05d0\u05d9\u05e9"]


def test_attributes_may_overlap_and_readings_are_kept_together() -> None:
    her = Dictionary(
        "gender",
        (
            Term("her", "f", GrammaticalForm.PRONOUN_OBJECT, "p"),
            Term("her", "f", GrammaticalForm.PRONOUN_POSSESSIVE, "p"),
            Term("him", "m", GrammaticalForm.PRONOUN_OBJECT, "p"),
            Term("his", "m", GrammaticalForm.PRONOUN_POSSESSIVE, "p"),
        ),
    )
    found, _ = Matcher([her]).find("I saw her.")
    assert [t.form for t in found[0].terms] == [
        GrammaticalForm.PRONOUN_OBJECT,
        GrammaticalForm.PRONOUN_POSSESSIVE,
    ]
    both, _ = Matcher([PEOPLE, dictionary("age", "old", "young")]).find("the old man")
    assert {(o.attribute, o.surface) for o in both} == {("gender", "old man"), ("age", "old")}


def test_a_term_without_a_pair_is_not_looked_for() -> None:
    alone = Dictionary(
        "d",
        (
            Term("man", "m", GrammaticalForm.NOUN_SG, "x"),
            Term("nun", "f", GrammaticalForm.ANY, "y"),
        ),
    )
    assert surfaces("a man and a nun", alone) == []


def test_time_grows_with_the_text_only() -> None:
    # Each of these once took minutes: quadratic search. Now the work is bounded per word, which
    # shows in the length of a reason rather than in seconds.
    _, rejected = Matcher([PEOPLE]).find("man-" * 20_000)
    assert len(rejected) == 20_000
    assert max(len(r.reason) for r in rejected) < 250
    for text in ("a" * 90_000, "@a " * 30_000, "a@" + "b" * 90_000, "a@b" * 30_000):
        assert Matcher([PEOPLE]).find(text) == ([], [])


def test_fold_joins_spellings_of_one_word() -> None:
    assert fold("QUR\u2019AN") == fold("qur'an")
    assert fold("Mestic\u0327o") == fold("MESTI\u00c7O")
    assert fold("wo\u200bman") == "woman"


def test_the_same_dictionaries_are_compiled_once() -> None:
    first = [load_shipped()[name] for name in ("race", "gender")]
    assert matcher_for(first) is matcher_for(list(first))
    assert matcher_for(first) is not matcher_for(first[::-1])
    alike = [replace(one) for one in first]
    assert matcher_for(alike) is not matcher_for(first)
