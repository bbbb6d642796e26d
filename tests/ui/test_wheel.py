"""What is installed from a wheel carries its data: it checks a text and serves the app."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from gradio_client import Client

from hinter_core.storage import ROOT
from tests.ui.conftest import until_served

TEXT = "The British waiter who served us remembered every order."
MODEL = "scripted:hidden-review"
WHERE = "import hinter_core.storage, hinter_ui; print(hinter_core.storage.ASSETS)"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel in a folder of its own; its dependencies are those of the tests."""
    wheels, site = tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = wheels.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--no-compile", "--target", site, wheel], check=True)
    return site


def environment(site: Path) -> dict[str, str]:
    own = {"PYTHONPATH": str(site), "XDG_CACHE_HOME": str(site / "cache")}
    return {**os.environ, **own, "HINTER_CACHE": str(site / "cache.sqlite")}


def run(site: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=site.parent,
        env=environment(site),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_an_installed_copy_checks_a_text(installed: Path) -> None:
    assert run(installed, "-c", WHERE).strip() == str(installed / "hinter_core/shipped/assets")
    made = run(
        installed, "-m", "hinter_core.cli", "check", "--text", TEXT, "--model", MODEL, "--json"
    )
    assert json.loads(made)["counts"]["hidden"] > 0


def test_an_installed_copy_serves_the_app(installed: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url, log = f"http://127.0.0.1:{port}", installed / "app.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "hinter_ui", "--port", str(port)],
            cwd=installed.parent,
            env=environment(installed),
            stdout=output,
            stderr=output,
        )
        try:
            until_served(url, process, log)
            client = Client(url, verbose=False)
            value = client.predict(TEXT, ["race", "gender"], MODEL, api_name="/check")
            assert value["counts"]["hidden"] > 0
        finally:
            process.terminate()
            process.wait(30)
    assert "Traceback" not in log.read_text()
