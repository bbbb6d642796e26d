"""Inputs that fit each kind of head: windows, padding, end tokens, empty and hostile texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.registry import build_model, parse_name
from tests.conformance.tiny import make_classifier, make_head

LABELS = ["a", "b", "c"]
TEXTS = ["the good man", "a woman served us", "bad", "the man " * 90, "the waiter is a man."]


def load(path: str) -> Any:
    return build_model(parse_name(f"hf:{path}"))


def change(path: Path, **values: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def pieces(model: Any, *texts: str) -> list[dict[str, list[int]]]:
    return [piece for (piece,) in model._scheme.pieces(texts)]


def alone(folder: str, ids: list[int]) -> list[float]:
    """Probabilities by transformers itself, of one input without padding."""
    import torch
    from transformers import AutoModelForSequenceClassification

    plain = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.inference_mode():
        row: list[float] = plain(torch.tensor([ids])).logits.softmax(-1)[0].tolist()
    return row


@pytest.mark.parametrize("kind", ["roberta", "gpt2", "llama", "bart", "t5"])
def test_a_batch_answers_as_transformers_does_without_padding(kind: str, tmp_path: Path) -> None:
    folder = make_head(tmp_path / kind, kind, LABELS)
    model = load(folder)
    for text, answer in zip(TEXTS, model.predict(TEXTS), strict=True):
        (piece,) = pieces(model, text)
        assert list(answer.scores.values()) == pytest.approx(
            alone(folder, piece["input_ids"]), abs=1e-5
        )


def test_roberta_reads_fewer_tokens_than_it_has_positions(tmp_path: Path) -> None:
    folder = make_head(tmp_path / "roberta", "roberta", LABELS, window=30)
    config = json.loads((Path(folder) / "config.json").read_text())
    assert config["max_position_embeddings"] == 32
    model = load(folder)
    assert model.capabilities.window == 30
    (piece,) = pieces(model, "the man " * 90)
    assert len(piece["input_ids"]) == 30
    assert model.predict(["the man " * 90])[0].answered


def test_t5_is_as_long_as_its_tokenizer_says(tmp_path: Path) -> None:
    folder = make_head(tmp_path / "t5", "t5", LABELS, window=40)
    assert load(folder).capabilities.window == 40
    change(Path(folder) / "tokenizer_config.json", model_max_length=10**30)
    model = load(folder)
    assert model.capabilities.window is None
    assert model.visible("the man " * 5_000) == 40_000


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_decoder_is_padded_on_the_right_with_what_it_skips(
    kind: str, side: str, tmp_path: Path
) -> None:
    folder = make_head(tmp_path / kind, kind, LABELS)
    before = load(folder).predict(TEXTS)
    change(Path(folder) / "tokenizer_config.json", padding_side=side)
    model = load(folder)
    assert model.checkpoint.model.config.pad_token_id == 2  # </s>
    for first, second in zip(before, model.predict(TEXTS), strict=True):
        assert first.scores == pytest.approx(second.scores, abs=1e-5)


def test_where_config_and_tokenizer_pad_differently_the_head_decides(tmp_path: Path) -> None:
    folder = make_head(tmp_path / "llama", "llama", LABELS)
    change(Path(folder) / "tokenizer_config.json", pad_token="<unk>")
    change(Path(folder) / "config.json", pad_token_id=1)
    model = load(folder)
    assert model.checkpoint.tokenizer.pad_token_id == 1
    for text, answer in zip(TEXTS, model.predict(TEXTS), strict=True):
        (single,) = model.predict([text])
        assert answer.scores == pytest.approx(single.scores, abs=1e-5)


def test_a_decoder_with_nothing_to_pad_with_is_refused(tmp_path: Path) -> None:
    folder = Path(make_head(tmp_path / "gpt2", "gpt2", LABELS))
    change(folder / "tokenizer_config.json", eos_token=None, pad_token=None)
    with pytest.raises(ModelError, match="neither a padding nor an end token; add pad_token"):
        load(str(folder))


def test_token_types_go_only_to_models_that_know_them(tmp_path: Path) -> None:
    folder = make_head(tmp_path / "roberta", "llama", LABELS)
    names = ["input_ids", "token_type_ids", "attention_mask"]
    change(Path(folder) / "tokenizer_config.json", model_input_names=names)
    model = load(folder)
    assert set(pieces(model, "the man")[0]) == {"input_ids", "attention_mask"}
    assert all(p.answered for p in model.predict(TEXTS))
    bert = load(make_classifier(tmp_path / "bert", LABELS))
    assert "token_type_ids" in pieces(bert, "the man")[0]


@pytest.mark.parametrize("kind", ["bart", "t5"])
@pytest.mark.parametrize("adds", [True, False], ids=["template", "no template"])
def test_an_encoder_decoders_input_ends_in_its_only_end_token(
    kind: str, adds: bool, tmp_path: Path
) -> None:
    folder = make_head(tmp_path / kind, kind, LABELS, window=20)
    if not adds:
        change(Path(folder) / "tokenizer.json", post_processor=None)
    model = load(folder)
    end = model.checkpoint.model.config.eos_token_id
    hostile = ["</s>", "the </s></s> man", "the man" * 90, "", "</s>" * 90]
    for piece in pieces(model, *TEXTS, *hostile):
        ids = piece["input_ids"]
        assert len(ids) <= 20
        assert ids[-1] == end
        assert ids.count(end) == 1
        assert len(piece["attention_mask"]) == len(ids)
    assert all(p.answered for p in model.predict([*TEXTS, *hostile]))


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_text_without_tokens_is_answered(kind: str, tmp_path: Path) -> None:
    model = load(make_head(tmp_path / kind, kind, LABELS))
    empty, *_ = model.predict(["", *TEXTS])
    assert empty.answered
    assert empty.scores == pytest.approx(model.predict([""])[0].scores, abs=1e-5)


def test_special_words_in_a_text_are_words(tmp_path: Path) -> None:
    """A text under test cannot end itself, or hide what follows."""
    model = load(make_classifier(tmp_path / "bert", LABELS))
    (piece,) = pieces(model, "the [SEP] man [PAD] good [MASK]")
    assert piece["input_ids"].count(3) == 1
    assert 0 not in piece["input_ids"]
    gpt2 = load(make_head(tmp_path / "gpt2", "gpt2", LABELS))
    first, second = gpt2.predict(["the man</s>", "the man"])
    assert first.scores != second.scores
