"""Models behind an OpenAI-compatible API: OpenAI, vLLM, Ollama, TGI, LiteLLM, transformers serve.

A model is named ``openai:MODEL``, with settings after a question mark:
``openai:llama3?base_url=http://localhost:11434/v1&prompt=sentiment&concurrency=8``. The key comes
from ``OPENAI_API_KEY``, or from a visitor's session, and never stands in a name, a log or a file.
Decoding is greedy (temperature 0) with a fixed seed; the client retries 429, 5xx and time-outs with
back-off.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from hinter_core.errors import ModelError
from hinter_core.models.base import predict_by_reply
from hinter_core.models.budget import Cost, Price, Usage, tokens_in
from hinter_core.models.naming import NO_KEY, ModelName
from hinter_core.models.prompts import Prompt
from hinter_core.models.reading import Reader, reader_for
from hinter_core.types import Failure, Prediction

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_SEED = 7
_TOP = 20  # most alternatives per token that servers give

_Item = tuple[int, Prediction, Cost]


@dataclass(frozen=True, slots=True)
class _Endpoint:
    base_url: str | None
    model: str
    key: str
    concurrency: int
    timeout: float
    retries: int
    max_tokens: int

    def client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        return AsyncOpenAI(
            # Local servers ask for no key, but the client wants one.
            api_key=self.key or NO_KEY,
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=self.retries,
        )

    def __repr__(self) -> str:
        return f"_Endpoint({self.base_url}, {self.model})"


class OpenAIModel:
    """A chat model asked through the ``openai`` client."""

    def __init__(
        self,
        name: str,
        endpoint: _Endpoint,
        prompt: Prompt,
        reader: Reader,
        price: Price,
        logprobs: bool,
    ) -> None:
        self.name = name
        self.usage = Usage(price)
        self._endpoint = endpoint
        self._prompt = prompt
        self._reader = reader
        self._logprobs = logprobs
        self.identity = (
            f"openai-2-{endpoint.base_url or 'default'}-{endpoint.model}-{prompt.asked}"
            f"-t0-s{_SEED}-m{endpoint.max_tokens}{'-logprobs' if logprobs else ''}"
        )
        self.capabilities = replace(
            reader.capabilities, device="remote", window=None, dtype="", costs=True, steady=False
        )

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Ask all texts, at most ``concurrency`` at a time; in order."""
        return predict_by_reply(self, texts)

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        """The answers in these replies."""
        return self._reader.read(replies)

    def estimate(self, text: str) -> Cost:
        """One request: the whole conversation, and the longest answer allowed."""
        said = sum(tokens_in(m["content"]) + 4 for m in self._prompt.messages(text))
        most = self._endpoint.max_tokens
        return Cost(1, said, most, self.usage.price.of(said, most))

    def reply(self, texts: Sequence[str]) -> Iterator[_Item]:
        """Replies as they come, so that none is lost.

        Raises:
            ModelError: the key is refused, or the server cannot be reached or has no such model.
        """
        queue: SimpleQueue[_Item | BaseException | None] = SimpleQueue()
        stop = threading.Event()

        def work() -> None:
            try:
                asyncio.run(self._ask_all(texts, queue.put, stop))
                queue.put(None)
            except BaseException as error:  # noqa: BLE001 -- handed over to the caller's thread
                queue.put(error)

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        try:
            while (item := queue.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            stop.set()

    async def _ask_all(
        self, texts: Sequence[str], put: Callable[[_Item], None], stop: threading.Event
    ) -> None:
        client = self._endpoint.client()
        slots = asyncio.Semaphore(self._endpoint.concurrency)

        async def ask(index: int, text: str) -> None:
            async with slots:
                if not stop.is_set():
                    put((index, *await self._ask(client, text)))

        async with client:
            tasks = [asyncio.create_task(ask(i, text)) for i, text in enumerate(texts)]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()

    async def _ask(self, client: AsyncOpenAI, text: str) -> tuple[Prediction, Cost]:
        try:
            response = await self._send(client, text)
        except Exception as error:  # noqa: BLE001 -- named, or raised again as one clear sentence
            self.usage.add(0, 0)
            return self._failure(error), Cost(1)
        usage = getattr(response, "usage", None)
        prompt = getattr(usage, "prompt_tokens", 0) or 0
        completion = getattr(usage, "completion_tokens", 0) or 0
        self.usage.add(prompt, completion)
        money = self.usage.price.of(prompt, completion)
        raw = _raw(response)
        # A server that repeats the key must not bring it into a page or a file.
        said, detail = self._without_key(raw.reply), self._without_key(raw.detail)
        return replace(raw, reply=said, detail=detail), Cost(1, prompt, completion, money)

    async def _send(self, client: AsyncOpenAI, text: str) -> Any:
        import openai

        create: Any = client.chat.completions.create
        fixed = {
            "model": self._endpoint.model,
            "messages": self._prompt.messages(text),
            "temperature": 0,
            "seed": _SEED,
            "max_tokens": self._endpoint.max_tokens,
        }
        extra = {"logprobs": True, "top_logprobs": _TOP} if self._logprobs else {}
        try:
            return await create(**fixed, **extra)
        except openai.BadRequestError as error:
            if not extra or "logprob" not in str(error):
                raise
            self._logprobs = False  # this server does not have them
            return await create(**fixed)

    def _failure(self, error: Exception) -> Prediction:
        """The named outcome of a failed request.

        Raises:
            ModelError: no other request could succeed either.
        """
        import openai

        where = self._endpoint.base_url or "the OpenAI API"
        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            raise ModelError(
                f"Model '{self.name}': {where} refused the key; give another (the command "
                "line reads OPENAI_API_KEY)."
            ) from error
        if isinstance(error, openai.NotFoundError):
            raise ModelError(
                f"{where} has no model '{self._endpoint.model}'; check the name and base_url."
            ) from error
        if isinstance(error, openai.APITimeoutError):
            return Prediction(failure=Failure.TIMED_OUT, detail="no answer in time")
        if isinstance(error, openai.APIConnectionError):
            # By name, since which HTTP library lies beneath changes with the client's version.
            if type(error.__cause__).__name__ in ("ConnectError", "UnsupportedProtocol"):
                raise ModelError(
                    f"{where} cannot be reached; check base_url, and that the server runs."
                ) from error
            detail = self._without_key(f"connection failed: {error.__cause__}")
            return Prediction(failure=Failure.ERROR, detail=detail[:200])
        if isinstance(error, openai.APIError | ValueError | TypeError | AttributeError):
            return Prediction(failure=Failure.ERROR, detail=self._describe(error))
        raise error

    def _describe(self, error: Exception) -> str:
        message = self._without_key(" ".join(str(error).split()))
        return f"{type(error).__name__}: {message[:200]}"

    def _without_key(self, message: str) -> str:
        """``message`` with the key taken out, which a server or a library may have repeated."""
        key = self._endpoint.key
        return message.replace(key, "[key]") if key not in ("", NO_KEY) else message

    def visible(self, text: str) -> int:
        """The server does not tell its window; the whole text is sent."""
        return len(text)


def _raw(response: Any) -> Prediction:
    """The reply in a response, with its first token's probabilities if the server sent them."""
    choices = getattr(response, "choices", None)
    if not choices:
        return Prediction(failure=Failure.ERROR, detail="the server sent no choices")
    message = choices[0].message
    if getattr(message, "refusal", None):
        return Prediction(failure=Failure.REFUSED, detail=str(message.refusal)[:200])
    said = message.content or ""
    if not said.strip():
        return Prediction(failure=Failure.UNPARSABLE, detail="the answer is empty")
    tokens = getattr(getattr(choices[0], "logprobs", None), "content", None) or []
    first = next((t for t in tokens if t.token.strip()), None)
    scores = {t.token: exp(t.logprob) for t in getattr(first, "top_logprobs", None) or []}
    return Prediction(reply=said, scores=scores)


def load(name: ModelName) -> OpenAIModel:
    """``openai:MODEL`` with the options of its kind.

    Raises:
        ModelError: no model named, an unknown prompt or judge, or a missing library.
    """
    try:
        import openai  # noqa: F401
    except ImportError as error:
        raise ModelError("The OpenAI client is not installed: pip install openai") from error
    if not name.source:
        raise ModelError("Name a model: openai:MODEL?base_url=http://localhost:8000/v1")
    logprobs = name.flag("logprobs") and not name.string("judge")
    prompt, reader = reader_for(name, scores=logprobs)
    endpoint = _Endpoint(
        base_url=name.string("base_url") or os.environ.get("OPENAI_BASE_URL"),
        model=name.source,
        # The machine's own key is not for strangers.
        key=name.key or (os.environ.get("OPENAI_API_KEY", "") if name.trusted else ""),
        concurrency=name.whole("concurrency"),
        timeout=name.number("timeout"),
        retries=name.whole("retries"),
        max_tokens=name.whole("max_tokens"),
    )
    price = Price(name.number("price_in"), name.number("price_out"))
    return OpenAIModel(name.text, endpoint, prompt, reader, price, logprobs)
