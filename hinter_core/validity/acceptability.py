"""The embedded classifier: a probability of error for each piece of a sentence.

A sentence is acceptable to the degree that none of its pieces is at fault (a noisy or). Trained by
``training/acceptability`` on judged sentences (CoLA, Warstadt et al. 2019) and on treebank
sentences broken on purpose; its card, ``assets/models/acceptability/README.md``, has its quality.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hinter_core.models.huggingface.checkpoint import Checkpoint, open_checkpoint
from hinter_core.models.huggingface.inputs import Batches
from hinter_core.storage import ASSETS
from hinter_core.validity.base import Acceptability, Checker, CheckerError

if TYPE_CHECKING:
    import torch
    from transformers import BatchEncoding

FOLDER = ASSETS / "models" / "acceptability"
_HALF = 0.5


class AcceptabilityClassifier:
    """Judges by a token classifier with one label, the logit of an error."""

    name = "acceptability"

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.identity = f"acceptability-1-{checkpoint.identity}"
        self._checkpoint = checkpoint
        self._batches = Batches.on(checkpoint.device)

    def check(self, texts: Sequence[str]) -> list[Acceptability]:
        """Judge each sentence; what lies past the window of 512 pieces is not read."""
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
        """Logits of pieces, one line a sentence; past its end they say nothing."""
        import torch

        tokenizer, model = self._checkpoint.tokenizer, self._checkpoint.model
        inputs = tokenizer(list(texts), truncation=True, padding=True, return_tensors="pt")
        with torch.inference_mode():
            logits = model(**inputs.to(self._checkpoint.device)).logits.squeeze(-1)
        found: torch.Tensor = logits
        return found


def _judged(text: str, inputs: BatchEncoding, logits: torch.Tensor) -> Acceptability:
    from torch.nn import functional

    own = logits[: len(inputs["input_ids"])]
    score = float(functional.logsigmoid(-own).sum().exp())
    if score >= _HALF:
        return Acceptability(True, score)
    span = inputs.token_to_chars(int(own.argmax()))  # None for the marks of begin and end
    where = f"around \u201c{text[span.start : span.end]}\u201d" if span else "as a whole"
    return Acceptability(False, score, f"unusual {where}")


def load(argument: str = "") -> Checker:
    """The embedded classifier.

    Raises:
        CheckerError: an address was given, which it does not take.
        ModelError: torch or transformers are missing.
    """
    if argument:
        raise CheckerError("The checker acceptability takes no address; leave out what follows it.")
    return AcceptabilityClassifier(
        open_checkpoint(
            "acceptability",
            str(FOLDER),
            None,
            auto_class="AutoModelForTokenClassification",
            offline=True,
        )
    )
