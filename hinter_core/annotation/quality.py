"""How carefully each annotator judges, as far as numbers can tell.

None of these numbers is a verdict on a person: somebody who disagrees with all others may be the
one who looks closely, and who is quick may be practised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from hinter_core.annotation.consensus import most
from hinter_core.annotation.ratings import ByItem, by_item, ratings_of
from hinter_core.annotation.values import FIRST, REPEAT, Judgement, Question, Status
from hinter_core.statistics import Rate, wilson


@dataclass(frozen=True, slots=True)
class OnQuestion:
    """One annotator on one question.

    ``others``: answers that are those of most others, of the items where most others agree.
    ``repeats``: hidden repeats answered as the first time. ``commonest``: the answer given most
    often, and ``share`` of all: near 1, it may be given without a look.
    """

    question: str
    others: Rate
    repeats: Rate
    commonest: str
    share: Rate


@dataclass(frozen=True, slots=True)
class Quality:
    """One annotator: showings ``judged``, ``skipped`` of all met, median ``seconds`` each took.

    ``seconds`` is None where no time was measured, as of judgements that were imported.
    """

    annotator: str
    judged: int
    skipped: Rate
    seconds: float | None
    questions: list[OnQuestion]


def qualities(judgements: Iterable[Judgement], questions: Sequence[Question]) -> list[Quality]:
    """Of everybody who judged or skipped, by name."""
    every = list(judgements)
    ratings = list(ratings_of(every))
    firsts = {q.id: by_item(ratings, q.id, FIRST) for q in questions}
    repeats = {q.id: by_item(ratings, q.id, REPEAT) for q in questions}
    found = []
    for name in sorted({one.annotator for one in every}):
        own = [one for one in every if one.annotator == name]
        judged = [one for one in own if one.status is Status.JUDGED]
        skipped = sum(one.status is Status.SKIPPED for one in own)
        times = [one.seconds for one in judged if one.seconds > 0]
        found.append(
            Quality(
                name,
                len(judged),
                wilson(skipped, skipped + len(judged)),
                median(times) if times else None,
                [_on(name, q.id, firsts[q.id], repeats[q.id]) for q in questions],
            )
        )
    return found


def _on(name: str, question: str, firsts: ByItem, repeats: ByItem) -> OnQuestion:
    own = {item: said[name] for item, said in firsts.items() if name in said}
    again = {item: said[name] for item, said in repeats.items() if name in said}
    others = {item: _most_of_others(firsts[item], name) for item in own}
    told = [own[item] == value for item, value in others.items() if value is not None]
    twice = [own[item] == value for item, value in again.items() if item in own]
    commonest, many = Counter(own.values()).most_common(1)[0] if own else ("", 0)
    return OnQuestion(
        question,
        wilson(sum(told), len(told)),
        wilson(sum(twice), len(twice)),
        commonest,
        wilson(many, len(own)),
    )


def _most_of_others(answers: dict[str, str], name: str) -> str | None:
    return most(Counter(value for other, value in answers.items() if other != name))
