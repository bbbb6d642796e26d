"""The base of every tab's events."""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from inspect import isgeneratorfunction, signature
from pathlib import Path
from typing import Any, ClassVar

import gradio as gr

from hinter_core.errors import HinterError
from hinter_ui.html.wording import Words, languages
from hinter_ui.inside import Context
from hinter_ui.shared.gate import visitor_of
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import attempt, page_address, private, scripted

Updates = dict[Any, Any]  # widgets, and what becomes of them
Told = Mapping[str, Any]  # what a page tells with an event


def visible(shown: Mapping[Any, object]) -> Updates:
    """Show widgets, or hide them."""
    return {widget: gr.update(visible=bool(there)) for widget, there in shown.items()}


class TabEvents:
    """The events of one tab; made inside its ``gr.Tab``.

    Failures are shown in ``notice`` under the text ``failure`` of the tab's ``room`` of texts;
    ``options`` are those of its events. An action that names a ``session`` is called with that of
    the visitor's page, and one that names ``data`` with what the page tells.
    """

    room = "language"
    failure = ""
    options: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, services: Services, notice: Any) -> None:
        tab, page = Context.block, Context.root_block
        assert isinstance(tab, gr.Tab)
        assert isinstance(tab.parent, gr.Tabs)
        assert page is not None
        self.services = services
        self.notice = notice
        self.always: list[Any] = []  # widgets that every answer updates
        self.tab, self.tabs, self.page = tab, tab.parent, page

    @property
    def title(self) -> str:
        """The title of failures."""
        return Words(self.room)(self.failure) if self.failure else ""

    def session(self, request: gr.Request) -> Session:
        """Return the session of the visitor's open page."""
        session = self.services.sessions.of(request.session_hash, visitor_of(request))
        session.page = page_address(request) or session.page
        return session

    def served(self, act: Callable[..., Any]) -> Callable[..., Any]:
        """Return an action as gradio calls it: with a request, and with an event."""
        readers: dict[str, Callable[[Any], Any]] = {
            "session": self.session, "data": lambda event: event._data or {},
        }  # fmt: skip
        named = [name.lstrip("_") for name in signature(act).parameters]
        places = {place: readers[name] for place, name in enumerate(named) if name in readers}

        def read(values: tuple[Any, ...]) -> list[Any]:
            return [places[n](one) if n in places else one for n, one in enumerate(values)]

        if isgeneratorfunction(act):

            @wraps(act)
            def run(*values: Any) -> Any:
                yield from act(*read(values))

        else:

            @wraps(act)
            def run(*values: Any) -> Any:
                return act(*read(values))

        kinds = {"session": gr.Request, "data": gr.EventData}
        hints = getattr(getattr(act, "func", act), "__annotations__", {}).items()  # of a partial
        run.__annotations__ = {name: kinds.get(name.lstrip("_"), kind) for name, kind in hints}
        return run

    def private(
        self,
        event: Callable[..., Any],
        act: Callable[..., Any],
        inputs: list[Any],
        outputs: list[Any],
        **options: Any,
    ) -> Any:
        """Wire one private event, whose failures gradio tells."""
        return private(event, self.served(act), inputs, outputs, **options)

    def on(
        self,
        event: Callable[..., Any],
        act: Callable[..., Any],
        inputs: list[Any],
        outputs: list[Any],
        notice: Any = None,
        **options: Any,
    ) -> Any:
        """Wire one private event; failures are shown in the notice, the rest of the page stays."""
        place = notice or self.notice
        every = list(dict.fromkeys([*outputs, *self.always, place]))
        act = self.answering(act, place)
        return private(event, act, inputs, every, **{**self.options, **options})

    def standing(self, _session: Session) -> Updates:
        """Return what every answer of the tab brings along: updates of its widgets ``always``."""
        return {}

    def answering(self, act: Callable[..., Any], place: Any = None) -> Callable[..., Any]:
        """Guard an action, and let each of its answers bring :meth:`standing` along.

        Failures are shown in ``place``; the rest of the page stays. A generator guards itself.
        """
        act = self.served(act)

        def told(updates: Updates, values: tuple[Any, ...]) -> Updates:
            if not self.always:
                return updates
            request = next(value for value in values if isinstance(value, gr.Request))
            return updates | self.standing(self.session(request))

        if isgeneratorfunction(act):

            @wraps(act)
            def steps(*values: Any) -> Iterator[Updates]:
                for updates in act(*values):
                    yield told(updates, values)

            return steps

        @wraps(act)
        def answer(*values: Any) -> Updates:
            updates, failure = attempt(act, *values, title=lambda: self.title)
            return told({place or self.notice: failure} if failure else updates, values)

        return answer

    def download(
        self, event: Callable[..., Any], act: Callable[..., Any], inputs: list[Any], place: Any
    ) -> None:
        """Download the file that ``act`` makes, through its path in the widget ``place``."""
        act = self.served(act)

        @wraps(act)
        def write(request: gr.Request, *values: Any) -> Updates:
            def made() -> Path:
                return self.counted(self.session(request), act(request, *values))

            path, failure = attempt(made, title=lambda: self.title)
            return {place: str(path or ""), self.notice: failure}

        done = private(event, write, inputs, [place, self.notice], **self.options)
        scripted(done.success, "page.fetchFile", [place])

    def counted(self, session: Session, path: Path) -> Path:
        """Return a file that was made for a visitor, unless it is more than may be kept for them.

        Raises:
            InputError: it is more; the file is gone.
        """
        try:
            self.services.require_room(session, path.stat().st_size)
        except HinterError:
            path.unlink(missing_ok=True)
            raise
        return path

    def ask_first(self, delete: gr.Button, keep: gr.Button, really: gr.Button) -> None:
        """Ask before deleting: in place of the first button, one keeps, and one beside it deletes.

        The focus goes to the one that keeps; the text ``ask`` of the room is read out.
        """

        def asking(asks: bool) -> Updates:
            return visible({delete: not asks, keep: asks, really: asks})

        buttons = [delete, keep, really]
        asked = private(delete.click, lambda: asking(True), [], buttons)
        private(keep.click, lambda: asking(False), [], buttons)
        self.tell(asked, "ask")

    def tell(self, event: Any, key: str) -> None:
        """Read out a text of the room after an event."""
        words = {code: Words(self.room, code)(key) for code in languages()}
        scripted(event.success, "page.tell", first=(words,))

    def show(self, tab: str) -> Updates:
        """Switch to another tab."""
        return {self.tabs: gr.Tabs(selected=tab)}
