"""Run a campaign shard by shard, and resume it.

Rows are read here; workers test the shards and write their tables, in this process or in several.
Finished shards are not repeated, so a resumed run gives the same tables as an uninterrupted one.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice, takewhile, zip_longest
from typing import Any

from hinter_core.campaign.parquet import StoreError
from hinter_core.campaign.record import PriorityState, circumstances, now
from hinter_core.campaign.running import parts
from hinter_core.campaign.running.worker import Worker
from hinter_core.campaign.running.workers import OpenEngine, processes, run_on
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import SPEC, CampaignStore
from hinter_core.data.rows import Row, Rows
from hinter_core.errors import HinterError, InputError
from hinter_core.models.budget import Budget
from hinter_core.models.cache import KeptAnswers
from hinter_core.models.registry import require_prices
from hinter_core.mutation.settings import require_testable
from hinter_core.pipeline.pipeline import chunks
from hinter_core.places import PlaceError
from hinter_core.prioritisation.stopping import StopBelow
from hinter_core.prioritisation.strategies import STRATEGIES
from hinter_core.relations.changes.paraphrase import CONTEXT
from hinter_core.relations.registry import relation_names


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Progress of a run.

    ``texts``, ``mutants`` and ``hidden`` include earlier runs; ``parses`` and ``predictions`` are
    those of this run; ``repaired``: damaged tables that are made again. ``priority``: of a
    prioritised run, how far each model is. ``renewed``: models that have another identity than in
    the run before, so that all is asked again. ``kept``: answers of each model that are from before
    the campaign, as far as this run used them.
    """

    shards: int
    of: int
    texts: int = 0
    mutants: int = 0
    hidden: int = 0
    repaired: int = 0
    parses: int = 0
    predictions: int = 0
    priority: Mapping[str, PriorityState] = field(default_factory=dict)
    renewed: tuple[str, ...] = ()
    kept: Mapping[str, KeptAnswers] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether all shards are done, and every model of a prioritised run has stopped."""
        return self.shards == self.of and all(one.reason for one in self.priority.values())


_LEAST, _MOST = 4, 64  # texts of a shard
_TURNS = 10  # of each worker, at least
_SUMMED = ("texts", "mutants", "hidden", "parses", "predictions")


@dataclass(frozen=True)
class RunScope:
    """A campaign as it runs, and its rows: all, or those with the ``chosen`` numbers.

    ``size``: texts of a shard.
    """

    campaign: Campaign
    table: Rows
    chosen: frozenset[int] | None
    texts: int
    size: int

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-self.texts // self.size)


def plan_run(campaign: Campaign, store: CampaignStore | None = None) -> RunScope:
    """Open data and directory and count the work; without a store nothing is written.

    Raises:
        HinterError: the campaign, its data or its directory cannot be used.
    """
    relation_names(campaign.relations)  # a stored one may be unknown here
    require_priority(campaign)
    if store is not None and store.part is not None:
        _require_divisible(campaign)
    if campaign.paraphraser and CONTEXT not in campaign.relations:
        raise InputError(
            f"A paraphraser is for the relation {CONTEXT}; add it to relations, or leave it out."
        )
    campaign = store.pinned(campaign) if store is not None else campaign.pinned()
    table, vocabulary = campaign.table(), campaign.vocabulary()
    # Before a directory is created.
    if store is None or not (store.folder / SPEC).exists():
        campaign.source.require_sound()
    require_testable(campaign.source.tested(), campaign.models, campaign.settings)
    require_prices(campaign.models, campaign.budget)
    chosen, rows = _chosen(campaign, table)
    texts = table.count
    if chosen is not None:
        texts = len(chosen)
    elif texts is None:
        texts = sum(1 for _ in table.rows())
    at_once = store.part.of if store and store.part else campaign.workers
    size = campaign.shard or shard_size(texts, at_once)
    work = RunScope(replace(campaign, shard=size), table, chosen, texts, size)
    if store is not None:
        store.open(work.campaign)
        if not store.scope():
            # The numbers of word pairs and of target groups.
            store.note(
                scope={d.attribute: [d.pair_count, len(d.target_groups)] for d in vocabulary}
            )
        counted = {"rows": rows} if rows is not None else {}
        store.note(size={"texts": texts, "shards": work.shards, **counted})
    return work


def shard_size(texts: int, at_once: int = 1) -> int:
    """Return how many texts a shard has, unless the campaign says it; ``at_once``: shards made.

    Few, so that progress shows and workers end together; many, as small files take twice the room
    and twice the time to read.
    """
    return min(_MOST, max(_LEAST, texts // (_TURNS * max(_TURNS, at_once))))


def _require_divisible(campaign: Campaign) -> None:
    if campaign.requests or campaign.budget:
        raise InputError(
            "A budget counts over a whole campaign, and parts do not know of one another; leave "
            "out requests and budget."
        )
    if campaign.prioritised:
        raise InputError("A prioritised run cannot be done in parts; leave out --part.")


def require_priority(campaign: Campaign) -> None:
    """Refuse settings that do not go with a prioritised run, or need one.

    Raises:
        InputError: the message says which.
    """
    if campaign.stop_below is not None:
        StopBelow(campaign.stop_below)
    if not campaign.prioritised:
        if campaign.stop_at_first or campaign.stop_below is not None:
            raise InputError(
                "A run stops by its results only if it is prioritised: add prioritise "
                f"({' or '.join(STRATEGIES)}), or leave out stop_at_first and stop_below."
            )
        return
    if campaign.workers > 1:
        raise InputError("A prioritised run has one worker only; leave out workers.")
    if campaign.discarded:
        raise InputError("A prioritised run asks about kept mutants only; leave out discarded.")


def run_campaign(
    campaign: Campaign,
    store: CampaignStore,
    work: RunScope | None = None,
    *,
    on_progress: Callable[[RunProgress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    engine: OpenEngine | None = None,
    budget: Budget | None = None,
) -> RunProgress:
    """Run all shards that are not done; return the progress.

    ``engine``: what runs the workers; by default a single one runs here, several in processes.
    ``budget``: that of the campaign, whose ``spent`` tells what a single worker has asked so far.

    Raises:
        HinterError: see :func:`plan_run`; a model is refused, which leaves no directory behind; or
            a table cannot be written.
    """
    work = work or plan_run(campaign, store)
    campaign = store.pinned(campaign)
    every = enumerate(chunks(rows_of(work), work.size))
    shards = ((number, rows) for number, rows in every if store.owns(number))
    shard_count = store.part.shards(work.shards) if store.part else work.shards
    try:
        with store.alone(), ExitStack() as stack:
            state = RunProgress(0, shard_count, repaired=store.repair())
            notes, here = store.own_notes(), circumstances() | {"data": campaign.source.identity()}
            here |= {"fresh": True} if campaign.fresh else {}
            store.note_own(runs=[*notes["runs"], here])
            worker, apart = None, engine or (processes if campaign.workers > 1 else None)
            if apart is None:
                budget = budget or Budget(campaign.requests, campaign.budget)
                worker = Worker(campaign, store, budget)
                made = worker.run(takewhile(lambda _: not cancelled(), shards), cancelled)
            else:
                opened = stack.enter_context(apart(campaign, store))
                made = run_on(opened, min(campaign.workers, shard_count), shards, cancelled)
            for done in stack.enter_context(closing(made)):
                if not state.shards:  # all shards are of the same models
                    state = replace(state, renewed=_renewed(notes["models"], done.models))
                    store.note_own(models=_noted(notes["models"], done.models))
                sums = {name: getattr(state, name) + getattr(done, name) for name in _SUMMED}
                state = replace(state, shards=state.shards + 1, **sums)
                if done.kept:
                    state = replace(state, kept=_added(state.kept, done.kept))
                    here["kept"] = _by_identity(state.kept, done.models)
                    store.note_own(runs=[*notes["runs"], here])
                on_progress(state)
            if campaign.prioritised and worker and state.shards == state.of:
                state = _asked(worker, state, cancelled, on_progress)
                here["kept"] = _by_identity(state.kept, store.own_notes()["models"])
            here["finished" if state.complete else "stopped"] = now()
            store.note_own(runs=[*notes["runs"], here])
    except HinterError:
        _discard_if_empty(store)
        raise
    return state


def _discard_if_empty(store: CampaignStore) -> None:
    """Remove a directory in which nothing was tested, such as that of a refused model.

    One that another process runs stays, and so do files that are not the campaign's.
    """
    with suppress(OSError, StoreError, PlaceError):
        with replace(store, part=None).alone():
            if not store.known():  # mutants may be written ahead of the first answers
                for path in store.shards.glob("*.mutants.parquet"):
                    path.unlink()
            store.shards.rmdir()
            for path in (store.folder / parts.FOLDER).glob("*.json"):
                path.unlink()
            (store.folder / SPEC).unlink()
        parts.remove_locks(store.folder)
        store.folder.rmdir()


def _asked(
    worker: Worker,
    state: RunProgress,
    cancelled: Callable[[], bool],
    on_progress: Callable[[RunProgress], None],
) -> RunProgress:
    """Ask the models of a prioritised run; return the progress with their states."""
    with closing(worker.ask_by_priority(state.shards)) as batches:
        for model, now in batches:
            priority = {**state.priority, model: now}
            state = replace(
                state, priority=priority, predictions=worker.predicted, kept=worker.kept
            )
            on_progress(state)
            if cancelled():
                break
    return state


def _added(
    before: Mapping[str, KeptAnswers], more: Mapping[str, KeptAnswers]
) -> dict[str, KeptAnswers]:
    none = KeptAnswers()
    return {name: before.get(name, none) + more.get(name, none) for name in {**before, **more}}


def _by_identity(
    kept: Mapping[str, KeptAnswers], models: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return kept answers as they are noted: a model of another identity has others."""
    return {models[name]["identity"]: [one.number, one.oldest] for name, one in kept.items()}


def _renewed(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of models that stand for another model than before."""
    same = (name for name in now if name in before)
    return tuple(name for name in same if before[name]["identity"] != now[name]["identity"])


def _noted(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Add the models of a run; a renamed one, known by its identity, loses its former name."""
    identities = {model["identity"] for model in now.values()}
    kept = {name: m for name, m in before.items() if m["identity"] not in identities}
    return {**kept, **now}


def _chosen(campaign: Campaign, table: Rows) -> tuple[frozenset[int] | None, int | None]:
    """Return the row numbers of the sample, and the number of all rows; None: all."""
    if campaign.sample is None:
        return None, None
    by_label: dict[str, list[int]] = defaultdict(list)
    if table.count is not None and not campaign.stratify:
        by_label[""] = list(range(1, table.count + 1))  # without reading the rows
    else:
        for row in table.rows():
            by_label[row.label if campaign.stratify else ""].append(row.number)
    rng, every = random.Random(campaign.seed), sum(map(len, by_label.values()))
    for numbers in by_label.values():
        rng.shuffle(numbers)
    # One per label in turn, while it has rows left.
    turns = chain.from_iterable(zip_longest(*map(reversed, by_label.values())))
    drawn = islice((number for number in turns if number is not None), campaign.sample)
    return frozenset(drawn), every


def rows_of(work: RunScope) -> Iterator[Row]:
    """Return the rows of a run."""
    chosen = work.chosen
    if chosen is None:
        return work.table.rows()
    last = max(chosen, default=0)
    return (
        row
        for row in takewhile(lambda row: row.number <= last, work.table.rows())
        if row.number in chosen
    )
