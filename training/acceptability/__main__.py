"""Train the acceptability classifier: `python -m training.acceptability --help`."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoTokenizer,
    ModernBertForMaskedLM,
    ModernBertForTokenClassification,
)

from training.acceptability.corpus import hold_out, read_cola, read_gold
from training.acceptability.corrupt import rules, vocabulary
from training.acceptability.measure import by_rule, quality
from training.acceptability.network import grown
from training.acceptability.train import Settings, train
from training.sentiment.vocabulary import name_tokenizer


def parse() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m training.acceptability", description=__doc__)
    parser.add_argument("--cola", type=Path, required=True, help="folder of the three CoLA files")
    parser.add_argument("--treebanks", type=Path, required=True, help="folder of EWT and GUM")
    parser.add_argument("--encoder", type=Path, default=Path("assets/models/masked-lm"))
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--passes", type=int, default=Settings.passes)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    return parser.parse_args()


def run(cola: Path, treebanks: Path, encoder: Path, out: Path, settings: Settings) -> None:
    """Train, measure and write the folder; the dev and test files are read at the end only."""
    started = time.perf_counter()
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    tokenizer = AutoTokenizer.from_pretrained(encoder, trust_remote_code=False)
    model = grown(
        ModernBertForMaskedLM.from_pretrained(
            encoder, dtype=torch.float32, trust_remote_code=False
        ),
        settings.dropout,
    )
    judged, held = hold_out(
        read_cola(cola / "cola-in-domain-train.tsv.gz"), settings.held_out, settings.seed
    )
    golds = read_gold(treebanks, "train", swapped=settings.seed)
    own = rules(vocabulary(golds))
    print(f"{len(judged):,} judged, {len(golds):,} gold sentences", flush=True)

    def check(found: ModernBertForTokenClassification, name: str) -> None:
        print(name, "held out", json.dumps(quality(found, tokenizer, held)), flush=True)

    model = train(model, tokenizer, judged, golds, own, settings, check)
    seconds = round(time.perf_counter() - started)
    out.mkdir(parents=True, exist_ok=True)
    model.float().eval().save_pretrained(out)
    tokenizer.save_pretrained(out)
    name_tokenizer(out / "tokenizer_config.json")
    test = read_gold(treebanks, "test")
    metrics: dict[str, Any] = {
        "cola_in_domain_dev": quality(
            model, tokenizer, read_cola(cola / "cola-in-domain-dev.tsv.gz")
        ),
        "cola_out_of_domain_dev": quality(
            model, tokenizer, read_cola(cola / "cola-out-of-domain-dev.tsv.gz")
        ),
        "held_out_of_cola_train": quality(model, tokenizer, held),
        "gold_test_sentences_broken_by_rule": by_rule(model, tokenizer, test, own, settings.seed),
        "parameters": sum(p.numel() for p in model.parameters()),
        "training_seconds": seconds,
        "settings": settings.as_dict(),
    }
    print(json.dumps(metrics, indent=1), flush=True)
    (out / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Entry point."""
    options = parse()
    settings = replace(
        Settings(), seed=options.seed, threads=options.threads, passes=options.passes
    )
    run(options.cola, options.treebanks, options.encoder, options.out, settings)


if __name__ == "__main__":
    main()
