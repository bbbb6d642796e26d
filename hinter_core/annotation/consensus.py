"""What annotators say together: the answer of most, where they disagree, whether a mutant is valid.

The owner's decisions (adjudications) stand above the answers of annotators.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hinter_core.annotation.ratings import ratings_of
from hinter_core.annotation.values import (
    CONSENSUS,
    FIRST,
    Item,
    Judgement,
    Question,
    Rating,
    Status,
)

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


def consensus(
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
        found[key] = Consensus(*key, counts, decided or most(counts), bool(decided))
    return found


def settled(judgements: Sequence[Judgement], decisions: Decisions) -> list[Judgement]:
    """What stands of each item, as one judgement by ``consensus``; nothing of what is open.

    Its comment says how often each answer was given and what the owner decided; its time is that
    of the last judgement that it counts.
    """
    asked: dict[str, list[Consensus]] = {}
    for one in consensus(ratings_of(judgements), decisions).values():
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


def most(counts: Mapping[str, int]) -> str | None:
    """The most frequent value; None of none, or where two are equally frequent."""
    first, second = [*Counter(counts).most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] > second[1] else None


def disagreements(found: Mapping[tuple[str, str], Consensus]) -> list[Consensus]:
    """What the owner may decide: answers that differ, not decided yet, the most disputed first."""
    differing = [one for one in found.values() if len(one.counts) > 1 and not one.decided]
    # Among equals, one without a majority first, then the one that more people judged.
    key = lambda c: (-c.dispute, c.value is not None, -sum(c.counts.values()), c.item, c.question)  # noqa: E731
    return sorted(differing, key=key)


def validity(
    items: Iterable[Item],
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
    item: Item, questions: Iterable[Question], answers: Mapping[str, str | None]
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
    items: Iterable[Item], questions: Sequence[Question], ratings: Iterable[Rating]
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
