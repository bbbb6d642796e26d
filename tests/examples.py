"""How hypothesis looks for examples: few and always the same, or many (``make test-deep``).

The few are drawn without chance, so that what turns a test red is the change at hand and not the
day. The many are new ones each time.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, settings

DEEP = os.environ.get("HYPOTHESIS_PROFILE") == "deep"
_SHARE, _LEAST = 10, 4

# The machine may be busy: nothing is held against the clock.
_EVERY = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
    "print_blob": True,
}
settings.register_profile("quick", max_examples=25, derandomize=True, **_EVERY)  # type: ignore[arg-type]
settings.register_profile("deep", max_examples=300, **_EVERY)  # type: ignore[arg-type]


def examples(number: int, base: settings | None = None) -> settings:
    """Try ``number`` examples when looking deep, and a tenth of them, at least four, otherwise."""
    few = max(_LEAST, number // _SHARE)
    return settings(base, max_examples=number if DEEP else min(few, number))


def some(number: int) -> int:
    """``number`` texts drawn by chance when looking deep, and a fifth of them otherwise."""
    return number if DEEP else number // 5


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if the block takes longer; for what must not grow faster than its input.

    The deadline is generous: what it is for took minutes or hours.
    """

    def late(*_: object) -> None:
        raise TimeoutError(f"not done within {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
