"""Schemes of a classifier's inputs: the first window of a text, pooled segments, NLI hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, Protocol

from hinter_core.errors import ModelError
from hinter_core.models.huggingface.checkpoint import Checkpoint
from hinter_core.models.huggingface.inputs import Inputs, Piece

if TYPE_CHECKING:
    import torch


class Scheme(Protocol):
    """Turns texts into inputs of a model, and its rows into scores.

    ``identity`` names what determines an answer besides the weights; ``window`` is the number of
    tokens read of a text (None: all); ``note`` explains it to the user.
    """

    identity: str
    window: int | None
    note: str = ""
    inputs: Inputs

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the inputs of each text, one or more."""

    def forward(self, model: Any, batch: Any) -> torch.Tensor:
        """Compute a row per input of a batch; by default its logits."""
        logits: torch.Tensor = model(**batch).logits
        return logits

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:
        """Compute the probabilities of the labels from the rows of one text's inputs."""

    def visible(self, text: str) -> int:
        """Count the leading characters of ``text`` that are read."""


def probabilities(logits: torch.Tensor, multi_label: bool) -> torch.Tensor:
    """Turn logits of labels (last axis) into probabilities, separate if ``multi_label``."""
    return logits.sigmoid() if multi_label else logits.softmax(-1)


class Whole(Scheme):
    """One input per text, cut to the window."""

    identity = "whole"

    def __init__(self, name: str, checkpoint: Checkpoint, multi_label: bool) -> None:
        self.inputs = Inputs(name, checkpoint)
        self.window = checkpoint.window
        self._checkpoint = checkpoint
        self._multi_label = multi_label

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return one input per text."""
        return [[piece] for piece in self.inputs.whole(texts, self.window)]

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 -- protocol
        """Compute the probabilities of the only input."""
        return probabilities(rows[0], self._multi_label)

    def visible(self, text: str) -> int:
        """Count the characters up to the last token that fits the window."""
        return self._checkpoint.visible(text, less=self.inputs.added)


class Pooled(Whole):
    """Segments of at most one window, whose probabilities are pooled by ``mean`` or ``max``.

    Segments have equal lengths, because a last one of a few words would count as much as a full
    one. Probabilities are pooled rather than logits: they are bounded, so one very certain segment
    cannot outvote all others, and their mean is a distribution.

    Raises:
        ModelError: a tokenizer that cannot cut texts at token boundaries.
    """

    def __init__(self, name: str, checkpoint: Checkpoint, multi_label: bool, method: str) -> None:
        super().__init__(name, checkpoint, multi_label)
        if not checkpoint.tokenizer.is_fast:
            raise ModelError(f"Model '{name}' has no fast tokenizer (tokenizer.json); leave pool.")
        self._limit = checkpoint.window
        self.window = None
        self._method = method
        self.identity = f"pool-1-{method}"
        self.note = (
            f"long texts are read in segments of up to {self._limit} tokens; scores are the "
            f"{'maximum' if method == 'max' else method} of the segments' probabilities"
        )

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the segments of each text."""
        found = []
        for text, piece in zip(texts, self.inputs.whole(texts, None), strict=True):
            special = self.inputs.special()
            tokens = len(piece["input_ids"]) - special
            if self._limit is None or tokens + special <= self._limit:
                found.append([piece])
                continue
            number = ceil(tokens / (self._limit - special))
            length = ceil(tokens / number) + special
            found.append([segment for segment, _ in self.inputs.segments(text, length)])
        return found

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 -- protocol
        """Pool the segments' probabilities."""
        each = probabilities(rows, self._multi_label)
        if self._method == "mean":
            return each.mean(0)
        best = each.amax(0)
        # The maxima of distributions add up to more than one.
        return best if self._multi_label else best / best.sum()

    def visible(self, text: str) -> int:
        """Count all characters."""
        return len(text)


class Hypotheses(Scheme):
    """Zero-shot: pairs of each text with a hypothesis per label, scored by an NLI model.

    Method: Yin et al. 2019, as in transformers' zero-shot pipeline. Entailment logits are compared
    between labels, or (``multi``) with contradiction within each label. Departure: texts are cut to
    the room that the longest hypothesis leaves, so that all labels are scored on the same words.

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
