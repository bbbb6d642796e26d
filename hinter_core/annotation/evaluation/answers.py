"""Group the answers of judgements, and decide by majority or adjudication."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from hinter_core.annotation.project.types import (
    CONSENSUS,
    FIRST,
    AnnotationItem,
    Judgement,
    Question,
    Status,
)
from hinter_core.report.section import gathered
from hinter_core.statistics.clustered import cluster_rate
from hinter_core.statistics.rates import Rate, summed, wilson

Answers = dict[str, dict[str, dict[str, str]]]  # item -> annotator -> question -> value
ByItem = dict[str, dict[str, str]]  # item -> annotator -> value
Valid = Mapping[str, bool | None]  # validity by item, None: undecided


def answers_of(judgements: Iterable[Judgement], showing: int = FIRST) -> Answers:
    """Group the answers at a showing by item, annotator and question; skipped items have none."""
    answers: Answers = {}
    for one in judgements:
        if one.status is Status.JUDGED and one.showing == showing:
            answers.setdefault(one.item, {}).setdefault(one.annotator, {}).update(one.answers)
    return answers


def by_item(judgements: Iterable[Judgement], question: str, showing: int = FIRST) -> ByItem:
    """Group the answers to a question at a showing by item and annotator."""
    answers: ByItem = {}
    for item, rows in answers_of(judgements, showing).items():
        for name, row in rows.items():
            if question in row:
                answers.setdefault(item, {})[name] = row[question]
    return answers


def clustered(cases: Iterable[tuple[Hashable, int, int]]) -> Rate:
    """Compute the rate of ``(cluster, hits, cases)``, summed by cluster."""
    return cluster_rate(summed(cases).values())


def share_of(cases: Iterable[tuple[str, bool]]) -> Rate:
    """Compute how many of ``(text, hit)`` are hits; those of one text are not independent."""
    every = list(cases)
    if len({text for text, _ in every}) < len(every):
        return clustered((text, int(hit), 1) for text, hit in every)
    return wilson(sum(hit for _, hit in every), len(every))


# -- majority answers ---------------------------------------------------------------------------

Decisions = Mapping[tuple[str, str], str]  # the owner's, by item and question


@dataclass(frozen=True, slots=True)
class Consensus:
    """Answers to one question about one item, and the accepted one.

    ``value``: the owner's decision (``decided``), else the most frequent answer, or None for a tie.
    """

    item: str
    question: str
    counts: dict[str, int]
    value: str | None
    decided: bool = False

    @property
    def dispute(self) -> float:
        """Share of answers other than the most frequent one."""
        return 1 - max(self.counts.values()) / sum(self.counts.values()) if self.counts else 0.0


Votes = Mapping[tuple[str, str], Consensus]  # by item and question


def majority_votes(
    judgements: Iterable[Judgement], decisions: Decisions | None = None
) -> dict[tuple[str, str], Consensus]:
    """Return the majority or adjudicated answer per item and question, without hidden repeats."""
    decisions = decisions or {}
    answers: dict[tuple[str, str], list[str]] = {key: [] for key in decisions}
    for item, rows in answers_of(judgements).items():
        for row in rows.values():
            for question, value in row.items():
                answers.setdefault((item, question), []).append(value)
    votes = {}
    for key, values in answers.items():
        counts = dict(Counter(values).most_common())
        decided = decisions.get(key)
        votes[key] = Consensus(*key, counts, decided or majority(counts), bool(decided))
    return votes


def majority_judgements(judgements: Sequence[Judgement], decisions: Decisions) -> list[Judgement]:
    """Return the majority or adjudicated answers per item as a judgement by ``consensus``.

    Undecided questions are left out. The comment has the counts of answers and the owner's
    decisions; the time is that of the last judgement counted.
    """
    votes = gathered(majority_votes(judgements, decisions).values(), attrgetter("item"))
    counted = [j for j in judgements if j.status is Status.JUDGED and j.showing == FIRST]
    last = {j.item: j.at for j in sorted(counted, key=lambda j: j.at)}
    results = []
    for item, of_item in votes.items():
        answers = {one.question: one.value for one in of_item if one.value is not None}
        if answers:
            comment, at = "; ".join(map(_in_words, of_item)), last.get(item, "")
            results.append(
                Judgement(0, CONSENSUS, item, FIRST, Status.JUDGED, answers, comment, 0.0, at)
            )
    return results


def _in_words(one: Consensus) -> str:
    counts = ", ".join(f"{value} {n}" for value, n in one.counts.items()) or "not judged"
    return f"{one.question}: {counts}{' (decided by the owner)' if one.decided else ''}"


def majority(counts: Mapping[str, int]) -> str | None:
    """Return the most frequent value; None for a tie or without values."""
    first, second = [*Counter(counts).most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] > second[1] else None


def disputed(votes: Votes) -> list[Consensus]:
    """Return different answers without decision of the owner, the most disputed first."""
    differing = [one for one in votes.values() if len(one.counts) > 1 and not one.decided]
    # Among equally disputed ones, ties first, then those with more answers.
    key = lambda c: (-c.dispute, c.value is not None, -sum(c.counts.values()), c.item, c.question)  # noqa: E731
    return sorted(differing, key=key)


# -- validity -----------------------------------------------------------------------------------


def validity(
    items: Iterable[AnnotationItem], questions: Sequence[Question], votes: Votes
) -> dict[str, bool | None]:
    """Decide whether each item is valid, by majority or adjudicated answers.

    False if an answer to a judging question means invalid, True if the answers to all applicable
    judging questions mean valid, else None (not sure, a tie, or not judged). Questions that
    compare with a source apply only if there is one.
    """
    accepted = {key: one.value for key, one in votes.items()}
    return {
        item.id: valid_by(item, questions, {q.id: accepted.get((item.id, q.id)) for q in questions})
        for item in items
    }


def valid_by(
    item: AnnotationItem, questions: Iterable[Question], answers: Mapping[str, str | None]
) -> bool | None:
    """Decide whether an item is valid by answers to the questions (see :func:`validity`)."""
    verdicts = []
    for question in questions:
        if question.judges and (item.source or not question.pair):
            answer = question.answer(answers.get(question.id) or "")
            verdicts.append(answer.valid if answer else None)
    if False in verdicts:
        return False
    return True if verdicts and all(verdicts) else None
