"""Rates of clustered cases: by hand, their coverage, and what tests of excess find."""

from __future__ import annotations

import math
import random
from collections import Counter
from statistics import fmean

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.coverage import KINDS, Kind, beside, covered
from hinter_core.statistics.clustered import (
    WordSums,
    cluster_rate,
    one_sided_test,
    paired_difference,
    texts_needed,
)
from hinter_core.statistics.rates import Rate, binomial, independent_difference, wilson
from tests.examples import examples


def ends(rate: Rate) -> tuple[float, float]:
    assert rate.low is not None
    assert rate.high is not None
    return rate.low, rate.high


def test_the_interval_by_hand() -> None:
    """Four texts with 5 of 20 errors: left-out residuals, Wilson over cases by Student's t."""
    texts = [(3, 4), (1, 6), (0, 4), (1, 6)]
    left_out = [(hits - 0.25 * of) / (20 - of) for hits, of in texts]
    variance = 3 / 4 * sum(d * d for d in left_out)
    freedom = sum(d**2 for d in left_out) ** 2 / sum(d**4 for d in left_out)
    assert freedom < 2  # so 2, of which Student's quantile is 4.302653
    cases = 0.25 * 0.75 / variance * (1.959964 / 4.302653) ** 2
    middle = (0.25 * cases + 1.92072941) / (cases + 3.84145882)
    reach = 1.959964 * math.sqrt(0.1875 * cases + 0.96036471) / (cases + 3.84145882)
    assert ends(cluster_rate(texts)) == pytest.approx((middle - reach, middle + reach), abs=1e-6)


def test_texts_count_not_mutants() -> None:
    """Ten texts of 100 mutants each, all or none of them errors: ten observations, not 1,000."""
    found = cluster_rate([(100, 100)] * 3 + [(0, 100)] * 7)
    assert (found.hits, found.of, found.share) == (300, 1000, 0.3)
    low, high = ends(found)
    alone, ten = ends(wilson(300, 1000)), ends(wilson(3, 10))
    assert low < alone[0] - 0.1
    assert high > alone[1] + 0.1
    assert (low, high) == pytest.approx(ten)


def test_independent_cases_have_nearly_wilsons_interval() -> None:
    rng = numpy.random.default_rng(3)
    hits = rng.binomial(20, 0.2, 400).tolist()
    found = cluster_rate((n, 20) for n in hits)
    assert ends(found) == pytest.approx(ends(wilson(sum(hits), 8000)), abs=0.004)


def test_without_an_error_or_a_right_answer_texts_are_the_cases() -> None:
    """With none, nothing says how alike the mutants of a text are: they count as one."""
    none, every = ends(cluster_rate([(0, 35)] * 12)), ends(cluster_rate([(35, 35)] * 12))
    assert none == pytest.approx(ends(wilson(0, 12)))
    assert every == pytest.approx((1 - none[1], 1.0))
    assert (none[0], every[1]) == (0, 1)
    # One of a hundred mutants each: a text with all others counts more, yet not as all of them.
    uneven = ends(cluster_rate([(0, 100), *[(0, 1)] * 20]))
    assert ends(wilson(0, 1))[1] > uneven[1] > ends(wilson(0, 2))[1]


def test_more_errors_of_every_text_move_both_ends_up() -> None:
    found = [ends(cluster_rate([(n, 20), (n + 1, 20), (n + 3, 20)] * 4)) for n in range(18)]
    assert [low for low, _ in found] == sorted(low for low, _ in found)
    assert [high for _, high in found] == sorted(high for _, high in found)


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


def kind(name: str) -> Kind:
    return next(one for one in KINDS if one.name == name)


@pytest.mark.parametrize(
    ("name", "texts"),
    [("all or none, even", 100), ("larger texts err more", 100), ("larger texts err less", 30),
     ("words, even", 300), ("beta-binomial, heavy-tailed", 30), ("few giant texts", 30)],
)  # fmt: skip
def test_intervals_hold_the_ratio_as_often_as_they_say(name: str, texts: int) -> None:
    """The first four: 78, 46, 50 and 73 % with one mean for all texts."""
    held, width = covered(kind(name), texts, 300, seed=4)
    assert 0.9 <= held <= 0.99
    assert width < 0.6


def test_differences_without_a_cause_are_rarely_found() -> None:
    for question in ("excess over placebo, none", "two models, same mutants"):
        assert max(beside(question, kind("larger texts err more"), 30, 300, seed=4)) < 0.05


def words_of(turning: int) -> WordSums:
    """Sums of one side of 60 texts with 20 words each, of which some turn all answers."""
    sums = [(30.0 * (n < turning), 30.0) for n in range(20)]
    return WordSums(sums, (15.0 * turning, 15.0 * turning, 300.0))


@pytest.mark.parametrize(("turning", "found_it"), [(1, False), (2, False), (4, True), (8, True)])
def test_errors_of_a_few_words_are_found_and_of_one_are_not(turning: int, found_it: bool) -> None:
    """Sixty texts, 20 words a side: errors against none of placebo mutants (4: p was 0.08)."""
    rate = turning / 20
    texts = [(turning, 20, 0, 20)] * 60
    found = paired_difference(texts, [words_of(turning), words_of(0)])
    assert found.value == pytest.approx(rate)
    assert found.p_value is not None
    assert (found.p_value < 0.05) is found_it
    assert paired_difference(texts).p_value == pytest.approx(0, abs=1e-6)


def test_the_texts_that_are_needed_find_what_is_planned() -> None:
    rng = numpy.random.default_rng(8)
    cases = [(20, 6), (4, 2), (0, 5)]
    needed = texts_needed(cases, (0.25, 0.1), 0.1)
    assert needed is not None
    found = 0
    for _ in range(300):
        n, m = numpy.array([cases[i] for i in rng.integers(0, 3, needed)]).T
        sides = [
            rng.binomial(of, rng.beta(9 * rate, 9 * (1 - rate), needed)).tolist()
            for rate, of in ((0.25, n), (0.1, m))
        ]
        texts = list(zip(sides[0], n.tolist(), sides[1], m.tolist(), strict=True))
        found += (paired_difference(texts).p_value or 1) < 0.05
    assert 0.7 < found / 300 < 0.9
    assert texts_needed(cases, (0.15, 0.1), 0.1) or 5 * needed < 0
    assert texts_needed([(20, 0)], (0.25, 0.1), 0.1) is None


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
    assert 0.3 <= (nothing.high or 0) < 0.4  # the rule of three: up to 3 of 10 texts may differ
    assert paired_difference([]).value is None
    assert paired_difference([(1, 2, 0, 2)]).low is None


@pytest.mark.parametrize(
    ("share", "within", "texts", "cases"),
    [(0.005, 1.0, 200, 9), (0.01, 1.0, 60, 30), (0.02, 0.5, 30, 6), (0.05, 1.0, 12, 30)],
)
def test_errors_of_few_texts_are_within_the_interval(
    share: float, within: float, texts: int, cases: int
) -> None:
    """Most samples have no text that errs; the mutants of one text err together."""
    rng, truth, missed = numpy.random.default_rng(12), share * within, 0
    for _ in range(200):
        errs = rng.binomial(cases, within, texts) * (rng.random(texts) < share)
        found = paired_difference(Counter((int(hits), cases, 0, 6) for hits in errs))
        assert found.low is not None
        assert found.high is not None
        missed += not found.low <= truth <= found.high
    assert missed <= 0.06 * 200


@given(
    st.lists(
        st.tuples(*[st.integers(1, 9)] * 4).map(lambda n: (min(n[:2]), max(n[:2]), *n[2:])),
        min_size=2,
        max_size=40,
    ),
    st.randoms(use_true_random=False),
)
def test_a_difference_is_the_same_to_the_last_digit_in_any_order(
    sources: list[tuple[int, int, int, int]], chance: random.Random
) -> None:
    words = [WordSums([(a, n) for a, n, _, _ in sources], (1.0, 1.0, 1.0))] * 2
    found = paired_difference(sources, words)
    chance.shuffle(sources)
    words = [one._replace(sums=chance.sample(list(one.sums), len(sources))) for one in words]
    assert paired_difference(sources, words) == found


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
    one, two = cluster_rate(second), cluster_rate(first)
    found = independent_difference(one, two)
    assert found.value == pytest.approx((one.share or 0) - (two.share or 0))
    assert found.low == pytest.approx(
        (found.value or 0)
        - math.hypot((one.share or 0) - ends(one)[0], ends(two)[1] - (two.share or 0))
    )
    assert found.p_value is None
    assert independent_difference(cluster_rate([]), two).value is None
    assert independent_difference(cluster_rate([(1, 2)]), two).low is None


def test_with_one_case_a_text_the_tests_are_one() -> None:
    for errors in (0, 1, 7, 20):
        texts = [(1, 1)] * errors + [(0, 1)] * (20 - errors)
        assert one_sided_test(texts, 0.3) == pytest.approx(binomial(errors, 20, 0.3))
        assert ends(cluster_rate(texts)) == pytest.approx(ends(wilson(errors, 20)))


def test_copies_of_a_case_add_nothing() -> None:
    """Nine equal mutants of every text: what ten texts show, and not what ninety cases would."""
    once, often = [(1, 1)] * 6 + [(0, 1)] * 4, [(9, 9)] * 6 + [(0, 9)] * 4
    assert ends(cluster_rate(often)) == pytest.approx(ends(cluster_rate(once)))
    assert one_sided_test(often, 0.3) == pytest.approx(binomial(6, 10, 0.3))
    assert one_sided_test(often, 0.3) > 100 * binomial(54, 90, 0.3)
    assert one_sided_test([(9, 9)] * 4, 0.5) == pytest.approx(0.5**4)


def test_one_text_is_no_evidence() -> None:
    assert one_sided_test([(50, 50)], 0.01) == 1
    assert one_sided_test([(1, 1)], 0.01) == 1
    assert one_sided_test([], 0.01) == 1


@pytest.mark.parametrize(("share", "texts"), [(0.1, 40), (0.3, 40), (0.5, 20), (0.7, 80)])
def test_clustered_errors_are_rarely_beyond_chance(share: float, texts: int) -> None:
    """Texts have error rates of their own around ``share``; cases as if independent find much."""
    rng = numpy.random.default_rng(5)
    own: list[float] = []
    alone: list[float] = []
    for _ in range(1000):
        cases = rng.integers(1, 10, texts)
        errors = rng.binomial(cases, rng.beta(share, 1 - share, texts))
        own.append(one_sided_test(zip(errors.tolist(), cases.tolist(), strict=True), share))
        alone.append(binomial(int(errors.sum()), int(cases.sum()), share))
    assert 0.02 < fmean(p < 0.05 for p in own) < 0.08
    assert fmean(p < 0.05 for p in alone) > 0.14


def test_a_rate_that_is_higher_is_found_through_the_clusters() -> None:
    rng = numpy.random.default_rng(6)
    found = 0
    for _ in range(200):
        cases = rng.integers(1, 10, 60)
        errors = rng.binomial(cases, rng.beta(0.5, 0.5, 60))
        found += one_sided_test(zip(errors.tolist(), cases.tolist(), strict=True), 0.2) < 0.001
    assert found > 190
