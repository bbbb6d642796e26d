"""Learn from all words of a sentence at once; words for people are exchanged as they go."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import torch
from tokenizers import Tokenizer
from torch.nn import functional

from hinter_core.language.word_sense import pieces_at, shape
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Term
from training.person_sense.corpus import Asked
from training.person_sense.network import Encoded, WordSense, collate

_ASKED_AT_ONCE = 64


@dataclass(frozen=True)
class Settings:
    """All numbers of the recipe."""

    seed: int = 1
    threads: int = 1
    passes: int = 3
    batch: int = 32
    rate: float = 4e-4
    head_rate: float = 1e-3
    warmup: float = 0.06
    weight_decay: float = 0.05
    dropout: float = 0.1
    hidden: int = 64
    treebank_weight: float = 0.5
    written_weight: float = 1.0
    judged_weight: float = 2.0
    guessed_weight: float = 0.15
    guessed: int = 8_000
    told_weight: float = 0.5
    told: int = 34_000
    share_of_background: float = 0.1
    exchanged: float = 0.5

    def of_teacher(self) -> Settings:
        """Return the numbers of the larger network that is taught first."""
        return replace(self, rate=6e-5, share_of_background=0.05)

    def as_dict(self) -> dict[str, Any]:
        """To be written beside the measurements."""
        return asdict(self)


class Exchange:
    """Puts another term of the same form and attribute in the place of a word for a people."""

    def __init__(self, dictionaries: Iterable[Dictionary]) -> None:
        self._targets: dict[Term, list[str]] = defaultdict(list)
        for dictionary in dictionaries:
            for term, pairs in dictionary.pairs_from.items():
                self._targets[term] += [pair.target.text for pair in pairs]

    def of(self, asked: Asked, chance: random.Random) -> Asked:
        """Return the sentence with another word, or as it was."""
        targets = self._targets.get(chance.choice(asked.terms), ()) if asked.terms else ()
        if not targets:
            return asked
        start, end = asked.span
        word = chance.choice(targets)
        if asked.text[start].isupper():
            word = word[0].upper() + word[1:]
        text = asked.text[:start] + word + asked.text[end:]
        return replace(asked, text=text, span=(start, start + len(word)))


def encoded(tokenizer: Tokenizer, asked: Sequence[Asked]) -> list[Encoded]:
    """Encode words of sentences; those of one sentence and window are one row."""
    groups: dict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        groups[one.text].append(one)
    rows: dict[tuple[str, int], list[tuple[Asked, list[int], list[int]]]] = defaultdict(list)
    for text, ones in groups.items():
        places = pieces_at(tokenizer, text, [one.span for one in ones])
        for one, (ids, own) in zip(ones, places, strict=True):
            rows[text, hash(tuple(ids))].append((one, ids, own))
    return [
        Encoded(
            row[0][1],
            [own for _, _, own in row],
            [shape(one.text, one.span) for one, _, _ in row],
            [one.person for one, _, _ in row],
            [one.weight for one, _, _ in row],
        )
        for row in rows.values()
    ]


def train(
    network: WordSense,
    tokenizer: Tokenizer,
    close: Sequence[Asked],
    background: Sequence[Asked],
    exchange: Exchange,
    settings: Settings,
    check: Callable[[WordSense, str], None],
) -> None:
    """Train in place: all ``close`` words in each pass, and a part of the ``background``."""
    chance = random.Random(settings.seed)
    apart = encoded(tokenizer, background)
    adam = torch.optim.AdamW(
        [
            {"params": network.encoder.parameters(), "lr": settings.rate, "top": settings.rate},
            {"params": network.head.parameters(), "lr": 0.0, "top": settings.head_rate},
        ],
        weight_decay=settings.weight_decay,
    )
    began = time.perf_counter()
    for number in range(settings.passes):
        now = [
            exchange.of(one, chance) if chance.random() < settings.exchanged else one
            for one in close
        ]
        rows = encoded(tokenizer, now)
        rows += chance.sample(apart, int(len(apart) * settings.share_of_background))
        groups = _batches(rows, settings.batch, chance)
        network.train()
        total = 0.0
        for step, group in enumerate(groups):
            done = (number + step / len(groups)) / settings.passes
            for part in adam.param_groups:
                part["lr"] = part["top"] * min(1, done / settings.warmup) * (1 - done)
            total += _step(network, group, adam)
        seconds = time.perf_counter() - began
        print(f"pass {number + 1} loss {total / len(groups):.4f} {seconds:.0f} s", flush=True)
        check(network.eval(), f"pass {number + 1}")


def _batches(rows: list[Encoded], size: int, chance: random.Random) -> list[list[Encoded]]:
    """Put rows of similar length together, in random order."""
    chance.shuffle(rows)
    groups = []
    for start in range(0, len(rows), 32 * size):
        part = sorted(rows[start : start + 32 * size], key=lambda row: len(row.ids))
        groups += [part[i : i + size] for i in range(0, len(part), size)]
    chance.shuffle(groups)
    return groups


def _step(network: WordSense, rows: list[Encoded], adam: torch.optim.Optimizer) -> float:
    batch = collate(rows)
    logits = network(batch)
    losses = functional.binary_cross_entropy_with_logits(logits, batch.person, reduction="none")
    loss = (losses * batch.weights).sum() / batch.weights.sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    adam.step()
    adam.zero_grad()
    return float(loss.item())


def scores(network: WordSense, tokenizer: Tokenizer, asked: Sequence[Asked]) -> list[float]:
    """Return the probabilities of words, in order; words of similar sentences are asked at once."""
    rows = [encoded(tokenizer, [one])[0] for one in asked]
    order = sorted(range(len(rows)), key=lambda n: len(rows[n].ids))
    found = [0.0] * len(rows)
    with torch.inference_mode():
        for start in range(0, len(order), _ASKED_AT_ONCE):
            part = order[start : start + _ASKED_AT_ONCE]
            values = network(collate([rows[n] for n in part])).sigmoid()[:, 0].tolist()
            for n, value in zip(part, values, strict=True):
                found[n] = value
    return found
