"""Follow-ups of a grammar's sentences: each value exchanged, their combinations, their placebo."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.generators.base import Planned, follow_ups_of, plans_of, testable
from hinter_core.generators.grammars.cases import GrammarRow, plan_of
from hinter_core.generators.grammars.grammar import Grammar
from hinter_core.generators.placebo import Shape, edit_sets, placebos
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import FollowUp, TestCase
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import matcher_for
from hinter_core.types import Edit


class GrammarMutants:
    """Makes the mutants of sentences of a grammar.

    ``attributes``: those to test. ``atomic``: test every single change. ``placebo``: dictionaries
    of neutral words; None: no placebo.
    """

    def __init__(
        self,
        grammar: Grammar,
        settings: Settings,
        attributes: Sequence[str],
        parses: ParseStore,
        *,
        atomic: bool = True,
        placebo: Sequence[Dictionary] | None = None,
    ) -> None:
        self._grammar, self._settings, self._parses = grammar, settings, parses
        self._attributes = tuple(attributes)
        self._atomic = atomic
        self._neutral = placebo
        self._matcher = matcher_for(list(placebo or ()))

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Yield each sentence with its plan, and the reason if it has no mutant to test."""
        return plans_of(rows, self._plan, self._require)

    def _plan(self, row: Row) -> Plan:
        assert isinstance(row, GrammarRow)
        assert row.derivation is not None
        return plan_of(self._grammar, row.derivation, self._settings, self._attributes)

    def _require(self, plan: Plan, _: Row) -> None:
        present = [name for name in self._attributes if plan.edits.get(name)]
        if len(present) < min(2, self._settings.order):
            raise InputError(
                f"The sentence says {present[0] if present else 'none'} of "
                f"{', '.join(self._attributes)} only; it has no combination."
            )

    def test_cases(self, planned: Iterable[Planned]) -> dict[int, TestCase]:
        """Return a test case, by the row's number, for every sentence with mutants to test."""
        return testable(planned, atomic=self._atomic)

    def follow_ups(self, cases: Iterable[TestCase]) -> Iterator[FollowUp]:
        """Yield all mutants of these test cases, parts before wholes."""
        return follow_ups_of(cases, lambda case: self._edit_sets(case.plan), self._settings)

    def _edit_sets(self, plan: Plan) -> Iterator[tuple[Edit, ...]]:
        def neutral(atomic: Counter[Shape], higher: Counter[Shape]) -> Iterator[tuple[Edit, ...]]:
            found = make_plan(
                plan.text, self._neutral or (), plan.settings, self._parses, matcher=self._matcher
            )
            return placebos(found, atomic, higher)

        tested = neutral if self._neutral is not None else None
        return edit_sets(plan, plan.each(), atomic=self._atomic, neutral=tested)
