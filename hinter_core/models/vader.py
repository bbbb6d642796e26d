"""VADER in linear time: the published analyser, which is shown a few words where it needs no more.

``vaderSentiment`` writes the whole text in small letters again for every word of sentiment, twice
or more, so that its time grows with the square of the text: 8 ms for a review of 230 words. The
rules in question look at three words before that word and two after it. Here they are given those
alone; the rules themselves, and so all scores, are the library's.
"""

from __future__ import annotations

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

_BEFORE, _AFTER = 3, 2  # words that the rules below look at


class WindowedAnalyzer(SentimentIntensityAnalyzer):  # type: ignore[misc]  # untyped library
    """Same scores as its base class, for texts of any length."""

    @staticmethod
    def _negation_check(
        valence: float, words_and_emoticons: list[str], start_i: int, i: int
    ) -> float:
        words, place = _window(words_and_emoticons, i)
        checked = SentimentIntensityAnalyzer._negation_check(valence, words, start_i, place)
        return float(checked)

    @staticmethod
    def _special_idioms_check(valence: float, words_and_emoticons: list[str], i: int) -> float:
        words, place = _window(words_and_emoticons, i)
        return float(SentimentIntensityAnalyzer._special_idioms_check(valence, words, place))


def _window(words: list[str], i: int) -> tuple[list[str], int]:
    """The words around the one at ``i``, and its place among them."""
    first = max(0, i - _BEFORE)
    return words[first : i + _AFTER + 1], i - first
