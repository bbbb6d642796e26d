"""The invariant against people: is what it keeps valid, and is what is valid kept?

A mutant that people call valid and the invariant keeps is a true positive of *kept*. Precision is
the share of kept mutants that are valid, recall the share of valid ones that are kept, F1 their
harmonic mean.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hinter_core.annotation.consensus import Consensus, by_annotator, validity
from hinter_core.annotation.ratings import text_of
from hinter_core.annotation.values import Item, Question, Rating
from hinter_core.report_section import joined, ordered
from hinter_core.statistics import Rate, wilson
from hinter_core.types import Layer
from hinter_core.weighted import Cell, Estimate, cell_of, estimate

if TYPE_CHECKING:
    from numpy import ndarray

Valid = Mapping[str, bool | None]  # by item: what people say of it
# From how many are kept and discarded, and the shares of valid ones drawn.
_Figure: TypeAlias = "Callable[[float, float, Sequence[ndarray]], ndarray]"
_MOST_RATERS = 5  # "2 of 3": demanded where items have at most so many judges
# How many yes of how many annotators make a mutant valid.
_SHARES: dict[str, Callable[[int, int], bool]] = {
    "at least one annotator": lambda yes, _: yes > 0,
    "half of them or more": lambda yes, of: 2 * yes >= of,
    "more than half": lambda yes, of: 2 * yes > of,
    "two thirds or more": lambda yes, of: 3 * yes >= 2 * of,
    "every annotator": lambda yes, of: yes == of,
}


@dataclass(frozen=True, slots=True)
class Score:
    """*Kept* against what people say, over some items.

    ``kind``: ``all``, ``attributes``, ``layer`` (as if the invariant had this layer alone),
    ``question`` (one question decides) or ``threshold`` (so many annotators must say valid).
    Counts are of judged items; ``precision`` and ``recall`` of these, with Wilson's interval (or,
    where several are of one text, one that takes them for alike), and the three ``weighted`` ones
    of all mutants that the sample stands for. Without a kept item there is no precision, without a
    discarded one no recall, as then nothing shows what was lost.
    """

    kind: str
    name: str
    kept_valid: int
    kept_broken: int
    lost_valid: int
    lost_broken: int
    precision: Rate
    recall: Rate
    f1: Estimate
    weighted_precision: Estimate
    weighted_recall: Estimate
    weighted_f1: Estimate


def against_people(
    items: Iterable[Item],
    questions: Sequence[Question],
    ratings: Iterable[Rating],
    found: Mapping[tuple[str, str], Consensus],
) -> list[Score]:
    """The invariant against people in every way; empty where no item says what it did.

    ``found``: what stands of each item and question. Thresholds count annotators by their own
    answers; the owner's decisions have no part in them.
    """
    asked = [item for item in items if item.kept is not None]
    if not asked:
        return []
    valid = validity(asked, questions, found)
    scores = [score("all", "all", asked, valid), *_by_attributes(asked, valid)]
    scores += _by_layer(asked, valid)
    judging = [question for question in questions if question.judges]
    if len(judging) > 1:
        scores += [
            score("question", question.id, asked, validity(asked, [question], found))
            for question in judging
        ]
    return [*scores, *_by_threshold(asked, judging, list(ratings))]


def score(
    kind: str,
    name: str,
    items: Iterable[Item],
    valid: Valid,
    kept: Callable[[Item], bool] = lambda item: bool(item.kept),
) -> Score:
    """*Kept* against ``valid`` over the items that people decided on."""
    every = list(items)
    weights = weights_of(every, valid)
    told = [
        _Told(kept(item), bool(valid[item.id]), weights[item.id], text_of(item))
        for item in every
        if item.id in weights
    ]
    n = Counter((one.kept, one.valid) for one in told)
    of_kept, of_valid = n[True, True] + n[True, False], n[True, True] + n[False, True]
    both = of_kept and n[False, True] + n[False, False]
    plain = _cells([one._replace(weight=1.0) for one in told])
    weighed = _cells(told)
    alike = len({one.text for one in told}) < len(told)
    return Score(
        kind,
        name,
        n[True, True],
        n[True, False],
        n[False, True],
        n[False, False],
        _rate(n[True, True], of_kept, plain, _precision if alike else None),
        _rate(n[True, True], of_valid if both else 0, plain, _recall if alike else None),
        _figure(plain, _f1),
        _figure(weighed, _precision),
        _figure(weighed, _recall),
        _figure(weighed, _f1),
    )


def weights_of(items: Iterable[Item], valid: Valid) -> dict[str, float]:
    """For how many mutants each item stands that people decided on.

    Those not decided (not judged yet, not sure, a tie) hand what they stand for to the others of
    their stratum. Where a stratum has none, nobody speaks for it.
    """
    total: dict[str, float] = defaultdict(float)
    decided: dict[str, float] = defaultdict(float)
    every = list(items)
    for item in every:
        total[item.stratum] += item.weight
        if valid.get(item.id) is not None:
            decided[item.stratum] += item.weight
    return {
        item.id: item.weight * total[item.stratum] / decided[item.stratum]
        for item in every
        if valid.get(item.id) is not None and item.weight > 0
    }


class _Told(NamedTuple):
    kept: bool
    valid: bool
    weight: float
    text: str


def _rate(hits: int, of: int, cells: tuple[Cell, Cell], figure: _Figure | None) -> Rate:
    """A rate with Wilson's interval, or with that of ``figure`` where texts repeat."""
    if not of or figure is None:
        return wilson(hits, of) if of else Rate(0, 0)
    found = _figure(cells, figure)
    return Rate(hits, of, found.low, found.high)


def _cells(told: Sequence[_Told]) -> tuple[Cell, Cell]:
    """The kept and the discarded, with the share of valid ones in each."""
    return (
        cell_of((one.valid, one.weight, one.text) for one in told if one.kept),
        cell_of((one.valid, one.weight, one.text) for one in told if not one.kept),
    )


def _figure(cells: tuple[Cell, Cell], figure: _Figure) -> Estimate:
    kept, lost = cells
    if kept.share is None:
        return Estimate(None, why="no kept mutant was judged")
    if lost.share is None and figure in (_recall, _f1):
        return Estimate(None, why="no discarded mutant was judged")
    known = [cell for cell in cells if cell.share is not None]
    return estimate(known, lambda shares: figure(kept.total, lost.total, shares))


def _precision(_kept: float, _lost: float, shares: Sequence[ndarray]) -> ndarray:
    return shares[0]


def _recall(kept: float, lost: float, shares: Sequence[ndarray]) -> ndarray:
    return kept * shares[0] / (kept * shares[0] + lost * shares[1])


def _f1(kept: float, lost: float, shares: Sequence[ndarray]) -> ndarray:
    return 2 * kept * shares[0] / (kept + kept * shares[0] + lost * shares[1])


def _by_attributes(items: Sequence[Item], valid: Valid) -> list[Score]:
    sets = ordered({item.attributes for item in items if item.attributes})
    return [
        score("attributes", joined(a), [item for item in items if item.attributes == a], valid)
        for a in (sets if len(sets) > 1 else [])
    ]


def _by_layer(items: Sequence[Item], valid: Valid) -> list[Score]:
    """As if only one layer's rejections counted; what another discarded is then kept.

    The invariant stops at the first layer that a mutant breaks. What another layer stopped counts
    as kept here, though this one might have stopped it too: with this layer alone, precision could
    be higher than is shown, and recall lower.
    """
    there = {item.layer for item in items if not item.kept}

    def passes(layer: Layer) -> Callable[[Item], bool]:
        return lambda item: item.layer != layer.value

    return [
        score("layer", layer.value, items, valid, passes(layer))
        for layer in Layer
        if layer.value in there
    ]


def _by_threshold(
    items: Sequence[Item], judging: Sequence[Question], ratings: Sequence[Rating]
) -> list[Score]:
    votes: dict[str, tuple[int, int]] = {}
    for item, own in by_annotator(items, judging, ratings).items():
        sure = [value for value in own.values() if value is not None]
        if sure:
            votes[item] = (sum(sure), len(sure))
    numbers = {of for _, of in votes.values()}
    if max(numbers, default=1) < 2:
        return []  # one voice an item: all thresholds are the same
    found = [
        score("threshold", name, items, {item: enough(*vote) for item, vote in votes.items()})
        for name, enough in _SHARES.items()
    ]
    for many in sorted(numbers & set(range(2, _MOST_RATERS + 1))):
        told = {item: yes for item, (yes, of) in votes.items() if of == many}
        found += [
            score("threshold", f"{k} of {many}", items, {i: yes >= k for i, yes in told.items()})
            for k in range(1, many + 1)
        ]
    return found
