"""Parts of a campaign, each run by a process of its own, on one machine or on many.

Part 3 of 16 runs the shards 2, 18, 34, ... It has a lock and notes of its own, in ``parts/``, so
that any number of parts run at a time and end in any order. The notes of all are read together.
Parts that ran in folders of their own are put together by copying these into one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hinter_core.campaign.running import locks
from hinter_core.errors import InputError
from hinter_core.places import RemotePath
from hinter_core.storage import PART

FOLDER = "parts"
_DOOR, _RUNNING = ".lock", ".running"  # held for a whole run; by a part only while it starts
_START = 60.0  # seconds in which other parts have started
_MOST = 100_000


@dataclass(frozen=True, slots=True)
class RunPart:
    """One of ``of`` parts of a campaign; ``number`` begins at 1."""

    number: int
    of: int

    @property
    def name(self) -> str:
        """Stem of its files."""
        return f"{self.number:05}-of-{self.of:05}"

    @property
    def in_words(self) -> str:
        """``, part 3 of 16``."""
        return f", part {self.number:,} of {self.of:,}"

    def has(self, shard: int) -> bool:
        """Whether a shard belongs to it."""
        return shard % self.of == self.number - 1

    def shards(self, total: int) -> int:
        """Return how many of the shards belong to it."""
        return len(range(self.number - 1, total, self.of))


def read_part(written: str) -> RunPart:
    """Read ``3/16``.

    Raises:
        InputError: it is no part.
    """
    number, slash, of = written.strip().partition("/")
    numbers = number.isdecimal() and of.isdecimal()
    part = RunPart(int(number), int(of)) if numbers else RunPart(0, 0)
    if not slash or not 1 <= part.number <= part.of <= _MOST:
        raise InputError(f"'{written}' is no part of a campaign; write 1/16 to 16/16.")
    return part


def read_notes(path: Path) -> dict[str, Any] | None:
    """Return the notes of a part; None if there are none, or damaged ones."""
    try:
        notes = json.loads(path.read_text(encoding="utf-8"))
        return {"models": dict(notes["models"]), "runs": list(notes["runs"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def parts_of(folder: Path) -> list[RunPart]:
    """Return the parts that a campaign was last divided into; empty if it was not.

    Of several divisions, the finest one counts.
    """
    names = (path.stem.split("-of-") for path in (folder / FOLDER).glob("*-of-*.json"))
    most = max((int(of) for _, of in names if of.isdecimal()), default=0)
    return [RunPart(number, most) for number in range(1, most + 1)]


def together(spec: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a specification with the models and runs that the parts of a folder noted."""
    paths = sorted((folder / FOLDER).glob("*.json"))
    parts = list(filter(None, map(read_notes, paths)))
    if not parts:
        return dict(spec)
    models = {name: model for notes in parts for name, model in notes["models"].items()}
    runs = [*spec.get("runs", []), *(run for notes in parts for run in notes["runs"])]
    runs.sort(key=lambda run: str(run.get("started", "")))
    return {**spec, "models": {**models, **spec["models"]}, "runs": runs}


@contextmanager
def locked(folder: Path, part: RunPart | None) -> Iterator[None]:
    """Lock a campaign for one run of it or of a part, and remove what a killed one left behind.

    Raises:
        filelock.Timeout: another run is in the way.
        OSError: the folder cannot be written.
    """
    with ExitStack() as stack:
        if part is None:
            stack.enter_context(locks.locked(folder / _DOOR))
            for lock in (folder / FOLDER).glob("*.lock"):
                with locks.locked(lock):  # nobody runs a part
                    pass
            sign = folder / _RUNNING
        else:
            with door(folder):
                place = folder / FOLDER
                place.mkdir(exist_ok=True)
                stack.enter_context(locks.locked(place / f"{part.name}.lock"))
            sign = place / f"{part.name}{_RUNNING}"
        # Those who ask whether it runs hold this lock for an instant.
        stack.enter_context(locks.locked(sign, _START))
        _tidy(folder, part)
        try:
            yield
        finally:
            _tidy(folder, part)  # of workers that were killed


def _tidy(folder: Path, part: RunPart | None) -> None:
    """Remove incomplete files; a place has none."""
    for left in () if isinstance(folder, RemotePath) else folder.rglob(f"*{PART}"):
        shard = left.name.partition(".")[0]
        if part is None or (shard.isdecimal() and part.has(int(shard))):
            left.unlink(missing_ok=True)


@contextmanager
def door(folder: Path) -> Iterator[None]:
    """Hold the lock under which parts start and the campaign is created.

    Raises:
        filelock.Timeout: somebody runs the whole campaign.
        OSError: the folder cannot be written.
    """
    wait = 0.0 if locks.held(folder / _RUNNING) else _START
    with locks.locked(folder / _DOOR, wait):
        yield


def running(folder: Path) -> bool:
    """Whether a process runs the campaign or a part; the check stops none from starting."""
    return any(map(locks.held, [folder / _RUNNING, *(folder / FOLDER).glob(f"*{_RUNNING}")]))


def remove_locks(folder: Path) -> None:
    """Remove the files of locks that nobody holds, and the folder of parts if it is empty."""
    for name in (_DOOR, _RUNNING):
        (folder / name).unlink(missing_ok=True)
    for path in (folder / FOLDER).glob("*"):
        if path.suffix in (".lock", _RUNNING):
            path.unlink(missing_ok=True)
    if (folder / FOLDER).is_dir():
        (folder / FOLDER).rmdir()
