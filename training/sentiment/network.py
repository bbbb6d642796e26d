"""Build the two networks: the masked language model and the classifier grown from it."""

from __future__ import annotations

from typing import Any

import torch
from transformers import (
    ModernBertConfig,
    ModernBertForMaskedLM,
    ModernBertForSequenceClassification,
)

from training.sentiment.settings import LABELS, WINDOW, Shape
from training.sentiment.vocabulary import END, PAD, START


def configuration(shape: Shape, vocabulary: int, **extra: Any) -> ModernBertConfig:
    """Rotary positions, gated layers, every layer attends to the whole window."""
    return ModernBertConfig(
        vocab_size=vocabulary,
        hidden_size=shape.hidden,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner,
        max_position_embeddings=WINDOW,
        layer_types=["full_attention"] * shape.layers,
        pad_token_id=PAD,
        cls_token_id=START,
        bos_token_id=START,
        sep_token_id=END,
        eos_token_id=END,
        classifier_pooling="mean",
        **extra,
    )


def masked_model(shape: Shape, vocabulary: int) -> ModernBertForMaskedLM:
    """A fresh masked language model; plain attention is the fastest on short crops."""
    config = configuration(shape, vocabulary)
    config._attn_implementation = "eager"
    return ModernBertForMaskedLM(config)


def classifier(
    shape: Shape, encoder: ModernBertForMaskedLM, dropout: float, head_dropout: float
) -> ModernBertForSequenceClassification:
    """A classifier whose encoder and pooling head start from the masked language model."""
    config = configuration(
        shape,
        encoder.config.vocab_size,
        embedding_dropout=dropout,
        mlp_dropout=dropout,
        classifier_dropout=head_dropout,
        num_labels=len(LABELS),
        id2label=dict(enumerate(LABELS)),
        label2id={name: index for index, name in enumerate(LABELS)},
        problem_type="single_label_classification",
    )
    config._attn_implementation = "eager"
    model = ModernBertForSequenceClassification(config)
    model.model.load_state_dict(encoder.model.state_dict())
    model.head.load_state_dict(encoder.head.state_dict())
    return model


def optimiser(model: torch.nn.Module, rate: float, weight_decay: float) -> torch.optim.AdamW:
    """AdamW that leaves norms, biases and embeddings undecayed."""
    decayed: list[torch.nn.Parameter] = []
    plain: list[torch.nn.Parameter] = []
    for name, parameter in model.named_parameters():
        matrix = parameter.ndim >= 2 and "embeddings" not in name
        (decayed if matrix else plain).append(parameter)
    groups = [
        {"params": decayed, "weight_decay": weight_decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=True)
