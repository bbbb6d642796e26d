"""Opening checkpoints: what is refused, and with which words; windows; batches."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.checkpoint import batches
from hinter_core.models.registry import build_model, parse_name

from ...conformance.tiny import make_classifier


def load(path: str) -> Any:
    """A fresh model, past the registry's memory."""
    return build_model(parse_name(f"hf:{path}"))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(make_classifier(tmp_path_factory.mktemp("good"), ["no", "yes"], window=16))


@pytest.fixture
def copy(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "copy"))


def refusal(path: Path | str) -> str:
    with pytest.raises(ModelError) as caught:
        load(str(path))
    message = str(caught.value)
    assert "\n" not in message
    return message


def change_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps({**config, **changes}))


def test_a_good_checkpoint_is_loaded_in_fp32(good: Path) -> None:
    import torch

    model = load(str(good))
    assert model.name == f"hf:{good}"
    assert model.capabilities.labels == ("no", "yes")
    assert model.capabilities.window == 16
    assert {p.dtype for p in model._checkpoint.model.parameters()} == {torch.float32}


def test_identity_names_the_weights(good: Path, copy: Path, tmp_path: Path) -> None:
    other = Path(make_classifier(tmp_path / "other", ["no", "yes"], window=32))
    assert load(str(copy)).identity.split("@")[1] == load(str(good)).identity.split("@")[1]
    assert load(str(other)).identity.split("@")[1] != load(str(good)).identity.split("@")[1]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert "Name a checkpoint" in refusal("")
    (tmp_path / "empty").mkdir()
    assert "holds no config.json" in refusal(tmp_path / "empty")


def test_pickled_weights_are_never_read(copy: Path) -> None:
    import torch
    from safetensors.torch import load_file

    weights = load_file(copy / "model.safetensors")
    (copy / "model.safetensors").unlink()
    torch.save(weights, copy / "pytorch_model.bin")
    message = refusal(copy)
    assert "only safetensors checkpoints are read" in message


def test_damaged_weights_are_a_clear_error(copy: Path) -> None:
    content = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(content[: len(content) // 2])
    assert "cannot be loaded" in refusal(copy)


def test_a_damaged_tokenizer_or_config_is_a_clear_error(copy: Path) -> None:
    (copy / "tokenizer.json").write_text("{")
    assert "cannot be loaded" in refusal(copy)
    (copy / "config.json").write_text("{")
    assert "cannot be loaded" in refusal(copy)


def test_a_model_without_a_trained_head_is_no_classifier(copy: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(copy / "model.safetensors")
    kept = {k: v for k, v in weights.items() if not k.startswith("classifier")}
    save_file(kept, copy / "model.safetensors", metadata={"format": "pt"})
    assert "no trained head" in refusal(copy)


def test_code_that_comes_with_a_checkpoint_is_not_run(copy: Path) -> None:
    flag = copy / "ran"
    (copy / "evil.py").write_text(f"open({str(flag)!r}, 'w').close()\nclass E: pass\n")
    change_config(
        copy, model_type="evil", auto_map={
            "AutoConfig": "evil.E", "AutoModelForSequenceClassification": "evil.E",
        },
    )  # fmt: skip
    assert "cannot be loaded" in refusal(copy)
    assert not flag.exists()


def test_one_label_is_no_classification(copy: Path, tmp_path: Path) -> None:
    single = make_classifier(tmp_path / "one", ["score"])
    assert "label" in refusal(single)


def test_the_window_ends_after_the_last_token_that_fits(good: Path) -> None:
    model = load(str(good))
    text = "the man . " * 30
    seen = model.visible(text)
    # 16 tokens, two of them special: 14 words of three a sentence.
    assert text[:seen].split() == text.split()[:14]
    assert model.visible("the man") == len("the man")
    assert model.visible("man" * 3) == 9
    assert model.visible("") == 0


def test_the_label_that_ties_is_the_same_in_a_batch(good: Path) -> None:
    model = load(str(good))
    texts = [f"{'the good ' * n}man" for n in range(12)]
    batched = model.predict(texts)
    assert [p.labels for p in batched] == [model.predict([t])[0].labels for t in texts]


def test_batches_hold_all_longest_first_within_the_budget() -> None:
    lengths = [3, 9, 1, 5, 5, 2]
    made = list(batches(lengths, budget=10))
    assert sorted(i for batch in made for i in batch) == list(range(6))
    assert made[0] == [1]
    for batch in made:
        assert len(batch) * max(lengths[i] for i in batch) <= 10
    assert list(batches([50], budget=10)) == [[0]]
    assert list(batches([], budget=10)) == []
