"""Training in steps: interrupted and resumed, it ends with the weights of an uninterrupted one."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from hinter_core.models.huggingface.checkpoint import Checkpoint, open_checkpoint
from hinter_core.repair.examples import Example
from hinter_core.repair.training import Recipe, Training
from tests.conformance.tiny import make_classifier

WORDS = "the man woman black white british waiter served us good bad".split()
EXAMPLES = [
    Example(f"the {a} {b} served us {c}", (1.0, 0.0) if c == "bad" else (0.0, 1.0),
            (f"the {d} {b} served us {c}",))
    for a, d in (("black", "white"), ("white", "british"), ("british", "black"))
    for b in ("man", "woman", "waiter")
    for c in ("good", "bad")
]  # fmt: skip
RECIPE = Recipe(epochs=6, rate=5e-3, batch=4, seed=2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_classifier(tmp_path_factory.mktemp("model") / "tiny", ["negative", "positive"])


def opened(folder: str) -> Checkpoint:
    return open_checkpoint("tiny", folder, "AutoModelForSequenceClassification")


def weights(training: Training) -> dict[str, torch.Tensor]:
    return {key: value.clone() for key, value in training.model.state_dict().items()}


def test_a_model_learns_its_labels_and_equal_answers_and_the_old_one_stays(
    folder: str, tmp_path: Path
) -> None:
    checkpoint = opened(folder)
    before = {key: value.clone() for key, value in checkpoint.model.state_dict().items()}
    training, losses = Training(checkpoint, EXAMPLES, RECIPE, tmp_path), []
    assert training.run(lambda _, loss: losses.append(loss))
    assert len(losses) == training.steps == 6 * 5
    assert sum(losses[-5:]) < 0.75 * sum(losses[:5])
    assert all(
        torch.equal(value, before[key]) for key, value in checkpoint.model.state_dict().items()
    )
    assert any(not torch.equal(value, before[key]) for key, value in weights(training).items())


@pytest.mark.slow
@pytest.mark.parametrize("stop", [1, 7, 29])
def test_interrupted_and_resumed_is_uninterrupted(folder: str, tmp_path: Path, stop: int) -> None:
    whole = Training(opened(folder), EXAMPLES, RECIPE, tmp_path / "whole")
    whole.run()
    first = Training(opened(folder), EXAMPLES, RECIPE, tmp_path / "parts")
    taken: list[int] = []
    assert not first.run(lambda done, _: taken.append(done), lambda: len(taken) == stop)
    second = Training(opened(folder), EXAMPLES, RECIPE, tmp_path / "parts")
    assert second.done == stop
    assert second.run()
    for key, value in weights(second).items():
        assert torch.equal(value, whole.model.state_dict()[key]), key


def test_a_state_of_other_examples_is_not_continued(folder: str, tmp_path: Path) -> None:
    Training(opened(folder), EXAMPLES, RECIPE, tmp_path).run()
    assert Training(opened(folder), EXAMPLES[:6], RECIPE, tmp_path).done == 0


def test_equal_answers_are_learnt_even_without_labels(folder: str, tmp_path: Path) -> None:
    """With every answer undecided, what is left to learn is that variants are answered alike."""
    undecided = [Example(e.text, (0.5, 0.5), e.variants) for e in EXAMPLES]

    def apart(training: Training) -> float:
        texts, variants = [e.text for e in EXAMPLES], [e.variants[0] for e in EXAMPLES]
        with torch.inference_mode():
            one, two = training._logits(texts), training._logits(variants)
        return float((one - two).abs().mean())

    training = Training(opened(folder), undecided, RECIPE, tmp_path)
    training.model.eval()
    before = apart(training)
    training.run()
    assert apart(training) < before / 2
