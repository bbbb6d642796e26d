"""Precision and recall of the invariant, with human judgements as reference.

Precision is the share of kept mutants that people call valid, recall the share of valid mutants
that are kept, F1 their harmonic mean.
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
    estimate_in_words,
    percent,
    rate_in_words,
)
from hinter_core.statistics.rates import Rate, wilson
from hinter_core.statistics.weighted import Estimate, WeightedShare, estimate, weighted_share
from hinter_core.types import Layer

if TYPE_CHECKING:
    from numpy import ndarray


Valid = Mapping[str, bool | None]  # validity by item, None: undecided
# Of the numbers of kept and discarded mutants, and draws of the shares of valid ones in both.
_Figure: TypeAlias = "Callable[[float, float, Sequence[ndarray]], ndarray]"
_MOST_RATERS = 5  # thresholds such as "2 of 3" are evaluated up to this number of annotators
# Whether a mutant is valid, by the numbers of "valid" and of all annotators.
_SHARES: dict[str, Callable[[int, int], bool]] = {
    "at least one annotator": lambda yes, _: yes > 0,
    "half of them or more": lambda yes, of: 2 * yes >= of,
    "more than half": lambda yes, of: 2 * yes > of,
    "two thirds or more": lambda yes, of: 3 * yes >= 2 * of,
    "every annotator": lambda yes, of: yes == of,
}


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 of *kept* over some items.

    ``kind``: ``all``, ``attributes``, ``layer`` (only this layer rejects), ``question`` (only this
    question decides) or ``threshold`` (the number of annotators who must say valid). Counts,
    ``precision``, ``recall`` and ``f1`` are of judged items, with Wilson's interval or, if texts
    repeat, one clustered by text; ``weighted`` ones are estimates for the sampled population.
    Without kept items there is no precision, without discarded ones no recall.
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
    votes: Mapping[tuple[str, str], Consensus],
) -> list[Score]:
    """Compute all scores of the invariant; none if no item has a verdict of it.

    ``votes``: majority or adjudicated answers. Thresholds use the annotators' answers without the
    owner's decisions.
    """
    checked = [item for item in items if item.kept is not None]
    if not checked:
        return []
    valid = validity(checked, questions, votes)
    scores = [score("all", "all", checked, valid), *_by_attributes(checked, valid)]
    scores += _by_layer(checked, valid)
    judging = [question for question in questions if question.judges]
    if len(judging) > 1:
        scores += [
            score("question", question.id, checked, validity(checked, [question], votes))
            for question in judging
        ]
    return [*scores, *_by_threshold(checked, judging, list(ratings))]


def score(
    kind: str,
    name: str,
    items: Iterable[AnnotationItem],
    valid: Valid,
    kept: Callable[[AnnotationItem], bool] = lambda item: bool(item.kept),
) -> Score:
    """Compute the score of ``kept`` against ``valid`` over the decided items."""
    every = list(items)
    weights = weights_of(every, valid)
    cases = [
        _Case(kept(item), bool(valid[item.id]), weights[item.id], text_of(item))
        for item in every
        if item.id in weights
    ]
    n = Counter((one.kept, one.valid) for one in cases)
    of_kept, of_valid = n[True, True] + n[True, False], n[True, True] + n[False, True]
    both = of_kept and n[False, True] + n[False, False]
    plain = _cells([one._replace(weight=1.0) for one in cases])
    weighted = _cells(cases)
    clustered = len({one.text for one in cases}) < len(cases)
    return Score(
        kind,
        name,
        n[True, True],
        n[True, False],
        n[False, True],
        n[False, False],
        _rate(n[True, True], of_kept, plain, _precision if clustered else None),
        _rate(n[True, True], of_valid if both else 0, plain, _recall if clustered else None),
        _figure(plain, _f1),
        _figure(weighted, _precision),
        _figure(weighted, _recall),
        _figure(weighted, _f1),
    )


def weights_of(items: Iterable[AnnotationItem], valid: Valid) -> dict[str, float]:
    """Return the weight of each decided item: the number of mutants that it represents.

    The weights of undecided items go to the decided ones of their stratum (weighting-class
    adjustment); a stratum without decided items is not represented.
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


class _Case(NamedTuple):
    kept: bool
    valid: bool
    weight: float
    text: str


def _rate(
    hits: int, of: int, cells: tuple[WeightedShare, WeightedShare], figure: _Figure | None
) -> Rate:
    """Compute a rate with Wilson's interval, or with that of ``figure`` if texts repeat."""
    if not of or figure is None:
        return wilson(hits, of) if of else Rate(0, 0)
    clustered = _figure(cells, figure)
    return Rate(hits, of, clustered.low, clustered.high)


def _cells(cases: Sequence[_Case]) -> tuple[WeightedShare, WeightedShare]:
    """Estimate the share of valid mutants among the kept and among the discarded ones."""
    return (
        weighted_share((one.valid, one.weight, one.text) for one in cases if one.kept),
        weighted_share((one.valid, one.weight, one.text) for one in cases if not one.kept),
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
    """Score each layer alone: mutants rejected by another layer count as kept.

    The invariant stops at the first violated layer, so this layer might have rejected some of them
    too: its true precision may be higher, and its recall lower.
    """
    present = {item.layer for item in items if not item.kept}

    def passes(layer: Layer) -> Callable[[AnnotationItem], bool]:
        return lambda item: item.layer != layer.value

    return [
        score("layer", layer.value, items, valid, passes(layer))
        for layer in Layer
        if layer.value in present
    ]


def _by_threshold(
    items: Sequence[AnnotationItem], judging: Sequence[Question], ratings: Sequence[Rating]
) -> list[Score]:
    votes: dict[str, tuple[int, int]] = {}
    for item, verdicts in by_annotator(items, judging, ratings).items():
        sure = [value for value in verdicts.values() if value is not None]
        if sure:
            votes[item] = (sum(sure), len(sure))
    numbers = {of for _, of in votes.values()}
    if max(numbers, default=1) < 2:
        return []  # with one annotator per item, all thresholds are the same
    scores = [
        score("threshold", name, items, {item: enough(*vote) for item, vote in votes.items()})
        for name, enough in _SHARES.items()
    ]
    for n in sorted(numbers & set(range(2, _MOST_RATERS + 1))):
        counts = {item: yes for item, (yes, of) in votes.items() if of == n}
        scores += [
            score("threshold", f"{k} of {n}", items, {i: yes >= k for i, yes in counts.items()})
            for k in range(1, n + 1)
        ]
    return scores


_KINDS = {
    "all": "All",
    "attributes": "Attributes",
    "layer": "This layer alone",
    "question": "This question alone",
    "threshold": "Valid if so say",
}


def score_section(scores: Sequence[Score]) -> Iterator[Section]:
    """Present the scores of the invariant, if there are any."""
    if not scores:
        return
    columns = ["By", "Of", "Kept: valid, not", "Discarded: valid, not", "Precision", "Recall", "F1"]
    weighted = any(is_weighted(one) for one in scores)
    if weighted:
        columns += ["Precision, weighted", "Recall, weighted", "F1, weighted"]
    rows = [_score_row(one, weighted=weighted) for one in scores]
    sentences = [score_in_words(one) for one in scores]
    sentences += [
        "Precision is the share of kept mutants that people call valid, recall the share of valid "
        "ones that are kept, F1 their harmonic mean. They are of the judged items; "
        "weighted ones are estimates for every mutant that the sample represents. Intervals are "
        "95 % intervals, clustered by text. Undecided items are assumed to be like the decided "
        "ones of their stratum.",
        "This layer alone: only its rejections count. The invariant stops at the first layer that "
        "a mutant violates, so this layer might also reject some that another rejected first. "
        "Thresholds use the annotators' answers, without the owner's decisions.",
    ]
    yield Section("against", "The invariant against people", sentences, columns, rows)


def is_weighted(one: Score) -> bool:
    """Whether the weights change precision or recall; equal weights do not."""
    pairs = ((one.weighted_precision.value, one.precision.share),
             (one.weighted_recall.value, one.recall.share))  # fmt: skip
    return any(a is not None and b is not None and abs(a - b) > 1e-9 for a, b in pairs)


def _score_row(one: Score, *, weighted: bool) -> list[str]:
    plain = [
        _KINDS[one.kind], one.name, f"{one.kept_valid:,}, {one.kept_broken:,}",
        f"{one.lost_valid:,}, {one.lost_broken:,}", percent(one.precision), percent(one.recall),
        percent(one.f1),
    ]  # fmt: skip
    more = (one.weighted_precision, one.weighted_recall, one.weighted_f1) if weighted else ()
    return [*plain, *map(percent, more)]


def score_in_words(one: Score) -> str:
    """Describe one score."""
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


def true_positive_section(results: Sequence[TruePositives]) -> Iterator[Section]:
    """Present the true positives by annotator, if a biased case was judged."""
    judged = [one for one in results if one.rate.of]
    if not judged:
        return
    rows = [
        [one.annotator, joined(one.attributes) or "all", f"{one.rate.hits:,} of {one.rate.of:,}",
         percent(one.rate)]
        for one in judged
    ]  # fmt: skip
    sentences = [
        f"{one.annotator}{', ' + joined(one.attributes) if one.attributes else ''}: "
        f"{rate_in_words(one.rate)} biased cases are true positives."
        for one in judged
    ]
    sentences.append(
        "A case is a mutant that changed a model's answer (or, in a file without verdicts, any "
        "item), or all texts of one group together. It is true for an annotator who calls each of "
        "its texts valid and gives them the same label (BiasFinder, Table 5). Shares are of the "
        "judged cases, with Wilson's interval."
    )
    columns = ["Annotator", "Attributes", "True", "Share"]
    yield Section("true-positives", "True positives", sentences, columns, rows)
