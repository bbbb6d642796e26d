"""Models behind an OpenAI-compatible API: OpenAI, vLLM, Ollama, TGI, LiteLLM, transformers serve.

A model is named ``openai:MODEL``, with settings after a question mark:
``openai:llama3?base_url=http://localhost:11434/v1&prompt=sentiment&concurrency=8``. The key comes
from ``OPENAI_API_KEY`` and never stands in a name, a log or a file. Decoding is greedy
(temperature 0) with a fixed seed; the client retries 429, 5xx and time-outs with back-off.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from hinter_core.errors import ModelError
from hinter_core.models.answers import parse_answer
from hinter_core.models.base import Capabilities
from hinter_core.models.prompts import Prompt, load_prompt
from hinter_core.types import Failure, Prediction

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_SEED = 7
_SETTINGS = frozenset({"base_url", "prompt", "concurrency", "timeout", "retries", "max_tokens"})


@dataclass
class Usage:
    """Tokens and requests since the model was loaded; failed requests count as requests."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, prompt: int, completion: int) -> None:
        """Count one request."""
        with self._lock:
            self.requests += 1
            self.prompt_tokens += prompt
            self.completion_tokens += completion


@dataclass(frozen=True, slots=True)
class _Settings:
    base_url: str | None
    prompt: str
    concurrency: int
    timeout: float
    retries: int
    max_tokens: int


class OpenAIModel:
    """A chat model asked through the ``openai`` client."""

    def __init__(self, name: str, model: str, settings: _Settings) -> None:
        self.name = name
        self.usage = Usage()
        self._model = model
        self._settings = settings
        self._prompt: Prompt = load_prompt(settings.prompt)
        self.identity = (
            f"openai-1-{settings.base_url or 'default'}-{model}-{self._prompt.identity}"
            f"-t0-s{_SEED}-m{settings.max_tokens}"
        )
        self.capabilities = Capabilities(
            labels=self._prompt.labels,
            multi_label=self._prompt.multi_label,
            scores=False,
            device="remote",
            costs=True,
            note=f"prompt: {self._prompt.title}",
        )

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        """Ask all texts, at most ``concurrency`` at a time; in order."""
        answers = dict(self.stream(texts))
        return [answers[i] for i in range(len(texts))]

    def stream(self, texts: Sequence[str]) -> Iterator[tuple[int, Prediction]]:
        """Answers as they come, each with the index of its text, so that none is lost.

        Raises:
            ModelError: the key is refused, or the server cannot be reached or has no such model.
        """
        queue: SimpleQueue[tuple[int, Prediction] | BaseException | None] = SimpleQueue()
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
        self,
        texts: Sequence[str],
        put: Callable[[tuple[int, Prediction]], None],
        stop: threading.Event,
    ) -> None:
        client = _client(self._settings)
        slots = asyncio.Semaphore(self._settings.concurrency)

        async def ask(index: int, text: str) -> None:
            async with slots:
                if not stop.is_set():
                    put((index, await self._ask(client, text)))

        async with client:
            tasks = [asyncio.create_task(ask(i, text)) for i, text in enumerate(texts)]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()

    async def _ask(self, client: AsyncOpenAI, text: str) -> Prediction:
        import openai

        messages: Any = self._prompt.messages(text)
        try:
            response = await client.chat.completions.create(
                model=self._model,
                messages=messages,
                temperature=0,
                seed=_SEED,
                max_tokens=self._settings.max_tokens,
            )
        except openai.AuthenticationError as error:
            raise ModelError(
                f"Model '{self.name}': the server refused the key; set OPENAI_API_KEY."
            ) from error
        except openai.NotFoundError as error:
            raise ModelError(
                f"The server has no model '{self._model}'; check the name and base_url."
            ) from error
        except openai.APITimeoutError:
            self.usage.add(0, 0)
            return Prediction(failure=Failure.TIMED_OUT, detail="no answer in time")
        except openai.APIConnectionError as error:
            self.usage.add(0, 0)
            return Prediction(failure=Failure.ERROR, detail=f"connection failed: {error.__cause__}")
        except (openai.APIError, ValueError, TypeError, AttributeError) as error:
            self.usage.add(0, 0)
            return Prediction(failure=Failure.ERROR, detail=_describe(error))
        return self._read(response)

    def _read(self, response: Any) -> Prediction:
        usage = getattr(response, "usage", None)
        self.usage.add(
            getattr(usage, "prompt_tokens", 0) or 0, getattr(usage, "completion_tokens", 0) or 0
        )
        choices = getattr(response, "choices", None)
        if not choices:
            return Prediction(failure=Failure.ERROR, detail="the server sent no choices")
        message = choices[0].message
        if getattr(message, "refusal", None):
            return Prediction(failure=Failure.REFUSED, detail=str(message.refusal)[:200])
        prompt = self._prompt
        return parse_answer(
            message.content or "",
            prompt.labels,
            multi_label=prompt.multi_label,
            none_label=prompt.none_label,
        )

    def visible(self, text: str) -> int:
        """The server does not tell its window; the whole text is sent."""
        return len(text)


def _client(settings: _Settings) -> AsyncOpenAI:
    from openai import AsyncOpenAI

    return AsyncOpenAI(
        # Local servers ask for no key, but the client wants one.
        api_key=os.environ.get("OPENAI_API_KEY") or "none",
        base_url=settings.base_url,
        timeout=settings.timeout,
        max_retries=settings.retries,
    )


def _describe(error: Exception) -> str:
    message = " ".join(str(error).split())[:200]
    key = os.environ.get("OPENAI_API_KEY")
    if key:
        message = message.replace(key, "[key]")
    return f"{type(error).__name__}: {message}"


def load(argument: str) -> OpenAIModel:
    """``openai:MODEL[?base_url=...&prompt=...&concurrency=...]``.

    Raises:
        ModelError: no model named, an unknown setting, or a number that is none.
    """
    try:
        import openai  # noqa: F401
    except ImportError as error:
        raise ModelError("The OpenAI client is not installed: pip install openai") from error
    model, _, query = argument.partition("?")
    if not model:
        raise ModelError("Name a model: openai:MODEL?base_url=http://localhost:8000/v1")
    given = dict(parse_qsl(query))
    if unknown := sorted(set(given) - _SETTINGS):
        known = ", ".join(sorted(_SETTINGS))
        raise ModelError(f"Unknown setting {', '.join(unknown)} of openai:{model}; use {known}.")
    try:
        settings = _Settings(
            base_url=given.get("base_url") or os.environ.get("OPENAI_BASE_URL"),
            prompt=given.get("prompt", "sentiment"),
            concurrency=max(1, int(given.get("concurrency", 8))),
            timeout=float(given.get("timeout", 60)),
            retries=max(0, int(given.get("retries", 4))),
            max_tokens=max(1, int(given.get("max_tokens", 64))),
        )
    except ValueError as error:
        raise ModelError(f"A setting of openai:{model} is no number: {error}.") from error
    return OpenAIModel(f"openai:{argument}", model, settings)
