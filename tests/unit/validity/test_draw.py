"""Samples are spread over strata, and within a stratum over texts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.validity.draw import Candidate, Stratum, StratumCandidates, balanced, weights
from tests.examples import examples

# The number of mutants of each text, by stratum.
MADE = st.lists(st.dictionaries(st.integers(0, 6), st.integers(1, 8), min_size=1), min_size=1)


def candidates(
    made: list[dict[int, int]],
) -> dict[Stratum, StratumCandidates[tuple[int, int, int]]]:
    return {
        ((f"a{stratum}",), "hidden"): StratumCandidates(
            sum(of_text.values()),
            [
                Candidate((stratum, text, n), text, of_text[text])
                for n in range(8) for text in of_text if n < of_text[text]
            ],
        )
        for stratum, of_text in enumerate(made)
    }  # fmt: skip


@examples(200)
@given(made=MADE, limit=st.integers(1, 60))
def test_no_text_is_chosen_again_while_another_has_less(
    made: list[dict[int, int]], limit: int
) -> None:
    every = candidates(made)
    chosen = balanced(every, limit)
    assert sum(map(len, chosen.values())) == min(limit, sum(one.size for one in every.values()))
    assert chosen == balanced(every, limit)
    # Play it again: each is of a text that has been chosen least, of those left in its stratum.
    used: Counter[object] = Counter()
    left = {name: list(one.best) for name, one in every.items()}
    for turn in range(max(map(len, chosen.values()))):
        for name in sorted(chosen):
            if turn < len(chosen[name]):
                one = chosen[name][turn]
                assert used[one.text] == min(used[other.text] for other in left[name])
                left[name].remove(one)
                used[one.text] += 1
    represented = weights(every, chosen)
    for name, some in chosen.items():
        assert sum(represented[one.place] for one in some) == pytest.approx(every[name].size)
        if len(some) == every[name].size:
            assert all(represented[one.place] == pytest.approx(1) for one in some)
