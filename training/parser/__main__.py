"""Train the embedded parser: ``python -m training.parser --help``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from training.parser import package, pipeline
from training.parser.evaluate import evaluate

#: Review sentences that are read in pretraining, about two million words.
PRETRAIN_SENTENCES = 96_500
NAMES_HELP = "table of first name, sex, births in its best year (.csv or .csv.gz, no header)"
REVIEWS_HELP = "plain text, or tables with a column 'text' or 'sentence'"
NO_SWAPS_HELP = "without swaps and shared norms, for comparison"
#: The second round starts from the first one, slower and with more noise.
SECOND_ROUND: dict[str, Any] = {
    "training.max_steps": 1800,
    "training.dropout": 0.25,
    "training.optimizer.learn_rate.initial_rate": 0.0007,
    "training.optimizer.learn_rate.warmup_steps": 100,
    "training.batcher.size.start": 1200,
    "training.eval_frequency": 450,
}
#: Third rounds start from the second one, each with its own seed (added to the run's), steps,
#: dropout and rate; the finished weights are the mean of theirs.
THIRD_ROUNDS = ((4, 2200, 0.2, 0.0007), (6, 2400, 0.25, 0.001), (10, 2400, 0.2, 0.0007))
QUICK: dict[str, Any] = {"training.max_steps": 300, "training.eval_frequency": 100}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m training.parser", description=__doc__)
    parser.add_argument("--treebanks", type=Path, required=True, help="folder of *.conllu[.gz]")
    parser.add_argument("--reviews", type=Path, nargs="+", required=True, help=REVIEWS_HELP)
    parser.add_argument("--names", type=Path, required=True, help=NAMES_HELP)
    parser.add_argument("--out", type=Path, required=True, help="folder of the finished model")
    parser.add_argument("--work", type=Path, default=Path("build/parser"))
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--quick", action="store_true", help="a short run, to try the recipe")
    parser.add_argument("--no-swaps", action="store_true", help=NO_SWAPS_HELP)
    return parser.parse_args()


def overrides(given: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that the command line changes."""
    changed: dict[str, Any] = {"system.seed": given.seed, **(QUICK if given.quick else {})}
    if given.no_swaps:
        changed |= {"corpora.train.swap_share": 0.0, "initialize.lookups.share_norms": False}
    return changed


def third_rounds(work: Path, settings: dict[str, Any], start: Path, quick: bool) -> Path:
    """Go on from a finished parser several times and write the mean of the weights."""
    found = []
    for added, steps, dropout, rate in THIRD_ROUNDS:
        own = settings | {
            "system.seed": settings["system.seed"] + added,
            "training.max_steps": steps,
            "training.dropout": dropout,
            "training.optimizer.learn_rate.initial_rate": rate,
        }
        out = work / f"third-{added}"
        pipeline.run_training(work, out, own | (QUICK if quick else {}), start=start)
        found.append(out / "model-last")
    mean = work / "mean"
    package.averaged(found).to_disk(mean)
    return mean


def main() -> None:
    """Run all stages and write the model with its figures."""
    given = arguments()
    work: Path = given.work
    pipeline.convert(given.treebanks, work)
    pipeline.make_vectors(given.reviews, given.treebanks, work, given.seed, not given.no_swaps)
    sentences = PRETRAIN_SENTENCES // (20 if given.quick else 1)
    pipeline.write_raw_text(given.reviews, work, sentences)
    settings = overrides(given)
    weights = pipeline.run_pretraining(work, settings)
    parser_settings = {**settings, "paths.init_tok2vec": str(weights)}
    pipeline.run_training(work, work / "first", parser_settings)
    start = work / "first" / "model-best"
    second = parser_settings | SECOND_ROUND | (QUICK if given.quick else {})
    pipeline.run_training(work, work / "second", second, start=start)
    finished = third_rounds(work, second, work / "second" / "model-best", given.quick)
    pipeline.write_silver(finished, given.treebanks, given.reviews, given.names, work)
    pipeline.run_entities(work, work / "ner", settings, finished)
    nlp = package.assemble(finished, work / "ner" / "model-last")
    package.write(nlp, given.out)
    figures = evaluate(given.out, given.treebanks)
    text = json.dumps(figures, indent=2) + "\n"
    (given.out / "metrics.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
