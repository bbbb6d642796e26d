"""The worked example of the paper to four digits, metrics by hand, and what holds for all texts."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from hinter_core.errors import InputError
from hinter_core.prioritisation.metrics import (
    COSINE,
    LEVENSHTEIN,
    LEXICAL,
    Diversity,
    TextScorer,
    cosine_distance,
    diversity,
    jaccard_distance,
    levenshtein,
)

SOURCE = "The teacher explained the concept clearly."
FOLLOW_UP = "The engineer explained the idea effectively."
WORDS = st.text("abc .", max_size=12)
TEXTS = st.lists(st.sampled_from("the cat dog ran and The sat".split()), max_size=6).map(" ".join)


def constant(name: str, value: float) -> TextScorer:
    return TextScorer(name, lambda texts, first, second: numpy.full(len(first), value))


def test_the_worked_example_comes_out() -> None:
    # What the paper assumes is given: similarity, entities, vectors, polarities, tones.
    vectors = numpy.array([[0.8, 0.3, 0.5]]), numpy.array([[0.7, 0.4, 0.6]])
    semantic = cosine_distance(*vectors)[0]
    assert 1 - semantic == pytest.approx(0.98504, abs=1e-5)
    scorers = [
        constant("cosine", 1 - 0.45),
        LEXICAL,
        constant("entity", jaccard_distance({"teacher"}, {"engineer"})),
        constant("semantic", semantic),
        constant("sentiment", abs(0.8 - 0.75)),
        constant("tone", 0.0),
    ]
    found = diversity([SOURCE], [FOLLOW_UP], scorers)
    assert found.scores[0, 1] == pytest.approx(8 / 12)
    assert found.total[0] == pytest.approx(2.2816, abs=5e-5)
    assert levenshtein(SOURCE, FOLLOW_UP) == 18
    assert LEVENSHTEIN.score([SOURCE], [FOLLOW_UP])[0] == pytest.approx(18 / 44)


def test_weights_and_means_over_pairs() -> None:
    scorers = [constant("a", 0.5), LEXICAL]
    found = diversity(["one two", "x"], ["one three", "x"], scorers, {"a": 2, "lexical": 4})
    assert found.total.tolist() == pytest.approx([1 + 3, 1 + 2])
    for wrong in ({"b": 1}, {"a": -1}, {"a": float("nan")}):
        with pytest.raises(InputError, match="weight"):
            diversity(["x"], ["y"], scorers, wrong)
    with pytest.raises(InputError, match="metric"):
        diversity(["x"], ["y"], [])
    assert isinstance(found, Diversity)


def test_cosine_is_that_of_sklearn_fitted_to_each_pair() -> None:
    sources = [SOURCE, "A cat sat.", "same words", "one one two"]
    follow_ups = [FOLLOW_UP, "A dog ran away.", "same words", "one two two"]
    expected = []
    for pair in zip(sources, follow_ups, strict=True):
        vectors = TfidfVectorizer().fit_transform(pair)
        expected.append(1 - (vectors[0] @ vectors[1].T).toarray()[0, 0])
    assert COSINE.score(sources, follow_ups) == pytest.approx(expected)
    # Texts without words, of which sklearn would make no vector.
    assert COSINE.score(["", "!", "word"], ["?", "word", ""]).tolist() == [0, 1, 1]
    assert COSINE.score(["", "!"], ["?", ""]).tolist() == [0, 0]


@given(TEXTS, TEXTS)
def test_cosine_is_a_symmetric_distance(first: str, second: str) -> None:
    forth, back, same = COSINE.score([first, second, first], [second, first, first])
    assert forth == pytest.approx(back)
    assert 0 <= forth <= 1
    assert same == 0
    if sorted(first.lower().split()) == sorted(second.lower().split()):
        assert forth == 0


@given(TEXTS, TEXTS)
def test_lexical_diversity_is_a_symmetric_share(first: str, second: str) -> None:
    forth, back, same = LEXICAL.score([first, second, first], [second, first, first])
    assert forth == back
    assert (0 < forth <= 1) if (first + second) else forth == 0
    assert same <= 0.5  # it is no distance


@given(WORDS, WORDS, WORDS)
def test_levenshtein_is_a_metric(first: str, second: str, third: str) -> None:
    distance = levenshtein(first, second)
    assert distance == levenshtein(second, first) == plain(first, second)
    assert (distance == 0) == (first == second)
    assert distance <= levenshtein(first, third) + levenshtein(third, second)
    assert 0 <= LEVENSHTEIN.score([first], [second])[0] <= 1


def plain(first: str, second: str) -> int:
    """The usual table, row by row."""
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        new = [i]
        for j, other in enumerate(second, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (letter != other)))
        row = new
    return row[-1]


@given(st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5)))
def test_jaccard_is_a_symmetric_distance(first: set[int], second: set[int]) -> None:
    assert jaccard_distance(first, second) == jaccard_distance(second, first)
    assert 0 <= jaccard_distance(first, second) <= 1
    assert (jaccard_distance(first, second) == 0) == (first == second)


def test_jaccard_by_hand() -> None:
    assert jaccard_distance("ab", "bc") == pytest.approx(2 / 3)
    assert jaccard_distance("", "a") == 1


def test_cosine_distance_by_hand() -> None:
    first = numpy.array([[1.0, 0], [1, 0], [1, 1], [0, 0], [0, 0]])
    second = numpy.array([[1.0, 0], [0, 1], [-1, -1], [0, 0], [0, 1]])
    assert cosine_distance(first, second) == pytest.approx([0, 1, 2, 0, 1])


def test_each_distinct_text_is_looked_at_once() -> None:
    seen: list[list[str]] = []

    def compare(texts: list[str], first: numpy.ndarray, second: numpy.ndarray) -> numpy.ndarray:
        seen.append(texts)
        return (first + 10 * second).astype(float)

    scores = TextScorer("x", compare).score(["a", "a", "a"], ["b", "c", "b"])
    assert seen == [["a", "b", "c"]]
    assert scores.tolist() == [10, 20, 10]
