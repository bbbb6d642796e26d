"""What all visitors share: dictionaries, parsers, models and their stores; and what each has alone.

Nothing is loaded at import or when the page is built: a parser or model is loaded by the first
check that needs it, or by :meth:`Services.warm_up` in the background.
"""

from __future__ import annotations

import logging
import secrets
import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from hinter_core.annotation.keeping import Keeper
from hinter_core.dictionary import Dictionary, load_shipped
from hinter_core.errors import HinterError
from hinter_core.matching import Matcher
from hinter_core.models.base import Capabilities
from hinter_core.models.registry import build_model, store_for
from hinter_core.models.scripted import shipped_rules
from hinter_core.models.store import PredictionStore
from hinter_core.parsing import ParseStore, load_parser
from hinter_core.planning import Settings
from hinter_core.probe import Probe
from hinter_core.trial import Check
from hinter_ui.forms import DEFAULT_MODEL, DEFAULT_PARSER, Form
from hinter_ui.models_access import Access
from hinter_ui.models_load import Load
from hinter_ui.present.table import Filter
from hinter_ui.results_reading import Reading
from hinter_ui.wiring import private, scripted

log = logging.getLogger(__name__)

_SESSIONS = 200
_STORES = 6  # checkpoints in memory
_LIGHT_STORES = 32  # models that weigh next to nothing
_OWN_MODELS = 8
_MOST_FILES = 5  # kept for one page to be fetched
_LIGHT = ("embedded", "vader", "textblob", "scripted")

T = TypeVar("T")


class _Shelf(Generic[T]):
    """Things made once by name, under a lock per name; the least recently used go first."""

    def __init__(self, make: Callable[[str], T], capacity: int) -> None:
        self._make = make
        self._capacity = capacity
        self._made: OrderedDict[str, T] = OrderedDict()
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def get(self, name: str) -> T:
        """The thing of that name, made now if need be; others may be had meanwhile."""
        with self._guard:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            found = self.peek(name)
            if found is None:
                try:
                    found = self._make(name)
                    with self._guard:
                        self._made[name] = found
                        while len(self._made) > self._capacity:
                            self._made.popitem(last=False)
                finally:
                    with self._guard:
                        self._locks.pop(name, None)
            return found

    def peek(self, name: str) -> T | None:
        """The thing if it has been made, without waiting."""
        with self._guard:
            if name in self._made:
                self._made.move_to_end(name)
            return self._made.get(name)

    def busy(self, name: str) -> bool:
        """Whether it is being made now."""
        with self._guard:
            return name in self._locks and name not in self._made


@dataclass
class Session:
    """What one open page has: its check, its own dictionaries and models, the wish to stop.

    ``own`` are models asked with the visitor's key; they and the ``keys`` (by server) are kept
    here only, and go when the page closes. ``added`` are names the visitor loaded, ``loads`` the
    latest try of each. ``campaign`` is the one looked at last, ``watched`` what
    the page shows of it.
    """

    check: Check | None = None
    form: Form = field(default_factory=Form)  # what the check was made from
    models: tuple[str, ...] = ()
    shown_model: str = ""
    selected: int | None = None
    filter: Filter = field(default_factory=Filter)
    dictionaries: dict[str, Dictionary] = field(default_factory=dict)
    running: threading.Event | None = None  # set it to stop the scan that runs now
    own: dict[str, PredictionStore] = field(default_factory=dict, repr=False)
    keys: dict[str, str] = field(default_factory=dict, repr=False)
    added: list[str] = field(default_factory=list)
    loads: dict[str, Load] = field(default_factory=dict)
    campaign: str = ""  # the one looked at last
    offered: list[tuple[str, str]] = field(default_factory=list)  # campaigns, in Results
    watched: dict[str, str] = field(default_factory=dict)
    reading: Reading | None = None  # the campaign whose results are open
    wanted: Form | None = None  # what another tab asks Explore to open
    language: str = "en"  # of tabs that speak several
    hand: str = ""  # a file of mutants that another tab asks Batch to run
    files: list[Path] = field(default_factory=list)  # folders of what was made to be downloaded

    def stop(self) -> bool:
        """Ask a running scan to stop; whether there was one."""
        if self.running is None:
            return False
        self.running.set()
        return True

    def keep(self, name: str, store: PredictionStore) -> None:
        """Put a model on this page's own shelf; the oldest ones go first."""
        self.own.pop(name, None)
        self.own[name] = store
        while len(self.own) > _OWN_MODELS:
            self.own.pop(next(iter(self.own)))

    def room(self, folder: Path) -> Path:
        """A new folder, not yet made, for a file to be downloaded; the oldest ones go first."""
        own = folder / f"hinter-{secrets.token_urlsafe(24)}"
        while len(self.files) >= _MOST_FILES:
            shutil.rmtree(self.files.pop(0), ignore_errors=True)
        self.files.append(own)
        return own

    def close(self) -> None:
        """Stop what runs, and let go of keys, of models asked with them, and of downloads."""
        self.stop()
        self.keys.clear()
        self.own.clear()
        for folder in self.files:
            shutil.rmtree(folder, ignore_errors=True)
        self.files.clear()


class Sessions:
    """Sessions by the key of the open page; forgotten when the page closes."""

    def __init__(self, capacity: int = _SESSIONS) -> None:
        self._capacity = capacity
        self._kept: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, key: str | None) -> Session:
        """The session of an open page, made when it is new."""
        with self._lock:
            session = self._kept.setdefault(key or "", Session())
            self._kept.move_to_end(key or "")
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)[1].close()
            return session

    def forget(self, key: str | None) -> None:
        """Drop a session with its keys and stop its scan."""
        with self._lock:
            session = self._kept.pop(key or "", None)
        if session:
            session.close()


@dataclass(frozen=True)
class Door:
    """What a tab lets others do in it: a function of the request, and the widgets it updates.

    ``scripts`` run in the page afterwards, one after another; ``options`` are those of the event.
    """

    act: Callable[..., Any]
    outputs: list[Any]
    scripts: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def enter(self, event: Callable[..., Any]) -> None:
        """Go in once an event of another tab is over: ``event`` is its ``then`` or ``success``."""
        step = private(event, self.act, [], self.outputs, **self.options)
        for script in self.scripts:
            step = scripted(step.then, script)


class Services:
    """Everything a tab may ask for.

    ``doors`` are those of tabs that were built before; ``keeper`` copies annotation projects to
    the Hub, where the environment asks for it.
    """

    def __init__(self, access: Access | None = None) -> None:
        """``access`` tells where the app runs; a public host unless told otherwise."""
        self.access = access or Access()
        self.sessions = Sessions()
        self.doors: dict[str, Door] = {}
        self.keeper: Keeper | None = None
        self._parses = _Shelf(lambda name: ParseStore(load_parser(name)), 3)
        self._models = _Shelf(self.open_store, _STORES)
        self._light = _Shelf(self.open_store, _LIGHT_STORES)
        self._matchers: dict[tuple[int, ...], tuple[Sequence[Dictionary], Matcher]] = {}

    def dictionaries(self, session: Session | None = None) -> dict[str, Dictionary]:
        """The shipped dictionaries and the visitor's own."""
        own = session.dictionaries if session else {}
        return {**load_shipped(), **own}

    def model_choices(self, session: Session | None = None) -> list[tuple[str, str]]:
        """(label, name) of the models that come with HInter, then of those the visitor added."""
        scripted = [
            (f"Scripted: {name.replace('-', ' ')}", f"scripted:{name}") for name in shipped_rules()
        ]
        added = session.added if session else []
        return [
            ("Embedded sentiment", "embedded"),
            ("VADER", "vader"),
            ("TextBlob", "textblob"),
            *scripted,
            *((name, name) for name in added),
        ]

    def parses(self, name: str) -> ParseStore:
        """The shared parse store of a parser.

        Raises:
            ParserError: unknown or missing.
        """
        return self._parses.get(name.strip())

    def model(self, name: str, session: Session | None = None) -> PredictionStore:
        """The page's own prediction store of a model, or the one that all share.

        Raises:
            ModelError: unknown, missing, broken, or not to be named here.
        """
        name = name.strip()
        own = session.own.get(name) if session else None
        return own or self._shelf(name).get(name)

    def loaded_model(self, name: str, session: Session | None = None) -> PredictionStore | None:
        """The store of a model that is in memory already."""
        name = name.strip()
        own = session.own.get(name) if session else None
        return own or self._shelf(name).peek(name)

    def at_hand(self, name: str, session: Session | None = None) -> bool:
        """Whether a model can be asked without loading anything that weighs or costs."""
        name = name.strip()
        light = name.partition(":")[0] in _LIGHT
        return light or self.loaded_model(name, session) is not None

    def loading(self, name: str) -> bool:
        """Whether anybody is loading the shared model of that name."""
        return self._shelf(name).busy(name)

    def capabilities(self, name: str, session: Session | None = None) -> Capabilities | None:
        """What a model can do; known once it is loaded."""
        store = self.loaded_model(name, session)
        return store.model.capabilities if store else None

    def open_store(self, name: str, key: str = "") -> PredictionStore:
        """A new store of a model, kept nowhere yet.

        At the owner's own machine, answers that cost are kept on disk; those to strangers are not.

        Raises:
            HinterError: the model cannot be had, or the disk's cache cannot be opened.
        """
        model = build_model(self.access.admit(name, key))
        return store_for(model) if self.access.local else PredictionStore(model)

    def _shelf(self, name: str) -> _Shelf[PredictionStore]:
        return self._light if name.partition(":")[0] in _LIGHT else self._models

    def matcher(self, dictionaries: Sequence[Dictionary]) -> Matcher:
        """A compiled matcher, kept for the dictionaries used last."""
        key = tuple(id(d) for d in dictionaries)
        kept = self._matchers.get(key)
        if kept is None:
            if len(self._matchers) >= 32:
                self._matchers.clear()
            kept = self._matchers[key] = (list(dictionaries), Matcher(dictionaries))
        return kept[1]

    def probe(
        self,
        dictionaries: Sequence[Dictionary],
        parser: str,
        models: Sequence[str],
        settings: Settings,
        session: Session | None = None,
    ) -> Probe:
        """A probe over the shared stores and those of the page.

        Raises:
            HinterError: a parser or model cannot be had.
        """
        stores = [self.model(name, session) for name in dict.fromkeys(models)]
        return Probe(dictionaries, self.parses(parser), stores, settings)

    def warm_up(self) -> None:
        """Load the embedded parser and model, so that the first check is quick."""
        try:
            self.parses(DEFAULT_PARSER).parse(["She is a nurse."])
            self.model(DEFAULT_MODEL).predict(["She is a nurse."])
        except HinterError as error:
            log.warning("Warm-up: %s", error)
