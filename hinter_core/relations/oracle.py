"""The metamorphic oracle: predictions and conformance in, verdicts and effects out.

The relation is that a model's answer does not change when only sensitive attributes do.
Source: HInter, Algorithm 1 (lines 19-29, intersectional) and Algorithm 2 (atomic), generalised from
two attributes to order N: a mutant is *hidden* when it is biased and every proper sub-mutant is
valid and benign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import log

from hinter_core.models.base import Capabilities, margin
from hinter_core.mutation.lattice import EditSet, proper_subsets
from hinter_core.types import Conformance, Effect, Mutant, Prediction, Verdict

# Probabilities are kept this far from 0 and 1 before log-odds are taken.
_EPSILON = 1e-6


def same_answer(first: Prediction, second: Prediction) -> bool:
    """Line 22: are two answers equal? Labels are compared as sets, so their order says nothing."""
    return set(first.labels) == set(second.labels)


def local_verdict(
    conformance: Conformance, original: Prediction, mutant: Prediction | None
) -> Verdict:
    """The verdict on one mutant without its sub-mutants (Algorithm 2; never ``hidden``)."""
    if not conformance.kept:
        return Verdict.DISCARDED
    if mutant is None or not mutant.answered or not original.answered:
        return Verdict.UNANSWERED
    return Verdict.BENIGN if same_answer(original, mutant) else Verdict.BIASED


def judge(mutants: Iterable[Mutant], local: Mapping[EditSet, Verdict]) -> dict[EditSet, Verdict]:
    """Verdicts by edit set, ``hidden`` included (Algorithm 1, lines 26-29).

    ``local`` holds :func:`local_verdict` of every mutant and of all its sub-mutants; a sub-mutant
    that is missing there was never shown benign, so it hides nothing.
    """
    verdicts: dict[EditSet, Verdict] = {}
    for mutant in mutants:
        key = frozenset(mutant.edits)
        verdict = local[key]
        if verdict is Verdict.BIASED and mutant.order > 1 and _parts_benign(mutant, local):
            verdict = Verdict.HIDDEN
        verdicts[key] = verdict
    return verdicts


def _parts_benign(mutant: Mutant, local: Mapping[EditSet, Verdict]) -> bool:
    return all(
        local.get(frozenset(part)) is Verdict.BENIGN for part in proper_subsets(mutant.edits)
    )


def effect(
    mutant: Mutant,
    original: Prediction,
    prediction_of: Callable[[EditSet], Prediction | None],
    capabilities: Capabilities,
) -> Effect | None:
    """How far the scores moved; None where either answer has no scores.

    The reference label is the original's first label; for a multi-label answer the label that
    moved most among those that changed (or among all, if none did).
    """
    own = prediction_of(frozenset(mutant.edits))
    if own is None or not own.scores or not original.scores:
        return None
    label = _reference_label(original, own, capabilities)
    if label is None:
        return None
    return Effect(
        label=label,
        shift=own.scores[label] - original.scores[label],
        margin=margin(own, capabilities),
        interaction=_interaction(mutant, original, prediction_of, label),
    )


def _reference_label(
    original: Prediction, own: Prediction, capabilities: Capabilities
) -> str | None:
    shared = [x for x in original.scores if x in own.scores]
    if not shared:
        return None
    if not capabilities.multi_label and original.labels and original.labels[0] in shared:
        return original.labels[0]
    changed = [x for x in shared if (x in original.labels) != (x in own.labels)]
    return max(changed or shared, key=lambda x: abs(own.scores[x] - original.scores[x]))


def _log_odds(probability: float) -> float:
    p = min(max(probability, _EPSILON), 1 - _EPSILON)
    return log(p / (1 - p))


def _interaction(
    mutant: Mutant,
    original: Prediction,
    prediction_of: Callable[[EditSet], Prediction | None],
    label: str,
) -> float | None:
    """Log-odds of the mutant beyond the sum of its parts (inclusion-exclusion over the lattice).

    For edits a, b: L(ab) - L(a) - L(b) + L(original); zero when the edits add up.
    """
    if mutant.order < 2:
        return None
    order = mutant.order
    total = float((-1) ** order) * _log_odds(original.scores[label])
    for part in (*proper_subsets(mutant.edits), mutant.edits):
        prediction = prediction_of(frozenset(part))
        if prediction is None or label not in prediction.scores:
            return None
        total += (-1) ** (order - len(part)) * _log_odds(prediction.scores[label])
    return total
