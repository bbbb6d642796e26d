"""Locks of a campaign: files on a disk, and files that are renewed in a place without locks.

On a place, each process that wants a lock writes a file of its own to the folder that the lock is
named after. Whoever then lists no other file holds the lock: a listing shows all that was written
before it, so that of two who write at a time at least one sees the other. A file that is not
renewed for ``EXPIRES`` seconds counts as gone; of this machine, that of a process that has ended.
No clocks are compared. A process that sleeps for longer loses its lock without knowing. The tables
it writes are whole all the same, and equal to those of the other process.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from hinter_core.places import PlaceError, RemotePath

RENEWED, EXPIRES = 10.0, 40.0
_SEEN = 90.0  # seconds for which a lock counts as held if nobody waits to see it renewed
_LOOK, _GIVES_WAY = 0.1, 5.0
_ours: set[str] = set()  # files of this process


@contextmanager
def locked(path: Path, wait: float = 0.0) -> Iterator[None]:
    """Hold a lock, which others give back within ``wait`` seconds.

    Raises:
        filelock.Timeout: another process holds it.
        OSError, PlaceError: its folder cannot be written.
    """
    from filelock import FileLock

    if isinstance(path, RemotePath):
        with _lease(path, wait):
            yield
    else:
        with FileLock(path, timeout=wait, poll_interval=0.02):
            yield


def held(path: Path) -> bool:
    """Whether another process holds a lock; the check stops none from taking it."""
    from filelock import Timeout

    if isinstance(path, RemotePath):
        fresh = time.time() - _SEEN
        states = ((_lives(file.name), file.stat().st_mtime) for file in path.iterdir())
        return any(lives or (lives is None and seen > fresh) for lives, seen in states)
    if not path.exists():
        return False
    try:
        with locked(path):
            return False
    except Timeout:
        return True
    except OSError:
        return False


@contextmanager
def _lease(path: RemotePath, wait: float) -> Iterator[None]:
    lock_file = path / f"{_machine()}-{os.getpid()}-{_born(os.getpid())}-{uuid4().hex[:8]}"
    _ours.add(lock_file.name)
    try:
        _take(lock_file, wait)
        ended = threading.Event()
        renewing = threading.Thread(target=_renew, args=(lock_file, ended), daemon=True)
        renewing.start()
        try:
            yield
        finally:
            ended.set()
            renewing.join()
    finally:
        _ours.discard(lock_file.name)  # if it cannot be deleted, it counts as gone
        with suppress(PlaceError, OSError):
            lock_file.unlink(missing_ok=True)


def _take(lock_file: RemotePath, wait: float) -> None:
    """Write one's own file, and wait until there is no other."""
    from filelock import Timeout

    began, written = time.monotonic(), False
    watched: dict[str, tuple[int, float]] = {}  # size, and when it was first seen
    while True:
        others: dict[str, bool] = {}  # whether it is known that its process lives
        for file in lock_file.parent.iterdir():
            if file.name != lock_file.name:
                size, now = file.stat().st_size, time.monotonic()
                first = watched.setdefault(file.name, (size, now))
                lives = _lives(file.name)
                if lives is False or (lives is None and now - first[1] > EXPIRES):
                    file.unlink(missing_ok=True)
                else:
                    others[file.name] = lives or size != first[0]
                if size != first[0]:
                    watched[file.name] = size, now
        if written and not others:
            return
        if not others:
            lock_file.put(b".")
            written = True
            continue
        if written and lock_file.name > min(others):
            lock_file.unlink(missing_ok=True)
            written = False
        # Of two who have both written, one gives way.
        patience = max(wait, _GIVES_WAY) if written else wait
        if any(others.values()) and time.monotonic() - began >= patience:
            raise Timeout(str(lock_file.parent))
        time.sleep(_LOOK)


def _renew(lock_file: RemotePath, ended: threading.Event) -> None:
    """Write a file of another size from time to time, as times of files may be whole seconds."""
    size = 1
    while not ended.wait(RENEWED):
        size = size % 60 + 1
        with suppress(PlaceError, OSError):  # the next write of a table says so
            lock_file.put(b"." * size)


def _lives(name: str) -> bool | None:
    """Whether the process of a file lives; None: it is another machine's."""
    import psutil

    machine, _, rest = name.partition("-")
    process, _, rest = rest.partition("-")
    if machine != _machine() or not process.isdecimal():
        return None
    if int(process) == os.getpid():
        return name in _ours
    try:
        asleep = psutil.Process(int(process)).status() == psutil.STATUS_ZOMBIE
        return not asleep and _born(int(process)) == int(rest.partition("-")[0])
    except (psutil.Error, ValueError):
        return False


def _born(process: int) -> int:
    import psutil

    return int(psutil.Process(process).create_time())


@cache
def _machine() -> str:
    """Identify the machine, or the container, whose processes this one sees."""
    parts = [platform.node()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
        parts.append(os.readlink("/proc/self/ns/pid"))
    return sha256(" ".join(parts).encode()).hexdigest()[:12]
