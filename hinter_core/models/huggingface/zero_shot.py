"""Zero-shot classifiers: a natural-language-inference model scores one hypothesis per label.

A name is ``hf-zero-shot:ORG/NAME?labels=positive,negative&template=This review is {}.``. Method:
Yin et al. 2019, as in transformers' zero-shot pipeline. Entailment logits are compared between
labels, or (``multi=1``) with contradiction within each label. Departure: texts are cut to the room
that the longest hypothesis leaves, so that all labels are scored on the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities
from hinter_core.models.huggingface.checkpoint import Checkpoint, named_checkpoint
from hinter_core.models.huggingface.classifier import HuggingFaceClassifier
from hinter_core.models.huggingface.inputs import Inputs, Piece
from hinter_core.models.huggingface.pooling import Scheme
from hinter_core.models.naming import ModelName

if TYPE_CHECKING:
    import torch


class Hypotheses(Scheme):
    """Pairs of each text with each hypothesis; a row has the NLI classes' logits of one pair.

    Raises:
        ModelError: no NLI model, or hypotheses that fill its window.
    """

    def __init__(
        self, name: str, checkpoint: Checkpoint, labels: Sequence[str], template: str, multi: bool
    ) -> None:
        by_name = {str(v).lower(): int(k) for k, v in checkpoint.model.config.id2label.items()}
        self._entailment = next((i for n, i in by_name.items() if n.startswith("entail")), -1)
        self._contradiction = next((i for n, i in by_name.items() if n.startswith("contra")), -1)
        if self._entailment < 0 or (multi and self._contradiction < 0):
            raise ModelError(
                f"Model '{name}' does not label entailment and contradiction; name an NLI model."
            )
        self.identity = f"{template}-{multi}"
        self.inputs = Inputs(name, checkpoint)
        self.window = checkpoint.window
        self._checkpoint = checkpoint
        self._multi = multi
        self._hypotheses = [template.replace("{}", label) for label in labels]
        plain = checkpoint.tokenizer(self._hypotheses, add_special_tokens=False)
        # Tokens that are not of the text, for each hypothesis.
        self._taken = [len(ids) + self.inputs.special(pair=True) for ids in plain["input_ids"]]
        if self.window is not None and max(self._taken) >= self.window:
            raise ModelError(
                f"The window of '{name}' is {self.window} tokens, and the longest label with the "
                "template leaves no room for a text; shorten them."
            )

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return one input per label, all with the same part of the text."""
        room = None if self.window is None else self.window - max(self._taken)
        by_label = [
            self.inputs.whole(texts, None if room is None else room + taken, second=hypothesis)
            for hypothesis, taken in zip(self._hypotheses, self._taken, strict=True)
        ]
        return [list(of_text) for of_text in zip(*by_label, strict=True)]

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 -- protocol
        """Compare entailment between the labels, or with contradiction within each."""
        if self._multi:
            return rows[:, [self._contradiction, self._entailment]].softmax(-1)[:, 1]
        return rows[:, self._entailment].softmax(-1)

    def visible(self, text: str) -> int:
        """Count the characters that fit the window beside the longest hypothesis."""
        return self._checkpoint.visible(text, less=max(self._taken) - self.inputs.special())


def load(name: ModelName) -> HuggingFaceClassifier:
    """Load ``hf-zero-shot:ORG/NAME?labels=a,b`` with the options of its kind.

    Raises:
        ModelError: fewer than two labels, a template without ``{}``, or no NLI model.
    """
    labels, template, multi = name.listed("labels"), name.string("template"), name.flag("multi")
    if len(labels) < 2:
        raise ModelError(f"Give labels: hf-zero-shot:{name.source}?labels=positive,negative")
    if "{}" not in template:
        raise ModelError("The template needs {} where the label goes, as in 'This text is {}.'")
    checkpoint = named_checkpoint(name, "AutoModelForSequenceClassification")
    scheme = Hypotheses(name.text, checkpoint, labels, template, multi)
    identity = f"zero-shot-2-{checkpoint.identity}-{scheme.identity}-{labels}"
    capabilities = Capabilities(labels=labels, multi_label=multi)
    return HuggingFaceClassifier(name.text, identity, checkpoint, scheme, capabilities)
