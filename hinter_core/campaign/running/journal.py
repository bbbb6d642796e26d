"""Journal of a prioritised run: every answer in the order in which it came, a line each.

An answer is written before the next one is asked for, so that an interrupted run loses none. A
resumed run goes through the same choices again and takes the answers from here. Nothing can be
appended to a file of a place, which gets further files. The end of the run puts them together, or
the next run does if this one is killed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import IO, NamedTuple, Self

from hinter_core.campaign.parquet import named, read_table
from hinter_core.campaign.store import CampaignStore
from hinter_core.models.cache import answer_from_json, answer_to_json
from hinter_core.places import RemotePath
from hinter_core.storage import write_text
from hinter_core.types import Failure, Prediction

_DAMAGED = (ValueError, KeyError, TypeError, AttributeError)


class Asked(NamedTuple):
    """Key of an answer: the mutant at a place, or the unchanged text of a row."""

    mutant: bool
    number: int


class Journal:
    """The answers of one model, kept in a file; a context manager that appends to it.

    ``known``: the answers so far. A line that was cut off by a crash is left out.

    Raises:
        StoreError: the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None
        self.known: dict[Asked, Prediction] = {}
        # Not the function of Path: a place has its own.
        for file in [file for file in (path, *self._further()) if file.exists()]:
            for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    mutant, number, answer = json.loads(line)
                    self.known[Asked(bool(mutant), int(number))] = answer_from_json(answer)
                except _DAMAGED:
                    continue

    def __enter__(self) -> Self:
        with named(self._path):
            self._path.parent.mkdir(exist_ok=True)
            self._rewrite()
            if not isinstance(self._path, RemotePath):
                self._file = self._path.open("a", encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
        elif self._further():
            self._rewrite()

    def add(self, answers: Iterable[tuple[Asked, Prediction]]) -> None:
        """Write answers, and keep them."""
        fresh = dict(answers)
        if not fresh:
            return
        self.known |= fresh
        lines = "".join(map(_line, fresh.items()))
        if self._file is None:
            assert isinstance(self._path, RemotePath)
            self._path.with_name(f"{self._path.name}.{len(self.known):09}").put(lines.encode())
            return
        with named(self._path):
            self._file.write(lines)
            self._file.flush()
            os.fsync(self._file.fileno())

    def forget_failures(self) -> bool:
        """Leave out answers that are failures; return whether there were any."""
        kept = {key: answer for key, answer in self.known.items() if answer.answered}
        forgotten = len(kept) < len(self.known)
        self.known = kept
        if forgotten:
            with named(self._path):
                self._rewrite()
        return forgotten

    def _rewrite(self) -> None:
        write_text(self._path, "".join(map(_line, self.known.items())))
        for file in self._further():
            file.unlink(missing_ok=True)

    def _further(self) -> list[Path]:
        if not isinstance(self._path, RemotePath):
            return []
        return sorted(self._path.parent.glob(f"{self._path.name}.*"))


def repeating(
    store: CampaignStore, models: Iterable[str], *, over_budget: bool = False
) -> CampaignStore:
    """Return the store for a run that repeats the tables of these models that hold failures.

    ``over_budget``: only what a budget had no room for, which is no failure of a model.
    The tables stay until new ones replace them, as a model may not be reached this time either.

    Raises:
        StoreError: another process runs this campaign, or a file cannot be read or written.
    """
    noted = store.read()["models"]
    mine = [noted[name]["identity"] for name in dict.fromkeys(models) if name in noted]
    wanted = {Failure.OVER_BUDGET} if over_budget else {*Failure} - {Failure.NOT_ASKED}
    written, failed = store.written(), set[str]()
    with store.alone():
        for shard in filter(store.owns, written.shards):
            for path in filter(None, (written.answers(shard, model) for model in mine)):
                failures = set(read_table(path, "failure")["failure"].unique().to_pylist())
                if failures & wanted:
                    failed.add(path.name)
        for model in () if over_budget else mine:
            Journal(store.journal(model)).forget_failures()
    return replace(store, repeated=frozenset(failed))


def _line(entry: tuple[Asked, Prediction]) -> str:
    key, answer = entry
    return json.dumps([int(key.mutant), key.number, answer_to_json(answer)]) + "\n"
