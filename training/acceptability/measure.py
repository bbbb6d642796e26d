"""Measure a classifier on sentences that it did not learn from."""

from __future__ import annotations

import random
from typing import Any

import torch
from transformers import ModernBertForTokenClassification, PreTrainedTokenizerFast

from training.acceptability.corpus import Example, Gold
from training.acceptability.corrupt import Rule
from training.acceptability.network import log_acceptable
from training.acceptability.train import collate, encoded

_MOST = 400  # sentences of a rule


def scores(
    model: ModernBertForTokenClassification,
    tokenizer: PreTrainedTokenizerFast,
    examples: list[Example],
) -> list[float]:
    """The probability of each sentence to be acceptable, in fp32."""
    pairs = list(zip(examples, encoded(tokenizer, examples), strict=True))
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][1].ids))
    found = [0.0] * len(pairs)
    for start in range(0, len(order), 64):
        group = order[start : start + 64]
        batch = collate([pairs[i] for i in group])
        with torch.inference_mode():
            logits = model(input_ids=batch.ids, attention_mask=batch.mask.long()).logits.squeeze(-1)
        for i, value in zip(group, log_acceptable(logits, batch.mask).exp().tolist(), strict=True):
            found[i] = value
    return found


def quality(
    model: ModernBertForTokenClassification,
    tokenizer: PreTrainedTokenizerFast,
    examples: list[Example],
) -> dict[str, Any]:
    """Accuracy and Matthews correlation at one half."""
    said = [score >= 0.5 for score in scores(model, tokenizer, examples)]
    return {"sentences": len(examples), **figures(said, [e.acceptable for e in examples])}


def figures(said: list[bool], true: list[bool]) -> dict[str, float]:
    """Accuracy, Matthews correlation, and the share called acceptable among either kind."""
    counts = {(a, b): 0 for a in (True, False) for b in (True, False)}
    for pair in zip(said, true, strict=True):
        counts[pair] += 1
    tp, fp, fn, tn = (
        counts[k] for k in ((True, True), (True, False), (False, True), (False, False))
    )
    below = ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5
    return {
        "accuracy": round((tp + tn) / len(true), 4),
        "mcc": round((tp * tn - fp * fn) / below, 4) if below else 0.0,
        "good_accepted": round(tp / max(1, tp + fn), 4),
        "bad_accepted": round(fp / max(1, fp + tn), 4),
    }


def by_rule(
    model: ModernBertForTokenClassification,
    tokenizer: PreTrainedTokenizerFast,
    golds: list[Gold],
    own: dict[str, Rule],
    seed: int,
) -> dict[str, Any]:
    """For each kind of error: gold sentences and the same sentences broken, up to 400 of each.

    ``ordered`` is the share of pairs whose gold sentence has the higher score.
    """
    rng = random.Random(seed)
    result: dict[str, Any] = {}
    for name, rule in own.items():
        good: list[Example] = []
        bad: list[Example] = []
        for gold in rng.sample(golds, len(golds)):
            copy = gold.copy()
            if len(good) < _MOST and rule(copy, rng):
                good.append(gold.example())
                bad.append(copy.example())
        one, two = (scores(model, tokenizer, part) for part in (good, bad))
        said = [score >= 0.5 for score in one + two]
        ordered = sum(a > b for a, b in zip(one, two, strict=True)) / len(good)
        true = [True] * len(good) + [False] * len(bad)
        result[name] = {"pairs": len(good), "ordered": round(ordered, 4), **figures(said, true)}
    return result
