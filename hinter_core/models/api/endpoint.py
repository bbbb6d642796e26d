"""Where an OpenAI-compatible API lies, how it is reached, and what its errors mean.

Every error ends in a failure of the one text, or, where no other request could succeed either, in
one :class:`ModelError`. The key is sent to the server and shown nowhere.
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
from hinter_core.models.naming import NO_KEY, ModelName
from hinter_core.types import Failure, Prediction

if TYPE_CHECKING:
    from openai import APIConnectionError, AsyncOpenAI


_CONNECT = 10.0  # seconds to wait for a connection; an answer may take longer
# By name, since the client may run on httpx or on its successor.
_NO_WAY = {"ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol", "SSLError"}
_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum (?:input|prompt|sequence|model) length|"
    r"too many (?:input |prompt )?tokens|(?:input|prompt|request) (?:is )?too (?:long|large)|"
    r"reduce the length",
    re.I,
)
_FILTERED = re.compile(r"content[ _](?:filter|policy|management)|moderation", re.I)
# Set where a process works for a visitor of the app: their keys by ``base_url``, as JSON. Then the
# machine's own key is not used, and no server may lead a request elsewhere.
KEYS = "HINTER_KEYS"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model on a server, and how it is asked; ``base_url`` is empty for OpenAI's own."""

    base_url: str
    model: str
    key: str = field(repr=False)
    concurrency: int
    timeout: float
    retries: int
    redirects: bool

    @property
    def where(self) -> str:
        """The server, in words that begin a sentence."""
        return self.base_url or "The OpenAI API"

    def client(self) -> AsyncOpenAI:
        """A new client; it retries 429, 5xx and time-outs with back-off, as the server says."""
        import openai

        return openai.AsyncOpenAI(
            # Local servers ask for no key, but the client wants one.
            api_key=self.key or NO_KEY,
            base_url=self.base_url or "https://api.openai.com/v1",
            timeout=openai.Timeout(self.timeout, connect=min(self.timeout, _CONNECT)),
            max_retries=self.retries,
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=self.redirects),
        )

    async def greet(self, client: AsyncOpenAI) -> None:
        """One request that costs nothing, so that a server that is not there is told at once.

        Raises:
            ModelError: it cannot be reached. Whatever it answers is good enough.
        """
        import openai

        quick = client.with_options(max_retries=0, timeout=min(self.timeout, _CONNECT))
        try:
            await quick.models.list()
        except openai.APIConnectionError as error:
            if _no_way(error):
                raise self._unreachable(error) from None
        except Exception:  # noqa: BLE001, S110 -- it is there; not every server lists its models
            pass

    def outcome(self, error: Exception) -> Prediction:
        """The named failure that an error stands for; to be called outside of its ``except``.

        A server may repeat the key in an error, so what is raised here is chained to none.

        Raises:
            ModelError: no other request could succeed either.
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
        elif status in (400, 422) and _FILTERED.search(told(error)):
            kind = Failure.REFUSED
        return Prediction(failure=kind, detail=self._describe(error))

    def _unreachable(self, error: APIConnectionError) -> ModelError:
        reason = self._describe(error.__cause__ or error)
        return ModelError(
            f"{self.where} cannot be reached ({reason}); check base_url, and that the server runs."
        )

    def _describe(self, error: BaseException) -> str:
        body = getattr(error, "body", None)
        # The client's message leaves out bodies that are not written as OpenAI writes them.
        quoted = isinstance(body, Mapping) and "message" in body
        message = " ".join((str(error) if quoted or not body else told(error)).split())
        return f"{type(error).__name__}: {self.without_key(message)[:200]}"

    def without_key(self, message: str) -> str:
        """``message`` with the key taken out, which a server or a library may have repeated."""
        return message.replace(self.key, "[key]") if self.key not in ("", NO_KEY) else message


def told(error: BaseException) -> str:
    """All that a server said with an error."""
    return f"{error} {getattr(error, 'body', None) or ''}".strip()


def is_too_long(error: Exception) -> bool:
    """Whether a refusal says that the text is longer than the model's window."""
    import openai

    status = error.status_code if isinstance(error, openai.APIStatusError) else 0
    return status == 413 or (status in (400, 422) and _TOO_LONG.search(told(error)) is not None)


def _no_way(error: APIConnectionError) -> bool:
    return any(kind.__name__ in _NO_WAY for kind in type(error.__cause__).__mro__)


def endpoint_for(name: ModelName) -> Endpoint:
    """The endpoint that a model's name stands for.

    Raises:
        ModelError: no model, an address that is none, or a broken key.
    """
    if not name.source:
        raise ModelError("Name a model: openai:MODEL?base_url=http://localhost:8000/v1")
    base_url = name.string("base_url") or os.environ.get("OPENAI_BASE_URL", "")
    lent = os.environ.get(KEYS)
    # The machine's own key is not for strangers.
    own = os.environ.get("OPENAI_API_KEY", "") if name.trusted else ""
    key = name.key or (own if lent is None else _lent_key(lent, name))
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
        # A stranger's server must not lead requests to addresses that a stranger may not name.
        redirects=name.trusted and lent is None,
    )


def _lent_key(lent: str, name: ModelName) -> str:
    """The key that a visitor gave for this server and no other.

    Raises:
        ModelError: there is none.
    """
    keys = json.loads(lent)
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
