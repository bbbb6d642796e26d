"""Resolvers by name: the rules, or a neural model that the user has installed.

A model says which phrases belong together. The phrases themselves, and what they say of person,
gender and number, are found as for the rules, so that all resolvers give the same kind of answer.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.language.antecedents import EntitySets
from hinter_core.language.coreference import Resolver, SieveResolver, to_entities
from hinter_core.language.mentions import Phrase, read_document
from hinter_core.language.trees import ParsedSentence
from hinter_core.types import Entity, Span

Predict = Callable[[str], Sequence[Sequence[Span]]]


class ModelResolver:
    """Resolve with a model that gives clusters of character spans."""

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
