"""The network: the states of a word in the masked language model, and how it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import nn
from transformers import AutoConfig, AutoModel

from hinter_core.language.word_sense import SHAPES


class WordSense(nn.Module):  # type: ignore[misc]  # torch is not typed here
    """Whether a word is about a person: a logit from its state, its own meaning and its letters."""

    def __init__(self, encoder: str, dropout: float, hidden: int) -> None:
        super().__init__()
        config = AutoConfig.from_pretrained(encoder, trust_remote_code=False)
        if config.model_type == "modernbert":
            config.embedding_dropout = config.mlp_dropout = config.attention_dropout = dropout
            # The tanh needs no error function to compute.
            config.hidden_activation = "gelu_pytorch_tanh"
        config._attn_implementation = "eager"
        self.encoder = AutoModel.from_pretrained(
            encoder, config=config, dtype=torch.float32, trust_remote_code=False
        )
        width = 2 * config.hidden_size + SHAPES
        self.head = nn.Sequential(
            nn.Dropout(2 * dropout),
            nn.Linear(width, hidden),
            nn.GELU(approximate="tanh"),
            nn.Dropout(2 * dropout),
            nn.Linear(hidden, 1),
        )

    def forward(self, batch: Batch) -> torch.Tensor:
        """Return a logit for each asked word of each sentence."""
        states = self.encoder(
            input_ids=batch.ids, attention_mask=batch.mask, return_dict=True
        ).last_hidden_state
        own = self.encoder.embeddings(batch.ids)
        pooled = batch.pool @ torch.cat([states, own], dim=-1)
        return self.head(torch.cat([pooled, batch.shapes], dim=-1)).squeeze(-1)


@dataclass(frozen=True)
class Encoded:
    """A sentence as pieces; for each asked word its pieces, letters, label and weight."""

    ids: Sequence[int]
    pieces: Sequence[Sequence[int]]
    shapes: Sequence[Sequence[float]]
    person: Sequence[float]
    weights: Sequence[float]


@dataclass(frozen=True)
class Batch:
    """Padded sentences; ``pool`` takes the mean of a word's pieces."""

    ids: torch.Tensor
    mask: torch.Tensor
    pool: torch.Tensor
    shapes: torch.Tensor
    person: torch.Tensor
    weights: torch.Tensor


def collate(rows: Sequence[Encoded]) -> Batch:
    """Pad sentences and asked words to the longest of a batch."""
    size, longest = len(rows), max(len(row.ids) for row in rows)
    most = max(len(row.pieces) for row in rows)
    ids = torch.zeros((size, longest), dtype=torch.long)
    mask = torch.zeros((size, longest), dtype=torch.long)
    pool = torch.zeros((size, most, longest))
    shapes = torch.zeros((size, most, SHAPES))
    person, weights = torch.zeros((size, most)), torch.zeros((size, most))
    for n, row in enumerate(rows):
        ids[n, : len(row.ids)] = torch.tensor(row.ids)
        mask[n, : len(row.ids)] = 1
        for k, pieces in enumerate(row.pieces):
            pool[n, k, list(pieces)] = 1 / len(pieces)
            shapes[n, k] = torch.tensor(row.shapes[k])
            person[n, k], weights[n, k] = row.person[k], row.weights[k]
    return Batch(ids, mask, pool, shapes, person, weights)
