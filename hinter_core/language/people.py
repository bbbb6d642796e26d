"""Words for people with what they say of gender and number: nouns, titles, pronouns, given names.

Occupations have no gender here, so that no stereotype decides who is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from hinter_core.storage import shipped_lists, shipped_rows

FEMALE, MALE, NEUTER, UNKNOWN = "female", "male", "neuter", ""
SINGULAR, PLURAL, EITHER = "sg", "pl", ""
NEAR = 2  # sentences back to somebody else whom *his* or *her* may mean
_WITH_THINGS = ("disability", "religion", "socio-economic-status")
# Dictionaries with nouns for people beside ``person_nouns.csv``.
_MORE_NOUNS = ("age", "gender", "nationality", "occupation", "race", "religion")
_ENDINGS = re.compile(
    r"(?:[a-z]{2,}(?:m[ae]n|wom[ae]n|persons?|people|ologists?|icians?|keepers?|goers?|makers?"
    r"|players?|ographers?|mates?|eers?|monger|wright))$"
)
_NOT_PEOPLE = re.compile(
    r"(?:specimen|regimen|abdomen|acumen|omen|career|peer|beer|sheer|stalemate|climate|estimate|ultimate|intimate|approximate|pioneer)s?$"
)


@dataclass(frozen=True, slots=True)
class PronounForm:
    """What a personal pronoun says by itself; ``case``: subj, obj, poss, abs or refl."""

    person: int
    number: str
    gender: str
    case: str


def _pronouns() -> dict[str, PronounForm]:
    table = """
        i me my mine myself 1 sg -
        we us our ours ourselves 1 pl -
        you you your yours yourself 2 ? -
        you you your yours yourselves 2 pl -
        thou thee thy thine thyself 2 sg -
        ye you your yours yourself 2 ? -
        he him his his himself 3 sg male
        she her her hers herself 3 sg female
        it it its its itself 3 sg neuter
        they them their theirs themselves 3 ? -
        they them their theirs themself 3 sg -
        xe xem xyr xyrs xemself 3 sg -
        ze hir hir hirs hirself 3 sg -
        one one one's one's oneself 3 sg -
    """
    forms: dict[str, PronounForm] = {}
    for row in table.split("\n"):
        if cells := row.split():
            *words, person, number, gender = cells
            number = "" if number == "?" else number
            for word, case in zip(words, ("subj", "obj", "poss", "abs", "refl"), strict=True):
                form = PronounForm(int(person), number, "" if gender == "-" else gender, case)
                forms.setdefault(word, form)
    forms["'s"] = forms["us"]  # let 's
    forms["'em"] = forms["em"] = forms["them"]
    return forms


PRONOUNS: Mapping[str, PronounForm] = _pronouns()
GODS = frozenset("God Lord Allah Yahweh Christ Jesus Krishna Shiva Zeus".split())
NEOPRONOUNS = frozenset("xe xem xyr xyrs xemself ze hir hirs hirself".split())  # of them


# Somebody else's, where they stand alone: "Wife: Anna", "Daughter says"; not "mother of two".
RELATIVES = frozenset(
    """wife husband girlfriend boyfriend daughter son sister brother mother father mum mom dad aunt
    uncle niece nephew grandmother grandfather granddaughter grandson""".split()
)


@dataclass(frozen=True)
class PeopleWords:
    """Lower-case words, except ``names`` and ``places``; ``titles`` and ``nouns`` with gender.

    ``things``: words that never stand for a person. ``surname_titles``: behind these, a single name
    is a surname. ``singular``: nouns that are no plurals, too. ``yielding``: of a gender unless a
    phrase beside them says another.
    """

    names: Mapping[str, str]
    titles: Mapping[str, str]
    surname_titles: frozenset[str]
    nouns: Mapping[str, str]
    singular: frozenset[str]
    collectives: frozenset[str]
    people: frozenset[str]
    indefinite: frozenset[str]
    saying: frozenset[str]
    closings: frozenset[str]
    likening: frozenset[str]
    places: frozenset[str]
    quantities: frozenset[str]
    thinking: frozenset[str]
    things: frozenset[str]
    yielding: frozenset[str]

    def person_noun(self, noun: str) -> bool:
        """Whether a lower-case noun is one for a person or for several."""
        if noun in self.nouns or noun in self.people or noun in self.indefinite:
            return True
        return bool(_ENDINGS.match(noun)) and not _NOT_PEOPLE.search(noun)


@lru_cache(maxsize=1)
def people_words() -> PeopleWords:
    """Load the words from the dictionaries."""
    lists = shipped_lists("coreference")
    titles = dict.fromkeys(lists["titles"], UNKNOWN)
    titles |= dict.fromkeys(lists["male_titles"], MALE)
    titles |= dict.fromkeys(lists["female_titles"], FEMALE)
    generic = frozenset(lists["generic"])
    singular, plural = _person_nouns()
    nouns = dict.fromkeys(singular | plural, UNKNOWN)
    said = [(row["term"].lower(), row["group"]) for row in shipped_rows("gender")]
    said += [(row["term"].lower(), row["gender"]) for row in shipped_rows("person_nouns")]
    for noun, gender in said:
        if noun in nouns and gender in (FEMALE, MALE) and noun not in generic:
            nouns[noun] = gender
    kept = ("collectives", "people", "indefinite", "saying", "closings", "likening", "places",
            "quantities", "thinking", "surname_titles", "yielding")  # fmt: skip
    return PeopleWords(
        names={row["name"]: row["sex"] for row in shipped_rows("given_names")},
        titles=titles,
        nouns=nouns,
        singular=frozenset(singular - plural),
        things=_things(),
        **{name: frozenset(lists[name]) for name in kept},
    )


def _person_nouns() -> tuple[set[str], set[str]]:
    """Return the lower-case nouns for one person and those for several."""
    rows = [(row["term"], row["number"]) for row in shipped_rows("person_nouns")]
    for name in _MORE_NOUNS:
        rows += [(row["term"], row["form"].removeprefix("noun-")) for row in shipped_rows(name)]
    singular, plural = (
        {noun.lower() for noun, number in rows if number == wanted and " " not in noun}
        for wanted in (SINGULAR, PLURAL)
    )
    return singular, plural


def _things() -> frozenset[str]:
    """Return the words of the dictionaries that name no person: *Christmas*, *church*."""
    rows = (row for name in _WITH_THINGS for row in shipped_rows(name) if row["form"] == "any")
    return frozenset(row["term"].lower() for row in rows if " " not in row["term"])
