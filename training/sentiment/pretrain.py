"""Masked-language pretraining on the training texts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional
from transformers import ModernBertForMaskedLM

from training.sentiment.network import masked_model, optimiser
from training.sentiment.schedule import Average, rate_at, set_rate
from training.sentiment.settings import PretrainSettings, Settings
from training.sentiment.vocabulary import END, MASK, SPECIAL, START

Ids = NDArray[np.int64]
Body = Callable[..., Any]
_ROWS = 256  # rows per slice of the output layer: fits the cache, three times as fast


def pack(texts: list[list[int]], crop: int, rng: np.random.Generator) -> Ids:
    """All texts in random order, one after the other, cut into crops of equal length."""
    order = rng.permutation(len(texts))
    pieces: list[int] = []
    for index in order:
        pieces.append(START)
        pieces.extend(texts[index])
        pieces.append(END)
    offset = int(rng.integers(0, crop))
    stream = np.asarray(pieces[offset:], dtype=np.int64)
    count = len(stream) // crop
    return stream[: count * crop].reshape(count, crop)


def batches(
    texts: list[list[int]], settings: PretrainSettings, rng: np.random.Generator
) -> Iterator[Ids]:
    """Endless batches of freshly packed crops."""
    while True:
        crops = pack(texts, settings.crop, rng)
        crops = crops[rng.permutation(len(crops))]
        for start in range(0, len(crops) - settings.batch + 1, settings.batch):
            yield crops[start : start + settings.batch]


def corrupt(ids: torch.Tensor, rate: float, vocabulary: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Choose positions to predict: of these 80 % masked, 10 % replaced, 10 % kept."""
    chosen = (torch.rand(ids.shape) < rate) & (ids >= len(SPECIAL))
    draw = torch.rand(ids.shape)
    noise = torch.randint(len(SPECIAL), vocabulary, ids.shape)
    inputs = torch.where(chosen & (draw < 0.8), torch.full_like(ids, MASK), ids)
    return torch.where(chosen & (draw >= 0.9), noise, inputs), chosen


def loss_and_gradients(
    model: ModernBertForMaskedLM, body: Body, ids: torch.Tensor, rate: float, bf16: bool
) -> float:
    """One forward and backward pass; the output layer is done slice by slice."""
    inputs, chosen = corrupt(ids, rate, model.config.vocab_size)
    answers = ids[chosen]
    total = 0.0
    with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
        states = model.head(body(input_ids=inputs).last_hidden_state[chosen])
        cut = states.detach().requires_grad_()
        for start in range(0, len(answers), _ROWS):
            part = slice(start, start + _ROWS)
            logits = model.decoder(cut[part]).float()
            loss = functional.cross_entropy(logits, answers[part], reduction="sum") / len(answers)
            loss.backward()
            total += loss.item()
    states.backward(cut.grad)
    return total


def pretrain(texts: list[list[int]], vocabulary: int, settings: Settings) -> ModernBertForMaskedLM:
    """Train a masked language model for the given number of tokens; returns the average."""
    own = settings.pretrain
    rng = np.random.default_rng(settings.seed)
    model = masked_model(settings.shape, vocabulary).train()
    body: Body = torch.compile(model.model) if settings.compiled else model.model
    steps = max(1, own.tokens // (own.crop * own.batch))
    update = optimiser(model, own.peak_rate, own.weight_decay)
    average = Average(model, 0.998)
    started, recent = time.perf_counter(), 0.0
    for step, crops in zip(range(steps), batches(texts, own, rng), strict=False):
        rate = rate_at(step / steps, own.peak_rate, own.warmup, own.final_fraction)
        set_rate(update, rate)
        ids = torch.from_numpy(crops)
        recent += loss_and_gradients(model, body, ids, own.mask_rate, settings.bf16)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        update.step()
        update.zero_grad()
        average.update(model)
        if (step + 1) % 100 == 0:
            seconds = time.perf_counter() - started
            print(f"mlm {step + 1}/{steps} loss {recent / 100:.3f} {seconds:.0f} s", flush=True)
            recent = 0.0
    average.model.tie_weights()
    return average.model
