"""Measure the classifier and the masked language model on texts they did not learn from."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional
from transformers import (
    ModernBertForMaskedLM,
    ModernBertForSequenceClassification,
    PreTrainedTokenizerFast,
)

from training.sentiment.corpus import Example
from training.sentiment.finetune import collate
from training.sentiment.pretrain import corrupt, pack
from training.sentiment.settings import WINDOW
from training.sentiment.vocabulary import END, START, encode


def accuracy(
    model: ModernBertForSequenceClassification,
    tokenizer: PreTrainedTokenizerFast,
    examples: list[Example],
    size: int = 32,
) -> float:
    """Share of right answers; a text longer than the window is cut at its end."""
    room = WINDOW - 2
    ids = [[START, *text[:room], END] for text in encode(tokenizer, [e.text for e in examples])]
    order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
    right = 0
    for start in range(0, len(order), size):
        group = order[start : start + size]
        batch = collate([ids[i] for i in group], [float(examples[i].label) for i in group])
        with torch.inference_mode():
            logits = model(input_ids=batch.ids, attention_mask=batch.mask).logits
        right += int((logits.argmax(dim=1) == batch.positive.long()).sum())
    return right / len(examples)


def masked_quality(
    model: ModernBertForMaskedLM,
    tokenizer: PreTrainedTokenizerFast,
    texts: list[str],
    crop: int,
    rate: float,
) -> dict[str, float]:
    """Loss, perplexity and accuracy at randomly masked positions of held-out texts."""
    torch.manual_seed(0)
    crops = torch.from_numpy(pack(encode(tokenizer, texts), crop, np.random.default_rng(0)))
    loss, right, count = 0.0, 0, 0
    for ids in crops.split(32):
        inputs, chosen = corrupt(ids, rate, model.config.vocab_size)
        with torch.inference_mode():
            states = model.model(input_ids=inputs).last_hidden_state[chosen]
            logits = model.decoder(model.head(states))
        answers = ids[chosen]
        loss += float(functional.cross_entropy(logits, answers, reduction="sum"))
        right += int((logits.argmax(dim=1) == answers).sum())
        count += len(answers)
    return {
        "loss": round(loss / count, 4),
        "perplexity": round(float(np.exp(loss / count)), 2),
        "accuracy": round(right / count, 4),
        "positions": count,
    }
