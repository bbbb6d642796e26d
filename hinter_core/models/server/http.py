"""HTTP requests that end, whatever the server sends; one event loop and one client a process."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import ssl
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

CONNECT = 10.0  # seconds to wait for a connection; an answer may take longer
_LONGEST = 16_000_000  # bytes of an answer; 4,096 tokens with their alternatives have 8 million


class NoAnswerError(Exception):
    """A request without a whole answer.

    ``unreachable``: no request can be sent at all. ``timed_out``: the answer takes too long.
    ``lasting``: another try would meet the same.
    """

    unreachable = timed_out = lasting = False

    def __init__(self, why: str, **kinds: bool) -> None:
        super().__init__(why)
        vars(self).update(kinds)


@dataclass(frozen=True)
class ServerAnswer:
    """A whole answer of a server."""

    status: int
    headers: Mapping[str, str]  # whatever their case
    content: bytes


def body_of(answer: ServerAnswer) -> Any:
    """Return a body as JSON, or as text if it is none."""
    try:
        return json.loads(answer.content)
    except (ValueError, RecursionError):
        return answer.content.decode(errors="replace").strip()


class ServerError(Exception):
    """An answer with the status of an error; ``said``: the body's part that tells of it."""

    def __init__(self, answer: ServerAnswer) -> None:
        body = body_of(answer)
        super().__init__(f"Error code: {answer.status} - {body}")
        self.headers = answer.headers
        self.status = answer.status
        self.said: Any = body.get("error", body) if isinstance(body, Mapping) else body

    def field(self, name: str) -> str:
        """Return a field of the error, such as ``code`` or ``param``; "" without it."""
        return str(self.said.get(name) or "") if isinstance(self.said, Mapping) else ""

    @property
    def used_up(self) -> bool:
        """Whether what was paid for is used up."""
        return "insufficient_quota" in (self.field("code"), self.field("type"))

    @property
    def lasting(self) -> bool:
        """Whether another try would meet the same, whatever the status is."""
        return self.used_up or self.headers.get("x-should-retry") == "false"


_making = threading.Lock()  # several threads may ask for the loop first


def request_loop() -> asyncio.AbstractEventLoop:
    """Return the process's event loop of requests, which runs in a thread."""
    with _making:
        return _loop()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="requests", daemon=True).start()
    return loop


@cache
def _client() -> ClientSession:
    """Return the process's client, which keeps its connections; to be called in the loop."""
    import aiohttp

    client = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ssl=_trusted()),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
    )
    atexit.register(_close, client, request_loop(), os.getpid())
    return client


def _trusted() -> ssl.SSLContext:
    """Trust what the environment names, or else what the operating system does."""
    named = os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")
    if sys.platform == "darwin" and not named:  # whose store OpenSSL does not read
        import truststore

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return ssl.create_default_context()


def _close(client: ClientSession, loop: asyncio.AbstractEventLoop, process: int) -> None:
    if os.getpid() == process:  # a fork has no such loop
        asyncio.run_coroutine_threadsafe(client.close(), loop).result(CONNECT)


@cache
def _proxy(scheme: str, host: str) -> str | None:
    """Return the proxy that the environment names for a server.

    Raises:
        NoAnswerError: it is of another kind than HTTP; to take it for one would show it the key.
    """
    proxies = {} if proxy_bypass(host) else getproxies()
    proxy = proxies.get(scheme) or proxies.get("all") or ""
    kind, named, _ = proxy.partition("://")
    if named and kind.lower() not in {"http", "https"}:
        why = f"the environment names a proxy of the kind {kind}; name one that begins with http://"
        raise NoAnswerError(why, unreachable=True)
    return proxy if named or not proxy else f"http://{proxy}"


_left: list[object] = []  # clients whose sockets belong to another process


def _forget() -> None:
    global _making
    _making = threading.Lock()
    if _client.cache_info().currsize:
        _left.append(_client())
    _client.cache_clear()
    _loop.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # a fork has no threads, and shares the sockets


async def request(
    method: str,
    url: str,
    headers: Mapping[str, str],
    content: bytes | None = None,
    *,
    timeout: float,
    redirects: bool,
) -> ServerAnswer:
    """Send a request in :func:`request_loop`; its answer has bounds in bytes and in seconds.

    Raises:
        NoAnswerError: there is no whole answer; the message has neither headers nor body.
    """
    import aiohttp

    parts = urlsplit(url)
    waits = aiohttp.ClientTimeout(total=timeout, sock_connect=min(timeout, CONNECT))
    try:
        async with _client().request(
            method, url, headers={**headers, "Accept-Encoding": "identity"}, data=content,
            timeout=waits, allow_redirects=redirects,
            proxy=_proxy(parts.scheme, parts.hostname or ""),
        ) as response:  # fmt: skip
            return ServerAnswer(response.status, response.headers, await _content(response))
    except TimeoutError as error:
        unreachable = isinstance(error, aiohttp.ConnectionTimeoutError)
        why = f"{type(error).__name__}: no whole answer in {timeout:g} s"
        raise NoAnswerError(why, unreachable=unreachable, timed_out=True) from None
    except (aiohttp.ClientError, ValueError, OSError) as error:
        kinds = (
            aiohttp.ClientConnectorError | aiohttp.ClientHttpProxyError
            | aiohttp.InvalidURL | aiohttp.NonHttpUrlClientError
        )  # fmt: skip
        raise NoAnswerError(_in_words(error), unreachable=isinstance(error, kinds)) from None


def _in_words(error: Exception) -> str:
    """Say what failed without an address, which may hold the password of a proxy."""
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorError) and not isinstance(
        error, aiohttp.ClientSSLError
    ):
        return f"no server answers at {error.host}:{error.port}"
    name = type(error).__name__
    if isinstance(error, aiohttp.ClientResponseError):
        return f"{name}: {error.status} {error.message}"
    connecting = isinstance(error, aiohttp.ClientConnectionError)
    return f"{name}: {error}" if connecting or not isinstance(error, ValueError) else name


async def _content(response: ClientResponse) -> bytes:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise NoAnswerError("the answer is packed, though plain text was asked for", lasting=True)
    taken, pieces = 0, []
    async for piece in response.content.iter_any():
        taken += len(piece)
        if taken > _LONGEST:
            raise NoAnswerError(f"the answer has more than {_LONGEST:,} bytes", lasting=True)
        pieces.append(piece)
    return b"".join(pieces)
