"""Which biased mutants are true findings for people, annotator by annotator.

Source: BiasFinder, RQ2 and Table 5. A bias-uncovering test case is a true positive for an annotator
if its mutants are coherent texts and of the same sentiment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hinter_core.annotation.evaluation.ratings import by_item, valid_by
from hinter_core.annotation.project.types import AnnotationItem, Question, Rating
from hinter_core.report.section import ordered
from hinter_core.statistics.rates import Rate, wilson
from hinter_core.types import Verdict

_BIASED = {Verdict.BIASED.value, Verdict.HIDDEN.value}
_Said = Mapping[str, Mapping[str, str]]  # item -> question -> value, of one annotator


@dataclass(frozen=True, slots=True)
class TruePositives:
    """Of one annotator, and of one set of attributes (empty: of all): test cases that are true.

    A case is an item, or all items of a ``group`` together, if the annotator judged all of them.
    """

    annotator: str
    attributes: tuple[str, ...]
    rate: Rate


def true_positives(
    items: Iterable[AnnotationItem], questions: Sequence[Question], ratings: Iterable[Rating]
) -> list[TruePositives]:
    """By annotator, over all and over each set of attributes.

    Where models gave verdicts, cases are those with a mutant biased or hidden for a model; where
    there is none, as in a file of test cases, all are. A case is true if every judging question is
    answered for each of its texts, and every other question (that of the label) alike for all of
    them. A text alone that nobody compared with its source must get its own label.
    """
    cases = _cases(list(items))
    sets = ordered({case[0].attributes for case in cases})
    said = _by_annotator(questions, ratings)
    found = []
    for name in sorted(said):
        for attributes in [(), *(own for own in sets if own and len(sets) > 1)]:
            judged = [
                _is_true(case, questions, said[name])
                for case in cases
                if attributes in ((), case[0].attributes)
                and all(item.id in said[name] for item in case)
            ]
            found.append(TruePositives(name, attributes, wilson(sum(judged), len(judged))))
    return found


def _cases(items: Sequence[AnnotationItem]) -> list[list[AnnotationItem]]:
    groups: dict[str, list[AnnotationItem]] = {}
    for item in items:
        groups.setdefault(f"group {item.group}" if item.group else f"item {item.id}", []).append(
            item
        )
    cases = list(groups.values())
    if any(item.verdicts for item in items):
        cases = [c for c in cases if any(_BIASED & set(item.verdicts.values()) for item in c)]
    return cases


def _by_annotator(
    questions: Sequence[Question], ratings: Iterable[Rating]
) -> dict[str, dict[str, dict[str, str]]]:
    every, found = list(ratings), dict[str, dict[str, dict[str, str]]]()
    for question in questions:
        for item, answers in by_item(every, question.id).items():
            for name, value in answers.items():
                found.setdefault(name, {}).setdefault(item, {})[question.id] = value
    return found


def _is_true(case: Sequence[AnnotationItem], questions: Sequence[Question], said: _Said) -> bool:
    judging = [question for question in questions if question.judges]
    if judging and not all(valid_by(item, judging, said[item.id]) for item in case):
        return False
    for question in questions:
        if not question.judges:
            given = {said[item.id].get(question.id) for item in case}
            compared = len(case) > 1 or any(q.pair and q.id in said[case[0].id] for q in judging)
            if not compared and case[0].label in question.values:
                given.add(case[0].label)
            if len(given) > 1:
                return False
    return True
