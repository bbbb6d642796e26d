"""Given names of the people whom an edit changes: every mention of a name changes, or none.

"Anna Keller ... Anna ... Ms Keller" becomes "Alan Keller ... Alan ... Mr Keller". Surnames stay.
The new name is of the old one's country and has its initial, so that "A. Keller" still fits.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from hinter_core.language.people import people_words
from hinter_core.terms.names import BOTH, GENDERS, NameUsage, name_usage
from hinter_core.types import Entity, Mention, MentionKind, Span

_WORD = re.compile(r"[^\W\d_](?:[\w'\u2019-]*\w)?")
_NEXT = re.compile(r",? (?:and )?")
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "esq", "phd", "md"})


@dataclass(frozen=True, slots=True)
class Renaming:
    """New names by their places in the text; or ``reason`` why they cannot change."""

    texts: dict[Span, str]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Name:
    """A mention by name: its words without suffixes, with their places."""

    person: int
    words: tuple[str, ...]
    places: tuple[Span, ...]


class GivenNames:
    """The given names in a text, by the numbers of the entities that bear them."""

    def __init__(self, text: str, entities: Sequence[Entity]) -> None:
        self._text = text
        self._entities = entities
        self._usage: NameUsage = name_usage()

    def renamed(self, people: Collection[int], wanted: str) -> Renaming:
        """Give people names of another gender."""
        texts: dict[Span, str] = {}
        new: dict[str, str] = {}
        for person in sorted(people):
            own = [name for name in self._names if name.person == person]
            for word in self.of(person):
                if not self._contradicts(word, wanted):
                    continue
                if short := self._also_called(word):
                    return Renaming(
                        {}, f"the text also calls \u201c{word}\u201d \u201c{short}\u201d"
                    )
                taken = self._taken | {*new.values()}
                fitting = self._usage.instead(word, wanted, taken)
                if not fitting:
                    return Renaming({}, f"no other name stands in for \u201c{word}\u201d")
                if fitting[0] != word[0] and (initials := self._initials(own, word[0])):
                    return Renaming(
                        {}, f"no other name with the initial of \u201c{initials}\u201d fits"
                    )
                new[word] = fitting
                texts |= dict(self._places(word, fitting, person))
        return Renaming(texts)

    def _contradicts(self, word: str, wanted: str) -> bool:
        known = self._usage.gender(word)
        # Of a name that no list has, a reader may know more.
        return known not in (wanted, BOTH) if wanted != BOTH else known in GENDERS

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

    def of(self, person: int) -> list[str]:
        """Return the given names of a person."""
        own = (name for name in self._names if name.person == person)
        return list(dict.fromkeys(word for name in own for word in self._given(name)))

    @cached_property
    def _names(self) -> list[_Name]:
        return [
            name
            for number, entity in enumerate(self._entities)
            if entity.person
            for mention in entity.mentions
            if mention.kind is MentionKind.NAME
            and (name := self._read(number, self._whole(mention)))
        ]

    def _whole(self, mention: Mention) -> Span:
        """Return all words of a name, where only its last ones were taken for it."""
        before = self._text[mention.span[0] : mention.head[0]].split()
        words = people_words()
        plain = (w.isalpha() and w.istitle() and w.lower() not in words.nouns for w in before)
        first = before[0].lower() if before else ""
        if before and all(plain) and first not in words.titles:
            return mention.span[0], mention.head[1]
        return mention.head

    def _read(self, person: int, head: Span) -> _Name | None:
        found = [
            (match.group(), (head[0] + match.start(), head[0] + match.end()))
            for match in _WORD.finditer(self._text[slice(*head)])
        ]
        found = [(w, at) for w, at in found if w.lower() not in _SUFFIXES]
        return _Name(person, *zip(*found, strict=True)) if found else None

    @cached_property
    def _surnames(self) -> frozenset[str]:
        return frozenset(name.words[-1] for name in self._names if len(name.words) > 1)

    @cached_property
    def _taken(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self._text))

    def _given(self, name: _Name) -> Iterator[str]:
        """Yield the given names among the words of a name."""
        words = people_words()
        if len(name.words) == 1:
            (word,) = name.words
            if self._usage.gender(word) and (word not in self._surnames or word in self._firsts):
                yield word
            return
        first = True
        for word in name.words[:-1]:
            lower = word.lower()
            if len(word) == 1 or not word[0].isupper():
                first = first and len(word) == 1
                continue
            if lower in words.titles or words.person_noun(lower):
                continue
            if self._usage.gender(word) or (first and any(map(str.islower, word))):
                yield word
            first = False

    @cached_property
    def _firsts(self) -> frozenset[str]:
        return frozenset(name.words[0] for name in self._names if len(name.words) > 1)

    def _also_called(self, word: str) -> str:
        """Return a short form of a name, or what it is short for, that somebody bears here."""
        borne = {name.words[0] for name in self._names}
        return next(iter(sorted(self._usage.short.get(word, frozenset()) & borne)), "")

    def _initials(self, own: Sequence[_Name], initial: str) -> str:
        return next((" ".join(n.words) for n in own if n.words[0] == initial), "")

    def _places(self, word: str, new: str, person: int) -> Iterator[tuple[Span, str]]:
        """Yield all places where a person's given name stands, unless it is another's there."""
        others = self._of_others(word, person)
        ordinary = word in people_words().places  # "Will", "Rose", "Paris"
        own = {at for name in self._names if name.person == person for at in name.places}
        pattern = rf"(?<![\w@#-])(?:{re.escape(word)}|{re.escape(word.upper())})(?![\w@-])"
        for match in re.finditer(pattern, self._text):
            if match.span() in others or (ordinary and match.span() not in own):
                continue
            yield match.span(), new.upper() if match.group().isupper() else new

    def _of_others(self, word: str, person: int) -> set[Span]:
        """Return the places of a word in names of other people, and of places, firms and works."""
        found: set[Span] = set()
        for number, entity in enumerate(self._entities):
            if number == person:
                continue
            for mention in entity.mentions:
                if mention.kind is MentionKind.NAME and word in self._text[slice(*mention.head)]:
                    name = self._read(number, mention.head)
                    found.update(name.places if name else ())
        return found
