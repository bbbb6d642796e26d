"""A model that answers in a process of its own, after whatever else the machine has to do.

In one process, threads wait for one interpreter: a model that works for minutes makes everybody
else slow, however many processors there are.
"""

import contextlib
import multiprocessing
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait

import psutil

from hinter_core.models.base import ModelUnderTest
from hinter_core.models.registry import load_model
from hinter_core.types import Prediction

_NICE = 10


class ProcessModel(ModelUnderTest):
    """Answers as ``model`` does, which is loaded again, by its name, in the other process.

    That process starts with the first question. It ends with this one, however this one ends; if it
    dies, the question fails and the next one starts another.
    """

    def __init__(self, model: ModelUnderTest) -> None:
        self.name = model.name
        self.identity = model.identity
        self.capabilities = model.capabilities
        self._model = model
        self._pool: ProcessPoolExecutor | None = None
        self._starting = threading.Lock()

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Return predictions in order.

        Raises:
            BrokenProcessPool: the process has died.
            HinterError: the model cannot be loaded there.
        """
        with self._starting:
            pool = self._pool = self._pool or _process()
        try:
            return pool.submit(_answers, self.name, list(texts)).result()
        except BrokenProcessPool:
            with self._starting:
                if self._pool is pool:
                    self._pool = None
            raise

    def visible(self, text: str) -> int:
        """Return how many leading characters of ``text`` the model reads; asked in this process."""
        return self._model.visible(text)

    def close(self) -> None:
        """End the process; another question would start one again."""
        with self._starting:
            pool, self._pool = self._pool, None
        if pool:
            pool.shutdown(cancel_futures=True)


def _process() -> ProcessPoolExecutor:
    # A fork of a process with threads may stand still for good.
    spawned = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=spawned, initializer=_begin)


def _begin() -> None:
    """Let others go first, and end with the process that asks."""
    with contextlib.suppress(psutil.Error):
        low = getattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS", _NICE)
        psutil.Process().nice(low)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)  # the other threads would wait for questions for ever


def _answers(name: str, texts: list[str]) -> list[Prediction]:
    return load_model(name).predict(texts)
