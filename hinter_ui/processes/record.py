"""The record of a process's runs in a file beside what it works on, and the state it tells."""

import contextlib
import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from hinter_core.errors import UNANSWERED, InputError
from hinter_core.storage import write_whole
from hinter_ui.processes.command import ENDED_FROM_OUTSIDE


class RunState(StrEnum):
    """The state of a campaign or a repair."""

    NEW = "not started"
    WAITING = "waiting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    DONE = "done"

    @property
    def busy(self) -> bool:
        """Whether it is running or queued."""
        return self in (RunState.WAITING, RunState.RUNNING, RunState.STOPPING)


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """The record of runs; times in seconds since 1970, 0 if there is none yet.

    ``stopped``: by request; ``late``: it took too long. ``code``: the exit code of the last run.
    """

    created: float
    started: float = 0.0
    ended: float = 0.0
    pid: int = 0
    code: int | None = None
    stopped: bool = False
    late: bool = False

    def state(self, *, alive: bool) -> RunState:
        """Return the state; ``alive``: its process runs."""
        if alive:
            return RunState.STOPPING if self.stopped else RunState.RUNNING
        if self.ended and self.code in (0, UNANSWERED):
            return RunState.DONE
        if self.stopped:
            return RunState.STOPPED
        if not self.started:
            return RunState.NEW
        outside = not self.ended or self.code in ENDED_FROM_OUTSIDE
        return RunState.INTERRUPTED if outside else RunState.FAILED


R = TypeVar("R", bound=RunRecord)


def read_record(file: Path, kind: type[R], damaged: str) -> R:
    """Read a record.

    Raises:
        InputError: it is missing or damaged; its message is ``damaged``.
    """
    try:
        return kind(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise InputError(damaged) from error


def write_record(file: Path, record: RunRecord) -> None:
    """Write a record, whole or not at all; nothing if its folder was deleted meanwhile."""
    with contextlib.suppress(FileNotFoundError), write_whole(file) as part:
        part.write_text(json.dumps(asdict(record), ensure_ascii=False), encoding="utf-8")
