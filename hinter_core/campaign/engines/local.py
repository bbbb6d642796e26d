"""Run shards in this process or in several local processes."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context

from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.worker import ShardDone, Worker
from hinter_core.data.rows import Row
from hinter_core.language.parsing import spare_torch
from hinter_core.models.budget import Budget

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_AHEAD = 2  # shards queued beyond the workers, so that none waits


def run_shards(
    campaign: Campaign,
    store: CampaignStore,
    shards: Iterator[tuple[int, list[Row]]],
    cancelled: Callable[[], bool],
) -> Iterator[ShardDone]:
    """Run shards in this process, or in a process per worker."""
    if campaign.workers == 1:
        worker = Worker(campaign, store, Budget(campaign.requests, campaign.budget))
        for number, rows in shards:
            if cancelled():
                return
            yield worker.do(number, rows)
        return
    # A new interpreter per worker: forks share threads of torch, which hang.
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


def _pooled(
    pool: ProcessPoolExecutor,
    shards: Iterator[tuple[int, list[Row]]],
    most: int,
    cancelled: Callable[[], bool],
) -> Iterator[ShardDone]:
    waiting: set[Future[ShardDone]] = set()
    while True:
        while len(waiting) < most and not cancelled() and (shard := next(shards, None)):
            waiting.add(pool.submit(_do, *shard))
        if not waiting:
            return
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
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
