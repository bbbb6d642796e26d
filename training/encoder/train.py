"""Learn kinds of words and names of people at once, in random passages."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from tokenizers import Tokenizer
from torch.nn import functional

from hinter_core.language.encoder import KINDS, PERSON
from training.encoder.corpus import NOT_PERSON, Document, people
from training.encoder.network import Batch, Network, collate
from training.encoder.passages import Augment, Encoded, encoded, passages

_TINY = 1e-6


@dataclass(frozen=True)
class Settings:
    """All numbers of the recipe."""

    seed: int = 1
    threads: int = 1
    layers: int = 4
    epochs: int = 6
    pieces: int = 1_500  # of a batch
    rate: float = 1.5e-4
    head_rate: float = 1e-3
    warmup: float = 0.06
    weight_decay: float = 0.02
    dropout: float = 0.1
    names_weight: float = 0.7
    gum_weight: float = 0.15
    litbank_weight: float = 0.15
    read_weight: float = 1.0
    reviews_weight: float = 1.0
    kinds_weight: float = 2.0
    written_weight: float = 2.0
    share_of_gum: float = 1.0  # drawn anew for each epoch
    share_of_litbank: float = 0.8

    def as_dict(self) -> dict[str, Any]:
        """To be written beside the measurements."""
        return asdict(self)


def train(
    network: Network,
    tokenizer: Tokenizer,
    peoples: Mapping[str, str],
    documents: Sequence[Document],
    settings: Settings,
    check: Callable[[Network, int], None],
) -> None:
    """Train in place; the embeddings of pieces stay, so that rare words keep their meaning."""
    chance = random.Random(settings.seed)
    augment = Augment(people(), chance)
    network.pieces.weight.requires_grad_(False)
    new = [*network.styles.parameters(), *network.up.parameters(), *network.down.parameters()]
    known = {id(p) for p in new}
    old = [p for p in network.parameters() if id(p) not in known and p.requires_grad]
    adam = torch.optim.AdamW(
        [{"params": old, "top": settings.rate}, {"params": new, "top": settings.head_rate}],
        lr=0.0,
        weight_decay=settings.weight_decay,
    )
    shares = {"gum": settings.share_of_gum, "litbank": settings.share_of_litbank}
    began = time.perf_counter()
    for epoch in range(settings.epochs):
        rows = [
            encoded(tokenizer, augment.of(passage), peoples)
            for document in documents
            for passage in passages(document, chance)
            if chance.random() < shares.get(document.source, 1.0)
        ]
        rows = [row for row in rows if row.words or max(row.tags) >= 0]
        groups = batches(rows, settings.pieces, chance)
        network.train()
        total = 0.0
        for step, group in enumerate(groups):
            done = (epoch + step / len(groups)) / settings.epochs
            for part in adam.param_groups:
                part["lr"] = part["top"] * min(1, done / settings.warmup) * (1 - done)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                batch = collate(group)
                logits = network(batch.ids, batch.styles, batch.mask)
            loss = loss_of(logits.float(), batch, settings)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            adam.step()
            adam.zero_grad()
            total += float(loss.item())
            if step % 50 == 0:
                print(f"  {step}/{len(groups)} {total / (step + 1):.4f} "
                      f"{time.perf_counter() - began:.0f} s", flush=True)  # fmt: skip
        seconds = time.perf_counter() - began
        print(f"epoch {epoch + 1}: loss {total / len(groups):.4f}, {seconds:.0f} s", flush=True)
        check(network.eval(), epoch + 1)


def batches(rows: list[Encoded], pieces: int, chance: random.Random | None) -> list[list[Encoded]]:
    """Put rows of similar length together, in random order."""
    if chance:
        chance.shuffle(rows)
    groups: list[list[Encoded]] = []
    for start in range(0, len(rows), 800):
        now: list[Encoded] = []
        for row in sorted(rows[start : start + 800], key=lambda row: len(row.ids)):
            if now and (len(now) + 1) * len(row.ids) > pieces:
                groups.append(now)
                now = []
            now.append(row)
        groups.append(now)
    if chance:
        chance.shuffle(groups)
    return groups


def loss_of(logits: torch.Tensor, batch: Batch, settings: Settings) -> torch.Tensor:
    """Return the loss of kinds, of which some are only known to be no person, and of names."""
    flat = logits.reshape(-1, logits.shape[-1])
    kinds, tags = flat[:, : len(KINDS)], flat[:, len(KINDS) :]
    loss = torch.zeros(())
    if len(batch.kinds):
        values = functional.log_softmax(batch.pooled(kinds), dim=-1)
        other = batch.kinds == NOT_PERSON
        said = values.gather(1, batch.kinds.clamp(min=0)[:, None])[:, 0]
        no_person = torch.log(1 - values[:, PERSON].exp().clamp(max=1 - _TINY))
        losses = -torch.where(other, no_person, said)
        loss = loss + (losses * batch.weights).sum() / batch.weights.sum()
    if bool((batch.tags >= 0).any()):
        named = functional.cross_entropy(tags, batch.tags.reshape(-1), ignore_index=-1)
        loss = loss + settings.names_weight * named
    return loss
