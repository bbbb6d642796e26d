"""Names of people by gender and country of origin, from ``names.csv`` or a file of that format.

Beside them, how given names are used (``name_usage.toml``): short forms, and names of both genders.

Columns: ``name``, ``part`` (given or family), ``gender`` (male or female; empty for family names)
and ``country`` (empty: of no particular country). A name stands once in a file, so that a given
name belongs to one gender and one country, as BiasFinder, section 4.2 and 5.2, demands.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zlib import crc32

from hinter_core.errors import DictionaryError, InputError
from hinter_core.files.columns import as_text, mended
from hinter_core.files.source import open_source
from hinter_core.language.people import FEMALE, MALE, people_words
from hinter_core.language.spelling import spelling
from hinter_core.storage import DICTIONARIES, shipped_lists, shipped_rows
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.related import people_of
from hinter_core.types import GrammaticalForm, Term

GENDERS = (MALE, FEMALE)
BOTH = "both"  # gender of a name that women and men bear
ANYWHERE = ""  # country of names of no particular country
_GIVEN, FAMILY = _PARTS = ("given", "family")
_FROM = re.compile(r"^(?:from|of)\s(?:the\s)?|\s(?:origin|descent|ancestry|heritage)$")
_COLUMNS = ("name", "part", "gender", "country")
_LISTED = 5  # faults in a message
_ARTICLES = frozenset({"al", "el"})  # of surnames: "al-Amin"
SHIPPED = DICTIONARIES / "names.csv"


@dataclass(frozen=True)
class NameList:
    """Names; ``given`` by country and gender, ``family`` by country."""

    given: Mapping[tuple[str, str], tuple[str, ...]]
    family: Mapping[str, tuple[str, ...]]

    @property
    def countries(self) -> tuple[str, ...]:
        """Countries with given names of both genders, in alphabetical order."""
        named = {country for country, _ in self.given} - {ANYWHERE}
        return tuple(sorted(c for c in named if all((c, g) in self.given for g in GENDERS)))


def load_names(path: Path = SHIPPED) -> NameList:
    """Load and validate a file of names.

    Raises:
        DictionaryError: the file cannot be read, a line is wrong, a name stands twice, or one
            gender or all but one country are missing.
    """
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise DictionaryError(f"Cannot read {path}: {error.strerror}. Check the path.") from error
    return _names_of(path, changed)


@lru_cache(maxsize=4)
def _names_of(path: Path, _changed: int) -> NameList:
    """Read a file of names as it was changed last."""
    try:
        source = open_source(path, _COLUMNS, only_known=True)
        records = list(source.numbered())
    except InputError as error:
        raise DictionaryError(str(error)) from error
    columns = {name.casefold(): name for name in source.names}
    if not {"name", "gender"} <= set(columns) <= set(_COLUMNS):
        raise DictionaryError(
            f"{path}, line 1: the header is name,part,gender,country (part and country may be "
            f"missing); found '{','.join(source.names)}'."
        )
    faults: list[str] = []
    given: dict[tuple[str, str], list[str]] = defaultdict(list)
    family: dict[str, list[str]] = defaultdict(list)
    first: dict[str, int] = {}  # line by name
    for line, (row, unread) in records:
        name, part, gender, country = (
            mended(as_text(row.get(columns.get(c, c))))[0].strip() for c in _COLUMNS
        )
        part, seen = part or _GIVEN, first.setdefault(name.casefold(), line)
        fault = f"{unread}." if unread else _fault(name, part, gender, seen if seen < line else 0)
        if fault:
            faults.append(f"{path}, line {line}: {fault}")
        elif part == _GIVEN:
            given[country, gender].append(name)
        else:
            family[country].append(name)
    if faults:
        more = [f"and {len(faults) - _LISTED:,} more."] if len(faults) > _LISTED else []
        raise DictionaryError("\n".join(faults[:_LISTED] + more))
    names = NameList(
        {key: tuple(listed) for key, listed in given.items()},
        {country: tuple(listed) for country, listed in family.items()},
    )
    _require_classes(names, path)
    return names


@dataclass(frozen=True)
class NameUsage:
    """How the shipped names are used.

    ``short``: by name, its short forms and what it is short for. ``given``: names by country, or
    other origin, and gender. ``family``: by country or origin. ``of``: country or origin, and
    gender, of a given name. ``families``: countries and origins of a family name. ``anywhere``:
    origins whose given names peoples with other family names bear, too. ``fixed``: names in
    expressions, of brands and of writers. ``first``: gender of names of two parts by the first of
    them, where it is another than that of the first part alone. ``second``: second parts, by the
    gender of the whole. ``origins``: origin of given names, which :meth:`alike` exchanges for those
    of ``only``: names of that origin alone.
    """

    short: Mapping[str, frozenset[str]]
    given: Mapping[tuple[str, str], tuple[str, ...]]
    family: Mapping[str, tuple[str, ...]]
    of: Mapping[str, tuple[str, str]]
    families: Mapping[str, frozenset[str]]
    anywhere: frozenset[str]
    fixed: re.Pattern[str]
    first: Mapping[str, str]
    second: Mapping[str, tuple[str, ...]]
    origins: Mapping[str, str]
    only: Mapping[tuple[str, str], tuple[str, ...]]

    def gender(self, name: str) -> str:
        """Return the gender that readers expect of a given name; "" if unknown."""
        name = _listed(name)
        known = self.of[name][1] if name in self.of else people_words().names.get(name, "")
        if known or "-" not in name:
            return known
        parts = name.split("-")
        if parts[0].lower() in _ARTICLES:
            return ""
        said = (self.first.get(parts[0], ""), *map(self.gender, parts))
        return next((gender for gender in said if gender in GENDERS), "")

    def said(self, words: Sequence[str]) -> str:
        """Return the gender that the words of a name say: of "Jean Claude Petit" male."""
        if not words:
            return ""
        first = _listed(words[0])
        said = self.first.get(first, "") if len(words) > 2 else ""
        return said if said and self.gender(words[1]) in ("", said) else self.gender(first)

    def twofold(self, words: Sequence[str]) -> bool:
        """Whether a name has two given names and no surname: "Mary Ann", "Billy Bob"."""
        if len(words) != 2:
            return False
        first, second = map(_listed, words)
        return second in self.second.get(self.gender(first), ())

    def country(self, name: str) -> str:
        """Return the origin of a given name; "" if it is of none in particular, or unknown."""
        name = _listed(name)
        return self.of[name][0] if name in self.of else ANYWHERE

    def origin(self, given: str, surnames: Sequence[str]) -> str | None:
        """Return the origin of a given name, of one of no list that of the surnames; None: open."""
        if self.gender(given):
            return self.country(given)
        several = frozenset[str]().union(*map(self.of_family, surnames))
        return next(iter(several)) if len(several) == 1 else None

    def of_family(self, name: str) -> frozenset[str]:
        """Return the origins of a family name; none if no list has it."""
        return self.families.get(_listed(name), frozenset())

    def instead(self, name: str, gender: str, taken: Collection[str], country: str) -> str:
        """Return another given name of a gender, always the same; "" if there is none.

        It is of the old name's origin, ``country``, and has its initial if one has. ``taken``:
        names that stand in the text.
        """
        for pool in self._pools(gender, country, name[:1].upper()):
            if free := [n for n in pool if n not in taken and spelling(n) != spelling(name)]:
                return free[crc32(name.encode()) % len(free)]
        return ""

    def alike(self, name: str, gender: str, initial: str = "") -> list[str]:
        """Return the other given names of a gender that are of a name's origin and of no other.

        Of a name that no list has, the origin is unknown, and there are none. ``initial``: theirs.
        """
        listed = _listed(name)
        known = (self.origins.get(one) for one in (listed, *listed.split("-")))
        origin = next((one for one in known if one is not None), None)
        names = self.only.get((origin, gender), ()) if origin is not None else ()
        return [n for n in names if n.startswith(initial) and spelling(n) != spelling(listed)]

    def of_country(self, name: str, country: str, gender: str, taken: Collection[str]) -> str:
        """Return a name of a country in place of another, always the same; "" if there is none.

        ``gender``: of a given name; "family": a family name; BOTH: a given name that both genders
        bear, or else of any gender.
        """
        genders = GENDERS if gender == BOTH and (country, BOTH) not in self.given else (gender,)
        pools = [self.given.get((country, one), ()) for one in genders]
        family = self.family.get(country, ()) if gender == FAMILY else ()
        listed = family if gender == FAMILY else [name for pool in pools for name in pool]
        free = [one for one in listed if one not in taken and one != name]
        fit = [one for one in free if one[0] == name[:1].upper()] or free
        return fit[crc32(name.encode()) % len(fit)] if fit else ""

    def _pools(self, gender: str, country: str, initial: str) -> Iterator[Sequence[str]]:
        """Yield names, the fittest first."""
        pool = self.given.get((country, gender), ())
        yield [name for name in pool if name.startswith(initial)]
        if country == ANYWHERE:
            words = people_words()
            yield [name for name in self.only[country, gender] if name.startswith(initial)]
            yield [
                name
                for name, sex in words.names.items()
                if sex == gender
                and name.startswith(initial)
                and name not in words.places
                and name not in self.of
            ]
        yield pool


@lru_cache(maxsize=1)
def name_usage() -> NameUsage:
    """Load how the shipped given names are used."""
    lists = shipped_lists("name_usage")
    short: dict[str, set[str]] = defaultdict(set)
    for name, forms in lists["short"].items():
        short[name].update(forms)
        for form in forms:
            short[form].add(name)
    given = {(origin, BOTH): tuple(listed) for origin, listed in lists["both"].items()}
    given |= load_names().given
    family = dict(load_names().family)
    for origin, listed in lists["origins"].items():
        given |= {(origin, gender): tuple(listed[gender]) for gender in GENDERS}
        family[origin] = tuple(listed.get(FAMILY, ()))
    read, families = dict(given), defaultdict[str, set[str]](set)
    for origin, listed in lists["told"].items():
        for one in (*GENDERS, BOTH):
            read[origin, one] = (*given.get((origin, one), ()), *listed.get(one, ()))
        for name in listed.get(FAMILY, ()):
            families[name].add(origin)
    for origin, usual in family.items():
        for name in usual:
            families[name].add(origin)
    among: dict[str, list[str]] = defaultdict(list)
    english = {(ANYWHERE, one): tuple(listed) for one, listed in lists["english"].items()}
    for key, listed in (*read.items(), *english.items()):
        for name in listed:
            among[name].append(key[0])
    unfit = {*people_words().places, *(name for name, of in among.items() if len(of) > 1)}
    return NameUsage(
        short={name: frozenset(usual) for name, usual in short.items()},
        first=lists["first"],
        second={gender: tuple(usual) for gender, usual in lists["second"].items()},
        given=given,
        family=family,
        of={name: key for key, usual in reversed(read.items()) for name in usual},
        families={name: frozenset(origins) for name, origins in families.items()},
        anywhere=frozenset(lists["anywhere"]),
        origins={name: next(filter(None, of), ANYWHERE) for name, of in among.items()},
        only={
            key: tuple(name for name in (*listed, *english.get(key, ())) if name not in unfit)
            for key, listed in given.items()
        },
        fixed=re.compile(rf"\b(?:{'|'.join(map(re.escape, lists['fixed']))})\b", re.IGNORECASE),
    )


def country_of(people: str) -> str | None:
    """Return the country whose names a word for a people stands for; None if no list has names.

    Of several countries ("Asian"), it is always the same one for a word.
    """
    several = countries_of(people)
    return several[crc32(people.encode()) % len(several)] if several else None


@lru_cache(maxsize=512)
def countries_of(people: str) -> tuple[str, ...]:
    """Return the countries, or other origins, whose names people bear; none if no list has any."""
    listed = shipped_lists("name_usage")["origin"]
    word = people_of(_FROM.sub("", people))
    if word in listed:
        return tuple(listed[word]) or (ANYWHERE,)
    known = _countries().get(word)
    return () if known is None else (known,)


def words_of_countries(dictionary: Dictionary) -> dict[str, Term]:
    """Return a word for its people by the countries, or other origins, that names are of.

    Names of no particular country are usual where English is spoken. They count as those of the
    British, unless the attribute tells English-speaking countries apart.
    """
    words: dict[str, Term] = {}
    for term in dictionary.terms:
        if term.form is GrammaticalForm.ADJECTIVE and (of := country_of(term.text)) is not None:
            words.setdefault(of, term)
    if dictionary.attribute == "nationality":
        words.pop(ANYWHERE, None)
    return words


@lru_cache(maxsize=1)
def _countries() -> Mapping[str, str]:
    """Return the countries with names by the words for their people and for themselves."""
    known = load_names().countries
    countries: dict[str, str] = {}
    for row in shipped_rows("related"):
        places = row["places"].split(";") if row["attribute"] == "origin" else []
        of = next((c for p in places if (c := p.lower().replace(" ", "-")) in known), "")
        for word in (*row["of"].split(";"), *row["people"].split(";"), *places) if of else ():
            countries.setdefault(word, of)
    return countries


@lru_cache(maxsize=1)
def names_by_country() -> Dictionary:
    """Return the shipped given names as a dictionary whose groups are countries."""
    names = load_names()
    terms = (
        Term(name, country, GrammaticalForm.NAME, gender)
        for (country, gender), listed in names.given.items()
        for name in listed
        if country
    )
    return Dictionary("country", tuple(terms), groups={c: c for c in names.countries})


def _fault(name: str, part: str, gender: str, seen: int) -> str:
    if not any(map(str.isalpha, name)):
        return "no name; fill the cell or delete the line."
    if seen:
        return f"'{name}' stands on line {seen} already; delete one."
    if part not in _PARTS:
        return f"unknown part '{part}'; use given or family."
    if part == _GIVEN and gender not in GENDERS:
        return f"'{name}' has gender '{gender}'; use male or female."
    return ""


def _require_classes(names: NameList, path: Path) -> None:
    genders = {gender for _, gender in names.given}
    if len(genders) < len(GENDERS):
        only = next(iter(genders), "no")
        raise DictionaryError(
            f"{path} has {only} given names only; mutants of two genders need male and female ones."
        )
    if (ANYWHERE, MALE) not in names.given and not names.countries:
        raise DictionaryError(
            f"{path}: no country has both male and female names; add the missing ones, or leave "
            "the country empty."
        )


@lru_cache(maxsize=65_536)
def _listed(name: str) -> str:
    """Return a name as lists write it: "JOHN" as "John", "José" as "Jose"."""
    capitals = name.isupper() and len(name) > 1
    name = "-".join(map(str.capitalize, name.split("-"))) if capitals else name
    return "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c))
