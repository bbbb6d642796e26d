"""Draw mutants for people to judge blind, and count their judgements.

``python -m benchmarks.blind draw OUT.csv DATA ...`` writes a shuffled table of intersectional
mutants, made with the default settings of a campaign, at most one kept and one discarded of a text,
and as many of each domain. A domain is a file by its name, or ``NAME=FILE``; files of one name are
one domain. ``--attribute race,gender`` says which attributes change together; if it is repeated,
each text is asked about the next of them that it has; of one attribute alone, single changes are
drawn. The table says nothing of the invariant;
``OUT.key.csv`` does, and has the validity score with its features. Readers fill ``label``:

- *fair*;
- *soft*: the text contradicts the change elsewhere;
- *unfair*: a replaced word was no person, or the sentence is broken.

``python -m benchmarks.blind count KEY.csv LABELS.csv LABELS.csv`` prints the shares by domain, of
each reader and of both, their agreement, and how well the score tells the labels apart. ``join
OUT.csv KEY.csv LABELS.csv ...`` writes what :mod:`benchmarks.validity` reads, without the texts;
the score and the invariant's answer are those of the code that joins, not of the one that drew.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

import numpy
from sklearn.metrics import roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from hinter_core.campaign.settings import SAMPLE
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.tables import edit_from_row, edits_to_rows
from hinter_core.data.rows import open_table
from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.registry import open_store
from hinter_core.pipeline.case import FollowUp, TestCase, conform, follow_up_of
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.relations.validity import FEATURES, features_of, validity_of
from hinter_core.statistics.agreement import alpha
from hinter_core.terms.dictionary import choose
from hinter_core.types import Grades, Mutant

LABELS = ("fair", "soft", "unfair")
KEPT = {True: "kept", False: "discarded"}
_WHOLE = 900  # characters of a text that is shown whole
_AROUND = 300  # characters shown before and after each change of a longer one
_TRIES = 12  # mutants of a text that are looked at

_KEY = ("id", "domain", "attributes", "weight")
_ANSWER = ("kept", "layer", *Grades._fields)  # of the invariant and the score

Labels = dict[str, str]  # by id


class Drawn(NamedTuple):
    """A mutant for the readers, and where it comes from."""

    domain: str
    attributes: str
    made: FollowUp


def _pipelines(pairs: Iterable[str]) -> dict[str, Pipeline]:
    """Return by names of attributes what makes mutants as a user gets them."""
    parses, model = ParseStore(load_parser("embedded")), open_store("vader", trusted=True)
    settings = Campaign(data=SAMPLE).settings
    return {
        pair: Pipeline(choose(names), parses, [model], replace(settings, order=min(2, len(names))))
        for pair in dict.fromkeys(pairs)
        for names in [pair.split(",")]
    }


def _answered(made: FollowUp) -> dict[str, object]:
    """Return what invariant and score say of a mutant."""
    answer, kept = made.conformance, made.conformance.by_invariant
    grades = validity_of(made.case.plan, made.mutant, kept=kept)
    values = ("yes" if answer.kept else "no", answer.layer or "", *grades)
    return dict(zip(_ANSWER, values, strict=True))


def _read(domains: Iterable[str]) -> dict[str, list[str]]:
    """Return the texts of each domain."""
    texts: dict[str, list[str]] = {}
    for given in domains:
        name, _, file = given.rpartition("=")
        rows = open_table(Path(file)).rows()
        texts.setdefault(name or Path(file).stem, []).extend(row.text for row in rows if row.text)
    return texts


def _looked_at(text: str, pipeline: Pipeline, chance: random.Random) -> tuple[int, list[FollowUp]]:
    """Return how many mutants a text has, and some of them, compared with it."""
    try:
        plan = pipeline.plan(text)
        pipeline.relation.require_applicable(plan)
    except InputError:  # no term, too long: another text
        return 0, []
    chosen, case = plan.chosen(), TestCase(plan)
    batch = [follow_up_of(case, e) for e in chance.sample(chosen, min(_TRIES, len(chosen)))]
    conform(batch, pipeline.parses)
    return len(chosen), batch


def draw(
    out: Path, domains: Sequence[str], pairs: Sequence[str], most: dict[bool, int], seed: int
) -> Iterator[str]:
    """Write the table for the readers and the key; yield how many mutants each domain has.

    ``most``: kept and discarded mutants of each domain.
    """
    chance, pipelines = random.Random(seed), _pipelines(pairs)
    every: list[Drawn] = []
    shares: dict[str, float] = {}
    for domain, texts in _read(domains).items():
        left, turn, seen, kept = dict(most), cycle(pairs), Counter[str](), list[float]()
        chance.shuffle(texts)
        for text in dict.fromkeys(texts):
            for pair in islice(
                turn, len(pairs)
            ):  # the first that the text has, from the last one on
                number, batch = _looked_at(text, pipelines[pair], chance)
                if batch:
                    break
            seen["texts"] += 1
            if batch:
                kept.append(sum(one.conformance.kept for one in batch) / len(batch))
                seen += Counter(applicable=1, mutants=number, kept=round(kept[-1] * number))
            for wanted in KEPT:
                fitting = [one for one in batch if one.conformance.kept is wanted]
                if fitting and left[wanted]:
                    left[wanted] -= 1
                    every.append(Drawn(domain, pair, fitting[0]))
            if not any(left.values()):
                break
        lacking = ", ".join(f"{left[one]} {KEPT[one]} too few" for one in KEPT if left[one])
        counts = ", ".join(f"{count:,} {what}" for what, count in seen.items())
        shares[domain] = sum(kept) / max(1, len(kept))
        yield f"{domain}: {counts}{lacking and f' ({lacking})'}"
    chance.shuffle(every)
    _write(out, every, shares)


def _write(out: Path, every: Sequence[Drawn], shares: Mapping[str, float]) -> None:
    """Write the two tables; ``shares``: of the mutants of a text of a domain, those kept.

    The weights of a domain's kept mutants add up to its share, those of the discarded to the rest.
    """
    number = Counter((one.domain, one.made.conformance.kept) for one in every)
    with (
        out.open("w", encoding="utf-8", newline="") as table,
        out.with_suffix(".key.csv").open("w", encoding="utf-8", newline="") as key,
    ):
        shown = csv.writer(table)
        shown.writerow(["id", "before", "after", "changes", "label", "why"])
        kept = csv.DictWriter(key, [*_KEY, "reason", *_ANSWER, "text", "edits"])
        kept.writeheader()
        for domain, pair, made in every:
            text, mutant, answer = made.case.plan.text, made.mutant, made.conformance
            ident = hashlib.sha256(f"{text}\n{mutant.text}".encode()).hexdigest()[:12]
            places = Counter(f"{s.old or 'nothing'} \u2192 {s.new}" for s in mutant.splices)
            changes = "; ".join(f"{c} ({n} times)" if n > 1 else c for c, n in places.items())
            shown.writerow([ident, *_shown(text, mutant), changes, "", ""])
            share = shares[domain] if answer.kept else 1 - shares[domain]
            weight = share / number[domain, answer.kept]
            kept.writerow(
                {"id": ident, "domain": domain, "attributes": pair, "weight": weight,
                 "reason": answer.reason, **_answered(made), "text": text,
                 "edits": json.dumps(edits_to_rows(mutant.edits))}
            )  # fmt: skip


def _shown(text: str, mutant: Mutant) -> tuple[str, str]:
    """Return source and mutant with each change in brackets, whole or around the changes."""
    splices = sorted(mutant.splices, key=lambda splice: splice.start)
    ends = [splice.start for splice in splices[1:]] + [len(text)]
    around = _AROUND if len(text) > _WHOLE else len(text)
    before, after, end = [], [], 0
    for splice, last in zip(splices, ends, strict=True):
        first, until = max(end, splice.start - around), min(last, splice.end + around)
        left = " [...] " * (first > end) + text[first : splice.start]
        before.append(f"{left}[{splice.old}]{text[splice.end : until]}")
        after.append(f"{left}[{splice.new}]{text[splice.end : until]}")
        end = until
    return "".join(before), "".join(after)


def join(out: Path, key: Path, *labelled: Path) -> None:
    """Write what readers said of the mutants of a key, with what the code of today says.

    There is a row for each edit of a mutant. Mutants that are not made today are left out.
    """
    rows, readers = _rows(key), [_labels(path) for path in labelled]
    pipelines = _pipelines(row["attributes"] for row in rows.values())
    names = [f"reader_{number}" for number in range(1, len(readers) + 1)]
    with out.open("w", encoding="utf-8", newline="") as lines:
        columns = [*_KEY, *names, *_ANSWER, *FEATURES]
        table = csv.DictWriter(lines, columns, extrasaction="ignore")
        table.writeheader()
        for ident, row in rows.items():
            said = [labels.get(ident, "") for labels in readers]
            if any(said):
                made = _made_again(row, pipelines[row["attributes"]])
                if made is None:
                    continue
                known = {**row, **dict(zip(names, said, strict=True)), **_answered(made)}
                for features in features_of(made.case.plan, made.mutant):
                    table.writerow(known | {n: f"{x:.5g}" for n, x in features._asdict().items()})


def _made_again(row: Mapping[str, str], pipeline: Pipeline) -> FollowUp | None:
    """Make a drawn mutant again, if it is made today; no least score is asked for."""
    plan = pipeline.plan(row["text"])
    plan.settings = replace(plan.settings, validity=0.0)
    known = {edit.key: edit for edits in plan.edits.values() for edit in edits}
    stored = [edit_from_row(edit).key for edit in json.loads(row["edits"])]
    if not known.keys() >= set(stored):
        return None
    made = follow_up_of(TestCase(plan), tuple(known[key] for key in stored))
    conform([made], pipeline.parses)
    return made


def _rows(key: Path) -> dict[str, dict[str, str]]:
    with key.open(encoding="utf-8", newline="") as lines:
        return {row["id"]: row for row in csv.DictReader(lines)}


def _labels(path: Path) -> Labels:
    with path.open(encoding="utf-8", newline="") as lines:
        found = {row["id"]: row["label"].strip().lower() for row in csv.DictReader(lines)}
    return {ident: label for ident, label in found.items() if label in LABELS}


def count(key: Path, *labelled: Path) -> Iterator[str]:
    """Yield the shares of labels by domain, the agreement, and what the score tells of them."""
    rows = _rows(key)
    readers = [{i: label for i, label in _labels(p).items() if i in rows} for p in labelled]
    both = [i for i in rows if all(i in labels for labels in readers)]
    for wanted, name in KEPT.items():
        own = [i for i in both if (rows[i]["kept"] == "yes") is wanted]
        domains = dict.fromkeys(rows[i]["domain"] for i in own)
        for domain in (*domains, "all") if own else ():
            inside = [i for i in own if domain in ("all", rows[i]["domain"])]
            yield f"{name}, {domain}, {len(inside)}:"
            for label in LABELS:
                said = [[labels[i] == label for labels in readers] for i in inside]
                each = "  ".join(_share(column) for column in zip(*said, strict=True))
                all_say, one_says = _share(map(all, said)), _share(map(any, said))
                more = f"; both {all_say}, either {one_says}" if len(readers) > 1 else ""
                yield f"  {label}: {each}{more}"
    if len(readers) > 1:
        counts = [[[r[i] for r in readers].count(label) for label in LABELS] for i in both]
        found = alpha(numpy.array(counts))
        words = found.why if found.value is None else f"{found.value:.2f}"
        yield f"agreement on {len(both)}: alpha {words}"
    agreed = {i: readers[0][i] for i in both if len({labels[i] for labels in readers}) == 1}
    for among, asked in (
        ("all", agreed),
        ("kept", [i for i in agreed if rows[i]["kept"] == "yes"]),
    ):
        for other in LABELS[1:]:
            pairs = [
                (agreed[i] == "fair", float(rows[i]["fair"]))
                for i in asked
                if agreed[i] in ("fair", other)
            ]
            if len({fair for fair, _ in pairs}) == 2:
                found_auc = roc_auc_score(*zip(*pairs, strict=True))
                yield f"AUC of fair against {other}, {among} ({len(pairs)}): {found_auc:.2f}"


def _share(said: Iterable[bool]) -> str:
    answers = list(said)
    low, high = proportion_confint(sum(answers), len(answers), method="wilson")
    return f"{sum(answers) / len(answers):.1%} [{low:.1%}, {high:.1%}]"


def main() -> None:
    """Draw a table, or count its labels."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.blind", description=__doc__)
    commands = arguments.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("out", type=Path)
    drawing.add_argument("data", nargs="+", help="FILE or DOMAIN=FILE")
    drawing.add_argument("--attribute", action="append", help="attributes, with a comma")
    drawing.add_argument("--kept", type=int, default=50, help="of each domain")
    drawing.add_argument("--discarded", type=int, default=15, help="of each domain")
    drawing.add_argument("--seed", type=int, default=1)
    joining = commands.add_parser("join")
    joining.add_argument("out", type=Path)
    joining.add_argument("key", type=Path)
    joining.add_argument("labels", type=Path, nargs="+")
    counting = commands.add_parser("count")
    counting.add_argument("key", type=Path)
    counting.add_argument("labels", type=Path, nargs="+")
    given = arguments.parse_args()
    if given.command == "draw":
        most = {True: given.kept, False: given.discarded}
        pairs = given.attribute or ["race,gender"]
        for line in draw(given.out, given.data, pairs, most, given.seed):
            print(line, flush=True)
    elif given.command == "join":
        join(given.out, given.key, *given.labels)
    else:
        print("\n".join(count(given.key, *given.labels)))


if __name__ == "__main__":
    main()
