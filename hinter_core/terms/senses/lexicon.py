"""Word lists: nouns for people, words with a capital, expressions, titles and animals."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from hinter_core.storage import shipped_lists, shipped_rows
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.types import GrammaticalForm, Sense

NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS"})
FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
NOUNS = (GrammaticalForm.NOUN_SG, GrammaticalForm.NOUN_PL)
# Written in lower case, these are no people.
LOWER_THINGS = frozenset("swede swedes pole poles afghan afghans china turkey dane".split())
_AGED = frozenset({"-", "year", "years", "yr", "yrs"})  # before "old"
_OF_PEOPLE = frozenset({"russian"})  # ends of expressions that describe somebody, too


@lru_cache(maxsize=1)
def lexicon() -> Mapping[str, frozenset[str]]:
    """Load the lists of lower-case words that ``expressions.toml`` explains."""
    return {name: frozenset(words) for name, words in shipped_lists("expressions").items()}


@lru_cache(maxsize=1)
def before_names() -> frozenset[str]:
    """Return what stands before a name: titles, and words for kin as "Aunt"."""
    return lexicon()["titles"] | lexicon()["kin"]


@lru_cache(maxsize=1)
def expressions() -> Mapping[str, Sequence[tuple[int, tuple[str, ...]]]]:
    """Load the expressions by each of their words, with its place."""
    phrases: dict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
    for phrase in shipped_lists("expressions")["phrases"]:
        for place, word in enumerate(words := tuple(phrase.split())):
            phrases[word].append((place, words))
    return dict(phrases)


def expression_at(words: Sequence[str], place: int) -> tuple[str, ...]:
    """Return the expression that the word at a place is part of; () if there is none."""
    for within, phrase in expressions().get(fold(words[place]), ()):
        start = place - within
        if is_expression(phrase, words, start):
            return phrase
    return ()


def is_expression(phrase: Sequence[str], words: Sequence[str], start: int) -> bool:
    """Whether an expression begins at one of these words.

    Not where it describes somebody ("a black Russian woman", "a 12-year-old boy") or is a title
    ("Lady Justice Hale").
    """
    stop = start + len(phrase)
    if start < 0 or tuple(map(fold, words[start:stop])) != tuple(phrase):
        return False
    if phrase[0] == "old" and start and fold(words[start - 1]) in _AGED:
        return False
    after = words[stop] if stop < len(words) else ""
    if phrase[-1] in _OF_PEOPLE:
        return fold(after) not in person_nouns()
    return not (phrase[-1] == "justice" and words[start].istitle() and after[:1].isupper())


@lru_cache(maxsize=1)
def listed_nouns() -> tuple[tuple[str, GrammaticalForm], ...]:
    """Load the nouns of ``person_nouns.csv``, each with its form."""
    rows = shipped_rows("person_nouns")
    return tuple((row["term"], NOUNS[row["number"] == "pl"]) for row in rows)


@lru_cache(maxsize=1)
def person_nouns() -> frozenset[str]:
    """Load lower-case nouns for people from ``person_nouns.csv`` and the dictionaries."""
    nouns = {noun.lower() for noun, _ in listed_nouns()}
    return frozenset(nouns).union(
        term.text.split()[-1].lower()
        for dictionary in load_shipped().values()
        for term in dictionary.terms
        if not dictionary.placebo and term.form in NOUNS and term.sense is Sense.PERSON
    )


@lru_cache(maxsize=1)
def capitalised() -> frozenset[str]:
    """Load the terms that are always written with a capital, case-folded."""
    return frozenset(
        term.text.casefold()
        for dictionary in load_shipped().values()
        for term in dictionary.terms
        if term.text[:1].isupper() and term.form is not GrammaticalForm.TITLE
    )
