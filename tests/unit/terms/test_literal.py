"""Literal matching finds what the expression of the published script finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import LiteralMatcher, Matcher, matcher_for
from hinter_core.types import GrammaticalForm, Span, Term

WORDS = ("man", "old man", "black", "man-made", "african american", "ma'am", "woman")
ONE = Dictionary("x", tuple(Term(w, w, GrammaticalForm.ANY) for w in WORDS))


def found(text: str, words: Dictionary = ONE) -> list[tuple[Span, str]]:
    occurrences, rejected = LiteralMatcher([words]).find(text)
    assert rejected == []
    return [(o.span, term.text) for o in occurrences for term in o.terms]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("woman, man_made, human, salesman", ["woman"]),
        ("a one-man show", ["man"]),
        ("man-made", ["man", "man-made"]),
        ("the OLD MAN's", ["old man", "man"]),
        ("www.man.org #black @man", ["man", "black", "man"]),
        ("Ma\u2019am", ["ma'am"]),
        ("African-American", []),
        ("man2man 2 man", ["man"]),
        ("", []),
    ],
)
def test_a_term_is_found_wherever_it_is_a_word(text: str, expected: list[str]) -> None:
    assert [term for _, term in found(text)] == expected


pieces = st.sampled_from([*WORDS, *map(str.upper, WORDS), "old", "s", "_", "2", "american"])


@given(st.lists(st.tuples(pieces, st.sampled_from(["", " ", "-", ". ", "'", "/"]))))
def test_it_finds_what_the_expression_finds(parts: list[tuple[str, str]]) -> None:
    text = "".join(map("".join, parts))
    expected = {
        (match.span(), word)
        for word in WORDS
        for match in re.finditer(rf"\b{re.escape(word)}\b", text.lower())
    }
    assert set(found(text)) == expected


def test_terms_that_begin_or_end_with_a_mark_need_no_letter_there() -> None:
    marked = Dictionary("x", tuple(Term(w, w, GrammaticalForm.ANY) for w in ("Mr.", "'Hood", "z")))
    assert [t for _, t in found("Mr. Z of the 'hood, Mr.X", marked)] == ["Mr.", "z", "'Hood", "Mr."]


def test_readings_of_one_word_are_one_occurrence() -> None:
    forms = (GrammaticalForm.PRONOUN_OBJECT, GrammaticalForm.PRONOUN_POSSESSIVE)
    terms = [Term("her", "f", form) for form in forms] + [Term("him", "m", forms[0])]
    terms.append(Term("his", "m", forms[1]))
    (occurrence,), _ = LiteralMatcher([Dictionary("gender", tuple(terms))]).find("I saw Her.")
    assert [term.form for term in occurrence.terms] == list(forms)


def test_matchers_of_both_kinds_are_kept_apart() -> None:
    assert type(matcher_for([ONE])) is Matcher
    assert type(matcher_for([ONE], LiteralMatcher)) is LiteralMatcher
