"""Pairs of words that change answers only together are named, and sums of two words are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.metrics import interactions as module
from hinter_core.report.metrics.interactions import Sums, WordPair, interactions

WORDS, TEXTS = 6, 120  # words of each attribute


def drawn(
    seed: int, effects: float, noise: float, planted: float = 0.0
) -> dict[tuple[str, str, str], list[Sums]]:
    """Draw answers of a model that adds up the effects of two words, and noise of each text.

    An answer is the sign of the sum; ``planted`` is what the words 0 add only together.
    """
    rng = np.random.default_rng(seed)
    first, second = rng.normal(0, effects, WORDS), rng.normal(0, effects, WORDS)
    together = np.zeros((WORDS, WORDS))
    together[0, 0] = planted
    found: dict[tuple[str, str, str], list[Sums]] = {}
    for _ in range(TEXTS):
        scores = rng.normal(0, 1) + first[:, None] + second[None, :] - together
        answers = scores + rng.normal(0, noise, (WORDS, WORDS)) > 0
        a, b = rng.integers(WORDS, size=2)
        changed = answers != answers[a, b]
        for i in range(WORDS):
            for j in range(WORDS):
                if i != a and j != b:
                    own = (1, int(changed[i, j]), int(changed[i, b]), int(changed[a, j]))
                    answer = "positive" if answers[a, b] else "negative"
                    found.setdefault((f"a{i}", f"b{j}", answer), []).append(own)
    return found


def judged(texts: dict[tuple[str, str, str], list[Sums]]) -> list[WordPair]:
    """Judge pairs of words by their sums in each text."""
    signs = {
        case: (
            sum(both > one + two for _, both, one, two in sums),
            sum(both < one + two for _, both, one, two in sums),
        )
        for case, sums in texts.items()
    }
    return module.judged(signs, lambda _shown: texts)[0]


@pytest.mark.parametrize(
    ("effects", "noise", "most"),
    [(0.0, 0.5, 0.005), (0.5, 0.3, 0.005), (1.0, 0.3, 0.01), (2, 0, 0.05)],
)
def test_of_pairs_that_add_up_fewer_than_one_in_twenty_is_named(
    effects: float, noise: float, most: float
) -> None:
    draws, of, named = 40, 0, 0
    for seed in range(draws):
        found = drawn(seed, effects, noise)
        of += len(found)
        named += sum(one.stands_out for one in judged(found))
    assert named / of < most


def test_a_planted_interaction_is_named_and_no_other_pair() -> None:
    found = [
        {one.words for one in judged(drawn(seed, 0.3, 0.1, planted=4.0)) if one.stands_out}
        for seed in range(40)
    ]
    assert sum(("a0", "b0") in words for words in found) >= 36
    assert sum(bool(words - {("a0", "b0")}) for words in found) < 2


def test_a_few_texts_are_not_enough() -> None:
    (few,) = judged({("she", "nurse", "positive"): [(1, 1, 0, 0)] * 4})
    assert (few.stands_out, few.contrast.value, few.contrast.p_value) == (False, 1.0, 1.0)
    (enough,) = judged({("she", "nurse", "positive"): [(1, 1, 0, 0)] * 8})
    assert enough.stands_out
    assert enough.contrast.low is not None
    assert 0 < enough.contrast.low < 1
    # The second word alone is the cause.
    (alone,) = judged({("she", "nurse", "positive"): [(1, 1, 0, 1)] * 30})
    assert (alone.stands_out, alone.contrast.value) == (False, 0.0)
    assert judged({}) == []


GRAMMAR = """
start: s
rules:
  s: ['The <occupation> was <mood>; <he> left.', '<he> met the <occupation> and was <mood>.']
  mood: [tired, late, early, ready]
sensitive:
  occupation: [nurse, pilot, baker, lawyer]
  gender: [{group: male, he: he}, {group: female, he: she}]
"""


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ("scripted:negative if gender=female and occupation=healthcare; positive otherwise",
         {("she", "nurse")}),
        ("scripted:negative if occupation=healthcare; positive otherwise", set()),
    ],
)  # fmt: skip
def test_planted_bias_of_two_words_is_named_in_a_campaign(
    model: str, named: set[tuple[str, str]], tmp_path: Path
) -> None:
    (tmp_path / "g.yaml").write_text(GRAMMAR)
    campaign = Campaign(grammar=str(tmp_path / "g.yaml"), sentences=40, models=(model,))
    store = CampaignStore(tmp_path / "campaign")
    run_campaign(campaign, store)
    with CampaignReader(store) as reader:
        (found,) = interactions(reader, model)
    assert found.attributes == ("gender", "occupation")
    assert found.of <= 16
    assert {one.words for one in found.pairs if one.stands_out} == named
    for one in found.pairs:
        assert one.both.of == one.alone[0].of == one.alone[1].of
