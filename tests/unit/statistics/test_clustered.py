"""Rates of clustered cases: by hand, against a plain integration, and their coverage."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from statistics import fmean

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import dblquad
from scipy.special import betaln

from benchmarks.coverage import CELLS, Cell, covered, covered_difference
from hinter_core.statistics.clustered import (
    Clusters,
    cluster_rate,
    cluster_wilson,
    one_sided_test,
    paired_difference,
    two_sample_difference,
)
from hinter_core.statistics.rates import Rate, binomial, wilson
from tests.examples import examples


def ends(rate: Rate) -> tuple[float, float]:
    assert rate.low is not None
    assert rate.high is not None
    return rate.low, rate.high


def test_the_interval_is_the_integral_that_it_says() -> None:
    """The posterior by scipy's quadrature: 2.5 % of it lie outside each end."""
    texts = [(2, 12), (0, 30), (5, 9), (1, 20), (0, 3), (3, 40)]

    def density(correlation: float, mean: float) -> float:
        size = 1 / correlation - 1
        a, b = mean * size, (1 - mean) * size
        log = sum(betaln(a + hits, b + of - hits) - betaln(a, b) for hits, of in texts)
        prior = (1 - correlation) ** 2 / math.sqrt(mean * (1 - mean))
        return math.exp(log + 35) * prior

    def mass(low: float, high: float) -> float:
        return float(dblquad(density, low, high, 1e-4, 0.95, epsabs=1e-6, epsrel=1e-4)[0])

    low, high = ends(cluster_rate(texts))
    below, within, above = mass(1e-6, low), mass(low, high), mass(high, 1 - 1e-6)
    whole = below + within + above
    assert below / whole == pytest.approx(0.025, abs=0.005)
    assert above / whole == pytest.approx(0.025, abs=0.005)


def test_texts_count_not_mutants() -> None:
    """Ten texts of 100 mutants each, all or none of them errors: ten observations, not 1,000."""
    found = cluster_rate([(100, 100)] * 3 + [(0, 100)] * 7)
    assert (found.hits, found.of, found.share) == (300, 1000, 0.3)
    low, high = ends(found)
    alone, ten = ends(wilson(300, 1000)), ends(wilson(3, 10))
    assert low < alone[0] - 0.1
    assert high > alone[1] + 0.1
    assert (low, high) == pytest.approx(ten, abs=0.08)


def test_independent_cases_have_nearly_wilsons_interval() -> None:
    rng = numpy.random.default_rng(3)
    hits = rng.binomial(20, 0.2, 400).tolist()
    found = cluster_rate((n, 20) for n in hits)
    assert ends(found) == pytest.approx(ends(wilson(sum(hits), 8000)), abs=0.003)


def test_an_error_more_moves_the_ends_a_little() -> None:
    """No cliff between no error and one, nor between all and all but one."""
    of = [35] * 12
    rates = [cluster_rate(zip([n, *[0] * 11], of, strict=True)) for n in range(4)]
    highs = [ends(rate)[1] for rate in rates]
    assert rates[0].low == 0
    assert highs == sorted(highs)
    assert highs[0] == pytest.approx(0.044, abs=0.003)
    assert highs[1] / highs[0] < 2
    mirrored = cluster_rate([(35 - 1, 35), *[(35, 35)] * 11])
    assert ends(mirrored)[0] == pytest.approx(1 - highs[1], abs=1e-3)
    assert ends(cluster_rate([(35, 35)] * 12)) == pytest.approx((1 - highs[0], 1), abs=1e-3)


def test_what_is_too_little_has_no_interval() -> None:
    assert cluster_rate([(2, 5)]) == Rate(2, 5)
    assert cluster_rate([(2, 5), (0, 0)]) == Rate(2, 5)
    assert cluster_rate([]) == Rate(0, 0)


Texts = st.lists(st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))


@given(Texts)
@examples(200)
def test_an_interval_holds_the_share_and_no_order_matters(texts: list[tuple[int, int]]) -> None:
    found = cluster_rate(texts)
    assert found == cluster_rate(list(reversed(texts))) == cluster_rate(Counter(texts))
    if found.low is not None and found.high is not None:
        assert 0 <= found.low <= (found.share or 0) <= found.high <= 1
        assert found.low < found.high


@pytest.mark.parametrize("cell", [CELLS[0], CELLS[13], CELLS[-1]], ids=str)
def test_intervals_cover_as_often_as_they_say(cell: Cell) -> None:
    assert 0.9 < covered(cell, 150, seed=4) <= 1
    low, high = covered_difference(cell, 400, seed=4)
    assert low < 0.05
    assert high < 0.05


def test_excess_is_a_difference_within_texts() -> None:
    texts = [(2, 4, 1, 4)] * 10 + [(4, 4, 0, 4)] * 10
    found = paired_difference([*texts, (9, 9, 0, 0)])  # the last has no placebo
    assert found.value == pytest.approx(60 / 80 - 10 / 80)
    assert found.low is not None
    assert found.high is not None
    assert 0.4 < found.low < 0.625 < found.high < 0.85
    assert found.p_value is not None
    assert found.p_value < 1e-4
    nothing = paired_difference([(0, 4, 0, 4)] * 10)
    assert (nothing.value, nothing.p_value) == (0, 1)
    assert nothing.low == pytest.approx(-(nothing.high or 0))
    assert 0.01 < (nothing.high or 0) < 0.2
    assert paired_difference([]).value is None
    assert paired_difference([(1, 2, 0, 2)]).low is None


def test_fragile_texts_with_more_placebo_are_no_excess() -> None:
    """Fragile texts have few mutants and much placebo: pooled rates differ, texts do not."""
    texts = [(3, 6, 10, 20), (4, 40, 1, 10)] * 20
    hits, cases, others, of = map(sum, zip(*texts, strict=True))
    assert hits / cases < others / of - 0.1
    found = paired_difference(texts)
    assert found.value == 0
    assert (found.low or 0) < 0 < (found.high or 0)


def test_rates_of_different_texts_join_their_intervals() -> None:
    first, second = [(1, 35), *[(0, 35)] * 11], [(4, 35)] * 12
    found = two_sample_difference(second, first)
    one, two = cluster_rate(second), cluster_rate(first)
    assert found.value == pytest.approx((one.share or 0) - (two.share or 0))
    assert found.low == pytest.approx(
        (found.value or 0)
        - math.hypot((one.share or 0) - ends(one)[0], ends(two)[1] - (two.share or 0))
    )
    assert found.p_value is None
    assert two_sample_difference([], first).value is None
    assert two_sample_difference([(1, 2)], first).low is None


def summed(texts: Iterable[tuple[int, int]]) -> Clusters:
    sums = Clusters()
    for errors, cases in texts:
        sums.add(errors, cases)
    return sums


def test_the_design_effect_by_hand() -> None:
    """Rates 1, 1/2 and 0 of two cases each: 3/2 times 2 over 6 times 1/4."""
    assert summed([(2, 2), (1, 2), (0, 2)]).design_effect == pytest.approx(2)
    assert summed([(1, 1), (0, 1), (1, 1)]).design_effect == 1
    assert summed([(1, 2)] * 5).design_effect == 1  # never below
    assert summed([(0, 3), (0, 1)]).design_effect == pytest.approx(10 / 4)


def test_with_one_case_a_text_the_tests_are_one() -> None:
    for errors in (0, 1, 7, 20):
        sums = summed([(1, 1)] * errors + [(0, 1)] * (20 - errors))
        assert one_sided_test(sums, 0.3) == binomial(errors, 20, 0.3)
        found = cluster_wilson(sums)
        assert found == wilson(errors, 20)


def test_copies_of_a_case_add_nothing() -> None:
    """Nine equal mutants of every text: what ten texts show, and not what ninety cases would."""
    once = summed([(1, 1)] * 6 + [(0, 1)] * 4)
    often = summed([(9, 9)] * 6 + [(0, 9)] * 4)
    assert often.design_effect == pytest.approx(10)
    assert one_sided_test(often, 0.3) == pytest.approx(binomial(5.4, 9, 0.3))
    assert one_sided_test(often, 0.3) > one_sided_test(once, 0.3) > 100 * binomial(54, 90, 0.3)
    alone, many = cluster_wilson(often), wilson(54, 90)
    assert alone.low is not None
    assert many.low is not None
    assert alone.low < many.low - 0.1
    assert one_sided_test(summed([(9, 9)] * 4), 0.5) == pytest.approx(0.5**4)


def test_one_text_is_no_evidence() -> None:
    assert one_sided_test(summed([(50, 50)]), 0.01) == 1
    assert one_sided_test(summed([(1, 1)]), 0.01) == 1
    assert one_sided_test(Clusters(), 0.01) == 1
    assert cluster_wilson(summed([(50, 50)])) == Rate(50, 50)


@pytest.mark.parametrize(("share", "texts"), [(0.1, 40), (0.3, 40), (0.5, 20), (0.7, 80)])
def test_clustered_errors_are_rarely_beyond_chance(share: float, texts: int) -> None:
    """Texts have error rates of their own around ``share``; cases as if independent find much."""
    rng = numpy.random.default_rng(5)
    own: list[float] = []
    alone: list[float] = []
    for _ in range(1000):
        cases = rng.integers(1, 10, texts)
        errors = rng.binomial(cases, rng.beta(share, 1 - share, texts))
        sums = summed(zip(errors.tolist(), cases.tolist(), strict=True))
        own.append(one_sided_test(sums, share))
        alone.append(binomial(sums.errors, sums.cases, share))
    assert 0.02 < fmean(p < 0.05 for p in own) < 0.08
    assert fmean(p < 0.05 for p in alone) > 0.14


def test_a_rate_that_is_higher_is_found_through_the_clusters() -> None:
    rng = numpy.random.default_rng(6)
    found = 0
    for _ in range(200):
        cases = rng.integers(1, 10, 60)
        errors = rng.binomial(cases, rng.beta(0.5, 0.5, 60))
        found += (
            one_sided_test(summed(zip(errors.tolist(), cases.tolist(), strict=True)), 0.2) < 0.001
        )
    assert found > 190
