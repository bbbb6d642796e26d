"""Lexicon models under test: VADER and TextBlob, both real, both subjects of the papers.

Both give a polarity c in [-1, 1]. Its label follows each library's usual rule; as scores we show
``positive = (1 + c) / 2`` and ``negative = (1 - c) / 2``, so that a shift of scores is a shift of
polarity. A neutral answer has no score of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version

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
        from hinter_core.models.vader import WindowedAnalyzer
    except ImportError as error:
        raise ModelError("VADER is not installed: pip install vaderSentiment") from error
    analyzer = WindowedAnalyzer()

    def polarity(text: str) -> float:
        return float(analyzer.polarity_scores(text)["compound"])

    return PolarityModel("vader", f"vader-{version('vaderSentiment')}", polarity, 0.05)


def load_textblob(_: ModelName) -> PolarityModel:
    """TextBlob's pattern analyser; neutral at polarity 0."""
    try:
        from textblob import TextBlob
    except ImportError as error:
        raise ModelError("TextBlob is not installed: pip install textblob") from error

    def polarity(text: str) -> float:
        return float(TextBlob(text).sentiment.polarity)

    return PolarityModel("textblob", f"textblob-{version('textblob')}", polarity, 0.0)
