"""Run campaigns as processes of their own, so that pages may close; the files of each in the app.

A job is the command line on a campaign's folder. One runs at a time, others wait in a queue. The
folder has the campaign's settings, copies of its uploads, its record and its log.
"""

import json
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from hinter_core.campaign.preview import Forecast
from hinter_core.campaign.progress import ANSWERED, CampaignProgress
from hinter_core.campaign.spec import Campaign, load_campaign, write_campaign
from hinter_core.errors import InputError
from hinter_core.files.source import ending_of
from hinter_core.models.budget import Cost
from hinter_core.models.cache import LASTING
from hinter_core.storage import write_whole
from hinter_ui.batch.form import say
from hinter_ui.processes import command
from hinter_ui.processes import record as record_files
from hinter_ui.processes.command import BAD_INPUT, end_of, environment, said_last, why_failed
from hinter_ui.processes.record import RunRecord, RunState, read_record
from hinter_ui.processes.runner import Run, Runner, Workplace
from hinter_ui.shared.access import attribute_of
from hinter_ui.shared.library import CampaignEntry, without_folder
from hinter_ui.shared.session import NOBODY, Visitor
from hinter_ui.shared.uploads import kept_copy

_PATIENCE = 900  # seconds for an estimate
_WAITING = 12  # jobs in the queue at most
_OF_AN_OWNER = 2  # of them, with the one that runs


@dataclass(frozen=True, kw_only=True)
class JobRecord(RunRecord):
    """The record of a campaign's runs.

    ``owner``: a hash of the key with which it is stopped, continued and deleted.
    """

    title: str
    owner: str = ""


def campaign_file(entry: CampaignEntry) -> Path:
    """Return the path of a campaign's settings."""
    return entry.folder / "campaign.yaml"


def log_file(entry: CampaignEntry) -> Path:
    """Return the path of the last run's log."""
    return entry.folder / "run.log"


def settings_of(entry: CampaignEntry) -> Campaign:
    """Read the settings of a campaign.

    Raises:
        InputError: the file is missing or damaged.
    """
    return load_campaign(campaign_file(entry))


def record_of(entry: CampaignEntry) -> JobRecord:
    """Read the record of a campaign's runs.

    Raises:
        InputError: it is missing or damaged.
    """
    return read_record(record_file(entry), JobRecord, say("errors.damaged"))


def write_record(entry: CampaignEntry, record: JobRecord) -> None:
    """Write the record of a campaign's runs, whole or not at all."""
    record_files.write_record(record_file(entry), record)


def record_file(entry: CampaignEntry) -> Path:
    """Return the path of the record."""
    return entry.folder / "job.json"


def put(entry: CampaignEntry, campaign: Campaign, *, uploaded: bool) -> None:
    """Write a new campaign's settings, with copies of its files beside them.

    Data are copied if they were ``uploaded``, and read in place otherwise.

    Raises:
        OSError: the disk is full, or a file is gone.
    """

    def kept(setting: str, file: str) -> str:
        if setting == "data" and not uploaded:
            return file
        if setting == "dictionaries":
            name = f"{attribute_of(Path(file))}{ending_of(file)}"
            return _kept(entry, file, "dictionaries", name)
        return _kept(entry, file, "data", f"names{ending_of(file)}" if setting == "names" else "")

    campaign_file(entry).write_text(write_campaign(campaign.with_files(kept)), encoding="utf-8")


def change(entry: CampaignEntry, changed: Callable[[Campaign], Campaign]) -> None:
    """Change the settings of a campaign, whole or not at all.

    Raises:
        InputError: the file is missing or damaged, or cannot be written.
    """
    home = entry.folder.resolve()

    def within(_: str, file: str) -> str:
        path = Path(file)
        return path.relative_to(home).as_posix() if path.is_relative_to(home) else file

    text = write_campaign(changed(settings_of(entry)).with_files(within))
    try:
        with write_whole(campaign_file(entry)) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(say("errors.not_saved", reason=error.strerror)) from error


def portable(entry: CampaignEntry) -> str:
    """Return the campaign file as one would write it beside the files it names.

    Raises:
        InputError: it is missing or damaged.
    """
    moved = settings_of(entry).with_files(lambda _, file: Path(file).name)
    note = "# Run it with: hinter run THIS-FILE.yaml --out people\n"
    for name in moved.files():
        note += f"# {name} lies beside this file, or write its path below.\n"
    return note + write_campaign(moved)


def last_words(entry: CampaignEntry, record: JobRecord) -> str:
    """Return the last message of a failed run, or its exit code in words."""
    if said := why_failed(log_file(entry), record.code):
        folders = (entry.folder / "data", entry.folder / "dictionaries", entry.store.folder)
        return without_folder(said, *folders, entry.folder)
    return say("errors.ended", code=record.code)


def answers_so_far(entry: CampaignEntry) -> int:
    """Return how many requests were answered while a run's first texts are tested."""
    line = end_of(log_file(entry)).decode("utf-8", "replace").rstrip().rpartition("\n")[2]
    number = line.partition(ANSWERED)[2].replace(",", "")
    return int(number) if number.isdecimal() else 0


def _kept(entry: CampaignEntry, upload: str, where: str, name: str = "") -> str:
    """Copy a file to the campaign's folder; return its path from there."""
    return f"{where}/{kept_copy(upload, entry.folder / where, name).name}"


@dataclass(frozen=True)
class CampaignStatus:
    """A campaign now; ``problem`` is why its last run failed, or it cannot be read.

    ``answers``: requests that were answered while the first texts of a run are tested.
    """

    id: str
    state: RunState
    record: JobRecord
    campaign: Campaign
    seen: CampaignProgress = field(default_factory=CampaignProgress)
    problem: str = ""
    ahead: int = 0
    answers: int = 0

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
        """Whether asking again may help: a text that is too long for a model stays so."""
        hopeless = sum(self.seen.failures[one.value] for one in LASTING)
        return not self.state.busy and self.seen.failed > hopeless

    @property
    def can_resume(self) -> bool:
        """Whether there is something left to do."""
        return not self.state.busy and self.state is not RunState.DONE


class Jobs:
    """The runs of all campaigns of this app; with ``own_cache`` each has its own answers.

    Owners take turns. ``longest``: seconds after which a run is stopped, on a shared machine; None
    on one's own.
    """

    def __init__(
        self, *, own_cache: bool = False, at_once: int = 1, longest: float | None = None
    ) -> None:
        self._own_cache = own_cache
        self._runner = Runner(
            JobRecord, lambda: say("errors.damaged"), at_once=at_once, longest=longest
        )
        self.close = self._runner.close

    def state(self, entry: CampaignEntry) -> RunState:
        """Return the state of a campaign.

        Raises:
            InputError: its record is damaged.
        """
        return self._runner.state(_place(entry))

    def ahead_of(self, entry: CampaignEntry) -> int:
        """Count the campaigns that run or wait before this one."""
        names = [run.place.id for run in self._runner.queue()]
        return names.index(entry.id) if entry.id in names else len(names)

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
        arguments = ["run", str(campaign_file(entry))]
        arguments += ["--out", str(entry.store.folder), "--resume"]
        arguments += [part for model in models for part in ("--model", model)]
        arguments += ["--retry-failed"] if retry else []
        cache = entry.folder / "answers.sqlite" if self._own_cache else None
        with self._runner.lock:
            if self.state(entry).busy:
                raise InputError(say("errors.running"))
            busy = self._runner.queue()
            if sum(run.process is None for run in busy) >= _WAITING:
                raise InputError(say("errors.queue"))
            if sum(run.owner.shares(owner) for run in busy) >= _OF_AN_OWNER:
                raise InputError(say("errors.own_queue", most=_OF_AN_OWNER))
            self._runner.start(Run(_place(entry), arguments, dict(keys), owner, cache))

    def cancel(self, entry: CampaignEntry) -> None:
        """Stop a campaign; finished tables are kept, and it can be resumed."""
        self._runner.cancel(_place(entry))


def _place(entry: CampaignEntry) -> Workplace:
    def works(pid: int) -> bool:
        return psutil.pid_exists(pid) and entry.store.running()

    return Workplace(entry.id, record_file(entry), log_file(entry), works)


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
    forecast: dict[str, Any] = json.loads(done.stdout)
    forecast["mutants"] = {int(order): number for order, number in forecast["mutants"].items()}
    forecast["costs"] = {name: Cost(**cost) for name, cost in forecast["costs"].items()}
    return Forecast(**forecast)
