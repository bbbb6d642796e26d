"""VADER with windows says what the published analyser says, and looks at no more words for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vaderSentiment.vaderSentiment import (
    BOOSTER_DICT,
    NEGATE,
    SPECIAL_CASES,
    SentimentIntensityAnalyzer,
)

from hinter_core.errors import ModelError
from hinter_core.models.lexicon import with_windows

PUBLISHED, WINDOWED = SentimentIntensityAnalyzer(), with_windows(SentimentIntensityAnalyzer())
TELLING = sorted(
    {word for phrase in (*SPECIAL_CASES, *BOOSTER_DICT) for word in phrase.split()}
    | {*NEGATE, "never", "so", "this", "without", "doubt", "no", "or", "nor", "least", "at", "but"}
)
WORDS = st.sampled_from([*TELLING, "GOOD", "good", "bad", "Terrible", "love", "film", ":)", "!"])


@given(st.lists(WORDS, max_size=14))
def test_all_scores_are_the_published_ones(words: list[str]) -> None:
    text = " ".join(words)
    assert WINDOWED.polarity_scores(text) == PUBLISHED.polarity_scores(text)


@given(st.text(max_size=60))
def test_any_text_is_scored_alike(text: str) -> None:
    assert WINDOWED.polarity_scores(text) == PUBLISHED.polarity_scores(text)


class Word(str):
    """A word that counts how often any of its kind is read."""

    __slots__ = ()
    read = 0

    def __str__(self) -> str:
        Word.read += 1
        return str.__str__(self)


@pytest.mark.parametrize("length", [10, 1_000])
def test_a_rule_reads_as_many_words_of_a_long_text_as_of_a_short_one(length: int) -> None:
    words = [Word("film")] * length
    Word.read = 0
    WINDOWED._negation_check(1.0, words, 2, 6)
    WINDOWED._special_idioms_check(1.0, words, 6)
    assert Word.read == 12


@pytest.mark.parametrize("gone", ["_negation_check", "_special_idioms_check"])
def test_a_version_without_a_private_rule_is_refused_by_its_name(
    gone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(SentimentIntensityAnalyzer, gone)
    with pytest.raises(ModelError, match=f"has no {gone}.*vaderSentiment>="):
        with_windows(SentimentIntensityAnalyzer())
