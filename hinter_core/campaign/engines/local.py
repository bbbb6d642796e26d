"""Run a campaign: shard by shard, in this process or in several, and go on where it stopped.

The parent reads the rows and hands out shards; a worker plans, conforms and asks them, and writes
their tables. A shard that is there is not done again, so an interrupted and resumed run gives the
same tables as one that was not interrupted.
"""

from __future__ import annotations

import os
import random
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context

from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.worker import AskedModel, ShardDone, Worker
from hinter_core.data.rows import Row, Rows
from hinter_core.errors import InputError
from hinter_core.language.parsing import spare_torch
from hinter_core.models.budget import Budget
from hinter_core.models.registry import parse_name
from hinter_core.mutation.plan import require_testable
from hinter_core.pipeline.pipeline import chunks
from hinter_core.terms.dictionary import Dictionary

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_AHEAD = 2  # shards handed out beyond the workers, so that none waits


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is.

    ``texts``, ``mutants`` and ``hidden`` of this run and of earlier ones together; ``parses`` and
    ``predictions`` of this run alone.
    """

    shards: int
    of: int
    texts: int = 0
    mutants: int = 0
    hidden: int = 0
    parses: int = 0
    predictions: int = 0


@dataclass(frozen=True)
class RunScope:
    """The rows a run covers: all of them, or the numbers a sample took."""

    table: Rows
    chosen: frozenset[int] | None
    texts: int
    shards: int


def plan_run(campaign: Campaign, store: CampaignStore | None = None) -> RunScope:
    """Open data and directory, and count what there is to do; without a store nothing is written.

    Raises:
        HinterError: the campaign, its data or its directory cannot be used.
    """
    if (campaign.requests or campaign.budget) and campaign.workers > 1:
        raise InputError("A budget is kept by one worker; leave out workers.")
    campaign = store.pinned(campaign) if store is not None else campaign.pinned()
    table, vocabulary = campaign.table(), campaign.vocabulary()
    if not campaign.mutants:  # before there is a directory, so that none is left to be in the way
        require_testable(vocabulary, campaign.models, campaign.settings)
    for name in campaign.models:
        parse_name(name, trusted=True)
    if store is not None:
        store.open(campaign)
        store.note_scope({d.attribute: _scope(d) for d in vocabulary})
    chosen, texts = _chosen(campaign, table), table.count
    if chosen is not None:
        texts = len(chosen)
    elif texts is None:
        texts = sum(1 for _ in table.rows())
    shards = -(-texts // campaign.shard)
    if store is not None:
        store.note_size(texts, shards)
    return RunScope(table, chosen, texts, shards)


def _scope(dictionary: Dictionary) -> tuple[int, int]:
    """How many word pairs there are, and groups that they turn a text into."""
    pairs = [pair for found in dictionary.pairs_from.values() for pair in found]
    return len(pairs), len({pair.target.group for pair in pairs})


def run_campaign(
    campaign: Campaign,
    store: CampaignStore,
    work: RunScope | None = None,
    *,
    told: Callable[[RunProgress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> RunProgress:
    """Do all shards that are not done yet; returns how far it came.

    Raises:
        HinterError: see :func:`plan_run`; or a table cannot be written.
    """
    work = work or plan_run(campaign, store)
    state = RunProgress(0, work.shards)
    with store.alone():
        noted: tuple[AskedModel, ...] = ()
        for done in _results(campaign, store, _shards(campaign, work), cancelled):
            if done.asked != noted:
                noted = done.asked
                for asked in noted:
                    store.add_model(asked.name, asked.identity, asked.labels)
            state = RunProgress(
                state.shards + 1,
                work.shards,
                state.texts + done.texts,
                state.mutants + done.mutants,
                state.hidden + done.hidden,
                state.parses + done.parses,
                state.predictions + done.predictions,
            )
            told(state)
    return state


def _chosen(campaign: Campaign, table: Rows) -> frozenset[int] | None:
    """Numbers of the rows that the sample takes; None: all."""
    if campaign.sample is None:
        return None
    by_label: dict[str, list[int]] = defaultdict(list)
    if table.count is not None and not campaign.stratify:
        by_label[""] = list(range(1, table.count + 1))  # rows are numbered so; none need be read
    else:
        for row in table.rows():
            by_label[row.label if campaign.stratify else ""].append(row.number)
    rng = random.Random(campaign.seed)
    for numbers in by_label.values():
        rng.shuffle(numbers)
    taken: list[int] = []
    # One of each label in turn: alike from every label, as long as it has some left.
    while len(taken) < campaign.sample and any(by_label.values()):
        for numbers in by_label.values():
            if numbers and len(taken) < campaign.sample:
                taken.append(numbers.pop())
    return frozenset(taken)


def rows_of(work: RunScope) -> Iterator[Row]:
    """The rows that a run covers."""
    chosen = work.chosen
    if chosen is None:
        return work.table.rows()
    last = max(chosen, default=0)
    return (row for row in _up_to(work.table, last) if row.number in chosen)


def _up_to(table: Rows, last: int) -> Iterator[Row]:
    for row in table.rows():
        if row.number <= last:
            yield row
        if row.number >= last:
            return


def _shards(campaign: Campaign, work: RunScope) -> Iterator[tuple[int, list[Row]]]:
    yield from enumerate(chunks(rows_of(work), campaign.shard))


def _results(
    campaign: Campaign,
    store: CampaignStore,
    shards: Iterator[tuple[int, list[Row]]],
    cancelled: Callable[[], bool],
) -> Iterator[ShardDone]:
    if campaign.workers == 1:
        worker = Worker(campaign, store, Budget(campaign.requests, campaign.budget))
        for number, rows in shards:
            if cancelled():
                return
            yield worker.do(number, rows)
        return
    # A fresh interpreter for each worker: a fork would share threads of torch, which hang.
    pool = ProcessPoolExecutor(
        campaign.workers, get_context("spawn"), _start, (replace(campaign, workers=1), store)
    )
    with _shared_cores(campaign.workers), pool:
        try:
            yield from _pooled(pool, shards, campaign.workers + _AHEAD, cancelled)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


@contextmanager
def _shared_cores(workers: int) -> Iterator[None]:
    """Processes started meanwhile share the cores; by default each would take all of them."""
    each = str(max(1, (os.cpu_count() or 1) // workers))
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update({name: each for name in _THREADS if before[name] is None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


def _pooled(
    pool: ProcessPoolExecutor,
    shards: Iterator[tuple[int, list[Row]]],
    most: int,
    cancelled: Callable[[], bool],
) -> Iterator[ShardDone]:
    waiting: set[Future[ShardDone]] = set()
    left = True
    while left or waiting:
        while left and len(waiting) < most and not cancelled():
            shard = next(shards, None)
            if shard is None:
                left = False
                break
            waiting.add(pool.submit(_do, *shard))
        if cancelled():
            left = False
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED) if waiting else (set(), set())
        for future in done:
            yield future.result()


_worker: Worker | None = None


def _start(campaign: Campaign, store: CampaignStore) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    spare_torch(campaign.parser)
    _worker = Worker(campaign, store)


def _do(number: int, rows: Sequence[Row]) -> ShardDone:
    assert _worker is not None
    return _worker.do(number, rows)
