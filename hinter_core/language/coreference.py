"""Coreference: which words of a text stand for the same person or thing.

:class:`SieveResolver` is deterministic: passes of rules over the parses, the surest first
(Raghunathan et al. 2010; Lee et al. 2013), and salience for pronouns (Lappin and Leass 1994). Who
has which occupation says nothing to it about gender.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from hinter_core.errors import ModelError
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
from hinter_core.language.trees import ParsedSentence, with_names_apart
from hinter_core.types import Entity, Mention, Span

VERSION = 18  # part of the identity; raise it when a rule or word list changes


_PASSES = (
    join_names,
    join_appositions,
    join_speakers,
    join_same_nouns,
    join_pronouns,
    join_possessed,
)


class SieveResolver:
    """Resolve by rules; ``identity`` names everything that determines the entities."""

    name = "rules"
    identity = f"rules-{VERSION}"

    def resolve(self, text: str, sentences: Sequence[ParsedSentence]) -> tuple[Entity, ...]:
        """Return the entities of people and of things in the order of their first mentions.

        Every mention is in exactly one entity, which may have no other. ``sentences``: all of
        ``text``, parsed with named entities.
        """
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
    return tuple(ParsedSentence(s, with_names_apart(parsed[s.text])) for s in sentences)


def resolve(text: str, parses: ParseStore) -> tuple[Entity, ...]:
    """Return the entities of a text, by rules."""
    return SieveResolver().resolve(text, parse_text(text, parses))


def _entity(sets: EntitySets, members: Sequence[Phrase]) -> Entity:
    mentions = sorted((Mention(p.span, p.head_span, p.kind) for p in members), key=_place)
    known = sets.of(members[0])
    only_they = all(phrase.form is not None and not phrase.form.gender for phrase in members)
    return Entity(
        mentions=tuple(mentions),
        person=known.person is True or (known.person is None and only_they),
        gender=known.gender_in_words(),
        plural=known.number == PLURAL,
        guessed=known.guessed and not any(p.gender and p.form is None for p in members),
    )


def _place(mention: Mention) -> tuple[int, int]:
    return mention.span[0], -mention.span[1]


Predict = Callable[[str], Sequence[Sequence[Span]]]


class ModelResolver:
    """Resolve with a model that gives clusters of character spans.

    The phrases themselves, and what they say of person, gender and number, are found as for the
    rules, so that all resolvers give the same kind of answer.
    """

    def __init__(self, name: str, identity: str, predict: Predict) -> None:
        self.name = name
        self.identity = identity
        self._predict = predict

    def resolve(self, text: str, sentences: Sequence[ParsedSentence]) -> tuple[Entity, ...]:
        """Return the entities; spans of the model in which no phrase is found are left out."""
        document = read_document(text, sentences)
        sets = EntitySets(document)
        for spans in self._predict(text) if text.strip() else ():
            phrases = [p for span in spans if (p := _phrase(document.phrases, span)) is not None]
            for phrase in phrases[1:]:
                sets.join(phrases[0], phrase)
        return to_entities(sets)


def _phrase(phrases: Sequence[Phrase], span: Span) -> Phrase | None:
    """Return the phrase with its head in a span whose ends differ least from it."""
    inside = [p for p in phrases if span[0] <= p.head_span[0] and p.head_span[1] <= span[1]]
    away = [abs(p.span[0] - span[0]) + abs(p.span[1] - span[1]) for p in inside]
    return inside[away.index(min(away))] if inside else None


Resolver = SieveResolver | ModelResolver


def load_resolver(name: str = "rules") -> Resolver:
    """Return a resolver by name: ``rules``, ``fastcoref`` or ``maverick``.

    Raises:
        ModelError: an unknown name, or a package that is not installed.
    """
    if name == "rules":
        return SieveResolver()
    if name == "fastcoref":
        model = _package("fastcoref", "fastcoref").FCoref(device="cpu")
        return ModelResolver(name, "biu-nlp/f-coref", lambda text: _fastcoref(model, text))
    if name == "maverick":
        model = _package("maverick", "maverick-coref").Maverick(device="cpu")
        return ModelResolver(
            name, "sapienzanlp/maverick-mes-ontonotes", lambda text: _maverick(model, text)
        )
    raise ModelError(f"Unknown coreference resolver '{name}'; use rules, fastcoref or maverick.")


def _package(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ModelError(
            f"The package {package} is not installed ({error}); "
            f"install it with: pip install {package}, or use the resolver 'rules'."
        ) from error


def _fastcoref(model: Any, text: str) -> Sequence[Sequence[Span]]:
    (result,) = model.predict(texts=[text])
    clusters: Sequence[Sequence[Span]] = result.get_clusters(as_strings=False)
    return clusters


def _maverick(model: Any, text: str) -> Sequence[Sequence[Span]]:
    clusters = model.predict(text)["clusters_char_offsets"] or ()
    return [[(start, last + 1) for start, last in cluster] for cluster in clusters]
