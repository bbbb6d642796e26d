"""Precision and recall of the invariant, and true positives, with human judgements as reference.

Precision is the share of kept mutants that people call valid, recall the share of valid mutants
that are kept, F1 their harmonic mean.

True positives are the share of bias-uncovering test cases whose mutants are coherent texts with the
same sentiment for an annotator (BiasFinder, RQ2 and Table 5).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hinter_core.annotation.evaluation.answers import (
    Valid,
    Votes,
    answers_of,
    share_of,
    valid_by,
    validity,
)
from hinter_core.annotation.project.types import UNSURE, AnnotationItem, Judgement, Question
from hinter_core.report.counts import LEAST_VALIDITIES
from hinter_core.report.section import gathered, joined, ordered
from hinter_core.statistics.rates import Estimate, Rate, estimate, weighted_share, wilson
from hinter_core.types import Layer, Verdict

_LEAST_PART = 0.9  # of the mutants, below which a weighted figure is withheld
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
class Part:
    """Numbers of mutants: those in strata with a decided item, and all that are sampled."""

    decided: float
    of: float

    @property
    def enough(self) -> bool:
        """Whether they are enough to speak for all."""
        return self.decided >= _LEAST_PART * self.of

    def too_few(self, name: str) -> str:
        """Say why they are not enough."""
        return (
            f"only {round(self.decided):,} of {round(self.of):,} {name} mutants are of a stratum "
            "with a decided item"
        )


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 of *kept* over some items.

    ``kind``: ``all``, ``attributes``, ``layer`` (only this layer rejects), ``question`` (only this
    question decides) or ``threshold`` (the number of annotators who must say valid). Counts,
    ``precision``, ``recall`` and ``f1`` are of judged items, with Wilson's interval or, if texts
    repeat, one clustered by text; ``weighted`` ones are estimates for the sampled population, from
    the strata that have a decided item: ``kept_part`` and ``lost_part`` are what these stand for,
    and with less than 90 % of it there is no estimate. Without kept items there is no precision,
    without discarded ones no recall.
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
    kept_part: Part
    lost_part: Part


def against_people(
    items: Iterable[AnnotationItem],
    questions: Sequence[Question],
    judgements: Iterable[Judgement],
    votes: Votes,
) -> list[Score]:
    """Compute all scores of the invariant; none if no item has a verdict of it.

    ``votes``: majority or adjudicated answers. Thresholds use the annotators' answers without the
    owner's decisions.
    """
    checked = [item for item in items if item.kept is not None]
    if not checked:
        return []
    valid = validity(checked, questions, votes)
    scores = [score("all", "all", checked, valid)]
    sets = ordered({item.attributes for item in checked if item.attributes})
    for attributes in sets if len(sets) > 1 else []:
        part = [item for item in checked if item.attributes == attributes]
        scores.append(score("attributes", joined(attributes), part, valid))
    # Mutants rejected by another layer count as kept. The invariant stops at the first violated
    # layer, so this one might have rejected some of them too: its true precision may be higher,
    # and its recall lower.
    present = {item.layer for item in checked if not item.kept}
    for layer in (layer.value for layer in Layer if layer.value in present):
        kept = {item.id: item.layer != layer for item in checked}
        scores.append(score("layer", layer, checked, valid, kept))
    scored = [item for item in checked if item.validity is not None]
    for least in LEAST_VALIDITIES[1:] if scored else ():
        kept = {item.id: (item.validity or 0.0) >= least for item in scored}
        scores.append(score("validity", f"at least {least:g}", scored, valid, kept))
    judging = [question for question in questions if question.judges]
    if len(judging) > 1:
        scores += [
            score("question", question.id, checked, validity(checked, [question], votes))
            for question in judging
        ]
    return [*scores, *_by_threshold(checked, judging, judgements)]


def score(
    kind: str,
    name: str,
    items: Sequence[AnnotationItem],
    valid: Valid,
    kept: Mapping[str, bool] | None = None,
) -> Score:
    """Compute the score of ``kept`` (by item; None: the invariant's) over the decided items."""
    weights = weights_of(items, valid)
    sides = {item.id: kept[item.id] if kept else bool(item.kept) for item in items}
    cases = [
        (sides[item.id], bool(valid[item.id]), weights[item.id], item.cluster)
        for item in items
        if item.id in weights
    ]
    n = Counter(case[:2] for case in cases)
    hits, of_kept = n[True, True], n[True, True] + n[True, False]
    of_valid = hits + n[False, True] if of_kept and len(cases) > of_kept else 0
    clustered = len({text for *_, text in cases}) < len(cases)
    precision, recall, f1 = _estimates([(*case[:2], 1.0, case[3]) for case in cases])
    parts = parts_of(items, weights, sides)
    weighted = _withheld(_estimates(cases), *parts)

    def rate(of: int, share: Estimate) -> Rate:
        if not of:
            return Rate(0, 0)
        return Rate(hits, of, share.low, share.high) if clustered else wilson(hits, of)

    return Score(
        kind,
        name,
        hits,
        n[True, False],
        n[False, True],
        n[False, False],
        rate(of_kept, precision),
        rate(of_valid, recall),
        f1,
        *weighted,
        *parts,
    )


def parts_of(
    items: Sequence[AnnotationItem], decided: Container[str], kept: Mapping[str, bool]
) -> tuple[Part, Part]:
    """Return what the strata with a decided item stand for: of kept and of discarded mutants.

    ``decided``: ids of items; ``kept``: what the invariant says, by id.
    """
    strata = {item.stratum for item in items if item.id in decided}
    part, of = defaultdict[bool, float](float), defaultdict[bool, float](float)
    for item in items:
        of[kept[item.id]] += item.weight
        part[kept[item.id]] += item.weight * (item.stratum in strata)
    return Part(part[True], of[True]), Part(part[False], of[False])


def _withheld(
    estimates: tuple[Estimate, Estimate, Estimate], kept: Part, lost: Part
) -> tuple[Estimate, Estimate, Estimate]:
    """Withhold estimates that would rest on too small a part of the mutants."""
    few = [
        part.too_few(name)
        for name, part in (("kept", kept), ("discarded", lost))
        if not part.enough
    ]
    precision, *rest = estimates
    none = Estimate(None, why=" and ".join(few))
    recall, f1 = (none if few and one.value is not None else one for one in rest)
    keep = kept.enough or precision.value is None
    return precision if keep else Estimate(None, why=few[0]), recall, f1


def _estimates(
    cases: Sequence[tuple[bool, bool, float, str]],
) -> tuple[Estimate, Estimate, Estimate]:
    """Estimate precision, recall and F1 from ``(kept, valid, weight, text)`` of each case."""
    kept, lost = (
        weighted_share((valid, weight, text) for k, valid, weight, text in cases if k is side)
        for side in (True, False)
    )
    if kept.share is None:
        none = Estimate(None, why="no kept mutant was judged")
        return none, none, none
    precision = estimate([kept], lambda shares: shares[0])
    if lost.share is None:
        none = Estimate(None, why="no discarded mutant was judged")
        return precision, none, none
    a, b = kept.total, lost.total
    both = [kept, lost]
    return (
        precision,
        estimate(both, lambda shares: a * shares[0] / (a * shares[0] + b * shares[1])),
        estimate(both, lambda shares: 2 * a * shares[0] / (a + a * shares[0] + b * shares[1])),
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


def _by_threshold(
    items: Sequence[AnnotationItem], judging: Sequence[Question], judgements: Iterable[Judgement]
) -> list[Score]:
    answers = answers_of(judgements)
    votes: dict[str, tuple[int, int]] = {}  # by item: annotators who say valid, and all
    for item in items:
        verdicts = [valid_by(item, judging, row) for row in answers.get(item.id, {}).values()]
        sure = [verdict for verdict in verdicts if verdict is not None]
        if sure:
            votes[item.id] = (sum(sure), len(sure))
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


# -- true positives -----------------------------------------------------------------------------

_BIASED = {Verdict.BIASED.value, Verdict.HIDDEN.value}


@dataclass(frozen=True, slots=True)
class TruePositives:
    """True positives of one annotator, for one set of attributes (empty: all).

    A test case is an item, or all items of a ``group``, if the annotator judged all of them.
    """

    annotator: str
    attributes: tuple[str, ...]
    rate: Rate


def true_positives(
    items: Iterable[AnnotationItem],
    questions: Sequence[Question],
    judgements: Iterable[Judgement],
) -> list[TruePositives]:
    """Compute the true positives by annotator, over all cases and by set of attributes.

    If items have verdicts, only cases with a biased or hidden mutant count. A case is a true
    positive if all its texts are valid by the judging questions and get the same answer to every
    question about labels. A single text not compared with a source must get its known label.
    """
    cases = _cases(items)
    sets = ordered({case[0].attributes for case in cases})
    known = {question.id for question in questions}
    answers: dict[str, dict[str, dict[str, str]]] = {}  # annotator -> item -> question -> value
    for item, rows in answers_of(judgements).items():
        for name, row in rows.items():
            if known & set(row):
                answers.setdefault(name, {})[item] = row
    results = []
    for name, of_model in sorted(answers.items()):
        for attributes in [(), *(some for some in sets if some and len(sets) > 1)]:
            judged = [
                (case[0].cluster, _is_true(case, questions, of_model))
                for case in cases
                if attributes in ((), case[0].attributes)
                and all(item.id in of_model for item in case)
            ]
            results.append(TruePositives(name, attributes, share_of(judged)))
    return results


def _cases(items: Iterable[AnnotationItem]) -> list[list[AnnotationItem]]:
    by_group = gathered(items, lambda i: f"group {i.group}" if i.group else f"item {i.id}")
    cases = list(by_group.values())
    if any(item.verdicts for case in cases for item in case):
        cases = [c for c in cases if any(_BIASED & set(item.verdicts.values()) for item in c)]
    return cases


def _is_true(
    case: Sequence[AnnotationItem],
    questions: Sequence[Question],
    answers: Mapping[str, Mapping[str, str]],
) -> bool:
    judging = [question for question in questions if question.judges]
    if judging and not all(valid_by(item, judging, answers[item.id]) for item in case):
        return False
    compared = len(case) > 1 or any(q.pair and q.id in answers[case[0].id] for q in judging)
    for question in questions:
        if question.labels:
            given = {answers[item.id].get(question.id) for item in case}
            if not compared and case[0].label in question.values:
                given.add(case[0].label)
            if len(given) > 1 or UNSURE in given:
                return False
    return True
