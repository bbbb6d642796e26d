"""Annotators at once: what was acknowledged is there exactly once, also after a kill.

The full size, 20 annotators with 100 judgements each, is ``python -m benchmarks --annotators``.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from benchmarks.annotators import Load, judge_all, kept, make_project, percentile
from tests.forked import Commands
from tests.ui.annotate_server import Server
from tests.ui.conftest import App

PEOPLE, JUDGEMENTS = 20, 10
_BOUND = 20.0  # seconds; a busy machine is slow, a deadlock is endless


def test_many_at_once_are_kept_exactly_once(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    name, path = make_project(app.annotations, JUDGEMENTS + 5)
    load = judge_all(app.url, name, PEOPLE, JUDGEMENTS)
    assert load.faults == []
    assert len(load.acknowledged) == PEOPLE * JUDGEMENTS
    assert kept(path) == dict.fromkeys(load.acknowledged, 1)
    half, most = (percentile(load.seconds, share) for share in (0.5, 0.95))
    with capsys.disabled():
        sys.stdout.write(
            f"\n{PEOPLE} annotators: median {half * 1000:.0f} ms, 95 % {most * 1000:.0f} ms\n"
        )
    assert most < _BOUND


def test_a_kill_in_the_middle_loses_nothing_acknowledged(
    tmp_path: Path, commands: Commands
) -> None:
    server = Server(tmp_path, commands)
    name, path = make_project(server.folder, 20)
    with server:
        loads: list[Load] = []
        work = threading.Thread(
            target=lambda: loads.append(judge_all(server.url, name, people=5, judgements=20))
        )
        work.start()
        while not path.exists() or sum(kept(path).values()) < 30:
            assert work.is_alive()
            time.sleep(0.02)
        server.kill()
        before = kept(path)
        assert 30 <= sum(before.values()) < 100  # in the middle indeed
        server.start()
        work.join(120)
        (load,) = loads
    assert load.faults == []
    assert len(load.acknowledged) == 100
    assert kept(path) == dict.fromkeys(load.acknowledged, 1)
    assert not before - kept(path)
