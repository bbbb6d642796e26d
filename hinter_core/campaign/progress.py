"""How far a campaign is and what it has found, read from its directory while it grows.

A table that is there is whole and stays as it is, so each is counted once and remembered.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from cachetools import LRUCache

from hinter_core.campaign.reader import is_placebo
from hinter_core.campaign.schema import edit_from_row
from hinter_core.campaign.store import CampaignStore, StoreError, read_table
from hinter_core.types import Edit, Verdict

ATOMIC, TOGETHER, PLACEBO = "one at a time", "together", "neutral swaps"
KINDS = (ATOMIC, TOGETHER, PLACEBO)
T = TypeVar("T")
LATEST = 6  # findings shown
_EACH = 2  # of one text at most
_REMEMBERED = 20_000  # tables


@dataclass(frozen=True)
class TableCounts:
    """One table counted: ``counts`` by (kind, verdict) or by outcome, ``failures`` by name."""

    counts: Counter[Any]
    mutants: int = 0
    failures: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class HiddenFinding:
    """A hidden bias: the text, what was changed in it, and the model's answers.

    ``place``: its row in the table of mutants of its ``shard``. ``by_hand``: the mutant's own
    text, where a person wrote it.
    """

    shard: int
    place: int
    model: str
    text: str
    edits: tuple[Edit, ...]
    before: str
    after: str
    by_hand: str | None = None


@dataclass
class CampaignProgress:
    """A campaign as far as it is.

    ``texts`` and ``shards`` are what is to be done, None before that is known; ``done`` counts
    texts that all ``models`` have answered. ``verdicts``: by model, counts by (kind, verdict).
    """

    models: tuple[str, ...] = ()
    texts: int | None = None
    shards: int | None = None
    done: int = 0
    shards_done: int = 0
    mutants: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    verdicts: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    latest: tuple[HiddenFinding, ...] = ()
    since: tuple[int, int] = (0, 0)  # texts and mutants done since a given time

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return self.shards is not None and self.shards_done >= self.shards

    @property
    def failed(self) -> int:
        """Answers that are missing, those to unchanged texts among them."""
        return self.failures.total()

    @property
    def unanswered(self) -> int:
        """Mutants without an answer, all models together."""
        return sum(
            number
            for counts in self.verdicts.values()
            for (_, verdict), number in counts.items()
            if verdict == Verdict.UNANSWERED.value
        )

    def hidden(self) -> int:
        """Hidden findings, all models together; neutral swaps are none."""
        key = (TOGETHER, Verdict.HIDDEN.value)
        return sum(counts[key] for counts in self.verdicts.values())


class ProgressReader:
    """Reads campaigns again and again, each table once."""

    def __init__(self) -> None:
        self._made: LRUCache[tuple[str, Path, int], Any] = LRUCache(_REMEMBERED)
        self._lock = threading.Lock()

    def look(
        self, store: CampaignStore, models: Sequence[str], since: float, *, latest: bool = True
    ) -> CampaignProgress:
        """The campaign as it is now; ``since``: when this run began, for its speed.

        Raises:
            StoreError: the directory or a table is damaged.
        """
        seen = CampaignProgress(tuple(dict.fromkeys(models)))
        try:
            spec = store.read()
        except StoreError:
            if (store.folder / "campaign.json").exists():
                raise
            return seen  # its process is still getting ready
        size = spec.get("size", {})
        seen.texts, seen.shards = size.get("texts"), size.get("shards")
        noted = {name: spec["models"].get(name, {}).get("identity") for name in seen.models}
        seen.verdicts = {name: Counter() for name in seen.models}
        whole: list[int] = []
        for shard in store.known():
            files = {n: store.answers(shard, i) for n, i in noted.items() if i is not None}
            asked = {name: path for name, path in files.items() if path.exists()}
            self._add(seen, store, shard, asked, since)
            if asked:
                whole.append(shard)
        if latest:
            seen.latest = tuple(islice(self._findings(store, whole[::-1], noted), LATEST))
        return seen

    def _add(
        self,
        seen: CampaignProgress,
        store: CampaignStore,
        shard: int,
        asked: dict[str, Path],
        since: float,
    ) -> None:
        path_of_texts = store.texts(shard)
        texts = self._once("texts", path_of_texts, lambda: _count_texts(path_of_texts))
        for name, path in asked.items():
            part = self._answers(store, shard, path)
            seen.verdicts[name] += part.counts
            seen.failures += part.failures
        number = sum(texts.counts.values())
        if set(asked) == set(seen.models):
            seen.done += number
            seen.shards_done += 1
            seen.mutants += texts.mutants
            seen.outcomes += texts.counts
            if since and max(p.stat().st_mtime for p in asked.values()) >= since:
                seen.since = (seen.since[0] + number, seen.since[1] + texts.mutants)

    def _once(self, what: str, path: Path, make: Callable[[], T]) -> T:
        key = (what, path, path.stat().st_mtime_ns)
        with self._lock:
            if key in self._made:
                kept: T = self._made[key]
                return kept
        made = make()
        with self._lock:
            self._made[key] = made
        return made

    def _answers(self, store: CampaignStore, shard: int, path: Path) -> TableCounts:
        return self._once("answers", path, lambda: _count_answers(path, store.mutants(shard)))

    def _findings(
        self, store: CampaignStore, shards: Sequence[int], noted: dict[str, str | None]
    ) -> Iterator[HiddenFinding]:
        """The latest hidden findings: those of the last shards first."""
        for shard in shards:
            for model, identity in noted.items():
                path = store.answers(shard, identity) if identity else None
                if path is None or not path.exists():
                    continue
                if self._answers(store, shard, path).counts[TOGETHER, Verdict.HIDDEN.value]:
                    yield from self._hidden(store, shard, path, model)

    def _hidden(
        self, store: CampaignStore, shard: int, path: Path, model: str
    ) -> tuple[HiddenFinding, ...]:
        return self._once("found", path, lambda: tuple(_read_hidden(store, shard, path, model)))


def _count_texts(path: Path) -> TableCounts:
    table = read_table(path, "outcome", "mutants")
    return TableCounts(Counter(table["outcome"].to_pylist()), sum(table["mutants"].to_pylist()))


def _count_answers(path: Path, mutants: Path) -> TableCounts:
    answers = read_table(path, "mutant", "verdict", "failure").to_pydict()
    kinds = _kinds(read_table(mutants, "order", "edits"))
    counts: Counter[tuple[str, str]] = Counter()
    for mutant, verdict in zip(answers["mutant"], answers["verdict"], strict=True):
        if mutant >= 0:
            counts[kinds[mutant], verdict] += 1
    failures = Counter(failure for failure in answers["failure"] if failure)
    return TableCounts(counts, failures=failures)


def _kinds(mutants: Any) -> list[str]:
    """The kind of each mutant, in order."""
    import pyarrow.compute as pc

    flat = pc.struct_field(pc.list_flatten(mutants["edits"]), "attribute")
    of = pc.list_parent_indices(mutants["edits"]).to_pylist()
    neutral = {i for i, name in zip(of, flat.to_pylist(), strict=True) if is_placebo((name,))}
    return [
        PLACEBO if i in neutral else ATOMIC if order == 1 else TOGETHER
        for i, order in enumerate(mutants["order"].to_pylist())
    ]


def _read_hidden(
    store: CampaignStore, shard: int, path: Path, model: str
) -> Iterator[HiddenFinding]:
    """Some hidden findings of a shard, few of each text."""
    import pyarrow.compute as pc

    answers = read_table(path, "row", "mutant", "verdict", "labels")
    first = answers.filter(pc.equal(answers["mutant"], -1))
    before = dict(zip(first["row"].to_pylist(), first["labels"].to_pylist(), strict=True))
    found = answers.filter(pc.equal(answers["verdict"], Verdict.HIDDEN.value))
    texts = read_table(store.texts(shard), "row", "text")
    text_of = dict(zip(texts["row"].to_pylist(), texts["text"].to_pylist(), strict=True))
    mutants = read_table(store.mutants(shard), "edits", "text")
    each: Counter[int] = Counter()
    for line in found.to_pylist():
        row = line["row"]
        swaps = mutants["edits"][line["mutant"]].as_py()
        if each[row] == _EACH or is_placebo(tuple(swap["attribute"] for swap in swaps)):
            continue
        each[row] += 1
        yield HiddenFinding(
            shard,
            line["mutant"],
            model,
            text_of[row],
            tuple(map(edit_from_row, swaps)),
            ", ".join(before.get(row) or ()),
            ", ".join(line["labels"]),
            mutants["text"][line["mutant"]].as_py(),
        )
        if each.total() == LATEST:
            return
