"""Kappas and alpha: examples worked by hand and published ones, intervals, what is not defined."""

from __future__ import annotations

import numpy
import pytest

from hinter_core.statistics.agreement import Coefficient, alpha, cohen, fleiss
from hinter_core.statistics.format import coefficient_in_short, coefficient_in_words, strength


def pairs(table: list[list[int]]) -> numpy.ndarray:
    """The items of a table of first against second answers."""
    cells = [(a, b) for a, line in enumerate(table) for b, many in enumerate(line)
             for _ in range(many)]  # fmt: skip
    return numpy.array(cells, dtype=int).reshape(-1, 2)


def test_cohen_by_hand() -> None:
    """Of 50 items, 20 yes-yes and 15 no-no: observed 35/50 = 0.70.

    Marginals yes 25 and 30, no 25 and 20: by chance (25*30 + 25*20) / 2500 = 0.50.
    Kappa (0.70 - 0.50) / (1 - 0.50) = 0.40.
    """
    found = cohen(pairs([[20, 5], [10, 15]]))
    assert found.value == pytest.approx(0.4)
    assert found.items == 50
    assert found.low is not None
    assert found.high is not None
    # Its standard error (Fleiss, Cohen and Everitt 1969) is 0.128: 0.15 to 0.65 around it.
    assert found.low == pytest.approx(0.15, abs=0.03)
    assert found.high == pytest.approx(0.65, abs=0.03)


def test_cohen_below_chance() -> None:
    """Always the opposite: observed 0, by chance 0.5, kappa (0 - 0.5) / 0.5 = -1."""
    found = cohen(pairs([[0, 5], [5, 0]]))
    assert found.value == pytest.approx(-1.0)
    assert coefficient_in_words(found).startswith("-1.000, poor; no interval")


def test_fleiss_published() -> None:
    """Ten subjects, fourteen raters, five categories: the worked table that goes with the paper.

    Mean agreement 0.378, by chance 0.213, kappa 0.210.
    """
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    assert fleiss(numpy.array(counts)).value == pytest.approx(0.210, abs=5e-4)


def test_fleiss_by_hand() -> None:
    """Three items, three raters: (3,0), (0,3), (2,1).

    Agreement in the items 1, 1 and 1/3: mean 7/9. Answers 5 and 4 of 9: by chance 41/81.
    Kappa (63/81 - 41/81) / (40/81) = 22/40 = 0.55.
    """
    assert fleiss(numpy.array([[3, 0], [0, 3], [2, 1]])).value == pytest.approx(0.55)


def krippendorffs() -> numpy.ndarray:
    """Four observers, twelve units, five values, with gaps (Krippendorff 2011, example C)."""
    observers = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    counts = [[unit.count(value) for value in "12345"] for unit in
              ("".join(o[n] for o in observers) for n in range(12))]  # fmt: skip
    return numpy.array(counts)


def test_alpha_published() -> None:
    found = alpha(krippendorffs())
    assert found.value == pytest.approx(0.743, abs=5e-4)
    assert found.items == 11  # the twelfth unit has one answer
    assert alpha(krippendorffs(), ordinal=True).value == pytest.approx(0.815, abs=5e-4)


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        ("0100000010", "1110010000", 0.095),  # example A: two values
        ("aabbdcccedda", "babbbccceddd", 0.692),  # example B: five values
    ],
)
def test_alpha_of_two_observers_published(first: str, second: str, value: float) -> None:
    """Krippendorff 2011, "Computing Krippendorff's alpha-reliability"."""
    values = sorted({*first, *second})
    counts = [[(a + b).count(v) for v in values] for a, b in zip(first, second, strict=True)]
    assert alpha(numpy.array(counts)).value == pytest.approx(value, abs=5e-4)


def test_alpha_by_hand() -> None:
    """Two raters, four items: aa, aa, bb, ab.

    Coincidences: aa 4, bb 2, ab and ba 1 each; values a 5, b 3 of 8.
    Observed disagreement 2/8, by chance 2*5*3 / (8*7) = 30/56. Alpha 1 - (1/4)/(30/56) = 8/15.
    """
    assert alpha(numpy.array([[2, 0], [2, 0], [0, 2], [1, 1]])).value == pytest.approx(8 / 15)


def test_a_near_miss_counts_less_on_a_scale() -> None:
    near = numpy.array([[2, 0, 0], [1, 1, 0], [0, 2, 0], [0, 1, 1], [0, 0, 2]])
    far = numpy.array([[2, 0, 0], [1, 0, 1], [0, 2, 0], [1, 0, 1], [0, 0, 2]])
    assert (alpha(near, ordinal=True).value or 0) > (alpha(near).value or 0)
    assert (alpha(far, ordinal=True).value or 0) < (alpha(far).value or 0)


def test_full_agreement_has_no_interval_and_says_why() -> None:
    counts = numpy.array([[3, 0], [0, 3], [3, 0]])
    for found in (fleiss(counts), alpha(counts), cohen(pairs([[2, 0], [0, 1]]))):
        assert (found.value, found.low, found.why) == (1.0, None, "no two answers differ")
        assert (
            coefficient_in_words(found)
            == "1.000, almost perfect; no interval, as no two answers differ"
        )


def test_what_is_not_defined_says_why() -> None:
    for found in (
        cohen(pairs([[7, 0], [0, 0]])),
        fleiss(numpy.array([[3, 0]] * 4)),
        alpha(numpy.array([[3, 0], [2, 0]])),
    ):
        assert found.value is None
        assert coefficient_in_words(found).startswith(
            "not defined, as all answers are the same one"
        )
        assert coefficient_in_short(found) == "\u2013"
    for found in (
        cohen(pairs([])),
        fleiss(numpy.zeros((0, 2), int)),
        fleiss(numpy.array([[1, 0], [0, 1]])),
        alpha(numpy.array([[1, 0], [0, 1]])),
    ):
        assert found == Coefficient(None, 0, why="no item was judged by two people")


def test_one_who_always_says_the_same_is_at_chance() -> None:
    assert cohen(pairs([[6, 4], [0, 0]])).value == pytest.approx(0.0)


def test_fleiss_refuses_unequal_numbers() -> None:
    with pytest.raises(ValueError, match="same number"):
        fleiss(numpy.array([[2, 1], [1, 1]]))


def test_one_item_has_no_interval() -> None:
    found = alpha(numpy.array([[1, 1]]))
    assert found.value is not None
    assert found.low is None
    assert "one item" in found.why


def test_the_interval_is_seeded_and_holds_the_truth() -> None:
    """Raters who keep a fair coin's fall with probability 0.8, else throw anew: kappa 0.64.

    For two raters, the chance that both kept it is 0.64, and otherwise they agree by chance.
    """
    covered = 0
    for seed in range(60):
        rng = numpy.random.default_rng(seed)
        truth = rng.integers(0, 2, 120)
        said = [numpy.where(rng.random(120) < 0.8, truth, rng.integers(0, 2, 120))
                for _ in range(3)]  # fmt: skip
        ones = sum(said)
        found = alpha(numpy.column_stack([3 - ones, ones]), seed=seed)
        assert found == alpha(numpy.column_stack([3 - ones, ones]), seed=seed)
        covered += (found.low or 0) <= 0.64 <= (found.high or 0)
    assert covered >= 52  # of 60; at 95 %, fewer has a chance below 1 in 100


@pytest.mark.parametrize(
    ("value", "word"),
    [(-0.01, "poor"), (0.0, "slight"), (0.2, "slight"), (0.21, "fair"), (0.41, "moderate"),
     (0.6, "moderate"), (0.61, "substantial"), (0.8, "substantial"), (0.81, "almost perfect")],
)  # fmt: skip
def test_words_are_those_of_landis_and_koch(value: float, word: str) -> None:
    assert strength(value) == word


def test_resamples_that_are_undefined_leave_no_interval_on_one_side_of_its_estimate() -> None:
    """Every draw with the one item that differs lies at the estimate or below it."""
    found = fleiss(numpy.array([[2, 0]] * 3 + [[1, 1]]))
    assert found.value == pytest.approx(-1 / 7)
    assert found.low is found.high is None
    assert "too few" in found.why
    never = cohen([(0, 1), (1, 0)] * 2)  # no draw agrees more often
    assert (never.value, never.low) == (-1, None)
    rng = numpy.random.default_rng(0)
    for number in (3, 4, 6, 10, 30):
        for _ in range(20):
            one = cohen([(int(a), int(b)) for a, b in rng.integers(0, 2, (number, 2))])
            if one.low is not None and one.high is not None and one.value is not None:
                assert one.low < one.value < one.high


def test_items_of_one_text_are_drawn_together() -> None:
    """Each item twice: the figure stays, and its interval is that of the items once."""
    rng = numpy.random.default_rng(0)
    once = rng.integers(0, 2, (60, 2))
    once[::2, 1] = once[::2, 0]
    twice, of = numpy.repeat(once, 2, axis=0), [f"text {n // 2}" for n in range(120)]
    counts = numpy.stack([2 - once.sum(axis=1), once.sum(axis=1)], axis=1)
    for figure, single in ((cohen, once), (fleiss, counts), (alpha, counts)):
        double = twice if single is once else numpy.repeat(counts, 2, axis=0)
        plain, apart, together = figure(single), figure(double), figure(double, of)
        assert together.value == pytest.approx(apart.value)
        assert together.items == 120
        width = [(one.high or 0) - (one.low or 0) for one in (plain, apart, together)]
        assert width[2] == pytest.approx(width[0], rel=0.1)
        assert width[1] < 0.8 * width[2]
    alone = alpha(counts[:3], ["one text"] * 3)
    assert alone.low is None
    assert "from one text or template" in alone.why
