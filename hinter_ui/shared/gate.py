"""What reaches the app from outside: whose pages may ask, and what an event may bring."""

import html
import logging
import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import gradio as gr
from gradio.blocks import BlocksConfig
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hinter_core.annotation.invitation import is_loopback
from hinter_core.errors import HinterError
from hinter_ui.html.wording import Words
from hinter_ui.shared.services import Services
from hinter_ui.shared.uploads import Uploads

log = logging.getLogger(__name__)
say = Words("shared")

# What a page may load and whom it may tell: gradio needs inline scripts, styles and eval; on a
# Space, its script for the frame comes from a server of its own.
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: https://cdnjs.cloudflare.com",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "media-src 'self' data: blob:",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
        )
    ),
}
# gradio lets pages of any origin read its answers with the visitor's cookies.
_CORS = ("Access-Control-Allow-Origin", "Access-Control-Allow-Credentials")
_READING = ("GET", "HEAD", "OPTIONS")
_LONGEST_NAME = 255  # bytes of a file's name
_LONGEST = 300  # characters of a refusal that gradio words
_TRACES, _WHILE = 10, 600.0  # faults that are logged whole, in so many seconds


class Gate:
    """Let requests to ``app`` in or refuse them, and add :data:`HEADERS` to every answer.

    Refused are what another site's page sends, uploads without room, and on the owner's machine
    requests under another machine's name: a site may call its own name by the address 127.0.0.1.
    """

    def __init__(self, app: ASGIApp, services: Services, uploads: Uploads) -> None:
        self._app = app
        self._services = services
        self._uploads = uploads
        self._traces = Rationed(_TRACES, _WHILE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name in _CORS:
                    del headers[name]
                headers.update(HEADERS)
            await send(message)

        status, words = self._refusal(scope)
        app = PlainTextResponse(words, status) if words else self._app
        try:
            await app(scope, receive, with_headers)
        except Exception:
            if self._traces.take():
                raise  # to be logged; it is answered already

    def _refusal(self, scope: Scope) -> tuple[int, str]:
        headers = Headers(scope=scope)
        if self._services.access.local and not is_loopback(_host(headers.get("host", ""))):
            return 403, say("gate.host")
        path = str(scope["path"]).rstrip("/")
        # The first writes a page's values to disk, and no page of ours asks for it; no file has a
        # name such as the others.
        odd = "\0" in path or any(len(part.encode()) > _LONGEST_NAME for part in path.split("/"))
        if path.endswith("/deep_link") or odd:
            return 404, say("gate.unknown")
        if scope["method"] in _READING:
            return 200, ""
        if _foreign(headers):
            return 403, say("gate.foreign")
        if path.endswith("/upload"):
            length = headers.get("content-length", "")
            address = address_of(headers, (scope.get("client") or ("",))[0])
            announced = int(length) if length.isdecimal() else None
            return self._uploads.refusal(address, announced)
        return 200, ""


def address_of(headers: Mapping[str, str], client: str) -> str:
    """Return a visitor's address; on a Space, the one that its proxy tells."""
    told = headers.get("x-forwarded-for", "") if os.environ.get("SPACE_ID") else ""
    return told.partition(",")[0].strip() or client


def _foreign(headers: Headers) -> bool:
    """Whether a browser sends a request for another site's page."""
    if site := headers.get("sec-fetch-site"):
        return site in ("cross-site", "same-site")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host")


def _host(host: str) -> str:
    return urlsplit(f"//{host}").hostname or ""


class _Widgets(BlocksConfig):
    """The widgets of a page; each visitor has a copy, as events may change them."""

    def __copy__(self) -> BlocksConfig:
        own = _WidgetsOfVisitor(self.root_block)
        vars(own).update(vars(super().__copy__()))  # type: ignore[no-untyped-call]
        return own


class _WidgetsOfVisitor(BlocksConfig):
    @staticmethod
    def config_for_block(*_: Any, **__: Any) -> dict[str, Any]:
        """Describe nothing.

        gradio describes each widget for each visitor and after each change (0.1 s and 0.8 MB for
        a visitor of a page like ours), only to make the deep links that :class:`Gate` refuses.
        """
        return {}


class Page(gr.Blocks):
    """The page, whose events take uploads only of files that are there, and log refusals briefly.

    gradio itself prints a trace for every value that does not fit, so that a stranger fills the
    disk with them.
    """

    def __init__(self, services: Services, **options: Any) -> None:
        super().__init__(**options)
        widgets = _Widgets(self)
        vars(widgets).update(vars(self.default_config))
        self.default_config = widgets
        self.uploads = Uploads(services.sessions, lambda: services.access.local)
        self._traces = Rationed(_TRACES, _WHILE)

    async def preprocess_data(self, block_fn: Any, inputs: Any, *args: Any, **named: Any) -> Any:
        """Refuse values that do not fit their widgets."""
        try:
            return await super().preprocess_data(block_fn, inputs, *args, **named)
        except gr.Error:
            raise
        except Exception as error:
            raise _told(say("gate.value")) from error

    async def postprocess_data(self, block_fn: Any, predictions: Any, state: Any) -> list[Any]:
        """Put what an event answers into its widgets.

        gradio 6.31 numbers a widget anew that an event has changed, and then keeps one more of it
        for each later event that reads it.
        """
        answered = await super().postprocess_data(block_fn, predictions, state)
        for widget in block_fn.outputs if state else ():
            if kept := state.blocks_config.blocks.get(widget._id):
                kept._id = widget._id
        return answered

    async def process_api(
        self, block_fn: Any, inputs: Any, *args: Any, **named: Any
    ) -> dict[str, Any]:
        """Process an event, whose page holds the uploads among its values from now on."""
        try:
            if named.get("iterator") is None:
                self.uploads.hold(named.get("session_hash"), inputs)
            return await super().process_api(block_fn, inputs, *args, **named)
        except gr.Error as error:
            raise _told(error.message, error.title, error.duration) from error
        except HinterError as error:
            raise _told(str(error)) from error
        except Exception as error:
            if self._traces.take():
                log.exception("An event failed.")
            raise _told(say("gate.failed")) from error


def _told(message: object, title: str = "Error", duration: float | None = 10) -> gr.Error:
    # A toast of gradio's shows HTML.
    words = html.escape(str(message)[:_LONGEST], quote=False)
    return gr.Error(words, duration=duration, title=title, print_exception=False)


class Rationed:
    """Allow something ``most`` times within ``seconds``."""

    def __init__(
        self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._times: deque[float] = deque(maxlen=most)
        self._seconds = seconds
        self._clock = clock

    def take(self) -> bool:
        """Whether it is allowed now; it is counted then."""
        now, times = self._clock(), self._times
        if len(times) == times.maxlen and times[0] > now - self._seconds:
            return False
        times.append(now)
        return True
