"""The protocol of a checker, and what it says of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hinter_core.errors import HinterError


class CheckerError(HinterError):
    """A checker is unknown, not installed, or cannot be reached."""


@dataclass(frozen=True, slots=True)
class Acceptability:
    """What a checker says of one sentence.

    ``acceptable``: None where it came to no judgement. ``score``: between 0 (surely wrong) and 1,
    for checkers that have one. ``reason``: what is wrong, or why there is no judgement, in words.
    """

    acceptable: bool | None
    score: float | None = None
    reason: str = ""


class Checker(Protocol):
    """Judges single sentences; ``identity`` changes whenever its judgements may."""

    name: str
    identity: str

    def check(self, texts: Sequence[str]) -> list[Acceptability]:
        """A judgement of each sentence, in order.

        Raises:
            CheckerError: it cannot be asked.
        """
        ...
