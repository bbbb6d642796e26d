"""Identity terms by form, read from ``terms.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

TERMS = Path(__file__).with_name("terms.toml")

#: Norms that the terms of a class share, see :func:`shared_norms`.
SHARED = {
    ("demonyms", "both"): "<demonym>",
    ("demonyms", "adjective"): "<demonym-adjective>",
    ("demonyms", "noun"): "<demonym-noun>",
    ("religion", "both"): "<demonym>",
    ("religion", "adjective"): "<demonym-adjective>",
    ("religion", "noun"): "<demonym-noun>",
    ("orientation", "adjective"): "<identity-adjective>",
    ("orientation", "both"): "<identity-both>",
    ("disability", "adjective"): "<identity-adjective>",
    ("places", "country"): "<country>",
}


@cache
def terms(section: str, name: str) -> tuple[str, ...]:
    """Return the terms of one class."""
    with TERMS.open("rb") as stream:
        table: dict[str, dict[str, str]] = tomllib.load(stream)
    return tuple(table[section][name].split())


def plurals(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the plural of regular nouns."""
    return tuple(word + "s" for word in words)


@cache
def norp_words() -> frozenset[str]:
    """Return the words that name a nationality, religion or party."""
    words: set[str] = set()
    for section in ("demonyms", "religion", "politics"):
        for name in ("both", "adjective", "noun"):
            words.update(terms(section, name))
            if name != "adjective":
                words.update(plurals(terms(section, name)))
    words.update(terms("demonyms", "man") + terms("demonyms", "woman"))
    words.update(("Frenchmen", "Englishmen", "Irishmen", "Scotsmen", "Dutchmen", "Welshmen"))
    words.update(("Roman", "Romans", "Viking", "Vikings", "Soviet", "Soviets", "Hispanics", "Jews"))
    return frozenset(words - {"Orthodox", "Pagan", "Conservative", "Evangelical", "Democratic"})


#: Lower-cased terms that are mostly another word.
_OTHER_WORDS = frozenset(
    "polish swiss pole dane finn scot turk slav serb turkey china mali guinea jain "
    "methodist baptist catholic evangelical pagan orthodox conservative".split()
)


def _cases(word: str) -> set[str]:
    """Return the spellings in which a term may be met."""
    cases = {word, word.upper(), word[0].upper() + word[1:]}
    if word.lower() not in _OTHER_WORDS:
        cases.add(word.lower())
    return cases


@cache
def shared_norms() -> dict[str, str]:
    """Map terms to the norm that all terms of their class share.

    The parser sees a word mostly through its norm, so that the terms of a class
    look nearly alike to it, however rare they were in the training data.
    """
    norms: dict[str, str] = {}
    for (section, name), norm in SHARED.items():
        for word in terms(section, name):
            for spelling in _cases(word):
                norms.setdefault(spelling, norm)
            if name in {"both", "noun"}:
                for spelling in _cases(word + "s"):
                    norms.setdefault(spelling, norm.replace(">", "-plural>"))
    return norms
