"""What a checkpoint may take in memory is known before its model is built."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from hinter_core.errors import ModelError
from hinter_core.models.huggingface import limits
from hinter_core.models.registry import build_model, parse_name
from tests.conformance.tiny import make_chat_model, make_classifier, make_head, make_masked

pytestmark = pytest.mark.slow

SIZES: dict[str, dict[str, Any]] = {
    "vocabulary": {"vocab_size": 50_000_000},
    "width": {"hidden_size": 40_000, "intermediate_size": 40_000},
    "positions": {"max_position_embeddings": 100_000_000},
    "layers": {"num_hidden_layers": 100_000},
    "thin-layers": {"num_hidden_layers": 90_000, "intermediate_size": 1},
    "countless-layers": {"num_hidden_layers": 10**9},
    "labels": {"num_labels": 10**9, "id2label": None, "label2id": None},
    "heads": {"num_attention_heads": 10**7},
    "number": {"vocab_size": 10**40},
    "negative": {"num_hidden_layers": -(10**12)},
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(make_classifier(tmp_path_factory.mktemp("good"), ["no", "yes"], window=16))


@pytest.fixture
def copy(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "copy"))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Bytes of the tensors that are made on the CPU by ``torch.empty``, as loading does."""
    sizes: list[int] = []
    plain = torch.empty_like

    def noted(tensor: torch.Tensor, *args: Any, **options: Any) -> torch.Tensor:
        if str(options.get("device", tensor.device)) != "meta":
            sizes.append(tensor.numel() * tensor.element_size())
        return plain(tensor, *args, **options)

    monkeypatch.setattr(torch, "empty_like", noted)
    return sizes


def change(path: Path, **changes: object) -> None:
    given = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({k: v for k, v in given.items() if v is not None}))


def refusal(name: str) -> str:
    with pytest.raises(ModelError) as caught:
        build_model(parse_name(name))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("case", SIZES)
def test_a_configuration_that_its_weights_do_not_fill(
    case: str, copy: Path, made: list[int]
) -> None:
    change(copy / "config.json", **SIZES[case])
    message = refusal(f"hf:{copy}")
    assert "far more than its weights fill" in message or "as no real model does" in message
    assert sum(made) < 1_000_000


@pytest.mark.parametrize("kind", ["masked", "chat", "gpt2", "t5", "bart"])
def test_of_every_kind(kind: str, tmp_path: Path) -> None:
    if kind == "masked":
        name = f"hf-masked:{make_masked(tmp_path, 'bert')}"
    elif kind == "chat":
        name = f"hf-chat:{make_chat_model(tmp_path)}?prompt=sentiment"
    else:
        name = f"hf:{make_head(tmp_path, kind, ['a', 'b'])}"
    build_model(parse_name(name))
    change(tmp_path / "config.json", vocab_size=60_000_000)
    assert "far more than its weights fill" in refusal(name)


def test_numbers_of_a_tokenizer(copy: Path) -> None:
    change(copy / "tokenizer_config.json", extra_ids=10**9)
    assert "tokenizer_config.json gives extra_ids as 1e+09" in refusal(f"hf:{copy}")


def test_a_tokenizer_without_a_limit_has_a_large_number(copy: Path) -> None:
    change(copy / "tokenizer_config.json", model_max_length=10**30)
    build_model(parse_name(f"hf:{copy}"))


def test_a_tokenizer_of_gigabytes(copy: Path) -> None:
    with (copy / "tokenizer.json").open("r+b") as file:
        file.truncate(5_000_000_000)  # takes no disk
    assert "tokenizer.json has more than 200,000,000 bytes" in refusal(f"hf:{copy}")


@pytest.mark.parametrize("deep", ['{"a":' * 50_000, "[" * 50_000, "null", "[]", "5"])
def test_a_configuration_that_is_none(deep: str, copy: Path) -> None:
    (copy / "config.json").write_text(deep)
    assert "cannot be loaded" in refusal(f"hf:{copy}")


def test_the_owner_says_how_much_memory(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elements, tensors = limits._stored([copy / "model.safetensors"])
    assert tensors > 10
    monkeypatch.setenv(limits.LARGEST, str(elements * 4 // 2))
    build_model(parse_name(f"hf:{copy}"))
    monkeypatch.setenv(limits.LARGEST, str(elements * 4 // 2 - 1))
    assert "in memory, and one may take up to" in refusal(f"hf:{copy}")


def test_nothing_is_counted_afterwards(good: Path) -> None:
    build_model(parse_name(f"hf:{good}"))
    for _ in range(3):
        torch.nn.Linear(20_000, 20_000, device="meta")  # 1.6 GB each, were it counted
