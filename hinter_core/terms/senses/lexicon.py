"""Word lists: nouns for people, words with a capital, expressions, titles and animals."""

import csv
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from hinter_core.storage import DICTIONARIES
from hinter_core.terms.dictionary import load_shipped
from hinter_core.types import GrammaticalForm, Sense

NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS"})
FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
NOUNS = (GrammaticalForm.NOUN_SG, GrammaticalForm.NOUN_PL)
# Written in lower case, these are no people.
LOWER_THINGS = frozenset("swede swedes pole poles afghan afghans china turkey dane".split())


@dataclass(frozen=True)
class Lexicon:
    """``expressions.toml``: lists of lower-case words, explained there.

    ``phrases``: by each of their words, with its place.
    """

    phrases: Mapping[str, tuple[tuple[int, tuple[str, ...]], ...]]
    animals: frozenset[str]
    titles: frozenset[str]
    kin: frozenset[str]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Load ``expressions.toml``."""
    read = tomllib.loads((DICTIONARIES / "expressions.toml").read_text(encoding="utf-8"))
    phrases: dict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
    for phrase in read.pop("phrases"):
        words = tuple(phrase.split())
        for place, word in enumerate(words):
            phrases[word].append((place, words))
    by_word = {word: tuple(found) for word, found in phrases.items()}
    lists = {name: frozenset(words) for name, words in read.items()}
    return Lexicon(phrases=by_word, **lists)


@lru_cache(maxsize=1)
def listed_nouns() -> tuple[tuple[str, GrammaticalForm], ...]:
    """Load the nouns of ``person_nouns.csv``, each with its form."""
    with (DICTIONARIES / "person_nouns.csv").open(encoding="utf-8", newline="") as lines:
        singular, plural = NOUNS
        return tuple(
            (row["term"], plural if row["number"] == "pl" else singular)
            for row in csv.DictReader(lines)
        )


@lru_cache(maxsize=1)
def person_nouns() -> frozenset[str]:
    """Load lower-case nouns for people from ``person_nouns.csv`` and the dictionaries."""
    nouns = {noun.lower() for noun, _ in listed_nouns()}
    for dictionary in load_shipped().values():
        if not dictionary.placebo:
            nouns.update(
                term.text.split()[-1].lower()
                for term in dictionary.terms
                if term.form in NOUNS and term.sense is Sense.PERSON
            )
    return frozenset(nouns)


@lru_cache(maxsize=1)
def capitalised() -> frozenset[str]:
    """Load the terms that are always written with a capital, case-folded."""
    return frozenset(
        term.text.casefold()
        for dictionary in load_shipped().values()
        for term in dictionary.terms
        if term.text[:1].isupper() and term.form is not GrammaticalForm.TITLE
    )
