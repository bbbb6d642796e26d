"""How often the person sense is right, on sentences written for it.

Run by ``python -m benchmarks --person-sense``. Each line of ``probes/person_*.csv`` has a sentence,
a word of it, and whether the word is about a person there. The encoder learned from ``dev``,
``test``, ``fresh`` and ``film``; ``held`` and ``film_held`` are read only to print these figures.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from statsmodels.stats.proportion import proportion_confint

from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.mutation.plan import make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import Matcher
from hinter_core.types import GrammaticalForm

PROBES = Path(__file__).with_name("probes")


@dataclass(frozen=True)
class Probe:
    """A word in a sentence, and whether it is about a person there."""

    text: str
    word: str
    person: bool
    kind: str


def probes(name: str) -> list[Probe]:
    """Read one file of sentences."""
    with (PROBES / f"person_{name}.csv").open(encoding="utf-8", newline="") as lines:
        return [
            Probe(row["text"], row["word"], row["person"] == "yes", row["kind"])
            for row in csv.DictReader(lines)
        ]


def counted(asked: Iterable[Probe], parser: str = "embedded") -> Iterator[tuple[Probe, bool]]:
    """Yield each probe with whether its word counts, under any attribute.

    Terms that name no person (``any``), such as *Buddhist temple*, are not asked about.
    """
    people = [d for d in load_shipped().values() if not d.placebo]
    matcher, parses = Matcher(people), ParseStore(load_parser(parser))
    for probe in asked:
        found = re.search(rf"(?<!\w){re.escape(probe.word)}(?!\w)", probe.text, re.IGNORECASE)
        assert found is not None, f"{probe.word} is not in: {probe.text}"
        start, end = found.span()
        plan = make_plan(probe.text, people, Settings(), parses, matcher=matcher)
        yield (
            probe,
            any(
                o.span[0] <= start
                and end <= o.span[1]
                and o.terms[0].form is not GrammaticalForm.ANY
                for o in plan.occurrences
            ),
        )


def report(parser: str) -> Iterator[str]:
    """Yield the lines of the table."""
    for path in sorted(PROBES.glob("person_*.csv")):
        name = path.stem.removeprefix("person_")
        found = list(counted(probes(name), parser))
        right = sum(probe.person and got for probe, got in found)
        yield (
            f"{name:<6} {len(found)} words: precision {_share(right, sum(g for _, g in found))}, "
            f"recall {_share(right, sum(probe.person for probe, _ in found))}"
        )
        wrong = Counter(probe.kind for probe, got in found if got is not probe.person)
        yield "       wrong: " + ", ".join(f"{kind} {n}" for kind, n in wrong.most_common())


def _share(hits: int, cases: int) -> str:
    low, high = proportion_confint(hits, cases, method="wilson")
    return f"{hits / cases:.1%} [{low:.1%}, {high:.1%}]"
