"""The protocol of grammar checkers and their judgements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hinter_core.errors import HinterError


class CheckerError(HinterError):
    """A checker is unknown, not installed, or cannot be reached."""


@dataclass(frozen=True, slots=True)
class Acceptability:
    """A checker's judgement of one sentence.

    ``acceptable``: None without a judgement. ``score``: from 0 (unacceptable) to 1, if the checker
    has scores. ``reason``: what is wrong, or why there is no judgement.
    """

    acceptable: bool | None
    score: float | None = None
    reason: str = ""


class Checker(Protocol):
    """Judges single sentences; ``identity`` names everything that determines a judgement."""

    name: str
    identity: str

    def check(self, texts: Sequence[str]) -> list[Acceptability]:
        """Judge each sentence, in order.

        Raises:
            CheckerError: the checker failed or cannot be reached.
        """
        ...
