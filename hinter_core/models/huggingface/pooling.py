"""What of a text a classifier reads, and how the rows it gives back become scores of labels.

``Whole`` reads one window. ``Pooled`` reads all of a text in segments of one window and takes the
mean or the maximum of their probabilities: of probabilities and not of logits, since these are
bounded, so that one segment of which the model is very sure cannot outvote all others; and since
their mean is a distribution again.
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
    """How texts become inputs of a model and its rows become scores.

    ``identity`` names what decides an answer beside the weights, ``window`` is the number of tokens
    read of a text (None: all of it), ``note`` says it to the user. ``inputs`` makes the batches.
    """

    identity: str
    window: int | None
    note: str
    inputs: Inputs

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """The inputs of each text, one or more."""
        ...

    def forward(self, model: Any, batch: Any) -> torch.Tensor:
        """A row for each input of a batch."""
        ...

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:
        """Probabilities of the labels, from the rows of one text's inputs."""
        ...

    def visible(self, text: str) -> int:
        """How many leading characters of ``text`` are read."""
        ...


def probabilities(logits: torch.Tensor, multi_label: bool) -> torch.Tensor:
    """Of labels (last axis): each by itself, or together."""
    return logits.sigmoid() if multi_label else logits.softmax(-1)


class Whole:
    """A text is one input, cut to the window."""

    identity = "whole"
    note = ""

    def __init__(self, name: str, checkpoint: Checkpoint, multi_label: bool) -> None:
        """Set up the inputs.

        Raises:
            ModelError: see :class:`Inputs`.
        """
        self.inputs = Inputs(name, checkpoint)
        self.window = checkpoint.window
        self._checkpoint = checkpoint
        self._multi_label = multi_label

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """One for each text."""
        return [[piece] for piece in self.inputs.whole(texts, self.window)]

    def forward(self, model: Any, batch: Any) -> torch.Tensor:
        """Logits (inputs x labels)."""
        logits: torch.Tensor = model(**batch).logits
        return logits

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:  # noqa: ARG002 -- protocol
        """Those of the only input."""
        return probabilities(rows[0], self._multi_label)

    def visible(self, text: str) -> int:
        """Characters up to the last token that fits the window."""
        return self._checkpoint.visible(text, less=self.inputs.added)


class Pooled(Whole):
    """A text is read in segments of at most one window, as equal in length as can be.

    Equal ones, because a last segment of a few words would count as much as a full one.
    """

    def __init__(self, name: str, checkpoint: Checkpoint, multi_label: bool, method: str) -> None:
        """Pool by ``mean`` or ``max``.

        Raises:
            ModelError: a tokenizer that cannot cut texts on token boundaries.
        """
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
        """The segments of each text."""
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
        """Mean or maximum of the segments' probabilities."""
        each = probabilities(rows, self._multi_label)
        if self._method == "mean":
            return each.mean(0)
        best = each.amax(0)
        # The maxima of distributions add up to more than one.
        return best if self._multi_label else best / best.sum()

    def visible(self, text: str) -> int:
        """All of it."""
        return len(text)
