"""HInter's relation: the answer does not change when only sensitive attributes do.

Sources: HInter, Algorithm 3 (invariant), Algorithm 1 (lines 19-29, intersectional) and Algorithm 2
(atomic), generalised from two attributes to order N: a mutant is *hidden* if it is biased and every
proper sub-mutant is valid and benign.
"""

from collections.abc import Mapping, Sequence

from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.lattice import EditSet, proper_subsets
from hinter_core.mutation.plan import Plan, require_mutable
from hinter_core.relations import even_handed, invariant
from hinter_core.relations.base import Compared, Oracle
from hinter_core.relations.oracles import oracle_for
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import SUBSTITUTE, Conformance, Mutant, Verdict


class SubstitutionRelation:
    """The dependency invariant, and equal answers."""

    name = SUBSTITUTE
    number = "MR8"
    title = "exchange a sensitive word"
    needs = "a term of a sensitive attribute"
    lattice = True

    def prepare(self, plan: Plan, dictionaries: Sequence[Dictionary], parses: ParseStore) -> None:
        """Leave the plan as it is: it has the exchanges of words."""

    def require_applicable(self, plan: Plan) -> None:
        """Refuse a plan without mutants."""
        require_mutable(plan)

    def conform(self, pairs: Sequence[Compared], parses: ParseStore) -> list[Conformance]:
        """Run the invariant on each pair, all of them published or none."""
        if pairs and pairs[0].published:
            return invariant.check_all([(pair.source, pair.sentences) for pair in pairs], parses)
        return even_handed.check_all(pairs, parses)

    def oracle(self, task: str, tolerance: float) -> Oracle:
        """Return the oracle of a task: answers stay the same."""
        return oracle_for(task, tolerance)

    def local_verdict(self, conformance: Conformance, same: bool | None) -> Verdict:
        """Judge a mutant without its sub-mutants (Algorithm 2); never ``hidden``."""
        if not conformance.kept:
            return Verdict.DISCARDED
        if same is None:
            return Verdict.UNANSWERED
        return Verdict.BENIGN if same else Verdict.BIASED

    def verdict(self, mutant: Mutant, local: Mapping[EditSet, Verdict]) -> Verdict:
        """Judge a mutant; ``hidden`` if biased with benign parts only (Algorithm 1, lines 26-29).

        A part that is missing in ``local`` was never shown benign, so the mutant is not hidden.
        """
        own = local[frozenset(mutant.edits)]
        if own is not Verdict.BIASED or mutant.order < 2:
            return own
        parts = (local.get(frozenset(part)) for part in proper_subsets(mutant.edits))
        return Verdict.HIDDEN if all(part is Verdict.BENIGN for part in parts) else own
