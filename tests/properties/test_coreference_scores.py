"""Scores of coreference on cases worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.coreference_scores import METRICS, Scorer

Sets = list[frozenset[int]]


def sets(*groups: str) -> list[frozenset[str]]:
    return [frozenset(group) for group in groups]


def scores(gold: list[frozenset[str]], found: list[frozenset[str]]) -> dict[str, list[float]]:
    scorer = Scorer()
    scorer.add(gold, found)
    return {name: [round(x, 2) for x in part.scores()] for name, part in scorer.parts.items()}


def test_two_entities_taken_for_one_split_in_the_wrong_place() -> None:
    # Gold abc, defg; found ab, cd, fgh (h is no mention, e is missing).
    got = scores(sets("abc", "defg"), sets("ab", "cd", "fgh"))
    # Links: gold 2 + 3; found in common: abc into ab, c: 1; defg into d, e, fg: 1. Found 1 + 1 + 2:
    # ab whole: 1; cd apart: 0; fgh into fg, h: 1.
    assert got["MUC"][:2] == [40.0, 50.0]
    # abc: (2² + 1²) / 3; defg: (1² + 2²) / 4; over 7. Found: ab 4/2, cd 2/2, fgh 4/3; over 7.
    assert got["B3"][:2] == [
        round(100 * (5 / 3 + 5 / 4) / 7, 2),
        round(100 * (2 + 1 + 4 / 3) / 7, 2),
    ]
    # Best pairs: abc with ab, 4/5; defg with fgh, 4/7.
    assert got["CEAF-e"][:2] == [
        round(100 * (4 / 5 + 4 / 7) / 2, 2),
        round(100 * (4 / 5 + 4 / 7) / 3, 2),
    ]
    # abc: 3 · 1/3; defg: 4 · 1/6; over 7. Found: ab 2 · 1, cd 0, fgh 3 · 1/3; over 7.
    assert got["LEA"][:2] == [round(100 * (1 + 4 / 6) / 7, 2), round(100 * 3 / 7, 2)]


def test_an_entity_of_one_mention_counts_if_it_stands_alone() -> None:
    got = scores(sets("a", "bc"), sets("a", "b", "c"))
    assert got["LEA"][:2] == [round(100 / 3, 2), round(100 / 3, 2)]
    assert got["MUC"][:2] == [0.0, 0.0]


def test_entities_of_one_mention_can_be_left_out() -> None:
    scorer = Scorer(singletons=False)
    scorer.add(sets("a", "bc"), sets("a", "b", "c"))
    assert [part.scores()[2] for part in scorer.parts.values()] == [0.0] * len(METRICS)


def entities() -> st.SearchStrategy[Sets]:
    labels = st.lists(st.integers(0, 4), min_size=1, max_size=12)
    return labels.map(
        lambda of: [frozenset(i for i, x in enumerate(of) if x == name) for name in sorted(set(of))]
    )


@given(entities())
def test_a_perfect_answer_has_all_points(gold: Sets) -> None:
    scorer = Scorer(singletons=False)
    scorer.add(gold, gold)
    linked = any(len(entity) > 1 for entity in gold)
    for part in scorer.parts.values():
        assert part.scores()[2] == pytest.approx(100.0 if linked else 0.0)


@given(entities(), entities())
def test_recall_is_the_precision_of_the_other_side(gold: Sets, found: Sets) -> None:
    one, other = Scorer(), Scorer()
    one.add(gold, found)
    other.add(found, gold)
    for name in METRICS:
        recall, precision, f1 = one.parts[name].scores()
        assert (precision, recall, f1) == pytest.approx(other.parts[name].scores())
        assert 0.0 <= recall <= 100.0 + 1e-9
