"""Schemes of a classifier's inputs: the first window of a text, or all of it in pooled segments.

``Pooled`` takes the mean or maximum of the segments' probabilities rather than logits: they are
bounded, so one very certain segment cannot outvote all others, and their mean is a distribution.
"""

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
        ...

    def forward(self, model: Any, batch: Any) -> torch.Tensor:
        """Compute a row per input of a batch; by default its logits."""
        logits: torch.Tensor = model(**batch).logits
        return logits

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:
        """Compute the probabilities of the labels from the rows of one text's inputs."""
        ...

    def visible(self, text: str) -> int:
        """Count the leading characters of ``text`` that are read."""
        ...


def probabilities(logits: torch.Tensor, multi_label: bool) -> torch.Tensor:
    """Turn logits of labels (last axis) into probabilities, separate if ``multi_label``."""
    return logits.sigmoid() if multi_label else logits.softmax(-1)


class Whole(Scheme):
    """One input per text, cut to the window.

    Raises:
        ModelError: see :class:`Inputs`.
    """

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
    """Segments of at most one window and of equal length, pooled by ``mean`` or ``max``.

    Equal lengths, because a last segment of a few words would count as much as a full one.

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
        return [
            [piece] if self._fits(piece) else self._segments(text, len(piece["input_ids"]))
            for text, piece in zip(texts, self.inputs.whole(texts, None), strict=True)
        ]

    def _fits(self, piece: Piece) -> bool:
        return self._limit is None or len(piece["input_ids"]) <= self._limit

    def _segments(self, text: str, length: int) -> list[Piece]:
        assert self._limit is not None
        special = self.inputs.special()
        tokens = length - special
        number = ceil(tokens / (self._limit - special))
        limit = ceil(tokens / number) + special
        return [piece for piece, _ in self.inputs.segments(text, limit)]

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
