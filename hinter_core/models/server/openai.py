"""Models behind an OpenAI-compatible API: OpenAI, vLLM, Ollama, TGI, LiteLLM, transformers serve.

A name is ``openai:MODEL?option=value``, such as
``openai:llama3?base_url=http://localhost:11434/v1&prompt=sentiment&concurrency=8``. The key comes
from ``OPENAI_API_KEY`` or a visitor's session; it is sent to the server and never part of a name, a
log or a file. Decoding is greedy (temperature 0) with a fixed seed, if the server accepts these
settings. An error becomes a failure of that text, or, if no request can succeed, a
:class:`ModelError`. A reply is kept as it came.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from hinter_core.errors import ModelError
from hinter_core.models.base import Generative
from hinter_core.models.budget import Cost, Price, Usage, tokens_in
from hinter_core.models.prompting import Prompt
from hinter_core.models.registry import ModelName
from hinter_core.models.replies.readers import Reader, reader_for
from hinter_core.models.server.endpoint import Endpoint, endpoint_for, error_text, is_too_long
from hinter_core.models.server.responses import raw_reply
from hinter_core.types import Failure, Prediction

if TYPE_CHECKING:
    from openai import AsyncOpenAI


_SEED = 7
_TOP = 20  # the largest number of alternatives per token that servers give
_PER_MESSAGE = 4  # tokens that a chat template puts around a message
_LEAK = Prediction(
    failure=Failure.ERROR, detail="the server repeats the API key in its reply, which is not kept"
)

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
            f"-t0-s{_SEED}-m{max_tokens}{'-logprobs' if logprobs else ''}{endpoint.identity}"
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
        raw = raw_reply(response)
        if self.capabilities.scores is None and raw.reply:
            self.capabilities = replace(self.capabilities, scores=bool(raw.scores))
        if self._endpoint.repeats_key(raw.reply):  # which must not reach a page or a file
            raw = _LEAK
        return replace(raw, detail=self._endpoint.without_key(raw.detail)), self.usage.add(*tokens)

    async def _send(self, client: AsyncOpenAI, text: str) -> Any:
        import openai

        create: Any = client.chat.completions.create
        messages, options = self._prompt.messages(text), self._options
        more = self._endpoint.request()
        while True:
            try:
                response = await create(
                    model=self._endpoint.model, messages=messages, **more, **options
                )
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
