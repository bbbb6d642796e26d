"""How many requests a server gets at a time, and when the next one may go.

The number rises with answers and is halved when the server refuses one with 429 or 503, as in
TCP's congestion control: it doubles each round trip until the first refusal, and then rises by one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

_START = 8  # requests at a time at first
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0  # seconds before a further try, if the server names none
_LEAST_WAIT = 0.2  # seconds, however few a server names: it refused just now
_MINUTE, _DAY = 60.0, 86_400.0
BUSY = frozenset({429, 503})  # statuses of a server that has too much to do
_AGAIN = frozenset({408, 409})  # besides those from 500


def passing(status: int) -> bool:
    """Whether another try of the same request may succeed."""
    return status in BUSY or status in _AGAIN or status >= 500


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that ``Retry-After`` asks to wait; None without it."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        written = headers.get(name, "")
        try:
            return min(_DAY, max(0.0, float(written) / unit))
        except ValueError:
            pass
        try:
            return min(_DAY, max(0.0, parsedate_to_datetime(written).timestamp() - time.time()))
        except (TypeError, ValueError):
            pass
    return None


def back_off(tries: int) -> float:
    """Return the seconds to wait after so many tries, with some chance in it."""
    wait: float = min(_FIRST_WAIT * 2 ** min(tries - 1, 9), _LONGEST_WAIT)
    return wait * random.uniform(0.75, 1.0)


@dataclass
class Pace:
    """The pace of one model's requests.

    ``most``: requests at a time. ``rpm`` and ``tpm``: requests and tokens a minute (0: no limit),
    spread evenly. ``patience``: seconds for which a server may refuse all before it is given up.
    """

    most: int
    rpm: int = 0
    tpm: int = 0
    patience: float = 180.0
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self.limit = float(min(_START, self.most))
        self._resume = self._next_request = self._next_token = 0.0
        self._refused_since: float | None = None
        self._refusals = 0  # rounds of them since the last answer
        self._halved, self._slow = float("-inf"), False

    def wait(self) -> float:
        """Return the seconds until the next request may go; 0: now."""
        return max(0.0, max(self._resume, self._next_request, self._next_token) - self.clock())

    def given_up(self) -> bool:
        """Whether the server is to be left alone, for longer than ``patience`` altogether."""
        since = self._refused_since
        return since is not None and since + self.patience < self._resume > self.clock()

    def began(self, tokens: int) -> float:
        """Count a request with an estimate of its tokens; return the time."""
        now = self.clock()
        if self.rpm:
            self._next_request = max(now, self._next_request) + _MINUTE / self.rpm
        if self.tpm:
            self._next_token = max(now, self._next_token) + tokens * _MINUTE / self.tpm
        return now

    def unused(self, tokens: int) -> None:
        """Give back tokens of an estimate that were not needed."""
        if self.tpm:
            self._next_token -= tokens * _MINUTE / self.tpm

    def answered(self) -> None:
        """Note an answer: more requests may go at a time."""
        self._refused_since, self._refusals = None, 0
        self.limit = min(self.most, self.limit + (1 / self.limit if self._slow else 1))

    def refused(self, began: float, retry_after: float | None) -> float | None:
        """Note a refusal of a request; return how long to wait, or None if that is too long.

        Only one of the requests that were under way together halves the number. ``retry_after``:
        seconds that the server named; 0 names none.
        """
        now = self.clock()
        if self._refused_since is None:
            self._refused_since = now
        if began >= self._halved:
            self._halved, self._slow = now, True
            self.limit = max(1.0, self.limit / 2)
            self._refusals += 1
        wait = max(retry_after or back_off(self._refusals), _LEAST_WAIT)
        self._resume = max(self._resume, now + wait)
        return None if self.given_up() else wait

    def overdue(self, began: float) -> None:
        """Note a request without an answer in time, which is a sign of too many at a time."""
        if began >= self._halved:
            self._halved, self._slow = self.clock(), True
            self.limit = max(1.0, self.limit / 2)
