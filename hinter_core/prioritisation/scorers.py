"""Metrics that ask a parser, an encoder or a model, and all metrics by name.

Departures from the paper, which names a sentence encoder and a classifier of seven emotions that do
not come with HInter: semantic diversity is by default that of the embedded encoder, and tone by
default that of a lexicon. Any other model can be named.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from hinter_core.errors import InputError, ModelError
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.language.sentences import split_sentences
from hinter_core.models.huggingface.checkpoint import Checkpoint, open_checkpoint
from hinter_core.models.registry import open_store
from hinter_core.models.store import PredictionStore
from hinter_core.prioritisation.metrics import (
    COSINE,
    LEXICAL,
    PairScorer,
    TextScorer,
    cosine_distance,
    jaccard_distance,
)
from hinter_core.storage import ASSETS
from hinter_core.types import Parse, Prediction

if TYPE_CHECKING:
    from numpy import ndarray

EMBEDDED = "embedded"
_ENCODER = ASSETS / "models" / "masked-lm"
_SENTENCES = 2_000  # parsed at once
_BATCH = 32  # texts of similar length that are encoded at once
# Metrics, with the models that are asked by default: the first that is not under test itself.
METRICS: dict[str, tuple[str, ...]] = {
    "cosine": (),
    "lexical": (),
    "entity": (EMBEDDED,),
    "semantic": (EMBEDDED,),
    "sentiment": ("embedded", "vader"),
    "tone": ("vader", "textblob"),
}


def load_scorers(wanted: Iterable[str], under_test: str = "") -> list[PairScorer]:
    """Load metrics by name; ``NAME=MODEL`` names the model that a metric asks.

    ``entity``: a parser. ``semantic``: ``embedded`` or a model of sentence-transformers.
    ``sentiment`` and ``tone``: models under test by their names. ``under_test``: a metric that asks
    the model under test spares none of its calls, so it is never the default.

    Raises:
        HinterError: an unknown metric, one named twice, or a model that is missing or unfit.
    """
    scorers: dict[str, PairScorer] = {}
    for one in wanted:
        name, _, model = one.partition("=")
        if name not in METRICS:
            raise InputError(f"'{name}' is no metric; the metrics are {', '.join(METRICS)}.")
        if name in scorers:
            raise InputError(f"The metric {name} is named twice; name it once.")
        if model and not METRICS[name]:
            raise InputError(f"The metric {name} asks no model; leave out '={model}'.")
        usual = METRICS[name] or ("",)
        scorers[name] = _load(name, model or next((m for m in usual if m != under_test), usual[-1]))
    return list(scorers.values())


def _load(name: str, model: str) -> PairScorer:
    if name == "cosine":
        return COSINE
    if name == "lexical":
        return LEXICAL
    if name == "entity":
        return entity_scorer(ParseStore(load_parser(model)))
    if name == "semantic":
        return semantic_scorer(_encoder(model))
    store = open_store(model, trusted=True)
    return sentiment_scorer(store) if name == "sentiment" else tone_scorer(store)


def entity_scorer(parses: ParseStore) -> TextScorer:
    """Return the Jaccard distance of the named entities of both texts, by type and words."""

    def compare(texts: list[str], first: ndarray, second: ndarray) -> ndarray:
        import numpy

        sentences = [[s.text for s in split_sentences(text)] for text in texts]
        distinct = list(dict.fromkeys(sentence for of_text in sentences for sentence in of_text))
        known: dict[str, frozenset[tuple[str, str]]] = {}
        for start in range(0, len(distinct), _SENTENCES):
            parsed = parses.parse(distinct[start : start + _SENTENCES], entities=True)
            known |= {sentence: entities_of(parse) for sentence, parse in parsed.items()}
        sets = [
            frozenset().union(*(known[sentence] for sentence in of_text)) for of_text in sentences
        ]
        pairs = zip(first, second, strict=True)
        return numpy.array([jaccard_distance(sets[a], sets[b]) for a, b in pairs])

    return TextScorer("entity", compare)


def entities_of(parse: Parse) -> frozenset[tuple[str, str]]:
    """Return the named entities of a parsed sentence: type, and words in lower case."""
    tokens = zip(parse.entities, parse.words, strict=True)
    runs = ((kind, [word for _, word in run]) for kind, run in groupby(tokens, lambda t: t[0]))
    return frozenset((kind, " ".join(words).lower()) for kind, words in runs if kind)


def semantic_scorer(encode: Callable[[list[str]], Any]) -> TextScorer:
    """Return 1 - cosine of the embeddings of both texts, in [0, 2].

    ``encode``: from texts to an array (texts x dimensions).
    """

    def compare(texts: list[str], first: ndarray, second: ndarray) -> ndarray:
        import numpy

        vectors = numpy.asarray(encode(texts), dtype=numpy.float64)
        return cosine_distance(vectors[first], vectors[second])

    return TextScorer("semantic", compare)


def _encoder(model: str) -> Any:
    """Return a function from texts to embeddings.

    Raises:
        ModelError: the library or the model is missing.
    """
    if model == EMBEDDED:
        return partial(_mean_states, open_checkpoint(EMBEDDED, str(_ENCODER), "AutoModel"))
    try:
        library = importlib.import_module("sentence_transformers")
    except ImportError as error:
        raise ModelError(
            f"The semantic metric by '{model}' needs sentence-transformers: pip install "
            "sentence-transformers, or use semantic=embedded."
        ) from error
    try:
        return library.SentenceTransformer(model).encode
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(
            f"sentence-transformers has no model '{model}'; check its name, or use "
            "semantic=embedded."
        ) from error


def _mean_states(encoder: Checkpoint, texts: Sequence[str]) -> ndarray:
    """Return the mean hidden states of the last layer of a model (texts x dimensions).

    A text past the model's window is cut off there; a change behind it is not seen.
    """
    import numpy
    import torch

    vectors: dict[int, ndarray] = {}
    by_length = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    for start in range(0, len(texts), _BATCH):
        places = by_length[start : start + _BATCH]
        inputs = encoder.tokenizer(
            [texts[place] for place in places],
            padding=True, truncation=True, max_length=encoder.window, return_tensors="pt",
        ).to(encoder.device)  # fmt: skip
        with torch.inference_mode():
            states = encoder.model(**inputs).last_hidden_state
        mask = inputs["attention_mask"].unsqueeze(-1).to(states.dtype)
        means = (states * mask).sum(1) / mask.sum(1)
        vectors.update(zip(places, means.cpu().numpy(), strict=True))
    return numpy.array([vectors[place] for place in range(len(texts))])


def sentiment_scorer(store: PredictionStore) -> TextScorer:
    """Return the absolute difference of polarities, in [0, 2]; 0 if a text has no answer.

    The polarity is the score of *positive* less that of *negative*, as in the paper's example.

    Raises:
        ModelError: the model gives no scores, or has no label positive.
    """
    labels = [label.lower() for label in store.model.capabilities.labels]
    _require_scores(store, "sentiment")
    if "positive" not in labels:
        raise ModelError(
            f"The sentiment metric needs a model with a label positive; '{store.model.name}' has "
            f"{', '.join(labels) or 'none'}."
        )

    def compare(texts: list[str], first: ndarray, second: ndarray) -> ndarray:
        import numpy

        answers = store.predict(texts)
        polarity = numpy.array([_polarity(answers[text]) for text in texts])
        differences: ndarray = numpy.nan_to_num(numpy.abs(polarity[first] - polarity[second]))
        return differences

    return TextScorer("sentiment", compare, store.model.name)


def _polarity(answer: Prediction) -> float:
    scores = {label.lower(): score for label, score in answer.scores.items()}
    if "positive" not in scores:
        return float("nan")
    return scores["positive"] - scores.get("negative", 1 - scores["positive"])


def tone_scorer(store: PredictionStore) -> TextScorer:
    """Return half the sum of the absolute differences of all scores, in [0, 1]; 0 without answer.

    Of one label per text this is the total variation distance of both answers. Of several labels at
    once it is the mean difference. The paper takes the difference of one score, and does not say
    how it is made of those of seven emotions.

    Raises:
        ModelError: the model gives no scores.
    """
    _require_scores(store, "tone")

    def compare(texts: list[str], first: ndarray, second: ndarray) -> ndarray:
        import numpy

        answers = store.predict(texts)
        labels = sorted({label for answer in answers.values() for label in answer.scores})
        scores = numpy.array(
            [[answers[text].scores.get(label, 0.0) for label in labels] for text in texts]
        ).reshape(len(texts), len(labels))
        answered = numpy.array([bool(answers[text].scores) for text in texts])
        differences = numpy.abs(scores[first] - scores[second]).sum(axis=1)
        several = store.model.capabilities.multi_label
        differences = differences / (max(1, len(labels)) if several else 2)
        distances: ndarray = numpy.where(answered[first] & answered[second], differences, 0.0)
        return distances

    return TextScorer("tone", compare, store.model.name)


def _require_scores(store: PredictionStore, metric: str) -> None:
    if store.model.capabilities.scores is False:
        raise ModelError(
            f"The {metric} metric needs a model that gives scores, and '{store.model.name}' gives "
            "none; name another one."
        )
