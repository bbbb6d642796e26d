"""Word lists for the person sense: nouns for people, and words by which other senses show."""

import csv
import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from hinter_core.storage import DICTIONARIES
from hinter_core.terms.dictionary import load_shipped
from hinter_core.types import GrammaticalForm, Sense

NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS"})
PERSON_TAGS = frozenset({"PERSON", "PER"})  # of entities
FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
NOUNS = (GrammaticalForm.NOUN_SG, GrammaticalForm.NOUN_PL)
# Endings of nouns for people that no list has: *astrophysicist*, *pyromaniac*, *beekeeper*.
_PERSON_ENDINGS = re.compile(
    r"""(?!
        (?:as|con|de|in|per|re|sub|co?ex|un?tw)ists?$ | \w*geists?$ | (?:anti)?christ$ | enlists?$
        | (?:check|play|short|black|white|wish|watch|wait|waiting|hit|set|track|long|guest)lists?$
        | (?:esti|cli|ulti|inti|pri|ani|consum)mates?$ | juggernauts?$ | typewriters?$
        | (?:pace|coffee|bread|ice|rice)makers?$
    )\w{2,}(?:
        m[ae]n | wom[ae]n | persons? | people | goers? | [^kw]ists? | icians? | keepers? | pickers?
        | crackers? | dwellers? | diggers? | players? | mongers? | wrights? | mates? | folk
        | ographers? | maniacs? | [ao]holics? | philes? | phobes? | [aeot]rians? | nauts?
        | [ao]crats? | smiths? | seekers? | workers? | makers? | writers? | lovers? | survivors?
        | (?:board|build|fitt|kayak|hik|bik|climb|surf|swimm|skat|lift|wrestl|blogg|gam|danc)ers?
        | (?:t|in)eers? | opaths? | lympians?
    )$
    | (?:gang|mob|trick|fraud|prank|hip|young|poll|team|song|spin|game|jok)sters?$
    | (?:train|employ|detain|evacu|deport|escap|intern|retir|abus|amput|divorc|mentor|appoint
        |address|honou?r|induct|parol|transfer|examin|interview)ees?$
    | (?:land|home|shop|co|ship|slave|business|gun|dog|pet|car)owners?$""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Lexicon:
    """``person_sense.toml``: lists of lower-case words, explained there.

    ``phrases``: by each of their words, with its place. ``things``: context by ambiguous noun.
    """

    phrases: Mapping[str, tuple[tuple[int, tuple[str, ...]], ...]]
    interjections: frozenset[str]
    mentions: frozenset[str]
    animals: frozenset[str]
    vessels: frozenset[str]
    deities: frozenset[str]
    name_heads: frozenset[str]
    titles: frozenset[str]
    kin: frozenset[str]
    parties: frozenset[str]
    siblings: frozenset[str]
    groups: frozenset[str]
    quantifiers: frozenset[str]
    languages: frozenset[str]
    founded: frozenset[str]
    realms: frozenset[str]
    surnames: frozenset[str]
    made_for: frozenset[str]
    wearing: frozenset[str]
    colours: frozenset[str]
    lower_things: frozenset[str]
    devices: frozenset[str]
    animal_roles: frozenset[str]
    insults: frozenset[str]
    things: Mapping[str, frozenset[str]]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Load ``person_sense.toml``."""
    read = tomllib.loads((DICTIONARIES / "person_sense.toml").read_text(encoding="utf-8"))
    things = {noun: frozenset(words.split()) for noun, words in read.pop("things").items()}
    phrases: dict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
    for phrase in read.pop("phrases"):
        words = tuple(phrase.split())
        for place, word in enumerate(words):
            phrases[word].append((place, words))
    by_word = {word: tuple(found) for word, found in phrases.items()}
    lists = {name: frozenset(words) for name, words in read.items()}
    return Lexicon(phrases=by_word, things=things, **lists)


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


def capital(word: str) -> bool:
    """Whether a word is capitalised, also after an apostrophe: "O'Hara", "'Twas"."""
    return word[:1].isupper() or (word[1:2] in ("'", "\u2019") and word[2:3].isupper())


def names_person(noun: str) -> bool:
    """Whether a lower-case noun is one for a person or for several."""
    return noun in person_nouns() or noun in lexicon().groups or bool(_PERSON_ENDINGS.match(noun))
