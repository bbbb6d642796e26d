"""Templates of a corpus: ``python -m benchmarks.templates --corpus FILE --rows 1000 --show 200``.

Prints the templates by class and reason, the time of mining beside that of parsing alone, in one
run, and mutants for reading: each with the words around what was filled.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from hinter_core.data.rows import open_table
from hinter_core.generators.templates.corpus import mine_corpus, reasons_in_words
from hinter_core.generators.templates.filling import TemplateValues
from hinter_core.generators.templates.template import Template, open_templates
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.mutation.settings import Settings
from hinter_core.terms.names import load_names
from hinter_core.types import Edit, Mutant, Parse

_PARSES = 700_000  # characters kept, as the command line does
_BEFORE, _AFTER = 60, 45  # characters shown around a filled slot


class TimedParses(ParseStore):
    """A store that adds up the processor seconds of parsing."""

    seconds = 0.0

    def parse(self, sentences: Iterable[str], **options: Any) -> dict[str, Parse]:
        """Parse, and add the time."""
        started = time.process_time()
        found = super().parse(sentences, **options)
        self.seconds += time.process_time() - started
        return found


def mutants_of(templates: Iterable[Template], rng: Random) -> list[tuple[str, Mutant]]:
    """Draw mutants: of each template one for each attribute, and one for two of them."""
    values, drawn = TemplateValues(load_names()), []
    for template in templates:
        plan = values.plan(template, Settings(), template.attributes)
        chosen: list[tuple[Edit, ...]] = [
            (rng.choice(plan.edits[name]),) for name in template.attributes
        ]
        if len(template.attributes) > 1:
            names = rng.sample(template.attributes, 2)
            chosen.append(tuple(rng.choice(plan.edits[name]) for name in names))
        drawn += [(template.id, plan.mutant(edits)) for edits in chosen]
    rng.shuffle(drawn)
    return drawn


def around(mutant: Mutant) -> Iterator[str]:
    """Yield the words around each change, joined where they meet."""
    start = end = -1
    for splice in mutant.splices:
        low, high = max(0, splice.at - _BEFORE), splice.at + len(splice.new) + _AFTER
        if low >= end:
            if end >= 0:
                yield " ".join(mutant.text[start:end].split())
            start = low
        end = high
    yield " ".join(mutant.text[start:end].split())


def main() -> None:
    """Mine a corpus and print what was found."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--corpus", type=Path, required=True)
    arguments.add_argument("--rows", type=int, help="mine only the first rows")
    arguments.add_argument("--show", type=int, default=0, help="mutants to read (0)")
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    parses = TimedParses(load_parser(), _PARSES)
    with TemporaryDirectory() as folder:
        out = Path(folder) / "T.jsonl"
        started = time.process_time()
        counts = mine_corpus(open_table(given.corpus), "", parses, out, limit=given.rows)
        seconds = time.process_time() - started
        rows = list(open_templates(out).rows()) if counts.templates else []
    print("\n".join(reasons_in_words(counts)))
    print(
        f"{counts.templates:,} templates in {seconds:.0f} processor seconds, "
        f"{parses.seconds:.0f} of them parsing"
    )
    print(f"mining takes {seconds / parses.seconds:.2f} times as long as parsing alone")
    templates = [r.template for r in rows if r.template]
    drawn = mutants_of(templates, Random(given.seed)) if given.show else []
    for ident, mutant in islice(drawn, given.show):
        names = "+".join(edit.attribute for edit in mutant.edits)
        print(f"{ident} {names} | {' … '.join(around(mutant))}")


if __name__ == "__main__":
    main()
