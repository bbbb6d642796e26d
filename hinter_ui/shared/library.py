"""Campaigns and annotation projects kept by the app, and which of them a visitor may see.

Each lies under a name that cannot be guessed. The owner of this machine
sees all of them; on a public host one sees those whose name one has: the name is the key.
"""

from __future__ import annotations

import os
import re
import secrets
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr
from cachetools import LRUCache
from gradio.context import Context

from hinter_core.annotation.backup import ENDING, FOLDER, annotations_folder
from hinter_core.annotation.project.judging import Judging
from hinter_core.annotation.project.store import AnnotationStore, opened
from hinter_core.annotation.project.types import AnnotationError, Project
from hinter_core.campaign.spec import SAMPLE
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import HinterError, InputError
from hinter_core.storage import user_cache

CAMPAIGNS_FOLDER = "HINTER_CAMPAIGNS"
_ID_OF_CAMPAIGNS = re.compile(r"[A-Za-z0-9_-]{16,64}")


@dataclass(frozen=True)
class CampaignEntry:
    """A campaign kept here: the folder that holds all that belongs to it, by its name."""

    id: str
    folder: Path

    @property
    def store(self) -> CampaignStore:
        """The campaign's own directory; it may hold nothing yet."""
        return CampaignStore(self.folder / "campaign")


class Campaigns:
    """The folder of campaigns; ``shared`` is true where all visitors may see all of them."""

    def __init__(self, folder: Path, *, shared: bool) -> None:
        self.folder = folder
        self.shared = shared

    @classmethod
    def at_home(cls, *, shared: bool) -> Campaigns:
        """The folder that ``HINTER_CAMPAIGNS`` names, or one in the visitor's own cache."""
        named = os.environ.get(CAMPAIGNS_FOLDER)
        return cls(Path(named) if named else user_cache() / "campaigns", shared=shared)

    def new(self) -> CampaignEntry:
        """Room for one more.

        Raises:
            InputError: the folder cannot be written.
        """
        entry = self._entry(secrets.token_urlsafe(16))
        try:
            entry.folder.mkdir(parents=True)
        except OSError as error:
            raise InputError(
                f"Cannot write to {self.folder}: {error.strerror}. Name another folder in the "
                f"environment variable {CAMPAIGNS_FOLDER}."
            ) from error
        return entry

    def get(self, name: str) -> CampaignEntry:
        """The campaign of that name.

        Raises:
            InputError: there is none, or that is no name.
        """
        if not _ID_OF_CAMPAIGNS.fullmatch(name) or not self._entry(name).folder.is_dir():
            raise InputError("There is no such campaign; it may have been deleted.")
        return self._entry(name)

    def store(self, name: str, path: str = "") -> CampaignStore:
        """A campaign by its name here, or by the path of its directory.

        Raises:
            InputError: there is none, or paths are not for this visitor.
        """
        if not path:
            return self.get(name).store
        if not self.shared:
            raise InputError("A path can be opened on your own machine only.")
        return CampaignStore(Path(path).expanduser())

    def offered(self, known: Iterable[str]) -> list[tuple[str, str]]:
        """(label, name) of the campaigns that a visitor may see and that have begun."""
        found = []
        for entry in self.seen_by(known)[:_LISTED]:
            try:
                found.append((label_of(entry.store), entry.id))
            except HinterError:
                continue
        return found

    def seen_by(self, known: Iterable[str]) -> list[CampaignEntry]:
        """What a visitor may see, the latest first; ``known`` are the names their browser keeps."""
        if self.shared:
            names = {
                path.name for path in self.folder.glob("*") if _ID_OF_CAMPAIGNS.fullmatch(path.name)
            }
        else:
            names = {name for name in known if _ID_OF_CAMPAIGNS.fullmatch(name)}
        found = [self._entry(name) for name in names]
        there = [entry for entry in found if entry.folder.is_dir()]
        return sorted(there, key=lambda entry: entry.folder.stat().st_ctime, reverse=True)

    def _entry(self, name: str) -> CampaignEntry:
        return CampaignEntry(name, self.folder / name)


_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SHORTEST = 16  # characters of a name that strangers may use: one that cannot be guessed
# Projects whose files stay open; the connections of one that makes room close with its last use.
_OPEN = 16
_LISTED = 100
_MOST = 500  # projects that strangers may make together


@dataclass(frozen=True)
class Listed:
    """A project kept here: the name of its link, its title, and whether it is closed."""

    id: str
    title: str
    closed: bool


class Annotations:
    """The folder of projects; ``local`` says whether whoever sees the page owns the machine."""

    def __init__(self, folder: Path, local: Callable[[], bool]) -> None:
        self.folder = folder
        self._local = local
        self._open: LRUCache[str, Judging] = LRUCache(_OPEN)
        self._lock = threading.Lock()

    @classmethod
    def at_home(cls, local: Callable[[], bool]) -> Annotations:
        """The folder where projects last, as far as the environment names one."""
        return cls(annotations_folder(), local)

    @property
    def local(self) -> bool:
        """Whether whoever sees the page owns the machine, and so all projects."""
        return self._local()

    def new(self, project: Project) -> tuple[str, str]:
        """A new project; its name and the key of its owner, which is told this once.

        Raises:
            HinterError: the folder cannot be written, or strangers made too many already.
        """
        if not self.local and len(list(self.folder.glob(f"*{ENDING}"))) >= _MOST:
            raise InputError(
                "This app holds as many projects as it can. Run HInter on a machine of your own, "
                "or ask whoever runs this one to make room."
            )
        name = secrets.token_urlsafe(16)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"Cannot write to {self.folder}: {error.strerror}. Name another folder in the "
                f"environment variable {FOLDER}."
            ) from error
        store, key = AnnotationStore.create(self._path(name), project)
        with self._lock:
            self._open[name] = Judging(store)
        return name, key

    def judging(self, name: str) -> Judging:
        """The judgements of a project, and who gives them.

        Raises:
            AnnotationError: there is none of that name, or its file cannot be used.
        """
        path = self._path(name) if self._is_name(name) else None
        if path is None or not path.is_file():
            raise AnnotationError(
                "There is no such project; check the link, or ask who sent it.", "no-project"
            )
        with self._lock:
            judging = self._open.get(name)
            if judging is None:
                judging = self._open[name] = Judging(AnnotationStore.open(path))
        return judging

    def owned(self, name: str, key: str) -> Judging:
        """The same for the owner of the project.

        Raises:
            AnnotationError: no such project, or not its owner's key.
        """
        judging = self.judging(name)
        if not self.local:
            judging.store.admit_owner(key)
        return judging

    def listed(self) -> list[Listed]:
        """All projects, the latest first; nothing where strangers look."""
        if not self.local:
            return []
        there = [path for path in self.folder.glob(f"*{ENDING}") if self._is_name(path.stem)]
        found = []
        for path in sorted(there, key=_born, reverse=True)[:_LISTED]:
            try:
                with opened(path) as store:
                    project = store.project()
            except AnnotationError:
                continue  # of another version, or no project at all
            found.append(Listed(path.stem, project.name, project.closed))
        return found

    def delete(self, name: str, key: str) -> Path:
        """Delete a project with all that was judged; returns where it lay.

        Raises:
            HinterError: not the owner, or the file cannot be removed.
        """
        self.owned(name, key).store.close()
        with self._lock:
            self._open.pop(name, None)
        path = self._path(name)
        try:
            for own in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
                own.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"The project cannot be deleted ({error.strerror}).") from error
        return path

    def _is_name(self, name: str) -> bool:
        """Whether a project may have that name; on this machine, one made by hand is welcome."""
        return bool(_ID.fullmatch(name)) and (self.local or len(name) >= _SHORTEST)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{ENDING}"


def _born(path: Path) -> float:
    return path.stat().st_ctime


KEY = "hinter-campaigns"  # in the browser's storage
_MOST_OF_KEPT = 50


def names_kept() -> gr.BrowserState:
    """The state of the page that is being built.

    Made outside the tabs: what lies in a tab is neither read nor written before it is opened.
    """
    # Every visitor's page has this word: it keeps the browser's note readable, not secret.
    return gr.BrowserState([], storage_key=KEY, secret="hinter")  # noqa: S106


def find_kept() -> gr.BrowserState:
    """The state of the page that is being built, which all of its tabs share."""
    page = Context.root_block
    assert page is not None
    return next(
        block
        for block in page.blocks.values()
        if isinstance(block, gr.BrowserState) and block.storage_key == KEY
    )


def known(kept: Any) -> list[str]:
    """The names of campaigns, whatever a browser sent."""
    names = kept if isinstance(kept, list) else []
    return [name for name in names if isinstance(name, str)][:_MOST_OF_KEPT]


def label_of(store: CampaignStore) -> str:
    """A campaign in a list: its data, attributes, size and models.

    Raises:
        StoreError: no campaign, or a damaged one.
    """
    campaign, models = store.campaign(), list(store.read()["models"])
    data = "the texts that come with HInter" if campaign.data == SAMPLE else campaign.title
    size = f"{campaign.sample:,} texts of " if campaign.sample else ""
    asked = ", ".join(model[:40] for model in models[:3]) + (" \u2026" if len(models) > 3 else "")
    what = "handwritten mutants" if campaign.mutants else ", ".join(campaign.attributes)
    return f"{size}{data} \u00b7 {what} \u00b7 {asked or 'no answers yet'}"
