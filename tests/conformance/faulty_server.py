"""An OpenAI-compatible server on loopback that fails in every way a test asks for.

A text that contains ``[fault:NAME]`` meets that fault; all others are answered ``positive``.
``asked`` counts requests by text. ``wrong_key`` is refused, and repeated in the refusal.
"""

import json
import re
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_FAULT = re.compile(r"\[fault:([\w-]+)\]")


class FaultyServer:
    """Runs in a thread between ``with`` and its end."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.keys: set[str] = set()
        self.wrong_key = ""
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._end = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> "FaultyServer":
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._http.shutdown()
        self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.keys.add(self.headers.get("Authorization", ""))
                text = body["messages"][-1]["content"].split("\n")[1]
                server.asked[text] += 1
                found = _FAULT.search(text)
                status, payload = server.answer(found.group(1) if found else "", text)
                if server.wrong_key and server.wrong_key in self.headers["Authorization"]:
                    status, payload = 401, {"error": {"message": f"bad key {server.wrong_key}"}}
                if status == 0:
                    self.connection.close()
                    return
                raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

        return Handler

    def answer(self, fault: str, text: str) -> tuple[int, Any]:
        """Status (0: hang up) and body for a text with this fault."""
        error = {"error": {"message": fault, "type": fault}}
        good = _completion("positive")
        if fault.endswith("-once"):
            status = int(fault.removesuffix("-once"))
            return (status, error) if self.asked[text] == 1 else (200, good)
        if fault.isdigit():
            return int(fault), error
        if fault == "hang":
            self._end.wait(30)
        faults = {
            "drop": (0, None),
            "malformed": (200, b'{"choices": [{'),
            "no-choices": (200, {**good, "choices": []}),
            "refusal": (200, _completion(None, refusal="I will not judge this.")),
            "unknown-label": (200, _completion("splendid")),
            "echo": (200, _completion(f"positive, said {' '.join(self.keys)}")),
            "flip": (200, _completion("positive" if self.asked[text] % 2 else "negative")),
            "no-usage": (200, {k: v for k, v in good.items() if k != "usage"}),
        }
        return faults.get(fault, (200, good))


def _completion(content: str | None, refusal: str | None = None) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "refusal": refusal}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "tiny",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11},
    }
