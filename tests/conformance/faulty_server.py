"""An OpenAI-compatible server on loopback that fails in every way a test asks for.

A text that contains ``[fault:NAME]`` meets that fault; one with ``[tokens:A=0.7,B=0.2]`` gets these
probabilities of its first token; all others get ``reply(text, turn)``, where ``turn`` counts how
often that text was asked. ``asked`` counts requests by text, ``answered`` those fully answered.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import log
from typing import Any

_FAULT = re.compile(r"\[fault:([\w-]+)\]")
_TOKENS = re.compile(r"\[tokens:([^\]]*)\]")
_PROMPT_TOKENS, _COMPLETION_TOKENS = 10, 1
_PACKED = gzip.compress(b" " * 10**7)


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # with five, connections of a burst time out on a busy machine

    def handle_error(self, *_: Any) -> None:
        """A client that hangs up is part of the tests."""


class FaultyServer:
    """Runs in a thread between ``with`` and its end.

    ``refuses`` are parameters that it does not take; ``terse``: it names them in a message only, as
    servers on FastAPI do, with status 422. ``on_request`` is told how many requests have come.
    ``wrong_key`` is refused, and repeated in the refusal. ``busy`` has the status and headers with
    which a request of a number, if any, is refused whatever it asks.
    """

    def __init__(
        self,
        reply: Callable[[str, int], str] = lambda text, turn: "positive",
        refuses: tuple[str, ...] = (),
        terse: bool = False,
        on_request: Callable[[int], None] = lambda number: None,
        busy: Callable[[int], tuple[int, dict[str, str]] | None] = lambda number: None,
        port: int = 0,
    ) -> None:
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self._at_work = 0
        self.bodies: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.keys: set[str] = set()
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.wrong_key = ""
        self.poured = 0  # bytes of bodies without an end
        self.spent = (0, 0)  # prompt and completion tokens that were told
        self._reply, self._refuses, self._terse = reply, refuses, terse
        self._on_request, self._busy = on_request, busy
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._http = _Quiet(("127.0.0.1", port), self._handler())
        self._end = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> FaultyServer:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._http.shutdown()
        self._http.server_close()

    def settled(self) -> Counter[str]:
        """Return ``answered`` once nothing is at work.

        A client has its answer before the server comes to count it.
        """
        with self._idle:
            assert self._idle.wait_for(lambda: not self._at_work, 10)
            return Counter(self.answered)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self._send(200, {"object": "list", "data": []}, {})

            def do_POST(self) -> None:
                with server._lock:
                    server._at_work += 1
                try:
                    self._answer()
                finally:
                    with server._idle:
                        server._at_work -= 1
                        server._idle.notify_all()

            def _answer(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = body["messages"][-1]["content"].split("\n")[1]
                with server._lock:
                    server.times.append(time.monotonic())
                    server.bodies.append(body)
                    server.headers.append(dict(self.headers.items()))
                    server.paths.append(self.path)
                    server.keys.add(self.headers.get("Authorization", ""))
                    server.asked[text] += 1
                    turn, number = server.asked[text], len(server.bodies)
                server._on_request(number)
                status, payload, headers = server.answer(body, text, turn)
                if refused := server._busy(number):
                    (status, headers), payload = refused, _error("too much to do")
                if server.wrong_key and server.wrong_key in self.headers["Authorization"]:
                    status, payload = 401, {"error": {"message": f"bad key {server.wrong_key}"}}
                if status == 0:
                    self.connection.close()
                    return
                if isinstance(payload, dict) and "usage" in payload:
                    told = payload["usage"]  # counted first: whoever is told may ask at once
                    with server._lock:
                        server.spent = (
                            server.spent[0] + told["prompt_tokens"],
                            server.spent[1] + told["completion_tokens"],
                        )
                self._send(status, payload, headers)
                with server._lock:
                    server.answered[text] += 1

            def _send(self, status: int, payload: Any, headers: dict[str, str]) -> None:
                if isinstance(payload, Pieces):
                    server.pour(self, payload)
                    return
                raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
                self.send_response(status)
                kind = "text/html" if raw.startswith(b"<") else "application/json"
                for name, value in {"Content-Type": kind, **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

        return Handler

    def pour(self, handler: BaseHTTPRequestHandler, pieces: Pieces) -> None:
        """Send pieces until the client hangs up."""
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        for name, value in pieces.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        while not self._end.wait(pieces.pause):
            handler.wfile.write(pieces.piece)
            self.poured += len(pieces.piece)

    def answer(self, body: dict[str, Any], text: str, turn: int) -> tuple[int, Any, dict[str, str]]:
        """Status (0: hang up), body and headers of the answer to a request."""
        if refused := next((name for name in self._refuses if name in body), None):
            return *self._refusal(refused), {}
        fault = found.group(1) if (found := _FAULT.search(text)) else ""
        good = completion(self._reply(text, turn))
        if tokens := _TOKENS.search(text):
            pairs = (pair.split("=") for pair in tokens.group(1).split(","))
            add_logprobs(good, {token: float(p) for token, p in pairs})
        error = {"error": {"message": fault, "type": fault}}
        if fault in ("wait-once", "date-once"):
            date = formatdate(time.time() + 3, usegmt=True)  # of whole seconds
            wait = {"Retry-After": "1" if fault == "wait-once" else date}
            return (429, error, wait) if turn == 1 else (200, good, {})
        if fault == "rate":
            return 429, _error("Rate limit reached. Try again in 9 s."), {"Retry-After": "900"}
        if fault.endswith("-once"):
            return (int(fault[:3]), error, {}) if turn == 1 else (200, good, {})
        if fault.isdigit():
            return int(fault), error, {}
        if fault == "hang":
            self._end.wait(30)
        if fault == "echo-bearer":
            said = f"none of this works with Authorization: {' '.join(self.keys)}"
            return 400, _error(said), {}
        if fault.startswith("echo-prompt"):
            said = {"message": f"Cannot read {body['messages']}"}
            return (200 if fault.endswith("200") else 500), {"error": said}, {}
        if fault == "echo":
            return 200, completion(f"positive, said {' '.join(self.keys)}"), {}
        if fault == "flip":
            return 200, completion("positive" if turn % 2 else "negative"), {}
        return *_faults(good).get(fault, (200, good)), {}

    def _refusal(self, parameter: str) -> tuple[int, Any]:
        if self._terse:
            detail = [{"loc": ["body", parameter], "msg": "Extra inputs are not permitted"}]
            return 422, {"detail": detail}
        message = f"Unsupported parameter: '{parameter}' is not supported with this model."
        if parameter == "max_tokens":
            message += " Use 'max_completion_tokens' instead."
        return 400, _error(message, param=parameter, code="unsupported_parameter")


@dataclass(frozen=True)
class Pieces:
    """A body that never ends: the same piece again and again, seconds apart."""

    piece: bytes
    pause: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)


def _faults(good: dict[str, Any]) -> dict[str, tuple[int, Any]]:
    silent = completion(None)
    cut, filtered = completion(None), completion(None)
    cut["choices"][0]["finish_reason"] = "length"
    filtered["choices"][0]["finish_reason"] = "content_filter"
    too_long = "This model's maximum context length is 4096 tokens. 'max_tokens' is 64."
    return {
        "drop": (0, None),
        "drip": (200, Pieces(b" ", pause=0.1)),
        "endless": (200, Pieces(b" " * 100_000)),
        "packed": (200, Pieces(_PACKED, 0.1, {"Content-Encoding": "gzip"})),
        "malformed": (200, b'{"choices": [{'),
        "page": (200, b"<html>Welcome</html>"),
        "no-choices": (200, {**good, "choices": []}),
        "no-message": (200, {**good, "choices": [{"index": 0, "message": None}]}),
        "parts": (200, completion([{"type": "text", "text": "positive"}])),
        "parts-with-thoughts": (
            200,
            completion(
                [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "negative?"}]},
                    {"type": "text", "text": "posi"},
                    {"type": "text", "text": "tive"},
                ]
            ),
        ),
        "wrapped-part": (200, completion({"type": "text", "text": {"value": "positive"}})),
        "absurd-usage": (
            200,
            completion("positive")
            | {"usage": {"prompt_tokens": 10**9, "completion_tokens": 10**9}},
        ),
        "negative-usage": (
            200,
            completion("positive") | {"usage": {"prompt_tokens": -5, "completion_tokens": 1}},
        ),
        "reasoned": (200, completion("positive", reasoning_content="negative?")),
        "tool-and-text": (200, completion("positive", tool_calls=_CALL)),
        "no-text-parts": (200, completion([{"type": "thinking", "thinking": "negative"}])),
        "declined-part": (200, completion([{"type": "refusal", "refusal": "I would rather not"}])),
        "only-thoughts": (200, completion("", reasoning="It is positive.")),
        "tool": (200, completion(None, finish="tool_calls", tool_calls=_CALL)),
        "cut-text": (200, completion("It may be positive, or", finish="length")),
        "broken-choice": (200, completion("positive", finish="error")),
        "filtered-half": (200, completion("positive and", finish="content_filter")),
        "broken-off": (200, _broken_off()),
        "error-in-200": (200, {"error": {"message": "Too many requests for today", "code": 429}}),
        "error-as-text": (200, {"error": "the engine is out of order"}),
        "detail-in-200": (200, {"detail": [{"msg": "no such tenant"}], "choices": None}),
        "flagged": (403, _error("your input was flagged")),
        "bad-gateway": (502, b"<html><style>b {x: y}</style><h1>502 Bad Gateway</h1>nginx</html>"),
        "colours": (500, _error("red\u202e \x1b[31malert\x1b[0m".replace("[31m", ""))),
        "refusal": (200, completion(None, refusal="I will not judge this.")),
        "unknown-label": (200, completion("splendid")),
        "silent": (200, silent),
        "cut": (200, cut),
        "filtered": (200, filtered),
        "no-usage": (200, {k: v for k, v in good.items() if k != "usage"}),
        "too-long": (400, _error(too_long, code="context_length_exceeded")),
        "too-large": (413, _error("payload too large")),
        "names-seed": (400, _error("the seed of the text is rotten")),
        "filter": (400, _error("blocked by our content policy", code="content_filter")),
        "quota": (429, _error("You have used up your credit", code="insufficient_quota")),
        "echo-error": (400, _error("Bad request with key sk-secret-5f0e3c9a7b")),
    }


def _error(message: str, **fields: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", **fields}}


_CALL = [{"id": "1", "type": "function", "function": {"name": "label", "arguments": "{}"}}]


def _broken_off() -> dict[str, Any]:
    broken = completion("", finish="stop")
    broken["choices"][0]["error"] = {"message": "upstream is gone", "code": 502}
    return broken


def completion(
    content: Any, refusal: str | None = None, finish: str = "stop", **more: Any
) -> dict[str, Any]:
    """A chat completion as OpenAI's servers write it; ``more`` is added to its message."""
    message = {"role": "assistant", "content": content, "refusal": refusal, **more}
    used = {"prompt_tokens": _PROMPT_TOKENS, "completion_tokens": _COMPLETION_TOKENS}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "tiny",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {**used, "total_tokens": sum(used.values())},
    }


def add_logprobs(payload: dict[str, Any], first: dict[str, float]) -> None:
    """Give a completion the probabilities of its first token."""
    top = [{"token": t, "logprob": log(p) if p else -9999.0, "bytes": None}
           for t, p in first.items()]  # fmt: skip
    payload["choices"][0]["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
