"""Models behind an API: whose key is sent where, and many questions at a time."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.registry import parse_name
from hinter_core.models.server.endpoint import KEYS, endpoint_for
from hinter_core.models.server.openai import as_they_come

HERE, THERE = "http://localhost:1/v1", "http://localhost:2/v1"


def test_a_lent_key_goes_to_its_own_server_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-machine")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    here = parse_name(f"openai:m?base_url={HERE}", trusted=True)
    there = parse_name(f"openai:m?base_url={THERE}", trusted=True)
    own = endpoint_for(here)
    assert (own.key, own.redirects) == ("sk-of-this-machine", True)
    monkeypatch.setenv(KEYS, json.dumps({HERE: "sk-lent"}))
    lent = endpoint_for(here)
    assert (lent.key, lent.redirects) == ("sk-lent", False)
    assert "sk-lent" not in repr(lent)
    with pytest.raises(ModelError, match="no key for 'openai:m") as caught:
        endpoint_for(there)
    assert "sk-" not in str(caught.value)
    # An empty loan is none of this machine's own key either.
    monkeypatch.setenv(KEYS, "{}")
    with pytest.raises(ModelError, match="no key for"):
        endpoint_for(here)


def test_a_lent_key_for_the_default_server_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEYS, json.dumps({"": "sk-lent"}))
    assert endpoint_for(parse_name("openai:m", trusted=True)).key == "sk-lent"
    monkeypatch.setenv(KEYS, json.dumps({"": "sk lent \u20ac"}))
    with pytest.raises(ModelError, match="characters that no key has"):
        endpoint_for(parse_name("openai:m", trusted=True))


class Line:
    """Answers with the square; writes down what was begun, ended and cancelled."""

    def __init__(self, broken: int = -1) -> None:
        self.begun: list[int] = []
        self.cancelled: list[int] = []
        self.closed = 0
        self.broken = broken

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Callable[[int], Awaitable[int]]]:
        try:
            yield self.ask
        finally:
            self.closed += 1

    async def ask(self, number: int) -> int:
        self.begun.append(number)
        try:
            # The first is the slowest; what hangs hangs until it is cancelled.
            await asyncio.sleep(60 if number == 99 else 0.05 if number == 0 else 0)
        except asyncio.CancelledError:
            self.cancelled.append(number)
            raise
        if number == self.broken:
            raise RuntimeError("the line broke")
        return number * number


def test_all_come_and_the_slow_one_holds_up_no_other() -> None:
    line = Line()
    found = list(as_they_come(line.session, 10, limit=3))
    assert sorted(found) == [n * n for n in range(10)]
    assert found[0] != 0
    assert line.closed == 1


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_are_begun_than_may_be_lost(limit: int) -> None:
    line, done = Line(), 0
    for _ in as_they_come(line.session, 20, limit):
        assert len(line.begun) - done <= limit
        done += 1
    assert done == 20


def test_the_first_error_ends_it_after_what_came_before() -> None:
    line, found = Line(broken=4), []
    values = as_they_come(line.session, 10, limit=1)
    with pytest.raises(RuntimeError, match="the line broke"):
        found.extend(values)
    assert found == [0, 1, 4, 9]
    assert line.begun == [0, 1, 2, 3, 4]
    assert line.closed == 1


def test_a_session_that_does_not_open_is_an_error() -> None:
    @asynccontextmanager
    async def closed() -> AsyncIterator[Callable[[int], Awaitable[int]]]:
        raise OSError("no line")
        yield

    with pytest.raises(OSError, match="no line"):
        list(as_they_come(closed, 3, limit=2))


def test_closing_it_cancels_what_is_under_way() -> None:
    line = Line()
    values = as_they_come(line.session, 100, limit=100)
    first = next(values)
    while 99 not in line.begun:
        first = next(values)
    assert first >= 0
    values.close()
    for _ in range(1000):
        if line.closed:
            break
        time.sleep(0.01)  # a browser test before it may have left its loop running here
    assert line.closed == 1
    assert set(line.cancelled) - {0} == {99}
