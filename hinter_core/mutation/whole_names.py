"""Names as readers see them: whole, and one person for all forms of one name.

Coreference reads the words of a parse and takes "Jean" for the name of "Jean-Pierre Dupont". Here a
name has all its words, with a nickname in quotes; and "Mary Ann" is the Mary Ann Jones of the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from zlib import crc32

from hinter_core.language.people import FEMALE, MALE, PRONOUNS, people_words
from hinter_core.storage import shipped_words
from hinter_core.terms.names import BOTH, name_usage
from hinter_core.types import Change, Edit, Entity, Mention, MentionKind, Span

GENDERS = (FEMALE, MALE)
MIXED = "mixed"
SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "esq", "phd", "md"})
_NO_NAMES = frozenset({*PRONOUNS, *"a an the this that these those some our your".split()})
_PARTICLES = frozenset("bin da de del den der di du ibn la le ten van von zu".split())
NAME_WORD = re.compile(r"[^\W\d_](?:[\w'\u2019-]*\w)?")
_HYPHENED = re.compile(r"(?<![\w-])[^\W\d_]\w+(?:-[^\W\d_]\w+)+(?![\w-])")
_MORE = re.compile(rf"(?:(?: (?:{'|'.join(sorted(_PARTICLES))}))* [^\W\d_a-z][\w'\u2019-]*(?!\w))+")
_ELIDED = re.compile(r" [OD]['\u2019][^\W\d_a-z]\w+")  # surnames: "O'Neil"
_INITIALS = re.compile(r"(?:[A-Z]\. ?)*[A-Z]\.?")
_SURNAME = re.compile(r"\.? ([^\W\d_a-z]\w+(?:-\w+)*)")
_HISSING = re.compile(r"(?:[sxz]|[cs]h)$", re.IGNORECASE)
_NEXT = re.compile(r",? ([A-Z][A-Za-z]+)(?!\w)")
_CALLED = re.compile(
    r"""(?:\b(?:you|thanks|bye|hello|hi|morning|evening|sorry|please|yes|no|well|now),
    |\b[Yy]ou(?:\sare|'re|\u2019re|\swere)(?:\ssuch)?)\s$""",
    re.VERBOSE | re.IGNORECASE,
)
_THE = re.compile(r"\bthe\s$", re.IGNORECASE)
_BEHIND = re.compile(r"[^\W\d_a-z][\w'\u2019-]*\.? $")  # where a surname stands
JUNIOR = re.compile(r",? (?:Jr|Sr)\b")  # behind names of men
_AND_AFTER = re.compile(r"\s?&\s?(\w+)")
_AND_BEFORE = re.compile(r"(\w+)\s?&\s?$")
_SOME = re.compile(r"\b(?:an?|no|every)\s(?:[a-z][a-z-]+\s)?$")
_NICKNAME = re.compile(
    r"""\s(?:["\u201c'\u2018]\w[\w'\u2019-]{1,15}(?:\s\w[\w'\u2019-]{1,15})?["\u201d'\u2019]
    |\([^\W\d_a-z]\w{1,15}\))\s[^\W\d_a-z][\w'\u2019-]*\w""",
    re.VERBOSE,
)


def with_whole_names(text: str, entities: Sequence[Entity]) -> list[Entity]:
    """Return the entities with whole names; those that share a name are one."""
    hyphened = [m.span() for m in _HYPHENED.finditer(text) if _capital(m.group())]
    widened = Joined([_widened(text, entity, hyphened) for entity in entities])
    named = _named(widened)
    (_, end), last = named[0] if named else ((0, 0), 0)
    for (start, stop), number in named[1:]:
        if start < end:
            widened.join(last, number)
        if stop > end:
            end, last = stop, number
    widened = Joined([part for entity in widened for part in _apart(text, _without_parts(entity))])
    _join_forms(text, widened)
    return list(widened)


def _named(entities: Joined) -> list[tuple[Span, int]]:
    """Return the names of single people by place, with the numbers of these."""
    return sorted(
        (mention.head, number)
        for number, entity in enumerate(entities.entities)
        if entity.person and not entity.plural
        for mention in entity.mentions
        if mention.kind is MentionKind.NAME
    )


def _capital(name: str) -> bool:
    return all(part[:1].isupper() for part in name.split("-"))


def _widened(text: str, entity: Entity, hyphened: Sequence[Span]) -> Entity:
    """Return a person with whole names, of the gender that these say."""
    if not entity.person or (entity.plural and not _seems_plural(text, entity)):
        return entity
    mentions = tuple(
        replace(m, span=(min(m.span[0], head[0]), max(m.span[1], head[1])), head=head)
        if m.kind is MentionKind.NAME and (head := _whole(text, m, hyphened)) != m.head
        else m
        for m in entity.mentions
    )
    first = name_usage().first
    if (
        mentions == entity.mentions
        and not entity.plural
        and not any(
            m.kind is MentionKind.NAME and text[slice(*m.head)].split()[0] in first
            for m in mentions
        )
    ):
        return entity
    said = {gender for mention in mentions if (gender := says(text, mention))}
    gender = MIXED if len(said) > 1 else next(iter(said), entity.gender)
    return replace(entity, mentions=mentions, gender=gender, plural=False)


def _apart(text: str, entity: Entity) -> Iterator[Entity]:
    """Yield an entity, or its parts if it has two surnames: "Jean-Luc Roux", "Jean-Luc Petit"."""
    names = [
        NAME_WORD.findall(text[slice(*m.head)].lower()) if m.kind is MentionKind.NAME else []
        for m in entity.mentions
    ]
    surnames = {name[-1] for name in names if len(name) > 1 and "-" in name[0]}
    if len(surnames) < 2:
        yield entity
        return
    by_name: dict[str, list[Mention]] = {}
    last = next(name[-1] for name in names if len(name) > 1)
    for name, mention in zip(names, entity.mentions, strict=True):
        last = name[-1] if name and name[-1] in surnames else last
        by_name.setdefault(last, []).append(mention)
    for mentions in by_name.values():
        yield replace(entity, mentions=tuple(mentions))


def _seems_plural(text: str, entity: Entity) -> bool:
    """Whether only a last letter makes the name of one person plural: "Frances Hill"."""
    return all(
        m.kind is MentionKind.NAME
        and name_usage().gender(text[slice(*m.head)].split()[0])
        and not text[m.span[0] : m.head[0]].lower().endswith("the ")
        for m in entity.mentions
    )


def _whole(text: str, mention: Mention, hyphened: Sequence[Span]) -> Span:
    """Return all words of a name, where only some of them were taken for it."""
    start, end = mention.head
    for low, high in hyphened:
        if low < end and start < high and (low < start or end < high):
            start, end = min(low, start), max(high, end)
            if more := _MORE.match(text, end, max(end, mention.span[1])):
                end = more.end()
    before = text[mention.span[0] : start].split()
    if before and all(map(_may_begin, before)):
        start = mention.span[0]
    if more := _NICKNAME.match(text, end) or _ELIDED.match(text, end):
        end = more.end()
    elif more := _SURNAME.match(text, end):
        usage, word = name_usage(), text[start:end]
        listed = usage.gender(word) and usage.of_family(more[1])  # "like Emily Chen a lot"
        end = more.end() if listed or _INITIALS.fullmatch(word) else end
    return start, end


def _may_begin(word: str) -> bool:
    """Whether a word before the head of a name may be a part of it: no title, and no *the*."""
    words, lower = people_words(), word.lower().rstrip(".")
    if lower in words.titles or lower in words.nouns or lower in _NO_NAMES:
        return False
    return lower in _PARTICLES or (_capital(word) and bool(NAME_WORD.fullmatch(word)))


def _without_parts(entity: Entity) -> Entity:
    """Return an entity without names that are a part of another of its names."""
    names = [m.head for m in entity.mentions if m.kind is MentionKind.NAME]
    if len(names) < 2:
        return entity
    kept: dict[Span, Mention] = {}
    for mention in entity.mentions:
        low, high = mention.head
        inside = any(a <= low and high <= b and (a, b) != (low, high) for a, b in names)
        if mention.kind is not MentionKind.NAME or not inside:
            kept.setdefault(mention.head, mention)
    return replace(entity, mentions=tuple(kept.values()))


def _join_forms(text: str, entities: Joined) -> None:
    """Join "Anna", "Mary Ann" and "J. R." with the one person whose longer name begins so."""
    bearers: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for head, number in _named(entities):
        name = tuple(map(str.lower, NAME_WORD.findall(text[slice(*head)])))
        if name:  # "007" has no word
            bearers[name].append((head[0], number))
    by_letter: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for name in bearers:
        by_letter[name[0][0]].append(name)
    for name, places in bearers.items():
        if len(name) == 1 and not name_usage().gender(name[0].title()):
            continue
        longer = [
            one for other in by_letter[name[0][0]] if _begins(other, name) for one in bearers[other]
        ]
        if len(name) > 1:  # equal names are one person's
            longer = longer or places[:1]
        for start, number in places:
            before = [one for one in longer if one[0] <= start]
            if before or len({entities.now(other) for _, other in longer}) == 1:
                entities.join(number, max(before or longer)[1])


def _begins(name: tuple[str, ...], short: tuple[str, ...]) -> bool:
    """Whether a name begins with the words of a shorter one, or their initials."""
    return not SUFFIXES.issuperset(name[len(short) :]) and all(
        word == part or (len(part) == 1 and word[0] == part)
        for word, part in zip(name, short, strict=False)
    )


def says(text: str, mention: Mention) -> str:
    """Return the gender that the words of a mention say by themselves."""
    words = people_words()
    head = text[slice(*mention.head)].lower()
    if mention.kind is MentionKind.PRONOUN:
        form = PRONOUNS.get(head.replace("\u2019", "'"))
        return form.gender if form is not None and form.gender in GENDERS else ""
    if mention.kind is MentionKind.NOUN:
        return words.nouns.get(head, "")
    before = text[mention.span[0] : mention.head[0]].lower().split()
    titles = (words.titles.get(w.rstrip("."), "") or words.nouns.get(w, "") for w in before)
    known = name_usage().said(NAME_WORD.findall(text[slice(*mention.head)]))
    return next((g for g in titles if g), "") or (known if known in GENDERS else "")


def of_a_thing(text: str, places: Sequence[Span]) -> bool:
    """Whether the words of a name at these places name a firm, a place or a figure of speech.

    "John Baker Properties", "the Anna Keller Garden Party", "Johnson & Johnson", "a doubting
    Thomas". Only *the* tells a longer name from a headline ("Anna Keller Wins Prize").
    """
    (start, first), (last, end) = places[0], places[-1]
    before, after = text[:start], _NEXT.match(text, end)
    goes_on = after[1].lower() if after else ""
    if {text[last:end].lower(), goes_on} & shipped_words("grammar")["bearing_names"]:
        return True
    house = text[start:first].lower() in shipped_words("grammar")["bearing_names"]
    if house and not name_usage().gender(text[start:first]):
        return True  # "Hotel Adler"
    if after and after[0][0] == " " and _THE.search(before):
        return goes_on not in SUFFIXES and not after[1].isupper()
    if len(places) > 1:
        return False
    joined = _AND_AFTER.match(text, end) or _AND_BEFORE.search(before)
    both = (text[start:end], joined[1]) if joined else ()
    return not all(map(name_usage().gender, both)) or bool(_SOME.search(before))


def exchanged_names(text: str, edit: Edit) -> tuple[tuple[Span, str], ...]:
    """Return the places where an edit changes a name to another, with the old one's gender."""
    texts = edit.change.texts if isinstance(edit.change, Change) else ()
    both = [(span, text[slice(*span)], new) for span, new in zip(edit.spans, texts, strict=False)]
    both = [
        one for one in both if one[2] not in _surnames() or not _BEHIND.search(text[: one[0][0]])
    ]
    return tuple((span, gender) for span, old, new in both if (gender := _gender(old, new)))


@lru_cache(maxsize=1)
def _surnames() -> frozenset[str]:
    return frozenset(name for names in name_usage().family.values() for name in names)


def _gender(old: str, new: str) -> str:
    """Return the gender of a name that another one replaces; "" if one of them is no name."""
    usage, words = name_usage(), people_words()
    names = [NAME_WORD.match(name) for name in (old, new)]
    if not old[:1].isupper() or None in names:
        return ""
    was, becomes = (match.group().removesuffix("'s").lower() for match in names if match)
    if any(w in words.titles or w in words.nouns or w in PRONOUNS for w in (was, becomes)):
        return ""
    said = usage.gender(becomes.title())
    known = usage.gender(was.title())
    return (known or {MALE: FEMALE, FEMALE: MALE}.get(said, BOTH)) if said else ""


def other_names(text: str, names: Sequence[tuple[Span, str]], variant: int) -> dict[Span, str]:
    """Return other names for those of these genders, by place; of the same origin and no other.

    ``variant``: chooses among them. Without a name for each of them, there are none. An initial
    that the text has ("M. Walsh") stays.
    """
    usage, taken = name_usage(), {*NAME_WORD.findall(text)}
    new: dict[str, str] = {}
    others: dict[Span, str] = {}
    for (start, end), gender in names:
        match = NAME_WORD.match(text, start, end)
        word = match.group() if match else ""
        key = word.lower()
        if key not in new:
            initial = word[:1].upper()
            alike = usage.alike(word, gender, initial if f" {initial}. " in f" {text}" else "")
            free = [name for name in alike if name not in taken]
            if not free:
                return {}
            new[key] = free[(crc32(word.encode()) + variant) % len(free)]
            taken.add(new[key])
        rest = text[start + len(word) : end]
        if rest in ("'", "\u2019") and not new[key].endswith("s"):
            rest += "s"  # James' hat
        others[start, end] = (new[key].upper() if word.isupper() else new[key]) + rest
    return others


def of_no_bearer(text: str, place: Span) -> bool:
    """Whether a word is in such a fixed name as "Tom, Dick and Harry" or "Calvin Klein"."""
    return any(start <= place[0] and place[1] <= end for start, end in _fixed(text))


@lru_cache(maxsize=8)
def _fixed(text: str) -> tuple[Span, ...]:
    return tuple(match.span() for match in name_usage().fixed.finditer(text))


@dataclass(frozen=True, slots=True)
class Renaming:
    """New names by their places in the text; or ``reason`` why they cannot change."""

    texts: dict[Span, str]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Name:
    """A mention by name: its words without suffixes, with their places."""

    person: int
    words: tuple[str, ...]
    places: tuple[Span, ...]

    def with_particles(self, place: Span) -> Span:
        """Return the place of its last word with the small words before it: "van Dyke"."""
        first = len(self.words) - 1
        while first and self.words[first - 1].islower():
            first -= 1
        return (self.places[first][0], place[1]) if self.places[-1] == place else place


def staying(names: Sequence[Name], changed: Iterable[str]) -> str:
    """Return a word of a name that would stay beside new ones: "Thomas Haden Church"."""
    lower = {part for word in changed for part in (word.lower(), *word.lower().split("-"))}
    words = (word for name in names for word in name.words if len(word) > 1 and word[0].isupper())
    return next((word for word in words if word.lower() not in lower), "")


def possessive_in_s(text: str, end: int, old: str, new: str) -> str:
    """Return the possessive of a new name where the old one has an apostrophe: "James' hat"."""
    mark = text[end : end + 1]
    follows = mark and mark in "'\u2019" and re.match(r"\s\w", text[end + 1 : end + 3])
    if not follows or old[-1] not in "sS" or new.endswith("s"):
        return ""
    quoted = re.search(r"(?<!\w)['\u2018]\w[^'\u2019]*$", text[:end])
    return "" if quoted else f"{mark}{'S' if old.isupper() else 's'}"


def families_named(text: str, old: str, new: str) -> dict[Span, str]:
    """Return the names of a family, with the new surname: "the Nowaks", "the Rose family"."""
    plural = f"{new}es" if _HISSING.search(new) else f"{new}s"
    pattern = rf"\bthe\s({re.escape(old)}(?:e?s(?![\w-])|(?=\sfamily\b)))"
    return {
        match.span(1): written.upper() if match[1].isupper() else written
        for match in re.finditer(pattern, text, re.IGNORECASE)
        for written in [new if len(match[1]) == len(old) else plural]
        if match[1][0].isupper()
    }


def with_addressed(text: str, entities: list[Entity]) -> list[Entity]:
    """Join who is spoken to with who was named before: *A boy got up. "Thank you, young man"*.

    Or with whom it is said to. With the one person of this gender, unless that one says it: who
    changes with somebody else of the same gender contradicts nothing.
    """
    joined = Joined(entities)
    for number, entity in enumerate(entities):
        called = any(_is_called(text, mention) for mention in entity.mentions)
        if not called or entity.plural or entity.gender not in GENDERS:
            continue
        alike = [
            n
            for n, one in enumerate(entities)
            if n != number and one.person and not one.plural and one.gender == entity.gender
        ]
        if len(alike) == 1 and _hears(text, entities[alike[0]], entity.mentions[0].head[0]):
            joined.join(alike[0], number)
    return list(joined)


def _is_called(text: str, mention: Mention) -> bool:
    """Whether a noun calls somebody: "Thank you, young man!", "You are a good girl"."""
    start, end = mention.span[0], mention.head[1]
    calls = _CALLED.search(text, max(0, start - 20), start)
    ends = text[end:].lstrip()[:1] in (*",.!?;", "")
    return bool(calls) and ends and mention.kind is MentionKind.NOUN


def _hears(text: str, entity: Entity, place: int) -> bool:
    """Whether what is said at a place may be said to somebody, who says nothing."""
    saying, to = people_words().saying, False
    for mention in entity.mentions:
        start, end = mention.span[0], mention.head[1]
        before = [word.lower() for word in NAME_WORD.findall(text[max(0, start - 20) : start])][-1:]
        after = NAME_WORD.match(text, end + 1)
        if (after and after.group().lower() in saying) or not saying.isdisjoint(before):
            return before == ["told"]
        to = to or before == ["to"]
    return to or entity.mentions[0].head[0] < place


class Joined:
    """Entities that are joined one by one; who is joined keeps the number of the first."""

    def __init__(self, entities: Sequence[Entity]) -> None:
        self.entities = list(entities)
        self._now = list(range(len(entities)))
        self.by_start = {m.head[0]: n for n, e in enumerate(entities) for m in e.mentions}
        self.by_end = {m.head[1]: n for n, e in enumerate(entities) for m in e.mentions}

    def __getitem__(self, number: int) -> Entity:
        return self.entities[self._now[number]]

    def __iter__(self) -> Iterator[Entity]:
        return (self.entities[number] for number in sorted({*self._now}))

    def now(self, number: int) -> int:
        """Return the number of the entity that an entity is joined with."""
        return self._now[number]

    def join(self, first: int, second: int) -> None:
        """Make one person of two, unless what is known of them differs."""
        one, other = self[first], self[second]
        different = {one.gender, other.gender} == {*GENDERS} or one.plural or other.plural
        if one is other or different or MIXED in (one.gender, other.gender):
            return
        kept, gone = sorted((self._now[first], self._now[second]))
        self.entities[kept] = replace(
            one,
            mentions=in_order(one.mentions + other.mentions),
            person=True,
            gender=one.gender or other.gender,
        )
        self._now = [kept if number == gone else number for number in self._now]


def in_order(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Return mentions in the order of the text."""
    return tuple(sorted(mentions, key=lambda mention: mention.span))
