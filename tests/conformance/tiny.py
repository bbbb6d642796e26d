"""Tiny real checkpoints, made in a second from nothing: random weights, real code paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WORDS = """[PAD] [UNK] [CLS] [SEP] the a british waiter waitress served us good bad positive
negative this text is . , man woman black white""".split()
CHAT_TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def make_classifier(
    folder: Path,
    labels: list[str],
    *,
    multi_label: bool = False,
    window: int = 64,
    intermediate: int = 16,
) -> str:
    """A BERT classifier with these labels; returns its folder."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(5)
    backend = Tokenizer(models.WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    backend.normalizer = normalizers.Lowercase()
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B [SEP]",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    PreTrainedTokenizerFast(
        tokenizer_object=backend,
        model_max_length=window,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    ).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=intermediate,
        max_position_embeddings=window,
        initializer_range=0.5,
        id2label=dict(enumerate(labels)),
        label2id={label: i for i, label in enumerate(labels)},
        problem_type="multi_label_classification" if multi_label else None,
    )
    _save(BertForSequenceClassification(config), folder)
    return str(folder)


def _save(model: Any, folder: Path) -> None:
    """Write a model without a progress bar, which would stand in what a test reads."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    model.save_pretrained(folder)


def make_masked(folder: Path, kind: str, *, window: int = 64) -> str:
    """A masked language model: ``bert`` knows words, ``roberta`` bytes; returns its folder."""
    import torch
    from transformers import (
        AutoTokenizer,
        BertConfig,
        BertForMaskedLM,
        RobertaConfig,
        RobertaForMaskedLM,
    )

    if kind == "bert":
        make_classifier(folder, ["a", "b"], window=window)
    else:
        make_head(folder, kind, ["a", "b"], window=window)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    added = {"mask_token": "[MASK]" if kind == "bert" else "<mask>"}
    tokenizer.add_special_tokens(added)
    if kind == "bert":
        tokenizer.add_tokens(["he", "she", "his", "her"])
    tokenizer.save_pretrained(folder)
    torch.manual_seed(5)
    sizes = {
        "vocab_size": len(tokenizer), "hidden_size": 16, "num_hidden_layers": 1,
        "num_attention_heads": 2, "intermediate_size": 16, "initializer_range": 0.5,
        "max_position_embeddings": window + OFFSETS.get(kind, 0),
        "pad_token_id": tokenizer.pad_token_id,
    }  # fmt: skip
    if kind == "bert":
        _save(BertForMaskedLM(BertConfig(**sizes)), folder)
    else:
        _save(RobertaForMaskedLM(RobertaConfig(**sizes)), folder)
    return str(folder)


def make_head(
    folder: Path, kind: str, labels: list[str], *, multi_label: bool = False, window: int = 64
) -> str:
    """A classifier of another architecture; ``kind`` is a key of ``HEADS``; returns its folder."""
    import torch
    import transformers

    torch.manual_seed(5)
    tokenizer = _unigram(window) if kind == "t5" else _byte_level(kind, window)
    tokenizer.save_pretrained(folder)
    model_class, sizes = HEADS[kind]
    config_class = getattr(transformers, model_class).config_class
    config = config_class(
        vocab_size=len(tokenizer),
        id2label=dict(enumerate(labels)),
        label2id={label: i for i, label in enumerate(labels)},
        problem_type="multi_label_classification" if multi_label else None,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        **{k: window + OFFSETS.get(kind, 0) if v == "window" else v for k, v in sizes.items()},
    )
    _save(getattr(transformers, model_class)(config), folder)
    return str(folder)


# Sizes of the smallest model that still has every part of its architecture.
HEADS: dict[str, tuple[str, dict[str, Any]]] = {
    "roberta": (
        "RobertaForSequenceClassification",
        {
            "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
            "intermediate_size": 16, "max_position_embeddings": "window", "initializer_range": 0.5,
        },
    ),
    "gpt2": (
        "GPT2ForSequenceClassification",
        {
            "n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": "window",
            "initializer_range": 0.5,
        },
    ),
    "llama": (
        "LlamaForSequenceClassification",
        {
            "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
            "num_key_value_heads": 2, "intermediate_size": 32, "initializer_range": 0.5,
            "max_position_embeddings": "window",
        },
    ),
    "bart": (
        "BartForSequenceClassification",
        {
            "d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
            "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16,
            "max_position_embeddings": "window", "init_std": 0.5, "decoder_start_token_id": 1,
        },
    ),
    "t5": (
        "T5ForSequenceClassification",
        {
            "d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2,
            "initializer_factor": 1.0, "decoder_start_token_id": 0,
        },
    ),
}  # fmt: skip
# RoBERTa counts positions from 2; its table is that much longer than its window.
OFFSETS = {"roberta": 2}


def _byte_level(kind: str, window: int) -> Any:
    """Bytes as tokens. Decoders get no padding token, as those that are published have none."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    vocabulary = {token: i for i, token in enumerate([*special, *alphabet])}
    backend = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    decoder = kind in ("gpt2", "llama")
    if not decoder:
        backend.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>",
            pair="<s> $A </s> $B </s>",
            special_tokens=[("<s>", 0), ("</s>", 2)],
        )
    names = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        # RoBERTa's says nothing of the window: the model's positions have to.
        **({} if kind == "roberta" else {"model_max_length": window}),
        **(names if decoder else {**names, "pad_token": "<pad>"}),
        padding_side="left" if kind == "llama" else "right",
        model_input_names=["input_ids", "attention_mask"],
    )


def _unigram(window: int) -> Any:
    """T5's kind of tokenizer: pieces with scores, a sign for blanks, and an end token."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = ["<pad>", "</s>", "<unk>"]
    letters = [*"abcdefghijklmnopqrstuvwxyz.,!'<>/\u2581"]
    words = [f"\u2581{word}" for word in WORDS[4:]]
    scores = [*((t, 0.0) for t in special), *((w, -2.0) for w in words)]
    backend = Tokenizer(models.Unigram([*scores, *((x, -5.0) for x in letters)], unk_id=2))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        model_max_length=window,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        model_input_names=["input_ids", "attention_mask"],
    )


def make_hierarchical(
    folder: Path, kind: str, labels: list[str], *, segments: int = 4, window: int = 16
) -> str:
    """A hierarchical classifier with the weights' names of LexGLUE; ``kind``: bert or roberta."""
    import torch
    from safetensors.torch import load_file, save_file
    from torch import nn

    if kind == "bert":
        make_classifier(folder, labels, multi_label=True, window=window)
    else:
        make_head(folder, kind, labels, multi_label=True, window=window)
    width = 16
    flat = load_file(folder / "model.safetensors")
    weights = {
        key.replace(f"{kind}.", f"{kind}.encoder.", 1): value
        for key, value in flat.items()
        if key.startswith(f"{kind}.")
    }
    positions = torch.randn(segments + 1, width)
    positions[0] = 0
    weights[f"{kind}.seg_pos_embeddings.weight"] = positions
    layer = nn.TransformerEncoderLayer(width, 2, 16, activation="gelu", batch_first=True)
    layers = nn.TransformerEncoder(layer, 2, nn.LayerNorm(width), enable_nested_tensor=False)
    for key, value in layers.state_dict().items():
        weights[f"{kind}.seg_encoder.{key}"] = value + 0.3 * torch.randn_like(value)
    # What an older transformers stored beside the weights.
    weights[f"{kind}.encoder.embeddings.position_ids"] = torch.arange(window)[None]
    last = {"weight": 0.3 * torch.randn(len(labels), width), "bias": torch.zeros(len(labels))}
    place = "classifier" if kind == "bert" else "classifier.2"
    weights |= {f"{place}.{key}": value for key, value in last.items()}
    if kind == "roberta":
        weights |= {
            "classifier.0.weight": torch.randn(width, width),
            "classifier.0.bias": torch.randn(width),
        }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return str(folder)


def make_chat_model(folder: Path, *, window: int = 2048) -> str:
    """A Llama with a byte-level vocabulary and a chat template; returns its folder."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(5)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate(["<pad>", "</s>", *alphabet])}
    backend = Tokenizer(models.BPE(vocabulary, []))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, model_max_length=window, pad_token="<pad>", eos_token="</s>"
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=window,
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=0,
    )
    _save(LlamaForCausalLM(config), folder)
    return str(folder)
