"""How often a pass-phrase may be guessed: few times a minute, by name and by project."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

_MINUTE = 60.0  # seconds
_KEPT = 10_000  # names remembered at once


class Throttle:
    """Wrong tries of the last minute; a try counts from when it begins, so that many at once do."""

    def __init__(
        self,
        by_name: int = 5,
        by_project: int = 30,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = (by_name, by_project)
        self._clock = clock
        self._made: dict[tuple[str, ...], deque[float]] = {}
        self._lock = threading.Lock()

    def begin(self, project: str, name: str) -> bool:
        """Whether one more try may be made now; if so, it counts as wrong until it was right."""
        keys = _keys(project, name)
        with self._lock:
            now = self._clock()
            if len(self._made) > _KEPT:
                self._made = {k: t for k, t in self._made.items() if t and t[-1] > now - _MINUTE}
            tries = [self._made.setdefault(key, deque()) for key in keys]
            for made in tries:
                while made and made[0] <= now - _MINUTE:
                    made.popleft()
            if any(len(t) >= most for t, most in zip(tries, self._limits, strict=True)):
                return False
            for made in tries:
                made.append(now)
            return True

    def right(self, project: str, name: str) -> None:
        """The latest try of that name was right, and does not count."""
        with self._lock:
            for key in _keys(project, name):
                if self._made.get(key):
                    self._made[key].pop()


def _keys(project: str, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (project, " ".join(name.split()).casefold()), (project,)
