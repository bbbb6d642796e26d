"""Share of bias-uncovering test cases that are true positives, by annotator.

Source: BiasFinder, RQ2 and Table 5. A bias-uncovering test case is a true positive for an annotator
if its mutants are coherent texts with the same sentiment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hinter_core.annotation.evaluation.ratings import valid_by
from hinter_core.annotation.project.types import FIRST, AnnotationItem, Question, Rating
from hinter_core.report.section import ordered
from hinter_core.statistics.rates import Rate, wilson
from hinter_core.types import Verdict

_BIASED = {Verdict.BIASED.value, Verdict.HIDDEN.value}
_Answers = Mapping[str, Mapping[str, str]]  # item -> question -> value, of one annotator


@dataclass(frozen=True, slots=True)
class TruePositives:
    """True positives of one annotator, for one set of attributes (empty: all).

    A test case is an item, or all items of a ``group``, if the annotator judged all of them.
    """

    annotator: str
    attributes: tuple[str, ...]
    rate: Rate


def true_positives(
    items: Iterable[AnnotationItem], questions: Sequence[Question], ratings: Iterable[Rating]
) -> list[TruePositives]:
    """Compute the true positives by annotator, over all cases and by set of attributes.

    If items have verdicts, only cases with a biased or hidden mutant count. A case is a true
    positive if all its texts are valid by the judging questions and get the same answer to every
    other question (the label). A single text not compared with a source must get its known label.
    """
    cases = _cases(list(items))
    sets = ordered({case[0].attributes for case in cases})
    results = []
    for name, answers in sorted(_by_annotator(questions, ratings).items()):
        for attributes in [(), *(some for some in sets if some and len(sets) > 1)]:
            judged = [
                _is_true(case, questions, answers)
                for case in cases
                if attributes in ((), case[0].attributes)
                and all(item.id in answers for item in case)
            ]
            results.append(TruePositives(name, attributes, wilson(sum(judged), len(judged))))
    return results


def _cases(items: Sequence[AnnotationItem]) -> list[list[AnnotationItem]]:
    groups: dict[str, list[AnnotationItem]] = {}
    for item in items:
        name = f"group {item.group}" if item.group else f"item {item.id}"
        groups.setdefault(name, []).append(item)
    cases = list(groups.values())
    if any(item.verdicts for item in items):
        cases = [c for c in cases if any(_BIASED & set(item.verdicts.values()) for item in c)]
    return cases


def _by_annotator(
    questions: Sequence[Question], ratings: Iterable[Rating]
) -> dict[str, dict[str, dict[str, str]]]:
    known = {question.id for question in questions}
    answers: dict[str, dict[str, dict[str, str]]] = {}
    for one in ratings:
        if one.question in known and one.showing == FIRST:
            row = answers.setdefault(one.annotator, {}).setdefault(one.item, {})
            row[one.question] = one.value
    return answers


def _is_true(
    case: Sequence[AnnotationItem], questions: Sequence[Question], answers: _Answers
) -> bool:
    judging = [question for question in questions if question.judges]
    if judging and not all(valid_by(item, judging, answers[item.id]) for item in case):
        return False
    for question in questions:
        if not question.judges:
            given = {answers[item.id].get(question.id) for item in case}
            compared = len(case) > 1 or any(q.pair and q.id in answers[case[0].id] for q in judging)
            if not compared and case[0].label in question.values:
                given.add(case[0].label)
            if len(given) > 1:
                return False
    return True
