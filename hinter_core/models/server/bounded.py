"""An HTTP client for the OpenAI library whose requests end, whatever the server sends."""

import asyncio
from collections.abc import AsyncIterator
from functools import cache
from importlib import import_module
from typing import Any

_LONGEST = 16_000_000  # bytes of an answer; 4,096 tokens with their alternatives have 8 million


@cache
def _trust(library: str) -> Any:
    """Read the certificates that are trusted, which takes longer than a short answer does."""
    return import_module(library).create_ssl_context()


def bounded_client(redirects: bool) -> Any:
    """Make a client: the time-out holds for a request as a whole, and its answer has a bound.

    By itself the library waits for the time-out at each piece of an answer, and takes any number
    of pieces.
    """
    import openai

    base: Any = openai.DefaultAsyncHttpxClient  # of httpx or its successor
    library = base.__mro__[1].__module__.partition(".")[0]
    http: Any = import_module(library)

    class Stream(http.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, response: Any) -> None:
            self._response, self._stream = response, response.stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            taken = 0
            async for piece in self._stream:
                taken += len(piece)
                if taken > _LONGEST:
                    raise refused(self._response, f"the answer has more than {_LONGEST:,} bytes")
                yield piece

        async def aclose(self) -> None:
            await self._stream.aclose()

    def refused(response: Any, why: str) -> Exception:
        return openai.APIConnectionError(message=why, request=response.request)

    async def bound(response: Any) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise refused(response, "the answer is packed, though plain text was asked for")
        response.stream = Stream(response)

    class Client(base):  # type: ignore[misc]
        async def send(self, request: Any, **options: Any) -> Any:
            request.headers["Accept-Encoding"] = "identity"
            seconds = request.extensions["timeout"]["read"]
            try:
                async with asyncio.timeout(seconds):
                    return await super().send(request, **options)
            except TimeoutError as error:
                raise http.ReadTimeout(f"no whole answer in {seconds:g} s") from error

    hooks = {"response": [bound]}
    return Client(verify=_trust(library), follow_redirects=redirects, event_hooks=hooks)
