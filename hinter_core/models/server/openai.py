"""Models behind an OpenAI-compatible API: OpenAI, vLLM, Ollama, TGI, LiteLLM, transformers serve.

A name is ``openai:MODEL?option=value``, such as
``openai:llama3?base_url=http://localhost:11434/v1&prompt=sentiment&concurrency=8``. The key comes
from ``OPENAI_API_KEY`` or a visitor's session; it is sent to the server and never part of a name, a
log or a file. Decoding is greedy (temperature 0) with a fixed seed, if the server accepts these
settings. An error becomes a failure of that text, or, if no request can succeed, a
:class:`ModelError`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from math import exp
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from hinter_core.errors import ModelError
from hinter_core.models.base import Generative
from hinter_core.models.budget import Cost, Price, Usage, tokens_in
from hinter_core.models.prompting import Prompt, Reader, reader_for
from hinter_core.models.registry import NO_KEY, ModelName
from hinter_core.models.server.bounded import bounded_client
from hinter_core.types import Failure, Prediction

if TYPE_CHECKING:
    from openai import APIConnectionError, AsyncOpenAI


_LONGEST = (
    16_000_000  # bytes of an answer; one of 4,096 tokens with their alternatives has 8 million
)
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
            http_client=bounded_client(self.redirects),
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
    base_url = name.settings["base_url"] or os.environ.get("OPENAI_BASE_URL", "")
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
        concurrency=name.settings["concurrency"],
        timeout=name.settings["timeout"],
        retries=name.settings["retries"],
        # A visitor's server must not redirect requests to addresses that a visitor may not name.
        redirects=name.trusted and visitor_keys is None,
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


_SEED = 7
_TOP = 20  # the largest number of alternatives per token that servers give
_PER_MESSAGE = 4  # tokens that a chat template puts around a message

_Item = tuple[int, Prediction, Cost]


class OpenAIModel(Generative):
    """A chat model behind an OpenAI-compatible API."""

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        prompt: Prompt,
        reader: Reader,
        price: Price,
        max_tokens: int,
        logprobs: bool,
    ) -> None:
        self.name = name
        self.usage = Usage(price)
        self._endpoint = endpoint
        self._prompt = prompt
        self._reader = reader
        self._max_tokens = max_tokens
        self._greeted = False
        # Newer models refuse some of these; refused ones are not sent again.
        self._options: dict[str, Any] = {
            "temperature": 0,
            "seed": _SEED,
            "max_tokens": max_tokens,
            **({"logprobs": True, "top_logprobs": _TOP} if logprobs else {}),
        }
        self.reply_identity = (
            f"openai-2-{endpoint.base_url or 'default'}-{endpoint.model}-{prompt.request_identity}"
            f"-t0-s{_SEED}-m{max_tokens}{'-logprobs' if logprobs else ''}"
        )
        self.identity = f"{self.reply_identity}-{reader.identity}"
        able = reader.capabilities
        self.capabilities = replace(
            able, scores=None if able.scores else False, device="remote", window=None, dtype="",
            costs=True, steady=False,
        )  # fmt: skip

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """Parse replies into answers."""
        return self._reader.read(replies)

    def estimate(self, text: str) -> Cost:
        """Estimate one request: the whole conversation and the longest answer allowed."""
        prompt = sum(tokens_in(m["content"]) + _PER_MESSAGE for m in self._prompt.messages(text))
        return Cost(1, prompt, self._max_tokens, self.usage.price.of(prompt, self._max_tokens))

    def reply(self, texts: Sequence[str]) -> Iterator[_Item]:
        """Yield replies as they arrive; at most ``concurrency`` are in flight or not yet taken.

        Raises:
            ModelError: the key is refused, or the server cannot be reached or has no such model.
        """

        @asynccontextmanager
        async def session() -> AsyncIterator[Callable[[int], Awaitable[_Item]]]:
            async with self._endpoint.client() as client:
                if not self._greeted:
                    await self._endpoint.greet(client)
                    self._greeted = True

                async def ask(index: int) -> _Item:
                    return index, *await self._ask(client, texts[index])

                yield ask

        if texts:
            yield from as_they_come(session, len(texts), self._endpoint.concurrency)

    async def _ask(self, client: AsyncOpenAI, text: str) -> tuple[Prediction, Cost]:
        """Return reply and cost; the estimate, if the server does not report its usage."""
        import openai

        estimate = self.estimate(text)
        tokens = estimate.prompt_tokens, estimate.completion_tokens
        error: Exception | None = None
        try:
            response = await self._send(client, text)
        except Exception as caught:  # noqa: BLE001 -- a failure, or raised as a ModelError
            error = caught
        if error is not None:
            failed = self._endpoint.outcome(error)
            # With a status, the server generated nothing.
            none = isinstance(error, openai.APIStatusError)
            return failed, self.usage.add(*((0, 0) if none else tokens))
        usage = getattr(response, "usage", None)
        prompt, completion = (
            getattr(usage, field, None) for field in ("prompt_tokens", "completion_tokens")
        )
        if isinstance(prompt, int) and isinstance(completion, int):
            tokens = prompt, completion
        raw = _raw(response)
        if self.capabilities.scores is None and raw.reply:
            self.capabilities = replace(self.capabilities, scores=bool(raw.scores))
        # A server that repeats the key must not bring it into a page or a file.
        hide = self._endpoint.without_key
        raw = replace(raw, reply=hide(raw.reply), detail=hide(raw.detail))
        return raw, self.usage.add(*tokens)

    async def _send(self, client: AsyncOpenAI, text: str) -> Any:
        import openai

        create: Any = client.chat.completions.create
        messages, options = self._prompt.messages(text), self._options
        while True:
            try:
                response = await create(model=self._endpoint.model, messages=messages, **options)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                left = None if is_too_long(error) else _without_refused(options, error)
                if left is None:
                    raise
                options = left
            else:
                self._options = options  # remembered only when nothing else was wrong
                return response


def _without_refused(options: Mapping[str, Any], error: Any) -> dict[str, Any] | None:
    """Drop the options that an error names; None if it names none.

    ``max_tokens`` becomes ``max_completion_tokens``, which is never dropped: the cost of an answer
    must be bounded.
    """
    param = str(getattr(error, "param", ""))
    refused = param if param in options else error_text(error)
    named = {x for x in options if re.search(rf"\b{x}\b", refused)} - {"max_completion_tokens"}
    if named & {"logprobs", "top_logprobs"}:
        named |= {"logprobs", "top_logprobs"}
    if not named:
        return None
    left = {option: value for option, value in options.items() if option not in named}
    if "max_tokens" in named:
        left["max_completion_tokens"] = options["max_tokens"]
    return left


def _raw(response: Any) -> Prediction:
    """Extract the reply, with its first token's probabilities if the server sent them."""
    try:
        choice = response.choices[0]
        content, refusal = choice.message.content, getattr(choice.message, "refusal", None)
        if content is not None and not isinstance(content, str):
            raise TypeError(f"content is {type(content).__name__}")
        if refusal or (not content and choice.finish_reason == "content_filter"):
            return Prediction(failure=Failure.REFUSED, detail=str(refusal or "filtered")[:200])
        if not content or not content.strip():
            cut = choice.finish_reason == "length"
            why = "max_tokens was used up before an answer" if cut else "the answer is empty"
            return Prediction(failure=Failure.UNPARSABLE, detail=why)
        return Prediction(reply=content, scores=_first_token(choice))
    except (AttributeError, TypeError, IndexError, KeyError, ValueError) as error:
        # Such as a web page, if base_url lacks its /v1.
        detail = f"the server's answer is no chat completion ({type(error).__name__}: {error})"
        return Prediction(failure=Failure.ERROR, detail=detail[:200])


def _first_token(choice: Any) -> dict[str, float]:
    """Return the probabilities of the first non-blank token and its alternatives."""
    tokens = getattr(getattr(choice, "logprobs", None), "content", None) or []
    first = next((token for token in tokens if token.token.strip()), None)
    alternatives = getattr(first, "top_logprobs", None) or []
    return {token.token: min(1.0, exp(token.logprob)) for token in alternatives}


def load(name: ModelName) -> OpenAIModel:
    """Load ``openai:MODEL`` with the options of its kind.

    Raises:
        ModelError: no model named, a bad address, an unknown prompt or judge, or a missing library.
    """
    try:
        import openai  # noqa: F401
    except ImportError as error:
        raise ModelError("The OpenAI client is not installed: pip install openai") from error
    endpoint = endpoint_for(name)
    logprobs = name.settings["logprobs"] and not name.settings["judge"]
    prompt, reader = reader_for(name, scores=logprobs)
    price = Price(name.settings["price_in"], name.settings["price_out"])
    return OpenAIModel(
        name.text, endpoint, prompt, reader, price, name.settings["max_tokens"], logprobs
    )


T = TypeVar("T")

Session = Callable[[], AbstractAsyncContextManager[Callable[[int], Awaitable[T]]]]


def as_they_come(session: Session[T], count: int, limit: int) -> Iterator[T]:
    """Run a session's async function for 0 to ``count - 1``; yield the values as they arrive.

    At most ``limit`` calls are started and not yet consumed. A value is consumed when the next one
    is requested, so a caller that stores each value first loses at most ``limit``. The first error
    ends the iteration; then, and when the iterator is closed, running calls are cancelled.
    """
    queue: SimpleQueue[tuple[T] | BaseException | None] = SimpleQueue()
    slots = asyncio.Semaphore(limit)
    loop = asyncio.new_event_loop()

    async def one(ask: Callable[[int], Awaitable[T]], number: int) -> None:
        await slots.acquire()  # given back below
        queue.put((await ask(number),))

    async def run() -> None:
        async with session() as ask, asyncio.TaskGroup() as group:
            for number in range(count):
                group.create_task(one(ask, number))

    task = loop.create_task(run())

    def work() -> None:
        end: BaseException | None = None
        try:
            loop.run_until_complete(task)
        except BaseExceptionGroup as group:
            end = group.exceptions[0]
        except BaseException as error:  # noqa: BLE001 -- handed over to the caller's thread
            end = error
        loop.close()
        queue.put(end)

    threading.Thread(target=work, daemon=True).start()
    try:
        while isinstance(item := queue.get(), tuple):
            yield item[0]
            with suppress(RuntimeError):  # the loop is closed: nothing is left to begin
                loop.call_soon_threadsafe(slots.release)
        if item is not None:
            raise item
    finally:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(task.cancel)
