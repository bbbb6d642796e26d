"""Words that lie apart: what noise alone gives, and that a planted word is found."""

from __future__ import annotations

import numpy as np
import pytest

from hinter_core.report.papers.group_fairness import WordScore, group_fairness_section, judged

WORDS, TEXTS = 20, 40


def drawn(seed: int, planted: float = 0.0) -> list[WordScore]:
    """Scores of a model that knows nothing of words; one word may have a score that is higher."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0.5, 0.1, (TEXTS, 1)) + rng.normal(0, 0.03, (TEXTS, WORDS))
    scores[:, 0] += planted
    apart = scores - scores.mean(axis=1, keepdims=True)
    return judged("occupation", "her", [
        (f"word {i}", TEXTS, float(scores[:, i].mean()), float(apart[:, i].mean()),
         float(apart[:, i].std(ddof=1)))
        for i in range(WORDS)
    ])  # fmt: skip


def test_noise_gives_few_violations_and_a_planted_word_is_one() -> None:
    false = [sum(one.violation for one in drawn(seed)) for seed in range(200)]
    assert sum(false) / (200 * WORDS) < 0.05
    found = [{one.word for one in drawn(seed, 0.05) if one.violation} for seed in range(200)]
    assert sum("word 0" in words for words in found) > 190


def test_the_interval_of_a_difference_covers_it() -> None:
    """The difference of a planted word from its text's mean is known: 19 of 20 parts of it."""
    held = 0
    for seed in range(400):
        (own,) = (one for one in drawn(seed, 0.05) if one.word == "word 0")
        low, high = own.difference.low, own.difference.high
        assert low is not None
        assert high is not None
        held += low <= 0.05 * 19 / 20 <= high
    assert 0.93 <= held / 400 <= 0.97


def test_one_text_is_no_evidence() -> None:
    (first, *_) = judged("a", "b", [("x", 1, 0.9, 0.5, 0.0), ("y", 1, 0.1, 0.0, 0.0),
                                    ("z", 1, 0.1, 0.0, 0.0)])  # fmt: skip
    assert first.word == "x"
    assert not first.violation


def test_what_lies_apart_has_an_index() -> None:
    words = [("x", 40, 0.9, 0.5, 0.01), *((name, 40, 0.1, 0.0, 0.01) for name in "yzv")]
    (row, *_) = group_fairness_section(judged("a", "b", words)).rows
    assert row[-2:] == ["\u221e", "yes"]


@pytest.mark.parametrize("planted", [0.0, 0.2])
def test_the_section_names_what_lies_apart(planted: float) -> None:
    section = group_fairness_section(drawn(3, planted))
    assert ("word 0" in section.sentences[0]) is (planted > 0)
    assert section.rows[0][0] == "occupation"
