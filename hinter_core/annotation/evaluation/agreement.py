"""Agreement of annotators by question, set of attributes and pair, and quality by annotator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import median, multimode
from typing import TYPE_CHECKING

from hinter_core.annotation.evaluation.answers import (
    ByItem,
    Decisions,
    by_item,
    clustered,
    majority,
    share_of,
)
from hinter_core.annotation.project.types import (
    FIRST,
    REPEAT,
    AnnotationItem,
    Judgement,
    Question,
    Status,
)
from hinter_core.report.section import ordered
from hinter_core.statistics.agreement import Coefficient, alpha, cohen, fleiss
from hinter_core.statistics.rates import Rate, wilson

if TYPE_CHECKING:
    from numpy import ndarray

_MOST_PAIRS = 15  # with more pairs of annotators, they are compared over all items only


@dataclass(frozen=True, slots=True)
class Between:
    """Agreement of two annotators on one question.

    ``same``: items with equal answers, of those that both judged. ``table``: confusion table of the
    first (rows) and second annotator (columns), in the order of ``values``.
    """

    first: str
    second: str
    same: Rate
    kappa: Coefficient
    values: list[str]
    table: list[list[int]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of all annotators on one question, over all items or one set of attributes.

    ``judged``: items with an answer; ``items``: with at least two. ``same``: agreeing pairs of
    answers to the same item. ``fleiss`` uses the items with exactly ``raters`` answers, the most
    frequent number; ``alpha`` uses all ``items`` (``ordinal`` if the question is a scale).
    ``pairs`` of annotators with common items; those of more than six only over all items.
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
    judgements: Iterable[Judgement],
    questions: Sequence[Question],
    items: Iterable[AnnotationItem] = (),
) -> list[Agreement]:
    """Compute the agreement on each question over all items, then by set of attributes.

    ``items`` give attributes and clusters (groups or source texts); if all have the same
    attributes, these are not listed again.
    """
    every = list(judgements)
    sets: dict[tuple[str, ...], set[str]] = {}
    clusters: dict[str, str] = {}
    for item in items:
        sets.setdefault(item.attributes, set()).add(item.id)
        clusters[item.id] = item.cluster
    results = []
    for question in questions:
        answers = by_item(every, question.id)
        results.append(agreement(answers, question, clusters=clusters))
        for attributes in ordered(sets) if len(sets) > 1 else []:
            part = {item: row for item, row in answers.items() if item in sets[attributes]}
            if attributes and part:
                results.append(agreement(part, question, attributes, clusters))
    return results


def agreement(
    answers: ByItem,
    question: Question,
    attributes: tuple[str, ...] = (),
    clusters: Mapping[str, str] | None = None,
) -> Agreement:
    """Compute the agreement on a question; ``answers`` by item and annotator.

    ``clusters``: the text or template of each item, if several items share one.
    """
    of_item = {item: (clusters or {}).get(item, item) for item in answers}
    given = {value for row in answers.values() for value in row.values()}
    values = [*question.values, *sorted(given - set(question.values))]
    annotators = sorted({name for row in answers.values() for name in row})
    counts = counts_of(answers, values)
    answered = counts.sum(axis=1)
    raters = max(multimode(n for n in answered.tolist() if n > 1), default=0)
    equal = answered == raters
    of = list(of_item.values())
    if len(annotators) > 1:
        kappa = fleiss(counts[equal], [of[n] for n in equal.nonzero()[0]])
        any_number = alpha(counts, of, ordinal=question.scale)
    else:
        why = "only one person answered" if annotators else "nobody answered"
        kappa = any_number = Coefficient(None, 0, why=why)
    pairs = list(combinations(annotators, 2))
    if attributes and len(pairs) > _MOST_PAIRS:
        pairs = []
    compared = [_between(answers, first, second, values, of_item) for first, second in pairs]
    return Agreement(
        question.id,
        attributes,
        annotators,
        len(answers),
        int((answered > 1).sum()),
        clustered((of_item[item], *_alike(row)) for item, row in answers.items()),
        kappa,
        raters,
        any_number,
        question.scale,
        [pair for pair in compared if pair.same.of],
    )


def counts_of(answers: ByItem, values: Sequence[str]) -> ndarray:
    """Count the answers to each item by value: (items, k)."""
    import numpy

    counts = [Counter(row.values()) for row in answers.values()]
    table = [[row[value] for value in values] for row in counts]
    return numpy.array(table, dtype=int).reshape(len(counts), len(values))


def _between(
    answers: ByItem, first: str, second: str, values: list[str], clusters: Mapping[str, str]
) -> Between:
    code = {value: n for n, value in enumerate(values)}
    both = {item: row for item, row in answers.items() if first in row and second in row}
    of = [clusters[item] for item in both]
    pairs = [(code[row[first]], code[row[second]]) for row in both.values()]
    counts = Counter(pairs)
    table = [[counts[a, b] for b in code.values()] for a in code.values()]
    same = share_of(zip(of, (a == b for a, b in pairs), strict=True))
    return Between(first, second, same, cohen(pairs, of), values, table)


def _alike(answers: Mapping[str, str]) -> tuple[int, int]:
    """Count the agreeing pairs of answers to an item, and all pairs."""
    pairs = [a == b for a, b in combinations(answers.values(), 2)]
    return sum(pairs), len(pairs)


@dataclass(frozen=True, slots=True)
class OnQuestion:
    """Quality of one annotator's answers to one question.

    ``others``: answers equal to the majority of the other annotators, where there is one.
    ``repeats``: hidden repeats with the same answer as before. ``commonest``: the most frequent
    answer, with its ``share``; a share near 1 may mean answers without reading. ``several``: as
    ``others``, of items that at least two others answered: of two people, either may be wrong.
    ``gold``: answers equal to the owner's decision.
    """

    question: str
    others: Rate
    repeats: Rate
    commonest: str
    share: Rate
    several: Rate = field(default_factory=lambda: wilson(0, 0))
    gold: Rate = field(default_factory=lambda: wilson(0, 0))


@dataclass(frozen=True, slots=True)
class Quality:
    """Work of one annotator: showings ``judged`` and ``skipped``, median ``seconds`` of each.

    ``seconds`` is None without measured times, as for imported judgements. ``fast``: judgements
    that took less time than reading the text, of those with a time. ``others``: as that of each
    question, of all together. ``alarms``: names of :data:`ALARMS` that hold; each is a reason to
    look, and none a verdict.
    """

    annotator: str
    judged: int
    skipped: Rate
    seconds: float | None
    questions: list[OnQuestion]
    fast: Rate = field(default_factory=lambda: wilson(0, 0))
    others: Rate = field(default_factory=lambda: wilson(0, 0))
    alarms: tuple[str, ...] = ()


# Silent reading takes 238 words a minute on average (Brysbaert 2019); few people read faster than:
READING = 400  # words a minute
ALARMS: Mapping[str, Callable[[Quality], bool]] = {
    "fast": lambda one: one.fast.of >= 10 and one.fast.hits > 0.2 * one.fast.of,
    "apart": lambda one: any(
        on.several.of >= 10 and (wilson(on.several.hits, on.several.of).high or 0.0) < 0.5
        for on in one.questions
    ),
    # Of every question: one alone may have the same right answer throughout.
    "alike": lambda one: (
        bool(one.questions)
        and all(on.share.of >= 20 and on.share.hits == on.share.of for on in one.questions)
    ),
    "gold": lambda one: any(
        on.gold.of >= 5 and on.gold.hits < 0.7 * on.gold.of for on in one.questions
    ),
    "changing": lambda one: any(
        on.repeats.of >= 5 and on.repeats.hits < 0.7 * on.repeats.of for on in one.questions
    ),
}


def qualities(
    judgements: Iterable[Judgement],
    questions: Sequence[Question],
    items: Iterable[AnnotationItem] = (),
    decisions: Decisions | None = None,
) -> list[Quality]:
    """Compute the quality of each annotator's work, by name.

    ``items`` give the words to read, and clusters (groups or source texts) for intervals.
    """
    gold = decisions or {}
    every, listed = list(judgements), list(items)
    needed = {item.id: 60 * len(item.mutant.split()) / READING for item in listed}
    texts = {one.item: one.item for one in every} | {item.id: item.cluster for item in listed}
    firsts = {q.id: by_item(every, q.id, FIRST) for q in questions}
    repeats = {q.id: by_item(every, q.id, REPEAT) for q in questions}
    results = []
    for name in sorted({one.annotator for one in every}):
        by_person = [one for one in every if one.annotator == name]
        judged = [one for one in by_person if one.status is Status.JUDGED]
        shown = [one for one in by_person if one.status in (Status.JUDGED, Status.SKIPPED)]
        timed = [one for one in judged if one.seconds > 0]
        times = [one.seconds for one in timed]
        timed = [one for one in timed if one.showing == FIRST and one.item in needed]
        as_others = {q.id: _as_others(name, firsts[q.id]) for q in questions}
        one = Quality(
            name,
            len(judged),
            share_of((texts[one.item], one.status is Status.SKIPPED) for one in shown),
            median(times) if times else None,
            [
                _on(name, q.id, firsts[q.id], repeats[q.id], as_others[q.id], gold, texts)
                for q in questions
            ],
            share_of((texts[one.item], one.seconds < needed[one.item]) for one in timed),
            share_of((texts[item], same) for on in as_others.values() for item, same in on.items()),
        )
        results.append(replace(one, alarms=tuple(k for k, rings in ALARMS.items() if rings(one))))
    return results


def _as_others(name: str, answers: ByItem) -> dict[str, bool]:
    """Return by item whether a person answered as the majority of the others, if there is one."""
    others = {
        item: (row[name], majority(Counter(v for k, v in row.items() if k != name)))
        for item, row in answers.items()
        if name in row
    }
    return {item: own == value for item, (own, value) in others.items() if value}


def _on(
    name: str, question: str, firsts: ByItem, repeats: ByItem, as_others: Mapping[str, bool],
    gold: Decisions, texts: Mapping[str, str],
) -> OnQuestion:  # fmt: skip
    def share(of_item: Mapping[str, bool]) -> Rate:
        return share_of((texts[item], hit) for item, hit in of_item.items())

    answers = {item: row[name] for item, row in firsts.items() if name in row}
    again = {item: row[name] for item, row in repeats.items() if name in row}
    commonest = Counter(answers.values()).most_common(1)[0][0] if answers else ""
    return OnQuestion(
        question,
        share(as_others),
        share({item: answers[item] == value for item, value in again.items() if item in answers}),
        commonest,
        share({item: value == commonest for item, value in answers.items()}),
        share({item: same for item, same in as_others.items() if len(firsts[item]) > 2}),
        share({i: gold[i, question] == v for i, v in answers.items() if (i, question) in gold}),
    )
