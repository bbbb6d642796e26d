"""What the tests of replies have in common: tasks, and an answer as a value to compare."""

from __future__ import annotations

from collections.abc import Sequence

from hinter_core.models.replies.reading import parse_answer
from hinter_core.types import Failure

MOOD = ("positive", "negative")
FEELINGS = ("anger", "joy", "fear")
BITS = ("0", "1")
STARS = ("1", "2", "3", "4", "5")
LETTERS = ("A", "B")
YES_NO = ("yes", "no")

Answer = tuple[str, ...] | Failure
POSITIVE: Answer = ("positive",)
NEGATIVE: Answer = ("negative",)
NO_LABEL: Answer = Failure.UNPARSABLE
REFUSED: Answer = Failure.REFUSED


def read(
    reply: str, labels: Sequence[str] = MOOD, *, several: bool = False, cut: bool = False
) -> Answer:
    """The labels of a reply, or the failure; a failure says why, and names no label."""
    none = "None" if several else ""
    found = parse_answer(reply, labels, multi_label=several, none_label=none, cut=cut)
    assert bool(found.failure) is bool(found.detail)
    assert not (found.failure and found.labels)
    return found.failure or found.labels
