"""Objects of the user as models: what people have at hand, and what is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities
from hinter_core.models.python import adapt
from hinter_core.models.registry import load_model
from tests.conformance.tiny import make_classifier

GOOD, BAD = "A kind man.", "A rude man."
TEXTS = [GOOD, BAD, "kind people", "rude people"]


def fitted(classifier: Any, labels: Any) -> Any:
    return make_pipeline(CountVectorizer(), classifier).fit(TEXTS, labels)


@pytest.mark.parametrize(
    ("labels", "known"), [(["good", "bad"] * 2, ("bad", "good")), ([1, 0] * 2, ("0", "1"))]
)
def test_a_pipeline_of_sklearn_gives_scores_by_its_classes(
    labels: list[Any], known: tuple[str, ...]
) -> None:
    model = adapt(fitted(LogisticRegression(), labels), "mine")
    assert (model.capabilities.labels, model.capabilities.scores) == (known, True)
    good, bad = model.predict([GOOD, BAD])
    assert (good.labels, bad.labels) == ((known[1],), (known[0],))
    assert sum(good.scores.values()) == pytest.approx(1)


def test_a_classifier_without_probabilities_gives_labels() -> None:
    model = adapt(fitted(LinearSVC(), ["good", "bad"] * 2), "mine")
    assert not model.capabilities.scores
    assert [one.labels for one in model.predict([GOOD, BAD])] == [("good",), ("bad",)]


def test_several_labels_of_sklearn_may_apply() -> None:
    both = np.array([[1, 0], [0, 1]] * 2)
    own = fitted(OneVsRestClassifier(LogisticRegression(C=100)), both)
    model = adapt(own, "mine", labels=("praise", "blame"), multi=True)
    assert [one.labels for one in model.predict([GOOD, BAD])] == [("praise",), ("blame",)]


def rows(*scores: list[float]) -> Callable[[list[str]], Any]:
    return lambda texts: [list(scores[0]) for _ in texts]


@pytest.mark.parametrize(
    ("function", "labels", "answer"),
    [
        (lambda texts: np.array([1] * len(texts)), (), "1"),
        (lambda texts: pd.Series(["good"] * len(texts)), (), "good"),
        (lambda texts: np.full((len(texts), 2), [0.2, 0.8]), ("bad", "good"), "good"),
        (lambda texts: [{"label": "good", "score": 0.9} for _ in texts], (), "good"),
        (lambda texts: [[{"label": "a", "score": 0.1}, {"label": "b", "score": 0.9}]] * len(texts),
         (), "b"),
        (lambda texts: [{"sequence": t, "labels": ["x", "y"], "scores": [0.7, 0.3]} for t in texts],
         (), "x"),
        (lambda texts: [[{"label": "a", "score": 0.6}]] * len(texts), (), "a"),
        (lambda texts: pd.DataFrame({"bad": [0.2] * len(texts), "good": 0.8}), (), "good"),
        (lambda texts: pd.DataFrame([[0.2, 0.8]] * len(texts)), ("bad", "good"), "good"),
        (lambda texts: [True for _ in texts], (), "True"),
        (lambda texts: [{"good": np.float32(1.0000001), "bad": 0.0} for _ in texts], (), "good"),
    ],
)  # fmt: skip
def test_answers_come_in_many_shapes(function: Any, labels: tuple[str, ...], answer: str) -> None:
    found = adapt(function, "mine", labels=labels).predict([GOOD])
    assert found[0].labels == (answer,)
    assert all(0 <= score <= 1 for score in found[0].scores.values())


@pytest.mark.parametrize("labels", [("good", "bad"), ("bad", "fine"), ("bad",)])
def test_labels_that_contradict_the_classes_are_refused(labels: tuple[str, ...]) -> None:
    own = fitted(LogisticRegression(), ["good", "bad"] * 2)
    says = rf"labels of mine are {', '.join(labels)}, but its scores are of bad, good \(classes_\)"
    with pytest.raises(ModelError, match=says):
        adapt(own, "mine", labels=labels)
    for renamed in (("bad", "good"), ("rude", "kind")):
        assert adapt(own, "mine", labels=renamed).predict([GOOD])[0].labels == (renamed[1],)


@pytest.mark.slow
def test_a_pipeline_of_transformers_gives_all_scores(tmp_path: Path) -> None:
    import transformers

    folder = make_classifier(tmp_path / "tiny", ["bad", "good"])
    loaded = transformers.pipeline("text-classification", model=folder)
    model, own = adapt(loaded, "mine"), load_model(f"hf:{folder}", trusted=True)
    for given, expected in zip(model.predict(TEXTS), own.predict(TEXTS), strict=True):
        assert given.labels == expected.labels
        assert dict(given.scores) == pytest.approx(dict(expected.scores), abs=1e-4)
    long = "the good man was kind " * 400
    assert model.predict([long])[0].answered
    assert model.visible(long) == own.visible(long) < len(long)
    assert model.visible(GOOD) == len(GOOD)


def test_what_is_near_a_pipeline_is_told_what_to_give(tmp_path: Path) -> None:
    import transformers

    folder = make_classifier(tmp_path / "tiny", ["contradiction", "entailment"])
    classifier = transformers.pipeline("text-classification", model=folder)
    zero_shot = transformers.pipeline("zero-shot-classification", model=folder)
    for value, cure in (
        (classifier.model, "give transformers.pipeline('text-classification', model=MODEL, toke"),
        (zero_shot, "name a zero-shot one hf-zero-shot:ORG/NAME?labels=A,B, or give a function"),
        (lambda texts: [{"a": 3.2, "b": -1.5} for _ in texts], "of logits, return the softmax, or"),
    ):
        with pytest.raises(ModelError) as caught:
            adapt(value, "mine")
        assert cure in str(caught.value)

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("CUDA out of memory")

    classifier.forward = fail
    with pytest.raises(ModelError, match=r"out of memory\); it takes a list of texts") as caught:
        adapt(classifier, "mine")


def test_what_follows_the_protocol_is_taken_as_it_is() -> None:
    own = load_model("vader")
    assert adapt(own, "another name") is own


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (5, "5 is no model"),
        (dict, "is no model"),
        (None, "None is no model"),
        (lambda texts: ["good"], "1 answers to 4 texts"),
        (lambda text: text.upper(), "AttributeError"),
        (lambda texts: [["a", "b"] for _ in texts], "set multi=1 (in Python, multi=True)"),
        (lambda texts: [[0.2, 0.8] for _ in texts], "2 scores and 0 labels; name the labels"),
        (lambda texts: [0.8 for _ in texts], "0.8 is a number, of no label"),
        (lambda texts: None, "TypeError"),
        (lambda texts: pd.DataFrame({"text": texts}), "are not probabilities of labels"),
        (LogisticRegression(), "NotFittedError"),
    ],
)
def test_what_is_no_model_is_refused_in_one_sentence(value: Any, says: str) -> None:
    with pytest.raises(ModelError) as caught:
        adapt(value, "mine")
    message = str(caught.value)
    assert says in message
    assert "\n" not in message


def test_without_an_identity_no_model_is_the_same_again() -> None:
    def mine(texts: list[str]) -> list[str]:
        return ["good" for _ in texts]

    unknown = adapt(mine, "mine")
    assert adapt(mine, "mine").identity != unknown.identity
    known = adapt(mine, "mine", "v1")
    assert adapt(mine, "other", "v1").identity == known.identity
    assert adapt(mine, "mine", "v1", ("good", "bad")).identity != known.identity
    assert known.capabilities == Capabilities(scores=False, steady=False)
