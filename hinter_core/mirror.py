"""Copy all data to a mounted bucket, and back when a machine begins without them.

A bucket takes whole files, and shows them late; databases on it lose data. So data lie on the local
disk, and each file that changed is copied as a whole.
"""

import logging
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from hinter_core.storage import PART, mirrored_folder, snapshot, user_cache, write_whole

_EVERY = 60.0  # seconds between two looks for changes
_KEPT = ("campaigns", "annotations", "classes", "repairs", "predictions.sqlite")
_BESIDE = ("-wal", "-shm", PART)  # of a database or a file that is being written
log = logging.getLogger(__name__)


class Mirror:
    """Copies what changes in ``home`` to ``bucket``, and back what ``home`` lacks at the start."""

    def __init__(self, home: Path, bucket: Path, every: float = _EVERY) -> None:
        self.home, self.bucket = home, bucket
        self._every = every
        self._sent: dict[str, tuple[int, ...]] = {}  # what each file was like when it was copied
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="mirror", daemon=True)

    @classmethod
    def from_environment(cls) -> Self | None:
        """Create the mirror of the user's cache, if ``HINTER_DATA`` is no local disk."""
        bucket = mirrored_folder()
        return cls(user_cache(), bucket) if bucket else None

    def start(self) -> None:
        """Restore what is missing, and copy changes until :meth:`close`."""
        self.restore()
        self._thread.start()

    def close(self) -> None:
        """Copy the changes and stop."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(self._every)
        self.copy()

    def _go_on(self) -> None:
        while not self._over.wait(self._every):
            self.copy()

    def restore(self) -> list[str]:
        """Copy the files of the bucket that are missing here; return their names."""
        done = []
        for name in sorted(_files(self.bucket)):
            here, there = self.home / name, self.bucket / name
            try:
                if not here.exists():
                    here.parent.mkdir(parents=True, exist_ok=True)
                    with write_whole(here) as part:  # half a file is none
                        shutil.copyfile(there, part)
                    done.append(name)
                elif here.stat().st_mtime > there.stat().st_mtime:
                    continue  # newer than the copy: it is copied as a change
                self._sent[name] = _state(here)
            except OSError as error:
                log.warning("A file of the bucket was not copied here: %s", type(error))
        return done

    def copy(self) -> list[str]:
        """Copy each changed file and delete those that are gone here; return their names.

        A file that cannot be copied now is tried again the next time.
        """
        there, done = set(_files(self.home)), []
        for name in sorted(there | self._sent.keys()):
            try:
                if name not in there:
                    (self.bucket / name).unlink(missing_ok=True)
                    del self._sent[name]
                elif (state := _state(self.home / name)) != self._sent.get(name):
                    self._put(name)
                    self._sent[name] = state
                else:
                    continue
                done.append(name)
            except FileNotFoundError:
                continue  # deleted meanwhile
            except (OSError, sqlite3.Error) as error:
                log.warning("A file of the data was not copied to the bucket: %s", type(error))
        return done

    def _put(self, name: str) -> None:
        here, there = self.home / name, self.bucket / name
        there.parent.mkdir(parents=True, exist_ok=True)
        if here.suffix == ".sqlite":
            there.write_bytes(snapshot(here))  # under its own name: a bucket renames nothing
        else:
            shutil.copyfile(here, there)


def _files(folder: Path) -> Iterator[str]:
    for kept in _KEPT:
        for place, _, names in os.walk(folder / kept):
            inside = Path(place).relative_to(folder)
            yield from ((inside / name).as_posix() for name in names if not name.endswith(_BESIDE))
        if (folder / kept).is_file():
            yield kept


def _state(path: Path) -> tuple[int, ...]:
    """Return what changes with a file: its time and size, and those of a database's log."""
    state = []
    for one in (path, path.with_name(f"{path.name}-wal")):
        if one.exists():
            known = one.stat()
            state += [known.st_mtime_ns, known.st_size]
    return tuple(state)
