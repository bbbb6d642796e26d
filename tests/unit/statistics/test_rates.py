"""Statistics against values known from tables, textbooks and sums done by hand."""

from __future__ import annotations

import random
from collections.abc import Iterable
from statistics import fmean

import numpy
import pytest

from hinter_core.statistics.format import (
    difference_in_words,
    estimate_in_words,
    percent,
    rate_in_words,
)
from hinter_core.statistics.rates import (
    Clusters,
    Estimate,
    Rate,
    WeightedShare,
    benjamini_hochberg,
    binomial,
    cluster_rate,
    cluster_wilson,
    estimate,
    mcnemar,
    one_sided_test,
    paired_difference,
    weighted_share,
    wilson,
)


def test_wilson_at_the_edges_and_in_the_middle() -> None:
    none = wilson(0, 10)
    assert (none.share, none.low) == (0, pytest.approx(0, abs=1e-12))
    assert none.high == pytest.approx(1.959964**2 / (10 + 1.959964**2), abs=1e-6)  # 0.2775
    every = wilson(10, 10)
    assert every.low == pytest.approx(1 - (none.high or 0))
    half = wilson(5, 10)
    assert (half.low, half.high) == (
        pytest.approx(0.2366, abs=1e-4),
        pytest.approx(0.7634, abs=1e-4),
    )
    assert wilson(0, 0) == Rate(0, 0, None, None)
    assert wilson(0, 0).share is None


def test_mcnemar_is_a_fair_coin_over_the_disagreements() -> None:
    assert mcnemar(0, 0) == 1
    assert mcnemar(5, 0) == pytest.approx(2 / 2**5)
    assert mcnemar(1, 6) == pytest.approx(2 * (1 + 7) / 2**7)
    assert mcnemar(1, 6) == mcnemar(6, 1)


def test_the_binomial_test_asks_for_more_not_for_less() -> None:
    assert binomial(3, 3, 0.5) == pytest.approx(1 / 8)
    assert binomial(0, 3, 0.5) == 1
    assert binomial(2, 3, 0.5) == pytest.approx(4 / 8)
    assert binomial(0, 0, 0.5) == 1


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


def test_benjamini_and_hochberg_by_hand() -> None:
    # Sorted 0.01, 0.02, 0.03, 0.5 times 4/1, 4/2, 4/3, 4/4; then the least from the right.
    assert benjamini_hochberg([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.04, 0.04])
    assert benjamini_hochberg([0.01, 0.04]) == pytest.approx([0.02, 0.04])
    assert benjamini_hochberg([]) == []


def test_texts_count_not_mutants() -> None:
    """Ten texts of 100 mutants each, all or none of them errors: ten observations, not 1,000."""
    found = cluster_rate([(100, 100)] * 3 + [(0, 100)] * 7)
    assert (found.hits, found.of, found.share) == (300, 1000, 0.3)
    # The number of erring texts in a resample is binomial(10, 0.3): its 95 % lie within 0.0-0.6.
    assert found.low == pytest.approx(0, abs=0.101)
    assert found.high == pytest.approx(0.6, abs=0.101)
    alone = wilson(300, 1000)
    assert alone.low is not None
    assert found.low is not None
    assert found.low < alone.low


def test_an_interval_by_resampling_covers_as_often_as_it_says() -> None:
    rng, inside = random.Random(5), 0
    for trial in range(200):
        texts = [(sum(rng.random() < 0.3 for _ in range(3)), 3) for _ in range(60)]
        found = cluster_rate(texts, seed=trial)
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= 0.3 <= found.high
    assert 180 <= inside <= 198


def test_where_resampling_shows_nothing_wilson_speaks() -> None:
    assert cluster_rate([(0, 5)] * 10).high == wilson(0, 10).high
    assert cluster_rate([(5, 5)] * 10).low == wilson(10, 10).low
    assert cluster_rate([(2, 5)]) == Rate(2, 5)
    assert cluster_rate([(2, 5), (0, 0)]) == Rate(2, 5)
    assert cluster_rate([]) == Rate(0, 0)
    assert cluster_rate([(1, 4), (0, 9)], seed=3) == cluster_rate([(1, 4), (0, 9)], seed=3)


def test_excess_is_a_difference_on_the_same_texts() -> None:
    texts = [(2, 4, 1, 4)] * 10 + [(4, 4, 0, 4)] * 10
    found = paired_difference([*texts, (9, 9, 0, 0)])  # the last has no placebo
    assert found.value == pytest.approx(60 / 80 - 10 / 80)
    assert found.low is not None
    assert found.high is not None
    assert 0.4 < found.low < 0.625 < found.high < 0.85
    nothing = paired_difference([(0, 4, 0, 4)] * 10)
    assert nothing.value == 0
    assert nothing.low == pytest.approx(-(wilson(0, 10).high or 0))
    assert nothing.high == pytest.approx(wilson(0, 10).high)
    assert paired_difference([]).value is None
    assert paired_difference([(1, 2, 0, 2)]).low is None


def test_in_words() -> None:
    assert rate_in_words(Rate(0, 0)) == "no case"
    assert rate_in_words(Rate(1, 8)) == "1 of 8 (12.5 %)"
    assert (
        rate_in_words(wilson(1200, 8000)) == "1,200 of 8,000 (15.0 %, 95 % interval 14.2 to 15.8)"
    )
    assert difference_in_words(paired_difference([])) == "nothing to compare with"
    assert difference_in_words(paired_difference([(1, 4, 2, 4)])) == "25.0 points lower"


def cell_of(sample: list[tuple[bool, float]], total: int | None = None) -> WeightedShare:
    """A cell of cases that are each of a text of their own."""
    own = [(hit, weight, f"text {n}") for n, (hit, weight) in enumerate(sample)]
    return weighted_share(own, total)


def test_a_cell_by_hand() -> None:
    """Weights 1, 1 and 4: share 4/6, effective number 36/18 = 2."""
    assert cell_of([(False, 1), (False, 1), (True, 4)]) == WeightedShare(
        6, pytest.approx(2 / 3), 2.0
    )


def test_equal_weights_are_worth_what_they_are() -> None:
    assert cell_of([(True, 5.0)] * 3 + [(False, 5.0)]) == WeightedShare(20, 0.75, 4.0)


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
    assert cell == WeightedShare(7.0, None)
    found = estimate([cell], lambda shares: shares[0])
    assert found.value is None
    assert estimate_in_words(found) == "not known, as a part of it was not judged"
    assert percent(found) == "\u2013"
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


def test_cases_of_one_text_are_worth_less() -> None:
    """Two texts of two alike cases each, one of a kind and one not: as good as two cases.

    Between texts 2 * 1**2 * 2/1 = 4, between cases 4 * 0.5**2 * 4/3 = 4/3: an effect of 3, of 4.
    """
    alike = [(True, 1.0, "a"), (True, 1.0, "a"), (False, 1.0, "b"), (False, 1.0, "b")]
    assert weighted_share(alike) == WeightedShare(4, 0.5, pytest.approx(4 / 3))
    mixed = [(True, 1.0, "a"), (False, 1.0, "a"), (True, 1.0, "b"), (False, 1.0, "b")]
    assert weighted_share(mixed).effective == 4.0  # texts do not differ
    one_voice = [(True, 1.0, "a")] * 6 + [(True, 1.0, "b")] * 2
    assert weighted_share(one_voice).effective == pytest.approx(64 / 40)
    assert weighted_share([(True, 1.0, "a"), (False, 1.0, "a")]).effective == 1.0


def test_a_share_of_texts_that_are_alike_holds_the_truth() -> None:
    """Forty texts of five cases each; 70 % of texts have only cases of the kind, others none."""
    covered = naive = 0
    for seed in range(200):
        rng = numpy.random.default_rng(seed)
        kinds = (rng.random(40) < 0.7).tolist()
        sample = [(kind, 1.0, f"{n}") for n, kind in enumerate(kinds) for _ in range(5)]
        found = estimate([weighted_share(sample)], lambda shares: shares[0], seed=seed)
        alone = estimate([cell_of([c[:2] for c in sample])], lambda shares: shares[0], seed=seed)
        covered += (found.low or 0) <= 0.7 <= (found.high or 0)
        naive += (alone.low or 0) <= 0.7 <= (alone.high or 0)
    assert covered >= 182  # of 200
    assert naive < 160
