"""Sessions of open pages: nobody's work goes because a stranger opens many."""

from __future__ import annotations

import threading

import pytest

from hinter_core.errors import InputError
from hinter_ui.shared import session as module
from hinter_ui.shared.session import Session, Sessions
from tests.ui.conftest import Clock


@pytest.fixture
def sessions(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Sessions:
    monkeypatch.setattr(module, "_SESSIONS", 20)
    return Sessions(clock)


def with_work(session: Session) -> Session:
    session.keys["https://api.example"] = "a key"
    return session


def test_empty_pages_of_a_stranger_evict_nobody_with_work(sessions: Sessions) -> None:
    mine, reading = with_work(sessions.of("mine")), sessions.of("reading")
    scanning = sessions.of("scanning")
    scanning.running = threading.Event()
    for number in range(1000):
        sessions.of(f"stranger {number}")
    assert sessions.of("mine") is mine
    assert sessions.of("scanning") is scanning
    assert mine.keys
    assert not scanning.running.is_set()
    assert sessions.of("reading") is not reading  # had nothing to lose


def test_pages_with_work_go_when_they_have_rested(sessions: Sessions, clock: Clock) -> None:
    first = with_work(sessions.of("first"))
    running = sessions.of("running")
    running.running = threading.Event()
    for number in range(18):
        with_work(sessions.of(f"page {number}"))
    with pytest.raises(InputError, match="as many open pages as it can keep"):
        sessions.of("one more")
    clock.now += module._RESTED / 2
    for number in range(1, 18):
        sessions.of(f"page {number}")
    clock.now += module._RESTED / 2
    sessions.of("one more")
    assert first.keys == {}  # closed: the oldest that had rested
    assert sessions.of("running") is running
    with_work(sessions.of("one more"))
    sessions.of("another")  # in place of page 0
    with_work(sessions.of("another"))
    with pytest.raises(InputError, match="as many open pages"):
        sessions.of("a third")


def test_memory_counts_too(
    sessions: Sessions, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    weight = with_work(Session()).weight
    assert (Session().weight, weight > 0) == (0, True)
    monkeypatch.setattr(module, "_BYTES", 3 * weight)
    kept = [with_work(sessions.of(f"page {number}")) for number in range(3)]
    with pytest.raises(InputError, match="as many open pages"):
        sessions.of("one more")
    clock.now += module._RESTED
    sessions.of("one more")
    assert [bool(session.keys) for session in kept] == [False, True, True]
    assert sessions.of("page 2") is kept[2]
