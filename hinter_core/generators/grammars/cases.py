"""Sentences of a grammar as rows, and their plans: each value that may replace another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.files.columns import Columns
from hinter_core.generators.grammars.grammar import (
    ARTICLE,
    CLASSIFICATION,
    MASK,
    Grammar,
    Piece,
    Reference,
    Value,
    as_written,
)
from hinter_core.generators.grammars.sampling import Derivation, Sentences, Structure, Weights
from hinter_core.mutation.edits import article_for, substitution
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.types import (
    MASKED_PLACE,
    Edit,
    GrammaticalForm,
    Origin,
    OriginKind,
    Slot,
    Span,
    Term,
    link,
)

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Filled:
    """A sentence with its words: ``spans`` are the places of the references, with their names."""

    text: str
    spans: tuple[tuple[str, Span], ...]

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The places of all but articles."""
        return tuple(Slot(name, span) for name, span in self.spans if name != ARTICLE)


def fill(
    derivation: Derivation, values: Mapping[str, Value], attributes: Mapping[str, str]
) -> Filled:
    """Return the text of a sentence with these values.

    ``attributes``: the attribute by each of its names.
    """
    chosen = iter(derivation.words)
    pieces: list[tuple[str, bool, str]] = []  # name, capital, text
    for piece in derivation.structure.pieces:
        if isinstance(piece, str):
            pieces.append(("", False, piece))
            continue
        word = ""
        if piece.name == MASK:
            word = MASKED_PLACE
        elif piece.name != ARTICLE:
            attribute = attributes.get(piece.name)
            word = values[attribute].words[piece.name] if attribute else next(chosen)
        word = word[:1].upper() + word[1:] if piece.capital else word
        pieces.append((piece.name, piece.capital, word))
    text, spans = "", []
    for number, (name, capital, word) in enumerate(pieces):
        if name == ARTICLE:
            after = _WORD.search("".join(other for _, _, other in pieces[number + 1 :]))
            word = article_for(after.group()) if after else "a"
            word = word.capitalize() if capital else word
        if name:
            spans.append((name, (len(text), len(text) + len(word))))
        text += word
    return Filled(text, tuple(spans))


@dataclass(frozen=True, slots=True)
class PronounQuestion:
    """Coreference question of a sentence: the antecedents of its pronouns.

    ``pronouns``: their spans in order; all stand for one person. ``antecedents``: the spans of each
    person they may stand for, by name.
    """

    pronouns: tuple[Span, ...]
    antecedents: Mapping[str, tuple[Span, ...]]


def question_of(grammar: Grammar, slots: Iterable[Slot]) -> PronounQuestion:
    """Return the question about a sentence of a coreference grammar, by its slots."""
    spans: dict[str, tuple[Span, ...]] = {}
    for slot in slots:
        spans[slot.name] = (*spans.get(slot.name, ()), slot.span)
    pronouns = sorted(span for name in grammar.pronouns for span in spans.get(name, ()))
    present = {name: spans[name] for name in grammar.antecedents if name in spans}
    return PronounQuestion(tuple(pronouns), present)


def label_of(grammar: Grammar, derivation: Derivation) -> str:
    """Return the label that the grammar gives a sentence; "" if none or several."""
    labels = labels_of(grammar, derivation)
    return labels[0] if len(labels) == 1 else ""


def labels_of(grammar: Grammar, derivation: Derivation) -> list[str]:
    """Return all labels that the rules and words of a sentence have, sorted."""
    named = {*derivation.structure.rules, *derivation.words}
    return sorted({label for key, label in grammar.labels.items() if key in named})


def plan_of(
    grammar: Grammar, derivation: Derivation, settings: Settings, attributes: Sequence[str]
) -> Plan:
    """Return a sentence with all edits of these attributes.

    An edit exchanges a value for another one of its concept, in all places, with its articles.
    """
    names = grammar.attribute_of
    base = fill(derivation, derivation.values, names)
    plan = Plan.of_text(
        base.text,
        settings,
        tuple(attributes),
        origin=Origin(OriginKind.GRAMMAR, grammar.name),
        slots=base.slots,
    )
    for attribute in attributes:
        source = derivation.values.get(attribute)
        if source is None:
            continue
        used = {word.lower() for word in derivation.words}
        edits = []
        for value in grammar.sensitive[attribute]:
            if value is source or value.concept != source.concept:
                continue
            if used.intersection(word.lower() for word in value.words.values()):
                continue  # the word stands for somebody else in this sentence
            other = fill(derivation, {**derivation.values, attribute: value}, names)
            edits.append(_edit(attribute, base, other, source, value))
        plan.edits[attribute] = [edit for edit in edits if edit]
    return plan


def _edit(attribute: str, base: Filled, other: Filled, old: Value, value: Value) -> Edit | None:
    changed = {
        span: other.text[start:end]
        for (_, span), (_, (start, end)) in zip(base.spans, other.spans, strict=True)
        if base.text[slice(*span)] != other.text[start:end]
    }
    source, target = (
        Term(one.title, one.group, GrammaticalForm.ANY, one.concept) for one in (old, value)
    )
    return substitution(attribute, source, target, changed) if changed else None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrammarRow(Row):
    """A sentence of a grammar as a row."""

    derivation: Derivation


@dataclass(frozen=True)
class GrammarTable:
    """Sample of a grammar's sentences as rows, fixed by the seed; all if there are no more."""

    grammar: Grammar
    sentences: int
    seed: int = 0
    weights: Weights = field(default_factory=dict)
    names = ("id", "text", "label")
    columns = Columns("text", "label", "id")

    @cached_property
    def source(self) -> Sentences:
        """All sentences of the grammar."""
        return Sentences(self.grammar, self.weights)

    @property
    def count(self) -> int | None:
        """Number of rows; weights of 0 may leave fewer."""
        return None if self.weights else min(self.sentences, self.source.count)

    def rows(self) -> Iterator[GrammarRow]:
        """Yield the sentences."""
        names = self.grammar.attribute_of
        for number, one in enumerate(islice(self.source.draw(self.seed), self.sentences), start=1):
            text = fill(one, one.values, names).text
            ident = f"{self.grammar.name}-{number}"
            yield GrammarRow(number, ident, text, self._label(one), derivation=one)

    def _label(self, derivation: Derivation) -> str:
        """Return the label; of coreference the link that is meant, as a model's answer gives it."""
        label = label_of(self.grammar, derivation)
        if not label or not self.grammar.pronouns:
            return label
        sentence = fill(derivation, derivation.values, self.grammar.attribute_of)
        question = question_of(self.grammar, sentence.slots)
        spans = sorted((*question.antecedents[label], *question.pronouns))
        return link(sentence.text[slice(*span)] for span in spans)


def load_weights(path: Path) -> Weights:
    """Read weights of words by list or attribute: JSON ``{"occupation": {"nurse": 0.2}}``.

    Raises:
        InputError: it cannot be read or holds something else.
    """
    try:
        values: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}. Check the path.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON; write weights by list, then by word.") from error
    fits = isinstance(values, dict) and all(
        isinstance(words, dict) and all(type(weight) in (int, float) for weight in words.values())
        for words in values.values()
    )
    if not fits:
        raise InputError(
            f'{path} holds no weights; write such as {{"occupation": {{"nurse": 0.2}}}}.'
        )
    return {str(name): dict(words) for name, words in values.items()}


_NAME = re.compile(r"<([A-Za-z][A-Za-z0-9_-]{0,60})>")
_MOST_VALUES = 1_000  # of one attribute


def sentence_of(
    grammar: Grammar, derivation: Derivation, attributes: tuple[str, ...]
) -> tuple[str, dict[str, Any]]:
    """Return a sentence with the names of its sensitive words, and what they stand for, as JSON.

    It can be read without the grammar, and gives the plan that the grammar would give.

    The first value of each attribute is that of the sentence; others are those that may replace it.
    """
    plan = plan_of(grammar, derivation, Settings(), attributes)
    names, words = grammar.attribute_of, iter(derivation.words)
    pieces: list[Piece] = []
    for piece in derivation.structure.pieces:
        if isinstance(piece, Reference) and piece.name not in (ARTICLE, MASK, *names):
            word = next(words)
            pieces.append(word[:1].upper() + word[1:] if piece.capital else word)
        else:
            pieces.append(piece)
    values = {}
    for attribute, source in derivation.values.items():
        targets = {edit.target.text for edit in plan.edits.get(attribute, ())}
        others = (
            value
            for value in grammar.sensitive[attribute]
            if value is not source and value.concept == source.concept and value.title in targets
        )
        values[attribute] = [[one.group, dict(one.words), one.concept] for one in (source, *others)]
    return as_written(pieces), {"grammar": grammar.name, "attributes": values}


def is_sentence(text: str, details: Mapping[str, Any]) -> bool:
    """Whether a text has a name of the values that stand beside it."""
    names = {name for values in details.get("attributes", {}).values() for name in values[0][1]}
    return any(match[1].lower() in names for match in _NAME.finditer(text))


def sentence_plan(text: str, details: Mapping[str, Any], settings: Settings) -> Plan:
    """Return the plan of a sentence as :func:`sentence_of` writes it.

    Raises:
        InputError: the values do not have that form, or the text has other names.
    """
    try:
        values = {
            str(attribute): tuple(map(_value, listed[:_MOST_VALUES]))
            for attribute, listed in details["attributes"].items()
        }
        same = all(
            set(one.words) == set(alternatives[0].words)
            for alternatives in values.values()
            for one in alternatives
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError("its values are damaged") from error
    if not same:
        raise InputError("its values have different names")
    name = str(details.get("grammar", ""))[:100]
    grammar = Grammar(name, "", CLASSIFICATION, "", {}, values, {})
    structure = Structure(_pieces(text, grammar), frozenset(), 1.0, (), (), {})
    used = Derivation(
        structure, (), {name: alternatives[0] for name, alternatives in values.items()}
    )
    return plan_of(grammar, used, settings, tuple(values))


def _value(listed: Any) -> Value:
    group, words, concept = listed
    if not words:
        raise ValueError
    return Value(str(group), {str(k): str(v) for k, v in words.items()}, str(concept))


def _pieces(text: str, grammar: Grammar) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    names, at = {ARTICLE, MASK, *grammar.attribute_of}, 0
    for match in _NAME.finditer(text):
        name = match[1].lower()
        if name not in names:
            there = ", ".join(sorted(names))
            raise InputError(f"<{match[1]}> is none of its words; it has {there}")
        pieces += [text[at : match.start()], Reference(name, match[1][0].isupper())]
        at = match.end()
    return (*pieces, text[at:])
