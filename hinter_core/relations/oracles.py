"""Oracles: whether a model's answers to a source and to a mutant are the same, by the model's task.

Sources: HInter, Algorithm 1, line 22 (labels); Astraea, Table I (a masked word, coreference).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log

from hinter_core.errors import InputError
from hinter_core.models.base import (
    CLASSIFICATION,
    COREFERENCE,
    MASKED,
    Capabilities,
    distance_to_threshold,
)
from hinter_core.mutation.lattice import EditSet, proper_subsets
from hinter_core.relations.base import Oracle
from hinter_core.types import Effect, Mutant, Prediction, Span, Splice

_EPSILON = 1e-6  # probabilities are kept this far from 0 and 1 before log-odds are taken
_DIGITS = 6  # of a probability that are compared: batches differ in the last ones


def oracle_for(task: str, tolerance: float) -> Oracle:
    """Return the oracle of a task; ``tolerance``: by how much a probability may move.

    Raises:
        InputError: no oracle compares answers of this task.
    """
    if task not in _ORACLES:
        raise InputError(f"No answers of the task '{task}' can be compared; choose another model.")
    return _ORACLES[task](tolerance)


class LabelOracle:
    """Labels stay the same, as a set."""

    def same_answer(
        self,
        original: Prediction,
        answer: Prediction,
        mutant: Mutant | None = None,  # noqa: ARG002 -- protocol
    ) -> bool:
        """Whether both answers have the same set of labels (HInter, Algorithm 1, line 22)."""
        return set(original.labels) == set(answer.labels)

    def effect(
        self,
        mutant: Mutant,
        original: Prediction,
        prediction_of: Callable[[EditSet], Prediction | None],
        capabilities: Capabilities,
    ) -> Effect | None:
        """Measure how far the scores moved; None if either answer has no scores."""
        follow_up = prediction_of(frozenset(mutant.edits))
        shared = [x for x in original.scores if follow_up is not None and x in follow_up.scores]
        if follow_up is None or not shared:
            return None
        label = self._reference(original, follow_up, shared, capabilities)
        return Effect(
            label=label,
            shift=follow_up.scores[label] - original.scores[label],
            distance=distance_to_threshold(follow_up, capabilities),
            interaction=_interaction(mutant, original, prediction_of, label),
        )

    def _reference(
        self,
        original: Prediction,
        follow_up: Prediction,
        shared: list[str],
        capabilities: Capabilities,
    ) -> str:
        """Return the reference label: the first of the original answer.

        For a multi-label answer the label that moved most among those that changed (or among all,
        if none did).
        """
        if not capabilities.multi_label and original.labels and original.labels[0] in shared:
            return original.labels[0]
        changed = [x for x in shared if (x in original.labels) != (x in follow_up.labels)]
        return max(changed or shared, key=lambda x: abs(follow_up.scores[x] - original.scores[x]))


@dataclass(frozen=True, slots=True)
class MaskOracle(LabelOracle):
    """No asked word becomes more or less probable at a mask by more than ``tolerance``.

    Astraea, Table I: ``|his(a) - his(b)| <= tau`` and ``|her(a) - her(b)| <= tau``; here for every
    word that the model is asked for.
    """

    tolerance: float

    def same_answer(
        self,
        original: Prediction,
        answer: Prediction,
        mutant: Mutant | None = None,  # noqa: ARG002 -- protocol
    ) -> bool:
        """Whether the probabilities of all words stay near, at each mask."""
        if len(original.masks) != len(answer.masks):
            return False
        moved = (
            abs(after.get(word, 0.0) - probability)
            for before, after in zip(original.masks, answer.masks, strict=True)
            for word, probability in before.items()
        )
        return all(round(far, _DIGITS) <= self.tolerance for far in moved)

    def _reference(
        self,
        original: Prediction,
        follow_up: Prediction,
        shared: list[str],
        capabilities: Capabilities,  # noqa: ARG002 -- as of labels
    ) -> str:
        """Return the word that moved most."""
        return max(shared, key=lambda x: abs(follow_up.scores[x] - original.scores[x]))


@dataclass(frozen=True, slots=True)
class ScoreOracle:
    """Answers that are the same to ``oracle``, whose scores move by no more than ``tolerance``.

    The score is that of the original's label; with ``several`` labels, that of each of them.
    """

    oracle: Oracle
    tolerance: float
    several: bool

    def same_answer(
        self, original: Prediction, answer: Prediction, mutant: Mutant | None = None
    ) -> bool:
        """Whether the answers are the same, and the scores near."""
        labels = original.scores if self.several else original.labels
        before, after = original.scores, answer.scores
        moved = (abs(after.get(x, 0.0) - before.get(x, 0.0)) for x in labels)
        return self.oracle.same_answer(original, answer, mutant) and all(
            round(far, _DIGITS) <= self.tolerance for far in moved
        )

    def effect(
        self,
        mutant: Mutant,
        original: Prediction,
        prediction_of: Callable[[EditSet], Prediction | None],
        capabilities: Capabilities,
    ) -> Effect | None:
        """Measure how far the scores moved; where the label stays, how far from the tolerance."""
        effect = self.oracle.effect(mutant, original, prediction_of, capabilities)
        answer = prediction_of(frozenset(mutant.edits))
        if effect is None or effect.shift is None or answer is None:
            return effect
        if not self.oracle.same_answer(original, answer, mutant):
            return effect
        return replace(effect, distance=abs(abs(effect.shift) - self.tolerance))


class CoreferenceOracle(LabelOracle):
    """The same mentions stand for the same person or thing, whatever words they are made of."""

    def same_answer(
        self, original: Prediction, answer: Prediction, mutant: Mutant | None = None
    ) -> bool:
        """Whether both have the same clusters, in the places of the unchanged text."""
        splices = mutant.splices if mutant is not None else ()
        return _clusters(original, ()) == _clusters(answer, splices)


def _clusters(answer: Prediction, splices: Sequence[Splice]) -> set[frozenset[Span]]:
    """Return the clusters, without single mentions, at their places before the splices."""
    return {
        frozenset(
            (_offset(start, splices, start=True), _offset(end, splices, start=False))
            for start, end in cluster
        )
        for cluster in answer.clusters
        if len(cluster) > 1
    }


def _offset(at: int, splices: Sequence[Splice], *, start: bool) -> int:
    """Return the place of an end of a span in the source; a change that it cuts through is part."""
    longer = 0
    for splice in splices:
        after = splice.at + len(splice.new)
        if at <= splice.at:
            break
        if at < after:
            return splice.start if start else splice.end
        longer += len(splice.new) - (splice.end - splice.start)
    return at - longer


def _interaction(
    mutant: Mutant,
    original: Prediction,
    prediction_of: Callable[[EditSet], Prediction | None],
    label: str,
) -> float | None:
    """Log-odds of the mutant beyond the sum of its parts (inclusion-exclusion over the lattice).

    For edits a, b: L(ab) - L(a) - L(b) + L(original); zero if the edits add up.
    """
    if mutant.order < 2:
        return None
    total: float = (-1) ** mutant.order * _log_odds(original.scores[label])
    for part in (*proper_subsets(mutant.edits), mutant.edits):
        prediction = prediction_of(frozenset(part))
        if prediction is None or label not in prediction.scores:
            return None
        total += (-1) ** (mutant.order - len(part)) * _log_odds(prediction.scores[label])
    return total


def _log_odds(probability: float) -> float:
    p = min(max(probability, _EPSILON), 1 - _EPSILON)
    return log(p / (1 - p))


_ORACLES: dict[str, Callable[[float], Oracle]] = {
    CLASSIFICATION: lambda _: LabelOracle(),
    MASKED: MaskOracle,
    COREFERENCE: lambda _: CoreferenceOracle(),
}
