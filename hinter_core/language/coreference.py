"""Coreference: which words of a text stand for the same person or thing.

:class:`SieveResolver` is deterministic: passes of rules over the parses, the surest first
(Raghunathan et al. 2010; Lee et al. 2013), and salience for pronouns (Lappin and Leass 1994). Who
has which occupation says nothing to it about gender.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hinter_core.language.antecedents import (
    EntitySets,
    join_appositions,
    join_names,
    join_possessed,
    join_same_nouns,
    join_speakers,
)
from hinter_core.language.mentions import Phrase, read_document
from hinter_core.language.parsing import ParseStore
from hinter_core.language.people import PLURAL
from hinter_core.language.pronouns import join_pronouns
from hinter_core.language.sentences import split_sentences
from hinter_core.language.trees import ParsedSentence
from hinter_core.types import Entity, Mention

VERSION = 5  # part of the identity; raise it when a rule or word list changes


_PASSES = (
    join_names,
    join_appositions,
    join_speakers,
    join_same_nouns,
    join_pronouns,
    join_possessed,
)


class Resolver(Protocol):
    """Finds the entities of a text; ``identity`` names everything that determines them."""

    name: str
    identity: str

    def resolve(self, text: str, sentences: Sequence[ParsedSentence]) -> tuple[Entity, ...]:
        """Return the entities in the order of their first mentions.

        Every mention is in exactly one entity. ``sentences``: all of ``text``, parsed with named
        entities. An entity may have a single mention.
        """


class SieveResolver:
    """Resolve by rules."""

    name = "rules"
    identity = f"rules-{VERSION}"

    def resolve(self, text: str, sentences: Sequence[ParsedSentence]) -> tuple[Entity, ...]:
        """Return the entities of people and of things."""
        document = read_document(text, sentences)
        sets = EntitySets(document)
        for join in _PASSES:
            join(sets)
        return to_entities(sets)


def to_entities(sets: EntitySets) -> tuple[Entity, ...]:
    """Return the entities of joined phrases in the order of their first mentions."""
    entities = [_entity(sets, members) for members in sets.groups()]
    return tuple(sorted(entities, key=lambda e: _place(e.mentions[0])))


def parse_text(text: str, parses: ParseStore) -> tuple[ParsedSentence, ...]:
    """Split a text and parse its sentences with named entities."""
    sentences = split_sentences(text)
    parsed = parses.parse((s.text for s in sentences), entities=True)
    return tuple(ParsedSentence(s, parsed[s.text]) for s in sentences)


def resolve(text: str, parses: ParseStore, resolver: Resolver | None = None) -> tuple[Entity, ...]:
    """Return the entities of a text, by rules unless another resolver is given."""
    return (resolver or SieveResolver()).resolve(text, parse_text(text, parses))


def _entity(sets: EntitySets, members: Sequence[Phrase]) -> Entity:
    mentions = sorted((Mention(p.span, p.head_span, p.kind) for p in members), key=_place)
    known = sets.of(members[0])
    return Entity(
        mentions=tuple(mentions),
        person=known.person is True or (known.person is None and _only_they(members)),
        gender=known.gender_in_words(),
        plural=known.number == PLURAL,
    )


def _only_they(members: Sequence[Phrase]) -> bool:
    return all(phrase.form is not None and not phrase.form.gender for phrase in members)


def _place(mention: Mention) -> tuple[int, int]:
    return mention.span[0], -mention.span[1]
