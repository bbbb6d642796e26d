"""The embedded models: their published figures, their size, and a look at what they really do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hinter_core.language.parsing import EMBEDDED as PARSER
from hinter_core.language.parsing import ParseStore
from hinter_core.models.huggingface.embedded import EMBEDDED as SENTIMENT
from hinter_core.models.registry import load_model

MAX_FILE = 10 * 2**20


def metrics(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("folder", [PARSER, SENTIMENT], ids=["parser", "sentiment"])
def test_every_file_is_below_ten_mebibytes(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    assert [str(p) for p in files if p.stat().st_size >= MAX_FILE] == []


def test_parser_figures_per_treebank() -> None:
    treebanks = metrics(PARSER)["treebanks"]
    ewt = treebanks["ewt"]
    assert ewt["dep_las"] >= 0.835
    assert ewt["dep_uas"] >= 0.868
    assert ewt["tag_acc"] >= 0.94
    entities = treebanks["gum"]["entities"]
    assert entities["all"]["f"] > 0.6
    assert entities["PERSON"]["p"] > 0.55
    assert entities["PERSON"]["r"] > 0.65


def test_parser_bias_is_published() -> None:
    figures = metrics(PARSER)
    assert figures["bias_templates"]
    assert figures["bias_swaps"]


def test_sentiment_figures() -> None:
    accuracy = metrics(SENTIMENT)["accuracy"]
    assert accuracy["imdb_test"] >= 0.90
    assert accuracy["sst2_test"] >= 0.85


def test_the_parser_names_entities(parses: ParseStore) -> None:
    expected = {
        "John Smith lives in London.": {"John": "PERSON", "Smith": "PERSON", "London": "GPE"},
        "The Danish journalist met Peter Hill in Paris.": {
            "Danish": "NORP", "Peter": "PERSON", "Paris": "GPE", "journalist": "",
        },
    }  # fmt: skip
    wrong = [
        (word, entity)
        for sentence, parse in parses.parse(expected, entities=True).items()
        for word, entity in zip(parse.words, parse.entities, strict=True)
        if expected[sentence].get(word, entity) != entity
    ]
    assert len(wrong) <= 1, wrong


CLEAR = {
    "positive": [
        "A wonderful film with a warm heart.",
        "I loved every minute of it.",
        "The acting is brilliant and the story is moving.",
        "A charming, funny and touching comedy.",
        "One of the best pictures of the year.",
        "The music is beautiful and the cast is superb.",
        "It made me laugh and I would gladly see it again.",
        "A great script and a perfect ending.",
    ],
    "negative": [
        "A dull and lifeless mess.",
        "I hated every minute of it.",
        "The acting is terrible and the plot makes no sense.",
        "A boring waste of time.",
        "One of the worst pictures of the year.",
        "The jokes fall flat and the ending is awful.",
        "It is too long, badly written and poorly directed.",
        "A stupid and annoying film.",
    ],
}


def test_the_classifier_gets_clear_cases_right() -> None:
    model = load_model("embedded")
    assert set(model.capabilities.labels) == set(CLEAR)
    wrong = [
        (text, answer.labels)
        for label, texts in CLEAR.items()
        for text, answer in zip(texts, model.predict(texts), strict=True)
        if answer.labels != (label,)
    ]
    assert len(wrong) <= 1, wrong
