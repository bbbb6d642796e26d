"""Journal of a prioritised run: every answer in the order in which it came, a line each.

An answer is written before the next one is asked for, so that an interrupted run loses none. A
resumed run goes through the same choices again and takes the answers from here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple, Self

from hinter_core.campaign.store import CampaignStore, named
from hinter_core.models.cache import answer_from_json, answer_to_json
from hinter_core.storage import write_whole
from hinter_core.types import Prediction

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
        if path.exists():
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    mutant, number, answer = json.loads(line)
                    self.known[Asked(bool(mutant), int(number))] = answer_from_json(answer)
                except _DAMAGED:
                    continue

    def __enter__(self) -> Self:
        with named(self._path):
            self._path.parent.mkdir(exist_ok=True)
            self._rewrite()
            self._file = self._path.open("a", encoding="utf-8")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if self._file is not None:
            self._file.close()

    def add(self, answers: Iterable[tuple[Asked, Prediction]]) -> None:
        """Write answers, and keep them."""
        assert self._file is not None
        fresh = dict(answers)
        if not fresh:
            return
        self.known |= fresh
        with named(self._path):
            self._file.write("".join(map(_line, fresh.items())))
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
        with write_whole(self._path) as part:
            part.write_text("".join(map(_line, self.known.items())), encoding="utf-8")


def forget_failures(store: CampaignStore) -> int:
    """Delete failed answers, so that they are requested again; return the number of changed files.

    Raises:
        StoreError: another process runs this campaign, or a file cannot be read or written.
    """
    journals = map(Journal, sorted(store.journals()))
    return store.forget_failures() + sum(journal.forget_failures() for journal in journals)


def _line(entry: tuple[Asked, Prediction]) -> str:
    key, answer = entry
    return json.dumps([int(key.mutant), key.number, answer_to_json(answer)]) + "\n"
