"""How far annotators agree: by question, by attributes, and any two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from hinter_core.annotation.coefficients import Coefficient, alpha, cohen, fleiss
from hinter_core.annotation.ratings import ByItem, by_item, categories, confusion, counts_of
from hinter_core.annotation.values import Item, Question, Rating
from hinter_core.report_section import ordered
from hinter_core.statistics import Rate, clustered, wilson

_ALONE = "only one person answered"
_NOBODY = "nobody answered"


@dataclass(frozen=True, slots=True)
class Between:
    """Two annotators on one question.

    ``same``: of the items both judged, those they answered alike. ``table``: items by the answer of
    the first (lines) and of the second (columns), in the order of ``values``.
    """

    first: str
    second: str
    same: Rate
    kappa: Coefficient
    values: list[str]
    table: list[list[int]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """All annotators on one question, over all items or over those of one set of attributes.

    ``items`` have at least two answers, of ``judged`` that have one. ``same``: of all pairs of
    answers to one item, those that agree; its interval draws items anew. ``fleiss`` takes the items
    with exactly ``raters`` answers, the number that most items have. ``alpha`` takes all of
    ``items``; ``ordinal`` where the question is a scale. ``pairs``: of those who share an item.
    """

    question: str
    attributes: tuple[str, ...]
    annotators: list[str]
    judged: int
    items: int
    same: Rate
    fleiss: Coefficient
    raters: int
    alpha: Coefficient
    ordinal: bool
    pairs: list[Between]


def agreements(
    ratings: Iterable[Rating], questions: Sequence[Question], items: Iterable[Item] = ()
) -> list[Agreement]:
    """For each question: over all items, then over those of each set of attributes.

    Sets are those of ``items``; where all items have the same, they are not listed again.
    """
    every = list(ratings)
    sets: dict[tuple[str, ...], set[str]] = {}
    for item in items:
        sets.setdefault(item.attributes, set()).add(item.id)
    found = []
    for question in questions:
        answers = by_item(every, question.id)
        found.append(agreement(answers, question))
        if len(sets) > 1:
            for attributes in ordered(sets):
                own = {item: said for item, said in answers.items() if item in sets[attributes]}
                if attributes and own:
                    found.append(agreement(own, question, attributes))
    return found


def agreement(answers: ByItem, question: Question, attributes: tuple[str, ...] = ()) -> Agreement:
    """How far those who answered a question agree; ``answers`` by item and annotator."""
    values = categories(question, answers)
    annotators = sorted({name for own in answers.values() for name in own})
    counts = counts_of(answers, values)
    answered = counts.sum(axis=1)
    raters = _most_common([n for n in answered.tolist() if n > 1])
    why = _NOBODY if not annotators else _ALONE if len(annotators) == 1 else ""
    none = Coefficient(None, 0, why=why)
    return Agreement(
        question.id,
        attributes,
        annotators,
        len(answers),
        int((answered > 1).sum()),
        clustered(_alike(own) for own in answers.values()),
        none if why else fleiss(counts[answered == raters]),
        raters,
        none if why else alpha(counts, ordinal=question.scale),
        question.scale,
        _pairs(answers, annotators, values),
    )


def between(answers: ByItem, first: str, second: str, values: Sequence[str]) -> Between:
    """Two annotators on one question, whose answers are of ``values``."""
    table = confusion(answers, first, second, values)
    same = wilson(int(table.trace()), int(table.sum()))
    return Between(first, second, same, cohen(table), list(values), table.tolist())


def _pairs(answers: ByItem, annotators: Sequence[str], values: Sequence[str]) -> list[Between]:
    found = (between(answers, *two, values) for two in combinations(annotators, 2))
    return [pair for pair in found if pair.same.of]


def _most_common(numbers: Sequence[int]) -> int:
    """The most common of some numbers, the largest of several; 0 of none."""
    return max(Counter(numbers).items(), key=lambda pair: pair[::-1], default=(0, 0))[0]


def _alike(answers: Mapping[str, str]) -> tuple[int, int]:
    """Pairs of answers to an item that agree, of all pairs."""
    pairs = [a == b for a, b in combinations(answers.values(), 2)]
    return sum(pairs), len(pairs)
