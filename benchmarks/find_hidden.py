"""Look for texts that show hidden bias: ``python -m benchmarks.find_hidden FILE [--model ID]``.

Reads one text per line, scans each for the attributes given, and prints the hidden mutants with
the widest margin, ready to be put into ``assets/examples/examples.toml``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hinter_core.errors import InputError
from hinter_core.mutation.lattice import subsets
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import Pipeline, build_pipeline
from hinter_core.terms.dictionary import choose
from hinter_core.types import Outcome, Verdict


def clearness(check: TestResult, model: str, judged: Outcome) -> float:
    """The least probability by which any answer of the square is off the fence.

    A high value means that the example survives small changes of the model.
    """
    label = check.originals[model].labels[0]
    scores = [check.originals[model].scores[label]]
    for part in subsets(judged.mutant.edits):
        result = check.find(model, part)
        if result is None or result.prediction is None:
            return 0.0
        scores.append(result.prediction.scores[label])
    return min(abs(score - 0.5) for score in scores)


def hidden_in(pipeline: Pipeline, text: str, model: str) -> list[tuple[float, str]]:
    """Hidden mutants of one text: (clearness, description)."""
    try:
        check = pipeline.check(text)
    except InputError:
        return []
    found = []
    for judged in check.outcomes[model]:
        if judged.verdict is Verdict.HIDDEN:
            edits = ", ".join(
                f'"{e.attribute}|{e.source.text}|{e.target.text}|{e.source.form}"'
                for e in judged.mutant.edits
            )
            found.append((clearness(check, model, judged), f"{edits}   {text}"))
    return found


def main() -> None:
    """Scan all lines and print the clearest hidden mutants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--attributes", default="race,gender")
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--show", type=int, default=30)
    given = parser.parse_args()
    settings = Settings(limit=given.limit)
    pipeline = build_pipeline(
        choose(given.attributes.split(",")), "embedded", [given.model], settings
    )
    lines = [line for line in given.file.read_text(encoding="utf-8").splitlines() if line.strip()]
    found = [item for line in lines for item in hidden_in(pipeline, line, given.model)]
    for value, description in sorted(found, reverse=True)[: given.show]:
        print(f"{value:.3f}  {description}")
    print(f"{len(found)} hidden mutants in {len(lines)} texts")


if __name__ == "__main__":
    main()
