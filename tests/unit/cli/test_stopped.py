"""A run that is stopped, or that takes long, says so at once."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.forked import Commands

from .conftest import Run

SLOW = """import time
def answer(texts):
    time.sleep(0.5)
    return ["good"] * len(texts)
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    path.write_text("text\nThe black man was kind.\nOn Tuesday a white man left.\nIt rained.\n")
    return path


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A server that takes requests and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        yield server


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "first"), [("1", signal.SIGTERM), ("2", signal.SIGINT)])
def test_a_second_interrupt_ends_a_run_that_waits_for_a_server(
    data: Path, silent: socket.socket, commands: Commands, tmp_path: Path, workers: str, first: int
) -> None:
    address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
    err = tmp_path / "err"
    process = commands.start(
        "run", "--data", str(data), "--out", str(tmp_path / "out"), "--workers", workers,
        "--model", f"openai:x?base_url={address}&labels=good,bad&prompt=sentiment", err=err,
    )  # fmt: skip
    with silent.accept()[0]:
        os.killpg(process, first)
        end = time.monotonic() + 30
        while not err.exists() or "Press Ctrl-C again" not in err.read_text():
            assert time.monotonic() < end, err.read_text()
            time.sleep(0.02)
        began = time.monotonic()
        os.killpg(process, signal.SIGINT)
        assert commands.wait(process).code == 130
        assert time.monotonic() - began < 10
    assert not any(word in err.read_text() for word in ("Traceback", "resource_tracker"))


@pytest.mark.slow
def test_workers_that_still_import_hear_no_interrupt(
    data: Path, commands: Commands, tmp_path: Path
) -> None:
    err = tmp_path / "err"
    process = commands.start("run", "--data", str(data), "--out", str(tmp_path / "out"),
                             "--workers", "2", "--shard", "1", err=err)  # fmt: skip
    end = time.monotonic() + 60
    while not list(psutil.Process(process).children()):
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(0.3)  # they import for longer; what is asserted holds whenever it comes
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGINT)
    assert commands.wait(process).code in (0, 130)
    assert "Traceback" not in err.read_text()


def test_a_stopped_command_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hinter_core.cli.run.campaigns_in", stop)
    assert run("list") == (130, "", "hinter: stopped.\n")


def test_an_interrupt_during_the_imports_leaves_no_traceback() -> None:
    script = (
        "import sys\nclass Stop:\n def find_spec(self, name, *_):\n"
        "  if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\nimport hinter_core.cli"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "hinter: stopped.\n")


@pytest.mark.slow
def test_a_line_is_written_while_no_unit_is_done(
    run: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_model.py").write_text(SLOW)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("hinter_core.cli.run._EVERY", 0.1)
    code, _, err = run("run", "--data", str(data), "--out", str(tmp_path / "out"),
                       "--model", "python:slow_model:answer", "--limit", "3")  # fmt: skip
    assert code == 0
    assert re.search(rf"(?m)^\d\d:\d\d:\d\d {tmp_path}/out: 0 of 1 shards, 0 texts", err)
    assert re.search(r" in \d+ s", err)
