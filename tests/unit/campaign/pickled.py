"""An engine whose workers are in this process, and get what those elsewhere get: pickles."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from math import inf
from typing import Any

from hinter_core.campaign.running.workers import RemoteWorker
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.rows import Row
from hinter_core.models.budget import Budget


class Pickled:
    """Starting a process takes 3 s; those of ``test_workers.py`` are real."""

    patience = inf

    def __init__(self, campaign: Campaign, store: CampaignStore) -> None:
        assert not Budget(campaign.requests, campaign.budget).limited  # nobody is asked for it
        self._given = pickle.dumps((campaign, store))
        self._workers: dict[int, RemoteWorker] = {}

    def start(self, worker: int) -> Future[Any]:
        self._workers[worker] = RemoteWorker(*pickle.loads(self._given), None, str(worker))
        return self._done(self._workers[worker].load())

    def submit(self, worker: int, number: int, rows: Sequence[Row]) -> Future[Any]:
        return self._done(self._workers[worker].do(number, pickle.loads(pickle.dumps(rows))))

    def is_loss(self, error: BaseException) -> bool:
        raise error

    def _done(self, result: object) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(pickle.loads(pickle.dumps(result)))
        return future


@contextmanager
def pickled(campaign: Campaign, store: CampaignStore) -> Iterator[Pickled]:
    """Open the engine."""
    yield Pickled(campaign, store)
