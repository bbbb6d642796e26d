"""Actions of the Repair tab, without gradio: read the form, start, watch, stop, hand over.

Faults that a visitor can mend are raised as :class:`hinter_core.errors.HinterError`. A repair
trains a model for minutes and keeps it on disk, so it is for the owner of the machine; a public
host says the command instead.
"""

import atexit
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import copyfile
from typing import Any, Self

from hinter_core.errors import InputError
from hinter_core.generators.grammars.checking import require_sound
from hinter_core.generators.grammars.grammar import CLASSIFICATION
from hinter_core.generators.grammars.reading import load_grammar, shipped_grammars
from hinter_core.options import Option
from hinter_core.repair.examples import divided_in, halves_of, labels_of
from hinter_core.repair.repair import REPAIR_OPTIONS, Repair
from hinter_core.repair.texts import usable_rows
from hinter_ui.processes.record import RunState
from hinter_ui.repair.runs import Repairs, RepairStatus, arguments_of, out_of, say
from hinter_ui.shared.library import discreet, without_folder
from hinter_ui.shared.links import read_field
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

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
