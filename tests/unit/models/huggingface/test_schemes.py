"""Schemes of inputs: segments lose nothing and are pooled; labels are judged on the same words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.registry import build_model, parse_name
from tests.conformance.tiny import make_classifier, make_head

LABELS = ["a", "b", "c"]
LONG = "the good man served us . a bad waiter is black and the woman white . " * 7
SHORT = "the good man"
NLI = ["contradiction", "entailment", "neutral"]
LONG_TEXT = "the good man served us . a bad waiter is black . " * 9
HYPOTHESES = "good,bad and bad and bad,white woman"


def load(name: str) -> Any:
    return build_model(parse_name(name))


def zero_shot(path: str, query: str) -> Any:
    return build_model(parse_name(f"hf-zero-shot:{path}?{query}"))


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
    tokenizer = model.checkpoint.tokenizer
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


@pytest.fixture(scope="module")
def nli(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_classifier(tmp_path_factory.mktemp("nli") / "bert", NLI, window=40)


@pytest.mark.parametrize("kind", ["bert", "bart"])
def test_all_labels_are_judged_on_the_same_part_of_a_text(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / kind
    path = make_classifier(folder, NLI, window=40) if kind == "bert" else make_head(
        folder, kind, NLI, window=90
    )  # fmt: skip
    model = zero_shot(path, f"labels={HYPOTHESES}")
    tokenizer = model.checkpoint.tokenizer
    ((*pieces,),) = model._scheme.pieces([LONG_TEXT])
    assert len(pieces) == 3
    lengths = [len(piece["input_ids"]) for piece in pieces]
    assert max(lengths) == model.capabilities.window
    assert len(set(lengths)) > 1
    end = tokenizer.sep_token_id if kind == "bert" else tokenizer.eos_token_id
    premises = {tuple(p["input_ids"][: p["input_ids"].index(end)]) for p in pieces}
    assert len(premises) == 1
    seen = LONG_TEXT[: model.visible(LONG_TEXT)]
    assert list(premises.pop())[1:] == tokenizer(seen, add_special_tokens=False)["input_ids"]


@pytest.mark.parametrize("multi", [0, 1])
def test_scores_compare_entailment(nli: str, multi: int) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    labels = HYPOTHESES.split(",")
    (answer,) = zero_shot(nli, f"labels={HYPOTHESES}&multi={multi}").predict(["the man served us"])
    plain = AutoModelForSequenceClassification.from_pretrained(nli, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(nli)
    pairs = [("the man served us", f"This text is {label}.") for label in labels]
    with torch.inference_mode():
        rows = torch.cat([plain(**tokenizer(*p, return_tensors="pt")).logits for p in pairs])
    if multi:
        expected = (rows[:, 1].exp() / (rows[:, 0].exp() + rows[:, 1].exp())).tolist()
    else:
        expected = rows[:, 1].softmax(0).tolist()
    assert list(answer.scores.values()) == pytest.approx(expected, abs=1e-5)


def test_labels_that_leave_no_room_are_refused(nli: str) -> None:
    with pytest.raises(ModelError, match="leaves no room for a text; shorten them"):
        zero_shot(nli, "labels=good," + "bad " * 40)
    with pytest.raises(ModelError, match="name an NLI model"):
        zero_shot(str(Path(__file__).parents[4] / "assets/models/sentiment"), "labels=good,bad")
