"""Run shards of a campaign: plan, conform, test, judge and write.

Mutants are processed in chunks across texts and results are written at once, so memory does not
depend on the number of mutants. While a server answers about one chunk, the next ones are made and
sent, of this shard and of those after it.
"""

import time
from collections import Counter, abc, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from hinter_core.campaign.parquet import WriteRows, read_table, table_writer, write_table
from hinter_core.campaign.record import PriorityState, begun
from hinter_core.campaign.running.planned import PlannedMutants
from hinter_core.campaign.running.priority import PriorityRun
from hinter_core.campaign.running.rows import (
    answer_from_row,
    mutant_row,
    original_row,
    outcome_row,
    plan_from_row,
    stored_follow_up,
    text_row,
)
from hinter_core.campaign.sources.base import PREDICTIONS
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import TESTED, CampaignStore
from hinter_core.campaign.tables import answer_schema, is_placebo, mutant_schema, text_schema
from hinter_core.data.rows import Row
from hinter_core.errors import ModelError
from hinter_core.generators.base import Generator, Planned
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.base import MASKED, Remote
from hinter_core.models.budget import Budget
from hinter_core.models.cache import KeptAnswers
from hinter_core.models.registry import open_store
from hinter_core.models.server.line import Line
from hinter_core.models.store import PredictionStore
from hinter_core.pipeline.case import (
    FollowUp,
    TestCase,
    ask_originals,
    conform,
    judge,
    texts_to_ask,
)
from hinter_core.pipeline.pipeline import chunks
from hinter_core.relations.base import NoiseFloor
from hinter_core.relations.registry import relation_of, require_comparable
from hinter_core.types import MASKED_PLACE, SUBSTITUTE, Prediction, Verdict

_UNMASKED = f"the text has no {MASKED_PLACE}, the place of the word that the model is asked for"
_CHUNK = 512
_AHEAD = 1_024  # texts and mutants that are made before a server's answers to earlier ones
# Characters of sentences in memory; a campaign rarely meets one twice.
_PARSES = 350_000
_STEADY = 1e-3  # by which the scores of a model may differ from those before


@dataclass(frozen=True)
class CampaignParts:
    """The models, parser and generator of a campaign."""

    models: list[PredictionStore]
    parses: ParseStore
    generator: Generator

    def plans(self, rows: Iterable[Row]) -> Iterable[Planned]:
        """Plan rows; those without a mask are unusable if all models fill masks."""
        if all(store.model.capabilities.task == MASKED for store in self.models):
            rows = (
                row if row.fault or MASKED_PLACE in row.text else replace(row, fault=_UNMASKED)
                for row in rows
            )
        return self.generator.plans(rows)


def load_parts(
    campaign: Campaign, budget: Budget | None = None, since: float = 0.0
) -> CampaignParts:
    """Load the models, parser and generator of a campaign.

    Answers that were stored before ``since`` are not used.

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
            since=since,
        )
        for name in dict.fromkeys(campaign.models)
    ]
    names: dict[str, str] = {}
    for model in (store.model for store in models):
        if (first := names.setdefault(model.identity, model.name)) != model.name:
            raise ModelError(f"{first} and {model.name} are the same model; give only one of them.")
        if isinstance(model, Line):
            model.restarts = True
    relation = relation_of(campaign.settings.relations)
    require_comparable(relation, (store.model for store in models), campaign.settings)
    campaign.source.require_models([store.model for store in models])
    parses = ParseStore(load_parser(campaign.parser), _PARSES)
    return CampaignParts(models, parses, campaign.source.generator(models, parses))


@dataclass(frozen=True, slots=True)
class ShardDone:
    """Counts of a finished shard; ``parses`` and ``predictions``: those of this run.

    ``models``: identity, labels and task of the tested models by name; ``kept``: their answers
    from before the campaign.
    """

    texts: int
    mutants: int
    hidden: int
    parses: int
    predictions: int
    models: Mapping[str, Mapping[str, Any]]
    kept: Mapping[str, KeptAnswers] = field(default_factory=dict)


@dataclass(frozen=True)
class _Shard:
    """A shard whose mutants are made while it is asked about.

    ``models``: those to ask; ``planned``: the rows of its table of texts, if that is not written.
    """

    number: int
    models: Sequence[PredictionStore]
    cases: Mapping[int, TestCase]
    planned: Sequence[Planned] | None = None
    made: Counter[int] = field(default_factory=Counter)


# Shards are made as a flow: each shard, its batches of mutants, and an empty batch at its end.
_Piece = _Shard | list[FollowUp]


def _require_same(store: CampaignStore, models: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse to add answers of a model that answers otherwise than when the campaign was made.

    Raises:
        ModelError: the code of a function is the same, and its answers to some sentences are not.
    """
    noted = {one["identity"]: one for one in store.read().get("models", {}).values()}
    for name, model in models.items():
        then = noted.get(model["identity"], {}).get("probe")
        if then and "probe" in model and not _alike(then, model["probe"]):
            raise ModelError(
                f"{name} answers otherwise than when this campaign was made, though its code is "
                "the same: its weights or data have changed, or it answers at random. Use "
                "another folder; or give the model a version, such as ?identity=2, which asks "
                "it about all mutants."
            )


def _alike(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and all(
        list(labels) == list(others)
        and scores.keys() == given.keys()
        and all(abs(scores[label] - given[label]) <= _STEADY for label in scores)
        for (labels, scores), (others, given) in zip(one, other, strict=True)
    )


class Worker:
    """Run shards with one parser and one load of each model.

    Raises:
        ModelError: a model cannot be loaded, or answers otherwise than before.
    """

    def __init__(
        self, campaign: Campaign, store: CampaignStore, budget: Budget | None = None
    ) -> None:
        self._campaign = campaign
        self._store = store
        self._written = store.written()  # by earlier runs, or the worker that this one replaces
        noted = store.read()
        self._began = begun(noted) or time.time()
        self._kept = defaultdict[str, KeptAnswers](KeptAnswers)
        self._parts = load_parts(campaign, budget, begun(noted, fresh=True) or 0.0)
        self._limited = budget is not None and budget.limited
        self._ahead = _AHEAD if self._sends_ahead() else 0
        # Models that answered all texts of the shard they were last asked about; by a budget, what
        # is sent must not depend on when a text is known to have no answer.
        self._answering: set[str] = set()
        self._models = {
            m.name: {
                "identity": m.identity,
                "labels": list(m.capabilities.labels),
                "task": m.capabilities.task,
                **({"probe": probe} if (probe := getattr(m, "probe", None)) else {}),
            }
            for m in (tested.model for tested in self._parts.models)
        }
        _require_same(store, self._models)

    def _sends_ahead(self) -> bool:
        """Whether to send texts before the answers to earlier ones have come.

        What a budget is spent on must not depend on which of several models answers first, or on
        when the repetitions of a text are due, so these are asked in turn.
        """
        models = self._parts.models
        in_turn = self._limited and (len(models) > 1 or self._campaign.repeat)
        return not in_turn and any(isinstance(store.model, Remote) for store in models)

    def run(
        self,
        shards: Iterable[tuple[int, Sequence[Row]]],
        cancelled: Callable[[], bool] = lambda: False,
    ) -> abc.Generator[ShardDone, None, None]:
        """Do the missing parts of shards; of a prioritised run, make their mutants only.

        When it is cancelled, the shards that were begun ahead are left; answers to them are kept.
        """
        before = self._spent()
        pieces = self._made(shards)
        made = _made_ahead(pieces, self._ahead)
        try:
            for shard in made:
                assert isinstance(shard, _Shard)
                self._ask(shard, _batches(made))
                if shard.planned is not None:
                    self._write_texts(shard)
                now = self._spent()
                yield self._count(shard.number, *(n - b for n, b in zip(now, before, strict=True)))
                before = now
                if cancelled():
                    return
        finally:
            pieces.close()
            for store in self._parts.models:
                store.call_off()

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
                run = PriorityRun(self._campaign, self._store, tested, planned, texts, self._began)
                runs[tested.model.name] = run, stack.enter_context(closing(run.batches()))
            while runs:
                for name, (run, batches) in list(runs.items()):
                    state = next(batches, None)
                    self._kept[name] = run.kept
                    if state is None:
                        del runs[name]
                    else:
                        yield name, state

    @property
    def predicted(self) -> int:
        """Number of predictions so far."""
        return self._spent()[1]

    @property
    def kept(self) -> dict[str, KeptAnswers]:
        """Answers from before the campaign, by model."""
        return {name: kept for name, kept in self._kept.items() if kept.number}

    def _spent(self) -> tuple[int, int]:
        """Return the numbers of parses and predictions so far."""
        return self._parts.parses.parsed, sum(store.predicted for store in self._parts.models)

    def _made(
        self, shards: Iterable[tuple[int, Sequence[Row]]]
    ) -> abc.Generator[_Piece, None, None]:
        """Make shards from their rows, or read those with stored mutants; send their texts."""
        store, written, parts = self._store, self._written, self._parts
        models = [] if self._campaign.prioritised else parts.models
        for number, rows in shards:
            here = {store.texts(number).name, store.mutants(number).name} <= written.paths.keys()
            if not here:
                planned = list(parts.plans(rows))
                shard = _Shard(number, models, parts.generator.test_cases(planned), planned)
                with table_writer(store.mutants(number), mutant_schema()) as write:
                    yield from self._sent(shard, self._conformed(shard, write))
            else:
                missing = [m for m in models if not written.has(number, [m.model.identity])]
                cases = self._stored_cases(number) if missing else {}
                batches = self._stored_batches(number, cases) if missing else ()
                for tested in missing:
                    self._recall(number, cases, tested)
                yield from self._sent(_Shard(number, missing, cases), batches)
            yield []

    def _sent(self, shard: _Shard, batches: Iterable[list[FollowUp]]) -> Iterator[_Piece]:
        """Yield a shard and its batches, whose texts are sent to the models that are elsewhere."""
        stores = shard.models if self._ahead else ()
        for store in stores:
            store.begin(case.plan.text for case in shard.cases.values())
            if self._limited or store.model.name not in self._answering:
                self._ask_originals(shard, store)  # before any mutant is sent
        yield shard
        for batch in filter(None, batches):
            for store in stores:
                store.begin(texts_to_ask(batch, store, discarded=self._campaign.discarded))
            yield batch

    def _write_texts(self, shard: _Shard) -> None:
        """Write the table of texts, which marks a shard as complete."""
        texts = [
            text_row(row, plan, why, shard.made[row.number], tested=row.number in shard.cases)
            for row, plan, why in shard.planned or ()
        ]
        write_table(self._store.texts(shard.number), texts, text_schema())

    def _conformed(self, shard: _Shard, write: WriteRows) -> Iterator[list[FollowUp]]:
        for batch in chunks(self._parts.generator.follow_ups(shard.cases.values()), _CHUNK):
            conform(batch, self._parts.parses)
            write([mutant_row(follow_up) for follow_up in batch])
            shard.made.update(follow_up.case.number for follow_up in batch)
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

    def _recall(self, shard: int, cases: Mapping[int, TestCase], tested: PredictionStore) -> None:
        """Give a model its answers in a table that is repeated, so that they are asked no more."""
        path = self._store.answers(shard, tested.model.identity)
        # Others are asked anew for nothing, and tables round their scores.
        paid = self._limited or tested.model.capabilities.costs
        if not paid or path.name not in self._store.repeated:
            return
        batches = chain.from_iterable(self._stored_batches(shard, cases))
        texts = [one.mutant.text for one in batches]
        said = dict[str, Prediction]()
        for row in read_table(path).to_pylist():
            case, answer = cases[row["row"]], answer_from_row(row)
            if answer:
                said[case.plan.text if row["mutant"] < 0 else texts[row["mutant"]]] = answer
            if row["repeated"] and row["repeated"] == self._campaign.repeat:
                again = NoiseFloor(row["repeated"], row["repeated"], row["differing"], ())
                case.noise[tested.model.name] = again
        tested.recall(shard, said)

    def _ask_originals(self, shard: _Shard, store: PredictionStore) -> None:
        """Ask about unchanged texts; if some have no answer, send no more before it is needed."""
        name, cases = store.model.name, shard.cases.values()
        ask_originals([case for case in cases if name not in case.originals], store)
        if not any(case.lost(store) for case in cases):
            self._answering.add(name)
        elif name in self._answering:
            self._answering.remove(name)
            store.call_off()  # what is under way is waited for: it would be asked twice

    def _ask(self, shard: _Shard, batches: Iterable[list[FollowUp]]) -> None:
        """Test models on all mutants, batch by batch, and write their answers."""
        cases = shard.cases.values()
        with ExitStack() as stack:
            writers = []
            for store in shard.models:
                path = self._store.answers(shard.number, store.model.identity)
                write = stack.enter_context(table_writer(path, answer_schema()))
                self._ask_originals(shard, store)
                write([original_row(case, store) for case in cases])
                self._note_kept(store, (case.plan.text for case in cases))
                writers.append((store, write))
            place = 0
            for batch in batches:
                for store, write in writers:
                    outcomes = judge(batch, store, discarded=self._campaign.discarded)
                    numbered = enumerate(zip(batch, outcomes, strict=True), start=place)
                    write([outcome_row(i, *judged) for i, judged in numbered])
                    self._note_kept(store, (one.mutant.text for one in outcomes if one.prediction))
                place += len(batch)
        for store in shard.models:
            store.forget(shard.number)

    def _note_kept(self, store: PredictionStore, texts: Iterable[str]) -> None:
        self._kept[store.model.name] += store.kept(texts, self._began)

    def _count(self, shard: int, parses: int, predictions: int) -> ShardDone:
        mutants = read_table(self._store.texts(shard), "mutants")["mutants"].to_pylist()
        models = () if self._campaign.prioritised else self._parts.models
        hidden = sum(self._hidden(shard, tested.model.identity) for tested in models)
        kept = self.kept
        self._kept.clear()  # of the next shard, they are counted anew
        done = len(mutants), sum(mutants), hidden, parses, predictions
        return ShardDone(*done, self._models, kept)

    def _hidden(self, shard: int, model: str) -> int:
        """Count the hidden mutants of a shard as reports do, without placebo."""
        answers = read_table(self._store.answers(shard, model), "mutant", "verdict").to_pylist()
        if not (places := [a["mutant"] for a in answers if a["verdict"] == Verdict.HIDDEN]):
            return 0
        edits = read_table(self._store.mutants(shard), "edits")["edits"].take(places).to_pylist()
        return sum(not is_placebo(tuple(e["attribute"] for e in one)) for one in edits)


def _made_ahead(pieces: Iterable[_Piece], most: int) -> Iterator[_Piece]:
    """Yield pieces once as many texts and mutants as ``most`` come after them, or none are left."""
    waiting: deque[_Piece] = deque()
    number = 0
    for piece in pieces:
        waiting.append(piece)
        number += _weight(piece)
        while waiting and number - _weight(waiting[0]) >= most:
            first = waiting.popleft()
            number -= _weight(first)
            yield first
    yield from waiting


def _batches(made: Iterator[_Piece]) -> Iterator[list[FollowUp]]:
    for piece in made:
        if not piece:
            return
        assert isinstance(piece, list)
        yield piece


def _weight(piece: _Piece) -> int:
    return len(piece) if isinstance(piece, list) else 1 + len(piece.planned or piece.cases)
