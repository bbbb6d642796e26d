"""Judge a result anew at another threshold, from the scores that are known: no model is asked."""

from collections.abc import Mapping
from dataclasses import replace

from hinter_core.models.base import CLASSIFICATION, Capabilities, distance_to_threshold
from hinter_core.pipeline.case import FollowUp, TestCase, TestResult
from hinter_core.relations.base import NeutralFlips
from hinter_core.types import Effect, Outcome, Prediction


def deciding_label(original: Prediction, capabilities: Capabilities | None) -> str | None:
    """Return the label that a model answers from a threshold on; "" if each label has its own.

    None where no threshold decides: more than two labels, of which the best one is the answer, or
    no scores.
    """
    if capabilities is None or capabilities.task != CLASSIFICATION or not original.scores:
        return None
    if capabilities.multi_label:
        return ""
    return list(original.scores)[-1] if len(original.scores) == 2 else None


def judged_at(
    result: TestResult, threshold: float, models: Mapping[str, Capabilities]
) -> TestResult:
    """Return the result with the ``models`` answering a label from this score on.

    Those of which no threshold decides (:func:`deciding_label`) stay as they are.
    """
    able = {
        name: replace(one, threshold=threshold)
        for name, one in models.items()
        if deciding_label(result.originals[name], one) is not None
    }
    case = TestCase(result.plan)
    for name, limit in able.items():
        case.take_original(name, limit, _answer(result.originals[name], limit))
    neutral = {
        name: _neutral(result.neutral[name], case, name, limit)
        for name, limit in able.items()
        if name in result.neutral
    }
    return replace(
        result,
        mutants=list(result.mutants),
        originals=result.originals | case.originals,
        outcomes=result.outcomes
        | {name: _outcomes(result, case, name, limit) for name, limit in able.items()},
        neutral=result.neutral | neutral,
        noise={name: one for name, one in result.noise.items() if name not in able},
    )


def _answer(prediction: Prediction, capabilities: Capabilities) -> Prediction:
    scores = prediction.scores
    if not prediction.answered or not scores:
        return prediction
    named = [label for label, score in scores.items() if score >= capabilities.threshold]
    if not capabilities.multi_label:
        other, decides = scores
        named = [decides if decides in named else other]
    return replace(prediction, labels=tuple(named))


def _outcomes(
    result: TestResult, case: TestCase, name: str, capabilities: Capabilities
) -> list[Outcome]:
    judged = []
    for one in result.outcomes[name]:  # parts before wholes
        answer = one.prediction and _answer(one.prediction, capabilities)
        key = frozenset(one.mutant.edits)
        follow_up = FollowUp(case, one.mutant, key, one.conformance, graded=one.validity)
        anew = case.judge(follow_up, name, capabilities, answer)
        stays = answer and answer.labels == case.originals[name].labels
        # The score tolerance decides, not this.
        if not stays or result.plan.settings.score_tolerance is None:
            anew = replace(anew, effect=_at(anew.effect, answer, capabilities))
        judged.append(anew)
    return judged


def _at(
    effect: Effect | None, answer: Prediction | None, capabilities: Capabilities
) -> Effect | None:
    """Measure the distance from this threshold, also where the best of two labels is the answer."""
    if effect is None or answer is None:
        return None
    far = distance_to_threshold(answer, capabilities)
    if not capabilities.multi_label:
        far = abs(list(answer.scores.values())[-1] - capabilities.threshold)
    return replace(effect, distance=far)


def _neutral(
    neutral: NeutralFlips, case: TestCase, name: str, capabilities: Capabilities
) -> NeutralFlips:
    original, same = case.originals[name], case.oracles[name].same_answer
    flips = sum(not same(original, _answer(one, capabilities)) for one in neutral.answers)
    return replace(neutral, flips=flips)
