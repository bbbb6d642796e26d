"""Hugging Face sequence classifiers as models under test.

Batches hold texts of similar length up to a budget of tokens. Padded and single logits differ in
the last digits, so answers near a tie are asked again alone (measured with transformers 5).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities, answer_from, margin
from hinter_core.models.checkpoint import Checkpoint, batches, locate, open_checkpoint
from hinter_core.models.naming import ModelName
from hinter_core.types import Prediction

if TYPE_CHECKING:
    import torch

EMBEDDED = Path(__file__).resolve().parent.parent.parent / "assets" / "models" / "sentiment"
_AUTO_CLASS = "AutoModelForSequenceClassification"
_TOKEN_BUDGET = 8192
_NEAR_TIE = 1e-4


class HuggingFaceClassifier:
    """A sequence classifier, single-label (softmax) or multi-label (sigmoid and threshold)."""

    def __init__(self, name: str, checkpoint: Checkpoint) -> None:
        config = checkpoint.model.config
        labels = tuple(config.id2label[i] for i in sorted(config.id2label))
        multi = config.problem_type == "multi_label_classification"
        if not labels or (len(labels) == 1 and not multi):
            raise ModelError(f"Model '{name}' has no labels to choose from; it is no classifier.")
        self.name = name
        self.identity = f"hf-1-{checkpoint.identity}"
        self.capabilities = Capabilities(
            labels=labels,
            multi_label=multi,
            window=checkpoint.window,
            device=checkpoint.device,
            dtype=checkpoint.dtype,
        )
        self._checkpoint = checkpoint
        self._lock = threading.Lock()

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Predictions in order; batched by length, near-ties asked again alone."""
        if not texts:
            return []
        with self._lock:
            encoded = self._checkpoint.tokenizer(
                list(texts), truncation=True, max_length=self.capabilities.window, padding=False
            )
            answers: dict[int, Prediction] = {}
            for chosen, logits in batched_logits(self._checkpoint, encoded):
                for i, answer in zip(chosen, self._answers(logits), strict=True):
                    if len(chosen) > 1 and self._near_tie(answer):
                        answer = self._answers(logits_of(self._checkpoint, encoded, [i]))[0]
                    answers[i] = answer
            return [answers[i] for i in range(len(texts))]

    def _answers(self, logits: torch.Tensor) -> list[Prediction]:
        capabilities = self.capabilities
        rows = logits.sigmoid() if capabilities.multi_label else logits.softmax(-1)
        return [
            answer_from(dict(zip(capabilities.labels, row, strict=True)), capabilities)
            for row in rows.tolist()
        ]

    def _near_tie(self, answer: Prediction) -> bool:
        distance = margin(answer, self.capabilities)
        return distance is not None and distance < _NEAR_TIE

    def visible(self, text: str) -> int:
        """Characters up to the last token that fits the window."""
        with self._lock:
            return self._checkpoint.visible(text)


def logits_of(checkpoint: Checkpoint, encoded: Any, chosen: Sequence[int]) -> torch.Tensor:
    """Logits (rows of ``chosen`` x labels, fp32) of already encoded inputs."""
    import torch

    rows = {key: [encoded[key][i] for i in chosen] for key in encoded}
    batch = checkpoint.tokenizer.pad(rows, return_tensors="pt").to(checkpoint.device)
    with torch.inference_mode():
        logits: torch.Tensor = checkpoint.model(**batch).logits.float()
    return logits


def batched_logits(
    checkpoint: Checkpoint, encoded: Any
) -> Iterator[tuple[list[int], torch.Tensor]]:
    """Logits of all encoded inputs, in batches of similar length with their indices."""
    for chosen in batches([len(ids) for ids in encoded["input_ids"]], _TOKEN_BUDGET):
        yield chosen, logits_of(checkpoint, encoded, chosen)


def load_embedded(name: ModelName) -> HuggingFaceClassifier:
    """The sentiment model that comes with HInter.

    Raises:
        ModelError: its files are missing or broken.
    """
    if not (EMBEDDED / "config.json").exists():
        raise ModelError(f"The embedded model is missing from {EMBEDDED}; restore or retrain it.")
    checkpoint = open_checkpoint(
        name.text, str(EMBEDDED), None, auto_class=_AUTO_CLASS, offline=True
    )
    return HuggingFaceClassifier(name.text, checkpoint)


def load(name: ModelName) -> HuggingFaceClassifier:
    """``hf:ORG/NAME[@revision]`` or ``hf:FOLDER`` with the options of its kind.

    Raises:
        ModelError: the checkpoint is missing, private, no classifier, or has no safetensors.
    """
    source, revision, offline = locate(name.source)
    checkpoint = open_checkpoint(
        name.text,
        source,
        revision,
        auto_class=_AUTO_CLASS,
        offline=offline,
        dtype=name.string("dtype"),
    )
    return HuggingFaceClassifier(name.text, checkpoint)
