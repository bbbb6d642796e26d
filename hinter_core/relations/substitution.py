"""Labels do not change when only sensitive attributes do: the relation of HInter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hinter_core.language.parsing import ParseStore
from hinter_core.models.base import Capabilities
from hinter_core.mutation.lattice import EditSet
from hinter_core.mutation.plan import Plan, require_mutable
from hinter_core.relations import invariant, oracle
from hinter_core.relations.base import Compared
from hinter_core.types import Conformance, Effect, Mutant, Prediction, Verdict


class SubstitutionRelation:
    """The dependency invariant (Algorithm 3) and the label oracle (Algorithms 1 and 2)."""

    name = "substitution"
    task = "text classification"
    lattice = True

    def require_applicable(self, plan: Plan) -> None:
        """Refuse a plan without mutants.

        Raises:
            InputError: see :func:`hinter_core.mutation.plan.require_mutable`.
        """
        require_mutable(plan)

    def conform(self, pairs: Sequence[Compared], parses: ParseStore) -> list[Conformance]:
        """The invariant on each pair; distinct sentences are parsed at once."""
        return invariant.check_all([(pair.source, pair.sentences) for pair in pairs], parses)

    def same_answer(self, original: Prediction, answer: Prediction) -> bool:
        """Whether both answers have the same set of labels."""
        return oracle.same_answer(original, answer)

    def local_verdict(
        self, conformance: Conformance, original: Prediction, answer: Prediction | None
    ) -> Verdict:
        """The verdict on one mutant without its parts; never ``hidden``."""
        return oracle.local_verdict(conformance, original, answer)

    def verdict(self, mutant: Mutant, local: Mapping[EditSet, Verdict]) -> Verdict:
        """The verdict on a mutant; ``hidden`` where it is biased and all its parts are benign."""
        (verdict,) = oracle.judge([mutant], local).values()
        return verdict

    def effect(
        self,
        mutant: Mutant,
        original: Prediction,
        prediction_of: Callable[[EditSet], Prediction | None],
        capabilities: Capabilities,
    ) -> Effect | None:
        """Shift, margin and interaction of the scores; None where there are none."""
        return oracle.effect(mutant, original, prediction_of, capabilities)
