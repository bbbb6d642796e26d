"""HInter's relation: labels do not change when only sensitive attributes do.

Sources: HInter, Algorithm 3 (invariant), Algorithm 1 (lines 19-29, intersectional) and Algorithm 2
(atomic), generalised from two attributes to order N: a mutant is *hidden* if it is biased and every
proper sub-mutant is valid and benign.
"""

from collections.abc import Callable, Mapping, Sequence
from math import log

from hinter_core.language.parsing import ParseStore
from hinter_core.models.base import Capabilities, margin
from hinter_core.mutation.lattice import EditSet, proper_subsets
from hinter_core.mutation.plan import Plan, require_mutable
from hinter_core.relations import even_handed, invariant
from hinter_core.relations.base import Compared
from hinter_core.types import Conformance, Effect, Mutant, Prediction, Verdict

_EPSILON = 1e-6  # probabilities are kept this far from 0 and 1 before log-odds are taken


class SubstitutionRelation:
    """The dependency invariant and the label oracle."""

    name = "substitution"
    task = "text classification"
    lattice = True

    def require_applicable(self, plan: Plan) -> None:
        """Refuse a plan without mutants."""
        require_mutable(plan)

    def conform(self, pairs: Sequence[Compared], parses: ParseStore) -> list[Conformance]:
        """Run the invariant on each pair, all of them published or none."""
        if pairs and pairs[0].published:
            return invariant.check_all([(pair.source, pair.sentences) for pair in pairs], parses)
        return even_handed.check_all(pairs, parses)

    def same_answer(self, original: Prediction, answer: Prediction) -> bool:
        """Whether both answers have the same set of labels (Algorithm 1, line 22)."""
        return set(original.labels) == set(answer.labels)

    def local_verdict(
        self, conformance: Conformance, original: Prediction, answer: Prediction | None
    ) -> Verdict:
        """Judge a mutant without its sub-mutants (Algorithm 2); never ``hidden``."""
        if not conformance.kept:
            return Verdict.DISCARDED
        if answer is None or not answer.answered or not original.answered:
            return Verdict.UNANSWERED
        return Verdict.BENIGN if self.same_answer(original, answer) else Verdict.BIASED

    def verdict(self, mutant: Mutant, local: Mapping[EditSet, Verdict]) -> Verdict:
        """Judge a mutant; ``hidden`` if biased with benign parts only (Algorithm 1, lines 26-29).

        A part that is missing in ``local`` was never shown benign, so the mutant is not hidden.
        """
        own = local[frozenset(mutant.edits)]
        if own is not Verdict.BIASED or mutant.order < 2:
            return own
        parts = (local.get(frozenset(part)) for part in proper_subsets(mutant.edits))
        return Verdict.HIDDEN if all(part is Verdict.BENIGN for part in parts) else own

    def effect(
        self,
        mutant: Mutant,
        original: Prediction,
        prediction_of: Callable[[EditSet], Prediction | None],
        capabilities: Capabilities,
    ) -> Effect | None:
        """Measure how far the scores moved; None if either answer has no scores.

        The reference label is the original's first label; for a multi-label answer the label that
        moved most among those that changed (or among all, if none did).
        """
        own = prediction_of(frozenset(mutant.edits))
        shared = [x for x in original.scores if own is not None and x in own.scores]
        if own is None or not shared:
            return None
        if not capabilities.multi_label and original.labels and original.labels[0] in shared:
            label = original.labels[0]
        else:
            changed = [x for x in shared if (x in original.labels) != (x in own.labels)]
            label = max(changed or shared, key=lambda x: abs(own.scores[x] - original.scores[x]))
        return Effect(
            label=label,
            shift=own.scores[label] - original.scores[label],
            margin=margin(own, capabilities),
            interaction=_interaction(mutant, original, prediction_of, label),
        )


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
