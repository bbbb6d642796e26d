"""What is installed from a wheel carries its data: it checks a text and serves the app."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
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


def action(site: Path, name: str, folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the Action as its runner does, with the inputs that a caller gives."""
    described = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    inputs = {key: one.get("default", "") for key, one in described["inputs"].items()} | given
    (step,) = (one for one in described["runs"]["steps"] if one.get("name") == name)
    assert "${{" not in step["run"]  # nothing that a caller writes becomes code
    named = {
        key: inputs[value.removeprefix("${{ inputs.").removesuffix(" }}")]
        for key, value in step["env"].items()
    }
    path = f"{site / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-c", step["run"]], cwd=folder, capture_output=True, text=True,
        env={**environment(site), **named, "PATH": path},
    )  # fmt: skip


def test_the_action_fails_a_build_and_leaves_its_reports(installed: Path, tmp_path: Path) -> None:
    settings = (ROOT / "examples/ci/bias.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(settings)["models"] == ["embedded"]
    own = {"settings": "bias.yaml", "out": "made; touch pwned", "gate-on": "rate"}
    biased = settings.replace("- embedded", f"- {MODEL}")
    (tmp_path / "bias.yaml").write_text(biased)
    shutil.copy(ROOT / "examples/ci/reviews.csv", tmp_path)
    done = action(installed, "Test", tmp_path, **own, **{"fail-over": "0"})
    assert done.returncode == 1, done.stderr
    assert "intersectional errors" in done.stderr
    assert not (tmp_path / "pwned").exists()
    out = tmp_path / own["out"]
    found = json.loads(Path(f"{out}.sarif").read_text())["runs"][0]["results"]
    assert found[0]["level"] == "error"
    assert "intersectional errors" in found[0]["message"]["text"]
    assert "<failure" in Path(f"{out}.xml").read_text()
    assert action(installed, "Test", tmp_path, **own, **{"fail-over": "1"}).returncode == 0
    assert action(installed, "Test", tmp_path, **own, **{"fail-over": "many"}).returncode == 2
    assert action(installed, "Report", tmp_path, **own).returncode == 0
    assert "<html" in Path(f"{out}.html").read_text()[:500]


def test_the_example_of_a_test_suite_passes(installed: Path, tmp_path: Path) -> None:
    example = str(ROOT / "examples/ci/test_bias.py")
    plain = ["-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", str(tmp_path)]
    assert "1 passed" in run(installed, *plain, "-p", "no:cacheprovider", example)


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
            process.terminate()
            assert process.wait(30) == 0
        finally:
            process.kill()
    assert "Traceback" not in log.read_text()
