"""The invariant against people: is what it keeps valid, and is what is valid kept?

A mutant that people call valid and the invariant keeps is a true positive of *kept*. Precision is
the share of kept mutants that are valid, recall the share of valid ones that are kept, F1 their
harmonic mean.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from hinter_core.annotation.evaluation.ratings import Consensus, by_annotator, text_of, validity
from hinter_core.annotation.evaluation.true_positives import TruePositives
from hinter_core.annotation.project.types import AnnotationItem, Question, Rating
from hinter_core.report.section import Section, joined, ordered
from hinter_core.statistics.format import (
    estimate_in_short,
    estimate_in_words,
    percent,
    rate_in_words,
)
from hinter_core.statistics.rates import Rate, wilson
from hinter_core.statistics.weighted import Estimate, WeightedShare, estimate, weighted_share
from hinter_core.types import Layer

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
    items: Iterable[AnnotationItem],
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
    items: Iterable[AnnotationItem],
    valid: Valid,
    kept: Callable[[AnnotationItem], bool] = lambda item: bool(item.kept),
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


def weights_of(items: Iterable[AnnotationItem], valid: Valid) -> dict[str, float]:
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


def _rate(
    hits: int, of: int, cells: tuple[WeightedShare, WeightedShare], figure: _Figure | None
) -> Rate:
    """A rate with Wilson's interval, or with that of ``figure`` where texts repeat."""
    if not of or figure is None:
        return wilson(hits, of) if of else Rate(0, 0)
    found = _figure(cells, figure)
    return Rate(hits, of, found.low, found.high)


def _cells(told: Sequence[_Told]) -> tuple[WeightedShare, WeightedShare]:
    """The kept and the discarded, with the share of valid ones in each."""
    return (
        weighted_share((one.valid, one.weight, one.text) for one in told if one.kept),
        weighted_share((one.valid, one.weight, one.text) for one in told if not one.kept),
    )


def _figure(cells: tuple[WeightedShare, WeightedShare], figure: _Figure) -> Estimate:
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


def _by_attributes(items: Sequence[AnnotationItem], valid: Valid) -> list[Score]:
    sets = ordered({item.attributes for item in items if item.attributes})
    return [
        score("attributes", joined(a), [item for item in items if item.attributes == a], valid)
        for a in (sets if len(sets) > 1 else [])
    ]


def _by_layer(items: Sequence[AnnotationItem], valid: Valid) -> list[Score]:
    """As if only one layer's rejections counted; what another discarded is then kept.

    The invariant stops at the first layer that a mutant breaks. What another layer stopped counts
    as kept here, though this one might have stopped it too: with this layer alone, precision could
    be higher than is shown, and recall lower.
    """
    there = {item.layer for item in items if not item.kept}

    def passes(layer: Layer) -> Callable[[AnnotationItem], bool]:
        return lambda item: item.layer != layer.value

    return [
        score("layer", layer.value, items, valid, passes(layer))
        for layer in Layer
        if layer.value in there
    ]


def _by_threshold(
    items: Sequence[AnnotationItem], judging: Sequence[Question], ratings: Sequence[Rating]
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


_KINDS = {
    "all": "All",
    "attributes": "Attributes",
    "layer": "This layer alone",
    "question": "This question alone",
    "threshold": "Valid if so say",
}


def score_section(found: Sequence[Score]) -> Iterator[Section]:
    """The invariant against people; nothing where no item says what the invariant did."""
    if not found:
        return
    columns = ["By", "Of", "Kept: valid, not", "Discarded: valid, not", "Precision", "Recall", "F1"]
    weighted = any(is_weighted(one) for one in found)
    if weighted:
        columns += ["Precision, weighted", "Recall, weighted", "F1, weighted"]
    rows = [_score_row(one, weighted=weighted) for one in found]
    sentences = [score_in_words(one) for one in found]
    sentences += [
        "Precision is the share of kept mutants that people call valid, recall the share of valid "
        "ones that are kept, F1 their harmonic mean. They are of the judged items; "
        "weighted ones are estimates for every mutant that the sample stands for. Intervals are of "
        "95 % and take mutants of one text for alike. Undecided items are taken to be as the "
        "others of their kind.",
        "A layer alone: as if only its rejections counted. The invariant stops at the first layer "
        "a mutant breaks, so a layer alone might stop some that another stopped first. Thresholds "
        "count annotators by their own answers, without the owner's decisions.",
    ]
    yield Section("against", "The invariant against people", sentences, columns, rows)


def is_weighted(one: Score) -> bool:
    """Whether weights change anything: not where every item stands for as many."""
    pairs = ((one.weighted_precision.value, one.precision.share),
             (one.weighted_recall.value, one.recall.share))  # fmt: skip
    return any(a is not None and b is not None and abs(a - b) > 1e-9 for a, b in pairs)


def _score_row(one: Score, *, weighted: bool) -> list[str]:
    plain = [
        _KINDS[one.kind], one.name, f"{one.kept_valid:,}, {one.kept_broken:,}",
        f"{one.lost_valid:,}, {one.lost_broken:,}", percent(one.precision), percent(one.recall),
        estimate_in_short(one.f1),
    ]  # fmt: skip
    more = (one.weighted_precision, one.weighted_recall, one.weighted_f1) if weighted else ()
    return [*plain, *map(estimate_in_short, more)]


def score_in_words(one: Score) -> str:
    """What one line says."""
    kept, lost = one.kept_valid + one.kept_broken, one.lost_valid + one.lost_broken
    if not kept + lost:
        return f"{_named(one)}: nothing is decided."
    words = f"{_named(one)}: of {kept:,} kept items people call {one.kept_valid:,} valid, of "
    words += f"{lost:,} discarded ones {one.lost_valid:,}. Precision {rate_in_words(one.precision)}"
    words += f", recall {rate_in_words(one.recall)}, F1 {estimate_in_words(one.f1)}."
    if is_weighted(one):
        words += f" Weighted: precision {estimate_in_words(one.weighted_precision)}, recall "
        words += f"{estimate_in_words(one.weighted_recall)}, "
        words += f"F1 {estimate_in_words(one.weighted_f1)}."
    return words


def _named(one: Score) -> str:
    return "All" if one.kind == "all" else f"{_KINDS[one.kind]}, {one.name}"


def true_positive_section(found: Sequence[TruePositives]) -> Iterator[Section]:
    """True findings by annotator; nothing where no biased case was judged."""
    told = [one for one in found if one.rate.of]
    if not told:
        return
    rows = [
        [one.annotator, joined(one.attributes) or "all", f"{one.rate.hits:,} of {one.rate.of:,}",
         percent(one.rate)]
        for one in told
    ]  # fmt: skip
    sentences = [
        f"{one.annotator}{', ' + joined(one.attributes) if one.attributes else ''}: "
        f"{rate_in_words(one.rate)} biased cases are true positives."
        for one in told
    ]
    sentences.append(
        "A case is a mutant that changed a model's answer (or, in a file without verdicts, any "
        "item), or all texts of one group together. It is true for an annotator who calls each of "
        "its texts valid and gives them the same label (BiasFinder, Table 5). Shares are of the "
        "judged cases, with Wilson's interval."
    )
    columns = ["Annotator", "Attributes", "True", "Share"]
    yield Section("true-positives", "True positives", sentences, columns, rows)
