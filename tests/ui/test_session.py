"""Sessions of open pages: nobody's work goes because a stranger opens many."""

from __future__ import annotations

import threading
from pathlib import Path

import gradio as gr
import pytest

from hinter_core.errors import InputError
from hinter_ui.shared import session as module
from hinter_ui.shared.access import Access
from hinter_ui.shared.events import TabEvents
from hinter_ui.shared.page import Page
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Allowance, Session, Sessions, Visitor
from tests.ui.conftest import Clock


@pytest.fixture
def sessions(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Sessions:
    monkeypatch.setattr(module, "_SESSIONS", 20)
    monkeypatch.setattr(module, "_OF_A_VISITOR", 12)
    return Sessions(clock)


def with_work(session: Session) -> Session:
    session.keys["https://api.example"] = "a key"
    return session


MINE, STRANGER = Visitor("192.0.2.1", "mine"), Visitor("192.0.2.2", "stranger")


def test_empty_pages_of_strangers_evict_nobody_with_work(sessions: Sessions) -> None:
    mine, reading = with_work(sessions.of("mine", MINE)), sessions.of("reading", MINE)
    scanning = sessions.of("scanning", MINE)
    scanning.running = threading.Event()
    for number in range(1000):
        sessions.of(f"stranger {number}", Visitor(f"192.0.2.{number % 100}"))
    assert sessions.of("mine", MINE) is mine
    assert sessions.of("scanning", MINE) is scanning
    assert mine.keys
    assert not scanning.running.is_set()
    assert sessions.of("reading", MINE) is not reading  # had nothing to lose


@pytest.mark.parametrize("browser", ["", "stranger", "another each time"])
def test_pages_of_one_visitor_close_the_app_to_nobody(sessions: Sessions, browser: str) -> None:
    mine = with_work(sessions.of("mine", MINE))
    for number in range(2_000):
        own = f"{browser} {number}" if browser.startswith("another") else browser
        with_work(sessions.of(f"page {number}", STRANGER._replace(browser=own)))
    assert sessions.of("mine", MINE) is mine
    assert mine.keys
    assert len(sessions._kept) == 13
    for number in range(5):
        sessions.of(f"new {number}", Visitor(f"192.0.2.{100 + number}"))


def test_of_one_visitor_the_page_without_work_goes_first(sessions: Sessions) -> None:
    first, empty = with_work(sessions.of("first", MINE)), sessions.of("empty", MINE)
    running = sessions.of("running", MINE)
    running.running = threading.Event()
    for number in range(10):
        with_work(sessions.of(f"page {number}", MINE))
    assert sessions.of("first", MINE) is first
    assert sessions.of("empty", MINE) is not empty
    for number in range(40):
        with_work(sessions.of(f"later {number}", MINE))
    assert first.keys == {}
    assert sessions.of("running", MINE) is running


def test_many_networks_of_a_stranger_lose_their_own_pages_first(sessions: Sessions) -> None:
    mine = with_work(sessions.of("mine", MINE))
    for number in range(100):
        with_work(sessions.of(f"page {number}", Visitor(f"203.0.113.{number % 4}")))
    assert mine.keys
    assert sessions.of("mine", MINE) is mine


def test_where_each_has_one_page_what_has_rested_goes(sessions: Sessions, clock: Clock) -> None:
    def one(number: int) -> Session:
        return with_work(sessions.of(f"page {number}", Visitor(f"192.0.2.{number}")))

    first = one(0)
    one(1).running = threading.Event()
    for number in range(2, 20):
        one(number)
    with pytest.raises(InputError, match="as many open pages as it can keep"):
        one(20)
    clock.now += module._RESTED / 2
    for number in range(2, 20):
        one(number)
    clock.now += module._RESTED / 2
    one(20)
    assert first.keys == {}  # closed: the oldest that had rested
    assert one(1).running
    with pytest.raises(InputError, match="as many open pages"):
        one(21)


def test_memory_counts_too(
    sessions: Sessions, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    weight = with_work(Session()).weight
    assert (Session().weight, weight > 0) == (0, True)
    monkeypatch.setattr(module, "_BYTES", 3 * weight)
    visitors = [Visitor(f"192.0.2.{number}") for number in range(4)]
    kept = [with_work(sessions.of(f"page {v.network}", v)) for v in visitors[:3]]
    with pytest.raises(InputError, match="as many open pages"):
        sessions.of("one more", visitors[3])
    clock.now += module._RESTED
    sessions.of("one more", visitors[3])
    assert [bool(session.keys) for session in kept] == [False, True, True]


def test_a_page_is_not_that_of_another_browser_elsewhere(sessions: Sessions) -> None:
    page = sessions.of("page", MINE)
    for same in (MINE, Visitor(MINE.network, "other"), Visitor("198.51.100.1", MINE.browser)):
        assert sessions.of("page", same) is page
        assert not sessions.is_foreign("page", same)
    for other in (STRANGER, Visitor(STRANGER.network), Visitor()):
        assert sessions.is_foreign("page", other)
        with pytest.raises(InputError, match="open in another browser"):
            sessions.of("page", other)
    assert not sessions.is_foreign("none", STRANGER)
    # Who refuses cookies may move to another network.
    bare = sessions.of("bare", Visitor("192.0.2.1"))
    assert sessions.of("bare", Visitor("198.51.100.1")) is bare


def test_an_allowance_counts_for_the_network_and_the_browser(clock: Clock) -> None:
    allowance = Allowance(3, 60.0, clock)
    assert [allowance.take(MINE) for _ in range(4)] == [True] * 3 + [False]
    assert not allowance.take(Visitor(MINE.network, "other"))
    assert not allowance.take(Visitor("198.51.100.1", MINE.browser))
    assert allowance.take(STRANGER, 3)
    assert not allowance.take(STRANGER, 0.5)
    clock.now += 61
    assert allowance.take(MINE, 3)
    assert len(allowance._used) == 2  # those of the past are forgotten


def test_a_visitor_opens_and_stores_so_much(monkeypatch: pytest.MonkeyPatch) -> None:
    public, session = Services(Access()), Session(visitor=MINE)
    for _ in range(20):
        public.require_opening(session)
    with pytest.raises(InputError, match="opened 20 classes and projects within a day"):
        public.require_opening(session)
    public.require_room(session, 199_000_000)
    with pytest.raises(InputError, match="more than 200 MB within an hour"):
        public.require_room(session, 2_000_000)
    public.require_opening(Session(visitor=STRANGER))
    public.require_room(Session(visitor=STRANGER), 2_000_000)
    local = Services(Access(local=True))
    for _ in range(30):
        local.require_opening(session)
        local.require_room(session, 10**9)


def test_what_is_made_to_be_downloaded_counts(tmp_path: Path) -> None:
    services = Services(Access())
    with Page(services), gr.Tabs(), gr.Tab():
        events = TabEvents(services, gr.HTML())
    session, made = Session(visitor=MINE), tmp_path / "mutants.csv"
    made.write_bytes(b"x" * 10)
    assert events.counted(session, made) == made
    services.require_room(session, 199_999_985)
    with pytest.raises(InputError, match="more than 200 MB"):
        events.counted(session, made)
    assert not made.exists()
