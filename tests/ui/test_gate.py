"""The way in: other sites' pages, and values that no page of ours sends."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.client import HTTPResponse
from typing import Any
from urllib.error import HTTPError

import pytest
from starlette.datastructures import Headers

from hinter_core.annotation.invitation import is_loopback
from hinter_ui.shared.access import Access
from hinter_ui.shared.gate import Rationed, _foreign
from tests.ui.conftest import Clock, launched

EVIL = "https://evil.example"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with launched(Access()) as (_, url):
        yield url


def ask(url: str, data: bytes | None = None, **headers: str) -> Any:
    """The answer's status, headers and body."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if data is not None:
        named.setdefault("content-type", "application/json")
    try:
        answer: HTTPResponse = urllib.request.urlopen(
            urllib.request.Request(url, data, named), timeout=20
        )
    except HTTPError as error:
        return error.code, error.headers, error.read().decode()
    return answer.status, answer.headers, answer.read().decode()


@pytest.mark.parametrize("origin", [EVIL, "null", "http://127.0.0.1:1"])
@pytest.mark.parametrize("path", ["/config", "/gradio_api/info", "/nothing"])
def test_no_other_site_reads_an_answer(url: str, origin: str, path: str) -> None:
    _, headers, _ = ask(url + path, origin=origin, cookie="session=x")
    assert not [name for name in headers if name.lower().startswith("access-control-allow-")]


def test_no_other_site_is_told_it_may_ask(url: str) -> None:
    request = urllib.request.Request(
        url + "/config",
        headers={"origin": EVIL, "access-control-request-method": "POST"},
        method="OPTIONS",
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert answer.headers["Access-Control-Allow-Origin"] is None
        assert answer.headers["Access-Control-Allow-Credentials"] is None


@pytest.mark.parametrize("path", ["upload", "queue/join", "run/check", "component_server"])
@pytest.mark.parametrize(
    "headers",
    [{"origin": EVIL}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}],
    ids=["other", "null", "told"],
)
def test_nothing_is_done_for_another_sites_page(
    url: str, path: str, headers: dict[str, str]
) -> None:
    status, _, words = ask(f"{url}/gradio_api/{path}", b"{}", **headers)
    assert status == 403
    assert "another site" in words


def test_the_apps_own_page_and_programs_are_let_in(url: str) -> None:
    own: list[Mapping[str, str]] = [
        {}, {"origin": url}, {"sec_fetch_site": "same-origin"}, {"sec_fetch_site": "none"},
        {"sec_fetch_site": "same-origin", "origin": "https://hinter.example"},  # behind a proxy
    ]  # fmt: skip
    for headers in own:
        assert ask(f"{url}/gradio_api/queue/join", b"{}", **headers)[0] == 422
    # A link on another site may be followed.
    assert ask(url, sec_fetch_site="cross-site", sec_fetch_mode="navigate")[0] == 200


def test_on_loopback_another_machines_name_is_refused() -> None:
    # A site can let its own name stand for 127.0.0.1: then its pages count as the app's own.
    with launched(Access(local=True)) as (services, url):
        port = url.rpartition(":")[2]
        for name in ("127.0.0.1", "localhost", "hinter.localhost", "[::1]"):
            assert ask(url, host=f"{name}:{port}")[0] == 200
        for name in ("evil.example", "127.0.0.1.evil.example", "", "192.168.0.7", "0.0.0.0"):
            status, _, words = ask(url, host=f"{name}:{port}")
            assert (status, "--host 0.0.0.0" in words) == (403, True)
        services.access = Access()  # as with a tunnel
        assert ask(url, host="evil.example")[0] == 200


@pytest.mark.parametrize(
    ("headers", "foreign"),
    [
        ({}, False),
        ({"host": "a:1", "origin": "http://a:1"}, False),
        ({"host": "a:1", "origin": "http://a:2"}, True),
        ({"host": "a", "origin": "https://b"}, True),
        ({"host": "a", "origin": "null"}, True),
        ({"host": "a", "origin": ""}, True),
        ({"sec-fetch-site": "same-origin"}, False),
        ({"sec-fetch-site": "same-site"}, True),
    ],
)
def test_whose_page_asks(headers: dict[str, str], foreign: bool) -> None:
    assert _foreign(Headers(headers)) is foreign


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1", "x.localhost"])
def test_names_of_this_machine(host: str) -> None:
    assert is_loopback(host)


def test_a_body_is_bounded_on_a_public_host(url: str) -> None:
    port = int(url.rpartition(":")[2])
    for announced in ("Content-Length: 21000000", "Transfer-Encoding: chunked"):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as wire:
            wire.sendall(
                f"POST /gradio_api/queue/join HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                f"Content-Type: application/json\r\n{announced}\r\n\r\n".encode()
            )
            if "chunked" in announced:
                with suppress(OSError):  # the server hangs up
                    for _ in range(21):
                        wire.sendall(b"F4240\r\n" + b"[" * 1_000_000 + b"\r\n")
            assert b" 413 " in wire.recv(100)


def test_nothing_is_written_for_a_link_to_a_page(url: str) -> None:
    assert ask(f"{url}/gradio_api/deep_link?session_hash=x")[0] == 404


class TestEvents:
    """Events with values that no page of ours sends."""

    @pytest.fixture(scope="class")
    def upload(self, url: str) -> int:
        """The event that takes a dictionary."""
        _, _, body = ask(url + "/config")
        config = json.loads(body)
        (widget,) = (c["id"] for c in config["components"] if c["props"].get("elem_id") == "upload")
        (event,) = (d["id"] for d in config["dependencies"] if [widget, "upload"] in d["targets"])
        return int(event)

    def event(self, url: str, number: int, values: Any) -> str:
        """Ask for an event; what it says in the end."""
        page = f"page{number}"
        told = {"data": values, "fn_index": number, "session_hash": page, "trigger_id": None}
        status, _, body = ask(f"{url}/gradio_api/queue/join", json.dumps(told).encode())
        if status != 200:
            return f"{status} {body}"
        with urllib.request.urlopen(
            f"{url}/gradio_api/queue/data?session_hash={page}", timeout=20
        ) as stream:
            for line in stream:
                if line.startswith(b"data:") and b"process_completed" in line:
                    return str(json.loads(line[5:])["output"]["error"])
        return ""

    @pytest.mark.parametrize(
        "path",
        ["https://example.org/terms.csv", "http://127.0.0.1/", "/etc/passwd", "\0", "../x.csv"],
    )
    def test_gradio_fetches_no_address_and_no_file_for_a_stranger(
        self, url: str, upload: int, path: str
    ) -> None:
        told = {"path": path, "meta": {"_type": "gradio.FileData"}}
        assert "no longer on this server" in self.event(url, upload, [told, []])

    def test_refused_values_do_not_fill_the_log(
        self, url: str, upload: int, capfd: pytest.CaptureFixture[str]
    ) -> None:
        deep = json.loads("[" * 900 + "]" * 900)
        odd: list[Any] = [{"path": "/etc/passwd"}, 5, deep, {"meta": "x"}, {"path": {}, "meta": {}}]
        for value in odd * 4:
            assert "does not fit its field" in self.event(url, upload, [value, []])
        assert "does not fit" in self.event(url, upload, [])
        assert "Traceback" not in capfd.readouterr().err

    def test_faults_are_logged_so_often(self, url: str, caplog: pytest.LogCaptureFixture) -> None:
        for _ in range(30):
            assert self.event(url, 99_999, []).startswith("500")
        assert caplog.text.count("Exception in ASGI application") == 10


def test_a_ration_comes_back_with_time(clock: Clock) -> None:
    ration = Rationed(3, 60.0, clock)
    assert [ration.take() for _ in range(5)] == [True] * 3 + [False] * 2
    clock.now += 59
    assert not ration.take()
    clock.now += 1
    assert [ration.take() for _ in range(5)] == [True] * 3 + [False] * 2
