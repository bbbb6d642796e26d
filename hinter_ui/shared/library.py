"""Campaigns and annotation projects kept by the app, and which of them a visitor may see.

Each has a name that cannot be guessed. The machine's owner sees all of them; on a public host a
visitor sees those whose name they know, and no message names the folder of this machine.
"""

import logging
import re
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import gradio as gr
from cachetools import LRUCache

from hinter_core.annotation.backup import ENDING, FOLDER, annotations_folder
from hinter_core.annotation.project.judging import Judging
from hinter_core.annotation.project.store import AnnotationStore, opened
from hinter_core.annotation.project.types import AnnotationError, Project
from hinter_core.campaign.findings import ExportFilter, write_mutants
from hinter_core.campaign.progress import unanswered
from hinter_core.campaign.settings import SAMPLE
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import HinterError, InputError
from hinter_core.places import place_of
from hinter_core.storage import data_place, make_private
from hinter_ui.environment import CAMPAIGNS_FOLDER
from hinter_ui.html.wording import Words, name_of
from hinter_ui.inside import Context
from hinter_ui.shared.session import Session
from hinter_ui.shared.widgets import browser_note

say = Words("shared")
log = logging.getLogger(__name__)

_ID_OF_CAMPAIGNS = re.compile(r"[A-Za-z0-9_-]{16,64}")


@dataclass(frozen=True)
class CampaignEntry:
    """A campaign kept by the app, and the folder with all that belongs to it."""

    id: str
    folder: Path

    @property
    def store(self) -> CampaignStore:
        """The campaign's directory of tables, which may not exist yet."""
        return CampaignStore(self.folder / "campaign")

    @property
    def changed(self) -> float:
        """When something was last put into its folder: its start, in seconds since 1970."""
        return self.folder.stat().st_ctime


class Campaigns:
    """The folder of campaigns; ``shared`` is true where all visitors may see all of them."""

    def __init__(self, folder: Path, *, shared: bool) -> None:
        self.folder = folder
        self.shared = shared

    @classmethod
    def at_home(cls, *, shared: bool) -> Self:
        """Use the folder that ``HINTER_CAMPAIGNS`` names, or one among all data."""
        return cls(data_place("campaigns", CAMPAIGNS_FOLDER), shared=shared)

    def new(self) -> CampaignEntry:
        """Make the folder of a new campaign.

        Raises:
            InputError: it cannot be written.
        """
        return self.made(secrets.token_urlsafe(16))

    def made(self, name: str) -> CampaignEntry:
        """Return the campaign of that name; its folder is made.

        Raises:
            InputError: it cannot be written.
        """
        entry = self._entry(name)
        with _writable(self.folder, CAMPAIGNS_FOLDER, local=self.shared):
            make_private(entry.folder)
        return entry

    def exists(self, name: str) -> bool:
        """Whether there is a campaign of that name."""
        return bool(_ID_OF_CAMPAIGNS.fullmatch(name)) and self._entry(name).folder.is_dir()

    def get(self, name: str) -> CampaignEntry:
        """Return the campaign of that name.

        Raises:
            InputError: there is none.
        """
        if not self.exists(name):
            raise InputError(say("campaigns.unknown"))
        return self._entry(name)

    def store(self, name: str, path: str = "") -> CampaignStore:
        """Return a campaign's tables by its name here, or by the path of its directory.

        Raises:
            InputError: there is none, or paths are not for this visitor.
        """
        if not path:
            return self.get(name).store
        if not self.shared:
            raise InputError(say("campaigns.path"))
        return CampaignStore(place_of(path).expanduser())

    def offered(self, known: Iterable[str]) -> list[tuple[str, str]]:
        """Return (label, name) of the campaigns that a visitor may see and that have begun.

        A label that several have begins with the time of each.
        """
        labels = {}
        for entry in self.seen_by(known)[:_LISTED]:
            with suppress(HinterError):
                labels[entry] = label_of(entry.store)
        uses = Counter(labels.values())
        times = {
            entry: time.strftime("%Y-%m-%d %H:%M:%S \u00b7 ", time.localtime(entry.changed))
            for entry, label in labels.items()
            if uses[label] > 1
        }
        return [(times.get(entry, "") + label, entry.id) for entry, label in labels.items()]

    def seen_by(self, known: Iterable[str]) -> list[CampaignEntry]:
        """List what a visitor may see, the latest first; the browser keeps the ``known`` names."""
        names = {path.name for path in self.folder.glob("*")} if self.shared else set(known)
        there = [self._entry(name) for name in names if self.exists(name)]
        return sorted(there, key=lambda entry: entry.changed, reverse=True)

    def _entry(self, name: str) -> CampaignEntry:
        return CampaignEntry(name, self.folder / name)


_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SHORTEST = 16  # characters of a name that strangers may use, so that it cannot be guessed
_OPEN = 16  # projects whose files stay open
_LISTED = 100
_MOST = 500  # projects that strangers may make together


@dataclass(frozen=True)
class Listed:
    """A project kept by the app: the name of its link, its title, and whether it is closed.

    ``made``: the day, or "". ``done`` of its ``size`` texts have the judgements that they need.
    """

    id: str
    title: str
    closed: bool
    made: str
    done: int
    size: int


class Annotations:
    """The folder of projects; ``local`` tells whether the visitor owns the machine."""

    def __init__(self, folder: Path, local: Callable[[], bool]) -> None:
        self.folder = folder
        self._local = local
        self._open: LRUCache[str, Judging] = LRUCache(_OPEN)
        self._lock = threading.Lock()

    @classmethod
    def at_home(cls, local: Callable[[], bool]) -> Self:
        """Use the folder that the environment names, or one in the user's cache."""
        return cls(annotations_folder(), local)

    @property
    def local(self) -> bool:
        """Whether the visitor owns the machine, and so all projects."""
        return self._local()

    def new(self, project: Project) -> tuple[str, str]:
        """Create a project; return its name and its owner's key, which is kept nowhere.

        Raises:
            HinterError: the folder cannot be written, or strangers made too many already.
        """
        if not self.local and len(list(self.folder.glob(f"*{ENDING}"))) >= _MOST:
            raise InputError(say("projects.full"))
        name = secrets.token_urlsafe(16)
        with _writable(self.folder, FOLDER, local=self.local):
            make_private(self.folder)
        store, key = AnnotationStore.create(self._path(name), project)
        with self._lock:
            self._open[name] = Judging(store)
        return name, key

    def judging(self, name: str) -> Judging:
        """Open the judgements of a project.

        Raises:
            AnnotationError: there is no such project, or its file cannot be used.
        """
        path = self._path(name) if self._is_name(name) else None
        if path is None or not path.is_file():
            raise AnnotationError(say("projects.unknown"), "no-project")
        with self._lock:
            judging = self._open.get(name)
            if judging is None:
                judging = self._open[name] = Judging(AnnotationStore.open(path))
        return judging

    def owned(self, name: str, key: str) -> Judging:
        """Open the judgements of a project for its owner.

        Raises:
            AnnotationError: no such project, or not its owner's key.
        """
        judging = self.judging(name)
        if not self.local:
            judging.store.admit_owner(key)
        return judging

    def listed(self) -> list[Listed]:
        """List all projects to the machine's owner, the latest first."""
        if not self.local:
            return []
        there = [path for path in self.folder.glob(f"*{ENDING}") if self._is_name(path.stem)]
        projects = []
        for path in sorted(there, key=_born, reverse=True)[:_LISTED]:
            # It may be of another version, or no project at all.
            with suppress(AnnotationError), opened(path) as store:
                project, made, done = store.project(), store.made_at()[:10], store.done()
                projects.append(Listed(path.stem, project.name, project.closed, made, *done))
        return projects

    def delete(self, name: str, key: str) -> Path:
        """Delete a project with its judgements; return the path it had.

        Raises:
            HinterError: not the owner, or the file cannot be removed.
        """
        self.owned(name, key).store.close()
        with self._lock:
            self._open.pop(name, None)
        path = self._path(name)
        try:
            for part in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
                part.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(say("projects.not_deleted", reason=error.strerror)) from error
        return path

    def close(self) -> None:
        """Close the files that stay open, so that each project is one file again."""
        with self._lock:
            for judging in self._open.values():
                judging.store.close()
            self._open.clear()

    def _is_name(self, name: str) -> bool:
        """Whether a project may have that name; the machine's owner may choose a short one."""
        return bool(_ID.fullmatch(name)) and (self.local or len(name) >= _SHORTEST)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{ENDING}"


def _born(path: Path) -> float:
    return path.stat().st_ctime


@contextmanager
def _writable(folder: Path, variable: str, *, local: bool) -> Iterator[None]:
    """Raise errors of a folder; its owner is told the variable that names another one."""
    try:
        yield
    except OSError as error:
        words = say("campaigns.folder", folder=folder, reason=error.strerror, variable=variable)
        if not local:
            log.error("%s", words)  # noqa: TRY400 -- the sentence says all
            words = say("campaigns.nowhere")
        raise InputError(words) from error


KEY = "hinter-campaigns"  # in the browser's storage
_MOST_OF_KEPT = 50


def names_kept() -> gr.BrowserState:
    """Make the page's list of campaigns that the browser keeps.

    It is outside the tabs, since what is in a tab is not read before the tab is opened.
    """
    return browser_note(KEY, "hinter", [])


def find_kept() -> gr.BrowserState:
    """Return that list for a tab of the page that is being built."""
    page = Context.root_block
    assert page is not None
    return next(
        block
        for block in page.blocks.values()
        if isinstance(block, gr.BrowserState) and block.storage_key == KEY
    )


def known(session: Session, kept: Any) -> list[str]:
    """Return names of campaigns, whatever a browser sent; the page learns the keys beside them."""
    notes = [note for note in kept if isinstance(note, str)] if isinstance(kept, list) else []
    parts = [note.partition(" ") for note in notes[:_MOST_OF_KEPT]]
    session.owned |= {name: key for name, _, key in parts if _ID_OF_CAMPAIGNS.fullmatch(key)}
    while len(session.owned) > 2 * _MOST_OF_KEPT:
        session.owned.pop(next(iter(session.owned)))
    return [name for name, _, _ in parts]


def noted(session: Session, names: Iterable[str]) -> list[str]:
    """Return what the browser keeps of campaigns: each name, with the key of its owner."""
    return [f"{name} {session.owned.get(name, '')}".strip() for name in names][:_MOST_OF_KEPT]


def label_of(store: CampaignStore) -> str:
    """Describe a campaign in a list: its data, attributes, size and models.

    Raises:
        StoreError: no campaign, or a damaged one.
    """
    campaign, models = store.campaign(), list(store.read()["models"])
    data = say("campaigns.sample") if campaign.data == SAMPLE else campaign.title
    if campaign.sample:
        data = say("campaigns.sampled", n=campaign.sample, data=data)
    names = ", ".join(
        f"{model[:39]}\u2026" if len(model) > 40 else model for model in models[:3]
    ) + (" \u2026" if len(models) > 3 else "")
    what = (
        say("campaigns.handwritten")
        if not campaign.source.makes
        else ", ".join(map(name_of, campaign.attributes))
    )
    parts = [data, what, names or say("campaigns.unanswered")]
    if lost := _unanswered(store, store.shards.stat().st_mtime_ns if models else 0):
        ended = "finished" in (store.read().get("runs") or [{}])[-1]
        parts.append(say(f"campaigns.{'complete' if ended else 'begun'}", n=lost))
    return " \u00b7 ".join(parts)


@lru_cache(maxsize=500)
def _unanswered(store: CampaignStore, written: int) -> int:
    """Count the mutants without an answer; ``written``: when a table was last written, or 0."""
    return sum(reason.mutants for reason in unanswered(store)) if written else 0


def without_folder(message: str, *folders: Path) -> str:
    """Name files in a message without the folders they lie in on this machine."""
    for folder in sorted(map(str, folders), key=len, reverse=True):
        if folder not in (".", "/", ""):
            message = message.replace(f"{folder}/", "").replace(f"{folder}\\", "")
    return message


@contextmanager
def discreet(hide: Callable[[str], str]) -> Iterator[None]:
    """Raise errors with the message that ``hide`` makes of theirs."""
    try:
        yield
    except HinterError as error:
        words = hide(str(error))
        if words == str(error):
            raise
        raise type(error)(words) from error


def write_for(session: Session, store: CampaignStore, wanted: ExportFilter, folder: Path) -> Path:
    """Write mutants to a file that is deleted when the page is closed.

    Raises:
        HinterError: there are none, a table cannot be read, or the disk is full.
    """
    path = session.new_folder(folder) / "hinter-mutants.csv"
    try:
        path.parent.mkdir(parents=True)
        written = write_mutants(store, path, wanted)
    except (HinterError, OSError) as error:
        said = error.strerror or "" if isinstance(error, OSError) else str(error)
        said = without_folder(said.replace(str(store.folder), say("campaigns.this")), path.parent)
        raise InputError(say("campaigns.not_written", reason=said)) from error
    if not written:
        raise InputError(say("campaigns.no_verdict"))
    return path
