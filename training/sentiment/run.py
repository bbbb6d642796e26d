"""The recipe from the files to the two model folders."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoTokenizer,
    ModernBertForMaskedLM,
    ModernBertForSequenceClassification,
    PreTrainedTokenizerFast,
)

from training.sentiment import export
from training.sentiment.corpus import Split, find, read, split_reviews, split_sentences
from training.sentiment.finetune import Targets, finetune
from training.sentiment.measure import accuracy, masked_quality
from training.sentiment.pretrain import pretrain
from training.sentiment.settings import WINDOW, Settings
from training.sentiment.teacher import cross_fitted
from training.sentiment.vocabulary import encode, name_tokenizer, train_vocabulary


@dataclass(frozen=True)
class Data:
    """What is learned from; the test files are read at the very end only."""

    reviews: Split
    sentences: Split

    def texts(self) -> list[str]:
        """All texts to learn words from."""
        return [e.text for e in (*self.reviews.train, *self.sentences.train)]


def load(imdb: Path, sst2: Path, settings: Settings) -> Data:
    """Read the training files and hold texts out."""
    data = Data(
        reviews=split_reviews(read(find(imdb, "train")), settings.held_out_reviews, settings.seed),
        sentences=split_sentences(
            read(find(sst2, "train")), settings.held_out_sentences, settings.seed
        ),
    )
    print(f"reviews {len(data.reviews.train)} + {len(data.reviews.held_out)} held out")
    print(f"sentences {len(data.sentences.train)} + {len(data.sentences.held_out)} held out")
    return data


def save(
    model: ModernBertForMaskedLM | ModernBertForSequenceClassification,
    tokenizer: PreTrainedTokenizerFast,
    folder: Path,
) -> None:
    """Write one model folder, without measurements."""
    folder.mkdir(parents=True, exist_ok=True)
    model.float().eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    name_tokenizer(folder / "tokenizer_config.json")


def write_metrics(folder: Path, metrics: dict[str, Any]) -> None:
    """Put the measurements beside the model."""
    (folder / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n", encoding="utf-8")


def masked_stage(
    data: Data, settings: Settings, folder: Path
) -> tuple[ModernBertForMaskedLM, PreTrainedTokenizerFast]:
    """Vocabulary and masked language model."""
    started = time.perf_counter()
    texts = data.texts()
    tokenizer = train_vocabulary(texts, settings.shape.vocabulary)
    ids = encode(tokenizer, texts)
    print(f"{sum(map(len, ids))} tokens, vocabulary {len(tokenizer)}", flush=True)
    model = pretrain(ids, len(tokenizer), settings)
    save(model, tokenizer, folder)
    own = settings.pretrain
    metrics: dict[str, Any] = {
        "held_out": {
            "reviews": masked_quality(
                model, tokenizer, [e.text for e in data.reviews.held_out], own.crop, own.mask_rate
            ),
            "sentences": masked_quality(
                model, tokenizer, [e.text for e in data.sentences.held_out], own.crop, own.mask_rate
            ),
        },
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": round(time.perf_counter() - started),
        "settings": {k: v for k, v in settings.as_dict().items() if k != "finetune"},
    }
    print(json.dumps(metrics["held_out"]), flush=True)
    write_metrics(folder, metrics)
    return model, tokenizer


def targets(
    data: Data, tokenizer: PreTrainedTokenizerFast, settings: Settings
) -> tuple[Targets, Targets]:
    """Encoded training texts; the labels of reviews are mixed with a second opinion."""
    reviews, sentences = data.reviews.train, data.sentences.train
    weight = settings.finetune.teacher_weight
    aims = [float(e.label) for e in reviews]
    if weight > 0:
        texts, labels = [e.text for e in reviews], [e.label for e in reviews]
        opinions = cross_fitted(texts, labels, 5, settings.seed)
        aims = [(1 - weight) * a + weight * float(o) for a, o in zip(aims, opinions, strict=True)]
    return (
        Targets(encode(tokenizer, [e.text for e in reviews]), aims),
        Targets(
            encode(tokenizer, [e.text for e in sentences]), [float(e.label) for e in sentences]
        ),
    )


def measure_all(
    model: ModernBertForSequenceClassification,
    tokenizer: PreTrainedTokenizerFast,
    data: Data,
    imdb: Path,
    sst2: Path,
    test: bool,
) -> dict[str, float]:
    """Accuracies in fp32; the test files are opened here for the first time."""
    sets = {
        "held_out_reviews": data.reviews.held_out,
        "held_out_sentences": data.sentences.held_out,
        "sst2_dev": read(find(sst2, "dev")),
    }
    if test:
        sets["sst2_test"] = read(find(sst2, "test"))
        sets["imdb_test"] = read(find(imdb, "test"))
    return {name: round(accuracy(model, tokenizer, texts), 4) for name, texts in sets.items()}


def run(
    imdb: Path, sst2: Path, out: Path, settings: Settings, encoder: Path | None, test: bool
) -> None:
    """Pretrain (or load the encoder), fine-tune, measure and write both folders."""
    started = time.perf_counter()
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    data = load(imdb, sst2, settings)
    if encoder is None:
        masked, tokenizer = masked_stage(data, settings, out / "masked-lm")
    else:
        masked = ModernBertForMaskedLM.from_pretrained(
            encoder, dtype=torch.float32, trust_remote_code=False
        )
        tokenizer = AutoTokenizer.from_pretrained(encoder, trust_remote_code=False)

    def check(model: ModernBertForSequenceClassification, name: str) -> None:
        for part, examples in (
            ("reviews", data.reviews.held_out),
            ("sentences", data.sentences.held_out),
        ):
            print(f"{name} held-out {part} {accuracy(model, tokenizer, examples):.4f}", flush=True)

    reviews, sentences = targets(data, tokenizer, settings)
    model = finetune(masked, reviews, sentences, settings, check)
    save(model, tokenizer, out / "sentiment")
    model.set_attn_implementation("sdpa")  # what the Auto classes choose; faster on long texts
    results = measure_all(model, tokenizer, data, imdb, sst2, test)
    print(json.dumps(results), flush=True)
    metrics = {
        "accuracy": results,
        "window": WINDOW,
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": round(time.perf_counter() - started),
        "settings": settings.as_dict(),
    }
    write_metrics(out / "sentiment", metrics)
    export.write(out / "sentiment")
