"""Judgements as ratings, and ratings as tables that agreement is computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinter_core.annotation.project.types import (
    CONSENSUS,
    FIRST,
    AnnotationItem,
    Judgement,
    Question,
    Rating,
    Status,
)

if TYPE_CHECKING:
    from numpy import ndarray


ByItem = dict[str, dict[str, str]]  # item -> annotator -> value


def ratings_of(judgements: Iterable[Judgement]) -> Iterator[Rating]:
    """The answers of all judgements that were made; those skipped or taken back have none."""
    for one in judgements:
        if one.status is Status.JUDGED:
            for question, value in one.answers.items():
                yield Rating(one.item, one.annotator, question, value, one.showing)


def by_item(ratings: Iterable[Rating], question: str, showing: int = FIRST) -> ByItem:
    """What was answered to a question at a showing; where two answers are given, the last counts.

    Hidden repeats are a person's second look, so agreement takes first showings only.
    """
    found: ByItem = {}
    for one in ratings:
        if one.question == question and one.showing == showing:
            found.setdefault(one.item, {})[one.annotator] = one.value
    return found


def text_of(item: AnnotationItem) -> str:
    """What an item shares with those that are like it: its group, else its source text."""
    return item.group or item.source or item.id


def categories(question: Question, answers: ByItem) -> list[str]:
    """The values of a question in their order, and after them any others that were given."""
    given = {value for own in answers.values() for value in own.values()}
    return [*question.values, *sorted(given - set(question.values))]


def pairs_of(
    answers: ByItem, first: str, second: str, values: Sequence[str]
) -> tuple[list[str], ndarray]:
    """The items that two annotators judged, and the numbers of their answers, (items, 2)."""
    import numpy

    place = {value: n for n, value in enumerate(values)}
    both = {item: own for item, own in answers.items() if first in own and second in own}
    codes = [(place[own[first]], place[own[second]]) for own in both.values()]
    return list(both), numpy.array(codes, dtype=int).reshape(-1, 2)


def confusion(pairs: ndarray, many: int) -> ndarray:
    """Pairs of ``many`` answers as a table: lines for the first of a pair, columns the second."""
    import numpy

    table = numpy.zeros((many, many), dtype=int)
    numpy.add.at(table, (pairs[:, 0], pairs[:, 1]), 1)
    return table


def counts_of(answers: Mapping[str, Mapping[str, str]], values: Sequence[str]) -> ndarray:
    """How often each value was given to each item: (items, k)."""
    import numpy

    place = {value: n for n, value in enumerate(values)}
    table = numpy.zeros((len(answers), len(values)), dtype=int)
    for line, own in zip(table, answers.values(), strict=True):
        for value in own.values():
            line[place[value]] += 1
    return table


Decisions = Mapping[tuple[str, str], str]  # the owner's, by item and question
_NONE: Decisions = {}


@dataclass(frozen=True, slots=True)
class Consensus:
    """The answers to one question about one item, and the one that stands.

    ``value``: the owner's decision, else the most frequent answer; None where two are equally
    frequent. ``decided``: it is the owner's.
    """

    item: str
    question: str
    counts: dict[str, int]
    value: str | None
    decided: bool = False

    @property
    def dispute(self) -> float:
        """The share of answers that are not the most frequent one: 0 where all agree."""
        return 1 - max(self.counts.values()) / sum(self.counts.values()) if self.counts else 0.0


def majority_votes(
    ratings: Iterable[Rating], decisions: Decisions = _NONE
) -> dict[tuple[str, str], Consensus]:
    """What stands of each item and question; of hidden repeats, the first answer counts."""
    answers: dict[tuple[str, str], dict[str, str]] = {key: {} for key in decisions}
    for one in ratings:
        if one.showing == FIRST:
            answers.setdefault((one.item, one.question), {})[one.annotator] = one.value
    found = {}
    for key, own in answers.items():
        counts = dict(Counter(own.values()).most_common())
        decided = decisions.get(key)
        found[key] = Consensus(*key, counts, decided or majority(counts), bool(decided))
    return found


def majority_judgements(judgements: Sequence[Judgement], decisions: Decisions) -> list[Judgement]:
    """What stands of each item, as one judgement by ``consensus``; nothing of what is open.

    Its comment says how often each answer was given and what the owner decided; its time is that
    of the last judgement that it counts.
    """
    asked: dict[str, list[Consensus]] = {}
    for one in majority_votes(ratings_of(judgements), decisions).values():
        asked.setdefault(one.item, []).append(one)
    counted = [j for j in judgements if j.status is Status.JUDGED and j.showing == FIRST]
    last = {j.item: j.at for j in sorted(counted, key=lambda j: j.at)}
    return [
        Judgement(
            0, CONSENSUS, item, FIRST, Status.JUDGED,
            {one.question: one.value for one in found if one.value is not None},
            "; ".join(map(_in_words, found)), 0.0, last.get(item, ""),
        )
        for item, found in asked.items()
        if any(one.value is not None for one in found)
    ]  # fmt: skip


def _in_words(one: Consensus) -> str:
    counts = ", ".join(f"{value} {many}" for value, many in one.counts.items()) or "not judged"
    return f"{one.question}: {counts}{' (decided by the owner)' if one.decided else ''}"


def majority(counts: Mapping[str, int]) -> str | None:
    """The most frequent value; None of none, or where two are equally frequent."""
    first, second = [*Counter(counts).most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] > second[1] else None


def disputed(found: Mapping[tuple[str, str], Consensus]) -> list[Consensus]:
    """What the owner may decide: answers that differ, not decided yet, the most disputed first."""
    differing = [one for one in found.values() if len(one.counts) > 1 and not one.decided]
    # Among equals, one without a majority first, then the one that more people judged.
    key = lambda c: (-c.dispute, c.value is not None, -sum(c.counts.values()), c.item, c.question)  # noqa: E731
    return sorted(differing, key=key)


def validity(
    items: Iterable[AnnotationItem],
    questions: Sequence[Question],
    found: Mapping[tuple[str, str], Consensus],
) -> dict[str, bool | None]:
    """Whether each item is valid for people, by the answers that stand.

    False where one judging question (one whose answers speak for or against a mutant) was answered
    against it, True where all that apply were answered for it, else None: not sure, a tie, or not
    judged. Questions that compare with a source apply where there is one.
    """
    every = {key: one.value for key, one in found.items()}
    return {
        item.id: valid_by(item, questions, {q.id: every.get((item.id, q.id)) for q in questions})
        for item in items
    }


def valid_by(
    item: AnnotationItem, questions: Iterable[Question], answers: Mapping[str, str | None]
) -> bool | None:
    """Whether an item is valid by some answers, one a question (see :func:`validity`)."""
    asked = [q for q in questions if q.judges and (item.source or not q.pair)]
    said = [_speaks(question, answers.get(question.id)) for question in asked]
    if False in said:
        return False
    return True if said and all(said) else None


def _speaks(question: Question, value: str | None) -> bool | None:
    answer = question.answer(value) if value is not None else None
    return answer.valid if answer else None


def by_annotator(
    items: Iterable[AnnotationItem], questions: Sequence[Question], ratings: Iterable[Rating]
) -> dict[str, dict[str, bool | None]]:
    """Whether each item is valid by the first answers of each annotator who judged it."""
    answers: dict[str, dict[str, dict[str, str | None]]] = {}
    for one in ratings:
        if one.showing == FIRST:
            own = answers.setdefault(one.item, {}).setdefault(one.annotator, {})
            own[one.question] = one.value
    return {
        item.id: {
            name: valid_by(item, questions, own) for name, own in answers.get(item.id, {}).items()
        }
        for item in items
    }
