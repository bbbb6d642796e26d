"""Lexicon models under test: VADER and TextBlob, both evaluated in the papers.

Both give a polarity c in [-1, 1]. Labels follow each library's usual rule; the scores are
``positive = (1 + c) / 2`` and ``negative = (1 - c) / 2``. A neutral answer has no score.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities, ModelUnderTest
from hinter_core.models.registry import ModelName
from hinter_core.types import Prediction

_RULES = ("_negation_check", "_special_idioms_check")  # private to VADER
_TESTED = "'vaderSentiment>=3.3.2,<3.4'"


class PolarityModel(ModelUnderTest):
    """A model that maps a text to a polarity; neutral within ``dead_zone`` of 0."""

    def __init__(
        self, name: str, identity: str, polarity: Callable[[str], float], dead_zone: float
    ) -> None:
        self.name = name
        self.identity = identity
        self.capabilities = Capabilities(labels=("negative", "neutral", "positive"))
        self._polarity = polarity
        self._dead_zone = dead_zone

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Return label and scores of each text."""
        answers = []
        for polarity in map(float, map(self._polarity, texts)):
            label = "neutral"
            if polarity and abs(polarity) >= self._dead_zone:
                label = "positive" if polarity > 0 else "negative"
            scores = {"negative": (1 - polarity) / 2, "positive": (1 + polarity) / 2}
            answers.append(Prediction((label,), scores))
        return answers


def load_vader(_: ModelName) -> PolarityModel:
    """Load VADER (Hutto and Gilbert 2014); neutral within 0.05 of 0, as its authors advise."""
    try:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer
    except ImportError as error:
        raise ModelError("VADER is not installed: pip install vaderSentiment") from error
    scores = with_windows(SentimentIntensityAnalyzer()).polarity_scores
    identity = f"vader-{version('vaderSentiment')}"
    return PolarityModel("vader", identity, lambda text: scores(text)["compound"], 0.05)


def with_windows(analyzer: Any) -> Any:
    """Make a VADER analyser fast on long texts, with unchanged scores.

    Two of the library's rules lower-case the whole text for every sentiment word, which takes
    quadratic time. They look at three words before that word and two after it, so only those are
    passed. (A third rule, for "but", stays quadratic, which is negligible below 1,000 words.)
    """

    def windowed(check: Callable[..., Any]) -> Callable[..., Any]:
        def check_near(valence: float, words: list[str], *places: int) -> Any:
            *start, i = places
            first = max(0, i - 3)
            return check(valence, words[first : i + 3], *start, i - first)

        return check_near

    for rule in _RULES:
        if not callable(check := getattr(analyzer, rule, None)):
            raise ModelError(f"This version of VADER has no {rule}: pip install {_TESTED}")
        setattr(analyzer, rule, windowed(check))
    return analyzer


def load_textblob(_: ModelName) -> PolarityModel:
    """Load TextBlob's pattern analyser; neutral at polarity 0."""
    try:
        from textblob import TextBlob
    except ImportError as error:
        raise ModelError("TextBlob is not installed: pip install textblob") from error
    identity = f"textblob-{version('textblob')}"
    return PolarityModel("textblob", identity, lambda text: TextBlob(text).sentiment.polarity, 0.0)
