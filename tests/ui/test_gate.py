"""The way in: other sites' pages, and values that no page of ours sends."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPHandler, Request

import pytest
from starlette.datastructures import Headers

from hinter_core.annotation.invitation import is_loopback
from hinter_core.errors import InputError
from hinter_ui.on_demand import PageOnDemand
from hinter_ui.shared.access import Access
from hinter_ui.shared.gate import _foreign, network_of
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Allowance, Visitor
from hinter_ui.shared.wiring import TRACES, Rationed
from tests.ui.conftest import Clock, address, launched, opened

EVIL = "https://evil.example"


Opened = tuple[Services, PageOnDemand]


@pytest.fixture(scope="module")
def public() -> Iterator[Opened]:
    with opened(Access()) as found:
        yield found


@pytest.fixture(scope="module")
def url(public: Opened) -> str:
    return address(public[1])


@pytest.fixture(scope="module")
def local() -> Iterator[Opened]:
    with opened(Access(local=True)) as found:
        yield found


@pytest.fixture(scope="module")
def proxied() -> Iterator[Opened]:
    with opened(Access(proxies=1)) as found:
        yield found


MakeRoom = Callable[[PageOnDemand, int], None]


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> MakeRoom:
    """Gives the visitors of an app room for so many bytes, as if nothing had been sent."""

    def make(page: PageOnDemand, size: int) -> None:
        monkeypatch.setattr(page.uploads, "_sent", Allowance(size, 3_600))

    return make


class Patient(HTTPConnection):
    """Reads the answer of a server that refuses a body, and hangs up, while it is sent."""

    def send(self, data: Any) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):
            super().send(data)


class PatientHandler(HTTPHandler):
    def http_open(self, request: Request) -> HTTPResponse:
        return self.do_open(Patient, request)


OPENER = urllib.request.build_opener(PatientHandler)


def ask(url: str, data: bytes | None = None, **headers: str) -> Any:
    """The answer's status, headers and body."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if data is not None:
        named.setdefault("content-type", "application/json")
    try:
        answer: HTTPResponse = OPENER.open(Request(url, data, named), timeout=20)
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


def test_on_loopback_another_machines_name_is_refused(
    local: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A site can let its own name stand for 127.0.0.1: then its pages count as the app's own.
    services, page = local
    url = address(page)
    port = url.rpartition(":")[2]
    for name in ("127.0.0.1", "localhost", "hinter.localhost", "[::1]"):
        assert ask(url, host=f"{name}:{port}")[0] == 200
    for name in ("evil.example", "127.0.0.1.evil.example", "", "192.168.0.7", "0.0.0.0"):
        status, _, words = ask(url, host=f"{name}:{port}")
        assert (status, "--host 0.0.0.0" in words, "HINTER_PROXIES" in words) == (403, True, True)
    monkeypatch.setattr(services, "access", Access())  # as with a tunnel
    assert ask(url, host="evil.example")[0] == 200


@pytest.mark.parametrize(
    "told",
    [
        {"x_forwarded_for": "203.0.113.9"},
        {"x_forwarded_host": "hinter.example"},
        {"forwarded": "for=203.0.113.9"},
        {"x_real_ip": "203.0.113.9"},
        {"origin": "https://hinter.example", "sec_fetch_site": "same-origin"},
    ],
)
def test_on_loopback_what_a_proxy_passes_on_is_refused(told: dict[str, str], local: Opened) -> None:
    # It asks from this machine, under its name, for strangers.
    call = b'{"data": ["She is a nurse.", ["gender"], "hf:/etc", 1, [], ""]}'
    url = address(local[1])
    for path, data in (("", None), ("/gradio_api/call/check", call)):
        status, _, words = ask(url + path, data, **told)
        assert (status, "start the app with HINTER_PROXIES=1" in words) == (403, True)
    assert ask(url, origin=url)[0] == 200
    assert ask(url, origin="http://[::1")[0] == 200


def test_behind_ones_proxies_the_host_is_public(
    proxied: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert Access.at("127.0.0.1").local
    monkeypatch.setenv("HINTER_PROXIES", "1")
    services, page = proxied
    assert services.access == Access.at("127.0.0.1")
    url = address(page)
    told = {"x_forwarded_for": "203.0.113.9", "x_forwarded_host": "hinter.example"}
    assert ask(url, **told)[0] == 200
    for model in ("hf:/etc", "openai:m?base_url=http://10.0.0.1/v1", "embedded?prompt=/etc/x"):
        call = json.dumps({"data": ["She is a nurse.", ["gender"], model, 1, [], ""]}).encode()
        event = json.loads(ask(f"{url}/gradio_api/call/check", call, **told)[2])["event_id"]
        assert "event: error" in ask(f"{url}/gradio_api/call/check/{event}", **told)[2]


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


def form(size: int) -> tuple[bytes, str]:
    """The body of an upload, and its type."""
    head = '--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
    return head.encode() + b"a" * size + b"\r\n--x--\r\n", "multipart/form-data; boundary=x"


TOLD = [
    {"x_forwarded_for": "203.0.113.{n}"},
    {"x_forwarded_for": "127.0.0.1, 203.0.113.{n}"},
    {"x_forwarded_for": "[2001:db8:{n}::1]:80"},
    {"forwarded": "for=203.0.113.{n}"},
    {"x_real_ip": "203.0.113.{n}", "cf_connecting_ip": "203.0.113.{n}"},
    {"cookie": "hinter-visitor=made-up-{n}.signature"},
]


def test_what_a_visitor_says_of_their_address_gives_no_more_room(
    public: Opened, url: str, room: MakeRoom
) -> None:
    body, kind = form(4_000)
    room(public[1], 10_000)
    found = [
        ask(f"{url}/gradio_api/upload", body, content_type=kind,
            **{name: value.format(n=n) for name, value in told.items()})[0]
        for told in TOLD for n in range(10, 13)
    ]  # fmt: skip
    # One room for all of them; what is believed would open another.
    assert found == [200] * 2 + [413] * (3 * len(TOLD) - 2)


def test_behind_a_proxy_the_right_end_of_the_header_counts(proxied: Opened, room: MakeRoom) -> None:
    body, kind = form(4_000)
    room(proxied[1], 10_000)

    def upload(told: str) -> int:
        headers = {"content_type": kind, "x_forwarded_for": told}
        return int(ask(f"{address(proxied[1])}/gradio_api/upload", body, **headers)[0])

    assert [upload(f"203.0.113.{n}, 192.0.2.1") for n in range(4)] == [200] * 2 + [413] * 2
    assert upload("192.0.2.1, 192.0.2.2") == 200


@pytest.mark.parametrize(
    ("told", "proxies", "network"),
    [
        ([], 0, "10.0.0.1"),
        (["203.0.113.7"], 0, "10.0.0.1"),
        ([], 1, "10.0.0.1"),
        (["203.0.113.7"], 1, "203.0.113.7"),
        (["198.51.100.1, 203.0.113.7"], 1, "203.0.113.7"),
        (["198.51.100.1", "203.0.113.7"], 1, "203.0.113.7"),
        (["198.51.100.1, 203.0.113.7 , 10.0.0.2"], 2, "203.0.113.7"),
        (["203.0.113.7"], 2, "203.0.113.7"),  # asked past the outer one
        (["203.0.113.7:5123"], 1, "203.0.113.7"),
        (["[2001:db8::5]:443"], 1, "2001:db8::/64"),
        (["2001:db8::ffff:5"], 1, "2001:db8::/64"),
        (["::ffff:203.0.113.7"], 1, "203.0.113.7"),
        (["unknown"], 1, "10.0.0.1"),
        (["203.0.113.7, "], 1, "10.0.0.1"),
        (["203.0.113.7, <script>" + "x" * 9_999], 1, "10.0.0.1"),
        (["\u0663.\u0663.\u0663.\u0663"], 1, "10.0.0.1"),
    ],
)
def test_the_network_of_a_visitor(told: list[str], proxies: int, network: str) -> None:
    headers = [(b"X-Forwarded-For".lower(), one.encode("utf-8")) for one in told]
    scope = {"type": "http", "headers": headers, "client": ("10.0.0.1", 5)}
    assert network_of(scope, proxies) == network


@pytest.mark.parametrize(
    ("variables", "proxies"),
    [({}, 0), ({"SPACE_ID": "a/b"}, 1), ({"HINTER_PROXIES": "2"}, 2), ({"HINTER_PROXIES": " "}, 0),
     ({"SPACE_ID": "a/b", "HINTER_PROXIES": "0"}, 0)],
)  # fmt: skip
def test_how_many_proxies_are_believed(
    variables: dict[str, str], proxies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SPACE_ID", "HINTER_PROXIES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert Access.at("0.0.0.0").proxies == proxies


@pytest.mark.parametrize("value", ["-1", "one", "10", "1.0", "\u0661x", "all", "*"])
def test_a_number_of_proxies_that_is_none(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINTER_PROXIES", value)
    with pytest.raises(InputError, match=r"HINTER_PROXIES is .* a number from 0 to 9"):
        Access.at(None)


class TestCookie:
    """The cookie of a browser: signed, not for scripts, and on public hosts alone."""

    def of(self, answer: Any) -> str:
        return str(answer[1]["Set-Cookie"] or "")

    def test_a_page_brings_it_once(self, url: str) -> None:
        told = self.of(ask(url))
        value, *flags = told.split("; ")
        assert value.startswith("hinter-visitor=")
        assert flags == ["HttpOnly", "Path=/", "SameSite=Lax"]
        assert self.of(ask(url, cookie=value)) == ""
        assert self.of(ask(url)) != told
        for changed in (value[:-1], value.replace("=", "=x", 1), "hinter-visitor=\x7f"):
            assert self.of(ask(url, cookie=changed)).startswith("hinter-visitor=")
        for path in ("/config", "/theme.css", "/nothing"):
            assert self.of(ask(url + path)) == ""

    def test_in_the_frame_of_a_space_it_is_a_cookie_of_the_frame(self, url: str) -> None:
        told = self.of(ask(url, x_forwarded_proto="https"))
        assert told.endswith("; HttpOnly; Path=/; SameSite=None; Secure; Partitioned")

    def test_the_owner_of_the_machine_gets_none(self, local: Opened) -> None:
        assert self.of(ask(address(local[1]))) == ""

    def test_a_stream_of_another_browsers_page_is_closed_to_others(self, proxied: Opened) -> None:
        services, url = proxied[0], address(proxied[1])
        mine = self.of(ask(url)).partition(";")[0]
        browser = mine.partition("=")[2].rpartition(".")[0]
        services.sessions.of("mine", Visitor("192.0.2.1", browser))
        for stream in ("heartbeat/mine", "queue/data?session_hash=mine"):
            for cookie in ("", "hinter-visitor=made.up", self.of(ask(url)).partition(";")[0]):
                headers = {"cookie": cookie, "x_forwarded_for": "203.0.113.9"}
                assert ask(f"{url}/gradio_api/{stream}", **headers)[0] == 404
        headers = {"cookie": mine, "x-forwarded-for": "203.0.113.9"}
        asked = urllib.request.Request(f"{url}/gradio_api/heartbeat/mine", headers=headers)
        with urllib.request.urlopen(asked, timeout=20) as stream:
            assert b"ALIVE" in stream.readline()


@pytest.mark.parametrize(
    "door",
    [
        "process_recording", "process_recording/", "vibe-edit", "vibe-code/", "undo-vibe-edit",
        "vibe-starter-queries", "run/check", "api/check", "stream/x", "stream/x/close",
        "run-history/connect", "profiling/clear", "login",
    ],
)  # fmt: skip
def test_doors_that_no_page_of_ours_uses_are_shut(url: str, door: str) -> None:
    body, kind = form(10)
    for data, headers in ((body, {"content_type": kind}), (b"{}", {})):
        assert ask(f"{url}/gradio_api/{door}", data, **headers)[0] == 404


@pytest.mark.parametrize("door", ["upload", "component_server", "queue/join", "call/check"])
def test_whatever_may_store_bytes_counts(
    door: str, public: Opened, url: str, room: MakeRoom
) -> None:
    body, kind = form(6_000)
    room(public[1], 10_000)
    first = ask(f"{url}/gradio_api/{door}", body, content_type=kind)[0]
    assert first != 413
    status, _, words = ask(f"{url}/gradio_api/upload", body, content_type=kind)
    assert (status, "within an hour" in words) == (413, True)


def test_a_refused_upload_leaves_room_and_is_refused_in_our_words() -> None:
    large, kind = form(15_000_000)
    small, _ = form(4_000_000)
    with launched(Access()) as (_, url):  # with all the room that a visitor has
        for _ in range(4):
            status, headers, words = ask(f"{url}/gradio_api/upload", large, content_type=kind)
            assert (status, words.startswith("A file has more than 5 MB")) == (413, True)
            assert int(headers["content-length"]) == len(words.encode())
        assert ask(f"{url}/gradio_api/upload", b"no form", content_type=kind)[0] == 400
        found = [ask(f"{url}/gradio_api/upload", small, content_type=kind) for _ in range(13)]
    assert [one[0] for one in found] == [200] * 12 + [413]
    assert "within an hour" in found[-1][2]


def test_what_is_no_upload_is_short(url: str) -> None:
    for size, status in ((900_000, 200), (1_100_000, 413)):
        told = json.dumps({"data": ["x" * size, ["race"]]}).encode()
        assert ask(f"{url}/gradio_api/call/check", told)[0] == status


def test_one_network_has_so_many_requests_open(
    proxied: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hinter_ui.shared.gate._MOST_OPEN", 5)
    url = address(proxied[1])
    with ExitStack() as open_here:

        def wait(network: str) -> int:
            headers = {"x-forwarded-for": network}
            told = urllib.request.Request(f"{url}/gradio_api/heartbeat/page", headers=headers)
            try:
                stream = open_here.enter_context(urllib.request.urlopen(told, timeout=20))
            except HTTPError as error:
                return error.code
            return int(stream.status)

        assert [wait("192.0.2.1") for _ in range(7)] == [200] * 5 + [429] * 2
        assert wait("192.0.2.2") == 200
        open_here.close()
        for _ in range(100):
            if ask(url, x_forwarded_for="192.0.2.1")[0] == 200:
                break
            time.sleep(0.1)
        assert ask(url, x_forwarded_for="192.0.2.1")[0] == 200


def test_nothing_is_written_for_a_link_to_a_page(url: str) -> None:
    assert ask(f"{url}/gradio_api/deep_link?session_hash=x")[0] == 404


class TestEvents:
    """Events with values that no page of ours sends."""

    @pytest.fixture(scope="class")
    def upload(self, url: str) -> int:
        """The event that takes a dictionary."""
        _, _, body = ask(url + "/config", user_agent="Mozilla/5.0")
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
        TRACES._times.clear()
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
