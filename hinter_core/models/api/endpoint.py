"""Connection to an OpenAI-compatible API: address, key, client and the meaning of its errors.

An error becomes a failure of that text, or, if no request can succeed, a :class:`ModelError`. The
key is sent to the server and shown nowhere.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hinter_core.errors import ModelError
from hinter_core.models.registry import NO_KEY, ModelName
from hinter_core.types import Failure, Prediction

if TYPE_CHECKING:
    from openai import APIConnectionError, AsyncOpenAI


_CONNECT = 10.0  # seconds to wait for a connection; an answer may take longer
# By name, since the client may use httpx or its successor.
_NO_WAY = {"ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol", "SSLError"}
_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum (?:input|prompt|sequence|model) length|"
    r"too many (?:input |prompt )?tokens|(?:input|prompt|request) (?:is )?too (?:long|large)|"
    r"reduce the length",
    re.I,
)
_FILTERED = re.compile(r"content[ _](?:filter|policy|management)|moderation", re.I)
# Environment variable of processes that work for a visitor of the app: the visitor's keys by
# ``base_url``, as JSON. Then the machine's key is not used and redirects are not followed.
KEYS = "HINTER_KEYS"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model on a server and the limits of its requests; ``base_url`` is "" for OpenAI."""

    base_url: str
    model: str
    key: str = field(repr=False)
    concurrency: int
    timeout: float
    retries: int
    redirects: bool

    @property
    def where(self) -> str:
        """Name the server, at the begin of a sentence."""
        return self.base_url or "The OpenAI API"

    def client(self) -> AsyncOpenAI:
        """Create a client that retries 429, 5xx and time-outs with the back-off of the server."""
        import openai

        return openai.AsyncOpenAI(
            api_key=self.key or NO_KEY,  # the client requires one
            base_url=self.base_url or "https://api.openai.com/v1",
            timeout=openai.Timeout(self.timeout, connect=min(self.timeout, _CONNECT)),
            max_retries=self.retries,
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=self.redirects),
        )

    async def greet(self, client: AsyncOpenAI) -> None:
        """Send one free request, so that an unreachable server is reported at once.

        Raises:
            ModelError: the server cannot be reached; any answer of it is accepted.
        """
        import openai

        quick = client.with_options(max_retries=0, timeout=min(self.timeout, _CONNECT))
        try:
            await quick.models.list()
        except openai.APIConnectionError as error:
            if _no_way(error):
                raise self._unreachable(error) from None
        except Exception:  # noqa: BLE001, S110 -- reachable; not every server lists its models
            pass

    def outcome(self, error: Exception) -> Prediction:
        """Translate an error into a failure; to be called outside of its ``except``.

        A server may repeat the key in an error, so the errors raised here are not chained.

        Raises:
            ModelError: no other request can succeed either.
        """
        import openai

        if isinstance(error, openai.APIConnectionError):
            if _no_way(error):
                raise self._unreachable(error) from None
            if isinstance(error, openai.APITimeoutError):
                return Prediction(failure=Failure.TIMED_OUT, detail="no answer in time")
            detail = f"the connection failed: {self._describe(error.__cause__ or error)}"
            return Prediction(failure=Failure.ERROR, detail=detail)
        status = error.status_code if isinstance(error, openai.APIStatusError) else 0
        if status in (401, 403):
            raise ModelError(
                f"{self.where} refused the key for '{self.model}'; give another (the command line "
                "reads OPENAI_API_KEY)."
            ) from None
        if status == 404:
            raise ModelError(
                f"{self.where} has no model '{self.model}'; check the name and base_url."
            ) from None
        if status == 402 or getattr(error, "code", None) == "insufficient_quota":
            raise ModelError(
                f"{self.where} asks for more credit; what was answered is kept."
            ) from None
        kind = Failure.ERROR
        if is_too_long(error):
            kind = Failure.TOO_LONG
        elif status in (400, 422) and _FILTERED.search(error_text(error)):
            kind = Failure.REFUSED
        return Prediction(failure=kind, detail=self._describe(error))

    def _unreachable(self, error: APIConnectionError) -> ModelError:
        reason = self._describe(error.__cause__ or error)
        return ModelError(
            f"{self.where} cannot be reached ({reason}); check base_url, and that the server runs."
        )

    def _describe(self, error: BaseException) -> str:
        body = getattr(error, "body", None)
        # The client's message leaves out bodies in other formats than OpenAI's.
        quoted = isinstance(body, Mapping) and "message" in body
        message = " ".join((str(error) if quoted or not body else error_text(error)).split())
        return f"{type(error).__name__}: {self.without_key(message)[:200]}"

    def without_key(self, message: str) -> str:
        """Remove the key from a message of a server or a library."""
        return message.replace(self.key, "[key]") if self.key not in ("", NO_KEY) else message


def error_text(error: BaseException) -> str:
    """Return message and body of a server's error."""
    return f"{error} {getattr(error, 'body', None) or ''}".strip()


def is_too_long(error: Exception) -> bool:
    """Whether a server refused a text as longer than the model's window."""
    import openai

    status = error.status_code if isinstance(error, openai.APIStatusError) else 0
    too_long = _TOO_LONG.search(error_text(error)) is not None
    return status == 413 or (status in (400, 422) and too_long)


def _no_way(error: APIConnectionError) -> bool:
    return any(kind.__name__ in _NO_WAY for kind in type(error.__cause__).__mro__)


def endpoint_for(name: ModelName) -> Endpoint:
    """Build the endpoint of a model from its name and the environment.

    Raises:
        ModelError: no model named, an invalid address, or a broken key.
    """
    if not name.source:
        raise ModelError("Name a model: openai:MODEL?base_url=http://localhost:8000/v1")
    base_url = name.string("base_url") or os.environ.get("OPENAI_BASE_URL", "")
    visitor_keys = os.environ.get(KEYS)
    machine_key = os.environ.get("OPENAI_API_KEY", "") if name.trusted else ""
    key = name.key or (machine_key if visitor_keys is None else _visitor_key(visitor_keys, name))
    if not all("!" <= letter <= "~" for letter in key.strip()):
        raise ModelError("The API key has characters that no key has; copy it again.")
    _check_address(base_url)
    return Endpoint(
        base_url=base_url.rstrip("/"),
        model=name.source,
        key=key.strip(),
        concurrency=name.whole("concurrency"),
        timeout=name.number("timeout"),
        retries=name.whole("retries"),
        # A visitor's server must not redirect requests to addresses that a visitor may not name.
        redirects=name.trusted and visitor_keys is None,
    )


def _visitor_key(visitor_keys: str, name: ModelName) -> str:
    keys = json.loads(visitor_keys)
    if name.string("base_url") not in keys:
        raise ModelError(f"There is no key for '{name.text}'; add it in the Models tab.")
    return str(keys[name.string("base_url")])


def _check_address(base_url: str) -> None:
    if not base_url:
        return
    try:
        parts = urlsplit(base_url)
        host, scheme = parts.hostname or "", parts.scheme
        _ = parts.port
    except ValueError:
        host = scheme = ""
    if not host or scheme not in ("http", "https") or not base_url.isprintable():
        raise ModelError("base_url is no address; write it like http://localhost:8000/v1")
    if parts.username is not None or parts.password is not None:
        raise ModelError("Leave user and password out of base_url; set OPENAI_API_KEY.")
