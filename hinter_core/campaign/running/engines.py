"""Run a campaign shard by shard, and resume it.

Rows are read here; workers test the shards and write their tables, in this process or in several.
Finished shards are not repeated, so a resumed run gives the same tables as an uninterrupted one.
"""

import os
import random
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice, takewhile, zip_longest
from multiprocessing import get_context
from typing import Any

from hinter_core.campaign.record import PriorityState, circumstances, now
from hinter_core.campaign.running.worker import ShardDone, Worker
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.rows import Row, Rows
from hinter_core.errors import HinterError, InputError
from hinter_core.language.parsing import spare_torch
from hinter_core.models.budget import Budget
from hinter_core.models.registry import parse_name
from hinter_core.mutation.plan import require_testable
from hinter_core.pipeline.pipeline import chunks
from hinter_core.prioritisation.stopping import StopBelow
from hinter_core.prioritisation.strategies import STRATEGIES
from hinter_core.relations.changes.paraphrase import CONTEXT

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_AHEAD = 2  # shards queued beyond the workers, so that none waits


def _in_processes(
    campaign: Campaign,
    store: CampaignStore,
    shards: Iterator[tuple[int, list[Row]]],
    cancelled: Callable[[], bool],
) -> Iterator[ShardDone]:
    """Run shards in a process per worker."""
    # A new interpreter per worker: forks share threads of torch, which hang.
    pool = ProcessPoolExecutor(
        campaign.workers, get_context("spawn"), _start, (replace(campaign, workers=1), store)
    )
    waiting: set[Future[ShardDone]] = set()
    with _shared_cores(campaign.workers), pool:
        try:
            while True:
                room = campaign.workers + _AHEAD - len(waiting)
                while room > 0 and not cancelled() and (shard := next(shards, None)):
                    waiting.add(pool.submit(_do, *shard))
                    room -= 1
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


@contextmanager
def _shared_cores(workers: int) -> Iterator[None]:
    """Share the cores among the processes started meanwhile; each would use all of them."""
    each = str(max(1, (os.cpu_count() or 1) // workers))
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update({name: each for name in _THREADS if before[name] is None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


_worker: Worker | HinterError | None = None


def _start(campaign: Campaign, store: CampaignStore) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    spare_torch(campaign.parser)
    try:
        _worker = Worker(campaign, store)
    except HinterError as error:  # raised here, it would break the pool and not be told
        _worker = error


def _do(number: int, rows: Sequence[Row]) -> ShardDone:
    if isinstance(_worker, HinterError):
        raise _worker
    assert _worker is not None
    (done,) = _worker.run([(number, rows)])
    return done


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Progress of a run.

    ``texts``, ``mutants`` and ``hidden`` include earlier runs; ``parses`` and ``predictions`` are
    those of this run; ``repaired``: damaged tables that are made again. ``priority``: of a
    prioritised run, how far each model is.
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

    @property
    def complete(self) -> bool:
        """Whether all shards are done, and every model of a prioritised run has stopped."""
        return self.shards == self.of and all(one.reason for one in self.priority.values())


_SUMMED = ("texts", "mutants", "hidden", "parses", "predictions")


@dataclass(frozen=True)
class RunScope:
    """A campaign as it runs, and its rows: all, or those with the ``chosen`` numbers."""

    campaign: Campaign
    table: Rows
    chosen: frozenset[int] | None
    texts: int
    shards: int


def plan_run(campaign: Campaign, store: CampaignStore | None = None) -> RunScope:
    """Open data and directory and count the work; without a store nothing is written.

    Raises:
        HinterError: the campaign, its data or its directory cannot be used.
    """
    if (campaign.requests or campaign.budget) and campaign.workers > 1:
        raise InputError("A budget works with one worker only; leave out workers.")
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
    require_testable(campaign.source.tested(), campaign.models, campaign.settings)
    for name in campaign.models:
        parse_name(name, trusted=True)
    if store is not None:
        store.open(campaign)
        if not store.scope():
            # The numbers of word pairs and of target groups.
            store.note(
                scope={d.attribute: [d.pair_count, len(d.target_groups)] for d in vocabulary}
            )
    chosen, texts = _chosen(campaign, table), table.count
    if chosen is not None:
        texts = len(chosen)
    elif texts is None:
        texts = sum(1 for _ in table.rows())
    shards = -(-texts // campaign.shard)
    if store is not None:
        store.note(size={"texts": texts, "shards": shards})
    return RunScope(campaign, table, chosen, texts, shards)


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
) -> RunProgress:
    """Run all shards that are not done; return the progress.

    Raises:
        HinterError: see :func:`plan_run`; a model is refused, which leaves no directory behind; or
            a table cannot be written.
    """
    work = work or plan_run(campaign, store)
    campaign = store.pinned(campaign)
    every = enumerate(chunks(rows_of(work), campaign.shard))
    shards = ((number, rows) for number, rows in every if store.owns(number))
    own = store.part.shards(work.shards) if store.part else work.shards
    try:
        with store.alone():
            state = RunProgress(0, own, repaired=store.repair())
            notes, here = store.own_notes(), circumstances()
            store.note_own(runs=[*notes["runs"], here])
            budget = Budget(campaign.requests, campaign.budget)
            worker = Worker(campaign, store, budget) if campaign.workers == 1 else None
            for done in (
                worker.run(takewhile(lambda _: not cancelled(), shards), cancelled)
                if worker
                else _in_processes(campaign, store, shards, cancelled)
            ):
                if not state.shards:  # all shards are of the same models
                    store.note_own(models=_noted(notes["models"], done.models))
                sums = {name: getattr(state, name) + getattr(done, name) for name in _SUMMED}
                state = replace(state, shards=state.shards + 1, **sums)
                on_progress(state)
            if campaign.prioritised and worker and state.shards == state.of:
                state = _asked(worker, state, cancelled, on_progress)
            here["finished" if state.complete else "stopped"] = now()
            store.note_own(runs=[*notes["runs"], here])
    except HinterError:
        store.discard_if_empty()
        raise
    return state


def _asked(
    worker: Worker,
    state: RunProgress,
    cancelled: Callable[[], bool],
    on_progress: Callable[[RunProgress], None],
) -> RunProgress:
    """Ask the models of a prioritised run; return the progress with their states."""
    with closing(worker.ask_by_priority(state.shards)) as batches:
        for model, now in batches:
            state = replace(
                state, priority={**state.priority, model: now}, predictions=worker.predicted
            )
            on_progress(state)
            if cancelled():
                break
    return state


def _noted(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Add the models of a run; a renamed one, known by its identity, loses its former name."""
    identities = {model["identity"] for model in now.values()}
    kept = {name: m for name, m in before.items() if m["identity"] not in identities}
    return {**kept, **now}


def _chosen(campaign: Campaign, table: Rows) -> frozenset[int] | None:
    """Return the row numbers of the sample; None: all."""
    if campaign.sample is None:
        return None
    by_label: dict[str, list[int]] = defaultdict(list)
    if table.count is not None and not campaign.stratify:
        by_label[""] = list(range(1, table.count + 1))  # without reading the rows
    else:
        for row in table.rows():
            by_label[row.label if campaign.stratify else ""].append(row.number)
    rng = random.Random(campaign.seed)
    for numbers in by_label.values():
        rng.shuffle(numbers)
    # One per label in turn, while it has rows left.
    turns = chain.from_iterable(zip_longest(*map(reversed, by_label.values())))
    return frozenset(islice((number for number in turns if number is not None), campaign.sample))


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
