"""Agreement is that of scikit-learn, statsmodels and the definition on random tables."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from hinter_core.annotation.evaluation.agreement import agreement, counts_of
from hinter_core.annotation.evaluation.answers import ByItem
from hinter_core.annotation.project.types import Answer, Question
from hinter_core.statistics import agreement as coefficients
from hinter_core.statistics.agreement import alpha, cohen, fleiss

VALUES = ("a", "b", "c", "d")
MISSING = ""
Table = list[list[str]]  # an item a line, an annotator a column


def question(*, scale: bool = False) -> Question:
    return Question("q", "?", tuple(Answer(value, value, value) for value in VALUES), scale=scale)


@st.composite
def tables(draw: st.DrawFn, *, missing: bool) -> Table:
    """Answers that lean on a truth, so that agreement is of any size."""
    raters = draw(st.integers(2, 4))
    values = st.sampled_from(VALUES[: draw(st.integers(1, 4))])
    lines = []
    for _ in range(draw(st.integers(1, 15))):
        truth = draw(values)
        some = st.sampled_from(["true", "true", "other", *(["none"] if missing else [])])
        kinds = [draw(some) for _ in range(raters)]
        lines.append(
            [truth if k == "true" else MISSING if k == "none" else draw(values) for k in kinds]
        )
    return lines


def answers_in(table: Table) -> ByItem:
    rows = ({f"r{m}": value for m, value in enumerate(line) if value != MISSING} for line in table)
    return {f"i{n}": row for n, row in enumerate(rows) if row}


def alpha_by_definition(table: Table, *, ordinal: bool) -> Fraction:
    """Krippendorff's alpha, exactly: disagreement within items over that of any two answers."""
    paired = [[v for v in line if v] for line in table if sum(map(bool, line)) > 1]
    every = [value for line in paired for value in line]

    def distance(a: str, b: str) -> Fraction:
        if not ordinal:
            return Fraction(a != b)
        low, high = sorted((a, b))
        between = sum(low <= value <= high for value in every)
        return (between - Fraction(every.count(low) + every.count(high), 2)) ** 2 * (a != b)

    within = sum(
        distance(a, b) / (len(line) - 1) for line in paired for a, b in permutations(line, 2)
    ) / len(every)
    chance = sum(distance(a, b) for a, b in permutations(every, 2))
    return 1 - within / (chance / (len(every) * (len(every) - 1)))


@given(tables(missing=True))
def test_cohen_is_that_of_scikit_learn(table: Table) -> None:
    both = [(line[0], line[1]) for line in table if line[0] and line[1]]
    found = cohen([(VALUES.index(a), VALUES.index(b)) for a, b in both])
    assert found.items == len(both)
    if len({value for pair in both for value in pair}) < 2:
        assert found.value is None
        assert found.why
    else:
        expected = cohen_kappa_score(*zip(*both, strict=True))
        assert found.value == pytest.approx(expected, abs=1e-9)


@given(tables(missing=True), st.booleans())
def test_alpha_is_that_of_its_definition(table: Table, ordinal: bool) -> None:
    found = agreement(answers_in(table), question(scale=ordinal)).alpha
    paired = [line for line in table if sum(map(bool, line)) > 1]
    if len({value for line in paired for value in line if value}) < 2:
        assert found.value is None
        assert found.why
        return
    assert found.items == len(paired)
    expected = float(alpha_by_definition(table, ordinal=ordinal))
    assert found.value == pytest.approx(expected, abs=1e-12)


@given(tables(missing=True))
def test_fleiss_is_that_of_statsmodels_on_items_with_equal_numbers(table: Table) -> None:
    found = agreement(answers_in(table), question())
    lines = [line for line in table if sum(map(bool, line)) == found.raters]
    numbers = [sum(map(bool, line)) for line in table]
    if found.raters:
        assert all(numbers.count(found.raters) >= numbers.count(n) for n in set(numbers) - {0, 1})
    if not found.raters or len({value for line in lines for value in line if value}) < 2:
        assert found.fleiss.value is None
        assert found.fleiss.why
        return
    counts = numpy.array([[line.count(value) for value in VALUES] for line in lines])
    assert found.fleiss.value == pytest.approx(fleiss_kappa(counts), abs=1e-9)
    assert found.fleiss.items == len(lines)


@given(tables(missing=False))
def test_all_resamples_at_once_are_what_the_libraries_say_of_one(table: Table) -> None:
    """Sums over items give the figure itself, so those over resamples give the resamples'."""
    answers = answers_in(table)
    counts = counts_of(answers, VALUES)
    counts = counts[:, counts.sum(axis=0) > 0]
    many = counts[0].sum()
    same = ((counts**2).sum(axis=1) - many) / (many * (many - 1))
    lines = numpy.column_stack([counts, same, numpy.ones(len(counts))])
    pairs = counts[:, :, None] * counts[:, None, :] - numpy.stack([numpy.diag(c) for c in counts])
    flat = (pairs / (many - 1)).reshape(len(counts), -1)
    two = [(VALUES.index(line[0]), VALUES.index(line[1])) for line in table]
    cells = numpy.array([two.count((a, b)) for a in range(4) for b in range(4)])
    with numpy.errstate(divide="ignore", invalid="ignore"):
        at_once = [
            (coefficients._cohens(cells[None]), cohen(two)),
            (coefficients._fleisses(lines.sum(axis=0)[None]), fleiss(counts)),
            (coefficients._nominals(flat.sum(axis=0)[None]), alpha(counts)),
            (coefficients._ordinals(flat.sum(axis=0)[None]), alpha(counts, ordinal=True)),
        ]
    for drawn, found in at_once:
        if found.value is None:
            assert math.isnan(drawn[0])
        else:
            assert drawn[0] == pytest.approx(found.value, abs=1e-9)


@given(tables(missing=True))
def test_no_number_is_nan_and_none_is_without_a_reason(table: Table) -> None:
    found = agreement(answers_in(table), question())
    every = [found.fleiss, found.alpha, *(pair.kappa for pair in found.pairs)]
    for one in every:
        if one.value is None:
            assert one.why
            assert one.low is None
        else:
            assert math.isfinite(one.value)
        if one.low is not None:
            assert one.high is not None
            assert one.low <= one.high
        else:
            assert one.why
