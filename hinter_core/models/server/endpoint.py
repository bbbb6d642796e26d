"""A model on a server: address, key, limits, and what its errors mean.

The key is sent to the server and never part of a name, a log or a file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hinter_core.errors import ModelError
from hinter_core.models.registry import NO_KEY, ModelName
from hinter_core.models.server.bounded import bounded_client
from hinter_core.models.server.responses import printable, sentence_of
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
_FILTERED = re.compile(r"content[ _](?:filter|policy|management)|moderation|flagged", re.I)
# Environment variable of processes that work for a visitor of the app: the visitor's keys by
# ``base_url``, as JSON. Then the machine's key is not used and redirects are not followed.
KEYS = "HINTER_KEYS"
# A key of this many characters is a secret wherever it stands. Servers on one's own machine take
# any word, such as "good" or "test", which stands in texts and replies as well.
_SECRET = 16
_LEAST_SECRET = 8
_AFTER_KEY = r"((?:bearer|api[ _-]?key|key provided|token)[\"']?\s?[:=]?\s?[\"']?)"
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_OWN_HEADERS = re.compile(
    r"authorization|cookie|host|connection|content-|transfer-|accept-encoding|"
    r".*(?:key|token|secret|password|auth)",
    re.I,
)
_OWN_FIELDS = {"model", "messages", "stream", "n", "max_tokens", "max_completion_tokens"}
_LONGEST_OPTION = 8_000
DEFAULT_EFFORT = "default"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model on a server and the limits of its requests; ``base_url`` is "" for OpenAI.

    ``api_version``: of Azure, whose ``model`` is a deployment. ``headers`` and ``fields`` are added
    to each request; ``effort``: how long a reasoning model thinks, "" as the server does.
    """

    base_url: str
    model: str
    key: str = field(repr=False)
    concurrency: int
    timeout: float
    retries: int
    redirects: bool
    api_version: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    effort: str = ""

    @property
    def where(self) -> str:
        """Name the server, at the begin of a sentence."""
        return self.base_url or "The OpenAI API"

    @property
    def identity(self) -> str:
        """Name what determines a reply besides model, prompt and limits; "" without options."""
        given = (self.api_version, dict(self.headers), dict(self.fields), self.effort)
        if not any(given):
            return ""
        return f"-o{sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()[:12]}"

    def request(self) -> dict[str, Any]:
        """Return what is sent beside model, messages and sampling options."""
        sent: dict[str, Any] = {"reasoning_effort": self.effort} if self.effort else {}
        return sent | ({"extra_body": dict(self.fields)} if self.fields else {})

    def client(self) -> AsyncOpenAI:
        """Create a client that retries 429, 5xx and time-outs with the back-off of the server.

        It waits as long as ``Retry-After`` says, up to two minutes, and does not retry beyond.
        """
        import openai

        key = self.key or NO_KEY  # the client requires one
        common: dict[str, Any] = {
            "api_key": key,
            "timeout": openai.Timeout(self.timeout, connect=min(self.timeout, _CONNECT)),
            "max_retries": self.retries,
            "http_client": bounded_client(self.redirects),
            "default_headers": dict(self.headers),
        }
        if not self.api_version:
            return openai.AsyncOpenAI(
                base_url=self.base_url or "https://api.openai.com/v1", **common
            )
        if urlsplit(self.base_url).path.rstrip("/").endswith("/v1"):
            common["default_headers"] |= {"api-key": key}
            query = {"api-version": self.api_version}
            return openai.AsyncOpenAI(base_url=self.base_url, default_query=query, **common)
        where = self.base_url.removesuffix("/openai")
        return openai.AsyncAzureOpenAI(azure_endpoint=where, api_version=self.api_version, **common)

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
                why = f"no answer in time ({self.timeout:g} s, {self.retries} further tries)"
                return Prediction(failure=Failure.TIMED_OUT, detail=why)
            detail = f"the connection failed: {self._describe(error.__cause__ or error)}"
            return Prediction(failure=Failure.ERROR, detail=detail)
        status = error.status_code if isinstance(error, openai.APIStatusError) else 0
        said = self._describe(error)
        if status in (400, 403, 422) and _FILTERED.search(error_text(error)):
            return Prediction(failure=Failure.REFUSED, detail=f"content filter: {said}")
        self._require_way(status, error, said)
        kind = Failure.TOO_LONG if is_too_long(error) else Failure.ERROR
        return Prediction(failure=kind, detail=said + _asked_to_wait(error))

    def _require_way(self, status: int, error: Exception, said: str) -> None:
        if status in (401, 403):
            raise ModelError(
                f"{self.where} refused the key for '{self.model}' ({said}); give one that may be "
                "used here (the command line reads OPENAI_API_KEY)."
            ) from None
        if status == 404:
            raise ModelError(
                f"{self.where} has no model '{self.model}' ({said}); check the name and base_url."
            ) from None
        if status == 402 or getattr(error, "code", None) == "insufficient_quota":
            raise ModelError(
                f"{self.where} asks for more credit ({said}); what was answered is kept."
            ) from None

    def _unreachable(self, error: APIConnectionError) -> ModelError:
        reason = self._describe(error.__cause__ or error)
        return ModelError(
            f"{self.where} cannot be reached ({reason}); check base_url, and that the server runs."
        )

    def _describe(self, error: BaseException) -> str:
        """Return status and sentence of a server, or kind and message of an error."""
        status = getattr(error, "status_code", 0)
        if not status:
            return self.without_key(printable(f"{type(error).__name__}: {error}"))[:200]
        said = sentence_of(getattr(error, "body", None))
        if not said:
            said = HTTPStatus(status).phrase if status in set(HTTPStatus) else "an error"
        return f"{status}: {self.without_key(said)}"

    def without_key(self, message: str) -> str:
        """Remove the key from a server's or a library's message.

        A key that may be a common word is removed only where a key is named.
        """
        key = self.key
        if key in ("", NO_KEY):
            return message
        if len(key) >= _LEAST_SECRET and not key.isalpha():
            return message.replace(key, "[key]")
        return re.sub(rf"{_AFTER_KEY}{re.escape(key)}\b", r"\1[key]", message, flags=re.I)

    def repeats_key(self, reply: str) -> bool:
        """Whether a reply holds the key, and the key is no word that a reply may hold by itself."""
        key = self.key
        secret = len(key) >= _SECRET and not key.isalpha() and any(map(str.isdigit, key))
        return secret and key in reply


def error_text(error: BaseException) -> str:
    """Return message and body of a server's error."""
    return f"{error} {getattr(error, 'body', None) or ''}".strip()


def is_too_long(error: Exception) -> bool:
    """Whether a server refused a text as longer than the model's window."""
    import openai

    status = error.status_code if isinstance(error, openai.APIStatusError) else 0
    too_long = _TOO_LONG.search(error_text(error)) is not None
    return status == 413 or (status in (400, 422) and too_long)


def _asked_to_wait(error: Exception) -> str:
    headers = getattr(getattr(error, "response", None), "headers", {})
    wait = printable(str(headers.get("retry-after", "")))[:40]
    return f" (Retry-After: {wait})" if wait else ""


def _no_way(error: APIConnectionError) -> bool:
    return any(kind.__name__ in _NO_WAY for kind in type(error.__cause__).__mro__)


def endpoint_for(name: ModelName) -> Endpoint:
    """Build the endpoint of a model from its name and the environment.

    Raises:
        ModelError: no model named, an invalid address or option, or a broken key.
    """
    if not name.source:
        raise ModelError("Name a model: openai:MODEL?base_url=http://localhost:8000/v1")
    settings = name.settings
    base_url = settings["base_url"] or os.environ.get("OPENAI_BASE_URL", "")
    visitor_keys = os.environ.get(KEYS)
    machine_key = os.environ.get("OPENAI_API_KEY", "") if name.trusted else ""
    key = name.key or (machine_key if visitor_keys is None else _visitor_key(visitor_keys, name))
    if not all("!" <= letter <= "~" for letter in key.strip()):
        raise ModelError("The API key has characters that no key has; copy it again.")
    _check_address(base_url)
    if settings["api_version"] and not base_url:
        raise ModelError("api_version is for Azure: add base_url=https://NAME.openai.azure.com")
    effort = settings["reasoning_effort"]
    return Endpoint(
        base_url=base_url.rstrip("/"),
        model=name.source,
        key=key.strip(),
        concurrency=settings["concurrency"],
        timeout=settings["timeout"],
        retries=settings["retries"],
        # A visitor's server must not redirect requests to addresses that a visitor may not name.
        redirects=name.trusted and visitor_keys is None,
        api_version=settings["api_version"],
        headers=_headers(settings["headers"]),
        fields=_fields(settings["extra_body"]),
        effort="" if effort == DEFAULT_EFFORT else effort,
    )


def _visitor_key(visitor_keys: str, name: ModelName) -> str:
    keys = json.loads(visitor_keys)
    if name.settings["base_url"] not in keys:
        raise ModelError(f"There is no key for '{name.text}'; add it in the Models tab.")
    return str(keys[name.settings["base_url"]])


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


def _object(option: str, written: str, example: str) -> dict[str, Any]:
    """Read an option that is a JSON object."""
    if not written:
        return {}
    try:
        value = json.loads(written) if len(written) <= _LONGEST_OPTION else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ModelError(f"{option} is no JSON object; write it like {example}")
    return value


def _headers(written: str) -> dict[str, str]:
    found = _object("headers", written, '{"X-Title": "an audit"}')
    for header, value in found.items():
        plain = isinstance(value, str) and value.isascii() and value.isprintable()
        if not _HEADER.fullmatch(header) or not plain:
            raise ModelError('headers needs names and texts, such as {"X-Title": "an audit"}.')
        if _OWN_HEADERS.match(header):
            raise ModelError(
                f"Leave {header} out of headers: names are stored with campaigns, and the key is "
                "read from OPENAI_API_KEY."
            )
    return found


def _fields(written: str) -> dict[str, Any]:
    found = _object("extra_body", written, '{"top_k": 1}')
    if own := sorted(_OWN_FIELDS & found.keys()):
        raise ModelError(
            f"Leave {', '.join(own)} out of extra_body: HInter sends it, and max_tokens is an "
            "option of its own."
        )
    return found
