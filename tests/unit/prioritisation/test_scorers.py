"""Metrics that ask a parser, an encoder or a model; each with cases by hand."""

from __future__ import annotations

import importlib.util

import pytest

from hinter_core.errors import HinterError
from hinter_core.models.registry import open_store
from hinter_core.prioritisation.scorers import (
    METRICS,
    entities_of,
    load_scorers,
    sentiment_scorer,
    tone_scorer,
)
from hinter_core.types import Parse

GOOD, BAD = "A wonderful day.", "A terrible day."


def test_tokens_of_one_entity_are_one() -> None:
    words = ("Jane", "Doe", "met", "Ann", "in", "Paris", ".")
    kinds = ("PERSON", "PERSON", "", "PERSON", "", "GPE", "")
    tags = ("NNP",) * 7
    spans = tuple((i, i + 1) for i in range(7))
    parse = Parse(words, tags, tags, tuple(range(7)), spans, kinds)
    assert entities_of(parse) == {("PERSON", "jane doe"), ("PERSON", "ann"), ("GPE", "paris")}


@pytest.mark.slow
def test_entities_of_both_texts_are_compared() -> None:
    (scorer,) = load_scorers(["entity"])
    texts = "Maria lives in Berlin.", "Maria lives in Madrid.", "They sleep."
    sources = [texts[0], texts[0], texts[2], texts[0]]
    follow_ups = [texts[0], texts[1], texts[2], texts[2]]
    found = scorer.score(sources, follow_ups)
    assert found[0] == found[2] == 0
    assert found[1] == pytest.approx(2 / 3)  # Maria is common
    assert found[3] == 1


@pytest.mark.slow
def test_embeddings_of_the_embedded_encoder() -> None:
    (scorer,) = load_scorers(["semantic"])
    other = "Taxes will rise next year in many towns."
    same, near, far, back = scorer.score(
        [GOOD, GOOD, GOOD, other], [GOOD, "A wonderful night.", other, GOOD]
    )
    assert same == 0
    assert 0 < near < far <= 2
    assert back == pytest.approx(far, abs=1e-6)
    # A text has the same embedding alone and beside a longer one.
    assert scorer.score([GOOD], ["A wonderful night."])[0] == pytest.approx(near, abs=1e-4)


def test_sentiment_and_tone_are_differences_of_scores() -> None:
    store = open_store("vader")
    first, second = (store.predict([text])[text].scores for text in (GOOD, BAD))
    difference = first["positive"] - second["positive"]
    sentiment, tone = sentiment_scorer(store), tone_scorer(store)
    for scorer, expected in ((sentiment, 2 * difference), (tone, difference)):
        same, forth, back = scorer.score([GOOD, GOOD, BAD], [GOOD, BAD, GOOD])
        assert same == 0
        assert forth == back == pytest.approx(expected)
    assert store.predicted == 2  # each text once, over both metrics


def test_a_text_without_an_answer_differs_from_none() -> None:
    scripted = 'scripted:positive 0.9 if "good"; negative 0.8 otherwise'
    scorer = sentiment_scorer(open_store(scripted))
    assert scorer.score(["good"], ["bad"])[0] == pytest.approx(0.9 - 0.1 - (0.2 - 0.8))


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (["colour"], "'colour' is no metric; the metrics are cosine"),
        (["cosine", "cosine"], "named twice"),
        (["cosine=vader"], "asks no model"),
        (["sentiment=nosuch"], "nosuch"),
        (["entity=no_such_pipeline"], "not installed"),
        pytest.param(["sentiment=masked"], "label positive", marks=pytest.mark.slow),
    ],
)
def test_bad_metrics_are_refused(wanted: list[str], message: str) -> None:
    with pytest.raises(HinterError, match=message):
        load_scorers(wanted)


@pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is not None, reason="it is installed"
)
def test_a_missing_library_is_named() -> None:
    with pytest.raises(HinterError, match="pip install sentence-transformers"):
        load_scorers(["semantic=all-MiniLM-L6-v2"])


@pytest.mark.slow
def test_the_model_under_test_is_no_metric_by_default() -> None:
    def models(under_test: str) -> list[str]:
        scorers = load_scorers(["sentiment", "tone"], under_test)
        return [scorer.model for scorer in scorers]  # type: ignore[attr-defined]

    assert models("embedded") == ["vader", "vader"]
    assert models("vader") == ["embedded", "textblob"]
    assert list(METRICS) == ["cosine", "lexical", "entity", "semantic", "sentiment", "tone"]
