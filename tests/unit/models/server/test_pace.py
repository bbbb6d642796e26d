"""How many requests go at a time, and when: with a clock of its own, so that no test waits."""

from __future__ import annotations

from email.utils import formatdate
from time import time

import pytest

from hinter_core.models.server.pace import Pace, asked_wait, back_off, passing


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def pace(most: int = 64, **limits: float) -> tuple[Pace, Clock]:
    clock = Clock()
    return Pace(most, clock=clock, **limits), clock  # type: ignore[arg-type]


def test_it_rises_with_answers_to_the_most_and_no_further() -> None:
    one, _ = pace(most=64)
    assert one.limit == 8
    for _ in range(8):
        one.answered()
    assert one.limit == 16  # twice as many after a round
    for _ in range(200):
        one.answered()
    assert one.limit == 64
    assert pace(most=3)[0].limit == 3


def test_a_refusal_halves_it_once_for_all_that_were_under_way() -> None:
    one, clock = pace()
    for _ in range(100):
        one.answered()
    began = [one.began(0) for _ in range(64)]
    clock.now += 0.1
    for moment in began:
        assert one.refused(moment, None) is not None
    assert one.limit == 32
    clock.now += 10
    later = one.began(0)
    clock.now += 0.1
    one.refused(later, None)
    assert one.limit == 16


def test_after_a_refusal_it_rises_by_one_a_round() -> None:
    one, _ = pace()
    one.refused(one.began(0), 0.0)
    assert one.limit == 4
    for _ in range(4):
        one.answered()
    assert 4.8 < one.limit <= 5


def test_it_never_falls_below_one() -> None:
    one, clock = pace(most=2)
    for _ in range(5):
        clock.now += 20
        one.refused(one.began(0), None)
    assert one.limit == 1


@pytest.mark.parametrize("asked", [0.2, 7.0, 100.0])
def test_what_the_server_asks_for_holds_for_every_request(asked: float) -> None:
    one, clock = pace()
    assert one.refused(one.began(0), asked) == asked
    assert one.wait() == pytest.approx(asked)
    clock.now += asked
    assert one.wait() == 0


def test_rounds_of_refusals_wait_longer_and_longer_until_an_answer() -> None:
    one, clock = pace(patience=1000)
    waits = []
    for _ in range(6):
        waits.append(one.refused(one.began(0), None) or 0)
        clock.now += waits[-1]
    assert waits[:5] == sorted(waits[:5])
    assert 0.3 < waits[0] <= 0.5
    assert 6 <= waits[-1] <= 8
    one.answered()
    assert (one.refused(one.began(0), None) or 9) <= 0.5


def test_a_server_that_refuses_all_is_given_up_and_asked_again_after_its_wait() -> None:
    one, clock = pace(patience=60)
    assert one.refused(one.began(0), 30) == 30
    clock.now += 30
    assert not one.given_up()
    assert one.refused(one.began(0), 31) is None
    assert one.given_up()
    clock.now += 31
    assert not one.given_up()  # one more may try
    one.answered()
    assert one.refused(one.began(0), 30) == 30


def test_a_wait_beyond_all_patience_is_no_wait() -> None:
    one, _ = pace(patience=60)
    assert one.refused(one.began(0), 900) is None
    assert one.given_up()


def sent_within(one: Pace, clock: Clock, seconds: float, tokens: int) -> int:
    end, sent = clock.now + seconds, 0
    while clock.now < end:
        if wait := one.wait():
            clock.now += wait
        else:
            one.began(tokens)
            sent += 1
    return sent


@pytest.mark.parametrize(
    ("limits", "tokens", "expected"),
    [
        ({"rpm": 60}, 50, 60),
        ({"rpm": 600}, 50, 600),
        ({"tpm": 3_000}, 50, 60),
        ({"rpm": 600, "tpm": 3_000}, 50, 60),
        ({"rpm": 30, "tpm": 3_000}, 50, 30),
        ({"tpm": 100}, 1_000, 1),  # one that is larger than the limit still goes, by itself
    ],
)
def test_limits_by_the_minute_are_kept(
    limits: dict[str, float], tokens: int, expected: int
) -> None:
    one, clock = pace(**limits)
    assert sent_within(one, clock, 59.99, tokens) == pytest.approx(expected, abs=1)


def test_tokens_that_were_not_needed_are_given_back() -> None:
    one, clock = pace(tpm=6_000)
    one.began(500)
    assert one.wait() == pytest.approx(5)
    one.unused(400)
    assert one.wait() == pytest.approx(1)
    clock.now += 1
    assert one.wait() == 0


def test_a_time_out_is_a_sign_of_too_many() -> None:
    one, clock = pace()
    began = one.began(0)
    clock.now += 60
    one.overdue(began)
    one.overdue(began)
    assert one.limit == 4
    assert one.wait() == 0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, 0),
    ],
)
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    found = asked_wait(headers)
    assert found == seconds


def test_retry_after_may_be_a_date() -> None:
    found = asked_wait({"retry-after": formatdate(time() + 90, usegmt=True)})
    assert found == pytest.approx(90, abs=30)
    assert asked_wait({"retry-after": formatdate(time() - 90, usegmt=True)}) == 0


def test_which_faults_pass() -> None:
    assert all(map(passing, (408, 409, 429, 500, 502, 503, 529)))
    assert not any(map(passing, (400, 401, 403, 404, 413, 422)))
    assert back_off(10_000) <= 8
