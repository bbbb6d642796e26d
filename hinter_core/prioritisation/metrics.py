"""Distances of follow-ups from their sources: metrics, diversity score, Levenshtein distance.

Source: Srinivasan et al., *Efficient Fairness Testing in Large Language Models* (IV-B and V-C; "the
paper" here). A score of an arm is the mean over its pairs; the final diversity score (FDS) is
the sum over metrics. All metrics are of pairs and depend on nothing but the two texts.

Departures. The paper's formulas are lost in the published text, which contradicts itself:

- Cosine similarity is 0.45 in its example and counts with 0.55: the metric is 1 - similarity.
- Entity diversity is called a Jaccard *similarity* and is 1 for two sets without a common entity:
  the metric is the Jaccard distance, and 0 if neither text has an entity.
- Entities are "implemented" by topics of a Gensim LDA model, which finds none; a parser's are used.
- It announces seven metrics and defines six.
- Lexical diversity (unique words over all words of both texts) is no distance: two equal texts of
  distinct words have 1/2. It is kept, and of pairs with one edit it mostly says how long texts are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from hinter_core.errors import InputError

if TYPE_CHECKING:
    from numpy import ndarray

_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")
_TERM = re.compile(r"\b\w\w+\b")  # as sklearn's vectorisers have it


class PairScorer(Protocol):
    """A metric of pairs; ``name`` is what users and tables call it."""

    name: str

    def score(self, sources: Sequence[str], follow_ups: Sequence[str]) -> ndarray:
        """Return one score per pair, at least 0; each distinct text is looked at once."""


@dataclass(frozen=True)
class TextScorer(PairScorer):
    """A metric that compares two texts by a function of both.

    ``compare`` gets all distinct texts, and the places of the sources and of the follow-ups among
    them. ``model``: name of the model that it asks, if any.
    """

    name: str
    compare: Callable[[list[str], ndarray, ndarray], ndarray]
    model: str = ""

    def score(self, sources: Sequence[str], follow_ups: Sequence[str]) -> ndarray:
        """Number the distinct texts, and compare each distinct pair once."""
        import numpy

        places = {text: i for i, text in enumerate(dict.fromkeys([*sources, *follow_ups]))}
        pairs = numpy.array(
            [(places[a], places[b]) for a, b in zip(sources, follow_ups, strict=True)], dtype=int
        ).reshape(-1, 2)
        distinct, back = numpy.unique(pairs, axis=0, return_inverse=True)
        compared = self.compare(list(places), distinct[:, 0], distinct[:, 1])
        scores: ndarray = numpy.asarray(compared, dtype=numpy.float64)[back.reshape(-1)]
        return scores


def cosine_tfidf(texts: list[str], first: ndarray, second: ndarray) -> ndarray:
    """Return 1 - cosine of the TF-IDF vectors of each pair, in [0, 1].

    The vectors are those of sklearn's ``TfidfVectorizer`` fitted to the two texts, as the paper's
    example suggests (0.458 there), so that a score depends on no other text: a word of both has the
    weight 1, a word of one ln(3 / 2) + 1. All pairs are computed at once. Two texts without words
    (of two letters) have the distance 0, a text and one without words 1.
    """
    import numpy
    from scipy.sparse import csr_matrix

    words = [_TERM.findall(text.lower()) for text in texts]
    ends = numpy.cumsum([0, *map(len, words)])
    columns: dict[str, int] = {}
    places = [columns.setdefault(word, len(columns)) for one in words for word in one]
    shape = (len(texts), max(1, len(columns)))
    counts = csr_matrix((numpy.ones(len(places)), places, ends), shape=shape)
    counts.sum_duplicates()
    one, other = counts[first], counts[second]
    shared = one.multiply(other)
    dot = numpy.asarray(shared.sum(axis=1)).ravel()
    rare = (numpy.log(1.5) + 1) ** 2
    norms = []
    for side, against in ((one, other), (other, one)):
        squares = side.multiply(side)
        every = numpy.asarray(squares.sum(axis=1)).ravel()
        both = numpy.asarray(squares.multiply(against > 0).sum(axis=1)).ravel()
        norms.append(rare * (every - both) + both)
    lengths = numpy.sqrt(norms[0] * norms[1])
    empty = (norms[0] == 0) & (norms[1] == 0)
    similarity = numpy.where(lengths > 0, dot / numpy.where(lengths > 0, lengths, 1), empty)
    distances: ndarray = numpy.clip(1 - similarity, 0.0, 1.0)
    distances[distances < 1e-12] = 0.0  # rounding
    return distances


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower())


def lexical(texts: list[str], first: ndarray, second: ndarray) -> ndarray:
    """Return unique words over all words of both texts, in (0, 1]; 0 without words."""
    import numpy

    words = [words_of(text) for text in texts]
    sets = [frozenset(one) for one in words]
    shares = [
        len(sets[a] | sets[b]) / (len(words[a]) + len(words[b])) if words[a] or words[b] else 0.0
        for a, b in zip(first, second, strict=True)
    ]
    return numpy.array(shares)


def jaccard_distance(first: Collection[Any], second: Collection[Any]) -> float:
    """Return 1 - the share of common elements among all, in [0, 1]; 0 for two empty sets."""
    one, two = set(first), set(second)
    return 1 - len(one & two) / len(one | two) if one | two else 0.0


def cosine_distance(first: ndarray, second: ndarray) -> ndarray:
    """Return 1 - cosine of vectors, row by row (pairs x dimensions), in [0, 2].

    A vector of zeros has the distance 0 to itself and 1 to all others.
    """
    import numpy

    dot = (first * second).sum(axis=1)
    lengths = numpy.linalg.norm(first, axis=1) * numpy.linalg.norm(second, axis=1)
    same = (first == second).all(axis=1)
    cosine = numpy.where(lengths > 0, dot / numpy.where(lengths > 0, lengths, 1), 0.0)
    distances: ndarray = numpy.clip(numpy.where(same, 0.0, 1 - cosine), 0.0, 2.0)
    return distances


def levenshtein(first: str, second: str) -> int:
    """Return the least number of insertions, deletions and replacements of characters.

    Myers's bit-parallel algorithm (1999), with integers as long as the text in place of words, on
    what is left without the common beginning and end.
    """
    begin = _common(first, second, 1)
    first, second = first[begin:], second[begin:]
    end = _common(first, second, -1)
    first, second = first[: len(first) - end], second[: len(second) - end]
    if not first or not second:
        return len(first) or len(second)
    where: dict[str, int] = {}
    for place, letter in enumerate(first):
        where[letter] = where.get(letter, 0) | 1 << place
    mask, last = (1 << len(first)) - 1, 1 << (len(first) - 1)
    up, down, distance = mask, 0, len(first)
    for letter in second:
        equal = where.get(letter, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        plus, minus = down | ~(diagonal | up) & mask, up & diagonal
        distance += bool(plus & last) - bool(minus & last)
        plus, minus = (plus << 1 | 1) & mask, minus << 1 & mask
        up, down = minus | ~(diagonal | plus) & mask, plus & diagonal
    return distance


def _common(first: str, second: str, step: int) -> int:
    """Count the characters that both texts begin (1) or end (-1) with, by bisection."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        part = slice(middle) if step > 0 else slice(-middle, None)
        if first[part] == second[part]:
            low = middle
        else:
            high = middle - 1
    return low


def normalised_levenshtein(texts: list[str], first: ndarray, second: ndarray) -> ndarray:
    """Return the Levenshtein distance over the length of the longer text, in [0, 1].

    In the paper's example 18 of 44 characters; "the lengths" of both are named, and not what is
    made of them.
    """
    import numpy

    distances = []
    for a, b in zip(first, second, strict=True):
        longest = max(len(texts[a]), len(texts[b]))
        distances.append(levenshtein(texts[a], texts[b]) / longest if longest else 0.0)
    return numpy.array(distances)


COSINE = TextScorer("cosine", cosine_tfidf)
LEXICAL = TextScorer("lexical", lexical)
LEVENSHTEIN = TextScorer("levenshtein", normalised_levenshtein)


@dataclass(frozen=True)
class Diversity:
    """Scores of pairs by metric: ``scores`` has a row per pair and a column per metric."""

    names: tuple[str, ...]
    scores: ndarray
    weights: ndarray

    @cached_property
    def total(self) -> ndarray:
        """The weighted sum over metrics of each pair; the mean over an arm is its FDS."""
        totals: ndarray = self.scores @ self.weights
        return totals


def diversity(
    sources: Sequence[str],
    follow_ups: Sequence[str],
    scorers: Sequence[PairScorer],
    weights: Mapping[str, float] | None = None,
) -> Diversity:
    """Score all pairs by all metrics; ``weights`` by name (default: 1).

    Raises:
        InputError: no metric, or a weight of none of them, or one that is no number from 0.
    """
    import numpy

    names = tuple(scorer.name for scorer in scorers)
    if not names:
        raise InputError("Name a metric or more for the diversity of pairs.")
    for name, weight in (weights or {}).items():
        if name not in names:
            raise InputError(f"'{name}' has a weight but is no metric here: {', '.join(names)}.")
        if not 0 <= weight < float("inf"):
            raise InputError(f"The weight of {name} must be a number from 0 on.")
    columns = [scorer.score(sources, follow_ups) for scorer in scorers]
    chosen_weights = numpy.array([(weights or {}).get(name, 1.0) for name in names])
    return Diversity(names, numpy.column_stack(columns), chosen_weights)
