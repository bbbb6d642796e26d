"""Train the person sense: `python -m training.person_sense --help`."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import save_file
from sklearn.metrics import roc_auc_score
from tokenizers import Tokenizer

from training.person_sense.corpus import (
    guessed,
    judged,
    people,
    read_texts,
    treebank,
    written,
)
from training.person_sense.network import WordSense
from training.person_sense.train import Exchange, Settings, scores, train


def parse() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m training.person_sense", description=__doc__)
    parser.add_argument("--treebanks", type=Path, required=True, help="folder of GUM")
    parser.add_argument("--reviews", type=Path, required=True, help="IMDB training reviews")
    parser.add_argument("--encoder", type=Path, default=Path("assets/models/masked-lm"))
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--passes", type=int, default=Settings.passes)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    return parser.parse_args()


def run(options: argparse.Namespace, settings: Settings) -> None:
    """Train and write the folder; the development part of GUM is printed after each pass."""
    began = time.perf_counter()
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    texts = read_texts(options.reviews)
    close = [*written(settings.written_weight), *judged(texts, settings.judged_weight)]
    background = [
        *treebank(options.treebanks / "gum-train.conllu.gz", settings.treebank_weight),
        *guessed(texts, settings.guessed, settings.guessed_weight, settings.seed),
    ]
    print(f"{len(close):,} words close to the task, {len(background):,} others", flush=True)
    tokenizer = Tokenizer.from_file(str(options.encoder / "tokenizer.json"))
    network = WordSense(str(options.encoder), settings.dropout, settings.hidden)
    asked = list(treebank(options.treebanks / "gum-dev.conllu.gz", 1.0))[:200]

    def check(found: WordSense, name: str) -> None:
        auc = roc_auc_score([one.person for one in asked], scores(found, tokenizer, asked))
        print(f"{name}: AUC on GUM's development part {auc:.3f}", flush=True)

    train(network, tokenizer, close, background, Exchange(people()), settings, check)
    write(network, options, settings, round(time.perf_counter() - began))


def write(
    network: WordSense, options: argparse.Namespace, settings: Settings, seconds: int
) -> None:
    """Write weights in half precision, the shape of the network and the recipe's numbers."""
    options.out.mkdir(parents=True, exist_ok=True)
    config = network.encoder.config
    weights = {name: value.half().contiguous() for name, value in network.state_dict().items()}
    save_file(weights, options.out / "model.safetensors")
    shown = {
        "layers": config.num_hidden_layers,
        "heads": config.num_attention_heads,
        "rope_base": config.rope_parameters["full_attention"]["rope_theta"],
        "epsilon": config.norm_eps,
        "training_seconds": seconds,
        "settings": settings.as_dict(),
    }
    (options.out / "config.json").write_text(json.dumps(shown, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Entry point."""
    options = parse()
    settings = replace(
        Settings(), seed=options.seed, threads=options.threads, passes=options.passes
    )
    run(options, settings)


if __name__ == "__main__":
    main()
