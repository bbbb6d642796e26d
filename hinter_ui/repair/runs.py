"""Repairs as processes of their own, each in a folder that keeps its settings, record and files.

One runs at a time. A restarted app finds each as it was left; what was interrupted goes on.
"""

import contextlib
import re
import secrets
import shutil
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import psutil

from hinter_core.errors import InputError
from hinter_core.generators.grammars.reading import shipped_grammars
from hinter_core.repair.figures import RepairResult
from hinter_core.repair.progress import Stage, figures_in, noted_at, stage_in
from hinter_core.repair.repair import REPAIR_OPTIONS, Repair
from hinter_core.storage import data_place, make_private
from hinter_ui.environment import REPAIRS_FOLDER
from hinter_ui.html.wording import Words
from hinter_ui.processes.command import BAD_INPUT, why_failed
from hinter_ui.processes.record import RunRecord, RunState, read_record, write_record
from hinter_ui.processes.runner import Run, Runner, Workplace
from hinter_ui.shared.library import without_folder
from hinter_ui.shared.session import NOBODY
from hinter_ui.shared.uploads import kept_copy

say = Words("repair")

_ID = re.compile(r"[A-Za-z0-9_-]{16,64}")
_RECORD, _LOG = "job.json", "run.log"


@dataclass(frozen=True, kw_only=True)
class RepairRecord(RunRecord):
    """The settings of a repair, and the record of its runs."""

    settings: Mapping[str, Any]


@dataclass(frozen=True)
class RepairStatus:
    """A repair now; ``problem`` is why its last run failed.

    ``stale``: it runs, and ``stage`` is from before it went on.
    """

    id: str
    folder: Path
    state: RunState
    record: RepairRecord
    stage: Stage | None = None
    figures: RepairResult | None = None
    problem: str = ""
    stale: bool = False

    @property
    def resumable(self) -> bool:
        """Whether it can go on; what failed before anything was made would fail again."""
        refused = self.state is RunState.FAILED and self.record.code == BAD_INPUT
        over = self.state.busy or self.state is RunState.DONE
        return not over and not (refused and not out_of(self.folder).exists())

    @property
    def repair(self) -> Repair:
        """Its settings."""
        return Repair(**self.record.settings)

    @property
    def model(self) -> str:
        """Name of the repaired model."""
        return f"hf:{out_of(self.folder) / self.repair.name}"


def out_of(folder: Path) -> Path:
    """Return where the command line works within a repair's folder."""
    return folder / "repair"


class Repairs:
    """The folder of repairs, and the processes that work in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runner = Runner(RepairRecord, lambda: say("errors.damaged"))
        self.close = self._runner.close

    @classmethod
    def at_home(cls) -> Self:
        """Use the folder that ``HINTER_REPAIRS`` names, or one among all data."""
        return cls(data_place("repairs", REPAIRS_FOLDER))

    def listed(self) -> list[RepairStatus]:
        """List all repairs, the latest first."""
        names = [path.name for path in self.folder.glob("*/") if _ID.fullmatch(path.name)]
        statuses = []
        for name in names:
            with contextlib.suppress(InputError):
                statuses.append(self.status(name))
        return sorted(statuses, key=lambda one: one.record.created, reverse=True)

    def status(self, name: str) -> RepairStatus:
        """Return the state of a repair.

        Raises:
            InputError: there is none of that name, or its record is damaged.
        """
        folder = self.folder / name
        if not _ID.fullmatch(name) or not folder.is_dir():
            raise InputError(say("errors.unknown"))
        record, state = _record_of(folder), self._runner.state(_place(folder))
        if not state.busy and not record.ended and figures_in(out_of(folder)):
            state = RunState.DONE  # it went on while no app was there to note its end
        figures = figures_in(out_of(folder)) if state is RunState.DONE else None
        problem = _last_words(folder, record) if state is RunState.FAILED else ""
        noted = noted_at(out_of(folder))
        stale = state is RunState.RUNNING and noted is not None and noted < record.started
        stage = stage_in(out_of(folder))
        return RepairStatus(name, folder, state, record, stage, figures, problem, stale)

    def new(self, repair: Repair) -> str:
        """Keep a repair with copies of its files, and start it; return its name.

        Raises:
            InputError: another one runs, or the disk cannot be written.
        """
        self._require_free()
        name = secrets.token_urlsafe(16)
        folder = self.folder / name
        try:
            make_private(out_of(folder).parent)
            kept = replace(
                repair,
                data=str(kept_copy(repair.data, folder / "data"))
                if Path(repair.data).is_file()
                else repair.data,
                grammar=repair.grammar
                if repair.grammar in shipped_grammars()
                else str(kept_copy(repair.grammar, folder / "data")),
            )
            write_record(folder / _RECORD, RepairRecord(settings=asdict(kept), created=time.time()))
        except OSError as error:
            words = say("errors.folder", folder=self.folder, reason=error.strerror,
                        variable=REPAIRS_FOLDER)  # fmt: skip
            raise InputError(words) from error
        self.start(name)
        return name

    def start(self, name: str) -> None:
        """Start a repair, or let it go on.

        Raises:
            InputError: another one runs.
        """
        with self._runner.lock:
            self._require_free()
            folder = self.folder / name
            arguments = arguments_of(Repair(**_record_of(folder).settings))
            arguments.append(f"--out={out_of(folder)}")
            self._runner.start(Run(_place(folder), arguments, {}, NOBODY))

    def cancel(self, name: str) -> None:
        """Stop a repair; what was done is kept, and it can go on."""
        self._runner.cancel(_place(self.status(name).folder))

    def delete(self, name: str) -> None:
        """Delete a repair with its model.

        Raises:
            InputError: it runs, or its folder cannot be removed.
        """
        status = self.status(name)
        if status.state.busy:
            raise InputError(say("errors.running"))
        try:
            shutil.rmtree(status.folder)
        except OSError as error:
            raise InputError(say("errors.not_deleted", reason=error.strerror)) from error

    def _require_free(self) -> None:
        if any(one.state.busy for one in self.listed()):
            raise InputError(say("errors.busy"))


def arguments_of(repair: Repair) -> list[str]:
    """Return the command line of a repair, without its directory; defaults are left out."""
    given = {
        name: value
        for name, value in asdict(repair).items()
        if name in ("model", "grammar", "data") or value != REPAIR_OPTIONS[name].default
    }
    return ["repair", *(f"--{name}={value}" for name, value in given.items() if value != "")]


def _place(folder: Path) -> Workplace:
    def works(pid: int) -> bool:
        try:
            return str(out_of(folder)) in " ".join(psutil.Process(pid).cmdline())
        except psutil.Error:
            return False

    return Workplace(folder.name, folder / _RECORD, folder / _LOG, works)


def _record_of(folder: Path) -> RepairRecord:
    record = read_record(folder / _RECORD, RepairRecord, say("errors.damaged"))
    try:
        Repair(**record.settings)
    except TypeError as error:
        raise InputError(say("errors.damaged")) from error
    return record


def _last_words(folder: Path, record: RepairRecord) -> str:
    if said := why_failed(folder / _LOG, record.code):
        return without_folder(said, folder / "data", out_of(folder), folder)
    return say("errors.ended", code=record.code)
