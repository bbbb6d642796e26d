"""Hierarchical classifiers of long documents, as published with LexGLUE (Chalkidis et al. 2022).

A document is up to 64 segments of up to 128 tokens, one per paragraph. An encoder (BERT or RoBERTa)
gives each segment the vector of its first token; position embeddings of the segments are added; two
transformer layers attend over the segments; their maximum, feature by feature, is classified.

The ``config.json`` of such a checkpoint describes a plain classifier, and ``transformers`` would
fill most of it with random numbers. It is recognised by the names of its weights, rebuilt, and
loaded strictly.

As in training, missing segments take part: they are rows of token 0 at position 0, and not masked.
The position embeddings have one row per segment and one for the missing ones.
Departure: in training, a paragraph was cut after 128 tokens; here it continues in the next segment,
so that the beginning of a text is read without gaps.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hinter_core.errors import ModelError
from hinter_core.models.huggingface.checkpoint import Checkpoint
from hinter_core.models.huggingface.inputs import Inputs, Piece
from hinter_core.models.huggingface.schemes import Scheme, probabilities

if TYPE_CHECKING:
    import torch


SEGMENT = 128
_ENCODERS = ("bert", "roberta")
_LAYERS = 2
_POSITIONS = ".seg_pos_embeddings.weight"
# A paragraph ends at a blank line, and at a line break after the end of a sentence: facts are
# listed one per line, and wrapped lines stay together.
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*|(?<=[.!?:;)\"'\u2019\u201d])[^\S\n]*\n\s*")


def rebuild(config: Any, weights: Mapping[str, torch.Tensor]) -> Any | None:
    """Rebuild a hierarchical model from its weights (fp32, CPU); None if it is no such model.

    Raises:
        ModelError: a hierarchical model with another encoder.
        RuntimeError: missing or unexpected weights.
    """
    import torch
    from torch import nn
    from transformers import AutoModelForSequenceClassification

    positions = next((w for k, w in weights.items() if k.endswith(_POSITIONS)), None)
    if positions is None:
        return None
    if config.model_type not in _ENCODERS:
        raise ModelError(
            f"This hierarchical checkpoint is built on {config.model_type}; only those on "
            f"{' and '.join(_ENCODERS)} can be read."
        )
    flat = AutoModelForSequenceClassification.from_config(config, dtype=torch.float32)
    kind, width = flat.base_model_prefix, config.hidden_size
    layer = nn.TransformerEncoderLayer(
        width,
        config.num_attention_heads,
        config.intermediate_size,
        activation=config.hidden_act,
        layer_norm_eps=config.layer_norm_eps,
        batch_first=True,
    )
    body = nn.ModuleDict(
        {
            "encoder": flat.base_model,
            "seg_pos_embeddings": nn.Embedding(*positions.shape),
            "seg_encoder": nn.TransformerEncoder(
                layer,
                _LAYERS,
                nn.LayerNorm(width, eps=config.layer_norm_eps),
                enable_nested_tensor=False,
            ),
        }
    )
    classifier: nn.Module = nn.Linear(width, config.num_labels)
    if "classifier.weight" not in weights:  # RoBERTa's two layers; dropout is for training
        classifier = nn.Sequential(nn.Linear(width, width), nn.Identity(), classifier)
    model = nn.ModuleDict({kind: body, "classifier": classifier})
    # Older versions of transformers stored the positions 0, 1, 2 ... beside the weights.
    stored = {k: w.float() for k, w in weights.items() if not k.endswith(".position_ids")}
    model.load_state_dict(stored, strict=True)
    model.config, model.body = config, body
    return model


class Hierarchical(Scheme):
    """Scheme that reads a text as paragraphs and classifies the vectors of their segments."""

    identity = "hierarchical-1"

    def __init__(self, name: str, checkpoint: Checkpoint, multi_label: bool) -> None:
        body = checkpoint.model.body
        self.inputs = Inputs(name, checkpoint, body["encoder"])
        self._multi_label = multi_label
        self._segments = body["seg_pos_embeddings"].num_embeddings - 1
        self._length = min(SEGMENT, checkpoint.window or SEGMENT)
        self.window = self._segments * self._length
        self.note = (
            f"a hierarchical model: paragraphs are read in up to {self._segments} segments of "
            f"{self._length} tokens"
        )
        self._empty: dict[Any, torch.Tensor] = {}

    def pieces(self, texts: Sequence[str]) -> list[list[Piece]]:
        """Return the segments of each text that are read."""
        return [[piece for piece, _ in self._read(text)[: self._segments]] for text in texts]

    def _read(self, text: str) -> list[tuple[Piece, int]]:
        """Return all segments of a text, with their ends; a text without words has one."""
        segments: list[tuple[Piece, int]] = []
        start = 0
        for stop, after in [*(m.span() for m in _PARAGRAPH.finditer(text)), (len(text),) * 2]:
            paragraph = text[start:stop]
            if paragraph.strip() or (not segments and after == len(text)):
                pieces = self.inputs.segments(paragraph, self._length)
                segments += [(piece, start + end) for piece, end in pieces]
            start = after
        return segments

    def forward(self, model: Any, batch: Any) -> torch.Tensor:
        """Compute the vectors of segments (inputs x width)."""
        vectors: torch.Tensor = model.body["encoder"](**batch)[0][:, 0]
        return vectors

    def scores(self, model: Any, rows: torch.Tensor) -> torch.Tensor:
        """Compute the probabilities of the document's labels."""
        import torch

        body = model.body
        table = body["seg_pos_embeddings"].weight
        with torch.inference_mode():
            missing = self._missing(model).expand(self._segments - len(rows), -1)
            places = [*range(1, len(rows) + 1), *[0] * len(missing)]
            seen = torch.cat([rows.to(table), missing]) + table[places]
            document = body["seg_encoder"](seen[None]).amax(1)
            logits = model["classifier"](document)[0].float().cpu()
            return probabilities(logits, self._multi_label)

    def _missing(self, model: Any) -> torch.Tensor:
        """Compute the vector (1 x width) of a missing segment, a row of token 0."""
        import torch

        if id(model) not in self._empty:
            table = model.body["seg_pos_embeddings"].weight
            ids = torch.zeros((1, self._length), dtype=torch.long, device=table.device)
            # In training all its tokens were masked. That adds a constant to all attention logits,
            # which the softmax ignores, so no mask is equivalent.
            with torch.inference_mode():
                vector = model.body["encoder"](input_ids=ids)[0][:, 0]
            self._empty[id(model)] = vector
        return self._empty[id(model)]

    def visible(self, text: str) -> int:
        """Count the characters up to the end of the last segment that is read."""
        segments = self._read(text)
        return len(text) if len(segments) <= self._segments else segments[self._segments - 1][1]
