"""The shipped classifier without torch: the same answers as the checkpoint in torch."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.huggingface import embedded
from hinter_core.models.huggingface.checkpoint import HasCheckpoint
from hinter_core.models.registry import load_model, parse_name

LONG = "The waiter was kind, and the soup was cold. " * 60
TEXTS = [
    "A lovely day.", "a dull film, badly made", "", " ", "?", "\U0001f600 ok", "Caf\u00e9 noir",
    "\u4e2d\u6587", "[SEP] is a [MASK] of [PAD]", "so " * 508 + "very good", "so " * 530 + "bad",
    LONG, LONG[:900],
]  # fmt: skip


def test_answers_are_those_of_the_checkpoint_in_torch() -> None:
    ours, theirs = load_model("embedded"), load_model(f"hf:{embedded.EMBEDDED}")
    assert ours.identity == theirs.identity
    assert ours.capabilities == theirs.capabilities
    for mine, other in zip(ours.predict(TEXTS), theirs.predict(TEXTS), strict=True):
        assert mine.labels == other.labels
        assert mine.scores == pytest.approx(other.scores, abs=1e-5)
    assert [ours.visible(text) for text in TEXTS] == [theirs.visible(text) for text in TEXTS]
    assert any(ours.visible(text) < len(text) for text in TEXTS)


def test_an_answer_near_a_tie_is_that_of_the_text_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model("embedded")
    alone = [answer for text in TEXTS for answer in model.predict([text])]
    assert [one.labels for one in model.predict(TEXTS)] == [one.labels for one in alone]
    monkeypatch.setattr(embedded, "NEAR_TIE", 1.0)
    assert model.predict(TEXTS) == alone


def test_it_has_a_checkpoint_to_train_further() -> None:
    model = load_model("embedded")
    assert isinstance(model, HasCheckpoint)
    assert model.identity == load_model(f"hf:{embedded.EMBEDDED}").identity


@pytest.mark.parametrize("broken", ["layers.onnx", "model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("how", ["gone", "cut"])
def test_a_broken_file_is_a_clear_error(
    broken: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(embedded.EMBEDDED, tmp_path / "sentiment")
    content = (folder / broken).read_bytes()
    (folder / broken).unlink()
    if how == "cut":
        (folder / broken).write_bytes(content[: len(content) // 2])
    monkeypatch.setattr(embedded, "EMBEDDED", folder)
    with pytest.raises(ModelError, match="restore or retrain it"):
        embedded.EmbeddedClassifier(parse_name("embedded"))
