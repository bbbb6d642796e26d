"""Sentences of a grammar: counted exactly, and drawn without repeating one.

A *structure* is what the rules make of ``start`` when all that is left are words to choose: lists
of words and the values of sensitive attributes. All sentences of a structure are equally probable,
so a draw chooses a structure by its probability and takes the next of its sentences in a random
order, which a permutation of their numbers gives: nothing drawn has to be remembered.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, combinations, product
from math import prod
from random import Random
from typing import Any

from hinter_core.errors import InputError
from hinter_core.generators.grammars.grammar import (
    ARTICLE,
    MASK,
    MASKED,
    Alternative,
    Grammar,
    Reference,
    Value,
    as_written,
)

_MOST_STRUCTURES = 50_000
_LONGEST, _MOST_PIECES = 400, 1_000_000  # texts and names in a sentence, and in all structures
_ROUNDS, _ODD, _WIDE = 4, 0x9E3779B97F4A7C15, (1 << 64) - 1
_STALE = 8  # refusals in a row after which the weights of what is left are computed anew
Weights = Mapping[str, Mapping[str, float]]  # of words by list, and of values by attribute


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose in a structure: a word of a list, or the value of an attribute."""

    name: str
    sensitive: bool = False


@dataclass(frozen=True)
class Structure:
    """A sentence before its words are chosen, with its probability.

    ``rules``: the names of the rules it was made with. ``only``: the choices that are made already,
    by their number; others are free.
    """

    pieces: Alternative
    rules: frozenset[str]
    probability: float
    choices: tuple[Choice, ...]
    sizes: tuple[int, ...]
    only: Mapping[int, int]

    @cached_property
    def count(self) -> int:
        """Number of its sentences."""
        return prod(size for i, size in enumerate(self.sizes) if i not in self.only)

    def numbers(self, index: int) -> list[int]:
        """Return the choices of a sentence, by its index below :attr:`count`."""
        digits = []
        for i, size in enumerate(self.sizes):
            if i in self.only:
                digits.append(self.only[i])
            else:
                index, number = divmod(index, size)
                digits.append(number)
        return digits


@dataclass(frozen=True)
class Derivation:
    """Derivation of a sentence: a word for each list, a value for each attribute.

    ``structure``: as the rules made it. ``words``: by place among the structure's references.
    """

    structure: Structure
    words: tuple[str, ...]
    values: Mapping[str, Value]


class Sentences:
    """All sentences of a grammar, with weights for some words or values.

    Without ``weights``, each alternative of a rule is as probable as the others (RAND); weights
    (PROB) are those of words by list or of values by attribute.

    Source: Astraea, Algorithms 1 and 2. Departure: no sentence is drawn twice.
    """

    def __init__(self, grammar: Grammar, weights: Weights | None = None) -> None:
        self.grammar = grammar
        self._attributes = grammar.attribute_of
        self._lists = {
            name: tuple("".join(map(str, one)) for one in alternatives)
            for name, alternatives in grammar.rules.items()
            if grammar.is_words(name)
        }
        self.structures = self._structures()
        self._strata = self._weighted(weights or {})

    @property
    def count(self) -> int:
        """Number of sentences."""
        return sum(structure.count for structure in self.structures)

    def draw(self, seed: int) -> Iterator[Derivation]:
        """Yield all sentences of positive weight in random order, each once."""
        rng = Random(seed)
        strata = [one for one in self._strata if one.count and one.probability > 0]
        orders = [Permutation(one.count, rng.getrandbits(64)) for one in strata]
        left = [one.count for one in strata]
        before, refused = left.copy(), _STALE
        bounds: list[float] = []
        while True:
            if refused >= _STALE:
                # A stratum is as probable as what is left of it.
                refused, before = 0, left.copy()
                bounds = list(accumulate(
                    one.probability * (rest / one.count)
                    for one, rest in zip(strata, left, strict=True)
                ))  # fmt: skip
                if not bounds or bounds[-1] <= 0:
                    return
            number = min(bisect_right(bounds, rng.random() * bounds[-1]), len(strata) - 1)
            if rng.random() >= left[number] / before[number]:
                refused += 1
                continue
            refused = 0
            left[number] -= 1
            yield self._derivation(strata[number], orders[number][left[number]])

    def _derivation(self, structure: Structure, index: int) -> Derivation:
        words: list[str] = []
        values: dict[str, Value] = {}
        used: dict[str, list[int]] = {}
        for choice, number in zip(structure.choices, structure.numbers(index), strict=True):
            if choice.sensitive:
                values[choice.name] = self.grammar.sensitive[choice.name][number]
                continue
            before = used.setdefault(choice.name, [])
            for other in sorted(before):
                number += number >= other  # the others keep their order without it
            before.append(number)
            words.append(self._lists[choice.name][number])
        return Derivation(structure, tuple(words), values)

    def _structures(self) -> list[Structure]:
        self._require_few()
        structures = []
        for pieces, rules, probability in self._expanded(Reference(self.grammar.start)):
            choices = self._choices(pieces)
            self._require_asked(pieces)
            before: Counter[Choice] = Counter()
            sizes = []
            for one in choices:
                words = self.grammar.sensitive if one.sensitive else self._lists
                sizes.append(len(words[one.name]) - before[one])
                before[one] += 1
            structure = Structure(pieces, rules, probability, choices, tuple(sizes), {})
            if not structure.count:
                raise InputError(
                    f"'{as_written(pieces)}' needs more different words than a list of "
                    f"{self.grammar.name} has; add words."
                )
            structures.append(structure)
        return structures

    def _require_few(self) -> None:
        """Refuse more than can be kept: sentences before words are chosen, and what is in them."""
        counted: dict[str, tuple[int, int, int]] = {}  # structures, their pieces, the longest

        def count(name: str) -> tuple[int, int, int]:
            if name not in counted:
                alternatives = [] if self._stays(name) else self.grammar.rules[name]
                several = [together(one) for one in alternatives] or [(1, 1, 1)]
                counts, pieces, longest = zip(*several, strict=True)
                # Beyond the limits, figures would grow without end.
                counted[name] = (
                    min(sum(counts), 100 * _MOST_STRUCTURES),
                    min(sum(pieces), 100 * _MOST_PIECES),
                    min(max(longest), 100 * _LONGEST),
                )
            return counted[name]

        def together(one: Alternative) -> tuple[int, int, int]:
            if len(one) > _LONGEST:
                return 1, 1, len(one)
            parts = [count(p.name) if isinstance(p, Reference) else (1, 1, 1) for p in one]
            counts = prod(structures for structures, _, _ in parts)
            each = sum(pieces * counts // structures for structures, pieces, _ in parts)
            return counts, each, sum(longest for _, _, longest in parts)

        counts, pieces, longest = count(self.grammar.start)
        if counts > _MOST_STRUCTURES:
            number = f"{counts:,}" if counts < 100 * _MOST_STRUCTURES else "countless"
            raise InputError(
                f"{self.grammar.name} has {number} sentences before words are chosen, more than "
                f"{_MOST_STRUCTURES:,}; use fewer alternatives, or lists of words."
            )
        if longest > _LONGEST or pieces > _MOST_PIECES:
            raise InputError(
                f"{self.grammar.name} makes sentences of {longest:,} parts, more than {_LONGEST}, "
                "or too many long ones; use shorter rules."
            )

    def _require_asked(self, pieces: Alternative) -> None:
        """Refuse a structure in which a model has nothing to answer."""
        names = [piece.name for piece in pieces if isinstance(piece, Reference)]
        pronouns, antecedents = self.grammar.pronouns, self.grammar.antecedents
        lacks = ""
        if self.grammar.task == MASKED and MASK not in names:
            lacks = "<mask>"
        elif pronouns and set(names).isdisjoint(pronouns):
            lacks = f"one of the pronouns ({', '.join(pronouns)})"
        elif antecedents and len(set(names).intersection(antecedents)) < 2:
            lacks = f"two of the antecedents ({', '.join(antecedents)})"
        if lacks:
            raise InputError(
                f"'{as_written(pieces)}' of {self.grammar.name} lacks {lacks}; add it, or remove "
                "this alternative."
            )
        for name in antecedents:
            if names.count(name) > 1 and name in self._lists:
                raise InputError(
                    f"'{as_written(pieces)}' of {self.grammar.name} says <{name}> twice, which are "
                    "two people; give the second a list of its own."
                )

    def _stays(self, name: str) -> bool:
        """Whether a name stands for words to choose."""
        return name in self._lists or name in self._attributes or name in (ARTICLE, MASK)

    def _expanded(
        self, reference: Reference
    ) -> Iterator[tuple[Alternative, frozenset[str], float]]:
        """Yield what rules make of a name, with their names and the probability."""
        if self._stays(reference.name) and reference.name != self.grammar.start:
            yield (reference,), frozenset((reference.name,)), 1.0
            return
        alternatives = self.grammar.rules[reference.name]
        itself = frozenset((reference.name,))
        for one in alternatives:
            parts = [
                list(self._expanded(piece)) if isinstance(piece, Reference)
                else [((piece,), frozenset[str](), 1.0)]
                for piece in one
            ]  # fmt: skip
            for combined in product(*parts):
                pieces = tuple(piece for part, _, _ in combined for piece in part)
                if reference.capital:
                    pieces = (_capital(pieces[0]), *pieces[1:])
                rules = itself.union(*(rules for _, rules, _ in combined))
                yield pieces, rules, prod(p for _, _, p in combined) / len(alternatives)

    def _choices(self, pieces: Alternative) -> tuple[Choice, ...]:
        """Return what is to choose, in order; a value of an attribute is chosen once."""
        choices: list[Choice] = []
        once: set[Choice] = set()
        for piece in pieces:
            if not isinstance(piece, Reference) or piece.name in (ARTICLE, MASK):
                continue
            attribute = self._attributes.get(piece.name)
            choice = Choice(attribute, True) if attribute else Choice(piece.name)
            if not (choice.sensitive and choice in once):
                choices.append(choice)
            once.add(choice)
        return tuple(choices)

    def _weighted(self, weights: Weights) -> list[Structure]:
        """Split structures by the words and values that have weights."""
        strata = self.structures
        for name, of_words in weights.items():
            known = self.words_of(name)
            for word, weight in of_words.items():
                if word not in known or not weight >= 0:
                    raise InputError(
                        f"A weight of {weight} for '{word}' of '{name}' is of no use: weights are "
                        "0 or more, and of words of the grammar."
                    )
            total = sum(of_words.values())
            if total <= 0:
                raise InputError(f"No word of '{name}' has a weight above 0; leave it to chance.")
            split = []
            for one in strata:
                at = next((i for i, choice in enumerate(one.choices) if choice.name == name), None)
                if at is None:
                    split.append(one)
                    continue
                split += [
                    replace(
                        one, probability=one.probability * of_words[word] / total,
                        only={**one.only, at: number},
                    )
                    for number, word in enumerate(known)
                    if of_words.get(word)
                ]  # fmt: skip
            strata = split
        return strata

    def words_of(self, name: str) -> tuple[str, ...]:
        """Return the words of a list, or the titles of an attribute's values.

        Raises:
            InputError: there is no such list or attribute.
        """
        if name in self.grammar.sensitive:
            return tuple(value.title for value in self.grammar.sensitive[name])
        if name in self._lists:
            return self._lists[name]
        raise InputError(
            f"'{name}' is no list of words and no attribute of {self.grammar.name}; weights are of "
            f"{', '.join((*self._lists, *self.grammar.sensitive))}."
        )


def _capital(piece: str | Reference) -> str | Reference:
    if isinstance(piece, Reference):
        return replace(piece, capital=True)
    return piece[:1].upper() + piece[1:]


class Permutation(Sequence[int]):
    """The numbers below ``count`` in an order that ``seed`` gives; nothing is stored.

    A Feistel network over the next power of four; numbers outside are passed through it again.
    """

    def __init__(self, count: int, seed: int) -> None:
        self._count = count
        self._half = max(1, ((count - 1).bit_length() + 1) // 2)
        self._mask = (1 << self._half) - 1
        rng = Random(seed)
        self._keys = tuple(rng.getrandbits(64) | 1 for _ in range(_ROUNDS))

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if not 0 <= index < self._count:
            raise IndexError(index)
        half, mask = self._half, self._mask
        while True:
            left, right = index >> half, index & mask
            for key in self._keys:
                mixed = ((right + key) * _ODD) & _WIDE
                mixed = ((mixed ^ (mixed >> 29)) * key) & _WIDE
                left, right = right, left ^ ((mixed ^ (mixed >> 32)) & mask)
            index = (left << half) | right
            if index < self._count:
                return index


Chosen = tuple[str, str]  # a list or attribute, and its word


@dataclass(frozen=True, slots=True)
class GrammarCoverage:
    """Coverage: terminals and pairs that sentences use, and those that the grammar has.

    Source: Astraea, Table VIII. *Terminals* are those of :attr:`Grammar.terminals`. A *pair* is two
    words of lists, or values of sensitive attributes, in one sentence. Departure: only pairs that
    some sentence can have are counted, so that all sentences together cover all of them.
    """

    terminals: int
    all_terminals: int
    pairs: int
    all_pairs: int


def coverage_of(source: Sentences, drawn: Iterable[Derivation]) -> GrammarCoverage:
    """Count the terminals and pairs of ``drawn``, which are sentences of ``source``."""
    terminals: set[str] = set()
    pairs: set[tuple[Chosen, Chosen]] = set()
    for one in drawn:
        terminals |= _terminals(source.grammar, one)
        pairs |= set(combinations(sorted(_chosen(one)), 2))
    possible = {pair for structure in source.structures for pair in _pairs(source, structure)}
    return GrammarCoverage(len(terminals), len(source.grammar.terminals), len(pairs), len(possible))


def _terminals(grammar: Grammar, one: Derivation) -> set[str]:
    words, names = set(one.words), grammar.attribute_of
    for piece in one.structure.pieces:
        if isinstance(piece, str):
            words.add(piece)
        elif piece.name in names:
            words.add(one.values[names[piece.name]].words[piece.name])
    return {word.lower() for word in words if word.strip()}


def _chosen(one: Derivation) -> Iterator[Chosen]:
    words = iter(one.words)
    for choice in one.structure.choices:
        yield choice.name, one.values[choice.name].title if choice.sensitive else next(words)


def _pairs(source: Sentences, structure: Structure) -> Iterator[tuple[Chosen, Chosen]]:
    words = [[(one.name, word) for word in source.words_of(one.name)] for one in structure.choices]
    for first, second in combinations(words, 2):
        for a, b in product(first, second):
            if a != b:
                yield min(a, b), max(a, b)
