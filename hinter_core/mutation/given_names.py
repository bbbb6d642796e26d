"""Given names of the people whom an edit changes: every mention of a name changes, or none.

"Anna Keller ... Anna ... Ms Keller" becomes "Alan Keller ... Alan ... Mr Keller". Surnames stay.
The new name is of the old one's origin and has its initial, so that "A. Keller" still fits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from zlib import crc32

from hinter_core.language.people import FEMALE, MALE, PRONOUNS, people_words
from hinter_core.language.reading.view import with_pieces
from hinter_core.mutation.edits import OVERLAP, rewritten, splices_of, texts_of, with_texts
from hinter_core.mutation.people import People
from hinter_core.mutation.whole_names import (
    JUNIOR,
    NAME_WORD,
    SUFFIXES,
    Name,
    Renaming,
    exchanged_names,
    families_named,
    of_a_thing,
    of_no_bearer,
    possessive_in_s,
    staying,
)
from hinter_core.storage import shipped_words
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.names import (
    ANYWHERE,
    BOTH,
    FAMILY,
    GENDERS,
    NameUsage,
    country_of,
    name_usage,
    words_of_countries,
)
from hinter_core.types import (
    Change,
    Edit,
    Entity,
    GrammaticalForm,
    MentionKind,
    Pair,
    RejectedEdit,
    Span,
    Term,
)

ORIGIN = ("race", "nationality")
_NEXT = re.compile(r",? (?:and )?")
_OPEN = "\u2026"  # in place of the new name, where there is none
NAME = GrammaticalForm.NAME
_OF_A_GROUP = 3  # names of a group in place of one


def with_names_of_origin(
    text: str,
    dictionaries: Sequence[Dictionary],
    edits: dict[str, list[Edit]],
    people: People,
) -> list[RejectedEdit]:
    """Change the names of whom an edit of race or nationality changes, too; return what is not.

    Of whom only a name says the origin or the gender, the name alone changes (BiasFinder, section
    4.2). With a change of gender, a name says both.
    """
    names = GivenNames(text, people.entities)
    refused: list[RejectedEdit] = []
    if any(dictionary.attribute == "gender" for dictionary in dictionaries):
        known = {person for edit in edits.get("gender", ()) for person in people.of_edit(edit)}
        if by_name := [*filter(None, map(names.of_other_gender, sorted(names.bearers - known)))]:
            edits["gender"] = [*edits.get("gender", ()), *by_name]
    for dictionary in dictionaries:
        if (attribute := dictionary.attribute) not in ORIGIN:
            continue
        made: list[Edit] = []
        genders = edits.get("gender", ())
        told: set[int] = set()
        for edit in edits.pop(attribute, ()):
            named = sorted(people.of_edit(edit) & names.bearers)
            told.update(named)
            country = country_of(edit.target.text)
            if not named or country == country_of(edit.source.text) is not None:
                made.append(edit)
                continue
            if country is None:
                refused.append(RejectedEdit(edit, "no list has names of these people"))
                continue
            renaming = names.of_origin(named, country)
            texts = texts_of(splices_of(text, edit))
            renamed = rewritten(text, edit, texts | renaming.texts)
            if renaming.reason or renamed is None:
                refused.append(RejectedEdit(edit, renaming.reason or OVERLAP))
                continue
            made.append(_with_gender(text, renamed, names, named, country, genders))
        alone = sorted(names.bearers - told)
        peoples = words_of_countries(dictionary) if alone else {}
        for family in names.families(alone, peoples):
            renamings, not_made = names.of_other_origins(family, attribute, peoples)
            made += (_with_gender(text, e, names, family, of, genders) for of, e in renamings)
            refused += not_made
        if made:
            edits[attribute] = made
    return refused


def only_names_tell(text: str, people: People, attributes: Iterable[str]) -> bool:
    """Whether one of the attributes is told by a given name that the lists have."""
    if not {"gender", *ORIGIN}.intersection(attributes):
        return False
    names = GivenNames(text, people.entities)
    given = (word for person in names.bearers for word in names.of(person))
    return any(name_usage().gender(word) in GENDERS for word in given)


def _with_gender(
    text: str,
    edit: Edit,
    names: GivenNames,
    people: Collection[int],
    country: str,
    others: Iterable[Edit],
) -> Edit:
    """Return an edit of names that knows them together with each change of gender."""
    assert isinstance(edit.change, Change)
    joint: dict[str, tuple[str, ...]] = {}
    texts = dict(zip(edit.spans, edit.change.texts, strict=True))
    for other in others:
        genders = {
            names.at(span): name_usage().gender(NAME_WORD.findall(new)[0])
            for (span, _) in exchanged_names(text, other)
            if isinstance(other.change, Change) and span in texts
            for new in [other.change.texts[other.spans.index(span)]]
        }
        if genders and other.target.text not in joint:
            both = texts | names.of_origin(people, country, genders).texts
            joint[other.target.text] = tuple(both[span] for span in edit.spans)
    return replace(edit, change=replace(edit.change, joint=tuple(joint.items())))


class GivenNames:
    """The given names in a text, by the numbers of the entities that bear them."""

    def __init__(self, text: str, entities: Sequence[Entity]) -> None:
        self._text = text
        self._entities = entities
        self._usage: NameUsage = name_usage()

    def renamed(self, people: Collection[int], wanted: str) -> Renaming:
        """Give people names of another gender; one of no list and no known people stays."""
        texts: dict[Span, str] = {}
        taken = set(self._taken)
        for person in sorted(people):
            names = self._names_of(person)
            new: dict[str, str] = {}
            for word in sorted(self.of(person), key=lambda one: "-" not in one):
                whole = next((old for old in new if word.lower() in old.split("-")), "")
                country = self._usage.origin(word, self.surnames_of(person))
                if country is None or not (whole or self._contradicts(word, names, wanted)):
                    continue
                # "Anna", of Anna-Maria, is called by the new name, too.
                fitting = new.get(whole) or self._usage.instead(word, wanted, taken, country)
                if why := self._refused(word, fitting, names):
                    return Renaming({}, why)
                new[word.lower()] = fitting
                taken.add(fitting)
                places = dict(self._places(word, fitting, {person}))
                if "" in places.values():
                    return Renaming({}, f"it is open who is meant by \u201c{word}\u201d")
                texts |= places
        return Renaming(texts)

    def _refused(self, word: str, fitting: str, names: Sequence[Name]) -> str:
        """Return why a given name cannot become another one, or ""."""
        if short := self._also_called(word):
            return f"the text also calls \u201c{word}\u201d \u201c{short}\u201d"
        if not fitting:
            return f"no other name stands in for \u201c{word}\u201d"
        initial = word[0].upper()
        written = next((" ".join(n.words) for n in names if initial in n.words), "")
        if fitting[0] != initial and written:
            return f"no other name with the initial of \u201c{written}\u201d fits"
        man = any(JUNIOR.match(self._text, name.places[-1][1]) for name in names)
        if man and self._usage.gender(fitting) != MALE:
            return "a name with Jr or Sr is a man's"
        return ""

    def _contradicts(self, word: str, of_person: Sequence[Name], wanted: str) -> bool:
        names = (name.words[name.words.index(word) :] for name in of_person if word in name.words)
        known = next((g for g in map(self._usage.said, names) if g), "")
        return known not in (wanted, BOTH)

    def of_origin(
        self, people: Collection[int], country: str, genders: Mapping[int, str] | None = None
    ) -> Renaming:
        """Give people names of a country: given names, of a gender or their own, and surnames.

        Those who share a surname share the new one.
        """
        texts: dict[Span, str] = {}
        taken, surnames = set(self._taken), dict[str, str]()
        for person in sorted(people):
            names = self._names_of(person)
            given, gender = self.of(person), (genders or {}).get(person, "")
            said = next((g for n in names if (g := self._usage.said(n.words)) in GENDERS), "")
            wanted = gender or said or self._entities[person].gender
            if any(self._usage.gender(word) == BOTH for word in given) or wanted not in GENDERS:
                wanted = gender or BOTH
            changed = [*given, *self.surnames_of(person)]
            if stays := staying(names, changed):
                return Renaming({}, f"no other name stands in for \u201c{stays}\u201d")
            for word in changed:
                kind = wanted if word in given else FAMILY
                if kind == BOTH and not gender and (country, BOTH) not in self._usage.given:
                    return Renaming({}, f"\u201c{word}\u201d is a name of no one gender")
                fitting = surnames.get(word.lower()) if kind == FAMILY else None
                fitting = fitting or self._usage.of_country(word, country, kind, taken)
                of = people if kind == FAMILY else {person}
                places = dict(self._places(word, fitting, of))
                if not fitting or "" in places.values():
                    return Renaming({}, f"no other name stands in for \u201c{word}\u201d")
                taken.add(fitting)
                if kind == FAMILY:
                    surnames[word.lower()] = fitting
                    ends = {name.places[-1]: name for name in self._names if name.person in of}
                    places = {
                        ends[at].with_particles(at) if at in ends else at: new
                        for at, new in places.items()
                    } | families_named(self._text, word, fitting)
                texts |= places
        return Renaming(texts)

    def families(self, people: Iterable[int], peoples: Mapping[str, Term]) -> list[list[int]]:
        """Return the people in groups that share a surname and are not of different peoples."""
        families: dict[tuple[str, str], list[int]] = {}
        known = {person: self._people_of(person, peoples)[1] for person in people}
        for person, old in sorted(known.items(), key=lambda one: (one[1] is None, one[0])):
            surname = next(iter(self.surnames_of(person)), "").lower()
            group = old.group if old else next((g for n, g in families if n == surname), "")
            key = (surname, group) if surname and group else (str(person), "")
            families.setdefault(key, []).append(person)
        return list(families.values())

    def of_other_gender(self, person: int) -> Edit | None:
        """Return the change of a name to one of the other gender; None if words tell the gender."""
        words = (self._text[slice(*m.head)].lower() for m in self._entities[person].mentions)
        if any(word in PRONOUNS and PRONOUNS[word].gender for word in words):
            return None
        gender = self._said(person)
        other = {MALE: FEMALE, FEMALE: MALE}.get(gender, "")
        texts = self.renamed([person], other).texts if other else {}
        old, new = Term("", gender), Term("", other)
        return self._edit(person, texts, "gender", old, new) if texts else None

    def of_other_origins(
        self, family: Sequence[int], attribute: str, peoples: Mapping[str, Term]
    ) -> tuple[list[tuple[str, Edit]], list[RejectedEdit]]:
        """Return the changes of the names of a family to those of other groups, with countries.

        Where there are none, return why.
        """
        person = family[0]
        name, old, why = self._people_of(person, peoples)
        made: list[tuple[str, Edit]] = []
        of_group: Counter[str] = Counter()
        # Groups of many countries, such as white, would outnumber the others.
        for country, new in sorted(
            peoples.items() if old else (), key=lambda one: crc32(f"{name} {one[0]}".encode())
        ):
            if old is None or new.group == old.group or of_group[new.group] == _OF_A_GROUP:
                continue
            renaming = self.of_origin(family, country)
            why = why or renaming.reason
            if renaming.texts:
                of_group[new.group] += 1
                made.append((country, self._edit(person, renaming.texts, attribute, old, new)))
        if made or not why:
            return made, []
        place, whole = self.longest(person)
        change = Pair(attribute, Term(whole, "", NAME), Term(_OPEN, "", NAME))
        return [], [RejectedEdit(Edit(change, (place,)), why)]

    def _people_of(self, person: int, peoples: Mapping[str, Term]) -> tuple[str, Term | None, str]:
        """Return a name that tells a person's people and the word for these, or why none does.

        Beside a given name that is usual everywhere, such as an English one, the surname tells it:
        that of "Emily Chen" is Chinese. A nationality is told by given names only.
        """
        usage, names = self._usage, self._names_of(person)
        given = next((word for word in self.of(person) if usage.gender(word)), "")
        known = peoples.get(usage.country(given)) if given else None
        whole = any(len(n.words) > 1 or n.words[0] in self._surnames for n in names)
        surname = next(iter(self.surnames_of(person) if whole else ()), "")
        of_family = usage.of_family(surname)
        said = {peoples[of].group: peoples[of] for of in sorted(of_family & {*peoples})}
        anywhere = usage.country(given) in (ANYWHERE, *usage.anywhere) and ANYWHERE in peoples
        if known and known.group in said and (len(said) == 1 or usage.country(given)):
            return given, known, ""
        if said and anywhere:
            several = f"\u201c{surname}\u201d is a surname of several peoples"
            (first, *others) = said.values()
            return (surname, None, several) if others else (surname, first, "")
        if known and said and ANYWHERE not in of_family:
            both = f"\u201c{given}\u201d and \u201c{surname}\u201d"
            return given, None, f"{both} are names of different peoples"
        return given, known, ""

    def _said(self, person: int) -> str:
        """Return the gender that a person's names say; "" if none, or both."""
        said = {self._usage.said(n.words) for n in self._names if n.person == person} - {""}
        return said.pop() if len(said) == 1 else ""

    def _edit(
        self, person: int, texts: Mapping[Span, str], attribute: str, old: Term, new: Term
    ) -> Edit:
        """Return an edit whose terms are a person's longest name and the one in its place.

        Their concepts are the words for the peoples that the names are of.
        """
        (start, end), name = self.longest(person)
        inside = ((a - start, b - start, new) for (a, b), new in sorted(texts.items())
                  if start <= a and b <= end)  # fmt: skip
        named = ((name, old), (with_pieces(name, inside).text, new))
        source, target = (Term(n, of.group, NAME, of.text) for n, of in named)
        return with_texts(Edit(Pair(attribute, source, target), ()), texts)

    def longest(self, person: int) -> tuple[Span, str]:
        """Return the place and the words of a person's longest name."""
        longest = max(self._names_of(person), key=lambda name: len(name.words))
        start, end = longest.places[0][0], longest.places[-1][1]
        return (start, end), self._text[start:end]

    def _names_of(self, person: int) -> list[Name]:
        return [name for name in self._names if name.person == person]

    def surnames_of(self, person: int) -> list[str]:
        """Return the surnames of a person."""
        lower = {word.lower() for word in self.of(person)}
        last = (name.words[-1] for name in self._names_of(person))
        surnames = {w.lower(): w for w in last if len(w) > 1 and w.lower() not in lower}
        return list(surnames.values())

    def at(self, place: Span) -> int:
        """Return whose name has a word at a place."""
        return next((name.person for name in self._names if place in name.places), -1)

    def after(self, place: int) -> Iterator[int]:
        """Yield whom the names right after a place name: "the brothers Al, Bo and Cy"."""
        starts = {name.places[0][0]: name for name in self._names}
        while joined := _NEXT.match(self._text, place):
            name = starts.get(joined.end())
            if name is None:
                return
            yield name.person
            yield from self._joined_at(name.places[0][0])
            place = name.places[-1][1]

    def _joined_at(self, place: int) -> Iterator[int]:
        """Yield the people of whom the first is named at a place: "Al and Bo"."""
        for number, entity in enumerate(self._entities):
            if entity.plural and any(m.span[0] == place for m in entity.mentions):
                yield number

    @cached_property
    def bearers(self) -> frozenset[int]:
        """Return the numbers of single people with a name."""
        return frozenset(n.person for n in self._names if not self._entities[n.person].plural)

    def of(self, person: int) -> list[str]:
        """Return the given names of a person, each in one spelling."""
        given = (word for name in self._names_of(person) for word in self._given(name))
        return list({word.lower(): word for word in given}.values())

    def unlisted(self, person: int) -> bool:
        """Whether a person's given name is on no list; a name alone is one if no surname."""
        names = (name.words for name in self._names_of(person))
        alone = {words[0] for words in names if len(words) == 1 and len(words[0]) > 1}
        given = self.of(person) or [
            w for w in alone - self._surnames if w.istitle() and not self._usage.of_family(w)
        ]
        return not all(map(self._usage.gender, given))

    @cached_property
    def _names(self) -> list[Name]:
        return [
            name
            for number, entity in enumerate(self._entities)
            if entity.person
            for mention in entity.mentions
            if mention.kind is MentionKind.NAME and (name := self._read(number, mention.head))
        ]

    def _read(self, person: int, head: Span) -> Name | None:
        words = [
            (match.group(), (head[0] + match.start(), head[0] + match.end()))
            for match in NAME_WORD.finditer(self._text[slice(*head)])
        ]
        words = [(w, at) for w, at in words if w.lower() not in SUFFIXES]
        return Name(person, *zip(*words, strict=True)) if words else None

    @cached_property
    def _taken(self) -> frozenset[str]:
        return frozenset(NAME_WORD.findall(self._text))

    def _given(self, name: Name) -> Iterator[str]:
        """Yield the given names among the words of a name."""
        words = people_words()
        if len(name.words) == 1:
            (word,) = name.words
            full = [one.words for one in self._names if len(one.words) > 1]
            surname = any(one[-1] == word for one in full) or word in self._surnames
            if self._usage.gender(word) and (not surname or any(one[0] == word for one in full)):
                yield word
            return
        first = True  # or the second part of a first one: "Jean Michel"
        last = len(name.words) - (not self._usage.twofold(name.words))
        for word in name.words[:last]:
            lower = word.lower()
            if len(word) == 1 or not word[0].isupper():
                first = first and len(word) == 1
                continue
            if lower in words.titles or words.person_noun(lower):
                continue
            known = self._usage.gender(word)
            if not known and lower in shipped_words("grammar")["when"]:  # "Monday Anna Keller left"
                continue
            if known or (first and any(map(str.islower, word))):
                yield word
            first = word in self._usage.first

    @cached_property
    def _surnames(self) -> frozenset[str]:
        """Return the single names that stand behind such a title as "Mr"."""
        titles = people_words().surname_titles
        behind = (
            (name, re.search(r"(\w+)\.?\s$", self._text[: name.places[0][0]]))
            for name in self._names
            if len(name.words) == 1
        )
        return frozenset(
            name.words[0] for name, title in behind if title and title[1].lower() in titles
        )

    def _also_called(self, word: str) -> str:
        """Return a short form of a name, or what it is short for, that somebody bears here."""
        borne = {name.words[0] for name in self._names}
        return next(iter(sorted(self._usage.short.get(word, frozenset()) & borne)), "")

    def _places(self, word: str, new: str, people: Collection[int]) -> Iterator[tuple[Span, str]]:
        """Yield all places where a name of people stands, unless it is another's there.

        Where another person has the name, too, a place of neither has no text.
        """
        others = self._of_others(word, people)
        ordinary = word in people_words().places  # "Will", "Rose", "Paris"
        places = {at for name in self._names if name.person in people for at in name.places}
        pattern = rf"(?<![\w@#-]){re.escape(word)}(?![\w@-]|['\u2019]t\b)"
        for match in re.finditer(pattern, self._text, re.IGNORECASE):
            start, end = match.span()
            surely = (start, end) in places
            if (start, end) in others or (not surely and (ordinary or match.group().islower())):
                continue
            if self._of_a_thing((start, end)):
                continue
            written = new.upper() if match.group().isupper() else new
            if possessive := possessive_in_s(self._text, end, match.group(), new):
                end, written = end + 1, written + possessive
            yield (start, end), written if surely or not others else ""

    def _of_a_thing(self, place: Span) -> bool:
        whole = next((name for name in self._names if place in name.places), None)
        if whole is None:
            return of_a_thing(self._text, (place,))
        mentions = self._entities[whole.person].mentions
        only_named = all(mention.kind is MentionKind.NAME for mention in mentions)
        fixed = only_named and of_no_bearer(self._text, place)
        return fixed or of_a_thing(self._text, whole.places)

    def _of_others(self, word: str, people: Collection[int]) -> set[Span]:
        """Return the places of a word in names of other people, and of places, firms and works."""
        places: set[Span] = set()
        for number, entity in enumerate(self._entities):
            if number in people:
                continue
            for mention in entity.mentions:
                if (
                    mention.kind is MentionKind.NAME
                    and word.lower() in self._text[slice(*mention.head)].lower()
                ):
                    name = self._read(number, mention.head)
                    places.update(name.places if name else ())
        return places
