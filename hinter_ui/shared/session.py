"""The state of one open page; :mod:`hinter_ui.shared.services` has what all visitors share."""

import secrets
import shutil
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hinter_core.errors import InputError
from hinter_core.models.store import PredictionStore
from hinter_core.pipeline.case import TestResult
from hinter_core.terms.dictionary import Dictionary
from hinter_ui.html.wording import Words
from hinter_ui.shared.links import ExploreForm

say = Words("shared")

_SESSIONS = 2_000
_OF_A_VISITOR = 200  # of them; a class may have one address
_BYTES = 2_000_000_000  # of all sessions, roughly
_OF_A_MUTANT, _OF_A_TERM, _OF_ANYTHING = 6_000, 400, 10_000  # bytes, roughly
_RESTED = 1_800  # seconds
_OWN_MODELS = 8
_MOST_FILES = 5  # kept for one page to be fetched

State = TypeVar("State")


class Visitor(NamedTuple):
    """Sender of a request: a network, and the id in the browser's cookie, if any.

    Limits count for each of the two: who throws the cookie away keeps the network.
    """

    network: str = ""
    browser: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names under which limits count."""
        return tuple(f"{kind} {name}" for kind, name in self._asdict().items() if name)

    def shares(self, other: "Visitor") -> bool:
        """Whether two requests come from the same network or the same browser."""
        return not set(self.names).isdisjoint(other.names)


NOBODY = Visitor()


class Allowance:
    """Rate limit per visitor: uses, or bytes, within ``seconds``."""

    def __init__(
        self, most: float, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._used: dict[str, deque[tuple[float, float]]] = {}  # (time, amount) by name
        self._lock = threading.Lock()

    def take(self, visitor: Visitor, amount: float = 1) -> bool:
        """Whether the visitor may use so much more now; it is counted then."""
        now = self._clock()
        with self._lock:
            self._forget(now - self._seconds)
            names = visitor.names or ("unknown",)
            for name in names:
                if sum(size for _, size in self._used.get(name, ())) + amount > self._most:
                    return False
            for name in names:
                self._used.setdefault(name, deque()).append((now, amount))
        return True

    def give_back(self, visitor: Visitor, amount: float) -> None:
        """Count no more what was taken last of that amount."""
        with self._lock:
            for name in visitor.names or ("unknown",):
                used = self._used.get(name, deque())
                last = next((one for one in reversed(used) if one[1] == amount), None)
                if last:
                    used.remove(last)

    def _forget(self, before: float) -> None:
        for name, used in list(self._used.items()):
            while used and used[0][0] < before:
                used.popleft()
            if not used:
                del self._used[name]


@dataclass(frozen=True)
class Result:
    """Result of a check or a scan, with the form that it was made from.

    ``asked``: the same as the models answered, where ``check`` is judged at another threshold.
    """

    check: TestResult
    form: ExploreForm
    asked: TestResult | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were asked."""
        return tuple(self.check.outcomes)

    @property
    def answered(self) -> TestResult:
        """The result as the models answered."""
        return self.asked or self.check


@dataclass
class Session:
    """The state of one open page; :meth:`of` keeps what only one tab needs.

    ``own`` are models asked with the visitor's key; they and the ``keys`` (by server) are kept
    here only, and go when the page closes. ``added`` are models that the visitor loaded.
    ``campaign`` is the one opened last; ``result`` what Explore shows, ``scanned`` its last scan.
    """

    result: Result | None = None
    scanned: Result | None = None
    dictionaries: dict[str, Dictionary] = field(default_factory=dict)
    running: threading.Event | None = None  # set it to stop the scan that runs now
    turn: int = 0  # counts what was begun: scans, and what interrupts them
    own: dict[str, PredictionStore] = field(default_factory=dict, repr=False)
    keys: dict[str, str] = field(default_factory=dict, repr=False)
    added: list[str] = field(default_factory=list)
    campaign: str = ""
    wanted: ExploreForm | None = None  # what another tab asks Explore to open
    hand: str = ""  # a file of mutants that another tab asks Batch to run
    grammar: str = ""  # a grammar, by name or file, that another tab asks Batch to test
    changed: tuple[str, ...] = ()  # attributes of the grammar that Batch is asked to change; all
    models: tuple[str, ...] = ()  # models that another tab asks Batch or Repair to take
    tested: str = ""  # the campaign of a grammar that was begun last
    files: list[Path] = field(default_factory=list)  # folders of what was made to be downloaded
    uploads: set[Path] = field(default_factory=set)
    visitor: Visitor = NOBODY
    page: str = ""  # address of the app, as the visitor has it open
    owned: dict[str, str] = field(default_factory=dict, repr=False)  # keys of campaigns, by name
    used: float = 0.0  # when it was last asked for, by a clock of the app
    _states: dict[type[Any], Any] = field(default_factory=dict, repr=False)

    def of(self, state: type[State]) -> State:
        """Return a tab's state of the page: a dataclass, made at the first call."""
        kept: State = self._states.setdefault(state, state())
        return kept

    @property
    def check(self) -> TestResult | None:
        """Result shown in Explore, without its form."""
        return self.result.check if self.result else None

    @property
    def weight(self) -> int:
        """Bytes in memory, roughly; 0 with nothing that a visitor would miss."""
        kept = {id(one.check): one.check for one in (self.result, self.scanned) if one}
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
        made = folder / f"hinter-{secrets.token_urlsafe(24)}"
        while len(self.files) >= _MOST_FILES:
            shutil.rmtree(self.files.pop(0), ignore_errors=True)
        self.files.append(made)
        return made

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

    Keys come from the browser, so that one visitor can make as many as they like. A visitor has
    room for ``_OF_A_VISITOR``: their least recently used page goes first, and those with nothing in
    them before others. Where all visitors together have too many, pages with nothing in them go
    first, then what has rested for ``_RESTED`` seconds, then the oldest page of whoever has most.
    Nothing goes while a scan runs in it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._kept: OrderedDict[str, Session] = OrderedDict()  # the last used last
        self._clock = clock
        self._lock = threading.Lock()

    def of(self, key: str | None, visitor: Visitor = NOBODY) -> Session:
        """Return the session of an open page, made at the first call.

        Raises:
            InputError: there is no room for another page, or it is another visitor's page.
        """
        with self._lock:
            session = self._kept.get(key or "")
            if session is None:
                self._make_room(visitor)
                session = self._kept[key or ""] = Session(visitor=visitor)
            elif _foreign(session, visitor):
                raise InputError(say("access.other_page"))
            self._kept.move_to_end(key or "")
            session.used = self._clock()
            return session

    def is_foreign(self, key: str, visitor: Visitor) -> bool:
        """Whether a page is open in another visitor's browser."""
        with self._lock:
            session = self._kept.get(key)
            return session is not None and _foreign(session, visitor)

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

    def _make_room(self, visitor: Visitor) -> None:
        """Drop sessions until another of this visitor fits."""
        weights = {key: session.weight for key, session in self._kept.items()}
        # Stable: of equals, the least recently used comes first.
        going = sorted(
            (key for key in weights if not self._kept[key].running),
            key=lambda key: weights[key] > 0,
        )
        of_visitor = [key for key in going if self._kept[key].visitor.shares(visitor)]
        busy = sum(one.visitor.shares(visitor) for one in self._kept.values()) - len(of_visitor)
        while of_visitor and len(of_visitor) + busy >= _OF_A_VISITOR:
            self._drop(of_visitor.pop(0), going, weights)
        while len(self._kept) >= _SESSIONS or sum(weights.values()) >= _BYTES:
            key = self._next(going, weights)
            if key is None:
                raise InputError(say("access.full"))
            self._drop(key, going, weights)

    def _next(self, going: list[str], weights: dict[str, int]) -> str | None:
        """Return the session that goes next; None where each visitor has at most one."""
        rested = self._clock() - _RESTED
        if idle := next(
            (key for key in going if not weights[key] or self._kept[key].used <= rested), None
        ):
            return idle
        pages, bytes_of = Counter[str](), Counter[str]()
        for key in going:
            network = self._kept[key].visitor.network
            pages[network] += 1
            bytes_of[network] += weights[key]
        several = [network for network, number in pages.items() if number > 1]
        most = max(several, key=bytes_of.__getitem__, default=None)
        return next((key for key in going if self._kept[key].visitor.network == most), None)

    def _drop(self, key: str, going: list[str], weights: dict[str, int]) -> None:
        going.remove(key)
        del weights[key]
        self._kept.pop(key).close(self._held())


def _foreign(session: Session, visitor: Visitor) -> bool:
    """Whether a page was opened by a browser with a cookie, and another one elsewhere asks."""
    return bool(session.visitor.browser) and not session.visitor.shares(visitor)
