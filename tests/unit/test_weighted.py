"""Shares of weighted samples and what is made of them."""

from __future__ import annotations

import numpy
import pytest

from hinter_core.weighted import (
    Cell,
    Estimate,
    cell_of,
    estimate,
    estimate_in_short,
    estimate_in_words,
)


def test_a_cell_by_hand() -> None:
    """Weights 1, 1 and 4: share 4/6, effective number 36/18 = 2."""
    assert cell_of([(False, 1), (False, 1), (True, 4)]) == Cell(6, pytest.approx(2 / 3), 2.0)


def test_equal_weights_are_worth_what_they_are() -> None:
    assert cell_of([(True, 5.0)] * 3 + [(False, 5.0)]) == Cell(20, 0.75, 4.0)


def test_all_of_a_population_leave_nothing_open() -> None:
    cell = cell_of([(True, 1), (False, 1), (True, 1)], 3)
    assert cell.effective == float("inf")
    found = estimate([cell], lambda shares: shares[0])
    assert found.value == found.low == found.high == pytest.approx(2 / 3)


def test_half_of_a_population_is_worth_twice_as_much() -> None:
    whole, part = cell_of([(True, 1)] * 50), cell_of([(True, 1)] * 50, 100)
    assert part.total == 100
    assert part.effective == pytest.approx(whole.effective * 99 / 50)


def test_no_sample_no_share() -> None:
    cell = cell_of([(True, 0.0)], 7)
    assert cell == Cell(7.0, None)
    found = estimate([cell], lambda shares: shares[0])
    assert found.value is None
    assert estimate_in_words(found) == "not known, as a part of it was not judged"
    assert estimate_in_short(found) == "\u2013"
    assert estimate([], lambda shares: shares[0]).value is None


def test_where_all_agree_the_interval_is_not_empty() -> None:
    found = estimate([cell_of([(True, 1)] * 10)], lambda shares: shares[0])
    assert found.value == found.high == 1.0
    assert found.low == pytest.approx(0.783, abs=0.01)  # Jeffreys' interval of 10 of 10


def test_what_cannot_be_computed_is_none() -> None:
    found = estimate([cell_of([(False, 1)] * 4)], lambda shares: 0 * shares[0] / (0 * shares[0]))
    assert found == Estimate(None, why="there is no case")


def test_the_interval_of_a_share_is_jeffreys_and_seeded() -> None:
    cell = cell_of([(True, 1)] * 30 + [(False, 1)] * 70)
    found = estimate([cell], lambda shares: shares[0], seed=5)
    assert found == estimate([cell], lambda shares: shares[0], seed=5)
    assert found.low == pytest.approx(0.217, abs=0.01)
    assert found.high == pytest.approx(0.395, abs=0.01)
    assert estimate_in_words(found).startswith("30.0 % (95 % interval 2")


def test_a_share_of_a_stratified_sample_holds_the_truth() -> None:
    """Two strata, 900 with 90 % and 100 with 20 % of a kind: 83 %; 15 of each are drawn."""
    covered = 0
    for seed in range(200):
        rng = numpy.random.default_rng(seed)
        sample = [(bool(rng.random() < 0.9), 60.0) for _ in range(15)]
        sample += [(bool(rng.random() < 0.2), 100 / 15) for _ in range(15)]
        found = estimate([cell_of(sample)], lambda shares: shares[0], seed=seed)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.83 <= found.high
    assert covered >= 180  # of 200
