"""Measures by hand; a random order has its expectation."""

from __future__ import annotations

from itertools import permutations

import numpy
import pytest

from hinter_core.replays.measures import Population

FAULTS = numpy.array([True, False, True, False, True, False])
TEXTS = numpy.array([1, 1, 1, 2, 2, 3])
POPULATION = Population(FAULTS, TEXTS)


def test_by_hand() -> None:
    found = POPULATION.measure([1, 0, 3, 2, 4, 5])
    assert found.first == 2
    assert found.most == 5  # 80 % of three faults are three
    assert found.apfd == pytest.approx(1 - (2 + 4 + 5) / 18 + 1 / 12)
    assert found.apfd_sources == pytest.approx(1 - (2 + 5) / 12 + 1 / 12)
    assert found.area == pytest.approx((0 + 1 + 1 + 1 + 2 + 2) / 18)
    assert (found.found, found.sources) == (1, pytest.approx(2 / 3))
    faults, sources = POPULATION.cumulated([1, 0, 3, 2, 4, 5])
    assert faults == pytest.approx(numpy.array([0, 1, 1, 2, 3, 3]) / 3)
    assert sources == pytest.approx(numpy.array([0, 1, 1, 1, 2, 2]) / 3)


def test_a_replay_that_ends_before() -> None:
    found = POPULATION.measure([1, 3])
    assert (found.first, found.most, found.apfd, found.apfd_sources) == (None,) * 4
    assert (found.found, found.sources, found.area) == (0, 0, 0)
    assert POPULATION.measure([1, 0]).first == 2


def test_the_expectation_is_the_mean_over_all_orders() -> None:
    every = [POPULATION.measure(order) for order in permutations(range(6))]
    expected = POPULATION.expected()
    for name in ("first", "most", "apfd", "apfd_sources", "area", "found", "sources"):
        mean = numpy.mean([getattr(one, name) for one in every])
        assert getattr(expected, name) == pytest.approx(mean), name
    pairs = numpy.arange(1, 7)
    curves = numpy.mean([POPULATION.cumulated(o) for o in permutations(range(6))], axis=0)
    for ours, theirs in zip(POPULATION.expected_curve(pairs), curves, strict=True):
        assert ours == pytest.approx(theirs)
