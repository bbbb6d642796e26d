"""Requests on the wire: connections, redirects, proxies, cookies; against servers on loopback."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any

import pytest

from hinter_core.models.server import http
from hinter_core.models.server.http import NoAnswerError, ServerAnswer, request, request_loop
from tests.forked import Commands

KEY = {"Authorization": "Bearer sk-1"}


class Server(ThreadingHTTPServer):
    """Keeps connections; notes what comes; ``/away`` leads to ``beyond``, ``/cookie`` sets one."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.connections: set[object] = set()
        self.beyond = ""
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.path, dict(self.headers.items())))
        self.server.connections.add(self.client_address)
        self.send_response(307 if self.path == "/away" else 200)
        if self.path == "/away":
            self.send_header("Location", self.server.beyond)
        if self.path == "/cookie":
            self.send_header("Set-Cookie", "who=you")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server() -> Iterator[Server]:
    yield (one := Server())
    one.shutdown()
    one.server_close()


def post(*urls: str, redirects: bool = True) -> list[ServerAnswer]:
    async def every() -> list[ServerAnswer]:
        return await asyncio.gather(
            *(request("POST", url, KEY, b"{}", timeout=10, redirects=redirects) for url in urls)
        )

    return asyncio.run_coroutine_threadsafe(every(), request_loop()).result(20)


def test_connections_are_used_again_whoever_asks(server: Server) -> None:
    for _ in range(10):
        assert [one.content for one in post(*[f"{server.address}/v1"] * 4)] == [b"{}"] * 4
    assert len(server.asked) == 40
    assert len(server.connections) <= 4


def test_a_redirect_is_followed_only_where_it_may_be(server: Server) -> None:
    server.beyond = f"{server.address}/there"
    (answer,) = post(f"{server.address}/away", redirects=False)
    assert answer.status == 307
    assert [path for path, _ in server.asked] == ["/away"]
    (answer,) = post(f"{server.address}/away")
    assert answer.status == 200
    assert server.asked[-1][0] == "/there"
    assert server.asked[-1][1]["Authorization"] == "Bearer sk-1"


def test_the_key_does_not_go_to_the_server_of_a_redirect(server: Server) -> None:
    there = Server()
    server.beyond = f"{there.address}/there"
    assert post(f"{server.address}/away")[0].status == 200
    there.shutdown()
    there.server_close()
    ((path, headers),) = there.asked
    assert path == "/there"
    assert "Authorization" not in headers


def test_cookies_are_not_kept(server: Server) -> None:
    for path in ("cookie", "cookie", "v1"):
        post(f"{server.address}/{path}")
    assert not any("Cookie" in headers for _, headers in server.asked)


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy"])
def test_a_proxy_of_the_environment_is_used(
    server: Server, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for one in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(one, raising=False)
    monkeypatch.setenv(name, server.address)
    own = name.encode().hex()  # which proxy a server has is looked up once
    url = f"http://{own}.invalid/v1"
    assert post(url)[0].status == 200
    assert server.asked[0][0] == url
    monkeypatch.setenv("no_proxy", ".local.invalid")
    with pytest.raises(NoAnswerError) as caught:
        post(f"http://{own}.local.invalid/v1")
    assert caught.value.unreachable
    assert str(caught.value) == f"no server answers at {own}.local.invalid:80"
    assert len(server.asked) == 1


@pytest.mark.parametrize("url", ["http://", "ftp://127.0.0.1/v1", "http://127.0.0.1:99999/v1"])
def test_an_address_that_is_none_is_unreachable(url: str) -> None:
    with pytest.raises(NoAnswerError) as caught:
        post(url)
    assert caught.value.unreachable
    assert "sk-1" not in str(caught.value)


FORK = """
import asyncio, os, sys
from hinter_core.models.server.http import request, request_loop

def ask():
    asked = request("POST", sys.argv[1], {}, b"{}", timeout=10, redirects=True)
    status = asyncio.run_coroutine_threadsafe(asked, request_loop()).result(20).status
    os.write(1, f"{status} ".encode())  # one call: two processes write to this pipe

ask()
child = os.fork()
ask()
ask()
sys.exit(os.waitpid(child, 0)[1] if child else 0)
"""


@pytest.mark.slow
def test_a_fork_has_a_client_of_its_own_and_both_end_in_silence(
    server: Server, commands: Commands
) -> None:
    done = commands.run("-c", FORK, f"{server.address}/v1")
    assert (done.code, done.err) == (0, "")
    assert done.out.split() == ["200"] * 5
    assert len(server.asked) == 5
    assert len(server.connections) == 2


def test_threads_that_ask_first_share_one_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[object]()

    @cache
    def slow() -> object:
        time.sleep(0.05)
        made.append(object())
        return made[-1]

    monkeypatch.setattr(http, "_loop", slow)
    with ThreadPoolExecutor(6) as threads:
        assert len(set(threads.map(lambda _: http.request_loop(), range(12)))) == len(made) == 1


@pytest.mark.parametrize(
    ("named", "used"),
    [("127.0.0.1:5703", "http://127.0.0.1:5703"), ("http://p:1", "http://p:1"), ("", None)],
)
def test_a_proxy_may_be_named_without_its_kind(
    monkeypatch: pytest.MonkeyPatch, named: str, used: str | None
) -> None:
    monkeypatch.setattr(http, "getproxies", lambda: {"https": named})
    monkeypatch.setattr(http, "proxy_bypass", lambda _: False)
    assert (http._proxy.__wrapped__("https", "host") or None) == used


@pytest.mark.parametrize("named", ["socks5://joe:SECRET@p:1", "SOCKS5H://p:1", "ftp://p"])
def test_a_proxy_of_another_kind_is_not_shown_the_key(
    monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setattr(http, "getproxies", lambda: {"all": named})
    monkeypatch.setattr(http, "proxy_bypass", lambda _: False)
    with pytest.raises(NoAnswerError, match="begins with http://") as caught:
        http._proxy.__wrapped__("http", "host")
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("proxy", ["http://joe:SECRET@127.0.0.1:{}", "http://joe:SECRET@p:99999"])
def test_the_password_of_a_proxy_is_in_no_error(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    class Refusing(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            self.send_error(407)

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        address = proxy.format(server.server_address[1])
        monkeypatch.setattr(http, "_proxy", lambda *_: address)
        asked = request("GET", "https://host.invalid/", {}, timeout=5, redirects=False)
        with pytest.raises(NoAnswerError) as caught:
            asyncio.run_coroutine_threadsafe(asked, http.request_loop()).result(10)
    assert "SECRET" not in str(caught.value)
