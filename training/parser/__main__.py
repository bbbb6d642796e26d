"""Train the embedded parser: ``python -m training.parser --help``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.parser import package, pipeline
from training.parser.evaluate import evaluate

#: Review sentences that are read in pretraining, about two million words.
PRETRAIN_SENTENCES = 96_500
NAMES_HELP = "table of first name, sex, births in its best year (.csv or .csv.gz, no header)"
REVIEWS_HELP = "plain text, or tables with a column 'text' or 'sentence'"
START_HELP = "finished model whose parser is trained on; without --reviews and --names"
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
#: Rounds from a finished parser that read clauses cut from the treebanks, too; their mean is kept.
CLAUSE_ROUNDS = ((8, 2200, 0.2, 0.0008), (9, 2200, 0.2, 0.0008))
QUICK: dict[str, Any] = {"training.max_steps": 300, "training.eval_frequency": 100}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m training.parser", description=__doc__)
    parser.add_argument("--treebanks", type=Path, required=True, help="folder of *.conllu[.gz]")
    parser.add_argument("--reviews", type=Path, nargs="+", default=[], help=REVIEWS_HELP)
    parser.add_argument("--names", type=Path, help=NAMES_HELP)
    parser.add_argument("--start", type=Path, help=START_HELP)
    parser.add_argument("--out", type=Path, required=True, help="folder of the finished model")
    parser.add_argument("--work", type=Path, default=Path("build/parser"))
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--quick", action="store_true", help="a short run, to try the recipe")
    parser.add_argument("--no-swaps", action="store_true", help=NO_SWAPS_HELP)
    given = parser.parse_args()
    if not given.start and not (given.reviews and given.names):
        parser.error("give --reviews and --names, or --start")
    return given


def overrides(given: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that the command line changes."""
    changed: dict[str, Any] = {"system.seed": given.seed, **(QUICK if given.quick else {})}
    if given.no_swaps:
        changed |= {"corpora.train.swap_share": 0.0, "initialize.lookups.share_norms": False}
    return changed


def averaged_rounds(
    rounds: Sequence[tuple[int, int, float, float]],
    work: Path,
    settings: dict[str, Any],
    start: Path,
    quick: bool,
) -> Path:
    """Go on from a finished parser several times and write the mean of the weights."""
    found = []
    for added, steps, dropout, rate in rounds:
        own = settings | {
            "system.seed": settings["system.seed"] + added,
            "training.max_steps": steps,
            "training.dropout": dropout,
            "training.optimizer.learn_rate.initial_rate": rate,
        }
        out = work / f"round-{settings['system.seed'] + added}"
        pipeline.run_training(work, out, own | (QUICK if quick else {}), start=start)
        found.append(out / "model-last")
    mean = work / "mean"
    package.averaged(found).to_disk(mean)
    return mean


def clause_rounds(work: Path, settings: dict[str, Any], start: Path, quick: bool) -> Path:
    """Go on from a finished model with clauses; its vectors, norms and tokeniser stay."""
    own = {
        **settings,
        **SECOND_ROUND,
        "corpora.train.clause_share": 1.0,
        "paths.vectors": str(start),
        "initialize.lookups": {"@misc": "hinter.lookups_of.v1", "parser": str(start)},
    }
    return averaged_rounds(CLAUSE_ROUNDS, work, own, start, quick)


def main() -> None:
    """Run all stages and write the model with its figures."""
    given = arguments()
    work: Path = given.work
    pipeline.convert(given.treebanks, work)
    if given.start:
        finished = clause_rounds(work, overrides(given), given.start, given.quick)
        finish(finished, given.start, given)
        return
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
    start = work / "second" / "model-best"
    finished = averaged_rounds(THIRD_ROUNDS, work, second, start, given.quick)
    finished = clause_rounds(work, settings, finished, given.quick)
    pipeline.write_silver(finished, given.treebanks, given.reviews, given.names, work)
    pipeline.run_entities(work, work / "ner", settings, finished)
    finish(finished, work / "ner" / "model-last", given)


def finish(parser: Path, entities: Path, given: argparse.Namespace) -> None:
    """Write the model of a parser and an entity recogniser, with its figures."""
    nlp = package.assemble(parser, entities, cautious=not given.start)
    package.write(nlp, given.out)
    figures = evaluate(given.out, given.treebanks)
    text = json.dumps(figures, indent=2) + "\n"
    (given.out / "metrics.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
