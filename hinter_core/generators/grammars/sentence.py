"""One sentence of a grammar by itself: with the names of its sensitive words, and their values.

It can be read without the grammar, and gives the plan that the grammar would give.
"""

import re
from collections.abc import Mapping
from typing import Any

from hinter_core.errors import InputError
from hinter_core.generators.grammars.cases import plan_of
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
from hinter_core.generators.grammars.sampling import Derivation, Structure
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings

_NAME = re.compile(r"<([A-Za-z][A-Za-z0-9_-]{0,60})>")
_MOST_VALUES = 1_000  # of one attribute


def sentence_of(
    grammar: Grammar, derivation: Derivation, attributes: tuple[str, ...]
) -> tuple[str, dict[str, Any]]:
    """Return a sentence with the names of its sensitive words, and what they stand for, as JSON.

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
    for attribute, own in derivation.values.items():
        targets = {edit.target.text for edit in plan.edits.get(attribute, ())}
        others = (
            value
            for value in grammar.sensitive[attribute]
            if value is not own and value.concept == own.concept and value.title in targets
        )
        values[attribute] = [[one.group, dict(one.words), one.concept] for one in (own, *others)]
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
        same = all(set(one.words) == set(own[0].words) for own in values.values() for one in own)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError("its values are damaged") from error
    if not same:
        raise InputError("its values have different names")
    name = str(details.get("grammar", ""))[:100]
    grammar = Grammar(name, "", CLASSIFICATION, "", {}, values, {})
    structure = Structure(_pieces(text, grammar), frozenset(), 1.0, (), (), {})
    used = Derivation(structure, (), {name: own[0] for name, own in values.items()})
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
