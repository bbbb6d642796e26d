"""One shard of a campaign: plan, conform, ask, judge and write; the unit of every engine.

Mutants go through in chunks that may span texts, and results go to disk as they come, so memory
depends on the shard's texts and not on the number of their mutants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from hinter_core.campaign.schema import (
    answer_schema,
    judged_row,
    mutant_row,
    mutant_schema,
    original_row,
    stored_follow_up,
    text_row,
    text_schema,
)
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import TESTED, CampaignStore, TableWriter, read_table, write_table
from hinter_core.data.rows import Row
from hinter_core.generators.handwritten import open_generator
from hinter_core.language.sentences import split_sentences
from hinter_core.models.budget import Budget
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import FollowUp, TestCase, ask_originals, conform, judge
from hinter_core.pipeline.pipeline import chunks
from hinter_core.types import Verdict

_CHUNK = 512


@dataclass(frozen=True, slots=True)
class AskedModel:
    """A model that a shard was put to: what a report has to know of it."""

    name: str
    identity: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShardDone:
    """A shard that is done; ``parses`` and ``predictions`` are what this run had to make for it."""

    shard: int
    texts: int
    mutants: int
    hidden: int
    parses: int
    predictions: int
    asked: tuple[AskedModel, ...] = ()


class Worker:
    """Does shards, one after another, with one parser and one load of each model."""

    def __init__(
        self, campaign: Campaign, store: CampaignStore, budget: Budget | None = None
    ) -> None:
        self._campaign = campaign
        self._store = store
        self._bed = open_generator(campaign, budget)
        every = [asked.model for asked in self._bed.models]
        self._asked = tuple(AskedModel(m.name, m.identity, m.capabilities.labels) for m in every)

    def do(self, shard: int, rows: Sequence[Row]) -> ShardDone:
        """Do what of the shard is not done yet."""
        store, before = self._store, self._spent()
        if not (store.texts(shard).exists() and store.mutants(shard).exists()):
            self._fresh(shard, rows)
        else:
            missing = [
                m for m in self._bed.models if not store.answers(shard, m.model.identity).exists()
            ]
            if missing:
                trials = self._stored_trials(shard)
                for trial in trials.values():
                    for asked in missing:
                        trial.look(asked)  # its window had no part in the plan
                self._ask(shard, missing, trials, self._stored_batches(shard, trials))
        parses, predictions = (now - then for now, then in zip(self._spent(), before, strict=True))
        return self._count(shard, parses, predictions)

    def _spent(self) -> tuple[int, int]:
        """Parses and predictions made so far."""
        return self._bed.parses.parsed, sum(asked.predicted for asked in self._bed.models)

    def _fresh(self, shard: int, rows: Sequence[Row]) -> None:
        """A shard from its rows. The table of texts is written last: it says that all is there."""
        planned = list(self._bed.plans(rows))
        trials = self._bed.trials(planned)
        made: Counter[int] = Counter()
        with TableWriter(self._store.mutants(shard), mutant_schema()) as writer:
            self._ask(shard, self._bed.models, trials, self._conformed(trials, writer, made))
        outcomes = [
            text_row(row, plan, why, made[row.number], tested=row.number in trials)
            for row, plan, why in planned
        ]
        write_table(self._store.texts(shard), outcomes, text_schema())

    def _conformed(
        self, trials: Mapping[int, TestCase], writer: TableWriter, made: Counter[int]
    ) -> Iterator[list[FollowUp]]:
        for batch in chunks(self._bed.items(trials.values()), _CHUNK):
            conform(batch, self._bed.parses)
            writer.write([mutant_row(item) for item in batch])
            made.update(item.trial.number for item in batch)
            yield batch

    def _stored_trials(self, shard: int) -> dict[int, TestCase]:
        """The trials of a shard whose mutants are written; nothing is matched or parsed."""
        trials, forget = {}, not self._campaign.mutants
        for row in read_table(self._store.texts(shard)).to_pylist():
            if row["outcome"] == TESTED:
                sentences = split_sentences(row["text"])
                settings, attributes = self._campaign.settings, self._campaign.attributes
                plan = Plan(row["text"], attributes, settings, sentences, [], [], {})
                trials[row["row"]] = TestCase(plan, number=row["row"], forget=forget)
        return trials

    def _stored_batches(
        self, shard: int, trials: Mapping[int, TestCase]
    ) -> Iterator[list[FollowUp]]:
        table = read_table(self._store.mutants(shard))
        for batch in table.to_batches(max_chunksize=_CHUNK):
            yield [stored_follow_up(row, trials[row["row"]]) for row in batch.to_pylist()]

    def _ask(
        self,
        shard: int,
        models: Sequence[PredictionStore],
        trials: Mapping[int, TestCase],
        batches: Iterator[list[FollowUp]],
    ) -> None:
        """Ask some models about all mutants, batch by batch, and write what they answer."""
        with ExitStack() as stack:
            writers = []
            for asked in models:
                path = self._store.answers(shard, asked.model.identity)
                writer = stack.enter_context(TableWriter(path, answer_schema()))
                ask_originals(list(trials.values()), asked)
                writer.write([original_row(trial, asked) for trial in trials.values()])
                writers.append((asked, writer))
            place = 0
            for batch in batches:
                for asked, writer in writers:
                    judged = judge(batch, asked, discarded=self._campaign.discarded)
                    numbered = enumerate(zip(batch, judged, strict=True), start=place)
                    name = asked.model.name
                    writer.write(
                        [judged_row(i, item, result, name) for i, (item, result) in numbered]
                    )
                place += len(batch)

    def _count(self, shard: int, parses: int, predictions: int) -> ShardDone:
        mutants = read_table(self._store.texts(shard), "mutants")["mutants"].to_pylist()
        hidden = 0
        for asked in self._bed.models:
            table = read_table(self._store.answers(shard, asked.model.identity), "verdict")
            hidden += table["verdict"].to_pylist().count(Verdict.HIDDEN.value)
        return ShardDone(
            shard, len(mutants), sum(mutants), hidden, parses, predictions, self._asked
        )
