"""The state of one open page; :mod:`hinter_ui.shared.services` has what all visitors share."""

import secrets
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hinter_core.errors import InputError
from hinter_core.models.store import PredictionStore
from hinter_core.pipeline.case import TestResult
from hinter_core.terms.dictionary import Dictionary
from hinter_ui.html.wording import Words
from hinter_ui.shared.links import ExploreForm

say = Words("shared")

_SESSIONS = 2_000
_BYTES = 2_000_000_000  # of all sessions, roughly
_OF_A_MUTANT, _OF_A_TERM, _OF_ANYTHING = 6_000, 400, 10_000  # bytes, roughly
_RESTED = 1_800  # seconds
_OWN_MODELS = 8
_MOST_FILES = 5  # kept for one page to be fetched

State = TypeVar("State")


@dataclass
class Session:
    """The state of one open page; :meth:`of` keeps what only one tab needs.

    ``own`` are models asked with the visitor's key; they and the ``keys`` (by server) are kept
    here only, and go when the page closes. ``added`` are models that the visitor loaded.
    ``campaign`` is the one opened last; ``scanned`` the last scan, though ``check`` be another.
    """

    check: TestResult | None = None
    scanned: tuple[TestResult, ExploreForm] | None = None
    dictionaries: dict[str, Dictionary] = field(default_factory=dict)
    running: threading.Event | None = None  # set it to stop the scan that runs now
    turn: int = 0  # counts what was begun: scans, and what interrupts them
    own: dict[str, PredictionStore] = field(default_factory=dict, repr=False)
    keys: dict[str, str] = field(default_factory=dict, repr=False)
    added: list[str] = field(default_factory=list)
    campaign: str = ""
    language: str = "en"  # of tabs that speak several
    wanted: ExploreForm | None = None  # what another tab asks Explore to open
    hand: str = ""  # a file of mutants that another tab asks Batch to run
    grammar: str = ""  # a grammar, by name or file, that another tab asks Batch to test
    models: tuple[str, ...] = ()  # models that another tab asks Batch or Repair to take
    tested: str = ""  # the campaign of a grammar that was begun last
    files: list[Path] = field(default_factory=list)  # folders of what was made to be downloaded
    uploads: set[Path] = field(default_factory=set)
    address: str = ""  # of the visitor
    used: float = 0.0  # when it was last asked for, by a clock of the app
    _states: dict[type[Any], Any] = field(default_factory=dict, repr=False)

    def of(self, state: type[State]) -> State:
        """Return a tab's state of the page: a dataclass, made at the first call."""
        kept: State = self._states.setdefault(state, state())
        return kept

    @property
    def weight(self) -> int:
        """Bytes in memory, roughly; 0 with nothing that a visitor would miss."""
        kept = {id(one): one for one in (self.check, self.scanned and self.scanned[0]) if one}
        answers = sum(len(one.mutants) * (1 + len(one.outcomes)) for one in kept.values())
        terms = sum(len(one.terms) for one in self.dictionaries.values())
        others = len(self.own) + len(self.keys) + len(self.added) + len(self.files)
        others += len(self.uploads) + len(kept) + bool(self.running) + bool(self.campaign)
        return answers * _OF_A_MUTANT + terms * _OF_A_TERM + others * _OF_ANYTHING

    def stop(self) -> bool:
        """Ask a running scan to stop; return whether there is one."""
        if self.running is None:
            return False
        self.running.set()
        return True

    def begin(self) -> threading.Event:
        """Begin a scan in place of another; return what stops it."""
        self.interrupt()
        self.running = stop = threading.Event()
        return stop

    def interrupt(self) -> None:
        """Stop a running scan, since something else will be shown."""
        self.stop()
        self.running = None
        self.turn += 1

    def keep(self, name: str, store: PredictionStore) -> None:
        """Keep a model for this page alone; the oldest ones go first."""
        self.own.pop(name, None)
        self.own[name] = store
        while len(self.own) > _OWN_MODELS:
            self.own.pop(next(iter(self.own)))

    def new_folder(self, folder: Path) -> Path:
        """Return a folder, not yet made, for a download; the oldest ones go first."""
        own = folder / f"hinter-{secrets.token_urlsafe(24)}"
        while len(self.files) >= _MOST_FILES:
            shutil.rmtree(self.files.pop(0), ignore_errors=True)
        self.files.append(own)
        return own

    def close(self, kept: Collection[Path] = ()) -> None:
        """Stop the scan; drop keys, models asked with them, downloads, and uploads not ``kept``."""
        self.stop()
        self.keys.clear()
        self.own.clear()
        for folder in self.files:
            shutil.rmtree(folder, ignore_errors=True)
        self.files.clear()
        for upload in self.uploads.difference(kept):
            upload.unlink(missing_ok=True)
        self.uploads.clear()


class Sessions:
    """Sessions by the key of the open page; forgotten when the page closes.

    Keys come from the browser, so that one visitor can make as many as they like. Those with
    nothing in them go first; one with something goes only when it has rested for ``_RESTED``
    seconds and nothing runs in it. If none may go, no further page is taken.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._kept: OrderedDict[str, Session] = OrderedDict()  # the last used last
        self._clock = clock
        self._lock = threading.Lock()

    def of(self, key: str | None) -> Session:
        """Return the session of an open page, made at the first call.

        Raises:
            InputError: there is no room for another page.
        """
        with self._lock:
            session = self._kept.get(key or "")
            if session is None:
                self._make_room()
                session = self._kept[key or ""] = Session()
            self._kept.move_to_end(key or "")
            session.used = self._clock()
            return session

    def forget(self, key: str | None) -> None:
        """Close and drop a session."""
        with self._lock:
            session = self._kept.pop(key or "", None)
            held = self._held()
        if session:
            session.close(held)

    def held(self) -> set[Path]:
        """Return the files and folders of downloads and uploads of all sessions."""
        with self._lock:
            return self._held()

    def _held(self) -> set[Path]:
        return {
            path for session in self._kept.values() for path in (*session.files, *session.uploads)
        }

    def _make_room(self) -> None:
        """Drop sessions until another fits."""
        weights = {key: session.weight for key, session in self._kept.items()}
        total = sum(weights.values())
        going = sorted(self._kept, key=lambda key: weights[key] > 0)  # stable: the oldest first
        for key in going:
            if len(self._kept) < _SESSIONS and total < _BYTES:
                return
            session = self._kept[key]
            if weights[key] and (session.running or self._clock() - session.used < _RESTED):
                continue
            total -= weights[key]
            self._kept.pop(key)
            session.close(self._held())
        if len(self._kept) >= _SESSIONS or total >= _BYTES:
            raise InputError(say("access.full"))
