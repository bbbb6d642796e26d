"""A model on a server: address, key, limits, and what its errors mean.

The key is sent to the server and never part of a name, a log or a file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from http.client import responses
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from hinter_core.errors import ModelError
from hinter_core.language.clean import values_within
from hinter_core.models.registry import NO_KEY, ModelName
from hinter_core.models.server.http import CONNECT, NoAnswerError, ServerError, body_of, request
from hinter_core.models.server.responses import printable, sentence_of, without_echo
from hinter_core.types import Failure, Prediction

OPENAI_URL = "https://api.openai.com/v1"
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
# Names of secrets within a body, which has tokens and keys of other kinds as well.
_SECRET_FIELDS = re.compile(
    r"key|token|auth|.*(?:api_?key|secret|password|credential|authorization|bearer|cookie|"
    r"(?:access|auth|session|ad)_?token).*",
    re.I,
)
_OWN_FIELDS = {"model", "messages", "stream", "n", "max_tokens", "max_completion_tokens"}
_LONGEST_OPTION = 8_000
DEFAULT_EFFORT = "default"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model on a server and how it is asked; ``base_url`` is "" for OpenAI.

    ``api_version``: of Azure, whose ``model`` is a deployment. ``headers`` and ``fields`` are added
    to each request; ``effort``: how long a reasoning model thinks, "" as the server does.
    """

    base_url: str
    model: str
    key: str = field(repr=False)
    timeout: float
    retries: int
    redirects: bool
    api_version: str
    headers: Mapping[str, str]
    fields: Mapping[str, Any]
    effort: str

    @property
    def where(self) -> str:
        """Name the server, at the begin of a sentence."""
        return self.base_url or "The OpenAI API"

    @property
    def identity(self) -> str:
        """Name what determines a reply besides model, prompt and limits; "" without options."""
        given = (self.api_version, self.headers, self.fields, self.effort)
        if not any(given):
            return ""
        return f"-o{sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()[:12]}"

    def request(self) -> dict[str, Any]:
        """Return what is sent beside model, messages and sampling options."""
        sent = {"reasoning_effort": self.effort} if self.effort else {}
        return {**sent, **self.fields}

    def where_to(self, path: str) -> str:
        """Return the address of a path, such as ``chat/completions``."""
        base = self.base_url or OPENAI_URL
        if not self.api_version:
            return f"{base}/{path}"
        if not urlsplit(base).path.rstrip("/").endswith("/v1"):
            deployment = "" if path == "models" else f"/deployments/{self.model}"
            base = f"{base.removesuffix('/openai')}/openai{deployment}"
        return f"{base}/{path}?api-version={self.api_version}"

    def sent_headers(self) -> dict[str, str]:
        """Return the headers of a request, with the key."""
        key = self.key or NO_KEY  # many servers that need none want one
        name, value = ("api-key", key) if self.api_version else ("Authorization", f"Bearer {key}")
        return {
            name: value, "User-Agent": "HInter", "Content-Type": "application/json", **self.headers,
        }  # fmt: skip

    async def greet(self) -> None:
        """Send one free request, so that an unreachable server is reported at once.

        Raises:
            ModelError: the server cannot be reached; any answer of it is accepted.
        """
        where, quick, why = self.where_to("models"), min(self.timeout, CONNECT), None
        try:
            await request(
                "GET", where, self.sent_headers(), timeout=quick, redirects=self.redirects
            )
        except NoAnswerError as error:
            why = self._describe(error) if error.unreachable else None
        if why is not None:
            raise ModelError(
                f"{self.where} cannot be reached ({why}); check base_url, and that the server runs."
            )

    async def post(self, content: bytes) -> Any:
        """Send one request for a completion and return the body of its answer.

        Raises:
            ServerError: the answer has the status of an error.
            NoAnswerError: there is no whole answer.
        """
        where = self.where_to("chat/completions")
        answer = await request(
            "POST", where, self.sent_headers(), content, timeout=self.timeout,
            redirects=self.redirects,
        )  # fmt: skip
        if answer.status >= 300:
            raise ServerError(answer)
        return body_of(answer)

    def outcome(self, error: Exception, sent: Sequence[str] = ()) -> Prediction:
        """Translate an error into a failure; to be called outside of its ``except``.

        A server may repeat the key in an error, so the errors raised here are not chained. Nor do
        they have what the server repeats of the texts that were ``sent``.

        Raises:
            ModelError: no other request can succeed either.
        """
        if isinstance(error, ServerError):
            return self._of_status(error, sent)
        if isinstance(error, NoAnswerError):
            if error.unreachable:
                raise ModelError(
                    f"{self.where} cannot be reached any more ({self._describe(error)}). What was "
                    "answered is kept: start the server, then resume."
                )
            if error.timed_out:
                why = f"no answer in time ({self.timeout:g} s, {self.retries} further tries)"
                return Prediction(failure=Failure.TIMED_OUT, detail=why)
        detail = f"the connection failed: {self._describe(error)}"
        return Prediction(failure=Failure.ERROR, detail=detail)

    def _of_status(self, error: ServerError, sent: Sequence[str]) -> Prediction:
        said = without_echo(self._describe(error), sent)
        if error.status in (400, 403, 422) and _FILTERED.search(str(error)):
            return Prediction(failure=Failure.REFUSED, detail=f"content filter: {said}")
        if error.status in (401, 403):
            raise ModelError(
                f"{self.where} refused the key for '{self.model}' ({said}); give one that may be "
                "used here (the command line reads OPENAI_API_KEY)."
            )
        if error.status == 404:
            raise ModelError(
                f"{self.where} has no model '{self.model}' ({said}); check the name and base_url."
            )
        if error.status == 402 or error.used_up:
            raise ModelError(
                f"{self.where} asks for more credit ({said}); what was answered is kept."
            )
        kind = Failure.TOO_LONG if is_too_long(error) else Failure.ERROR
        wait = printable(error.headers.get("retry-after", ""))[:40]
        return Prediction(failure=kind, detail=said + (f" (Retry-After: {wait})" if wait else ""))

    def _describe(self, error: BaseException) -> str:
        """Return status and sentence of a server, or the message of another error."""
        if not isinstance(error, ServerError):
            return self.without_key(printable(str(error)))[:200]
        said = sentence_of(error.said) or responses.get(error.status, "an error")
        return f"{error.status}: {self.without_key(said)}"

    def without_key(self, message: str) -> str:
        """Remove the key from a server's or a library's message.

        A key that may be a common word is removed only where a key is named.
        """
        key = self.key
        if key in ("", NO_KEY):
            return message
        if _is_secret(key):
            return message.replace(key, "[key]")
        return re.sub(rf"{_AFTER_KEY}{re.escape(key)}\b", r"\1[key]", message, flags=re.I)

    def repeats_key(self, reply: str) -> bool:
        """Whether a reply holds the key, and the key is no word that a reply may hold by itself."""
        key = self.key
        secret = len(key) >= _SECRET and not key.isalpha() and any(map(str.isdigit, key))
        return secret and key in reply


def bare(url: str) -> str:
    """Return an address as it is compared: as ``https://host/v1``, not ``HTTPS://Host/v1/``."""
    url = url.strip().rstrip("/")
    try:
        parts = urlsplit(url)
    except ValueError:  # no address at all
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.lower()))


def is_too_long(error: ServerError) -> bool:
    """Whether a server refused a text as longer than the model's window."""
    too_long = _TOO_LONG.search(str(error)) is not None
    return error.status == 413 or (error.status in (400, 422) and too_long)


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
    key = key.strip()
    if not all("!" <= letter <= "~" for letter in key):
        raise ModelError("The API key has characters that no key has; copy it again.")
    _check_address(base_url)
    if settings["api_version"] and not base_url:
        raise ModelError("api_version is for Azure: add base_url=https://NAME.openai.azure.com")
    effort = settings["reasoning_effort"]
    headers, fields = _headers(settings["headers"]), _fields(settings["extra_body"])
    _require_no_key(key, [name.source, *settings.values()], [headers, fields])
    return Endpoint(
        base_url=base_url.rstrip("/"),
        model=name.source,
        key=key,
        timeout=settings["timeout"],
        retries=settings["retries"],
        # A visitor's server must not redirect requests to addresses that a visitor may not name.
        redirects=name.trusted and visitor_keys is None,
        api_version=settings["api_version"],
        headers=headers,
        fields=fields,
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
        raise ModelError("Leave user and password out of base_url; a key is given apart.")


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
    headers = _object("headers", written, '{"X-Title": "an audit"}')
    for header, value in headers.items():
        plain = isinstance(value, str) and value.isascii() and value.isprintable()
        if not _HEADER.fullmatch(header) or not plain:
            raise ModelError('headers needs names and texts, such as {"X-Title": "an audit"}.')
        if _OWN_HEADERS.match(header):
            raise _no_place("headers", header)
    return headers


def _no_place(option: str, name: str) -> ModelError:
    return ModelError(
        f"Leave {name} out of {option}: names are stored with campaigns, and a key is given apart "
        "(the command line reads OPENAI_API_KEY)."
    )


def _fields(written: str) -> dict[str, Any]:
    fields = _object("extra_body", written, '{"top_k": 1}')
    if reserved := sorted(_OWN_FIELDS & fields.keys()):
        raise ModelError(
            f"Leave {', '.join(reserved)} out of extra_body: HInter sends it, and max_tokens is an "
            "option of its own."
        )
    for name, _ in values_within(fields):
        if _SECRET_FIELDS.fullmatch(name.replace("-", "_")):
            raise _no_place("extra_body", name)
    return fields


def _require_no_key(key: str, settings: Iterable[Any], objects: Iterable[Any]) -> None:
    """Refuse the key among what is stored with campaigns.

    A short one may be a word of the settings, and is refused as a value of the ``objects`` alone.
    """
    if key in ("", NO_KEY):
        return
    texts = [str(part) for one in objects for pair in values_within(one) for part in pair]
    long = _is_secret(key) and any(key in text for text in (*map(str, settings), *texts))
    if long or key in texts:
        raise _no_place("the model's name", "the API key")


def _is_secret(key: str) -> bool:
    """Whether a key is no word that a text may hold by itself."""
    return len(key) >= _LEAST_SECRET and not key.isalpha()
