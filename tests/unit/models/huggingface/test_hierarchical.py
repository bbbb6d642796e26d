"""Hierarchical checkpoints: known by their weights, loaded strictly, computed as published."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from hinter_core.errors import ModelError
from hinter_core.models.registry import build_model, parse_name
from tests.conformance.tiny import make_hierarchical

LABELS = [f"article {i}" for i in range(10)]
SEGMENTS, WINDOW, WIDTH, HEADS = 4, 16, 16, 2
FACTS = "The man served us.\nA good waitress is black.\n\nThe bad man."


def load(path: Path | str, query: str = "") -> Any:
    return build_model(parse_name(f"hf:{path}{query}"))


@pytest.fixture(scope="module", params=["bert", "roberta"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    kind = request.param
    path = tmp_path_factory.mktemp("hierarchical") / kind
    return Path(make_hierarchical(path, kind, LABELS, segments=SEGMENTS, window=WINDOW))


def norm(x: torch.Tensor, w: dict[str, torch.Tensor], name: str) -> torch.Tensor:
    centred = x - x.mean(-1, keepdim=True)
    scale = (centred.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()
    return centred / scale * w[f"{name}.weight"] + w[f"{name}.bias"]


def linear(x: torch.Tensor, w: dict[str, torch.Tensor], name: str) -> torch.Tensor:
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def attention(x: torch.Tensor, w: dict[str, torch.Tensor], name: str) -> torch.Tensor:
    """Every segment looks at every segment, missing ones too."""
    packed = x @ w[f"{name}.in_proj_weight"].T + w[f"{name}.in_proj_bias"]
    size = WIDTH // HEADS
    heads = []
    for head in range(HEADS):
        part = slice(head * size, (head + 1) * size)
        query, key, value = (packed[:, i * WIDTH :][:, part] for i in range(3))
        heads.append((query @ key.T / math.sqrt(size)).softmax(-1) @ value)
    return linear(torch.cat(heads, -1), w, f"{name}.out_proj")


def encoder_of(folder: Path, kind: str, weights: dict[str, torch.Tensor]) -> Any:
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.from_pretrained(folder)
    pooler = {"add_pooling_layer": kind == "bert"}
    encoder = AutoModel.from_config(config, attn_implementation="eager", **pooler)
    prefix = f"{kind}.encoder."
    own = {k.removeprefix(prefix): v for k, v in weights.items() if k.startswith(prefix)}
    own.pop("embeddings.position_ids")
    encoder.load_state_dict(own, strict=True)
    return encoder.eval()


def step_by_step(folder: Path, segments: list[list[int]]) -> list[float]:
    """The paper's steps, one by one, with nothing of HInter's."""
    kind = folder.name
    w = load_file(folder / "model.safetensors")
    encoder = encoder_of(folder, kind, w)
    vectors = [encoder(torch.tensor([ids]))[0][0, 0] for ids in segments]
    # As in training: a missing segment is a row of zeros, and -10000 was added for each of them.
    mask = torch.full((1, 1, WINDOW, WINDOW), -10_000.0)
    zeros = torch.zeros((1, WINDOW), dtype=torch.long)
    missing = encoder(zeros, attention_mask=mask)[0][0, 0]
    table = w[f"{kind}.seg_pos_embeddings.weight"]
    x = torch.stack(
        [v + table[i + 1] for i, v in enumerate(vectors)]
        + [missing + table[0]] * (SEGMENTS - len(vectors))
    )
    for layer in (f"{kind}.seg_encoder.layers.{n}" for n in range(2)):
        x = norm(x + attention(x, w, f"{layer}.self_attn"), w, f"{layer}.norm1")
        inner = torch.nn.functional.gelu(linear(x, w, f"{layer}.linear1"))
        x = norm(x + linear(inner, w, f"{layer}.linear2"), w, f"{layer}.norm2")
    document = norm(x, w, f"{kind}.seg_encoder.norm").max(0).values
    if kind == "roberta":
        logits = linear(linear(document, w, "classifier.0"), w, "classifier.2")
    else:
        logits = linear(document, w, "classifier")
    found: list[float] = logits.sigmoid().tolist()
    return found


def ids_of(model: Any, text: str) -> list[list[int]]:
    (pieces,) = model._scheme.pieces([text])
    return [piece["input_ids"] for piece in pieces]


@pytest.mark.parametrize(
    "text", [FACTS, "The man.", "the good man " * 40], ids=["three", "one", "too long"]
)
def test_answers_are_those_of_a_step_by_step_computation(folder: Path, text: str) -> None:
    model = load(folder)
    _, answer, _ = model.predict(["A woman.", text, "bad\n\ngood"])
    with torch.inference_mode():
        expected = step_by_step(folder, ids_of(model, text))
    # The constant of -10000 in fp32 costs the reference its last digits.
    assert list(answer.scores.values()) == pytest.approx(expected, abs=2e-4)
    assert model.capabilities.multi_label


def test_what_is_read_is_said(folder: Path) -> None:
    model = load(folder)
    assert model.capabilities.window == SEGMENTS * WINDOW
    assert "hierarchical" in model.capabilities.note
    assert "4 segments of 16 tokens" in model.capabilities.note


def test_paragraphs_begin_segments_and_wrapped_lines_do_not(tmp_path: Path) -> None:
    model = load(make_hierarchical(tmp_path / "bert", "bert", LABELS, segments=8, window=WINDOW))
    tokenizer = model.checkpoint.tokenizer

    def read(text: str) -> list[str]:
        return [tokenizer.decode(ids, skip_special_tokens=True) for ids in ids_of(model, text)]

    assert read("the man .\nus .\n\n\nbad\ngood") == ["the man .", "us .", "bad good"]
    assert read("the man\n \nus") == ["the man", "us"]
    assert read("\n\n") == [""]
    # A paragraph that is too long goes on in the next segment; nothing is lost.
    assert read("the " * 30 + "\n\nus") == [
        "the " * 13 + "the",
        "the " * 13 + "the",
        "the the",
        "us",
    ]


def test_what_lies_past_the_last_segment_is_not_visible(folder: Path) -> None:
    model = load(folder)
    text = "the man .\n" * 9
    seen = model.visible(text)
    if folder.name == "bert":
        assert text[:seen] == ("the man .\n" * SEGMENTS).rstrip("\n")
    assert seen < len(text)
    first, second = model.predict([text, text[:seen] + "\nbad waiter"])
    # Rows of one batch may differ in the last digits, as cores share the work.
    assert first.labels == second.labels
    assert first.scores == pytest.approx(second.scores, abs=1e-5)
    assert model.visible("the man") == len("the man")


Break = Callable[[dict[str, torch.Tensor]], Any]


@pytest.mark.parametrize(
    "harm",
    [
        lambda w: w.pop(next(k for k in w if k.endswith("layers.1.norm2.bias"))),
        lambda w: w.pop(next(k for k in w if k.endswith("word_embeddings.weight"))),
        lambda w: w.update(more=torch.zeros(1)),
        lambda w: w.update({next(k for k in w if "seg_encoder.norm.w" in k): torch.zeros(3)}),
    ],
    ids=["layer lacks", "encoder lacks", "one too many", "wrong shape"],
)
def test_every_weight_has_its_place(folder: Path, tmp_path: Path, harm: Break) -> None:
    weights = load_file(folder / "model.safetensors")
    harm(weights)
    for file in folder.glob("*.json"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="cannot be loaded"):
        load(tmp_path)


def test_weights_in_several_files_are_read(folder: Path, tmp_path: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    for file in folder.glob("*.json"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    places = {}
    for number in range(2):
        name = f"model-{number + 1:05}-of-00002.safetensors"
        part = {k: v for i, (k, v) in enumerate(sorted(weights.items())) if i % 2 == number}
        save_file(part, tmp_path / name, metadata={"format": "pt"})
        places |= dict.fromkeys(part, name)
    index = {"metadata": {}, "weight_map": places}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    assert load(tmp_path).predict([FACTS])[0].scores == load(folder).predict([FACTS])[0].scores


def test_options_that_do_not_fit_are_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match="leave out pool"):
        load(folder, "?pool=mean")


def test_a_hierarchical_model_on_another_encoder_is_refused(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config["model_type"] = "electra"
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="built on electra"):
        load(tmp_path)
