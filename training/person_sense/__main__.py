"""Train the person sense: `python -m training.person_sense --help`.

A larger encoder (``--teacher``) learns first from words with labels. It then says what many words
that nobody read are, and the small network learns from both.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import save_file
from sklearn.metrics import roc_auc_score
from tokenizers import Tokenizer

from training.person_sense.corpus import (
    Asked,
    guessed,
    is_apart,
    judged,
    people,
    treebank,
    unread,
    words_read,
    written,
)
from training.person_sense.network import WordSense
from training.person_sense.texts import add_texts, texts_of
from training.person_sense.train import Exchange, Settings, scores, train


def parse() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m training.person_sense", description=__doc__)
    parser.add_argument("--treebanks", type=Path, required=True, help="folder of GUM")
    add_texts(parser)
    parser.add_argument("--encoder", type=Path, default=Path("assets/models/masked-lm"))
    parser.add_argument("--teacher", type=Path, required=True, help="folder of a BERT encoder")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--passes", type=int, default=Settings.passes)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    return parser.parse_args()


def run(options: argparse.Namespace, settings: Settings) -> None:
    """Train both and write the small one; the half that is kept apart is measured on the way."""
    began = time.perf_counter()
    torch.set_num_threads(settings.threads)
    texts = texts_of(options)
    read = list(words_read(texts, settings.judged_weight))
    apart = [one for one in read if is_apart(one)]
    measured = {one.text for one in apart}
    close = [
        *written(settings.written_weight),
        *judged(texts["reviews"], settings.judged_weight),
        *(one for one in read if not is_apart(one)),
    ]
    background = [
        *treebank(options.treebanks / "gum-train.conllu.gz", settings.treebank_weight),
        *guessed(texts["reviews"], settings.guessed, settings.guessed_weight, settings.seed),
    ]
    close, background = ([w for w in ws if w.text not in measured] for ws in (close, background))
    print(f"{len(close):,} words close to the task, {len(background):,} others", flush=True)

    def taught(encoder: Path, words: Sequence[Asked], own: Settings) -> tuple[WordSense, Tokenizer]:
        torch.manual_seed(own.seed)
        tokenizer = tokenizer_of(encoder)
        network = WordSense(str(encoder), own.dropout, own.hidden)

        def check(found: WordSense, name: str) -> None:
            auc = roc_auc_score([one.person for one in apart], scores(found, tokenizer, apart))
            print(f"{name}: AUC on the {len(apart):,} words apart {auc:.3f}", flush=True)

        train(network, tokenizer, words, background, Exchange(people()), own, check)
        return network.eval(), tokenizer

    known = {(one.text, one.span) for one in close}
    every = [text for name in sorted(texts) for text in texts[name]]
    fresh = [
        one
        for one in unread(every, settings.told, settings.told_weight, settings.seed)
        if (one.text, one.span) not in known and one.text not in measured
    ]
    answers = scores(*taught(options.teacher, close, settings.of_teacher()), fresh)
    told = [replace(one, person=value) for one, value in zip(fresh, answers, strict=True)]
    print(f"{len(told):,} words were labelled by the teacher", flush=True)
    network, _ = taught(options.encoder, [*close, *told], settings)
    write(network, options, settings, round(time.perf_counter() - began))


def tokenizer_of(encoder: Path) -> Tokenizer:
    """Read the tokenizer of an encoder; windows are cut by the reader of places."""
    tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


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
