"""What whoever runs the app relies on: health, an orderly end, logs without visitors' words."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import time
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest
from gradio_client import Client

from hinter_core.storage import ROOT
from hinter_ui.shared.access import Access
from hinter_ui.shared.wiring import TRACES, Rationed, rationed_log
from tests.conformance.faulty_server import FaultyServer
from tests.forked import Commands
from tests.ui.conftest import app_of, launched, until_served

TEXT = "The British waiter who served us remembered every order."


def get(url: str, data: bytes | None = None) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, data, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.parametrize("local", [True, False])
def test_an_app_lives_before_it_is_ready_and_until_it_ends(local: bool) -> None:
    with launched(Access(local=local)) as (services, url):
        assert get(f"{url}/healthz") == (200, "ok")
        assert get(f"{url}/readyz") == (503, "loading")
        services.warm_up()
        assert get(f"{url}/readyz") == (200, "ok")
        assert get(f"{url}/healthz", b"{}")[0] in (404, 405)  # nothing is sent there
        services.closing.set()
        assert get(f"{url}/readyz") == (503, "closing")
        assert get(f"{url}/healthz") == (200, "ok")
        refused = get(f"{url}/gradio_api/call/models", b'{"data": [""]}')
        assert refused[0] == 503
        assert "Try again in a minute" in refused[1]


def test_work_that_has_begun_is_answered_before_the_app_ends(
    tmp_path: Path, commands: Commands
) -> None:
    def slow(text: str, turn: int) -> str:
        time.sleep(1.5)
        return "positive"

    port, log = "7961", tmp_path / "app.log"
    environment = {**os.environ, "HINTER_DATA": str(tmp_path)}
    with FaultyServer(slow) as server, log.open("w") as output:
        app = subprocess.Popen(
            [*app_of(commands), "--port", port],
            cwd=ROOT, env=environment, stdout=output, stderr=output,
        )  # fmt: skip
        try:
            until_served(f"http://127.0.0.1:{port}", app, log)
            client = Client(f"http://127.0.0.1:{port}", verbose=False)
            model = f"openai:m?base_url={server.base_url}"
            job = client.submit(TEXT, ["race", "gender"], model, 1, api_name="/check")
            while not server.asked:
                time.sleep(0.05)
            app.send_signal(signal.SIGTERM)
            assert job.result(timeout=30)["counts"]["benign"] > 0
            assert app.wait(30) == 0
        finally:
            app.kill()
    assert "Traceback" not in log.read_text()


def test_a_fault_is_logged_without_what_a_visitor_wrote(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TRACES, "_times", Rationed(10, 1.0)._times)
    log = rationed_log("hinter.test_operations")

    def fail(text: str) -> None:
        try:
            raise KeyError(text)
        except KeyError as error:
            raise ValueError(text + " with sk-" + "secret") from error

    stream_handler = logging.StreamHandler()
    try:
        fail("My name is " + chr(65) + "da")
    except ValueError:
        with caplog.at_level(logging.ERROR, "hinter.test_operations"):
            log.exception("An event failed.")
    (record,) = caplog.records
    written = stream_handler.format(record)
    assert "An event failed." in written
    assert "in fail" in written
    assert "KeyError" in written.partition("ValueError")[0]
    assert "Ada" not in written
    assert "sk-secret" not in written
