"""The state of one open page; :mod:`hinter_ui.shared.services` has what all visitors share."""

import secrets
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from cachetools import LRUCache

from hinter_core.models.store import PredictionStore
from hinter_core.pipeline.case import TestResult
from hinter_core.terms.dictionary import Dictionary
from hinter_ui.shared.links import ExploreForm

_SESSIONS = 200
_OWN_MODELS = 8
_MOST_FILES = 5  # kept for one page to be fetched

State = TypeVar("State")


@dataclass
class Session:
    """The state of one open page; :meth:`of` keeps what only one tab needs.

    ``own`` are models asked with the visitor's key; they and the ``keys`` (by server) are kept
    here only, and go when the page closes. ``added`` are models that the visitor loaded.
    ``campaign`` is the one opened last.
    """

    check: TestResult | None = None
    dictionaries: dict[str, Dictionary] = field(default_factory=dict)
    running: threading.Event | None = None  # set it to stop the scan that runs now
    own: dict[str, PredictionStore] = field(default_factory=dict, repr=False)
    keys: dict[str, str] = field(default_factory=dict, repr=False)
    added: list[str] = field(default_factory=list)
    campaign: str = ""
    language: str = "en"  # of tabs that speak several
    wanted: ExploreForm | None = None  # what another tab asks Explore to open
    hand: str = ""  # a file of mutants that another tab asks Batch to run
    files: list[Path] = field(default_factory=list)  # folders of what was made to be downloaded
    _states: dict[type[Any], Any] = field(default_factory=dict, repr=False)

    def of(self, state: type[State]) -> State:
        """Return a tab's state of the page: a dataclass, made at the first call."""
        kept: State = self._states.setdefault(state, state())
        return kept

    def stop(self) -> bool:
        """Ask a running scan to stop; return whether there is one."""
        if self.running is None:
            return False
        self.running.set()
        return True

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

    def close(self) -> None:
        """Stop the scan, and drop keys, models asked with them, and downloads."""
        self.stop()
        self.keys.clear()
        self.own.clear()
        for folder in self.files:
            shutil.rmtree(folder, ignore_errors=True)
        self.files.clear()


class _ClosingLRU(LRUCache[str, Session]):
    """A cache that closes the sessions it drops."""

    def popitem(self) -> tuple[str, Session]:
        key, session = super().popitem()
        session.close()
        return key, session


class Sessions:
    """Sessions by the key of the open page; forgotten when the page closes."""

    def __init__(self, capacity: int = _SESSIONS) -> None:
        self._kept: LRUCache[str, Session] = _ClosingLRU(capacity)
        self._lock = threading.Lock()

    def of(self, key: str | None) -> Session:
        """Return the session of an open page, made at the first call."""
        with self._lock:
            if (key or "") not in self._kept:
                self._kept[key or ""] = Session()
            return self._kept[key or ""]

    def forget(self, key: str | None) -> None:
        """Close and drop a session."""
        with self._lock:
            session = self._kept.pop(key or "", None)
        if session:
            session.close()
