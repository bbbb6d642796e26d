"""Train the encoder: `python -m training.encoder --help`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from tokenizers import Tokenizer

from hinter_core.language.encoder import KINDS, PERSON
from training.encoder.corpus import Document
from training.encoder.export import write
from training.encoder.material import material
from training.encoder.network import Network, collate, from_minilm
from training.encoder.passages import encoded, passages
from training.encoder.peoples import peoples
from training.encoder.texts import add_sources
from training.encoder.train import Settings, batches, train

_HALF = 0.5


def parse() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m training.encoder", description=__doc__)
    add_sources(parser)
    parser.add_argument("--minilm", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--layers", type=int, default=Settings.layers)
    parser.add_argument("--epochs", type=int, default=Settings.epochs)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    return parser.parse_args()


def answers(
    network: Network, tokenizer: Tokenizer, fixed: Mapping[str, str], documents: Sequence[Document]
) -> tuple[np.ndarray, np.ndarray, tuple[int, int, int]]:  # fmt: skip
    """Return kinds and their probabilities of labelled words; names found, right and wanted."""
    rows = [
        encoded(tokenizer, passage, fixed)
        for document in documents
        for passage in passages(document, None)
    ]
    kinds: list[int] = []
    values = []
    found = right = wanted = 0
    with torch.inference_mode():
        for group in batches(rows, 6_000, None):
            batch = collate(group)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = network(batch.ids, batch.styles, batch.mask).float()
            flat = logits.reshape(-1, logits.shape[-1])
            if len(batch.kinds):
                pooled = batch.pooled(flat[:, : len(KINDS)])
                values.append(pooled.softmax(-1).numpy())
                kinds += batch.kinds.tolist()
            said = logits[..., len(KINDS) :].argmax(-1)
            for row, tags in zip(group, said.tolist(), strict=True):
                known = [(n, t) for n, t in enumerate(row.tags) if t >= 0]
                gold = spans_of([t for _, t in known])
                ours = spans_of([tags[n] for n, _ in known])
                found, right, wanted = (
                    found + len(ours), right + len(gold & ours), wanted + len(gold))  # fmt: skip
    return np.array(kinds), np.concatenate(values), (found, right, wanted)


def spans_of(tags: Sequence[int]) -> set[tuple[int, int]]:
    """Return first and last piece of each name."""
    found: list[tuple[int, int]] = []
    for n, tag in enumerate(tags):
        if tag == 1 or (tag == 2 and (not n or tags[n - 1] == 0)):
            found.append((n, n))
        elif tag == 2:
            found[-1] = (found[-1][0], n)
    return set(found)


def report(
    network: Network, tokenizer: Tokenizer, fixed: Mapping[str, str],
    kept: Mapping[str, Sequence[Document]],
) -> None:  # fmt: skip
    """Print how right the network is on what is kept."""
    for name, documents in kept.items():
        kinds, values, (found, right, wanted) = answers(network, tokenizer, fixed, documents)
        person, said = kinds == PERSON, values[:, PERSON] > _HALF
        line = f"   {name}: {len(kinds)} words"
        if 0 < person.sum() < len(person):
            line += f", AUC {roc_auc_score(person, values[:, PERSON]):.3f}"
        line += f", precision {(person & said).sum() / max(1, said.sum()):.3f}"
        line += f" recall {(person & said).sum() / max(1, person.sum()):.3f}"
        line += f", same answer {(person == said).mean():.3f}"
        if wanted:
            line += f"; names {found} found {wanted} wanted {right} right"
        print(line, flush=True)


def main() -> None:
    """Entry point."""
    options = parse()
    settings = replace(Settings(), seed=options.seed, threads=options.threads,
                       layers=options.layers, epochs=options.epochs)  # fmt: skip
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    began = time.perf_counter()
    tokenizer = Tokenizer.from_file(str(options.minilm / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    fixed = peoples()
    learn, kept = material(options, settings)
    print(f"{len(learn):,} texts, {sum(len(d.labels) for d in learn):,} words", flush=True)
    network = from_minilm(options.minilm, settings.layers, settings.dropout)

    def check(found: Network, epoch: int) -> None:
        print(f"epoch {epoch}, {time.perf_counter() - began:.0f} s", flush=True)
        report(found, tokenizer, fixed, kept)

    train(network, tokenizer, fixed, learn, settings, check)
    write(network, tokenizer, fixed, options.out, settings)


if __name__ == "__main__":
    main()
