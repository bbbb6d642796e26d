"""What the events of all tabs have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar

import gradio as gr
from gradio.context import Context

from hinter_ui.html.wording import chosen
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session
from hinter_ui.shared.wiring import attempt, guarded, private, scripted

Updates = dict[Any, Any]  # widgets, and what becomes of them


class TabEvents:
    """What the events of all tabs have in common; made inside the tab's ``gr.Tab``.

    ``notice`` is where failures are told, under ``title``; ``options`` are those of its events.
    """

    title = ""
    options: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, services: Services, notice: Any) -> None:
        tab, page = Context.block, Context.root_block
        assert isinstance(tab, gr.Tab)
        assert isinstance(tab.parent, gr.Tabs)
        assert page is not None
        self.services = services
        self.notice = notice
        self.tab, self.tabs, self.page = tab, tab.parent, page

    def session(self, request: gr.Request) -> Session:
        """What the visitor's open page has."""
        session = self.services.sessions.of(request.session_hash)
        session.language = chosen(request.query_params.get("lang", session.language))
        return session

    def on(
        self,
        event: Callable[..., Any],
        act: Callable[..., Any],
        inputs: list[Any],
        outputs: list[Any],
        notice: Any = None,
        **options: Any,
    ) -> Any:
        """Wire one private event; what fails is told in the notice, and what is shown stays."""
        place = notice or self.notice
        act = guarded(act, place, self.title)
        every = list(dict.fromkeys([*outputs, place]))
        return private(event, act, inputs, every, **{**self.options, **options})

    def download(
        self, event: Callable[..., Any], act: Callable[..., Any], inputs: list[Any], place: Any
    ) -> None:
        """Let the page fetch the file that ``act`` makes, by its path in the widget ``place``."""

        @wraps(act)
        def write(*values: Any) -> Updates:
            path, failure = attempt(act, *values, title=self.title)
            return {place: str(path or ""), self.notice: failure}

        made = private(event, write, inputs, [place, self.notice], **self.options)
        scripted(made.success, "page.fetchFile", [place])

    def show(self, tab: str) -> Updates:
        """Turn to another tab."""
        return {self.tabs: gr.Tabs(selected=tab)}
