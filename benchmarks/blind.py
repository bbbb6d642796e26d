"""Draw mutants for people to judge blind, and count their judgements.

``python -m benchmarks.blind draw OUT.csv DATA ...`` writes a shuffled table of 200 kept and 60
discarded intersectional mutants, at most one of a text, with what was before and after around the
change. It says nothing of the invariant; ``OUT.key.csv`` does, and has the features of the validity
score. Readers fill ``label``:

- *fair*;
- *soft*: the text contradicts the change elsewhere;
- *unfair*: a replaced word was no person, or the sentence is broken.

``python -m benchmarks.blind count KEY.csv LABELS.csv LABELS.csv`` prints the shares and the
agreement of two readers.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy
from statsmodels.stats.proportion import proportion_confint

from hinter_core.data.rows import open_table
from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.registry import open_store
from hinter_core.mutation.plan import Settings
from hinter_core.pipeline.case import TestCase, conform, follow_up_of
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.relations.validity import WordFeatures, word_features
from hinter_core.statistics.agreement import alpha
from hinter_core.terms.dictionary import choose
from hinter_core.types import Mutant

KEPT, DISCARDED = 200, 60
LABELS = ("fair", "soft", "unfair")
_AROUND = 450  # characters shown before and after the change
_TRIES = 12  # mutants of a text that are looked at

Drawn = tuple[bool, str, Mutant, str]  # kept, source, mutant, reason


def _one_of_each(path: Path, pipeline: Pipeline, chance: random.Random) -> Iterator[Drawn]:
    """Yield up to one kept and one discarded mutant of each text, in random order of texts."""
    rows = [row.text for row in open_table(path).rows() if row.text]
    chance.shuffle(rows)
    for text in rows:
        try:
            plan = pipeline.plan(text)
            pipeline.relation.require_applicable(plan)
        except InputError:  # no term, too long: another text
            continue
        chosen = plan.chosen()
        case = TestCase(plan)
        drawn = chance.sample(chosen, min(_TRIES, len(chosen)))
        batch = [follow_up_of(case, edits) for edits in drawn]
        conform(batch, pipeline.parses)
        for wanted in (True, False):
            fitting = [one for one in batch if one.conformance.kept is wanted]
            if fitting:
                yield wanted, plan.text, fitting[0].mutant, fitting[0].conformance.reason


def _shown(text: str, mutant: Mutant) -> tuple[str, str]:
    splices = sorted(mutant.splices, key=lambda s: s.start)
    start = max(0, splices[0].start - _AROUND)
    end = min(len(text), splices[-1].end + _AROUND)
    grown = len(mutant.text) - len(text)
    return text[start:end], mutant.text[start : end + grown]


def draw(out: Path, data: Sequence[Path], seed: int) -> None:
    """Write the table for the readers, and the key."""
    chance = random.Random(seed)
    settings = Settings(order=2, limit=60, seed=seed)
    dictionaries = choose(["race", "gender"])
    parses, model = ParseStore(load_parser("embedded")), open_store("vader", trusted=True)
    pipeline = Pipeline(dictionaries, parses, [model], settings)
    found: dict[bool, list[tuple[str, str, Mutant, str]]] = {True: [], False: []}
    for number, path in enumerate(data):
        left = len(data) - number  # what one file lacks, the later ones give
        most = {True: KEPT, False: DISCARDED}
        share = {wanted: (most[wanted] - len(found[wanted])) // left for wanted in most}
        for wanted, text, mutant, why in _one_of_each(path, pipeline, chance):
            if share[wanted]:
                share[wanted] -= 1
                found[wanted].append((path.name, text, mutant, why))
            if not any(share.values()):
                break
    every = [(True, *one) for one in found[True]] + [(False, *one) for one in found[False]]
    chance.shuffle(every)
    with (
        out.open("w", encoding="utf-8", newline="") as table,
        out.with_suffix(".key.csv").open("w", encoding="utf-8", newline="") as key,
    ):
        shown, kept = csv.writer(table), csv.writer(key)
        shown.writerow(["id", "before", "after", "changes", "label", "why"])
        kept.writerow(["id", "data", "kept", "reason", *WordFeatures._fields])
        for wanted, name, text, mutant, why in every:
            ident = hashlib.sha256(f"{text}\n{mutant.text}".encode()).hexdigest()[:12]
            changes = "; ".join(edit.in_words for edit in mutant.edits)
            shown.writerow([ident, *_shown(text, mutant), changes, "", ""])
            kept.writerow(
                [ident, name, "yes" if wanted else "no", why, *word_features(text, mutant)]
            )


def _labels(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8", newline="") as lines:
        return {row["id"]: row["label"].strip().lower() for row in csv.DictReader(lines)}


def count(key: Path, *labelled: Path) -> Iterator[str]:
    """Yield the shares of labels among kept and discarded mutants, and the agreement."""
    with key.open(encoding="utf-8", newline="") as lines:
        kept = {row["id"]: row["kept"] == "yes" for row in csv.DictReader(lines)}
    readers = [_labels(path) for path in labelled]
    for wanted, name in ((True, "kept"), (False, "discarded")):
        for number, labels in enumerate(readers, 1):
            own = [labels[i] for i in kept if kept[i] is wanted and labels.get(i) in LABELS]
            shares = ", ".join(f"{label} {_share(own.count(label), len(own))}" for label in LABELS)
            yield f"{name}, reader {number}: {len(own)}: {shares}"
    if len(readers) > 1:
        both = [i for i in kept if all(labels.get(i) in LABELS for labels in readers)]
        coded = [[LABELS.index(labels[i]) for i in both] for labels in readers]
        counts = [[pair.count(n) for n in range(len(LABELS))] for pair in zip(*coded, strict=True)]
        found = alpha(numpy.array(counts))
        words = found.why if found.value is None else f"{found.value:.2f}"
        yield f"agreement on {len(both)}: alpha {words}"
        for wanted, name in ((True, "kept"), (False, "discarded")):
            agreed = [i for i in both if kept[i] is wanted]
            hits = sum(all(labels[i] == "unfair" for labels in readers) for i in agreed)
            yield f"{name}: both say unfair {_share(hits, len(agreed))}"


def _share(hits: int, cases: int) -> str:
    if not cases:
        return "none"
    low, high = proportion_confint(hits, cases, method="wilson")
    return f"{hits / cases:.1%} [{low:.1%}, {high:.1%}]"


def main() -> None:
    """Draw a table, or count its labels."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.blind", description=__doc__)
    commands = arguments.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("out", type=Path)
    drawing.add_argument("data", type=Path, nargs="+")
    drawing.add_argument("--seed", type=int, default=1)
    counting = commands.add_parser("count")
    counting.add_argument("key", type=Path)
    counting.add_argument("labels", type=Path, nargs="+")
    given = arguments.parse_args()
    if given.command == "draw":
        draw(given.out, given.data, given.seed)
    else:
        print("\n".join(count(given.key, *given.labels)))


if __name__ == "__main__":
    main()
