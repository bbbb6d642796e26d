"""Statistics against values known from tables, textbooks and sums done by hand."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy
import pytest

from hinter_core.statistics.format import (
    difference_in_words,
    estimate_in_words,
    hidden_in_words,
    percent,
    points,
    rate_in_words,
    share_in_words,
)
from hinter_core.statistics.rates import (
    Difference,
    Estimate,
    Rate,
    WeightedShare,
    benjamini_hochberg,
    binomial,
    estimate,
    higher_values,
    holm,
    mcnemar,
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
    # Exact at the ends: no lower end of 3e-17 above a share of 0.
    assert [wilson(0, of).low for of in (3, 10, 35, 420)] == [0.0] * 4
    assert [wilson(of, of).high for of in (3, 10, 35, 420)] == [1.0] * 4


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


def test_benjamini_and_hochberg_by_hand() -> None:
    # Sorted 0.01, 0.02, 0.03, 0.5 times 4/1, 4/2, 4/3, 4/4; then the least from the right.
    assert benjamini_hochberg([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.04, 0.04])
    assert benjamini_hochberg([0.01, 0.04]) == pytest.approx([0.02, 0.04])
    assert benjamini_hochberg([]) == []


def test_in_words() -> None:
    assert rate_in_words(Rate(0, 0)) == "no case"
    assert rate_in_words(Rate(1, 8)) == "1 of 8 (12.5 %)"
    assert (
        rate_in_words(wilson(1200, 8000)) == "1,200 of 8,000 (15.0 %, 95 % interval 14.2 to 15.8)"
    )
    assert [hidden_in_words(Rate(*pair)) for pair in ((0, 1), (1, 1), (0, 4), (1, 4))] == [
        "it is not hidden", "it is hidden", "none of them is hidden",
        "of these, 1 of 4 (25.0 %) are hidden",
    ]  # fmt: skip
    assert difference_in_words(Difference(None)) == "nothing to compare with"
    assert points(Difference(-0.25, -0.5, 0.5)) == "\u221225.0 [\u221250.0,\u00a0+50.0]"
    assert difference_in_words(Difference(-0.25)) == "25.0 points lower"
    for value, low, high, words in (
        (-0.052, -0.107, 0.002, "5.2 points lower (95 % interval 10.7 lower to 0.2 higher)"),
        (-0.052, -0.107, -0.01, "5.2 points lower (95 % interval 1.0 to 10.7)"),
        (-0.052, -0.107, 0.0001, "5.2 points lower (95 % interval 0.0 to 10.7)"),
        (0.031, -0.004, 0.066, "3.1 points higher (95 % interval 0.4 lower to 6.6 higher)"),
        (0.1, 0.03, 0.2, "10.0 points higher (95 % interval 3.0 to 20.0)"),
        (
            0.0,
            -0.16,
            0.16,
            "neither lower nor higher (95 % interval 16.0 points lower to 16.0 higher)",
        ),
    ):
        assert difference_in_words(Difference(value, low, high)) == words
    assert difference_in_words(Difference(-0.0004)) == "neither lower nor higher"


def cell_of(sample: list[tuple[bool, float]], total: int | None = None) -> WeightedShare:
    """A cell of cases that are each of a text of their own."""
    own = [(hit, weight, f"text {n}") for n, (hit, weight) in enumerate(sample)]
    return weighted_share(own, total)


def test_a_cell_by_hand() -> None:
    """Weights 1, 1 and 4: share 4/6, left-out residuals -2/15, -2/15 and 2/3 of three texts."""
    variance = 2 / 3 * (2 * (2 / 15) ** 2 + (2 / 3) ** 2)
    shrunk = (1.959964 / 4.302653) ** 2  # by Student's quantile of 2 degrees of freedom
    assert cell_of([(False, 1), (False, 1), (True, 4)]) == WeightedShare(
        6, pytest.approx(2 / 3), pytest.approx(2 / 9 / variance * shrunk)
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


def test_a_small_share_does_not_read_as_none() -> None:
    assert share_in_words(1 / 2112) == "<0.1\u00a0%"
    assert share_in_words(2111 / 2112) == ">99.9\u00a0%"
    assert percent(wilson(1, 2112)) == "<0.1\u00a0% [<0.1,\u00a00.3]"
    for share, written in ((0, "0.0"), (0.0006, "0.1"), (1 - 1e-12, "100.0"), (1, "100.0")):
        assert share_in_words(share) == f"{written}\u00a0%"


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
    """Two texts of two alike cases each, one of a kind and one not: as good as two cases."""
    alike = [(True, 1.0, "a"), (True, 1.0, "a"), (False, 1.0, "b"), (False, 1.0, "b")]
    assert weighted_share(alike) == WeightedShare(4, 0.5, 2.0)
    mixed = [(True, 1.0, "a"), (False, 1.0, "a"), (True, 1.0, "b"), (False, 1.0, "b")]
    # Texts do not differ, but two of them say little of that.
    assert weighted_share(mixed).effective == pytest.approx(4 * (1.959964 / 4.302653) ** 2)
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


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]
