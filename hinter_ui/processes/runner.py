"""The one runner of commands in processes of their own: what waits, what runs, and its records.

Each command works in a folder that keeps its record, so that a restarted app finds it as it was
left, and what was interrupted can go on.
"""

import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hinter_ui.processes.command import WINDOWS, hear_interrupts, launch, send, stand_back, stop
from hinter_ui.processes.record import RunRecord, RunState, read_record, write_record


@dataclass(frozen=True)
class Workplace:
    """Where a command works, with its record and its log.

    ``works``: whether a process of this id, from before the app was restarted, still works there.
    """

    id: str
    record: Path
    log: Path
    works: Callable[[int], bool] = field(compare=False)


@dataclass(eq=False)
class Run:
    """One command, waiting or running, of an ``owner`` with a network.

    ``keys`` (by server) live as long as it does.
    """

    place: Workplace
    arguments: Sequence[str]
    keys: Mapping[str, str]
    owner: Any
    cache: Path | None = None
    process: subprocess.Popen[bytes] | None = None


class Runner:
    """Runs commands, ``at_once`` of them; others wait, and the networks of owners take turns.

    ``damaged`` returns the words for a record of this ``kind`` that cannot be read. ``longest``:
    seconds after which a run is stopped, on a shared machine; None on one's own.
    """

    def __init__(
        self,
        kind: type[RunRecord],
        damaged: Callable[[], str],
        *,
        at_once: int = 1,
        longest: float | None = None,
    ) -> None:
        self._kind = kind
        self._damaged = damaged
        self._at_once = at_once
        self._longest = longest
        self._turns: dict[str, int] = {}  # when an owner's network had their last one
        self._waiting: list[Run] = []
        self._running: dict[str, Run] = {}
        self._closed = False
        self.lock = threading.RLock()
        hear_interrupts()

    def state(self, place: Workplace) -> RunState:
        """Return the state of a command.

        Raises:
            InputError: its record is damaged.
        """
        with self.lock:
            record = self._record(place)
            if any(run.place.id == place.id for run in self._waiting):
                return RunState.WAITING
            alive = place.id in self._running
        # What has not ended was started before the app was.
        return record.state(alive=alive or _left(place, record))

    def queue(self) -> list[Run]:
        """Return the running commands, then the waiting ones in the order of their turns."""
        with self.lock:
            return [*self._running.values(), *self._in_turn()]

    def start(self, run: Run) -> None:
        """Run a command as soon as its turn has come."""
        with self.lock:
            self._note(run.place, stopped=False, late=False)
            self._waiting.append(run)
            self._advance()

    def cancel(self, place: Workplace) -> None:
        """Stop a command; whole files are kept, and it can be resumed."""
        with self.lock:
            if not self.state(place).busy:
                return
            self._waiting = [run for run in self._waiting if run.place.id != place.id]
            self._note(place, stopped=True)
            record, run = self._record(place), self._running.get(place.id)
        if run and run.process:
            process = run.process
            stop(process.pid, lambda: process.poll() is None)
        elif _left(place, record):
            stop(record.pid, lambda: place.works(record.pid))

    def close(self) -> None:
        """Stop all commands as the app ends; they can be resumed."""
        with self.lock:
            self._closed = True
            self._waiting.clear()
            processes = [run.process for run in self._running.values() if run.process]
        for process in processes:
            send(process.pid, signal.SIGTERM)

    def _record(self, place: Workplace) -> RunRecord:
        return read_record(place.record, self._kind, self._damaged())

    def _note(self, place: Workplace, **changes: Any) -> None:
        write_record(place.record, replace(self._record(place), **changes))

    def _in_turn(self) -> list[Run]:
        """Return the waiting runs in order: the network with the oldest last turn comes first."""
        left, turns, order = list(self._waiting), dict(self._turns), list[Run]()
        while left:
            run = min(left, key=lambda run: turns.get(run.owner.network, 0))
            left.remove(run)
            order.append(run)
            turns[run.owner.network] = max(turns.values(), default=0) + 1
        return order

    def _advance(self) -> None:
        with self.lock:
            while self._waiting and len(self._running) < self._at_once and not self._closed:
                run = self._in_turn()[0]
                self._waiting.remove(run)
                self._turns[run.owner.network] = max(self._turns.values(), default=0) + 1
                try:
                    run.process = launch(run.arguments, run.place.log, run.keys, run.cache)
                except OSError as error:
                    run.place.log.write_text(f"hinter: cannot start: {error}\n")
                    now = time.time()
                    self._note(run.place, started=now, ended=now, code=1)
                    continue
                self._running[run.place.id] = run
                if self._longest is not None and not WINDOWS:
                    stand_back(run.process.pid)
                # It is attended even if no record can be written; until then it waits for the lock.
                threading.Thread(target=self._attend, args=(run, run.process), daemon=True).start()
                self._note(
                    run.place, started=time.time(), ended=0.0, pid=run.process.pid, code=None
                )

    def _attend(self, run: Run, process: subprocess.Popen[bytes]) -> None:
        try:
            code = process.wait(self._longest)
        except subprocess.TimeoutExpired:
            with self.lock:
                self._note(run.place, late=True)
            self.cancel(run.place)
            code = process.wait()
        with self.lock:
            self._running.pop(run.place.id, None)
            if run.place.record.parent.is_dir():
                self._note(run.place, ended=time.time(), code=code)
            self._advance()


def _left(place: Workplace, record: RunRecord) -> bool:
    """Whether a process from before the app was restarted still works."""
    return bool(record.started and record.pid) and not record.ended and place.works(record.pid)
