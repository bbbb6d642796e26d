"""Time campaigns against a server of known latency: ``python -m benchmarks --api``.

The server is a process of its own on this machine, and answers each request after a fixed time.
With ``concurrency`` requests under way, at most ``concurrency / latency`` a second can be had. CPU
is that of the campaign's process: planning, parsing, asking, judging and writing.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zlib import crc32

from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore

_LATENCY = 0.1  # seconds
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
        wait = _LATENCY if body else 0.0
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


def measure(port: str, data: str, concurrency: int, texts: int, limit: int) -> dict[str, float]:
    """Run one campaign in this process; return its requests, seconds and seconds of CPU."""
    name = f"openai:tiny?base_url=http://127.0.0.1:{port}/v1&concurrency={concurrency}&logprobs=0"
    campaign = Campaign(data=data, sample=texts, limit=limit, models=(name,))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HINTER_CACHE"] = f"{folder}/answers.sqlite"
        warm = replace(campaign, sample=1, limit=1, seed=5)
        run_campaign(warm, CampaignStore(Path(folder) / "warm"))
        before, started = os.times(), time.perf_counter()
        done = run_campaign(campaign, CampaignStore(Path(folder) / "campaign"))
        took, after = time.perf_counter() - started, os.times()
    cpu = after.user + after.system - before.user - before.system
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"requests": done.predictions, "seconds": took, "cpu": cpu, "memory": peak}


def report(data: str, texts: int, limit: int) -> Iterator[str]:
    """Yield a row for each number of requests at a time."""
    command = [sys.executable, "-m", "benchmarks.api"]
    server = subprocess.Popen([*command, "serve"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        ms = _LATENCY * 1000
        yield f"server of {ms:.0f} ms  requests  requests/s  of possible  CPU a request  memory"
        for concurrency in (8, 64):
            given = [port, data, str(concurrency), str(texts), str(limit)]
            done = subprocess.run([*command, *given], check=True, capture_output=True, text=True)
            found = json.loads(done.stdout.splitlines()[-1])
            rate, possible = found["requests"] / found["seconds"], concurrency / _LATENCY
            cpu = found["cpu"] / found["requests"] * 1000
            yield (
                f"{concurrency:>3} at a time     {found['requests']:>8}  {rate:>10.0f}  "
                f"{rate / possible:>11.0%}  {cpu:>10.2f} ms  {found['memory']:>3.0f} MiB"
            )
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        asyncio.run(_serve())
    else:
        where, texts_in, *numbers = sys.argv[1:]
        print(json.dumps(measure(where, texts_in, *map(int, numbers))))
