"""Coverage: how much of a grammar sentences use.

Source: Astraea, Table VIII. *Terminals* are those of :attr:`Grammar.terminals`. A *pair* is two
words of lists, or values of sensitive attributes, in one sentence. Departure: only pairs that some
sentence can have are counted, so that all sentences together cover all of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product

from hinter_core.generators.grammars.grammar import Grammar
from hinter_core.generators.grammars.sampling import Derivation, Sentences, Structure

Chosen = tuple[str, str]  # a list or attribute, and its word


@dataclass(frozen=True, slots=True)
class GrammarCoverage:
    """Terminals and pairs that sentences use, and those that the grammar has."""

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
    found, names = set(one.words), grammar.attribute_of
    for piece in one.structure.pieces:
        if isinstance(piece, str):
            found.add(piece)
        elif piece.name in names:
            found.add(one.values[names[piece.name]].words[piece.name])
    return {word.lower() for word in found if word.strip()}


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
