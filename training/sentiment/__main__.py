"""Train both models from the two data sets: `python -m training.sentiment --help`."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from training.sentiment.run import run
from training.sentiment.settings import Settings, quick


def parse() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m training.sentiment", description=__doc__)
    parser.add_argument("--imdb", type=Path, required=True, help="folder with train.* and test.*")
    parser.add_argument("--sst2", type=Path, required=True, help="folder: train.*, dev.*, test.*")
    parser.add_argument("--out", type=Path, required=True, help="folder for the two models")
    parser.add_argument("--quick", action="store_true", help="minutes instead of hours, weaker")
    parser.add_argument("--encoder", type=Path, help="a masked-lm folder of an earlier run")
    parser.add_argument("--no-test", action="store_true", help="held-out texts only, no test set")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--fp32", action="store_true", help="no bfloat16 in training")
    parser.add_argument("--compile", action="store_true", help="faster; needs a C++ compiler")
    return parser.parse_args()


def main() -> None:
    """Entry point."""
    options = parse()
    settings = replace(
        Settings(),
        seed=options.seed,
        threads=options.threads,
        bf16=not options.fp32,
        compiled=options.compile,
    )
    run(
        imdb=options.imdb,
        sst2=options.sst2,
        out=options.out,
        settings=quick(settings) if options.quick else settings,
        encoder=options.encoder,
        test=not options.no_test,
    )


if __name__ == "__main__":
    main()
