"""How far annotators agree: by question, by attributes, and any two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from hinter_core.annotation.evaluation.ratings import (
    ByItem,
    by_item,
    categories,
    confusion,
    counts_of,
    majority,
    pairs_of,
    ratings_of,
    text_of,
)
from hinter_core.annotation.project.types import (
    FIRST,
    REPEAT,
    AnnotationItem,
    Judgement,
    Question,
    Rating,
    Status,
)
from hinter_core.report.section import ordered
from hinter_core.statistics.agreement import Coefficient, alpha, cohen, fleiss
from hinter_core.statistics.rates import Rate, cluster_rate, wilson

_ALONE = "only one person answered"
_MOST_PAIRS = 15  # looked at within each set of attributes; of more annotators only over all items
_NO_CLUSTERS: Mapping[str, str] = {}
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
    answers to one item, those that agree. ``fleiss`` takes the items with exactly ``raters``
    answers, the number that most items have. ``alpha`` takes all of ``items``; ``ordinal`` where
    the question is a scale. ``pairs``: of those who share an item; of more than six annotators
    only over all items, as their pairs have few items within a set of attributes.
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
    ratings: Iterable[Rating], questions: Sequence[Question], items: Iterable[AnnotationItem] = ()
) -> list[Agreement]:
    """For each question: over all items, then over those of each set of attributes.

    Sets are those of ``items``; where all items have the same, they are not listed again. Intervals
    draw items of one group, or of one source text, together.
    """
    every = list(ratings)
    sets: dict[tuple[str, ...], set[str]] = {}
    clusters: dict[str, str] = {}
    for item in items:
        sets.setdefault(item.attributes, set()).add(item.id)
        clusters[item.id] = text_of(item)
    found = []
    for question in questions:
        answers = by_item(every, question.id)
        found.append(agreement(answers, question, clusters=clusters))
        if len(sets) > 1:
            for attributes in ordered(sets):
                own = {item: said for item, said in answers.items() if item in sets[attributes]}
                if attributes and own:
                    found.append(agreement(own, question, attributes, clusters))
    return found


def agreement(
    answers: ByItem,
    question: Question,
    attributes: tuple[str, ...] = (),
    clusters: Mapping[str, str] = _NO_CLUSTERS,
) -> Agreement:
    """How far those who answered a question agree; ``answers`` by item and annotator.

    ``clusters``: what items are of, where several are of one text or template.
    """
    values = categories(question, answers)
    annotators = sorted({name for own in answers.values() for name in own})
    counts = counts_of(answers, values)
    answered = counts.sum(axis=1)
    raters = _most_common([n for n in answered.tolist() if n > 1])
    of = [clusters.get(item, item) for item in answers]
    of_equal = [own for own, n in zip(of, answered, strict=True) if n == raters]
    why = _NOBODY if not annotators else _ALONE if len(annotators) == 1 else ""
    none = Coefficient(None, 0, why=why)
    return Agreement(
        question.id,
        attributes,
        annotators,
        len(answers),
        int((answered > 1).sum()),
        cluster_rate(_summed(map(_alike, answers.values()), of)),
        none if why else fleiss(counts[answered == raters], of_equal),
        raters,
        none if why else alpha(counts, of, ordinal=question.scale),
        question.scale,
        _pairs(answers, annotators, values, clusters, within=bool(attributes)),
    )


def between(
    answers: ByItem,
    first: str,
    second: str,
    values: Sequence[str],
    clusters: Mapping[str, str] = _NO_CLUSTERS,
) -> Between:
    """Two annotators on one question, whose answers are of ``values``."""
    items, pairs = pairs_of(answers, first, second, values)
    of = [clusters.get(item, item) for item in items]
    table = confusion(pairs, len(values))
    same = wilson(int(table.trace()), len(items))
    if len(set(of)) < len(items):
        same = cluster_rate(_summed(((int(a == b), 1) for a, b in pairs.tolist()), of))
    return Between(first, second, same, cohen(pairs, of), list(values), table.tolist())


def _pairs(
    answers: ByItem,
    annotators: Sequence[str],
    values: Sequence[str],
    clusters: Mapping[str, str],
    *,
    within: bool,
) -> list[Between]:
    every = list(combinations(annotators, 2))
    if within and len(every) > _MOST_PAIRS:
        return []
    found = (between(answers, *two, values, clusters) for two in every)
    return [pair for pair in found if pair.same.of]


def _summed(items: Iterable[tuple[int, int]], clusters: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Hits and cases of items, summed over those of one cluster."""
    sums: dict[str, list[int]] = {}
    for (hits, cases), cluster in zip(items, clusters, strict=True):
        own = sums.setdefault(cluster, [0, 0])
        own[0] += hits
        own[1] += cases
    yield from ((hits, cases) for hits, cases in sums.values())


def _most_common(numbers: Sequence[int]) -> int:
    """The most common of some numbers, the largest of several; 0 of none."""
    return max(Counter(numbers).items(), key=lambda pair: pair[::-1], default=(0, 0))[0]


def _alike(answers: Mapping[str, str]) -> tuple[int, int]:
    """Pairs of answers to an item that agree, of all pairs."""
    pairs = [a == b for a, b in combinations(answers.values(), 2)]
    return sum(pairs), len(pairs)


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
    return majority(Counter(value for other, value in answers.items() if other != name))
