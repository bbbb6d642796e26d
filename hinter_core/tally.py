"""Counting a campaign: shard after shard, so that memory depends on words and texts only.

Everything a report says is a sum over mutants; what is kept are sums by what a report groups by.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from hinter_core.shards import CampaignStore, read_table
from hinter_core.tables import TESTED
from hinter_core.types import Verdict

Attributes = tuple[str, ...]
_FLIPS = (Verdict.BIASED.value, Verdict.HIDDEN.value)
_EXAMPLES = 12


@dataclass
class Counted:
    """Errors and cases: a case is a mutant that was kept and answered."""

    errors: int = 0
    cases: int = 0

    def add(self, error: bool) -> None:
        """Count one case."""
        self.cases += 1
        self.errors += error


@dataclass
class Tally:
    """The sums over all mutants of one model.

    ``verdicts``: by attributes, counts of verdicts. ``sources``: by attributes and source text,
    errors and cases. ``truth``: for order 2, by attributes, counts of (whole flips, first part
    flips, second part flips), as MutaInt's Table 6. ``groups``: by attributes and the groups that a
    text was turned into. ``words``: by attribute, replaced and replacing word, of atomic mutants.
    ``examples``: hidden mutants as (row, edits).
    """

    verdicts: dict[Attributes, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    sources: dict[Attributes, dict[int, Counted]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Counted))
    )
    hidden_sources: dict[Attributes, set[int]] = field(default_factory=lambda: defaultdict(set))
    truth: dict[Attributes, Counter[tuple[bool, bool, bool]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    groups: dict[Attributes, dict[tuple[str, ...], Counted]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Counted))
    )
    words: dict[tuple[str, str, str], Counted] = field(default_factory=lambda: defaultdict(Counted))
    failures: Counter[str] = field(default_factory=Counter)
    examples: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Counts:
    """A whole campaign counted; ``models`` by name."""

    texts: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[int, str]] = field(default_factory=list)
    models: dict[str, Tally] = field(default_factory=dict)
    pairs: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))


def count(store: CampaignStore) -> Counts:
    """Count all shards that are done.

    Raises:
        StoreError: no campaign, or a table that cannot be read.
    """
    spec = store.read()
    counts = Counts()
    for shard in store.known():
        texts = read_table(store.texts(shard)).to_pylist()
        for text in texts:
            counts.texts[text["outcome"]] += 1
            if text["outcome"] != TESTED and len(counts.faults) < 1000:
                counts.faults.append((text["row"], text["detail"]))
        mutants = read_table(store.mutants(shard)).to_pylist()
        for mutant in mutants:
            for edit in mutant["edits"]:
                counts.pairs[edit["attribute"]].add((edit["source"], edit["target"]))
        by_row = {text["row"]: text for text in texts}
        for name, model in spec["models"].items():
            path = store.shards / f"{shard:05}.answers-{model['key']}.parquet"
            if path.exists():
                tally = counts.models.setdefault(name, Tally())
                answers = [a for a in read_table(path).to_pylist() if a["mutant"] >= 0]
                _add_shard(tally, mutants, answers, by_row)
    return counts


def _add_shard(
    tally: Tally,
    mutants: list[dict[str, Any]],
    answers: list[dict[str, Any]],
    texts: Mapping[int, Mapping[str, Any]],
) -> None:
    flipped: dict[tuple[int, frozenset[tuple[Any, ...]]], bool] = {}
    for mutant, answer in zip(mutants, answers, strict=True):
        verdict, edits = answer["verdict"], mutant["edits"]
        attributes = tuple(edit["attribute"] for edit in edits)
        tally.verdicts[attributes][verdict] += 1
        if answer["failure"]:
            tally.failures[answer["failure"]] += 1
        if verdict in (Verdict.DISCARDED.value, Verdict.UNANSWERED.value):
            continue
        error = verdict in _FLIPS
        row = mutant["row"]
        tally.sources[attributes][row].add(error)
        tally.groups[attributes][tuple(edit["target_group"] for edit in edits)].add(error)
        keys = [_key(edit) for edit in edits]
        if mutant["order"] == 1:
            (edit,) = edits
            tally.words[(attributes[0], edit["source"], edit["target"])].add(error)
            flipped[row, frozenset(keys)] = error
        elif mutant["order"] == 2:
            parts = [flipped.get((row, frozenset(p))) for p in combinations(keys, 1)]
            if None not in parts:
                tally.truth[attributes][error, bool(parts[0]), bool(parts[1])] += 1
        if verdict == Verdict.HIDDEN.value:
            tally.hidden_sources[attributes].add(row)
            if len(tally.examples) < _EXAMPLES:
                text = texts[row]["text"]
                example = {"row": row, "text": text, "edits": edits, "labels": answer["labels"]}
                tally.examples.append(example)


def _key(edit: Mapping[str, Any]) -> tuple[Any, ...]:
    return (edit["attribute"], edit["source"], edit["target"], *edit["spans"])
