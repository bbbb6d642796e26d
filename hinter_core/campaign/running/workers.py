"""Workers in processes of their own: shards are handed to them, and to others if one is lost.

An engine starts the processes: on this machine (:class:`Processes`), or on a cluster
(``on_ray.py``). All else is the same for both. A worker has one shard at a time and writes its
tables itself; counts alone come back. A worker that dies is replaced, and the one in its place gets
its shard: it knows which tables are written, and keeps them.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from itertools import count
from math import inf
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, Protocol

from hinter_core.campaign.running.worker import ShardDone, Worker
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.rows import Row
from hinter_core.errors import HinterError
from hinter_core.models.budget import Budget, Cost

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# A new interpreter per worker: forks share threads of torch, which hang.
_SPAWN = get_context("spawn")
_DEATHS = 5  # of workers over one shard, or one after another while they start
_LOOK = 0.05  # seconds between two looks for room in the budget
Ask = Callable[..., Any]  # calls a method of the shared budget, by its name


class Engine(Protocol):
    """What runs workers. A worker is known by its number; its futures fail if it dies."""

    @property
    def patience(self) -> float:
        """Seconds in which the first worker has started."""

    def start(self, worker: int) -> Future[HinterError | None]:
        """Start a worker, in place of a lost one of this number; the result is its fault."""

    def submit(
        self, worker: int, number: int, rows: Sequence[Row]
    ) -> Future[ShardDone | HinterError]:
        """Hand a shard to a worker."""

    def is_loss(self, error: BaseException) -> bool:
        """Whether an error of a future says that its worker is lost."""


OpenEngine = Callable[[Campaign, CampaignStore], AbstractContextManager[Engine]]


def run_on(
    engine: Engine,
    workers: int,
    shards: Iterator[tuple[int, list[Row]]],
    cancelled: Callable[[], bool] = lambda: False,
) -> Generator[ShardDone, None, None]:
    """Run shards on the workers of an engine; when it is cancelled, those under way are finished.

    Raises:
        HinterError: a worker says so, or workers die again and again.
    """
    busy: dict[Future[Any], tuple[int, tuple[int, list[Row]] | None]] = {}
    idle, deaths = deque[int](), Counter[int | None]()
    again: dict[int, tuple[int, list[Row]]] = {}  # by the worker in the place of a lost one
    finished, began, started = list[ShardDone](), time.monotonic(), False
    try:
        busy |= {engine.start(worker): (worker, None) for worker in range(workers)}
        waiting = next(shards, None)
        while True:
            while not cancelled():
                ready = [one for one in idle if waiting or one in again]
                if not ready:
                    break
                worker = next((one for one in ready if one in again), ready[0])
                idle.remove(worker)
                shard = again.pop(worker, None) or waiting
                assert shard is not None
                if shard is waiting:
                    waiting = next(shards, None)
                busy[engine.submit(worker, *shard)] = worker, shard
            yield from finished  # workers have work meanwhile
            finished.clear()
            under_way = any(shard for _, shard in busy.values())
            if not under_way and (not (waiting or again) or cancelled()):
                return
            if not started and time.monotonic() - began > engine.patience:
                raise HinterError(
                    f"No worker has started in {engine.patience / 60:.0f} minutes. See whether "
                    "there is room for one: a processor, and the GPUs that were asked for."
                )
            for future in wait(busy, 1.0, FIRST_COMPLETED).done:
                worker, its_shard = busy.pop(future)
                number = its_shard[0] if its_shard else None
                error = future.exception()
                if error is None:
                    idle.append(worker)
                    started = True
                    deaths.pop(number, None)
                    if isinstance(result := future.result(), HinterError):
                        raise result
                    finished.extend([result] if its_shard else ())
                elif engine.is_loss(error):
                    deaths[number] += 1
                    if deaths[number] == _DEATHS:
                        raise HinterError(_died(number)) from error
                    again |= {worker: its_shard} if its_shard else {}
                    busy[engine.start(worker)] = worker, None
                else:
                    raise error
    finally:
        wait([future for future, (_, shard) in busy.items() if shard])


def _died(number: int | None) -> str:
    over = "as it started" if number is None else f"over unit {number} of the texts"
    return (
        f"A worker died {_DEATHS} times {over}. It may lack memory: use fewer workers, or a "
        "smaller model or shard. Finished work is kept, and the run can be resumed."
    )


class RemoteWorker:
    """A worker in a process of its own, where it is loaded.

    What a user can act on is returned and not raised, as engines wrap what is raised. ``ask``
    reaches the budget that is shared; ``name`` is this worker's there.
    """

    def __init__(
        self, campaign: Campaign, store: CampaignStore, ask: Ask | None, name: str
    ) -> None:
        self._campaign, self._store, self._ask, self._name = campaign, store, ask, name
        self._worker: Worker | None = None

    def load(self) -> HinterError | None:
        """Load parser and models; return what is wrong with them."""
        campaign = self._campaign
        budget = self._ask and BudgetShare(
            campaign.requests, campaign.budget, self._ask, self._name
        )
        try:
            self._worker = Worker(campaign, self._store, budget)
        except HinterError as error:
            return error
        return None

    def do(self, number: int, rows: Sequence[Row]) -> ShardDone | HinterError:
        """Run a shard."""
        assert self._worker is not None
        try:
            (done,) = self._worker.run([(number, rows)])
        except HinterError as error:
            return error
        return done


class SharedBudget:
    """The budget of a run, which all workers spend; it lies with the one who hands out shards."""

    def __init__(self, requests: int | None, money: float | None) -> None:
        self._budget = Budget(requests, money)
        self._held: dict[str, Cost] = {}
        self._gone: set[str] = set()
        self._lock = threading.Lock()

    def room_for(self, worker: str, estimate: Cost) -> bool | None:
        """Reserve for a worker; see :meth:`Budget.room_for`."""
        with self._lock:
            room = worker not in self._gone and self._budget.room_for(estimate)
            if room:
                self._held[worker] = self._held.get(worker, Cost()) + estimate
            return room

    def settle(self, worker: str, held: Cost, real: Cost) -> None:
        """Release a reservation of a worker, and count the actual cost."""
        with self._lock:
            if worker not in self._gone:
                self._budget.settle(held, real)
                self._held[worker] = self._held.get(worker, Cost()) - held

    def lose(self, worker: str) -> None:
        """Count what a lost worker had reserved as spent: its requests may have been sent."""
        with self._lock:
            self._gone.add(worker)
            held = self._held.pop(worker, Cost())
            self._budget.settle(held, held)


class BudgetShare(Budget):
    """The shared budget as a worker sees it."""

    def __init__(self, requests: int | None, money: float | None, ask: Ask, worker: str) -> None:
        super().__init__(requests, money)
        self._ask, self._worker = ask, worker

    def room_for(self, estimate: Cost) -> bool | None:
        """Reserve an estimate, as :class:`Budget` does."""
        room: bool | None = self._ask("room_for", self._worker, estimate)
        return room

    def hold(self, estimate: Cost, *, wait: bool = False) -> bool:
        """Reserve an estimate, as :class:`Budget` does."""
        while (room := self.room_for(estimate)) is None and wait:
            time.sleep(_LOOK)
        return bool(room)

    def settle(self, held: Cost, real: Cost) -> None:
        """Release a reservation, as :class:`Budget` does."""
        self._ask("settle", self._worker, held, real)


class Processes:
    """An engine of processes on this machine."""

    patience = inf  # a model may have to be fetched first

    def __init__(self, campaign: Campaign, store: CampaignStore) -> None:
        self._campaign, self._store = campaign, store
        self._pools: dict[int, ProcessPoolExecutor] = {}
        limited = Budget(campaign.requests, campaign.budget).limited
        self._budget = SharedBudget(campaign.requests, campaign.budget) if limited else None
        self._names = map(str, count())

    def start(self, worker: int) -> Future[HinterError | None]:
        """Start a process; see :class:`Engine`."""
        name, theirs = next(self._names), None
        if self._budget:
            ours, theirs = _SPAWN.Pipe()
            serving = (self._budget, ours, name)
            threading.Thread(target=_serve, args=serving, daemon=True).start()
        given = (self._campaign, self._store, theirs, name)
        self._pools[worker] = ProcessPoolExecutor(1, _SPAWN, _begin, given)
        with _shared_cores(self._campaign.workers), _deaf_to_interrupts():
            loading = self._pools[worker].submit(_call, "load")
        if theirs:
            theirs.close()  # so that it is open in the process alone, and ends with it
        return loading

    def submit(
        self, worker: int, number: int, rows: Sequence[Row]
    ) -> Future[ShardDone | HinterError]:
        """Hand a shard to a process; see :class:`Engine`."""
        try:
            return self._pools[worker].submit(_call, "do", number, rows)
        except BrokenProcessPool as error:  # it died while it was idle
            failed: Future[ShardDone | HinterError] = Future()
            failed.set_exception(error)
            return failed

    def is_loss(self, error: BaseException) -> bool:
        """Whether the process has died."""
        return isinstance(error, BrokenProcessPool)

    def close(self) -> None:
        """End the processes."""
        for pool in self._pools.values():
            pool.shutdown(cancel_futures=True)


def processes(campaign: Campaign, store: CampaignStore) -> AbstractContextManager[Engine]:
    """Open the engine of this machine."""
    return closing(Processes(campaign, store))


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


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Have the processes started meanwhile hear no interrupt, also while they import."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(budget: SharedBudget, connection: Connection, worker: str) -> None:
    """Answer what a process asks of the budget, until it ends."""
    with connection, suppress(EOFError, OSError):
        while True:
            method, *given = connection.recv()
            connection.send(getattr(budget, method)(*given))
    budget.lose(worker)


class _Line:
    """Calls methods of the budget from a process; its threads take turns."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._lock = connection, threading.Lock()

    def __call__(self, *question: Any) -> Any:
        with self._lock:
            self._connection.send(question)
            return self._connection.recv()


_own: RemoteWorker | None = None  # that of this process


def _begin(
    campaign: Campaign, store: CampaignStore, connection: Connection | None, name: str
) -> None:
    global _own
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _own = RemoteWorker(campaign, store, _Line(connection) if connection else None, name)


def _end_with_parent() -> None:
    """End this process when the one that started it was killed; it would wait for ever."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _call(method: str, *given: Any) -> Any:
    return getattr(_own, method)(*given)
