"""Words that change answers more often than others stand out, and only those."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.report.metrics.diagnosis import anomaly_indices


def test_an_index_is_the_distance_in_scaled_deviations() -> None:
    # Median 3; deviations 2, 1, 0, 1, 97: their median is 1.
    found = anomaly_indices({"a": 1, "b": 2, "c": 3, "d": 4, "e": 100})
    assert found["c"] == 0
    assert found["d"] == pytest.approx(1 / 1.4826, abs=1e-4)
    assert found["e"] == pytest.approx(97 / 1.4826, abs=1e-2)
    assert anomaly_indices({"a": 0, "b": 0, "c": 0.5}) == {"a": 0, "b": 0, "c": inf}
    assert anomaly_indices({}) == {}


@given(st.dictionaries(st.text(), st.floats(0, 1), min_size=1), st.floats(0.1, 2))
def test_indices_do_not_depend_on_the_scale(shares: dict[str, float], scale: float) -> None:
    found = anomaly_indices(shares)
    again = anomaly_indices({word: share * scale for word, share in shares.items()})
    for word, index in found.items():
        if abs(index) < 1e6:
            assert again[word] == pytest.approx(index, rel=1e-6, abs=1e-6)
    ordered = sorted(shares, key=lambda word: shares[word])
    assert [found[word] for word in ordered] == sorted(found.values())
