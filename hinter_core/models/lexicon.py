"""Lexicon models under test: VADER and TextBlob, both real, both subjects of the papers.

Both give a polarity c in [-1, 1]. Its label follows each library's usual rule; as scores we show
``positive = (1 + c) / 2`` and ``negative = (1 - c) / 2``, so that a shift of scores is a shift of
polarity. A neutral answer has no score of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities
from hinter_core.models.naming import ModelName
from hinter_core.types import Prediction


class PolarityModel:
    """A model that maps a text to a polarity; labels by a symmetric dead zone around 0."""

    def __init__(
        self, name: str, identity: str, polarity: Callable[[str], float], dead_zone: float
    ) -> None:
        self.name = name
        self.identity = identity
        self.capabilities = Capabilities(labels=("negative", "neutral", "positive"))
        self._polarity = polarity
        self._dead_zone = dead_zone

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Label and scores of each text."""
        return [self._answer(self._polarity(text)) for text in texts]

    def _answer(self, polarity: float) -> Prediction:
        if polarity > 0 and polarity >= self._dead_zone:
            label = "positive"
        elif polarity < 0 and polarity <= -self._dead_zone:
            label = "negative"
        else:
            label = "neutral"
        return Prediction(
            (label,), {"negative": (1 - polarity) / 2, "positive": (1 + polarity) / 2}
        )

    def visible(self, text: str) -> int:
        """A lexicon reads the whole text."""
        return len(text)


def load_vader(_: ModelName) -> PolarityModel:
    """VADER (Hutto and Gilbert 2014); neutral within 0.05 of 0, as its authors advise."""
    try:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer
    except ImportError as error:
        raise ModelError("VADER is not installed: pip install vaderSentiment") from error
    analyzer = with_windows(SentimentIntensityAnalyzer())

    def polarity(text: str) -> float:
        return float(analyzer.polarity_scores(text)["compound"])

    return PolarityModel("vader", f"vader-{version('vaderSentiment')}", polarity, 0.05)


def with_windows(analyzer: Any) -> Any:
    """A VADER analyser that is quick with long texts, too; its scores stay what they are.

    Two of the library's rules write the whole text in small letters again for every word of
    sentiment, so that its time grows with the square of the text. They look at three words before
    that word and two after it, and are shown only those here; the rules themselves are the
    library's. (A third one, for texts with "but", still takes the square; it is not felt below
    some thousand words.)
    """
    negation, idioms = analyzer._negation_check, analyzer._special_idioms_check

    def window(words: list[str], i: int) -> tuple[list[str], int]:
        first = max(0, i - 3)
        return words[first : i + 3], i - first

    def negation_in(valence: float, words: list[str], start_i: int, i: int) -> Any:
        near, place = window(words, i)
        return negation(valence, near, start_i, place)

    def idioms_in(valence: float, words: list[str], i: int) -> Any:
        return idioms(valence, *window(words, i))

    analyzer._negation_check, analyzer._special_idioms_check = negation_in, idioms_in
    return analyzer


def load_textblob(_: ModelName) -> PolarityModel:
    """TextBlob's pattern analyser; neutral at polarity 0."""
    try:
        from textblob import TextBlob
    except ImportError as error:
        raise ModelError("TextBlob is not installed: pip install textblob") from error

    def polarity(text: str) -> float:
        return float(TextBlob(text).sentiment.polarity)

    return PolarityModel("textblob", f"textblob-{version('textblob')}", polarity, 0.0)
