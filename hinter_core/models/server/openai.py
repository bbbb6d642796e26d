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
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hinter_core.errors import ModelError
from hinter_core.models.base import Reply
from hinter_core.models.budget import Cost, Usage, tokens_in
from hinter_core.models.registry import ModelName
from hinter_core.models.replies.readers import reader_for
from hinter_core.models.server.endpoint import endpoint_for, is_too_long
from hinter_core.models.server.http import ServerError
from hinter_core.models.server.line import Line
from hinter_core.models.server.pace import BUSY, Pace
from hinter_core.models.server.responses import raw_reply, without_echo
from hinter_core.types import Failure, Prediction

_SEED = 7
_TOP = 20  # the largest number of alternatives per token that servers give
_IN_VAIN = 20  # texts without an answer, if there was none before, after which no others are sent
_PER_MESSAGE = 4  # tokens that a chat template puts around a message
_MOST_TOKENS = 1_000  # times the estimate; thinking before an answer takes up to a hundred
_LEAK = Prediction(
    failure=Failure.ERROR, detail="the server repeats the API key in its reply, which is not kept"
)


class OpenAIModel(Line):
    """A chat model behind an OpenAI-compatible API."""

    def __init__(self, name: ModelName) -> None:
        """Load ``openai:MODEL`` with the options of its kind.

        Raises:
            ModelError: no model named, a bad address, or an unknown prompt or judge.
        """
        self._endpoint = endpoint = endpoint_for(name)
        settings, max_tokens = name.settings, name.settings["max_tokens"]
        logprobs = settings["logprobs"] and not settings["judge"]
        self._prompt, self._reader = prompt, reader = reader_for(name, scores=logprobs)
        limits = (settings[limit] for limit in ("concurrency", "rpm", "tpm", "patience"))
        super().__init__(Pace(*limits), endpoint.retries)
        self.name = name.text
        self.usage = Usage(settings["price_in"], settings["price_out"])
        self._max_tokens = max_tokens
        self._in_vain: int | None = 0  # texts without an answer; None after the first answer
        self._greeting: asyncio.Future[None] | None = None
        self._more = endpoint.request()
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
        return self.usage.cost(prompt, self._max_tokens)

    async def _ask(self, text: str) -> Reply:
        """Return reply and cost; the estimate, if the server reports no usage or an absurd one."""
        greeting = self._greeting
        if greeting is None or (greeting.done() and (greeting.cancelled() or greeting.exception())):
            greeting = self._greeting = asyncio.ensure_future(self._endpoint.greet())
        await asyncio.shield(greeting)
        response = await self._send(text)
        tokens, estimate = self._used(response), self.estimate(text).tokens
        # A server that counts wrongly would use up the budget.
        if tokens is None or min(tokens) < 0 or sum(tokens) > _MOST_TOKENS * sum(estimate):
            tokens = estimate
        else:
            self._pace.unused(sum(estimate) - sum(tokens))
        raw = raw_reply(response)
        if self.capabilities.scores is None and raw.reply:
            self.capabilities = replace(self.capabilities, scores=bool(raw.scores))
        if self._endpoint.repeats_key(raw.reply):  # which must not reach a page or a file
            raw = _LEAK
        if raw.detail:
            raw = replace(raw, detail=self._endpoint.without_key(raw.detail))
        if raw.failure is Failure.ERROR:
            raw = replace(raw, detail=without_echo(raw.detail, self._sent(text)))
        cost = self.usage.add(*tokens)
        self._count(raw)
        return raw, cost

    def _failure(self, text: str, error: Exception) -> Reply:
        """Return an error as a failure with its cost."""
        failed = self._endpoint.outcome(error, self._sent(text))
        status = error.status if isinstance(error, ServerError) else None
        # With a status, the server generated nothing.
        cost = self.usage.add(*((0, 0) if status else self.estimate(text).tokens))
        if status not in BUSY:  # a busy server may find time for the next
            self._count(failed)
        return failed, cost

    def _count(self, reply: Prediction) -> None:
        """End all once many texts, from the first on, had no answer: the texts are not at fault."""
        if reply.failure in (None, Failure.UNPARSABLE, Failure.REFUSED):
            self._in_vain = None
        elif reply.failure is not Failure.TOO_LONG and self._in_vain is not None:
            self._in_vain += 1
            if self._in_vain >= _IN_VAIN:
                raise ModelError(
                    f"{self._endpoint.where} answered none of {_IN_VAIN} texts ({reply.detail}), "
                    "so it is asked about no others; mend that, then start again."
                )

    def _sent(self, text: str) -> list[str]:
        return [text, *(message["content"] for message in self._prompt.messages(text))]

    def _tokens(self, text: str) -> int:
        return sum(self.estimate(text).tokens)

    @staticmethod
    def _used(response: Any) -> tuple[int, int] | None:
        """Return the tokens of prompt and answer that a server reports."""
        usage = response.get("usage") if isinstance(response, Mapping) else None
        if not isinstance(usage, Mapping):
            return None
        prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
        return (prompt, completion) if type(prompt) is type(completion) is int else None

    async def _send(self, text: str) -> Any:
        messages, options = self._prompt.messages(text), self._options
        while True:
            body = {"model": self._endpoint.model, "messages": messages, **self._more, **options}
            try:
                response = await self._endpoint.post(json.dumps(body).encode())
            except ServerError as error:
                refusal = error.status in (400, 422) and not is_too_long(error)
                left = _without_refused(options, error) if refusal else None
                if left is None:
                    raise
                options = left
            else:
                self._options = options  # remembered only when nothing else was wrong
                return response


def _without_refused(options: Mapping[str, Any], error: ServerError) -> dict[str, Any] | None:
    """Drop the options that an error names; None if it names none.

    ``max_tokens`` becomes ``max_completion_tokens``, which is never dropped: the cost of an answer
    must be bounded.
    """
    param = error.field("param")
    refused = param if param in options else str(error)
    named = {x for x in options if re.search(rf"\b{x}\b", refused)} - {"max_completion_tokens"}
    if named & {"logprobs", "top_logprobs"}:
        named |= {"logprobs", "top_logprobs"}
    if not named:
        return None
    left = {option: value for option, value in options.items() if option not in named}
    if "max_tokens" in named:
        left["max_completion_tokens"] = options["max_tokens"]
    return left
