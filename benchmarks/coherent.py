"""How many mutants contradict themselves: ``python -m benchmarks.coherent --data FILE``.

Takes texts that have terms of race and gender, makes intersectional mutants with and without
coherent swaps, keeps those that conform, and counts

- *clashes*: another pronoun of the replaced gender is left somewhere in the text; it may well be
  another person's;
- *same person*: the resolver says that one of them is the changed person's.

``--show`` prints mutants in random order, of both kinds mixed, to be judged without knowing which
is which; the last line of each block says it.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from statsmodels.stats.proportion import proportion_confint

from hinter_core.data.rows import open_table
from hinter_core.errors import InputError
from hinter_core.language.coreference import resolve
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.language.sentences import split_sentences
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.relations import even_handed
from hinter_core.relations.base import Compared
from hinter_core.relations.soft import clashes
from hinter_core.terms.dictionary import choose, load_shipped
from hinter_core.types import Entity, Mutant

_PRONOUNS = {"female": frozenset("she her hers herself".split()),
             "male": frozenset("he him his himself".split())}  # fmt: skip


def kept(plan: Plan, parses: ParseStore) -> list[Mutant]:
    """Return the intersectional mutants of a plan that conform."""
    mutants = [plan.mutant(edits) for edits in plan.each()]
    pairs = [Compared(plan.text, plan.sentences, m, split_sentences(m.text)) for m in mutants]
    judged = even_handed.check_all(pairs, parses)
    return [mutant for mutant, one in zip(mutants, judged, strict=True) if one.kept]


def contradicts(mutant: Mutant, text: str, entities: tuple[Entity, ...]) -> bool:
    """Whether a pronoun of a changed person has stayed in a gender that was replaced."""
    changed = [(s.start, s.end) for s in mutant.splices if s.attribute == "gender"]
    wanted: set[str] = set()
    for edit in mutant.edits:
        if edit.attribute == "gender" and edit.source.group != edit.target.group:
            wanted |= _PRONOUNS.get(edit.source.group, frozenset())
    for entity in entities:
        heads = [mention.head for mention in entity.mentions]
        touched = [h for h in heads if any(a <= h[0] < b for a, b in changed)]
        left = [h for h in heads if h not in touched and text[slice(*h)].lower() in wanted]
        if touched and left:
            return True
    return False


def rows(path: Path, texts: int, seed: int) -> Iterator[str]:
    """Yield texts in random order."""
    found = [row.text for row in open_table(path, "", "", "").rows() if not row.fault]
    random.Random(seed).shuffle(found)
    yield from found[: texts * 40]


def measure(path: Path, texts: int, limit: int, seed: int, show: int) -> Iterator[str]:
    """Yield the table, then mutants to judge."""
    parses, words = ParseStore(load_parser()), choose(["race", "gender"], load_shipped())
    counts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    shown: list[tuple[str, str, bool]] = []
    settings = Settings(limit=limit, seed=seed)
    for text in rows(path, texts, seed):
        try:
            plans = {
                way: make_plan(text, words, replace(settings, coherent=way), parses)
                for way in (False, True)
            }
        except InputError:
            continue
        if plans[False].missing:
            continue
        entities = resolve(plans[False].text, parses)
        for way, plan in plans.items():
            mutants = kept(plan, parses)
            count = counts[way]
            count["texts"] += bool(mutants)
            count["mutants"] += len(mutants)
            count["clashes"] += sum(bool(clashes(plan.text, m)) for m in mutants)
            count["same person"] += sum(contradicts(m, plan.text, entities) for m in mutants)
            if mutants:
                one = random.Random(f"{seed}{len(text)}{way}").choice(mutants)
                shown.append((plan.text, one.text, way))
        if counts[False]["texts"] >= texts:
            break
    yield "| coherent | texts | kept mutants | clashes | same person |"
    yield "|---|---|---|---|---|"
    for way, count in counts.items():
        shares = [_share(count[name], count["mutants"]) for name in ("clashes", "same person")]
        yield f"| {way} | {count['texts']} | {count['mutants']} | {' | '.join(shares)} |"
    random.Random(seed).shuffle(shown)
    for source, mutant, way in shown[:show]:
        yield f"\n- {source}\n+ {mutant}\n= {'coherent' if way else 'plain'}"


def _share(part: int, whole: int) -> str:
    low, high = proportion_confint(part, max(1, whole), method="wilson")
    return f"{100 * part / max(1, whole):.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def main() -> None:
    """Measure from the command line."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="texts, as hinter run takes")
    arguments.add_argument("--texts", type=int, default=200)
    arguments.add_argument("--limit", type=int, default=30, help="mutants a text (30)")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--show", type=int, default=0, help="mutants to print and judge")
    given = arguments.parse_args()
    for line in measure(given.data, given.texts, given.limit, given.seed, given.show):
        print(line, flush=True)


if __name__ == "__main__":
    main()
