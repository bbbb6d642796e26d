"""Samples are spread over strata, and within a stratum over texts."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

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


def spread(counts: Counter[str], of: int) -> int:
    """How much more often than the rarest of ``of`` things the most frequent one was chosen."""
    return max(counts.values()) - (min(counts.values()) if len(counts) == of else 0)


@examples(200)
@given(made=MADE, limit=st.integers(1, 60), seed=st.integers(0, 3))
def test_a_sample_has_every_stratum_and_weighs_what_it_stands_for(
    made: list[dict[int, int]], limit: int, seed: int
) -> None:
    every = candidates(made)
    chosen = balanced(every, limit, seed)
    assert chosen == balanced(every, limit, seed)
    places = {one.place for some in chosen.values() for one in some}
    assert len(places) == sum(map(len, chosen.values()))
    assert len(places) == min(limit, sum(one.size for one in every.values()))
    assert len(chosen) == min(limit, len(every))
    represented = weights(every, chosen)
    for name, some in chosen.items():
        assert sum(represented[one.place] for one in some) == pytest.approx(every[name].size)
        if len(some) == every[name].size:
            assert all(represented[one.place] == pytest.approx(1) for one in some)


@examples(200)
@given(sizes=st.tuples(*[st.integers(1, 5)] * 3), seed=st.integers(0, 9), data=st.data())
def test_outcomes_attributes_and_texts_are_each_even_for_any_limit(
    sizes: tuple[int, int, int], seed: int, data: st.DataObject
) -> None:
    outcomes, attributes, texts = sizes
    every = {
        ((f"a{a}",), f"o{o}"): StratumCandidates(
            3 * texts,
            [Candidate((a, o, text, n), text, 3) for n in range(3) for text in range(texts)],
        )
        for a, o in product(range(attributes), range(outcomes))
    }  # fmt: skip
    limit = data.draw(st.integers(1, outcomes * attributes * texts))
    places = [one.place for some in balanced(every, limit, seed).values() for one in some]
    for position, of in ((0, attributes), (1, outcomes), (2, texts)):
        assert spread(Counter(str(place[position]) for place in places), of) <= 1


@pytest.mark.parametrize("limit", [8, 12, 24, 40, 200])
def test_attributes_are_even_where_mutants_have_several(limit: int) -> None:
    """The first attribute of the alphabet takes no more than its part, and seeds differ."""
    names = ("age", "gender", "marital", "migration", "orientation", "race", "religion")
    sets = [one for order in (1, 2) for one in combinations(names, order)]
    every = {
        (one, outcome): StratumCandidates(
            48,
            [Candidate((one, outcome, text, n), text, 4) for n in range(4) for text in range(12)],
        )
        for one, outcome in product(sets, ("benign", "biased", "discarded: pos", "hidden"))
    }  # fmt: skip
    chosen = balanced(every, limit, 1)
    some = [(one.place, one.text) for found in chosen.values() for one in found]
    assert spread(Counter(name for place, _ in some for name in place[0]), len(names)) <= 2
    assert spread(Counter(place[1] for place, _ in some), 4) <= 2
    assert spread(Counter(str(text) for _, text in some), 12) <= 2
    assert chosen != balanced(every, limit, 2)
