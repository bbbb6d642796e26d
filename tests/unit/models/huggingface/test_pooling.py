"""Long texts in segments: nothing is lost, and pooled scores are those of the segments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hinter_core.models.registry import build_model, parse_name
from tests.conformance.tiny import make_classifier, make_head

LABELS = ["a", "b", "c"]
LONG = "the good man served us . a bad waiter is black and the woman white . " * 7
SHORT = "the good man"


def load(name: str) -> Any:
    return build_model(parse_name(name))


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_classifier(tmp_path_factory.mktemp("pool") / "bert", LABELS, window=16)


@pytest.mark.parametrize("kind", ["bert", "roberta", "gpt2", "t5"])
def test_segments_hold_every_token_once_in_order(kind: str, tmp_path: Path) -> None:
    window = 17
    make = make_classifier if kind == "bert" else None
    folder = tmp_path / kind
    path = make(folder, LABELS, window=window) if make else make_head(
        folder, kind, LABELS, window=window
    )  # fmt: skip
    model = load(f"hf:{path}?pool=mean")
    tokenizer = model._checkpoint.tokenizer
    for text in (LONG, SHORT, LONG[:83], "a" * 400, ""):
        (pieces,) = model._scheme.pieces([text])
        tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
        special = tokenizer.num_special_tokens_to_add()
        assert all(len(p["input_ids"]) <= window for p in pieces)
        assert len(pieces) == max(1, -(-len(tokens) // (window - special)))
        inner = [
            p["input_ids"][int(special == 2) : len(p["input_ids"]) - int(special > 0)]
            for p in pieces
        ]
        if tokens:
            assert [i for part in inner for i in part] == tokens
        # As equal as can be: none is a stub.
        assert min(map(len, inner)) >= max(map(len, inner)) - len(pieces)


@pytest.mark.parametrize("method", ["mean", "max"])
@pytest.mark.parametrize("multi", [0, 1])
def test_pooled_scores_are_those_of_the_segments(bert: str, method: str, multi: int) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification

    model = load(f"hf:{bert}?pool={method}&multi={multi}")
    (pieces,) = model._scheme.pieces([LONG])
    assert len(pieces) > 5
    plain = AutoModelForSequenceClassification.from_pretrained(bert, dtype=torch.float32).eval()
    with torch.inference_mode():
        rows = torch.stack([plain(torch.tensor([p["input_ids"]])).logits[0] for p in pieces])
    each = rows.sigmoid() if multi else rows.softmax(-1)
    expected = each.mean(0) if method == "mean" else each.max(0).values
    if not multi:
        expected = expected / expected.sum()
    _, answer, _ = model.predict([SHORT, LONG, SHORT])
    assert list(answer.scores.values()) == pytest.approx(expected.tolist(), abs=1e-5)


def test_all_of_a_text_is_visible_and_decides(bert: str) -> None:
    model, plain = load(f"hf:{bert}?pool=mean"), load(f"hf:{bert}")
    assert model.capabilities.window is None
    assert "up to 16 tokens" in model.capabilities.note
    assert model.visible(LONG) == len(LONG)
    changed = LONG + "bad bad bad bad"
    assert model.predict([LONG])[0].scores != model.predict([changed])[0].scores
    assert plain.predict([LONG])[0].scores == plain.predict([changed])[0].scores
    assert model.predict([SHORT])[0].scores == plain.predict([SHORT])[0].scores
    assert len({model.identity, plain.identity, load(f"hf:{bert}?pool=max").identity}) == 3
