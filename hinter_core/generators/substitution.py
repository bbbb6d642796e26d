"""Follow-ups by substitution: terms of a text exchanged for others of the dictionaries."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.generators.base import Planned
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import FollowUp, TestCase, follow_up_of
from hinter_core.pipeline.pipeline import Pipeline, closure
from hinter_core.pipeline.prioritise import Search
from hinter_core.types import Edit


class Substitution:
    """Makes intersectional mutants of a text, atomic ones, and neutral ones beside them.

    ``pipeline`` has the dictionaries and settings; with ``atomic``, every atomic mutant is tested,
    not only the parts of intersectional ones. ``placebo`` has the neutral dictionaries; ``search``
    chooses the mutants, where there is one.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        atomic: bool = True,
        placebo: Pipeline | None = None,
        search: Search | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._atomic = atomic
        self._placebo = placebo
        self._search = search

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Each row with its plan, and why it has no intersectional mutant, if so."""
        for row in rows:
            if row.fault:
                yield row, None, row.fault
                continue
            try:
                plan = self._pipeline.plan(row.text)
            except InputError as error:
                yield row, None, str(error)
                continue
            try:
                self._pipeline.relation.require_applicable(plan)
            except InputError as error:
                yield row, plan, str(error)
            else:
                yield row, plan, ""

    def test_cases(self, planned: Iterable[Planned]) -> dict[int, TestCase]:
        """A test case, by the row's number, for every text that has something to test."""
        return {
            row.number: TestCase(plan, number=row.number, forget=True)
            for row, plan, why in planned
            if plan is not None and (not why or (self._atomic and any(plan.edits.values())))
        }

    def follow_ups(self, cases: Iterable[TestCase]) -> Iterator[FollowUp]:
        """All mutants of these test cases, parts before wholes."""
        order, parts = self._pipeline.settings.order, self._pipeline.relation.lattice
        for case in cases:
            chosen = self._edit_sets(case.plan)
            if parts:
                chosen = closure(chosen, order if order > 1 else None)
            for edits in chosen:
                yield follow_up_of(case, edits)

    def _edit_sets(self, plan: Plan) -> Iterator[tuple[Edit, ...]]:
        """What is tested of a text: intersectional mutants, atomic ones, neutral ones."""
        many = 0
        for edits in self._search.chosen(plan) if self._search else plan.each():
            many += 1
            yield edits
        if self._atomic:
            yield from plan.atomic()
        if self._placebo is not None:
            neutral = self._placebo.plan(plan.text)
            # Searched alike, or what a search finds would look like more than chance.
            if self._search:
                yield from self._search.chosen(neutral)
            else:
                # As many as of the others; the same limit would leave the rates unequally sure.
                neutral.settings = replace(plan.settings, limit=max(1, many))
                yield from neutral.chosen()
            if self._atomic:
                yield from neutral.atomic()
