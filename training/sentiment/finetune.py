"""Joint training of the classifier on random crops of reviews and on sentences."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional
from transformers import ModernBertForMaskedLM, ModernBertForSequenceClassification

from training.sentiment.network import classifier, optimiser
from training.sentiment.schedule import Average, rate_at, set_rate
from training.sentiment.settings import FinetuneSettings, Settings
from training.sentiment.vocabulary import END, MASK, PAD, SPECIAL, START

Check = Callable[[ModernBertForSequenceClassification, str], None]


@dataclass(frozen=True)
class Targets:
    """Encoded texts and for each the probability of the positive label to aim at."""

    ids: list[list[int]]
    positive: list[float]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Batch:
    """One padded batch."""

    ids: torch.Tensor
    mask: torch.Tensor
    positive: torch.Tensor


def crop_of(ids: list[int], longest: int, rng: np.random.Generator) -> list[int]:
    """A random window of the text, with the special tokens around it."""
    room = longest - 2
    if len(ids) > room:
        start = int(rng.integers(0, len(ids) - room + 1))
        ids = ids[start : start + room]
    return [START, *ids, END]


def collate(texts: list[list[int]], positive: list[float]) -> Batch:
    """Pad to the longest text of the batch."""
    longest = max(map(len, texts))
    ids = torch.full((len(texts), longest), PAD)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = torch.tensor(text)
    return Batch(ids=ids, mask=(ids != PAD).long(), positive=torch.tensor(positive))


def plan(data: Targets, size: int, passes: float, rng: np.random.Generator) -> list[list[int]]:
    """Batches of indices; texts of similar length come together, so little is padding."""
    order = rng.permutation(len(data))[: max(1, round(passes * len(data)))]
    groups: list[list[int]] = []
    pool = size * 40
    for start in range(0, len(order), pool):
        part = sorted(order[start : start + pool].tolist(), key=lambda i: len(data.ids[i]))
        groups.extend(part[i : i + size] for i in range(0, len(part), size))
    return groups


def epoch(
    reviews: Targets, sentences: Targets, own: FinetuneSettings, rng: np.random.Generator
) -> list[tuple[Targets, list[int]]]:
    """All batches of one pass, reviews and sentences mixed."""
    first = [(reviews, group) for group in plan(reviews, own.review_batch, 1.0, rng)]
    passes = own.sentence_passes
    second = [(sentences, group) for group in plan(sentences, own.sentence_batch, passes, rng)]
    both = first + second
    return [both[index] for index in rng.permutation(len(both))]


def loss_of(
    model: ModernBertForSequenceClassification, batch: Batch, own: FinetuneSettings, bf16: bool
) -> torch.Tensor:
    """Cross entropy against the soft targets, with some words hidden."""
    hidden = (torch.rand(batch.ids.shape) < own.word_dropout) & (batch.ids >= len(SPECIAL))
    ids = torch.where(hidden, torch.full_like(batch.ids, MASK), batch.ids)
    aim = batch.positive * (1 - own.label_smoothing) + own.label_smoothing / 2
    with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
        logits = model(input_ids=ids, attention_mask=batch.mask).logits.float()
    return functional.cross_entropy(logits, torch.stack([1 - aim, aim], dim=1))


class Trainer:
    """The model being trained, its optimiser and its averaged weights."""

    def __init__(self, model: ModernBertForSequenceClassification, settings: Settings) -> None:
        self.own = settings.finetune
        self.bf16 = settings.bf16
        self.model = model.train()
        self.optimiser = optimiser(model, self.own.peak_rate, self.own.weight_decay)
        self.average = Average(model, self.own.average_decay)

    def rate(self, done: float) -> float:
        """Learning rate after so many passes."""
        own = self.own
        cosine = rate_at(done / own.horizon, own.peak_rate, own.warmup, own.final_fraction)
        return cosine * max(own.final_fraction, min(1.0, len(own.crops) - done))

    def step(self, batch: Batch, done: float) -> float:
        """Learn from one batch; returns its loss."""
        own = self.own
        set_rate(self.optimiser, self.rate(done))
        loss = loss_of(self.model, batch, own, self.bf16)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.average.update(self.model)
        return float(loss.item())


def finetune(
    encoder: ModernBertForMaskedLM,
    reviews: Targets,
    sentences: Targets,
    settings: Settings,
    check: Check,
) -> ModernBertForSequenceClassification:
    """Train the classifier; `check` sees the averaged weights after each pass."""
    own = settings.finetune
    rng = np.random.default_rng(settings.seed + 1)
    torch.manual_seed(settings.seed + 1)
    model = classifier(settings.shape, encoder, own.dropout, own.head_dropout)
    trainer = Trainer(model, settings)
    started = time.perf_counter()
    for number, crop in enumerate(own.crops):
        groups = epoch(reviews, sentences, own, rng)
        total = 0.0
        for step, (data, group) in enumerate(groups):
            texts = [crop_of(data.ids[i], crop, rng) for i in group]
            batch = collate(texts, [data.positive[i] for i in group])
            total += trainer.step(batch, number + step / len(groups))
            if (step + 1) % 200 == 0 or step + 1 == len(groups):
                name = f"pass {number + 1} {step + 1}/{len(groups)}"
                seconds = time.perf_counter() - started
                print(f"{name} loss {total / (step + 1):.4f} {seconds:.0f} s", flush=True)
        check(trainer.average.model, f"pass {number + 1}")
    return trainer.average.model
