"""Pronouns that coreference joined with nobody: whom they can only mean.

Where a text has one person of a gender, *he* in the same or the next sentence is that person,
unless grammar forbids it ("his father", "he saw the man"). Where it has two, it stays open. A
cluster in which the text contradicts itself (a man who is *she*) is two people.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hinter_core.language.people import FEMALE, MALE, PRONOUNS, people_words
from hinter_core.language.trees import ParsedSentence, SentenceTree, tree_of
from hinter_core.types import Entity, Mention, MentionKind, Span

_GENDERS = (FEMALE, MALE)
_ARGUMENTS = ("nsubj", "nsubj:pass", "obj", "iobj", "obl")
_MIXED = "mixed"


def settled(
    text: str, entities: Sequence[Entity], sentences: Sequence[ParsedSentence]
) -> tuple[Entity, ...]:
    """Return the entities with what can mean one person only joined to that person."""
    parts = _with_names(text, [part for entity in entities for part in _parts(text, entity)])
    if any(loose(entity) for entity in parts):
        parts = _Joiner(text, parts, sentences).joined()
    return tuple(sorted(parts, key=lambda entity: entity.mentions[0].span))


def may_be(
    text: str, pronouns: Entity, person: Entity, sentences: Sequence[ParsedSentence]
) -> bool:
    """Whether pronouns that stand alone may speak of a person who is named near them."""
    joiner = _Joiner(text, [], sentences)
    return joiner.near(pronouns, person) and not joiner.barred(pronouns, person)


def says(text: str, mention: Mention) -> str:
    """Return the gender that the words of a mention say by themselves."""
    words = people_words()
    head = text[slice(*mention.head)].lower()
    if mention.kind is MentionKind.PRONOUN:
        form = PRONOUNS.get(head.replace("\u2019", "'"))
        return form.gender if form is not None and form.gender in _GENDERS else ""
    if mention.kind is MentionKind.NOUN:
        return words.nouns.get(head, "")
    before = text[mention.span[0] : mention.head[0]].lower().split()
    titles = (words.titles.get(w.rstrip("."), "") or words.nouns.get(w, "") for w in before)
    name = text[slice(*mention.head)].split()[0]
    return next((g for g in titles if g), "") or words.names.get(name, "")


def _parts(text: str, entity: Entity) -> Iterator[Entity]:
    """Yield an entity, or its parts of one gender each; words of neither go with those before."""
    if entity.gender != _MIXED or not entity.person:
        yield entity
        return
    genders = [says(text, mention) for mention in entity.mentions]
    last = next((gender for gender in genders if gender), "")
    found: dict[str, list[Mention]] = {}
    for mention, gender in zip(entity.mentions, genders, strict=True):
        last = gender or last
        found.setdefault(last, []).append(mention)
    for gender, mentions in found.items():
        yield replace(entity, mentions=tuple(mentions), gender=gender)


def _with_names(text: str, entities: list[Entity]) -> list[Entity]:
    """Join a noun with the name right after it, whatever its parse: "the actor Jane Doe"."""
    named = {
        mention.head[0]: entity
        for entity in entities
        if entity.person
        for mention in entity.mentions
        if mention.kind is MentionKind.NAME
    }
    kept = list(entities)
    for entity in entities if named else ():
        ends = [m.head[1] + 1 for m in entity.mentions if m.kind is MentionKind.NOUN]
        for end in ends if entity.person and not entity.plural and entity in kept else ():
            other = named.get(end)
            if other is None or other is entity or other not in kept or text[end - 1] != " ":
                continue
            if other.plural or {entity.gender, other.gender} == {*_GENDERS}:
                continue
            mentions = _in_order(entity.mentions + other.mentions)
            joined = replace(other, mentions=mentions, gender=other.gender or entity.gender)
            kept[kept.index(other)] = joined
            kept.remove(entity)
            named |= {at: joined for at, one in named.items() if one in (entity, other)}
            break
    return kept


def loose(entity: Entity) -> bool:
    """Whether an entity is one person of whom only pronouns of a gender speak."""
    return (
        entity.person
        and not entity.plural
        and entity.gender in _GENDERS
        and all(mention.kind is MentionKind.PRONOUN for mention in entity.mentions)
    )


class _Joiner:
    """Joins pronouns to the one person whom they can mean."""

    def __init__(
        self, text: str, entities: list[Entity], sentences: Sequence[ParsedSentence]
    ) -> None:
        self._text = text
        self._entities = entities
        self._sentences = sentences
        self._trees: dict[int, SentenceTree] = {}

    def joined(self) -> list[Entity]:
        kept: list[Entity] = [entity for entity in self._entities if not loose(entity)]
        known = [e for e in kept if e.person and not e.plural]
        for entity in filter(loose, self._entities):
            people = [one for one in known if one.gender == entity.gender]
            possible = [one for one in people if not self.barred(entity, one)]
            if len(people) == len(possible) == 1 and self.near(entity, possible[0]):
                one = possible[0]
                together = replace(one, mentions=_in_order(one.mentions + entity.mentions))
                kept[kept.index(one)] = known[known.index(one)] = together
            else:
                kept.append(entity)
                if not people:
                    known.append(entity)
        return kept

    def _number(self, place: int) -> int:
        return bisect_right(self._sentences, place, key=lambda one: one.sentence.start) - 1

    def near(self, pronouns: Entity, person: Entity) -> bool:
        """Whether a person is named before pronouns, in their sentence or the one before it."""
        own = {self._number(m.head[0]) for m in person.mentions}
        first = pronouns.mentions[0]
        if person.mentions[0].span[0] > first.span[0]:
            return False
        places = [self._number(mention.head[0]) for mention in pronouns.mentions]
        return any(place in own or place - 1 in own for place in places)

    def barred(self, pronouns: Entity, person: Entity) -> bool:
        """Whether grammar keeps pronouns and a person apart, in one place at least."""
        for pronoun in pronouns.mentions:
            form = PRONOUNS.get(self._text[slice(*pronoun.head)].lower())
            for mention in person.mentions:
                if _inside(pronoun.head, mention.span):
                    return True
                if self._number(mention.head[0]) != self._number(pronoun.head[0]):
                    continue
                free = form is None or form.case in ("refl", "poss", "abs")
                if (
                    not free
                    and self._clause(pronoun.head) == self._clause(mention.head) is not None
                ):
                    return True
        return False

    def _clause(self, head: Span) -> int | None:
        """Return the verb whose subject or object a word is."""
        number = self._number(head[0])
        if number not in self._trees:
            self._trees[number] = tree_of(self._sentences[number])
        tree = self._trees[number]
        for token, (_, end) in enumerate(tree.parse.spans):
            if tree.start + end == head[1]:
                direct = tree.parse.labels[token] in _ARGUMENTS
                return tree.parse.heads[token] if direct else None
        return None


def _inside(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1] and inner != outer


def _in_order(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    return tuple(sorted(mentions, key=lambda mention: mention.span))
