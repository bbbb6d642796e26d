"""A server that refuses, drops, is slow or sends without end: nothing is lost or paid twice."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import HinterError, ModelError
from hinter_core.models.base import Generative
from hinter_core.models.budget import Budget, Cost
from hinter_core.models.cache import PredictionCache
from hinter_core.models.registry import build_model, parse_name
from hinter_core.models.server.line import Line
from hinter_core.models.store import PredictionStore
from hinter_core.types import Failure, Prediction
from tests.conformance.faulty_server import FaultyServer

TEXTS = [f"Text number {i}." for i in range(60)]


def store(server: FaultyServer, path: Path, **settings: object) -> PredictionStore:
    query = "&".join(f"{k}={v}" for k, v in {"timeout": 20, "retries": 2, **settings}.items())
    model = build_model(parse_name(f"openai:tiny?base_url={server.base_url}&{query}", trusted=True))
    return PredictionStore(model, cache=PredictionCache(path / "cache.sqlite"))


Busy = Callable[[int], tuple[int, dict[str, str]] | None]


def refusing(seconds: float, status: int, headers: dict[str, str]) -> Busy:
    """Refuse all requests for some seconds after the tenth."""
    since: list[float] = []

    def busy(number: int) -> tuple[int, dict[str, str]] | None:
        if number == 10:
            since.append(time.monotonic())
        late = bool(since) and time.monotonic() - since[0] > seconds
        return None if number < 10 or late else (status, headers)

    return busy


@pytest.mark.parametrize(("status", "headers"), [(429, {}), (503, {}), (429, {"Retry-After": "1"})])
def test_a_server_that_refuses_all_for_longer_than_the_tries_last_loses_nothing(
    tmp_path: Path, status: int, headers: dict[str, str]
) -> None:
    """With two further tries, half a second and one apart, four seconds lost every text."""
    with FaultyServer(busy=refusing(4.0, status, headers)) as server:
        asked = store(server, tmp_path, concurrency=16)
        answers = asked.predict(TEXTS)
        assert all(answer.labels == ("positive",) for answer in answers.values())
        # Refusals cost nothing, and each answer was given once.
        assert server.spent == (len(TEXTS) * 10, len(TEXTS))
        spent = asked.model.usage.spent  # type: ignore[attr-defined]
        assert (spent.requests, spent.prompt_tokens) == (len(TEXTS), len(TEXTS) * 10)
        # Few are sent while it refuses: those under way, and then a handful.
        assert len(server.bodies) - len(TEXTS) < 40
        assert asked.predict(TEXTS) == answers
        assert PredictionCache(tmp_path / "cache.sqlite").stats().answers.total() == len(TEXTS)  # type: ignore[attr-defined]


def test_no_request_goes_before_the_server_wants_one(tmp_path: Path) -> None:
    with FaultyServer(busy=lambda n: (429, {"Retry-After": "2"}) if n == 5 else None) as server:
        answers = store(server, tmp_path, concurrency=1).predict(TEXTS[:10])
    assert all(answer.answered for answer in answers.values())
    assert len(server.times) == 11
    assert server.times[5] - server.times[4] >= 2


def test_a_server_that_never_has_time_ends_the_wait_and_says_why(tmp_path: Path) -> None:
    with FaultyServer(busy=lambda n: (429, {"Retry-After": "1"})) as server:
        asked = store(server, tmp_path, patience=2, concurrency=4)
        answers = asked.predict(TEXTS)
        assert {answer.failure for answer in answers.values()} == {Failure.ERROR}
        assert {answer.detail for answer in answers.values()} == {
            "429: too much to do (Retry-After: 1)"
        }
        # Given up, it is not asked about every text that is left.
        assert len(server.bodies) < 30
        assert asked.model.usage.spent.prompt_tokens == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("asked", [{"Retry-After": "0"}, {"retry-after-ms": "1"}])
def test_patience_ends_whatever_wait_a_server_names(tmp_path: Path, asked: dict[str, str]) -> None:
    began = time.monotonic()
    with FaultyServer(busy=lambda n: (429, asked)) as server:
        answers = store(server, tmp_path, patience=2, concurrency=4).predict(TEXTS)
        assert {answer.failure for answer in answers.values()} == {Failure.ERROR}
        assert all("429: too much to do" in answer.detail for answer in answers.values())
        assert len(server.bodies) < 40
    assert time.monotonic() - began < 20


def test_a_slow_answer_holds_up_no_other(tmp_path: Path) -> None:
    """With chunks of 64, the second chunk waited for the slow text of the first."""
    many, slow = [f"Number {i}." for i in range(200)], "A long text, sent first. [fault:hang]"
    with FaultyServer() as server:
        asked = store(server, tmp_path, concurrency=4, timeout=60)
        seen: list[int] = []
        found: list[Any] = []
        other = threading.Thread(target=lambda: found.append(asked.predict([slow, *many])))
        other.start()
        end = time.monotonic() + 25
        while len(server.answered) < 200 and time.monotonic() < end:
            time.sleep(0.02)
            seen.append(len(server.answered))
        assert server.asked[slow] == 1
        assert not server.answered[slow]
        assert len(server.answered) == 200
        server._end.set()
        other.join(30)
    assert found[0][slow].labels == ("positive",)


def test_what_was_begun_is_under_way_while_others_work_and_asked_once(tmp_path: Path) -> None:
    with FaultyServer() as server:
        asked = store(server, tmp_path)
        asked.begin(TEXTS)
        asked.begin(TEXTS[:30])
        end = time.monotonic() + 20
        while len(server.answered) < len(TEXTS) and time.monotonic() < end:
            time.sleep(0.02)
        assert len(server.answered) == len(TEXTS)  # though nobody has waited for it
        assert all(p.answered for p in asked.predict(TEXTS).values())
        assert set(server.asked.values()) == {1}
        assert asked.predicted == len(TEXTS)


def test_what_another_process_asked_while_a_text_waited_is_not_paid_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hinter_core.models.server.line._LONG", 0.0)
    others, done = ["Another text."], threading.Event()
    with FaultyServer(on_request=lambda n: n > 1 or done.wait(20)) as server:
        first, second = (store(server, tmp_path, concurrency=1) for _ in "12")
        second.begin(others)
        while not server.asked:
            time.sleep(0.01)
        second.begin(TEXTS)
        answers = first.predict(TEXTS)
        done.set()
        assert second.predict([*others, *TEXTS]).items() >= answers.items()
        assert set(server.asked.values()) == {1}
        assert (first.predicted, second.predicted) == (60, 1)
        assert second.budget.spent.requests == 1


def test_what_fails_ahead_is_told_once_and_then_asked_again(tmp_path: Path) -> None:
    bad = "Bad [fault:400]."
    with FaultyServer() as server:
        asked = store(server, tmp_path)
        asked.begin([bad])
        assert asked.predict([bad])[bad].failure is Failure.ERROR
        assert server.asked[bad] == 1
        assert asked.predict([bad])[bad].failure is Failure.ERROR
        assert server.asked[bad] == 2


@pytest.mark.parametrize("ahead", [0, 25, 60])
def test_a_budget_holds_for_what_is_sent_ahead(tmp_path: Path, ahead: int) -> None:
    with FaultyServer() as server:
        asked = store(server, tmp_path, concurrency=8)
        asked.budget = Budget(requests=20)
        asked.begin(TEXTS[:ahead])
        answers = asked.predict(TEXTS)
        assert len(server.bodies) == sum(p.answered for p in answers.values()) == 20
        assert asked.budget.spent.requests == 20


def test_two_models_share_a_budget_while_both_are_under_way(tmp_path: Path) -> None:
    with FaultyServer() as server:
        first, second = store(server, tmp_path), store(server, tmp_path, question="Well?")
        first.budget = second.budget = Budget(requests=70)
        for part in (TEXTS[:30], TEXTS[30:]):
            first.begin(part)
            second.begin(part)
        answers = [*first.predict(TEXTS).values(), *second.predict(TEXTS).values()]
        assert sum(p.answered for p in answers) == len(server.bodies) == 70


class Lost(Budget):
    """A budget that is kept elsewhere, and is out of reach after so many looks for room."""

    def __init__(self, looks: int) -> None:
        super().__init__(requests=20)
        self.looks = looks

    def room_for(self, estimate: Cost) -> bool | None:
        self.looks -= 1
        if self.looks < 0:
            raise HinterError("the budget is gone")
        return super().room_for(estimate)


@pytest.mark.parametrize("looks", [0, 5, 21, 25])
def test_a_budget_that_is_lost_ends_the_run_and_nothing_is_paid_twice(
    tmp_path: Path, looks: int
) -> None:
    """Up to 20 it is lost as texts are sent, and later as a reply makes room for others."""
    with FaultyServer() as server:
        asked = store(server, tmp_path, concurrency=8)
        asked.budget = Lost(looks)
        with pytest.raises(HinterError, match="gone"):
            asked.predict(TEXTS)
        asked.call_off()
        asked.budget = Budget()
        assert all(answer.answered for answer in asked.predict(TEXTS).values())
        assert set(server.settled().values()) == {1}


def test_money_that_comes_back_is_spent_on_what_waits(tmp_path: Path) -> None:
    """Estimates of two models together exceed the budget; what they cost does not."""
    with FaultyServer() as server:
        prices = {"price_in": 3, "price_out": 15}
        one, two = (
            store(server, tmp_path, **prices),
            store(server, tmp_path, question="A", **prices),
        )
        assert isinstance(one.model, Generative)
        one.budget = two.budget = Budget(money=8 * one.model.estimate(TEXTS[0]).money)
        one.begin(TEXTS)
        two.begin(TEXTS)
        answers = [*two.predict(TEXTS).values(), *one.predict(TEXTS).values()]
        told = (server.spent[0] * 3 + server.spent[1] * 15) / 1e6
        assert one.budget.spent.money == pytest.approx(told)
        assert sum(p.answered for p in answers) == len(server.bodies)
        assert len(server.bodies) > 20


def test_a_stop_sends_no_more_and_keeps_what_was_paid(tmp_path: Path) -> None:
    stopped = threading.Event()

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    def hold(number: int) -> None:
        """Answer no more than 30 before the stop, which a busy machine may hear late."""
        if number > 30:
            stopped.wait(20)

    with FaultyServer(busy=hold) as server:
        asked = store(server, tmp_path, concurrency=4)
        with pytest.raises(KeyboardInterrupt):
            asked.predict(TEXTS, chunk=10, after_chunk=stop)
        stopped.set()
        end = time.monotonic() + 10
        sent = -1
        while sent != len(server.bodies) and time.monotonic() < end:
            sent = len(server.bodies)
            time.sleep(0.3)
        assert 10 <= sent < 40
        again = store(server, tmp_path)
        assert all(p.answered for p in again.predict(TEXTS).values())
        assert set(server.asked.values()) == {1}  # what was under way is kept as well
        # And the store that was stopped goes on.
        assert all(p.answered for p in asked.predict([*TEXTS, "new"]).values())


def test_a_key_refused_for_many_texts_at_a_time_is_told_once(tmp_path: Path) -> None:
    """The last of eight refusals came in the next call, though the key was good by then."""
    bad, together = threading.Event(), threading.Barrier(8)

    def busy(_: int) -> tuple[int, dict[str, str]] | None:
        if bad.is_set():
            together.wait(20)
        return (401, {}) if bad.is_set() else None

    with FaultyServer(busy=busy) as server:
        asked = store(server, tmp_path, concurrency=8)
        for start in range(0, 40, 8):
            bad.set()
            with pytest.raises(HinterError, match="refused the key"):
                asked.predict(TEXTS[start : start + 8])
            bad.clear()
            answers = asked.predict(TEXTS[start : start + 8])
            assert all(answer.answered for answer in answers.values())


@pytest.mark.parametrize("fault", ["drop", "500", "drip"])
def test_faults_of_many_texts_lose_no_other(tmp_path: Path, fault: str) -> None:
    bad = [f"Bad {i} [fault:{fault}]." for i in range(8)]
    with FaultyServer() as server:
        asked = store(server, tmp_path, concurrency=8, timeout=1, retries=1)
        answers = asked.predict([*TEXTS, *bad])
        assert all(answers[text].labels == ("positive",) for text in TEXTS)
        assert all(answers[text].failure for text in bad)
        assert {server.asked[text] for text in bad} == {2}
        assert {server.asked[text] for text in TEXTS} == {1}


@pytest.mark.parametrize(
    ("fault", "told"), [("500", "500: 500"), ("page", "Welcome"), ("drop", "the connection failed")]
)
def test_a_server_that_answers_nothing_is_not_asked_about_all(
    tmp_path: Path, fault: str, told: str
) -> None:
    texts = [f"Text {i} [fault:{fault}]." for i in range(200)]
    with FaultyServer() as server:
        asked = store(server, tmp_path, concurrency=8, retries=0)
        with pytest.raises(HinterError, match=rf"answered none of 20 texts .*{told}"):
            asked.predict(texts)
        assert 20 <= len(server.asked) < 20 + 2 * 8
        # It is asked again by the next who wants an answer, and from then on a fault is a text's.
        assert asked.predict(["Good."])["Good."].answered
        assert all(answer.failure for answer in asked.predict(texts[:30]).values())


def test_requests_a_minute_are_kept_on_the_wire(tmp_path: Path) -> None:
    with FaultyServer() as server:
        store(server, tmp_path, rpm=600, concurrency=16).predict(TEXTS[:20])
    gaps = [b - a for a, b in zip(server.times, server.times[10:], strict=False)]
    assert min(gaps) > 0.8  # ten more take a second


_SERVER = """
import sys, time
from tests.conformance.faulty_server import FaultyServer
def reply(text, turn):
    time.sleep(0.05)
    return "positive"
with FaultyServer(reply, port=int(sys.argv[1])):
    print("up", flush=True)
    time.sleep(600)
"""


@contextmanager
def process_on(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server in a process of its own, whose end closes all connections."""
    command = [sys.executable, "-c", _SERVER, str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            assert server.stdout.readline() == b"up\n"
            yield server
        finally:
            server.kill()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_a_server_that_is_started_anew_is_waited_for(tmp_path: Path) -> None:
    port = free_port()
    query = f"base_url=http://127.0.0.1:{port}/v1&concurrency=4&retries=2&timeout=20"
    model = build_model(parse_name(f"openai:tiny?{query}", trusted=True))
    assert isinstance(model, Line)
    model.restarts = True
    asked = PredictionStore(model, cache=PredictionCache(tmp_path / "cache.sqlite"))
    answers: dict[str, Prediction] = {}
    with ThreadPoolExecutor(1) as threads:
        with process_on(port) as server:
            asked.predict(TEXTS[:4])
            rest = threads.submit(asked.predict, TEXTS)
            server.kill()
            server.wait()
            time.sleep(2)  # more than two further tries last
            assert not rest.done()
        with process_on(port):
            answers = rest.result(60)
    assert [answers[text].labels for text in TEXTS] == [("positive",)] * len(TEXTS)


@pytest.mark.parametrize("restarts", [True, False])
def test_a_server_that_does_not_come_back_ends_the_run_and_says_what_is_kept(
    tmp_path: Path, restarts: bool
) -> None:
    port = free_port()
    patience = 2 if restarts else 100  # a single check does not wait
    query = f"base_url=http://127.0.0.1:{port}/v1&retries=1&timeout=20&patience={patience}"
    model = build_model(parse_name(f"openai:tiny?{query}", trusted=True))
    assert isinstance(model, Line)
    model.restarts = restarts
    asked = PredictionStore(model, cache=PredictionCache(tmp_path / "cache.sqlite"))
    with process_on(port):
        asked.predict(TEXTS[:4])
    with pytest.raises(ModelError, match=r"any more \(.*\)\. What was answered is kept"):
        asked.predict(TEXTS)
    assert asked.predict(TEXTS[:4]).keys() == set(TEXTS[:4])
