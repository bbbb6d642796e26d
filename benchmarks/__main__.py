"""Time the fast path against the plain reference, the targets, and batches: ``make bench``.

Both sides get the same text, the same pairs, the same parser and the same model, and must reach
equal verdicts. The reference asks one text at a time and parses every sentence whenever Algorithm 3
looks at it; ``changed`` lets it skip sentences that are equal on both sides.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import (
    annotators,
    campaign,
    coverage,
    even_handed,
    grammars,
    noise,
    page,
    person_sense,
    prioritisation,
    reference,
    report,
    texts,
    throughput,
    validity,
    visitors,
)
from benchmarks.reference import Labels, Lists, Tree, WordPair
from hinter_core.language.parsing import Parser, ParseStore, load_parser
from hinter_core.language.sentences import split_sentences
from hinter_core.models.base import ModelUnderTest
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import PUBLISHED, Settings
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.terms.dictionary import load_shipped
from hinter_core.types import Edit, Verdict

SCRIPTED = "scripted:hidden-review"
ATTRIBUTES = ("race", "gender")


@dataclass
class Counted:
    """The reference's callables, counting what they are asked."""

    model: ModelUnderTest
    parser: Parser
    changed: bool
    parses: int = 0
    predictions: int = 0

    def outcome(self, text: str) -> Labels:
        """``M`` of the paper: the labels of one text, asked alone."""
        self.predictions += 1
        return frozenset(self.model.predict([text])[0].labels)

    def tree(self, sentence: str) -> Tree:
        """``dependencyTree`` of the paper, parsed anew each time."""
        self.parses += 1
        (parse,) = self.parser.parse([sentence])
        return parse.tags, parse.labels


class SpansOf:
    """Lines 12-17 by a plan's edits, so that both sides test the same mutants."""

    def __init__(self, plan: Plan, edits: dict[str, list[Edit]]) -> None:
        self._plan = plan
        self._edits = {pair_of(e): e for chosen in edits.values() for e in chosen}

    def contains(self, _: str, pair: WordPair) -> bool:
        """Line 12."""
        return pair in self._edits

    def replace(self, _: str, pairs: Sequence[WordPair]) -> str | None:
        """Lines 13-17, as spans of the source."""
        edits = [self._edits[pair] for pair in pairs]
        return self._plan.mutant(edits).text if self._plan.possible(edits) else None


def pair_of(edit: Edit) -> WordPair:
    """An edit as the paper's pair of words; readings of one word stay apart by their form."""
    form = edit.source.form
    return f"{edit.attribute}:{edit.source.text}:{form}", f"{edit.target.text}:{form}"


def few_edits(plan: Plan, number: int) -> dict[str, list[Edit]]:
    """At most ``number`` edits per attribute, spread over all of them."""
    chosen = {}
    for attribute, edits in plan.edits.items():
        step = max(1, len(edits) // number)
        chosen[attribute] = edits[::step][:number]
    return chosen


def split(text: str) -> list[str]:
    """Line 4 of Algorithm 3."""
    return [sentence.text for sentence in split_sentences(text)]


def run_reference(plan: Plan, edits: dict[str, list[Edit]], counted: Counted) -> Lists:
    """Algorithm 1 on one text."""
    spans = SpansOf(plan, edits)
    pairs = {attribute: [pair_of(e) for e in chosen] for attribute, chosen in edits.items()}
    check = reference.inv_check_changed if counted.changed else reference.inv_check
    return reference.intersectional(
        [plan.text], counted.outcome, pairs, *ATTRIBUTES,
        split=split, parse=counted.tree, replace=spans.replace, contains=spans.contains,
        check=check,
    )  # fmt: skip


def run_fast(pipeline: Pipeline, plan: Plan, edits: dict[str, list[Edit]]) -> TestResult:
    """The same mutants through the pipeline, with empty stores."""
    first, second = (edits[a] for a in ATTRIBUTES)
    chosen = [(a, b) for a in first for b in second if plan.possible((a, b))]
    *_, check = pipeline.run(plan, chosen=chosen)
    return check


def verdicts(check: TestResult, name: str, *wanted: Verdict) -> set[tuple[str, WordPair, WordPair]]:
    """Order-2 results as the reference lists them."""
    return {
        (check.plan.text, *sorted_pairs(j.mutant.edits))
        for j in check.outcomes[name]
        if j.mutant.order == 2 and j.verdict in wanted
    }


def sorted_pairs(edits: Sequence[Edit]) -> tuple[WordPair, WordPair]:
    """The pairs of two edits in the order of ``ATTRIBUTES``."""
    by_attribute = {e.attribute: pair_of(e) for e in edits}
    return by_attribute[ATTRIBUTES[0]], by_attribute[ATTRIBUTES[1]]


def start_of_python(code: str) -> float:
    """Least wall time of a fresh interpreter that runs ``code``, of seven."""
    taken = []
    for _ in range(7):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        taken.append(time.perf_counter() - start)
    return min(taken)


def compare(name: str, text: str, parser: Parser, number: int) -> None:
    """One row of the table: reference against fast path on one text and model."""
    model = load_model(name)
    dictionaries = [load_shipped()[a] for a in ATTRIBUTES]
    plan = Pipeline(dictionaries, ParseStore(parser), [PredictionStore(model)]).plan(text)
    edits = few_edits(plan, number)
    results = []
    for changed in (False, True):
        counted = Counted(model, parser, changed)
        start = time.perf_counter()
        lists = run_reference(plan, edits, counted)
        results.append((time.perf_counter() - start, lists, counted))
    settings = Settings(invariant=PUBLISHED)
    pipeline = Pipeline(dictionaries, ParseStore(parser), [PredictionStore(model)], settings)
    start = time.perf_counter()
    check = run_fast(pipeline, plan, edits)
    fast = time.perf_counter() - start
    for _, lists, _ in results:
        valid = (Verdict.BENIGN, Verdict.BIASED, Verdict.HIDDEN)
        assert verdicts(check, name, *valid) == set(lists.tests)
        assert verdicts(check, name, Verdict.BIASED, Verdict.HIDDEN) == set(lists.errors)
        assert verdicts(check, name, Verdict.HIDDEN) == set(lists.hidden)
    mutants = len(check.mutants)
    (published, lists, as_published), (changed_only, _, _) = results
    print(
        f"{len(text.split()):>5} {name.partition(':')[0]:<9} {mutants:>7} {published:>9.2f} "
        f"{changed_only:>9.2f} {fast:>7.2f} {published / fast:>7.1f}x {changed_only / fast:>7.1f}x "
        f"{as_published.parses / mutants:>8.2f} {pipeline.parses.parsed / mutants:>6.2f} "
        f"{as_published.predictions / mutants:>8.2f} {pipeline.models[0].predicted / mutants:>6.2f}"
        f"  {len(lists.errors)} biased, {len(lists.hidden)} hidden, equal",
        flush=True,
    )


def targets(parser: Parser) -> None:
    """The times that the specification asks for, on this machine."""
    took = start_of_python("import hinter_core") - start_of_python("")
    print(f"import hinter_core            {took:6.2f} s  (target 0.3)")
    dictionaries = [load_shipped()[a] for a in ATTRIBUTES]
    for name in ("embedded", SCRIPTED):
        label = name.partition(":")[0]
        text = texts.LONG
        store = PredictionStore(load_model(name))
        store.predict(["Warm."])
        pipeline = Pipeline(dictionaries, ParseStore(parser), [store])
        plan = pipeline.plan(text)
        square = plan.chosen()[len(plan.chosen()) // 2]
        start = time.perf_counter()
        list(pipeline.run(plan, chosen=[square]))
        took = time.perf_counter() - start
        print(f"square, 300 words, {label:<10} {took:6.2f} s  (target 1)", flush=True)
        settings = Settings(limit=240)  # with their atomic mutants about 500
        pipeline = Pipeline(
            dictionaries, ParseStore(parser), [PredictionStore(store.model)], settings
        )
        plan = pipeline.plan(text)
        start = time.perf_counter()
        *_, check = pipeline.run(plan)
        took = time.perf_counter() - start
        mutants = len(check.mutants)
        print(
            f"scan, {mutants} mutants, {label:<8} {took:6.2f} s  (target 15 for 500: "
            f"{took * 500 / mutants:.2f}); {pipeline.parses.parsed / mutants:.2f} parses and "
            f"{pipeline.models[0].predicted / mutants:.2f} predictions per mutant",
            flush=True,
        )


def main() -> None:
    """Print all tables."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    arguments.add_argument("--edits", type=int, default=6, help="edits per attribute (default 6)")
    arguments.add_argument("--parser", default="embedded")
    arguments.add_argument("--throughput", action="store_true", help="print the last table only")
    arguments.add_argument("--campaign", action="store_true", help="time campaigns only")
    arguments.add_argument(
        "--way", action="append", choices=campaign.WAYS, help="to run them; may be repeated (all)"
    )
    arguments.add_argument("--repeat", type=int, default=1, help="the ways in turn, so often (1)")
    arguments.add_argument("--data", default="sample", help="texts of the campaigns")
    arguments.add_argument(
        "--texts", type=int, default=12, help="texts of each campaign (default 12)"
    )
    arguments.add_argument("--limit", type=int, default=400, help="most mutants of a text (400)")
    arguments.add_argument("--model", action="append", help="of the campaigns; may be repeated")
    arguments.add_argument("--annotators", action="store_true", help="time annotators at once only")
    arguments.add_argument(
        "--visitors", type=int, help="let so many visit a public host at once only"
    )
    arguments.add_argument("--seconds", type=float, default=120, help="of their visit (120)")
    arguments.add_argument("--checks", type=int, default=0, help="end the visit after so many")
    arguments.add_argument("--report", action="store_true", help="time reports of campaigns only")
    arguments.add_argument(
        "--mutants", type=int, action="append", help="of the reports (300,000 and 10,000,000)"
    )
    arguments.add_argument("--coverage", action="store_true", help="simulate intervals only")
    arguments.add_argument(
        "--resample", type=Path, action="append", default=[],
        help="a campaign's directory, whose texts are resampled (--coverage)",
    )  # fmt: skip
    arguments.add_argument(
        "--trials", type=int, default=1000, help="simulated campaigns of a kind (1,000)"
    )
    arguments.add_argument(
        "--even-handed", action="store_true", help="count what the invariant discards only"
    )
    arguments.add_argument(
        "--noise", action="store_true", help="count false alarms over models without bias only"
    )
    arguments.add_argument(
        "--person-sense", action="store_true", help="count what is taken for a person only"
    )
    arguments.add_argument(
        "--validity", action="store_true", help="fit and measure the validity score only"
    )
    arguments.add_argument("--grammars", action="store_true", help="measure the grammars only")
    arguments.add_argument("--page", action="store_true", help="weigh the app's page only")
    arguments.add_argument(
        "--sentences", type=int, default=1000, help="of each grammar, to judge (1,000)"
    )
    arguments.add_argument(
        "--seeds", type=int, default=30, help="of RAND and PROB, and of orders (30)"
    )
    arguments.add_argument(
        "--prioritise", type=Path, action="append", metavar="CAMPAIGN",
        help="replay orders on a finished campaign only; may be repeated",
    )  # fmt: skip
    arguments.add_argument(
        "--stopping", action="store_true", help="simulate what is said of rates at a stop only"
    )
    arguments.add_argument("--frames", type=int, default=40, help="sentences of each form (40)")
    arguments.add_argument("--attribute", action="append", help="of them; may be repeated")
    given = arguments.parse_args()
    lines: dict[str, Callable[[], Iterable[str]]] = {
        "even_handed": lambda: even_handed.report(
            given.attribute or (), given.parser, given.frames
        ),
        "campaign": lambda: campaign.report(
            given.data, given.texts, given.limit, given.model, given.way, given.repeat
        ),
        "noise": lambda: noise.report(given.trials),
        "person_sense": lambda: person_sense.report(given.parser),
        "validity": validity.report,
        "page": page.report,
        "grammars": lambda: grammars.report(given.sentences, given.seeds),
        "coverage": lambda: coverage.report(given.trials, given.resample),
        "prioritise": lambda: prioritisation.report(given.prioritise, given.seeds, given.model),
        "stopping": lambda: prioritisation.stopping(given.trials),
    }
    for name, made in lines.items():
        if getattr(given, name):
            for line in made():
                print(line, flush=True)
            return
    if given.report:
        report.table(given.mutants or (300_000, 10_000_000))
        return
    if given.annotators:
        annotators.table()
        return
    if given.visitors:
        visitors.print_visits(given.visitors, given.seconds, given.checks, print)
        return
    if given.throughput:
        throughput.table()
        return
    parser = load_parser(given.parser)
    parser.parse(["Warm."])
    print(
        "words model     mutants published   changed    fast  speed-up (published, changed)  "
        "parses/mutant   predictions/mutant"
    )
    for text in (*texts.SHORT, texts.LONG):
        for name in (SCRIPTED, "embedded"):
            compare(name, text, parser, given.edits)
    print()
    targets(parser)
    print()
    throughput.table()


if __name__ == "__main__":
    main()
