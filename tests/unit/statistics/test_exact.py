"""Exact tests agree with what is counted by hand."""

from __future__ import annotations

from itertools import combinations, product
from math import prod
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.statistics.exact import excess_of_hits, higher_values


@given(st.lists(st.floats(0, 1), max_size=7), st.integers(0, 8))
def test_hits_of_unequal_chances_are_counted_over_all_outcomes(
    chances: list[float], hits: int
) -> None:
    expected = sum(
        prod(p if hit else 1 - p for p, hit in zip(chances, one, strict=True))
        for one in product((0, 1), repeat=len(chances))
        if sum(one) >= hits
    )
    assert excess_of_hits(hits, chances) == pytest.approx(expected, abs=1e-9)


def test_many_equal_chances_are_binomial() -> None:
    from scipy.stats import binom

    assert excess_of_hits(40, [0.01] * 2_000) == pytest.approx(binom.sf(39, 2_000, 0.01), abs=1e-9)


def test_values_above_the_median_are_counted_over_all_divisions() -> None:
    own, others = [0.5, 0.2, 0.0], [0.0, 0.0, 0.1, 0.0, 0.0]
    every = own + others
    middle = 0.0
    above = sum(value > middle for value in own)
    divisions = list(combinations(every, len(own)))
    expected = sum(sum(v > middle for v in one) >= above for one in divisions) / len(divisions)
    assert higher_values(own, others) == pytest.approx(expected)
    assert higher_values([], others) == higher_values(own, []) == 1.0


@pytest.mark.parametrize("zeros", [0.0, 0.5, 0.95])
def test_equal_samples_are_seldom_told_apart(zeros: float) -> None:
    rng = Random(4)
    found = 0
    for _ in range(500):
        values = [0.0 if rng.random() < zeros else rng.random() for _ in range(60)]
        found += higher_values(values[:15], values[15:]) < 0.05
    assert found <= 35
