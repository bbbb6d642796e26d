"""Run one shard of a campaign: plan, conform, test, judge and write.

Mutants are processed in chunks across texts and results are written at once, so memory does not
depend on the number of mutants.
"""

from collections import Counter, abc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

from hinter_core.campaign.record import PriorityState
from hinter_core.campaign.running.planned import PlannedMutants
from hinter_core.campaign.running.priority import PriorityRun
from hinter_core.campaign.sources.base import PREDICTIONS
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import TESTED, CampaignStore, TableWriter, read_table, write_table
from hinter_core.campaign.tables import (
    answer_schema,
    mutant_row,
    mutant_schema,
    original_row,
    outcome_row,
    plan_from_row,
    stored_follow_up,
    text_row,
    text_schema,
)
from hinter_core.data.rows import Row
from hinter_core.generators.base import Generator
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.budget import Budget
from hinter_core.models.registry import open_store
from hinter_core.models.store import PredictionStore
from hinter_core.pipeline.case import FollowUp, TestCase, ask_originals, conform, judge
from hinter_core.pipeline.pipeline import chunks
from hinter_core.relations.registry import relation_of, require_comparable
from hinter_core.types import SUBSTITUTE, Verdict

_CHUNK = 512
# Characters of sentences in memory; a campaign rarely meets one twice.
_PARSES = 700_000


@dataclass(frozen=True)
class CampaignParts:
    """The models, parser and generator of a campaign."""

    models: list[PredictionStore]
    parses: ParseStore
    generator: Generator


def load_parts(campaign: Campaign, budget: Budget | None = None) -> CampaignParts:
    """Load the models, parser and generator of a campaign.

    Raises:
        HinterError: one of them is unknown, missing or broken.
    """
    models = [
        open_store(
            name,
            trusted=True,
            budget=budget,
            characters=PREDICTIONS,
            ask_again=campaign.ask_again,
        )
        for name in dict.fromkeys(campaign.models)
    ]
    relation = relation_of(campaign.settings.relations)
    require_comparable(relation, (store.model for store in models))
    campaign.source.require_models([store.model for store in models])
    parses = ParseStore(load_parser(campaign.parser), _PARSES)
    return CampaignParts(models, parses, campaign.source.generator(models, parses))


@dataclass(frozen=True, slots=True)
class ShardDone:
    """Counts of a finished shard; ``parses`` and ``predictions``: those of this run.

    ``models``: identity, labels and task of the tested models by name.
    """

    texts: int
    mutants: int
    hidden: int
    parses: int
    predictions: int
    models: Mapping[str, Mapping[str, Any]]


class Worker:
    """Run shards with one parser and one load of each model."""

    def __init__(
        self, campaign: Campaign, store: CampaignStore, budget: Budget | None = None
    ) -> None:
        self._campaign = campaign
        self._store = store
        self._parts = load_parts(campaign, budget)
        self._models = {
            m.name: {
                "identity": m.identity,
                "labels": list(m.capabilities.labels),
                "task": m.capabilities.task,
            }
            for m in (tested.model for tested in self._parts.models)
        }

    def do(self, shard: int, rows: Sequence[Row]) -> ShardDone:
        """Do the missing parts of a shard; of a prioritised run, make its mutants only."""
        store, before = self._store, self._spent()
        if not (store.texts(shard).exists() and store.mutants(shard).exists()):
            self._fresh(shard, rows)
        elif not self._campaign.prioritised:
            missing = [
                m for m in self._parts.models if not store.answers(shard, m.model.identity).exists()
            ]
            if missing:
                cases = self._stored_cases(shard)
                self._ask(shard, missing, cases, self._stored_batches(shard, cases))
        parses, predictions = (now - then for now, then in zip(self._spent(), before, strict=True))
        return self._count(shard, parses, predictions)

    def ask_by_priority(self, shards: int) -> abc.Generator[tuple[str, PriorityState], None, None]:
        """Ask the models about the mutants of all shards by priority, a batch each in turn.

        Yields the name of a model and how far it is. All stop when the iterator is closed.
        """
        lattice = relation_of(self._campaign.settings.relations).lattice
        with ExitStack() as stack:
            runs = {}
            for tested in self._parts.models:
                texts = [self._stored_cases(shard, forget=False) for shard in range(shards)]
                planned = PlannedMutants(self._store, texts, parts=lattice)
                run = PriorityRun(self._campaign, self._store, tested, planned, texts)
                runs[tested.model.name] = stack.enter_context(closing(run.batches()))
            while runs:
                for name, batches in list(runs.items()):
                    state = next(batches, None)
                    if state is None:
                        del runs[name]
                    else:
                        yield name, state

    @property
    def predicted(self) -> int:
        """Number of predictions so far."""
        return self._spent()[1]

    def _spent(self) -> tuple[int, int]:
        """Return the numbers of parses and predictions so far."""
        return self._parts.parses.parsed, sum(store.predicted for store in self._parts.models)

    def _fresh(self, shard: int, rows: Sequence[Row]) -> None:
        """Run a shard from its rows; the table of texts, written last, marks it as complete."""
        planned = list(self._parts.generator.plans(rows))
        cases = self._parts.generator.test_cases(planned)
        made: Counter[int] = Counter()
        models = [] if self._campaign.prioritised else self._parts.models
        with TableWriter(self._store.mutants(shard), mutant_schema()) as writer:
            self._ask(shard, models, cases, self._conformed(cases, writer, made))
        texts = [
            text_row(row, plan, why, made[row.number], tested=row.number in cases)
            for row, plan, why in planned
        ]
        write_table(self._store.texts(shard), texts, text_schema())

    def _conformed(
        self, cases: Mapping[int, TestCase], writer: TableWriter, made: Counter[int]
    ) -> Iterator[list[FollowUp]]:
        for batch in chunks(self._parts.generator.follow_ups(cases.values()), _CHUNK):
            conform(batch, self._parts.parses)
            writer.write([mutant_row(follow_up) for follow_up in batch])
            made.update(follow_up.case.number for follow_up in batch)
            yield batch

    def _stored_cases(self, shard: int, *, forget: bool = True) -> dict[int, TestCase]:
        """Return the test cases of a shard with stored mutants, without matching or parsing."""
        cases: dict[int, TestCase] = {}
        # Combinations of any order may be tested, and a stored text does not say of which.
        forget &= self._campaign.source.makes and self._campaign.relations == (SUBSTITUTE,)
        for row in read_table(self._store.texts(shard)).to_pylist():
            if row["outcome"] == TESTED:
                plan = plan_from_row(row, self._campaign.settings, *self._campaign.attributes)
                cases[row["row"]] = TestCase(plan, number=row["row"], forget=forget)
        return cases

    def _stored_batches(
        self, shard: int, cases: Mapping[int, TestCase]
    ) -> Iterator[list[FollowUp]]:
        table = read_table(self._store.mutants(shard))
        for batch in table.to_batches(max_chunksize=_CHUNK):
            yield [stored_follow_up(row, cases[row["row"]]) for row in batch.to_pylist()]

    def _ask(
        self,
        shard: int,
        models: Sequence[PredictionStore],
        cases: Mapping[int, TestCase],
        batches: Iterator[list[FollowUp]],
    ) -> None:
        """Test models on all mutants, batch by batch, and write their answers."""
        with ExitStack() as stack:
            writers = []
            for store in models:
                path = self._store.answers(shard, store.model.identity)
                writer = stack.enter_context(TableWriter(path, answer_schema()))
                ask_originals(list(cases.values()), store)
                writer.write([original_row(case, store) for case in cases.values()])
                writers.append((store, writer))
            place = 0
            for batch in batches:
                for store, writer in writers:
                    outcomes = judge(batch, store, discarded=self._campaign.discarded)
                    numbered = enumerate(zip(batch, outcomes, strict=True), start=place)
                    writer.write([outcome_row(i, *judged) for i, judged in numbered])
                place += len(batch)

    def _count(self, shard: int, parses: int, predictions: int) -> ShardDone:
        mutants = read_table(self._store.texts(shard), "mutants")["mutants"].to_pylist()
        hidden = 0
        for tested in () if self._campaign.prioritised else self._parts.models:
            table = read_table(self._store.answers(shard, tested.model.identity), "verdict")
            hidden += table["verdict"].to_pylist().count(Verdict.HIDDEN.value)
        return ShardDone(len(mutants), sum(mutants), hidden, parses, predictions, self._models)
