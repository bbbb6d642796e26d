"""Files that visitors upload: what may come, whose they are, and when they go."""

import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from hinter_core.errors import InputError
from hinter_ui.html.wording import Words
from hinter_ui.inside import get_upload_folder
from hinter_ui.shared.session import NOBODY, Allowance, Sessions, Visitor

say = Words("shared")

_UNSAFE = re.compile(r"[^\w.-]+")  # in the name of a file that is kept
_LONGEST_NAME = 100
_PREFIX = "hinter-uploads-"
_LEFT = 3_600  # seconds after which a file goes that no open page holds
_EVERY = 300  # seconds
_FILE = "gradio.FileData"  # the mark of a file among the values of an event
MOST_OF_FILE = 5, 500  # megabytes of a file: on a public host, and on the owner's machine
# On a public host, in bytes: of one request, of a visitor in an hour, and of all.
MOST_SENT, _VISITOR, _ALL = 20_000_000, 50_000_000, 1_000_000_000


def kept_copy(file: str, folder: Path, name: str = "") -> Path:
    """Copy a file to a folder, which is made if it is missing; return the path of the copy.

    ``name``: of the copy; by default that of the file, without characters that a path may not have.

    Raises:
        OSError: the disk is full, or the file is gone.
    """
    folder.mkdir(exist_ok=True)
    safe = name or _UNSAFE.sub("_", Path(file).name).lstrip(".")[-_LONGEST_NAME:] or "file"
    return Path(shutil.copyfile(file, folder / safe))


class Uploads:
    """The folder of uploads; ``local`` tells whether the visitor owns the machine.

    gradio stores an upload before it knows whose it is. A page holds it from the first event that
    uses it until the page closes; what no page holds goes by age.
    """

    def __init__(
        self, sessions: Sessions, local: Callable[[], bool], clock: Callable[[], float] = time.time
    ) -> None:
        self.folder = Path(get_upload_folder()).resolve()
        self._sessions = sessions
        self._local = local
        self._clock = clock
        self._sent = Allowance(_VISITOR, _LEFT, clock)
        self._lock = threading.Lock()

    def refusal(self, visitor: Visitor, length: int | None) -> tuple[int, str]:
        """Return the HTTP status and words that refuse an upload; 200 where it may come.

        ``length``: bytes that the request announces, if it does.
        """
        if self._local():
            return 200, ""
        if length is None:
            return 411, say("uploads.length")
        if length > MOST_SENT:
            return 413, say("uploads.request", most=MOST_SENT // 1_000_000)
        with self._lock:
            if _bytes_in(self.folder) + length > _ALL:
                return 507, say("uploads.all")
            if not self._sent.take(visitor, length):
                return 413, say("uploads.visitor", most=_VISITOR // 1_000_000)
        return 200, ""

    def refused(self, visitor: Visitor, length: int | None, status: int) -> str:
        """Count no upload that was not kept; return our words for it, where they are not gradio's.

        ``status``: of the answer to an upload that :meth:`refusal` let come.
        """
        local = self._local()
        if not local and length is not None:
            self._sent.give_back(visitor, length)
        if status != 413:
            return ""
        return say(f"uploads.{'file' if local else 'file_here'}", most=MOST_OF_FILE[local])

    def hold(self, page: str | None, values: Any, visitor: Visitor = NOBODY) -> None:
        """Keep the uploads among an event's values for its page.

        Raises:
            InputError: a file that is not an upload, or no longer there.
        """
        paths = {self._upload(file) for file in _files_in(values)}
        if paths:
            self._sessions.of(page, visitor).uploads |= paths

    def _upload(self, path: Any) -> Path:
        # gradio would fetch an address itself, whatever its size.
        try:
            resolved = Path(str(path)).resolve()
            there = resolved.is_relative_to(self.folder) and resolved.is_file()
        except (OSError, ValueError):
            there = False
        if not there:
            raise InputError(say("uploads.gone"))
        return resolved

    def sweep(self) -> None:
        """Delete what no open page holds and is old, here and of apps that were killed."""
        before = self._clock() - _LEFT
        held = self._sessions.held()
        for path in sorted(self.folder.rglob("*"), reverse=True):  # files before their folders
            if held.isdisjoint((path, *path.parents)) and _changed(path) < before:
                _remove(path)
        if self.folder.name.startswith(_PREFIX):
            self.folder.touch()
            for other in self.folder.parent.glob(f"{_PREFIX}*"):
                if other != self.folder and _changed(other) < before:
                    shutil.rmtree(other, ignore_errors=True)

    def keep_sweeping(self, ended: threading.Event) -> None:
        """Sweep every few minutes until ``ended``."""
        self.sweep()
        while not ended.wait(_EVERY):
            self.sweep()


@contextmanager
def upload_folder(named: str = "") -> Iterator[str]:
    """Make a folder for the uploads of one run of the app, in ``named``; it goes at the end."""
    parent = named or tempfile.gettempdir()
    Path(parent).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=_PREFIX, dir=parent, ignore_cleanup_errors=True
    ) as folder:
        yield folder


def _files_in(value: Any) -> Iterator[Any]:
    """Yield the paths of all files among an event's values, as gradio finds them."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            meta = value.get("meta")
            if isinstance(meta, dict) and meta.get("_type") == _FILE:
                yield value.get("path")
            else:
                waiting.extend(value.values())
        elif isinstance(value, list | tuple):
            waiting.extend(value)


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # just deleted
            total += path.lstat().st_size
    return total


def _changed(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return float("inf")


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()  # if it is empty
        else:
            path.unlink(missing_ok=True)
