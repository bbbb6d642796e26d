"""A fall or a rise of errors is said where it is more than a few mutants by chance."""

from __future__ import annotations

import pytest

from hinter_core.repair.card import sections_of
from hinter_core.repair.figures import Errors, Measured, RepairResult
from hinter_core.statistics.rates import Rate, wilson
from hinter_ui.repair.html import _fall


def errors(single: int, combined: int, of: int = 100) -> Errors:
    return Errors(wilson(single, of), wilson(combined, of), 0, (0, 0), None)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (errors(20, 20), errors(19, 20), "no change beyond the intervals"),
        (errors(20, 20), errors(20, 21), "no change beyond the intervals"),
        (errors(20, 20), errors(20, 20), "no change beyond the intervals"),
        (errors(20, 20), errors(5, 20), "fell by 38"),
        (errors(20, 20), errors(20, 50), "rose by 75"),
        (errors(0, 0), errors(0, 0), "no error"),
        (Errors(wilson(20, 100), Rate(0, 0), 0, (0, 0), None),
         Errors(wilson(2, 100), Rate(0, 0), 0, (0, 0), None), "fell by 90"),
    ],
)  # fmt: skip
def test_a_change_is_named_where_it_is_clear(before: Errors, after: Errors, said: str) -> None:
    one = Measured("texts", before, after)
    (section,) = sections_of(RepairResult("m", {}, (wilson(1, 2), wilson(1, 2)), [one]))
    assert said in section.sentences[-1]
    assert said in _fall(one)
    assert "20.0 % of the variants before" in _fall(one) or "no change" not in said
