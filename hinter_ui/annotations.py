"""Where the app keeps annotation projects, and who may open them as their owner.

Each is one file under a name that cannot be guessed: the name lets one join, the owner's key lets
one own. The owner of this machine owns all of its projects.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hinter_core.annotation.desk import Desk
from hinter_core.annotation.keeping import ENDING, FOLDER, annotations_folder
from hinter_core.annotation.store import AnnotationStore, opened
from hinter_core.annotation.values import AnnotationError, Project
from hinter_core.errors import InputError

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SHORTEST = 16  # characters of a name that strangers may use: one that cannot be guessed
_OPEN = 16  # projects whose files stay open
_LISTED = 100
_MOST = 500  # projects that strangers may make together


@dataclass(frozen=True)
class Listed:
    """A project on the shelf: the name of its link, its title, and whether it is closed."""

    id: str
    title: str
    closed: bool


class Annotations:
    """The folder of projects; ``local`` says whether whoever sees the page owns the machine."""

    def __init__(self, folder: Path, local: Callable[[], bool]) -> None:
        self.folder = folder
        self._local = local
        self._desks: OrderedDict[str, Desk] = OrderedDict()
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
            self._keep(name, Desk(store))
        return name, key

    def desk(self, name: str) -> Desk:
        """The desk of a project.

        Raises:
            AnnotationError: there is none of that name, or its file cannot be used.
        """
        path = self._path(name) if self._is_name(name) else None
        if path is None or not path.is_file():
            raise AnnotationError(
                "There is no such project; check the link, or ask who sent it.", "no-project"
            )
        with self._lock:
            desk = self._desks.get(name)
            if desk is None:
                desk = Desk(AnnotationStore.open(path))
            self._keep(name, desk)
        return desk

    def owned(self, name: str, key: str) -> Desk:
        """The desk of a project, for its owner.

        Raises:
            AnnotationError: no such project, or not its owner's key.
        """
        desk = self.desk(name)
        if not self.local:
            desk.store.admit_owner(key)
        return desk

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
            self._desks.pop(name, None)
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

    def _keep(self, name: str, desk: Desk) -> None:
        self._desks[name] = desk
        self._desks.move_to_end(name)
        while len(self._desks) > _OPEN:
            # Somebody may still work with it; its connections close when nobody does.
            self._desks.popitem(last=False)


def _born(path: Path) -> float:
    return path.stat().st_ctime
