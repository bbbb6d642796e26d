"""What all visitors share: dictionaries, parsers, models and their stores; and what each has alone.

Nothing is loaded at import or when the page is built: a parser or model is loaded by the first
check that needs it, or by :meth:`Services.warm_up` in the background.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from hinter_core.dictionary import Dictionary, load_shipped
from hinter_core.errors import HinterError
from hinter_core.matching import Matcher
from hinter_core.models.registry import load_model
from hinter_core.models.scripted import shipped_rules
from hinter_core.models.store import PredictionStore
from hinter_core.parsing import ParseStore, load_parser
from hinter_core.planning import Settings
from hinter_core.probe import Probe
from hinter_core.trial import Check
from hinter_ui.forms import DEFAULT_MODEL, DEFAULT_PARSER, Form
from hinter_ui.present.table import Filter

log = logging.getLogger(__name__)

_SESSIONS = 200
_STORES = 6

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


@dataclass
class Session:
    """What one open page has: its check, its own dictionaries, and the wish to stop."""

    check: Check | None = None
    form: Form = field(default_factory=Form)  # what the check was made from
    models: tuple[str, ...] = ()
    shown_model: str = ""
    selected: int | None = None
    filter: Filter = field(default_factory=Filter)
    dictionaries: dict[str, Dictionary] = field(default_factory=dict)
    running: threading.Event | None = None  # set it to stop the scan that runs now

    def stop(self) -> bool:
        """Ask a running scan to stop; whether there was one."""
        if self.running is None:
            return False
        self.running.set()
        return True


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
                self._kept.popitem(last=False)[1].stop()
            return session

    def forget(self, key: str | None) -> None:
        """Drop a session and stop its scan."""
        with self._lock:
            session = self._kept.pop(key or "", None)
        if session:
            session.stop()


class Services:
    """Everything a tab may ask for."""

    def __init__(self) -> None:
        self.sessions = Sessions()
        self._parses = _Shelf(lambda name: ParseStore(load_parser(name)), 3)
        self._models = _Shelf(lambda name: PredictionStore(load_model(name)), _STORES)
        self._matchers: dict[tuple[int, ...], tuple[Sequence[Dictionary], Matcher]] = {}

    def dictionaries(self, session: Session | None = None) -> dict[str, Dictionary]:
        """The shipped dictionaries and the visitor's own."""
        own = session.dictionaries if session else {}
        return {**load_shipped(), **own}

    def model_choices(self) -> list[tuple[str, str]]:
        """(label, name) of the models that need nothing but this installation."""
        scripted = [
            (f"Scripted: {name.replace('-', ' ')}", f"scripted:{name}") for name in shipped_rules()
        ]
        return [
            ("Embedded sentiment", "embedded"),
            ("VADER", "vader"),
            ("TextBlob", "textblob"),
            *scripted,
        ]

    def parses(self, name: str) -> ParseStore:
        """The shared parse store of a parser.

        Raises:
            ParserError: unknown or missing.
        """
        return self._parses.get(name.strip())

    def model(self, name: str) -> PredictionStore:
        """The shared prediction store of a model.

        Raises:
            ModelError: unknown, missing or broken.
        """
        return self._models.get(name.strip())

    def loaded_model(self, name: str) -> PredictionStore | None:
        """The store of a model that is in memory already."""
        return self._models.peek(name.strip())

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
    ) -> Probe:
        """A probe over the shared stores.

        Raises:
            HinterError: a parser or model cannot be had.
        """
        stores = [self.model(name) for name in dict.fromkeys(models)]
        return Probe(dictionaries, self.parses(parser), stores, settings)

    def warm_up(self) -> None:
        """Load the embedded parser and model, so that the first check is quick."""
        try:
            self.parses(DEFAULT_PARSER).parse(["She is a nurse."])
            self.model(DEFAULT_MODEL).predict(["She is a nurse."])
        except HinterError as error:
            log.warning("Warm-up: %s", error)
