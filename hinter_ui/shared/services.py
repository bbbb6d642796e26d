"""Resources shared by all visitors: dictionaries, parsers, models and their stores.

A parser or model is loaded by the first check that needs it, or by :meth:`Services.warm_up`.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from hinter_core.annotation.backup import Backup
from hinter_core.errors import HinterError, InputError
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.base import Capabilities
from hinter_core.models.huggingface.lent import LentModel, is_lent
from hinter_core.models.registry import BACKENDS, Reads, build_model, kind_of, store_for
from hinter_core.models.scripted import shipped_rules
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.terms.dictionary import Dictionary, load_shipped
from hinter_ui.html.markup import model_choices
from hinter_ui.html.wording import Words
from hinter_ui.shared.access import Access
from hinter_ui.shared.library import Annotations, Campaigns
from hinter_ui.shared.links import DEFAULT_MODEL, DEFAULT_PARSER
from hinter_ui.shared.session import Allowance, Session, Sessions
from hinter_ui.shared.widgets import Labels
from hinter_ui.shared.wiring import Addresses, TabLink

log = logging.getLogger(__name__)
say = Words("shared")

_STORES = 6  # checkpoints in memory
_HOUR = 3_600.0
_STORED = 200_000_000  # bytes of campaigns and downloads of a visitor in an hour
_OPENED = 20  # classes and projects of a visitor in a day
_LIGHT_STORES = 32  # models that weigh next to nothing

# Names of models of other tasks that come with HInter, too.
SHIPPED = frozenset(("masked", "resolver:rules"))

T = TypeVar("T")


class _Stores(Generic[T]):
    """Values made once by name, under a lock per name; the least recently used go first."""

    def __init__(self, make: Callable[[str], T], capacity: int) -> None:
        self._make = make
        self._made: LRUCache[str, T] = LRUCache(capacity)
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def get(self, name: str) -> T:
        """Return the value of that name, made now if need be without blocking others."""
        with self._guard:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            store = self.peek(name)
            if store is None:
                try:
                    store = self._make(name)
                    with self._guard:
                        self._made[name] = store
                finally:
                    with self._guard:
                        self._locks.pop(name, None)
            return store

    def peek(self, name: str) -> T | None:
        """Return the value if it has been made."""
        with self._guard:
            return self._made.get(name)

    def busy(self, name: str) -> bool:
        """Whether it is being made now."""
        with self._guard:
            return name in self._locks and name not in self._made


class Services:
    """Resources shared by the tabs; without ``access`` the app is on a public host.

    ``links`` lead to tabs that were built before; ``labels`` are the tabs' widgets with texts;
    ``addresses`` say what an address opens; ``projects`` are those in which people judge;
    ``backup`` copies annotation projects to the Hub, if the environment asks for it. ``ready`` is
    set once the first check is quick, ``closing`` when the app ends.
    """

    def __init__(self, access: Access | None = None) -> None:
        self.access = access or Access()
        self.ready, self.closing = threading.Event(), threading.Event()
        self.sessions = Sessions()
        self._stored = Allowance(_STORED, _HOUR)
        self._opened = Allowance(_OPENED, 24 * _HOUR)
        self._only: dict[Any, Any] = {}
        self.links: dict[str, TabLink] = {}
        self._waiting: dict[str, list[Callable[..., Any]]] = {}
        self.labels: list[Labels] = []
        self.addresses = Addresses()
        self.projects = Annotations.at_home(lambda: self.access.local)
        self.backup: Backup | None = None
        self._parses = _Stores(lambda name: ParseStore(load_parser(name)), 3)
        self._models = _Stores(self.open_store, _STORES)
        self._light = _Stores(self.open_store, _LIGHT_STORES)

    def only(self, kind: Callable[["Services"], T]) -> T:
        """Return the one object of a kind that serves all visitors, made by the first call."""
        if kind not in self._only:
            self._only[kind] = kind(self)
        made: T = self._only[kind]
        return made

    def require_room(self, session: Session, size: int) -> None:
        """Count the bytes that a visitor of a public host lets it keep, in campaigns and files.

        Raises:
            InputError: these would be too many within an hour.
        """
        if not (self.access.local or self._stored.take(session.visitor, size)):
            raise InputError(say("access.stored", most=_STORED // 1_000_000))

    def require_opening(self, session: Session) -> None:
        """Count a class or a project that a visitor of a public host opens; there is room for few.

        Raises:
            InputError: the visitor has opened as many within a day as one may.
        """
        if not (self.access.local or self._opened.take(session.visitor)):
            raise InputError(say("access.opened", most=_OPENED))

    def offer(self, name: str, link: TabLink) -> None:
        """Offer a link to a tab, also to the tabs that were built before."""
        self.links[name] = link
        for event in self._waiting.pop(name, []):
            link.follow(event)

    def lead(self, name: str, event: Callable[..., Any]) -> None:
        """Follow the link to a tab after an event, also if that tab is built later."""
        if name in self.links:
            self.links[name].follow(event)
        else:
            self._waiting.setdefault(name, []).append(event)

    def labels_of(self, room: str) -> Labels:
        """Return what makes the widgets of a tab with the texts of its room."""
        self.labels.append(Labels(room))
        return self.labels[-1]

    @property
    def campaigns(self) -> Campaigns:
        """The campaigns; a tunnel may have let strangers in since the app was started."""
        return Campaigns.at_home(shared=self.access.local)

    def dictionaries(self, session: Session | None = None) -> dict[str, Dictionary]:
        """Return the shipped dictionaries and the visitor's."""
        of_visitor = session.dictionaries if session else {}
        return {**load_shipped(), **of_visitor}

    def model_choices(self, session: Session | None = None) -> list[tuple[str, str]]:
        """Return (label, name) of the models that come with HInter and those the visitor added."""
        scripted = [
            (say("models.scripted", name=name.replace("-", " ")), f"scripted:{name}")
            for name in shipped_rules()
        ]
        added = model_choices(session.added) if session else []
        named = [(say(f"models.{name}"), name) for name in ("embedded", "vader", "textblob")]
        return [*named, *scripted, *added]

    def models_named(self, typed: Iterable[str], session: Session) -> tuple[str, ...]:
        """Return the names of models; each may be typed as it is listed, or as a part of one."""
        listed = {label.casefold(): name for label, name in self.model_choices(session)}

        def named(one: str) -> str:
            part = one.casefold().strip()
            if part in listed or ":" in part or one in listed.values():
                return listed.get(part, one)
            meant = [name for label, name in listed.items() if part and part in label]
            return meant[0] if len(meant) == 1 else one

        return tuple(dict.fromkeys(map(named, typed)))

    def parses(self, name: str) -> ParseStore:
        """Return the shared parse store of a parser.

        Raises:
            ParserError: unknown, missing, or not to be named here.
        """
        return self._parses.get(self.access.admit_parser(name))

    def model(self, name: str, session: Session | None = None) -> PredictionStore:
        """Return the page's prediction store of a model, or the one that all share.

        Raises:
            ModelError: unknown, missing, broken, or not to be named here.
        """
        name = name.strip()
        of_visitor = session.own.get(name) if session else None
        return of_visitor or self._stores_of(name).get(name)

    def loaded_model(self, name: str, session: Session) -> PredictionStore | None:
        """Return the store of a model that is in memory already."""
        name = name.strip()
        return session.own.get(name) or self._stores_of(name).peek(name)

    def at_hand(self, name: str, session: Session) -> bool:
        """Whether a model can be asked at once and without cost."""
        return kind_of(name.strip()).light or self.loaded_model(name, session) is not None

    def loading(self, name: str) -> bool:
        """Whether the shared model of that name is being loaded."""
        return self._stores_of(name).busy(name)

    def capabilities(self, name: str, session: Session) -> Capabilities | None:
        """Return what a model can do, once it is loaded."""
        store = self.loaded_model(name, session)
        return store.model.capabilities if store else None

    def open_store(self, name: str, key: str = "") -> PredictionStore:
        """Load a model into a store of its own; on the owner's machine costly answers go to disk.

        Raises:
            HinterError: the model cannot be loaded, or the cache on disk cannot be opened.
        """
        named = self.access.admit(name, key)
        backend = BACKENDS[named.kind]
        on_gpu = is_lent() and backend.reads is Reads.HUB and not backend.generative
        model = LentModel(name) if on_gpu else build_model(named)
        return store_for(model) if self.access.local else PredictionStore(model)

    def _stores_of(self, name: str) -> _Stores[PredictionStore]:
        return self._light if kind_of(name).light else self._models

    def pipeline(
        self,
        dictionaries: Sequence[Dictionary],
        parser: str,
        models: Sequence[str],
        settings: Settings,
        session: Session | None = None,
    ) -> Pipeline:
        """Return a pipeline over the shared stores and those of the page.

        Raises:
            HinterError: a parser or model cannot be loaded.
        """
        stores = [self.model(name, session) for name in dict.fromkeys(models)]
        return Pipeline(dictionaries, self.parses(parser), stores, settings)

    def warm_up(self) -> None:
        """Load the embedded parser and model for a quick first check."""
        try:
            self.parses(DEFAULT_PARSER).parse(["She is a nurse."])
            self.model(DEFAULT_MODEL).predict(["She is a nurse."])
            self.ready.set()
            import duckdb  # noqa: F401  # the first report would wait a second for it
        except HinterError as error:
            log.warning("Warm-up: %s", error)
        except Exception:  # while the app ends, libraries go that this thread still imports
            if not self.closing.is_set():
                raise
        finally:
            self.ready.set()
