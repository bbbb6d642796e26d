"""The nouns of annotation: items, questions, projects, annotators, judgements.

An **item** is a mutant with its source, to be judged. A **judgement** is what one annotator
answered to all questions of one item at one **showing** (the second showing of an item to the same
person is a hidden repeat). A **rating** is one answer to one question.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from hinter_core.errors import HinterError
from hinter_core.types import Edit

FIRST, REPEAT = 1, 2  # showings


class AnnotationError(HinterError):
    """A project, an item or a judgement that cannot be used; the message says what to do.

    ``code`` names the case in a word, for who says it in another language; "" where there is none.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class AccessError(AnnotationError):
    """A name, a pass-phrase or a key that does not fit."""


CONSENSUS = "consensus"  # as whose judgement an export gives what stands; nobody's name


class GoneError(AnnotationError):
    """A judgement that nobody waits for: its item was taken out, or the project is closed."""


class Status(StrEnum):
    """What became of a showing: judged, put aside, or taken back (undo) and open again."""

    JUDGED = "judged"
    SKIPPED = "skipped"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Answer:
    """One possible answer: its ``value`` in files, its words and its key on the screen.

    ``valid`` says whether it speaks for the mutant (True), against it (False), or neither (None),
    as "not sure" and the labels of a task do.
    """

    value: str
    label: str
    key: str
    valid: bool | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the answers to choose from.

    ``pair``: it compares the mutant with its source and is left out where there is none.
    ``scale``: the answers have an order, as given, for agreement that counts near misses.
    """

    id: str
    ask: str
    answers: tuple[Answer, ...]
    help: str = ""
    pair: bool = False
    scale: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """The values of its answers."""
        return tuple(answer.value for answer in self.answers)

    def answer(self, value: str) -> Answer | None:
        """The answer of that value, if there is one."""
        return next((answer for answer in self.answers if answer.value == value), None)

    @property
    def judges(self) -> bool:
        """Whether its answers speak for or against a mutant."""
        return any(answer.valid is not None for answer in self.answers)


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class AnnotationItem:
    """A mutant to judge, with what is known of it; only ``id`` and ``mutant`` must be there.

    ``source``: the unchanged text, "" where a text stands alone. ``edits``: what was changed,
    where HInter made the mutant. ``kept``: what the invariant said, None where it was not asked;
    ``layer`` and ``reason`` if it discarded. ``verdicts`` by model. ``label``: of the data set.
    ``group``: items that belong together, as two mutants of one template. ``stratum`` it was drawn
    from, and ``weight``, the number of mutants of the campaign it stands for. ``origin``: where it
    came from (``campaign`` identity, ``shard``, ``place``, ``row``), or any column of a file.
    """

    id: str
    mutant: str
    source: str = ""
    attributes: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    kept: bool | None = None
    layer: str = ""
    reason: str = ""
    verdicts: Mapping[str, str] = field(default_factory=_nothing)
    label: str = ""
    group: str = ""
    stratum: str = ""
    weight: float = 1.0
    origin: Mapping[str, Any] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class Project:
    """What the owner decided.

    ``share``: of the items, how many (0 to 1) are judged by everybody, for agreement; each other
    item goes to ``copies`` annotators. ``repeats``: how many of an annotator's items (0 to 1) come
    again, unannounced, at least ``gap`` judgements later. ``blind``: no verdict of a model and no
    word of the invariant is shown before a judgement. ``seed`` shuffles.
    """

    name: str
    questions: tuple[Question, ...]
    instructions: str = ""
    language: str = "en"
    blind: bool = True
    share: float = 0.2
    copies: int = 1
    repeats: float = 0.05
    gap: int = 10
    seed: int = 0
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Annotator:
    """Somebody who judges; ``id`` is the row in the project's file."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """An item given to an annotator; ``earlier`` holds the answers of a judgement taken back."""

    item: AnnotationItem
    showing: int
    earlier: Mapping[str, str] = field(default_factory=_nothing)
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One row of the table of judgements. ``seconds`` the person took; ``at`` is ISO 8601, UTC."""

    id: int
    annotator: str
    item: str
    showing: int
    status: Status
    answers: Mapping[str, str]
    comment: str
    seconds: float
    at: str


@dataclass(frozen=True, slots=True)
class Rating:
    """One answer of one annotator to one question about one item; what agreement is made of."""

    item: str
    annotator: str
    question: str
    value: str
    showing: int = FIRST


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """How far an annotator is: showings ``judged`` and ``skipped``, and those ``left`` at most."""

    judged: int
    skipped: int
    left: int
