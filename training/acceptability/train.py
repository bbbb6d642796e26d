"""Learn from judged sentences and from gold sentences, broken anew in each pass."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from transformers import ModernBertForTokenClassification, PreTrainedTokenizerFast

from training.acceptability.corpus import Example, Gold
from training.acceptability.corrupt import Rule, broken
from training.acceptability.network import Batch, loss_of
from training.sentiment.network import optimiser
from training.sentiment.schedule import Average, rate_at, set_rate

_LONGEST = 64  # pieces of a sentence in training


@dataclass(frozen=True)
class Settings:
    """All numbers of the recipe."""

    seed: int = 20_26
    threads: int = 1
    passes: int = 8
    batch: int = 64
    peak_rate: float = 8e-4
    warmup: float = 0.06
    final_fraction: float = 0.02
    weight_decay: float = 0.05
    dropout: float = 0.1
    smooth: float = 0.02
    piece_weight: float = 1.0
    broken_share: float = 0.55
    average_decay: float = 0.998
    held_out: int = 400
    bf16: bool = True

    def as_dict(self) -> dict[str, Any]:
        """To be written beside the measurements."""
        return asdict(self)


def encoded(tokenizer: PreTrainedTokenizerFast, examples: list[Example]) -> list[Any]:
    """Encodings of sentences, with places in the text."""
    found: list[Any] = tokenizer.backend_tokenizer.encode_batch([e.text for e in examples])
    return found


def collate(pairs: list[tuple[Example, Any]]) -> Batch:
    """Pad to the longest; mark the pieces of words at fault."""
    longest = min(_LONGEST, max(len(encoding.ids) for _, encoding in pairs))
    ids = torch.zeros((len(pairs), longest), dtype=torch.long)
    wrong = torch.zeros((len(pairs), longest))
    mask = torch.zeros((len(pairs), longest))
    for row, (example, encoding) in enumerate(pairs):
        own = encoding.ids[:longest]
        ids[row, : len(own)] = torch.tensor(own)
        mask[row, : len(own)] = 1
        for i, (start, end) in enumerate(encoding.offsets[:longest]):
            if any(start < last and end > first for first, last in example.wrong):
                wrong[row, i] = 1
    acceptable = torch.tensor([float(example.acceptable) for example, _ in pairs])
    located = torch.tensor([float(example.located) for example, _ in pairs])
    return Batch(ids, mask, acceptable, wrong, located)


def one_pass(
    judged: list[Example], golds: list[Gold], own: dict[str, Rule], share: float, rng: random.Random
) -> list[Example]:
    """The sentences of one pass: all judged ones, and each gold one as it is or broken."""
    found = list(judged)
    for gold in golds:
        changed = broken(gold, own, rng) if rng.random() < share else None
        found.append((changed or gold).example())
    rng.shuffle(found)
    return found


def batches(
    examples: list[Example], tokenizer: PreTrainedTokenizerFast, size: int, rng: random.Random
) -> list[list[tuple[Example, Any]]]:
    """Batches of sentences of similar length, in random order."""
    pairs = list(zip(examples, encoded(tokenizer, examples), strict=True))
    pool = size * 40
    groups = []
    for start in range(0, len(pairs), pool):
        part = sorted(pairs[start : start + pool], key=lambda pair: len(pair[1].ids))
        groups += [part[i : i + size] for i in range(0, len(part), size)]
    rng.shuffle(groups)
    return groups


def train(
    model: ModernBertForTokenClassification,
    tokenizer: PreTrainedTokenizerFast,
    judged: list[Example],
    golds: list[Gold],
    own: dict[str, Rule],
    settings: Settings,
    check: Callable[[ModernBertForTokenClassification, str], None],
) -> ModernBertForTokenClassification:
    """The averaged weights after all passes; ``check`` sees them after each."""
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)
    adam = optimiser(model.train(), settings.peak_rate, settings.weight_decay)
    average = Average(model, settings.average_decay)
    started = time.perf_counter()
    for number in range(settings.passes):
        examples = one_pass(judged, golds, own, settings.broken_share, rng)
        groups = batches(examples, tokenizer, settings.batch, rng)
        total = 0.0
        for step, group in enumerate(groups):
            done = (number + step / len(groups)) / settings.passes
            rate = rate_at(done, settings.peak_rate, settings.warmup, settings.final_fraction)
            set_rate(adam, rate)
            total += _step(model, collate(group), adam, settings)
            average.update(model)
        seconds = time.perf_counter() - started
        print(f"pass {number + 1} loss {total / len(groups):.4f} {seconds:.0f} s", flush=True)
        check(average.model, f"pass {number + 1}")
    return average.model


def _step(
    model: ModernBertForTokenClassification,
    batch: Batch,
    adam: torch.optim.Optimizer,
    settings: Settings,
) -> float:
    with torch.autocast("cpu", torch.bfloat16, enabled=settings.bf16):
        logits = model(input_ids=batch.ids, attention_mask=batch.mask.long()).logits
    loss = loss_of(logits.float().squeeze(-1), batch, settings.piece_weight, settings.smooth)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    adam.step()
    adam.zero_grad()
    return float(loss.item())
