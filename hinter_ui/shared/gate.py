"""What reaches the app from outside: whose pages may ask, and what they are told."""

import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hinter_core.annotation.invitation import is_loopback
from hinter_ui.html.wording import Words
from hinter_ui.shared.services import Services
from hinter_ui.shared.uploads import Uploads

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
TRACES = 10, 600.0  # faults that are logged whole, in so many seconds


class Gate:
    """Let requests to ``app`` in or refuse them, and add :data:`HEADERS` to every answer.

    Refused are what another site's page sends, uploads without room, and on the owner's machine
    requests under another machine's name: a site may call its own name by the address 127.0.0.1.
    """

    def __init__(self, app: ASGIApp, services: Services, uploads: Uploads) -> None:
        self._app = app
        self._services = services
        self._uploads = uploads
        self._traces = Rationed(*TRACES)

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
