"""Spellings of one word are told from other words."""

from __future__ import annotations

import pytest

from hinter_core.language.spelling import by_spelling, spelling


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Mr.", "Mr", True),
        ("M\u0101ori", "Maori", True),
        ("JOSE", "Jos\u00e9", True),
        ("non-binary", "Non binary", True),
        ("LGBTQ+", "LGBTQ", False),
        ("\u0915\u093f", "\u0915\u093e", False),  # vowel signs of Hindi are no accents
        ("?", "", False),
    ],
)
def test_punctuation_accents_and_capitals_make_no_other_word(
    one: str, other: str, alike: bool
) -> None:
    assert (spelling(one) == spelling(other)) is alike


def test_the_most_frequent_spelling_comes_first() -> None:
    words = by_spelling({"Mx": 1, "Mx.": 2, "Mr": 5})
    assert words == {"Mx": ("Mx.", "Mx"), "Mx.": ("Mx.", "Mx"), "Mr": ("Mr",)}
