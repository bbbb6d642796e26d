"""Words that change answers more often than others stand out, and only those."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running.engines import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.generators.grammars.reading import load_grammar
from hinter_core.generators.grammars.sampling import Sentences
from hinter_core.report.metrics.diagnosis import (
    _of,
    _Pair,
    anomaly_indices,
    diagnose,
    weights_of,
)

GRAMMAR = """
start: sentence
rules:
  sentence:
    - <When> the <who> smiled.
    - The <who> smiled <when>.
  when: [yesterday, last night, on Friday]
sensitive:
  who: [nurse, clerk, cook]
"""


def test_words_that_begin_a_sentence_are_those_of_their_list(tmp_path: Path) -> None:
    path = tmp_path / "days.yaml"
    path.write_text(GRAMMAR, encoding="utf-8")
    rules = 'scripted:bad if "yesterday" and "cook"; good otherwise'
    campaign = Campaign(grammar=str(path), sentences=18, models=(rules,), order=1, placebo=False)
    store = CampaignStore(tmp_path / "out")
    run_campaign(campaign, store)
    with CampaignReader(store) as reader:
        found = diagnose(reader, rules)
    words = {one.word for one in found if one.attribute == "when"}
    assert words == {"yesterday", "last night", "on Friday"}
    weights = weights_of(found, smooth=1)
    assert Sentences(load_grammar(str(path)), weights).count == 18  # each is a word of the grammar


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


def pairs_of(word: str, changed: int, texts: int) -> list[_Pair]:
    """Return pairs of a word with ten others, changed in some texts, among pairs of the others."""
    others = [f"other {number}" for number in range(10)]
    own = [
        _Pair(frozenset((word, other)), row, int(row < changed), 1)
        for row in range(texts)
        for other in others
    ]
    rest = [
        _Pair(frozenset(both), 100 + row, 0, 1) for row in range(40) for both in pairwise(others)
    ]
    return own + rest


@pytest.mark.parametrize(
    ("changed", "texts", "stands_out"), [(2, 2, False), (2, 5, True), (1, 30, False), (4, 4, False)]
)
def test_a_word_of_few_texts_does_not_stand_out(changed: int, texts: int, stands_out: bool) -> None:
    found = {one.word: one for one in _of("x", pairs_of("nurse", changed, texts))}
    nurse = found.pop("nurse")
    assert (nurse.stands_out, nurse.too_few) == (stands_out, not stands_out)
    assert not any(one.stands_out for one in found.values())


def test_a_word_whose_interval_holds_the_rate_of_the_others_does_not_stand_out() -> None:
    # Three words of one text in five, one of two in five: above by the index alone.
    pairs = [
        _Pair(frozenset((word,)), row, int(row < hits), 1)
        for word, hits in {"a": 1, "b": 1, "c": 1, "d": 2}.items()
        for row in range(5)
    ]
    found = {one.word: one for one in _of("x", pairs)}
    assert found["d"].index == inf
    assert not found["d"].stands_out
    assert found["d"].too_few
