"""Types of annotation: items, questions, projects, annotators, judgements.

An **item** is a mutant, usually with its source. A **judgement** holds one annotator's answers to
all questions about an item at one **showing** (the second showing to the same person is a hidden
repeat).
"""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from functools import partial
from typing import Any, Self

from hinter_core.campaign.tables import edit_from_row, edits_to_rows
from hinter_core.errors import HinterError
from hinter_core.types import Edit

FIRST, REPEAT = 1, 2  # showings
CONSENSUS = "consensus"  # annotator of the majority judgements in an export; a reserved name
UNSURE = "unsure"  # value of "not sure", which is no label
LONGEST_COMMENT = 4000  # characters
as_json = partial(json.dumps, ensure_ascii=False)  # as the files of a project hold it


class AnnotationError(HinterError):
    """An unusable project, item or judgement; the message says what to do.

    ``code`` identifies the case for translations, or is "".
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class AccessError(AnnotationError):
    """A wrong or unknown name, pass-phrase or key."""


class GoneError(AnnotationError):
    """A judgement of a removed item, or in a closed project."""


class Status(StrEnum):
    """Outcome of a showing: judged, skipped, or withdrawn (undo) and open again."""

    JUDGED = "judged"
    SKIPPED = "skipped"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Answer:
    """A possible answer: its ``value`` in files, its label and its key on the screen.

    ``valid``: the answer means that the mutant is valid (True), invalid (False), or neither (None),
    as "not sure" and the labels of a task.
    """

    value: str
    label: str
    key: str
    valid: bool | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its possible answers.

    ``pair``: it compares the mutant with its source and is left out without one. ``scale``: the
    answers are ordered, for ordinal agreement. ``labels``: the answers are labels of the task, so
    those to the texts of a true positive are the same. ``ask_if``: earlier questions with the
    answers after which it is asked.
    """

    id: str
    ask: str
    answers: tuple[Answer, ...]
    help: str = ""
    pair: bool = False
    scale: bool = False
    labels: bool = False
    ask_if: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """The values of its answers."""
        return tuple(answer.value for answer in self.answers)

    def answer(self, value: str) -> Answer | None:
        """Return the answer with a value, or None."""
        return next((answer for answer in self.answers if answer.value == value), None)

    @property
    def judges(self) -> bool:
        """Whether its answers decide about the validity of a mutant."""
        return any(answer.valid is not None for answer in self.answers)

    @property
    def fine(self) -> str:
        """The one value that speaks for the mutant, or "": what "all fine" answers."""
        fine_answers = [answer.value for answer in self.answers if answer.valid]
        return fine_answers[0] if len(fine_answers) == 1 else ""

    def asked(self, answers: Mapping[str, str], *, pair: bool) -> bool:
        """Whether it is asked after ``answers`` to earlier ones; ``pair``: there is a source."""
        after = all(answers.get(name) in values for name, values in self.ask_if)
        return after and (pair or not self.pair)


@dataclass(frozen=True, slots=True)
class Practice:
    """A text to practise on, with the owner's ``answers`` (question, value) and the reason."""

    text: str
    answers: tuple[tuple[str, str], ...]
    source: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class AnnotationItem:
    """A mutant to judge; only ``id`` and ``mutant`` are required.

    ``source``: the unchanged text, "" for a single text. ``edits``: the changes, if HInter made the
    mutant. ``kept``: the invariant's verdict, None if it was not run; ``layer`` and ``reason`` of
    a rejection. ``validity`` (how probably it is fair), ``soft`` and ``unfair``: the grades of the
    validity score, if known. ``across_people``: it changes different people, if known. ``verdicts``
    by model. ``label`` of the data set. ``group``: common to related items, as mutants of one
    template. ``stratum`` and ``weight`` of the sample: the number of mutants represented.
    ``origin``: ``campaign`` identity, ``shard``, ``place`` and ``row``, or columns of a file.
    """

    id: str
    mutant: str
    source: str = ""
    attributes: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    kept: bool | None = None
    layer: str = ""
    reason: str = ""
    validity: float | None = None
    soft: float | None = None
    unfair: float | None = None
    across_people: bool | None = None
    verdicts: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    group: str = ""
    stratum: str = ""
    weight: float = 1.0
    origin: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cluster(self) -> str:
        """What it has in common with related items: its group, else its source text."""
        return self.group or self.source or self.id

    @property
    def fingerprint(self) -> str:
        """Hash of the texts and the group, regardless of white space, to find duplicates."""
        texts = (
            " ".join(unicodedata.normalize("NFC", t).split()) for t in (self.source, self.mutant)
        )
        content = "\x1f".join((*texts, self.group))
        return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()

    def to_row(self) -> dict[str, Any]:
        """Return the values by field, as JSON can hold them."""
        row = {one.name: getattr(self, one.name) for one in fields(self)}
        return row | {
            "attributes": list(self.attributes),
            "edits": edits_to_rows(self.edits),
            "verdicts": dict(self.verdicts),
            "origin": dict(self.origin),
        }

    def to_json(self) -> str:
        """Return the item as JSON."""
        return as_json(self.to_row())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the JSON of :meth:`to_json`."""
        row = json.loads(text)
        edits = tuple(map(edit_from_row, row["edits"]))
        return cls(**row | {"attributes": tuple(row["attributes"]), "edits": edits})


@dataclass(frozen=True, slots=True)
class Project:
    """Settings of a project.

    ``share``: share of items (0 to 1) judged by all annotators, for agreement; each other item goes
    to ``copies`` annotators. ``repeats``: share of an annotator's items (0 to 1) shown again,
    unannounced, at least ``gap`` judgements later. ``blind``: verdicts of models and of the
    invariant are hidden before a judgement. ``alone``: a mutant is shown without its source and
    unmarked until the first question that compares them. ``seed`` of the order.

    Before judging, people read ``opening`` (the task, in Markdown), agree to ``consent`` if there
    is one, see ``contact`` and a ``note`` on what the texts hold, and do ``practice``. ``quota``:
    judgements of one person at most, 0 for all. ``completion``: a code, or an address, that is
    shown at the end. ``gold``: texts with the owner's decision go to everybody. ``even``: equal
    numbers of items have equal numbers of repeats, which in older projects were left to chance.
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
    alone: bool = True
    opening: str = ""
    consent: str = ""
    contact: str = ""
    note: str = ""
    practice: tuple[Practice, ...] = ()
    quota: int = 0
    completion: str = ""
    gold: bool = False
    even: bool = True

    def to_json(self) -> str:
        """Return the settings as JSON."""
        return as_json(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the JSON of :meth:`to_json`."""
        raw = json.loads(text)
        # Before ``alone`` existed, pairs were shown at once, and before ``even`` repeats were drawn
        # by chance; who judges later sees the same.
        raw |= {
            "questions": tuple(map(_stored, raw["questions"])),
            "practice": tuple(
                Practice(**one | {"answers": tuple(map(tuple, one["answers"]))})
                for one in raw.get("practice", ())
            ),
        }
        return cls(**{"alone": False, "even": False, **raw})


def _stored(raw: Mapping[str, Any]) -> Question:
    """Read a question; before ``labels``, all that do not judge counted as asking for a label."""
    answers = tuple(Answer(**one) for one in raw["answers"])
    after = tuple((name, tuple(values)) for name, values in raw.get("ask_if", ()))
    question = Question(**{**raw, "answers": answers, "ask_if": after})
    return question if "labels" in raw else replace(question, labels=not question.judges)


@dataclass(frozen=True, slots=True)
class Annotator:
    """A person who judges; ``id`` is the row in the project's file.

    ``excluded``: why the person's judgements do not count, or "". ``entry``: what the link said of
    the person, and what the person agreed to and when, as JSON.
    """

    id: int
    name: str
    excluded: str = ""
    entry: str = "{}"


@dataclass(frozen=True, slots=True)
class Assignment:
    """An item assigned to an annotator; ``earlier``: the answers of a withdrawn judgement."""

    item: AnnotationItem
    showing: int
    earlier: Mapping[str, str] = field(default_factory=dict)
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A row of the table of judgements; ``seconds``: duration; ``at``: ISO 8601, UTC."""

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
class AnnotatorProgress:
    """Numbers of an annotator's showings: ``judged``, ``skipped``, and ``left`` at most.

    ``latest``: time of the last judgement, ISO 8601, or "". ``seconds``: duration of all of them.
    ``again``: those of the judged showings that were repeats.
    """

    annotator: Annotator
    judged: int
    skipped: int
    left: int
    latest: str
    seconds: float = 0.0
    again: int = 0
