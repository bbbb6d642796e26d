"""The embedded acceptability classifier: a probability of error for each token of a sentence.

The score of a sentence is the probability that no token is an error (noisy or). Trained by
``training/acceptability`` on CoLA (Warstadt et al. 2019) and on corrupted treebank sentences; its
quality is in ``assets/models/acceptability/README.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hinter_core.models.huggingface.checkpoint import Checkpoint, open_checkpoint
from hinter_core.models.huggingface.inputs import Batches
from hinter_core.storage import ASSETS
from hinter_core.validity.base import Acceptability, Checker

if TYPE_CHECKING:
    import torch
    from transformers import BatchEncoding

FOLDER = ASSETS / "models" / "acceptability"
_HALF = 0.5


class AcceptabilityClassifier:
    """Judges with a token classifier whose only label is the logit of an error."""

    name = "acceptability"

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.identity = f"acceptability-1-{checkpoint.identity}"
        self._checkpoint = checkpoint
        self._batches = Batches.on(checkpoint.device)

    def check(self, texts: Sequence[str]) -> list[Acceptability]:
        """Judge each sentence; tokens beyond the window of 512 are not read."""
        tokenizer = self._checkpoint.tokenizer
        inputs = [tokenizer(text, truncation=True) for text in texts]
        rows = self._batches.run(
            [len(one["input_ids"]) for one in inputs],
            lambda chosen: self._forward([texts[i] for i in chosen]),
        )
        return [
            Acceptability(None, reason="it does not fit into memory")
            if row is None
            else _judged(text, one, row)
            for text, one, row in zip(texts, inputs, rows, strict=True)
        ]

    def _forward(self, texts: Sequence[str]) -> torch.Tensor:
        """Compute logits (sentences x tokens); those of padding are meaningless."""
        import torch

        tokenizer, model = self._checkpoint.tokenizer, self._checkpoint.model
        inputs = tokenizer(list(texts), truncation=True, padding=True, return_tensors="pt")
        with torch.inference_mode():
            logits: torch.Tensor = model(**inputs.to(self._checkpoint.device)).logits
        return logits.squeeze(-1)


def _judged(text: str, inputs: BatchEncoding, logits: torch.Tensor) -> Acceptability:
    from torch.nn import functional

    logits = logits[: len(inputs["input_ids"])]
    score = float(functional.logsigmoid(-logits).sum().exp())
    if score >= _HALF:
        return Acceptability(True, score)
    span = inputs.token_to_chars(int(logits.argmax()))  # None for special tokens
    where = f"around \u201c{text[span.start : span.end]}\u201d" if span else "as a whole"
    return Acceptability(False, score, f"unusual {where}")


def load() -> Checker:
    """Load the embedded classifier.

    Raises:
        ModelError: torch or transformers are missing.
    """
    auto_class = "AutoModelForTokenClassification"
    return AcceptabilityClassifier(
        open_checkpoint("acceptability", str(FOLDER), None, auto_class=auto_class, offline=True)
    )
