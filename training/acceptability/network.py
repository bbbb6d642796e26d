"""The network: a logit of error for each piece, pooled as in *one fault spoils the sentence*."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn import functional
from transformers import ModernBertForMaskedLM, ModernBertForTokenClassification


def grown(encoder: ModernBertForMaskedLM, dropout: float) -> ModernBertForTokenClassification:
    """A classifier of pieces whose encoder and head start from the masked language model."""
    config = encoder.config
    config.num_labels = 1
    config.id2label, config.label2id = {0: "error"}, {"error": 0}
    config.embedding_dropout = config.mlp_dropout = config.classifier_dropout = dropout
    config._attn_implementation = "eager"
    model = ModernBertForTokenClassification(config)
    model.model.load_state_dict(encoder.model.state_dict())
    model.head.load_state_dict(encoder.head.state_dict())
    torch.nn.init.constant_(model.classifier.bias, -4.0)  # most pieces are no error
    return model


@dataclass(frozen=True)
class Batch:
    """A padded batch; ``wrong`` is 1 at pieces at fault, and counts where ``located``."""

    ids: torch.Tensor
    mask: torch.Tensor
    acceptable: torch.Tensor
    wrong: torch.Tensor
    located: torch.Tensor


def log_acceptable(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Log-probability that no piece is at fault (a noisy or), one for each sentence."""
    return (functional.logsigmoid(-logits) * mask).sum(dim=1)


def loss_of(logits: torch.Tensor, batch: Batch, weight: float, smooth: float) -> torch.Tensor:
    """Cross entropy of sentences, and of pieces where it is known which are at fault."""
    good = log_acceptable(logits, batch.mask).clamp(max=-1e-6)
    bad = torch.log(-torch.expm1(good))
    aim = batch.acceptable * (1 - 2 * smooth) + smooth
    sentences = -(aim * good + (1 - aim) * bad).mean()
    pieces = functional.binary_cross_entropy_with_logits(logits, batch.wrong, reduction="none")
    counts = batch.mask * batch.located[:, None]
    return sentences + weight * (pieces * counts).sum() / counts.sum().clamp(min=1) * 10
