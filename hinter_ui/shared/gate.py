"""Filter of requests to the app: allowed origins, limits, and headers of answers."""

import re
import secrets
from collections import Counter
from contextlib import suppress
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import parse_qs, urlsplit

from itsdangerous import BadSignature, Signer
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hinter_core.annotation.invitation import is_loopback
from hinter_core.endpoints.tools import TOOLS
from hinter_ui.html.wording import DEFAULT, Words, chosen, languages, speak
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Visitor
from hinter_ui.shared.uploads import Uploads
from hinter_ui.shared.wiring import TRACES

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
# What our pages and programs send something to: of functions, programs call the tools alone. gradio
# has other doors, for instance one that keeps a film and runs a program on it.
_CALLS = "|".join(tool.__name__ for tool in TOOLS)
_DOORS = re.compile(
    r"(/gradio_api)?/(upload|queue/join|cancel|reset|component_server)|/gradio_api/mcp/?|"
    r"/judge/(enter|join|work|trees|leave)|"
    rf"(/gradio_api)?/call/(v2/)?({_CALLS})"
)
_STREAMS = re.compile(r"/gradio_api/(?:heartbeat/(?P<page>[^/]*)|queue/data)")
_FORM = "multipart/form-data"
_LONGEST_BODY = 1_000_000  # bytes that are no upload; those of our own pages have a fifth of it
_MOST_OPEN = 300  # requests of one network at a time; each open page waits on two
_LONGEST_NAME = 255  # bytes of a file's name
# What a proxy adds to the requests of others that it passes on.
_FORWARDED = (
    "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via",
)  # fmt: skip
_COOKIE = "hinter-visitor"
_OTHERS_CHOICE = {"lang", "annotate", "class", "teach"}  # parts of an address that say a language
_LANGUAGE = "hinter-language"  # a cookie that the page sets where a language is chosen


class Gate:
    """Admit or refuse requests to ``app``, and add :data:`HEADERS` to every answer.

    Refused are what another site's page sends, uploads without room, and on the owner's machine
    requests under another machine's name, as a site may call its own name by the address 127.0.0.1,
    and what a proxy passes on, as it asks from this machine for whoever asks it.
    On a public host each browser gets a signed cookie with a random id and nothing else; limits
    count for it and for the network (:class:`~hinter_ui.shared.session.Visitor`).
    """

    def __init__(self, app: ASGIApp, services: Services, uploads: Uploads) -> None:
        self._app = app
        self._services = services
        self._uploads = uploads
        self._signer = Signer(secrets.token_bytes(32))
        self._open: Counter[str] = Counter()  # requests by network

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if health := self._health(scope):
            await health(scope, receive, send)
            return
        request = Request(scope)
        speak(_language_of_page(request) or language_of(request))
        visitor = self._visitor(scope)
        scope.setdefault("state", {})["visitor"] = visitor

        words: str = ""

        async def with_headers(message: Message) -> None:
            nonlocal words
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                words = self._words_instead(scope, visitor, message["status"])
                if words:
                    headers["content-length"] = str(len(words.encode()))
                for name in _CORS:
                    del headers[name]
                headers.update(HEADERS)
                if not (visitor.browser or self._services.access.local) and is_page(headers):
                    headers.append("Set-Cookie", self._cookie(scope))
            elif words:
                message = {"type": message["type"], "body": words.encode()}
            await send(message)

        status, refusal = self._refusal(scope, visitor)
        app = PlainTextResponse(refusal, status) if refusal else self._app
        self._open[visitor.network] += 1
        try:
            await app(scope, receive, with_headers)
        except Exception:
            if TRACES.take():
                raise  # to be logged; it is answered already
        finally:
            self._open[visitor.network] -= 1
            if not self._open[visitor.network]:
                del self._open[visitor.network]

    def _health(self, scope: Scope) -> PlainTextResponse | None:
        """Answer whoever watches over the app: it lives, and whether it may be sent visitors."""
        path = path_of(scope)
        if scope["method"] not in ("GET", "HEAD") or path not in ("/healthz", "/readyz"):
            return None
        services = self._services
        if path == "/healthz" or (services.ready.is_set() and not services.closing.is_set()):
            return PlainTextResponse("ok")
        return PlainTextResponse("closing" if services.closing.is_set() else "loading", 503)

    def _visitor(self, scope: Scope) -> Visitor:
        sent = Request(scope).cookies.get(_COOKIE, "")
        browser = ""
        with suppress(BadSignature):
            browser = self._signer.unsign(sent).decode()
        return Visitor(network_of(scope, self._services.access.proxies), browser)

    def _cookie(self, scope: Scope) -> str:
        """Return a cookie of a browser; the page of a Space is in a frame of another site."""
        value = self._signer.sign(secrets.token_urlsafe(12)).decode()
        safe = Headers(scope=scope).get("x-forwarded-proto", scope["scheme"]) == "https"
        where = "SameSite=None; Secure; Partitioned" if safe else "SameSite=Lax"
        return f"{_COOKIE}={value}; HttpOnly; Path=/; {where}"

    def _refusal(self, scope: Scope, visitor: Visitor) -> tuple[int, str]:
        headers = Headers(scope=scope)
        local = self._services.access.local
        if local and not is_loopback(_host(headers.get("host", ""))):
            return 403, say("gate.host")
        if local and _passed_on(headers):
            return 403, say("gate.proxy")
        if not local and self._open[visitor.network] >= _MOST_OPEN:
            return 429, say("gate.open", most=_MOST_OPEN)
        path = str(scope["path"]).rstrip("/")
        # The first writes a page's values to disk, and no page of ours asks for it; the second is
        # MCP as it was. No file has a name such as the others.
        odd = "\0" in path or any(len(part.encode()) > _LONGEST_NAME for part in path.split("/"))
        if (
            path.endswith(("/deep_link", "/mcp/sse"))
            or odd
            or self._is_foreign_stream(scope, path, visitor)
        ):
            return 404, say("gate.unknown")
        if scope["method"] in _READING:
            return 200, ""
        if _foreign(headers):
            return 403, say("gate.foreign")
        if self._services.closing.is_set():
            return 503, say("gate.closing")
        if not _DOORS.fullmatch(path_of(scope).rstrip("/")):
            return 404, say("gate.unknown")
        length = headers.get("content-length", "")
        announced = int(length) if length.isdecimal() else None
        if path.endswith("/upload") or _FORM in headers.get("content-type", ""):
            status, words = self._uploads.refusal(visitor, announced)
            if not words and path.endswith("/upload"):
                scope["state"]["upload"] = announced
            return status, words
        if not local and (announced or 0) > _LONGEST_BODY:
            return 413, say("gate.long", most=_LONGEST_BODY // 1_000)
        return 200, ""

    def _words_instead(self, scope: Scope, visitor: Visitor, status: int) -> str:
        """Return our words in place of those that gradio has for an upload it did not take."""
        if "upload" not in scope["state"] or status not in (400, 413):
            return ""
        return self._uploads.refused(visitor, scope["state"]["upload"], status)

    def _is_foreign_stream(self, scope: Scope, path: str, visitor: Visitor) -> bool:
        """Whether a stream is that of a page in another visitor's browser."""
        match = _STREAMS.fullmatch(path)
        if not match:
            return False
        sessions = parse_qs(scope["query_string"].decode("latin-1")).get("session_hash", [])
        return any(
            self._services.sessions.is_foreign(page, visitor)
            for page in (match["page"], *sessions)
            if page
        )


def path_of(scope: Scope) -> str:
    """Return the path of a request below the address of the app."""
    return str(scope["path"]).removeprefix(str(scope.get("root_path", "")))


def visitor_of(request: Any) -> Visitor:
    """Return who sends the request of an event, as :class:`Gate` found it."""
    visitor = getattr(getattr(request, "state", None), "visitor", None)
    if isinstance(visitor, Visitor):
        return visitor
    client = getattr(request, "client", None)
    return Visitor(_network(client.host) if client else "")


def language_of(request: Any) -> str:
    """Return the language of a page: that of its address, or else the one chosen last."""
    wanted = getattr(request, "query_params", {}).get("lang")
    return chosen(wanted or getattr(request, "cookies", {}).get(_LANGUAGE))


def _language_of_page(request: Request) -> str:
    """Return the language of a page that nobody has chosen: the one that the browser prefers.

    Classes and annotators have that of their teacher or owner. The page writes its language into
    its address, so that events have it.
    """
    home = path_of(request.scope) in ("", "/")
    if not home or _LANGUAGE in request.cookies or _OTHERS_CHOICE & {*request.query_params}:
        return ""
    return preferred(request.headers.get("accept-language", ""))


def preferred(languages_accepted: str) -> str:
    """Return the language that a header Accept-Language asks for first, of those of the app."""

    def weight(part: str) -> float:
        given = re.search(r";\s*q=([01](?:\.\d{1,3})?)\s*$", part)
        return float(given[1]) if given else 1.0

    wanted = sorted(languages_accepted[:_LONGEST_NAME].split(","), key=weight, reverse=True)
    codes = (part.strip().partition(";")[0].partition("-")[0].lower() for part in wanted)
    return next((code for code in codes if code in languages()), DEFAULT)


def network_of(scope: Scope, proxies: int) -> str:
    """Return a visitor's address, or of IPv6 the network that one visitor has all of.

    Each of the ``proxies`` before the app adds whom it was asked by to the right end of
    ``X-Forwarded-For``; what stands further left may be written by anyone.
    """
    addresses = [part for line in Headers(scope=scope).getlist("x-forwarded-for")
            for part in line.split(",")]  # fmt: skip
    chain = addresses[-proxies:] if proxies else []
    client = (scope.get("client") or ("",))[0]
    return (_network(chain[0]) if chain else "") or _network(client) or str(client)


def _network(address: str) -> str:
    """Return the network of an address, with or without a port; empty if it is none."""
    bare = address.strip()
    if match := re.fullmatch(r"\[(.*)\](:\d+)?|([\d.]+):\d+", bare):
        bare = match[1] or match[3] or ""
    try:
        parsed = ip_address(bare)
    except ValueError:
        return ""
    if parsed.version == 4:
        return str(parsed)
    return str(parsed.ipv4_mapped or ip_network((int(parsed), 64), strict=False))


def is_page(headers: Headers) -> bool:
    """Whether these are the headers of a page, not of a file or of data."""
    return headers.get("content-type", "").startswith("text/html")


def _foreign(headers: Headers) -> bool:
    """Whether a browser sends a request for another site's page."""
    if site := headers.get("sec-fetch-site"):
        return site in ("cross-site", "same-site")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host")


def _passed_on(headers: Headers) -> bool:
    """Whether a proxy asks for others: it says so, or the app's own page has another name."""
    if any(name in headers for name in _FORWARDED):
        return True
    page = _host(headers.get("origin", "").partition("//")[2])
    return bool(page) and not (is_loopback(page) or _foreign(headers))


def _host(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:  # half an address
        return ""
