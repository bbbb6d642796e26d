"""Everything that a project's judgements say: agreement, people, disputes, the invariant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hinter_core.annotation.against_invariant import Score, against_people
from hinter_core.annotation.agreement import Agreement, agreements
from hinter_core.annotation.consensus import Consensus, consensus, disagreements, validity
from hinter_core.annotation.quality import Quality, qualities
from hinter_core.annotation.ratings import ratings_of
from hinter_core.annotation.store import AnnotationStore
from hinter_core.annotation.true_positives import TruePositives, true_positives
from hinter_core.annotation.values import (
    AnnotationError,
    Item,
    Judgement,
    Project,
    Question,
    Status,
)


@dataclass(frozen=True)
class Evaluation:
    """A project's judgements in numbers.

    ``questions``: those that count. ``judgements``: that were made, hidden repeats among them.
    ``valid``, ``broken`` and ``undecided``: items by what people say together. ``decided``: answers
    that the owner decided. ``disputed``: answers that differ, the most disputed first.
    """

    project: str
    questions: list[str]
    items: int
    judgements: int
    annotators: list[str]
    valid: int
    broken: int
    undecided: int
    decided: int
    agreements: list[Agreement]
    qualities: list[Quality]
    disputed: list[Consensus]
    scores: list[Score]
    true_positives: list[TruePositives]


def evaluate(store: AnnotationStore, question: str = "") -> Evaluation:
    """A project in numbers; with ``question``, as if it had asked nothing else.

    Raises:
        AnnotationError: no such question, or a project that cannot be read.
    """
    project, items = store.project(), list(store.items())
    judgements, decisions = list(store.judgements()), store.adjudications()
    return evaluation(project, items, judgements, decisions, question)


def evaluation(
    project: Project,
    items: Sequence[Item],
    judgements: Sequence[Judgement],
    decisions: dict[tuple[str, str], str],
    question: str = "",
) -> Evaluation:
    """The same of plain values, wherever they come from.

    Raises:
        AnnotationError: no such question.
    """
    questions = _asked(project, question)
    names = {one.id for one in questions}
    ratings = [one for one in ratings_of(judgements) if one.question in names]
    decisions = {key: value for key, value in decisions.items() if key[1] in names}
    found = consensus(ratings, decisions)
    valid = list(validity(items, questions, found).values())
    return Evaluation(
        project.name,
        [one.id for one in questions],
        len(items),
        sum(one.status is Status.JUDGED for one in judgements),
        sorted({one.annotator for one in judgements}),
        valid.count(True),
        valid.count(False),
        valid.count(None),
        len(decisions),
        agreements(ratings, questions, items),
        qualities(judgements, questions),
        disagreements(found),
        against_people(items, questions, ratings, found),
        true_positives(items, questions, ratings),
    )


def _asked(project: Project, question: str) -> list[Question]:
    found = [one for one in project.questions if question in ("", one.id)]
    if not found:
        there = ", ".join(one.id for one in project.questions)
        raise AnnotationError(
            f"There is no question '{question}' in project \u201c{project.name}\u201d; choose one "
            f"of: {there}."
        )
    return found
