"""Read the progress and findings of a running campaign from its directory.

A table that exists is complete and never changes, so each is counted once and cached.
"""

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from cachetools import LRUCache

from hinter_core.campaign.parquet import StoreError
from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.record import PriorityState, kept_by_model, priorities_of
from hinter_core.campaign.running.parts import parts_of
from hinter_core.campaign.store import TESTED, UNUSABLE, CampaignStore, Written
from hinter_core.campaign.tables import has_placebo
from hinter_core.errors import first_names
from hinter_core.models.cache import KeptAnswers
from hinter_core.types import Failure, Verdict

ATOMIC, TOGETHER, PLACEBO = "one at a time", "together", "neutral swaps"
APART = "together, of two people"
KINDS = (ATOMIC, TOGETHER, APART, PLACEBO)
# What a failure says, apart from the numbers in it and, after a colon, the reply that it is about.
_SAID = (
    f"regexp_replace(CASE WHEN failure IN ('{Failure.UNPARSABLE}', '{Failure.REFUSED}') THEN "
    "split_part(detail, ':', 1) ELSE coalesce(detail, '') END, '[0-9]+', '0', 'g')"
)
_OF_A_PART = "an answer that it is compared with is missing"
Lost = tuple[str, str]  # a failure, and its cause as above
Files = dict[int, dict[str, Path]]  # existing tables of answers by shard and model
ANSWERED = "requests answered so far: "  # of a run whose first shard is not done
LATEST = 6  # findings shown
_EACH = 2  # per text
_REASONS = 4  # of texts that cannot be used
_REMEMBERED = 20_000  # tables

_PARTS = 10  # that are named


@dataclass
class TableCounts:
    """Counts of a table: ``counts`` by (kind, verdict) or by outcome; see CampaignProgress."""

    counts: Counter[Any] = field(default_factory=Counter)
    mutants: int = 0
    lost: Counter[Lost] = field(default_factory=Counter)
    said: dict[Lost, str] = field(default_factory=dict)


@dataclass
class CampaignProgress:
    """The state of a campaign.

    ``texts`` and ``shards``: totals, None until known; ``made``: texts whose mutants are made;
    ``done``: texts that all ``models`` answered. ``verdicts``: by model, then by (kind, verdict).
    ``lost``: missing answers by failure and cause; ``said``: an example of the details of each.
    ``since``: texts and mutants done since a given time. ``runs``: how many there were.
    ``priority``: how far each model of a
    prioritised run is. ``kept``: answers from before the campaign.
    """

    models: tuple[str, ...] = ()
    texts: int | None = None
    shards: int | None = None
    made: int = 0
    done: int = 0
    shards_done: int = 0
    mutants: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    verdicts: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    lost: Counter[Lost] = field(default_factory=Counter)
    said: dict[Lost, str] = field(default_factory=dict)
    latest: tuple[MutantRecord, ...] = ()
    since: tuple[int, int] = (0, 0)
    runs: int = 0
    priority: dict[str, PriorityState] = field(default_factory=dict)
    kept: KeptAnswers = field(default_factory=KeptAnswers)

    @property
    def complete(self) -> bool:
        """Whether all shards are done, and nothing is left that a prioritised run could ask."""
        all_asked = all(state.asked == state.cases for state in self.priority.values())
        return self.shards is not None and self.shards_done >= self.shards and all_asked

    @property
    def failed(self) -> int:
        """Number of missing answers, including those to unchanged texts."""
        return self.lost.total()

    @property
    def failures(self) -> Counter[str]:
        """Number of missing answers by failure."""
        counts: Counter[str] = Counter()
        for (failure, _), number in self.lost.items():
            counts[failure] += number
        return counts

    @property
    def unanswered(self) -> int:
        """Number of mutants without an answer, over all models."""
        every = self.verdicts.values()
        return sum(counts[kind, Verdict.UNANSWERED.value] for counts in every for kind in KINDS)

    def hidden(self, kind: str = TOGETHER) -> int:
        """Return the number of hidden findings of a kind over all models."""
        return sum(counts[kind, Verdict.HIDDEN.value] for counts in self.verdicts.values())


@dataclass(frozen=True, slots=True)
class Reason:
    """Why ``mutants`` of a model have no usable answer; ``said``: an example of the details.

    ``originals``: unchanged texts without an answer, which is why ``compared`` of these have none.
    """

    model: str
    failure: str
    said: str
    mutants: int
    originals: int = 0
    compared: int = 0

    @property
    def in_words(self) -> str:
        """The failure, with its details."""
        words = f"{self.failure} ({self.said})" if self.said else self.failure
        if not self.compared:
            return words
        texts = (
            "one unchanged text" if self.originals == 1 else f"{self.originals:,} unchanged texts"
        )
        return f"{words}; {self.compared:,} of them as {texts} got no answer"


def unanswered(store: CampaignStore, models: Sequence[str] | None = None) -> list[Reason]:
    """Return why mutants of some models (default: all) are unanswered, the most frequent first.

    A model that was not asked yet, as a part may have no texts, has none.

    The reason is that of the answer to the unchanged text, or the mutant's own failure.
    """
    reasons = []
    known = store.read()["models"]
    names = [name for name in (known if models is None else models) if name in known]
    with CampaignReader(store, names) as reader:
        for name in reader.models:
            tables = reader.tables(models=(name,))
            rows = reader.run(
                f"WITH lost AS (SELECT coalesce(o.failure, a.failure, '{_OF_A_PART}') AS failure, "
                "CASE WHEN o.failure IS NULL THEN a.detail ELSE o.detail END AS detail, CASE WHEN "
                "o.failure IS NOT NULL THEN (shard, row) END AS text FROM "
                f"({tables.answers}) a LEFT JOIN ({tables.originals}) o USING (shard, row) WHERE "
                f"a.verdict = '{Verdict.UNANSWERED}') SELECT failure, min(detail), count(*), "
                "count(DISTINCT text), count(text) FROM "
                f"lost GROUP BY failure, {_SAID} ORDER BY 3 DESC, 1, 2"
            )
            reasons += [
                Reason(name, failure, said or "", *counted) for failure, said, *counted in rows
            ]
    return sorted(reasons, key=lambda reason: -reason.mutants)


def untested_in_words(store: CampaignStore) -> list[str]:
    """Say how many texts have nothing to test or cannot be used, with the most frequent reason.

    Of texts that cannot be used, the next reasons follow: each is a fault that can be mended.
    """
    with CampaignReader(store, ()) as reader:
        texts = reader.tables().texts
        rows = reader.run(
            "SELECT outcome, sum(n)::BIGINT, list(detail ORDER BY n DESC, detail), list(n ORDER BY "
            f"n DESC, detail), (SELECT count(*) FROM ({texts})) "
            f"FROM (SELECT outcome, min(detail) AS detail, count(*) AS n FROM ({texts}) WHERE "
            f"outcome <> '{TESTED}' GROUP BY outcome, regexp_replace(detail, '[0-9]+', '0', 'g')) "
            "GROUP BY outcome ORDER BY outcome"
        )
    lines = []
    for outcome, number, reasons, counts, of in rows:
        lines.append(f"{number:,} of {of:,} texts: {outcome}, most often because: {reasons[0]}")
        further = (
            zip(counts[1:_REASONS], reasons[1:_REASONS], strict=True) if outcome == UNUSABLE else ()
        )
        lines += [f"  {n:,} because: {why}" for n, why in further]
    if rows and sum(number for _, number, *_ in rows) == rows[0][-1]:
        lines.append("No text was tested, so nothing is known of any model.")
    return lines


class ProgressReader:
    """Read campaigns repeatedly, but each table once."""

    def __init__(self) -> None:
        self._made: LRUCache[tuple[Path, int], TableCounts] = LRUCache(_REMEMBERED)
        self._lock = threading.Lock()

    def look(
        self, store: CampaignStore, models: Sequence[str], since: float, *, latest: bool = True
    ) -> CampaignProgress:
        """Return the current state; ``since``: start of this run, to measure its speed.

        Raises:
            StoreError: the directory or a table is damaged.
        """
        seen = CampaignProgress(tuple(dict.fromkeys(models)))
        try:
            spec = store.read()
        except StoreError:
            if (store.folder / "campaign.json").exists():
                raise
            return seen  # its process is starting
        size = spec.get("size", {})
        seen.texts, seen.shards = size.get("texts"), size.get("shards")
        seen.runs = len(spec.get("runs", []))
        priority = priorities_of(spec)
        seen.priority = {name: priority[name] for name in seen.models if name in priority}
        seen.verdicts = {name: Counter() for name in seen.models}
        kept = kept_by_model(spec)
        seen.kept = sum((kept[name] for name in seen.models if name in kept), KeptAnswers())
        noted = {name: model["identity"] for name, model in spec["models"].items()}
        written = store.written()
        files = {
            shard: {
                name: path
                for name in seen.models
                if name in noted and (path := written.answers(shard, noted[name]))
            }
            for shard in written.shards
        }
        counted = self._tables(store, written, files)
        for shard, answer_files in files.items():
            _add(seen, counted, written.texts(shard), answer_files, since)
        if latest:
            seen.latest = tuple(islice(self._latest(store, files, counted), LATEST))
        return seen

    def _tables(
        self, store: CampaignStore, written: Written, files: Files
    ) -> dict[Path, TableCounts]:
        """Count every table; new ones by one query per kind and model."""
        wanted: dict[str, dict[Path, int]] = {"": {written.texts(shard): shard for shard in files}}
        for shard, answer_files in files.items():
            for name, path in answer_files.items():
                wanted.setdefault(name, {})[path] = shard
        keys = {
            path: (path, path.stat().st_mtime_ns) for paths in wanted.values() for path in paths
        }
        with self._lock:
            tables = {path: self._made[key] for path, key in keys.items() if key in self._made}
        for name, paths in wanted.items():
            new = {shard: path for path, shard in paths.items() if path not in tables}
            if new:
                with CampaignReader(store, (name,) if name else ()) as reader:
                    reader.check(new)
                    counts = {shard: TableCounts() for shard in new}
                    (_count_answers if name else _count_texts)(reader, counts)
                    tables |= {new[shard]: table for shard, table in counts.items()}
        with self._lock:
            self._made.update({key: tables[path] for path, key in keys.items()})
        return tables

    def _latest(
        self, store: CampaignStore, files: Files, counted: Mapping[Path, TableCounts]
    ) -> Iterator[MutantRecord]:
        """Yield the latest hidden findings, those of the last shards first."""
        for shard in sorted(files, reverse=True):
            for name, path in files[shard].items():
                if any(
                    counted[path].counts[kind, Verdict.HIDDEN.value] for kind in (TOGETHER, APART)
                ):
                    yield from _hidden(store, shard, name, path.stat().st_mtime_ns)


def _add(
    seen: CampaignProgress,
    counted: Mapping[Path, TableCounts],
    path: Path,
    answer_files: Mapping[str, Path],
    since: float,
) -> None:
    """Add a shard; ``path``: its table of texts."""
    texts = counted[path]
    seen.made += texts.counts.total()
    for name, answers in answer_files.items():
        seen.verdicts[name] += counted[answers].counts
        seen.lost += counted[answers].lost
        seen.said |= counted[answers].said
    if set(answer_files) == set(seen.models):
        number = texts.counts.total()
        seen.done += number
        seen.shards_done += 1
        seen.mutants += texts.mutants
        seen.outcomes += texts.counts
        if since and max(p.stat().st_mtime for p in answer_files.values()) >= since:
            seen.since = (seen.since[0] + number, seen.since[1] + texts.mutants)


def _count_texts(reader: CampaignReader, counts: Mapping[int, TableCounts]) -> None:
    tables = reader.tables([*counts])
    for shard, outcome, texts, mutants in reader.run(
        f"SELECT shard, outcome, count(*), sum(mutants)::BIGINT FROM ({tables.texts}) GROUP BY ALL"
    ):
        counts[shard].counts[outcome] = texts
        counts[shard].mutants += mutants


def _count_answers(reader: CampaignReader, counts: Mapping[int, TableCounts]) -> None:
    tables = reader.tables([*counts])
    for shard, kind, verdict, mutants in reader.run(
        f"SELECT shard, CASE WHEN {has_placebo('attributes')} THEN '{PLACEBO}' WHEN n_edits = 1 "
        f"THEN '{ATOMIC}' WHEN across_people THEN '{APART}' ELSE '{TOGETHER}' END AS kind, "
        f"verdict, count(*) FROM ({tables.mutants}) JOIN ({tables.answers}) USING (shard, place) "
        "GROUP BY ALL"
    ):
        if verdict is not None:
            counts[shard].counts[kind, verdict] = mutants
    for shard, failure, cause, detail, answers in reader.run(
        f"SELECT shard, failure, {_SAID} AS cause, min(detail), count(*) FROM (SELECT shard, "
        f"failure, detail FROM ({tables.answers}) UNION ALL SELECT shard, failure, detail FROM "
        f"({tables.originals})) WHERE failure <> '{Failure.NOT_ASKED}' GROUP BY ALL"
    ):
        counts[shard].lost[failure, cause] = answers
        counts[shard].said[failure, cause] = detail or ""


@lru_cache(maxsize=200)
def _hidden(
    store: CampaignStore,
    shard: int,
    model: str,
    written: int,  # noqa: ARG001 -- part of the key
) -> tuple[MutantRecord, ...]:
    """Return hidden findings of a shard, few per text; ``written``: time of the table."""
    few = f"QUALIFY row_number() OVER (PARTITION BY m.row ORDER BY m.place) <= {_EACH}"
    where = f"a0.verdict = 'hidden' AND NOT {has_placebo('m.attributes')}"
    with CampaignReader(store, (model,)) as reader:
        return tuple(islice(reader.records((shard,), where, among=few), LATEST))


def missing_shards(store: CampaignStore) -> list[int]:
    """Return the shards that are not done with all models, as far as their number is known."""
    spec = store.read()
    models = [model["identity"] for model in spec["models"].values()]
    written = store.written()
    known = set(written.shards)
    return [
        shard
        for shard in range((spec.get("size") or {}).get("shards", 0))
        if shard not in known or not written.has(shard, models)
    ]


def missing_in_words(store: CampaignStore) -> str:
    """Say what is missing of a campaign, by its parts if it was run in parts; "" if nothing is."""
    missing, total = missing_shards(store), (store.read().get("size") or {}).get("shards", 0)
    if not missing:
        return ""
    lack = "shards is missing" if len(missing) == 1 else "shards are missing"
    words = f"The campaign is incomplete: {len(missing):,} of {total:,} {lack}"
    left = [part for part in parts_of(store.folder) if any(map(part.has, missing))]
    if not left:
        return f"{words}; resume it."
    some = first_names([f"{part.number}/{part.of}" for part in left], _PARTS)
    return f"{words}, of the parts {some}; run these with --part."
