"""Run campaigns as processes of their own, so that pages may close.

A job is the command line on a campaign's folder. One runs at a time, others wait in a queue. The
record of each is written to its folder, so that a restarted app finds it as it was left.
"""

import json
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from hinter_core.campaign.preview import Forecast
from hinter_core.campaign.progress import CampaignProgress
from hinter_core.campaign.spec import Campaign, write_campaign
from hinter_core.errors import InputError
from hinter_core.models.budget import Cost
from hinter_core.types import Failure
from hinter_ui.batch.files import (
    JobRecord,
    campaign_file,
    log_file,
    record_of,
    write_record,
)
from hinter_ui.batch.form import say
from hinter_ui.processes import command
from hinter_ui.processes.command import (
    BAD_INPUT,
    WINDOWS,
    environment,
    hear_interrupts,
    said_last,
    send,
    stand_back,
    stop,
)
from hinter_ui.processes.record import RunState
from hinter_ui.shared.library import CampaignEntry
from hinter_ui.shared.session import NOBODY, Visitor

_PATIENCE = 900  # seconds for an estimate
_WAITING = 12  # jobs in the queue at most
_OF_AN_OWNER = 2  # of them, with the one that runs


@dataclass(frozen=True)
class CampaignStatus:
    """A campaign now; ``problem`` is why its last run failed, or it cannot be read."""

    id: str
    state: RunState
    record: JobRecord
    campaign: Campaign
    seen: CampaignProgress = field(default_factory=CampaignProgress)
    problem: str = ""
    ahead: int = 0

    @property
    def rate(self) -> float:
        """Texts per second in this run; 0 while that is unknown."""
        seconds = (self.record.ended or time.time()) - self.record.started
        return self.seen.since[0] / seconds if self.record.started and seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left; None while that is unknown."""
        if self.seen.texts is None or not self.rate:
            return None
        return (self.seen.texts - self.seen.done) / self.rate

    @property
    def can_retry(self) -> bool:
        """Whether asking again may help: texts that are too long for a model stay so."""
        hopeless = self.seen.failures[Failure.TOO_LONG.value]
        return not self.state.busy and self.seen.failed > hopeless

    @property
    def can_resume(self) -> bool:
        """Whether there is something left to do."""
        return not self.state.busy and self.state is not RunState.DONE


@dataclass
class _Job:
    """One run, waiting or running; ``keys`` (by server) live as long as it does."""

    entry: CampaignEntry
    keys: Mapping[str, str]
    retry: bool
    models: Sequence[str] = ()
    owner: Visitor = NOBODY
    process: subprocess.Popen[bytes] | None = None


class Jobs:
    """The queue of all campaigns of this app; with ``own_cache`` each has its own answers.

    Owners take turns. ``longest``: seconds after which a run is stopped, on a shared machine; None
    on one's own.
    """

    def __init__(
        self, *, own_cache: bool = False, at_once: int = 1, longest: float | None = None
    ) -> None:
        self._own_cache = own_cache
        self._at_once = at_once
        self._longest = longest
        self._turns: dict[str, int] = {}  # when an owner's network had their last one
        self._waiting: list[_Job] = []
        self._running: dict[str, _Job] = {}
        self._closed = False
        self._lock = threading.RLock()
        hear_interrupts()

    # -- what there is --------------------------------------------------------------------------

    def state(self, entry: CampaignEntry) -> RunState:
        """Return the state of a campaign.

        Raises:
            InputError: its record is damaged.
        """
        with self._lock:
            record, name = record_of(entry), entry.id
            if any(job.entry.id == name for job in self._waiting):
                return RunState.WAITING
            if name in self._running:
                return RunState.STOPPING if record.stopped else RunState.RUNNING
        # What has not ended was started before the app was.
        alive = bool(record.started) and not record.ended and _runs(entry, record.pid)
        return record.state(alive=alive)

    def ahead_of(self, entry: CampaignEntry) -> int:
        """Count the campaigns that run or wait before this one."""
        with self._lock:
            names = [*self._running, *(job.entry.id for job in self._in_turn())]
        return names.index(entry.id) if entry.id in names else len(names)

    # -- what can be done -----------------------------------------------------------------------

    def start(
        self,
        entry: CampaignEntry,
        keys: Mapping[str, str],
        *,
        retry: bool = False,
        models: Sequence[str] = (),
        owner: Visitor = NOBODY,
    ) -> None:
        """Run or resume a campaign; ``retry`` asks again what had no answer.

        ``keys`` are the visitor's, by server: given to the process, written nowhere. ``models``
        limits the run to some of the campaign's. ``owner``: who asks, on a shared machine.

        Raises:
            InputError: it runs or waits already, or too many wait, of all or of this owner.
        """
        with self._lock:
            if self.state(entry).busy:
                raise InputError(say("errors.running"))
            if len(self._waiting) >= _WAITING:
                raise InputError(say("errors.queue"))
            busy = [*self._running.values(), *self._waiting]
            if sum(job.owner.shares(owner) for job in busy) >= _OF_AN_OWNER:
                raise InputError(say("errors.own_queue", most=_OF_AN_OWNER))
            write_record(entry, replace(record_of(entry), stopped=False, late=False))
            self._waiting.append(_Job(entry, dict(keys), retry, tuple(models), owner))
            self._advance()

    def cancel(self, entry: CampaignEntry) -> None:
        """Stop a campaign; finished tables are kept, and it can be resumed."""
        with self._lock:
            if not self.state(entry).busy:
                return
            self._waiting = [job for job in self._waiting if job.entry.id != entry.id]
            record = replace(record_of(entry), stopped=True)
            write_record(entry, record)
            job = self._running.get(entry.id)
        if job and job.process:
            process = job.process
            stop(process.pid, lambda: process.poll() is None)
        elif record.started and not record.ended and _runs(entry, record.pid):
            stop(record.pid, lambda: _runs(entry, record.pid))

    def close(self) -> None:
        """Stop all campaigns as the app ends; they can be resumed."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
            processes = [job.process for job in self._running.values() if job.process]
        for process in processes:
            send(process.pid, signal.SIGTERM)

    # -- at work --------------------------------------------------------------------------------

    def _in_turn(self) -> list[_Job]:
        """Return the waiting jobs as they will run: whose last turn is longest ago comes first."""
        left, turns, order = list(self._waiting), dict(self._turns), list[_Job]()
        while left:
            job = min(left, key=lambda job: turns.get(job.owner.network, 0))
            left.remove(job)
            order.append(job)
            turns[job.owner.network] = max(turns.values(), default=0) + 1
        return order

    def _advance(self) -> None:
        with self._lock:
            while self._waiting and len(self._running) < self._at_once and not self._closed:
                job = self._in_turn()[0]
                self._waiting.remove(job)
                self._turns[job.owner.network] = max(self._turns.values(), default=0) + 1
                self._running[job.entry.id] = job
                try:
                    job.process = self._launch(job)
                except OSError as error:
                    self._running.pop(job.entry.id)
                    log_file(job.entry).write_text(f"hinter: cannot start: {error}\n")
                    now = time.time()
                    failed = replace(record_of(job.entry), started=now, ended=now, code=1)
                    write_record(job.entry, failed)
                    continue
                threading.Thread(target=self._attend, args=(job,), name="job", daemon=True).start()

    def _launch(self, job: _Job) -> subprocess.Popen[bytes]:
        entry = job.entry
        arguments = ["run", str(campaign_file(entry))]
        arguments += ["--out", str(entry.store.folder), "--resume"]
        arguments += [part for model in job.models for part in ("--model", model)]
        if job.retry:
            arguments.append("--retry-failed")
        own = entry.folder / "answers.sqlite" if self._own_cache else None
        process = command.launch(arguments, log_file(entry), job.keys, own)
        if self._longest is not None and not WINDOWS:
            stand_back(process.pid)
        running = replace(
            record_of(entry), started=time.time(), ended=0.0, pid=process.pid, code=None
        )
        write_record(entry, running)
        return process

    def _attend(self, job: _Job) -> None:
        assert job.process is not None
        try:
            code = job.process.wait(self._longest)
        except subprocess.TimeoutExpired:
            with self._lock:
                write_record(job.entry, replace(record_of(job.entry), late=True))
            self.cancel(job.entry)
            code = job.process.wait()
        with self._lock:
            self._running.pop(job.entry.id, None)
            if job.entry.folder.is_dir():
                ended = replace(record_of(job.entry), ended=time.time(), code=code)
                write_record(job.entry, ended)
            self._advance()


def estimate(campaign: Campaign, keys: Mapping[str, str], *, own_cache: bool) -> Forecast:
    """Run an estimate of a campaign in a process, so that its models and keys are freed.

    Raises:
        InputError: the campaign cannot be run; the message says why.
    """
    with TemporaryDirectory(prefix="hinter-estimate-") as folder:
        path = Path(folder) / "campaign.yaml"
        path.write_text(write_campaign(campaign), encoding="utf-8")
        cache = Path(folder) / "answers.sqlite" if own_cache else None
        try:
            done = subprocess.run(  # noqa: S603 -- ourselves, with no words of a visitor
                [*command.COMMAND, "run", str(path), "--estimate", "--json"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=environment(keys, cache),
                timeout=_PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise InputError(say("errors.estimate_slow")) from error
    said = said_last(done.stderr)
    if done.returncode == BAD_INPUT and said:
        raise InputError(said)
    if done.returncode:
        raise InputError(say("errors.estimate_failed", code=done.returncode))
    found: dict[str, Any] = json.loads(done.stdout)
    found["mutants"] = {int(order): number for order, number in found["mutants"].items()}
    found["costs"] = {name: Cost(**cost) for name, cost in found["costs"].items()}
    return Forecast(**found)


def _runs(entry: CampaignEntry, pid: int) -> bool:
    """Whether a process from before the app was restarted still runs there."""
    return bool(pid) and psutil.pid_exists(pid) and entry.store.running()
