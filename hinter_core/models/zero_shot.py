"""Zero-shot classifiers: a natural-language-inference model judges a hypothesis for each label.

Named ``hf-zero-shot:ORG/NAME?labels=positive,negative&template=This review is {}.``; with
``multi=1`` each label is judged by itself. Source of the method: Yin et al. 2019, as in
transformers' zero-shot pipeline: entailment logits are compared between labels (single label), or
entailment against contradiction within each label (multi-label).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities, answer_from
from hinter_core.models.checkpoint import Checkpoint, locate, open_checkpoint
from hinter_core.models.huggingface import batched_logits
from hinter_core.models.naming import ModelName
from hinter_core.types import Prediction


class ZeroShotClassifier:
    """An NLI model with labels and a hypothesis template."""

    def __init__(
        self, name: str, checkpoint: Checkpoint, labels: tuple[str, ...], template: str, multi: bool
    ) -> None:
        by_name = {str(v).lower(): int(k) for k, v in checkpoint.model.config.id2label.items()}
        self._entailment = next((i for n, i in by_name.items() if n.startswith("entail")), -1)
        self._contradiction = next((i for n, i in by_name.items() if n.startswith("contra")), -1)
        if self._entailment < 0 or (multi and self._contradiction < 0):
            raise ModelError(
                f"Model '{name}' does not label entailment and contradiction; name an NLI model."
            )
        self.name = name
        self.identity = f"zero-shot-1-{checkpoint.identity}-{template}-{labels}-{multi}"
        self._hypotheses = [template.replace("{}", label) for label in labels]
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
        """Predictions in order; every text is paired with every hypothesis."""
        if not texts:
            return []
        with self._lock:
            encoded = self._encode(texts)
            raw: dict[int, list[float]] = {}
            for chosen, rows in batched_logits(self._checkpoint, encoded):
                raw.update(zip(chosen, rows.tolist(), strict=True))
        width = len(self._hypotheses)
        return [self._answer([raw[i * width + j] for j in range(width)]) for i in range(len(texts))]

    def _encode(self, texts: Sequence[str]) -> Any:
        premises = [text for text in texts for _ in self._hypotheses]
        hypotheses = [h for _ in texts for h in self._hypotheses]
        return self._checkpoint.tokenizer(
            premises,
            hypotheses,
            truncation="only_first",
            max_length=self.capabilities.window,
            padding=False,
        )

    def _answer(self, logits: Sequence[Sequence[float]]) -> Prediction:
        import torch

        labels = self.capabilities.labels
        table = torch.tensor(logits)
        if self.capabilities.multi_label:
            row = table[:, [self._contradiction, self._entailment]].softmax(-1)[:, 1]
        else:
            row = table[:, self._entailment].softmax(-1)
        return answer_from(dict(zip(labels, row.tolist(), strict=True)), self.capabilities)

    def visible(self, text: str) -> int:
        """Characters that fit the window beside the longest hypothesis."""
        window = self._checkpoint.window
        if window is None:
            return len(text)
        with self._lock:
            tokenizer = self._checkpoint.tokenizer
            between = tokenizer.num_special_tokens_to_add(True) - (
                tokenizer.num_special_tokens_to_add()
            )
            plain = [tokenizer(h, add_special_tokens=False) for h in self._hypotheses]
            taken = max(len(hypothesis["input_ids"]) for hypothesis in plain)
            return self._checkpoint.visible(text, less=taken + between)


def load(name: ModelName) -> ZeroShotClassifier:
    """``hf-zero-shot:ORG/NAME?labels=a,b`` with the options of its kind.

    Raises:
        ModelError: fewer than two labels, or a checkpoint that is no NLI model.
    """
    labels, template = name.listed("labels"), name.string("template")
    if len(labels) < 2:
        raise ModelError(f"Give labels: hf-zero-shot:{name.source}?labels=positive,negative")
    if "{}" not in template:
        raise ModelError("The template needs {} where the label goes, as in 'This text is {}.'")
    source, revision, offline = locate(name.source)
    checkpoint = open_checkpoint(
        name.text,
        source,
        revision,
        auto_class="AutoModelForSequenceClassification",
        offline=offline,
        dtype=name.string("dtype"),
    )
    return ZeroShotClassifier(name.text, checkpoint, labels, template, name.flag("multi"))
