"""The network: BERT with how words are written, and a head for kinds and for names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional

from hinter_core.language.encoder import KINDS, STYLES, TAGS
from training.encoder.passages import Encoded

OUT = len(KINDS) + len(TAGS)


@dataclass(frozen=True)
class Shape:
    """The size of the network."""

    layers: int
    width: int = 384
    heads: int = 12
    hidden: int = 1536
    pieces: int = 30_522
    places: int = 256
    head: int = 192
    epsilon: float = 1e-12


class Layer(nn.Module):  # type: ignore[misc]  # torch is not typed here
    """A layer of BERT; the tanh form of GELU needs no error function to compute."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = shape.heads, dropout
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.norm_1 = nn.LayerNorm(shape.width, shape.epsilon)
        self.up = nn.Linear(shape.width, shape.hidden)
        self.down = nn.Linear(shape.hidden, shape.width)
        self.norm_2 = nn.LayerNorm(shape.width, shape.epsilon)

    def forward(self, states: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """Return the next states."""
        size, length, width = states.shape
        mixed = self.qkv(states).view(size, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = mixed.unbind(0)
        seen = functional.scaled_dot_product_attention(query, key, value, mask)
        joined = self.out(seen.transpose(1, 2).reshape(size, length, width))
        states = self.norm_1(states + self._dropped(joined))
        fed = self.down(functional.gelu(self.up(states), approximate="tanh"))
        return self.norm_2(states + self._dropped(fed))

    def _dropped(self, states: torch.Tensor) -> torch.Tensor:
        return functional.dropout(states, self.dropout, self.training)


class Network(nn.Module):  # type: ignore[misc]
    """Logits of kinds and of name tags for every piece."""

    def __init__(self, shape: Shape, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape, self.dropout = shape, dropout
        self.pieces = nn.Embedding(shape.pieces, shape.width)
        self.places = nn.Embedding(shape.places, shape.width)
        self.styles = nn.Embedding(STYLES, shape.width)
        self.norm = nn.LayerNorm(shape.width, shape.epsilon)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.up = nn.Linear(shape.width, shape.head)
        self.down = nn.Linear(shape.head, OUT)
        nn.init.normal_(self.styles.weight, std=0.02)

    def forward(self, ids: torch.Tensor, styles: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return (texts, pieces, logits)."""
        return self.computed(self.pieces(ids), styles, mask)

    def computed(
        self, pieces: torch.Tensor, styles: torch.Tensor, mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return the logits from the embeddings of pieces."""
        states = pieces + self.places.weight[: pieces.shape[1]] + self.styles(styles)
        states = functional.dropout(self.norm(states), self.dropout, self.training)
        seen = None
        if mask is not None:
            seen = torch.zeros(mask.shape).masked_fill(~mask, -1e4)[:, None, None, :]
        for layer in self.layers:
            states = layer(states, seen)
        states = functional.dropout(states, self.dropout, self.training)
        return self.down(functional.gelu(self.up(states), approximate="tanh"))


def from_minilm(folder: Path, layers: int, dropout: float) -> Network:
    """Return a network with the embeddings and the lower layers of MiniLM."""
    network = Network(Shape(layers), dropout)
    found = load_file(folder / "model.safetensors")
    found = {name.removeprefix("bert."): value.float() for name, value in found.items()}
    own = network.state_dict()
    names = {
        "pieces.weight": "embeddings.word_embeddings.weight",
        "norm.weight": "embeddings.LayerNorm.weight",
        "norm.bias": "embeddings.LayerNorm.bias",
    }
    for n in range(layers):
        old = f"encoder.layer.{n}."
        for end in ("weight", "bias"):
            parts = [found[f"{old}attention.self.{p}.{end}"] for p in ("query", "key", "value")]
            own[f"layers.{n}.qkv.{end}"].copy_(torch.cat(parts))
            names |= {
                f"layers.{n}.out.{end}": f"{old}attention.output.dense.{end}",
                f"layers.{n}.norm_1.{end}": f"{old}attention.output.LayerNorm.{end}",
                f"layers.{n}.up.{end}": f"{old}intermediate.dense.{end}",
                f"layers.{n}.down.{end}": f"{old}output.dense.{end}",
                f"layers.{n}.norm_2.{end}": f"{old}output.LayerNorm.{end}",
            }
    for new, name in names.items():
        own[new].copy_(found[name])
    places = found["embeddings.position_embeddings.weight"][: network.shape.places]
    own["places.weight"].copy_(places + found["embeddings.token_type_embeddings.weight"][0])
    network.load_state_dict(own)
    return network


@dataclass(frozen=True)
class Batch:
    """Padded passages.

    ``words``: for each piece of a labelled word the number of the word, the place of the piece over
    all texts, and its share of the word.
    """

    ids: torch.Tensor
    styles: torch.Tensor
    mask: torch.Tensor
    tags: torch.Tensor
    words: tuple[torch.Tensor, torch.Tensor, torch.Tensor]
    kinds: torch.Tensor
    weights: torch.Tensor

    def pooled(self, values: torch.Tensor) -> torch.Tensor:
        """Return the mean of the values of each labelled word's pieces."""
        word, piece, share = self.words
        found = values.new_zeros((len(self.kinds), values.shape[-1]))
        return found.index_add(0, word, values[piece] * share[:, None])


def collate(rows: Sequence[Encoded]) -> Batch:
    """Pad passages to the longest of a batch."""
    longest = max(len(row.ids) for row in rows)
    ids = torch.zeros((len(rows), longest), dtype=torch.long)
    styles, tags = torch.zeros_like(ids), torch.full_like(ids, -1)
    mask = torch.zeros(ids.shape, dtype=torch.bool)
    places: list[tuple[int, int, float]] = []
    kinds: list[int] = []
    weights: list[float] = []
    for n, row in enumerate(rows):
        length = len(row.ids)
        ids[n, :length] = torch.tensor(row.ids)
        styles[n, :length] = torch.tensor(row.styles)
        tags[n, :length] = torch.tensor(row.tags)
        mask[n, :length] = True
        for own, kind, weight in row.words:
            places += [(len(kinds), n * longest + piece, 1 / len(own)) for piece in own]
            kinds.append(kind)
            weights.append(weight)
    word, piece = (torch.tensor([p[n] for p in places], dtype=torch.long) for n in range(2))
    share = torch.tensor([p[2] for p in places])
    words = word, piece, share
    return Batch(ids, styles, mask, tags, words, torch.tensor(kinds), torch.tensor(weights))
