"""Judgements as ratings, and ratings as tables that agreement is computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hinter_core.annotation.values import FIRST, Item, Judgement, Question, Rating, Status

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


def text_of(item: Item) -> str:
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
