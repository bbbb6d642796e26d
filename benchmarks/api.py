"""A server of known latency, for ``python -m benchmarks --campaign``.

It is a process of its own on this machine, and answers each request after a fixed time. With
``concurrency`` requests under way, at most ``concurrency / latency`` a second can be had.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from zlib import crc32

LATENCY = 0.1  # seconds
_SHARE_NEGATIVE = 16  # one reply of so many is negative


class _Answering(asyncio.Protocol):
    """One connection of the server; it answers by the content of a request alone."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._got = transport, b""

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, end, body = self._got.partition(b"\r\n\r\n")
        if not end:
            return
        fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:])
        if len(body) < int(fields.get(b"content-length", b"0")):
            return
        self._got = b""
        wait = LATENCY if body else 0.0
        asyncio.get_running_loop().call_later(wait, self._transport.write, _reply_to(body))


def _reply_to(body: bytes) -> bytes:
    word = "positive" if crc32(body) % _SHARE_NEGATIVE else "negative"
    message = {"role": "assistant", "content": word, "refusal": None}
    answer = {
        "id": "x", "object": "chat.completion", "created": 0, "model": "tiny",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 200, "completion_tokens": 1, "total_tokens": 201},
    }  # fmt: skip
    raw = json.dumps(answer).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(raw)}\r\n\r\n"
    )
    return head.encode() + raw


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(_Answering, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def serving() -> Iterator[str]:
    """Run the server, in a process of its own; yield its port."""
    command = [sys.executable, "-m", "benchmarks.api"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.kill()


if __name__ == "__main__":
    asyncio.run(_serve())
