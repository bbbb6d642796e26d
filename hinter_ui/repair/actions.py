"""Actions of the Repair tab, without gradio: read the form, start, watch, stop, hand over.

Faults that a visitor can mend are raised as :class:`hinter_core.errors.HinterError`. A repair
trains a model for minutes and keeps it on disk, so it is for the owner of the machine; a public
host says the command instead.

Repairs are processes of their own, each in a folder that keeps its settings, record and files. One
runs at a time. A restarted app finds each as it was left; what was interrupted goes on.
"""

import atexit
import contextlib
import re
import secrets
import shlex
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from shutil import copyfile
from typing import Any, Self

import psutil

from hinter_core.errors import InputError
from hinter_core.generators.grammars.checking import require_sound
from hinter_core.generators.grammars.grammar import CLASSIFICATION
from hinter_core.generators.grammars.reading import load_grammar, shipped_grammars
from hinter_core.options import Option
from hinter_core.repair.examples import divided_in, halves_of, labels_of
from hinter_core.repair.figures import RepairResult
from hinter_core.repair.progress import Stage, figures_in, noted_at, stage_in
from hinter_core.repair.repair import REPAIR_OPTIONS, Repair
from hinter_core.repair.texts import usable_rows
from hinter_core.storage import data_place, make_private
from hinter_ui.environment import REPAIRS_FOLDER
from hinter_ui.html.wording import Words
from hinter_ui.processes.command import BAD_INPUT, why_failed
from hinter_ui.processes.record import RunRecord, RunState, read_record, write_record
from hinter_ui.processes.runner import Run, Runner, Workplace
from hinter_ui.shared.library import discreet, without_folder
from hinter_ui.shared.links import read_field
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import NOBODY, Session
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


SHARES = (1, 10)  # per cent of the texts (Astraea, Table VII)
USUAL = "feelings"
FILES = ("card", "examples")  # of a repair, to download
# Settings with a field that is made of their declaration.
FIELDS = ("texts", "epochs", "sentences", "rate", "pairing", "attributes", "seed")


@dataclass
class RepairForm:
    """The values of the form, as a browser sent them."""

    model: Any = "embedded"
    grammar: Any = USUAL
    own_grammar: Any = None
    data: Any = None
    share: Any = SHARES[1]
    unseen: Any = ()
    settings: Sequence[Any] = ()

    @classmethod
    def of(cls, *values: Any) -> Self:
        """Read the values in the order of the form."""
        model, grammar, own_grammar, data, share, unseen, *settings = values
        return cls(model, grammar, own_grammar, data, share, unseen, settings)


@dataclass
class RepairView:
    """State of the tab for a page: the repair shown, and its parts on the page."""

    opened: str = ""
    shown: str = ""


@cache
def offered_grammars() -> tuple[str, ...]:
    """Return the grammars with labels that a classifier can learn."""
    named = {name: load_grammar(name) for name in shipped_grammars()}
    return tuple(
        name
        for name, grammar in named.items()
        if grammar.task == CLASSIFICATION and len(set(grammar.labels.values())) > 1
    )


class RepairActions:
    """The actions of the Repair tab."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.repairs = Repairs.at_home()
        atexit.register(self.repairs.close)

    @property
    def local(self) -> bool:
        """Whether the visitor owns the machine, and so may repair here."""
        return self._services.access.local

    def repair_of(self, form: RepairForm) -> Repair:
        """Read the form.

        Raises:
            HinterError: a setting is missing, out of range, or not for this host.
        """
        model = str(form.model or "").strip()
        if not model:
            raise InputError(say("errors.no_model"))
        if model.partition(":")[0] not in ("embedded", "hf"):
            raise InputError(say("errors.kind"))
        self._services.access.admit(model)
        grammar = str(form.own_grammar or form.grammar or "").strip()
        if not form.own_grammar and grammar not in shipped_grammars():
            raise InputError(say("errors.no_grammar"))
        low, high = SHARES
        shares = Option("share", high, "", low=low, high=high, kind=float, label=say("share"))
        share = read_field(shares, form.share)
        values = dict(zip(FIELDS, form.settings, strict=False))
        settings = {name: read_field(REPAIR_OPTIONS[name], value) for name, value in values.items()}
        unseen = [name for name in map(str, form.unseen or ()) if name in shipped_grammars()]
        data = str(form.data or "") or REPAIR_OPTIONS["data"].default
        return Repair(
            model=model, grammar=grammar, data=data, share=share / 100, unseen=",".join(unseen),
            name=_name(model), **settings,
        )  # fmt: skip

    def command(self, form: RepairForm) -> str:
        """Return the command that does what the form says, with files by their names alone."""
        return _command(self.repair_of(form))

    def start(self, session: Session, form: RepairForm) -> None:
        """Start a repair, and show it; the same one that runs already is shown alone."""
        self._require_local()
        repair = self.repair_of(form)
        for one in self.repairs.listed():
            if one.state.busy and _command(one.repair) == _command(repair):  # pressed twice
                session.of(RepairView).opened = one.id
                return
        grammar = load_grammar(repair.grammar)
        require_sound(grammar)
        if grammar.task != CLASSIFICATION:
            raise InputError(say("errors.task"))
        halves_of(repair.grammar, repair.seed)  # what does not fit is said before anything runs
        able = self._services.capabilities(repair.model, session)
        with discreet(lambda words: without_folder(words, Path(repair.data).parent)):
            if able:
                labels_of(grammar, able.labels)
                usable_rows(repair.data, able.labels)
        session.of(RepairView).opened = self.repairs.new(repair)

    def resume(self, session: Session) -> None:
        """Resume the repair that is shown."""
        self.repairs.start(self.shown(session).id)

    def cancel(self, session: Session) -> None:
        """Stop the repair that is shown."""
        self.repairs.cancel(self.shown(session).id)

    def delete(self, session: Session) -> None:
        """Delete the repair that is shown, with its model."""
        self.repairs.delete(self.shown(session).id)
        session.of(RepairView).opened = ""

    def shown(self, session: Session) -> RepairStatus:
        """Return the repair that is shown.

        Raises:
            InputError: none is, it is gone, or repairs are not for this visitor.
        """
        self._require_local()
        return self.repairs.status(session.of(RepairView).opened)

    def listed(self) -> list[RepairStatus]:
        """List all repairs to the machine's owner."""
        return self.repairs.listed() if self.local else []

    def hand_over(self, session: Session) -> None:
        """Offer the repaired model beside the others, and let Batch test it with unseen words."""
        status = self.shown(session)
        if status.state is not RunState.DONE:
            raise InputError(say("errors.not_done_yet"))
        others = [name for name in session.added if name != status.model]
        session.added = [*others, status.model]
        halves = [
            out_of(status.folder) / "grammars" / f"{half}.yaml" for half in ("seen", "unseen")
        ]
        session.grammar = str(halves[1])
        session.changed = divided_in(*(load_grammar(str(path)) for path in halves))
        session.models = (status.repair.model, status.model)

    def written(self, session: Session, kind: str, folder: Path) -> Path:
        """Copy a file of the repair that is shown for a download: its card, or its examples.

        Raises:
            InputError: there is none, or the disk cannot be written.
        """
        status = self.shown(session)
        out = out_of(status.folder)
        of_kind = {
            "card": out / status.repair.name / "README.md",
            "examples": out / "examples.jsonl",
        }
        source = of_kind[kind]
        path = session.new_folder(folder) / f"{status.repair.name}-{kind}{source.suffix}"
        try:
            path.parent.mkdir(parents=True)
            return Path(copyfile(source, path))
        except OSError as error:
            raise InputError(say("errors.no_file", reason=error.strerror)) from error

    def _require_local(self) -> None:
        if not self.local:
            raise InputError(say("errors.public"))


def _name(model: str) -> str:
    """Return a name for the repaired model, by which tables tell it from others."""
    last = model.partition("?")[0].rstrip("/").replace(":", "/").rpartition("/")[2]
    return f"repaired-{re.sub(r'[^A-Za-z0-9_]+', '-', last)}"


def _command(repair: Repair) -> str:
    arguments = [
        f"{name}={Path(value).name}"
        if name in ("--data", "--grammar") and "/" in value
        else argument
        for argument in arguments_of(repair)
        for name, _, value in [argument.partition("=")]
    ]
    return shlex.join(["hinter", *arguments, "--out=repair"])
