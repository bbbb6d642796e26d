"""Follow-ups by substitution: terms of a text are replaced by others of the dictionaries."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from hinter_core.data.rows import Row
from hinter_core.generators.base import PlanMutants
from hinter_core.generators.placebo import Place, Shape
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import TestCase
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.pipeline.prioritise import Search


class Substitution(PlanMutants):
    """Makes intersectional, atomic and neutral mutants of a text, the same for every model.

    ``pipeline``: the dictionaries and settings. ``placebo``: the neutral dictionaries. ``search``:
    chooses the mutants, if given.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        atomic: bool = True,
        placebo: Pipeline | None = None,
        names: bool = True,
        search: Search | None = None,
    ) -> None:
        neutral = None if placebo is None else partial(_plan_of, placebo)
        super().__init__(pipeline.settings, atomic=atomic, neutral=neutral, names=names)
        self._pipeline, self._search = pipeline, search

    def _plan(self, row: Row) -> Plan:
        return _plan_of(self._pipeline, row)

    def _require(self, plan: Plan, row: Row) -> None:  # noqa: ARG002 -- as of others
        self._pipeline.relation.require_applicable(plan)

    def _chosen(self, plan: Plan) -> Iterable[Place]:
        return self._search.chosen(plan) if self._search else plan.each()

    def _placebo(
        self, case: TestCase, neutral: Plan, atomic: Counter[Shape], higher: Counter[Shape]
    ) -> Iterator[Place]:
        if not self._search:
            yield from super()._placebo(case, neutral, atomic, higher)
            return
        # Searched in the same way, or a search would seem to find more than chance.
        yield from self._search.chosen(neutral)
        if self._atomic:
            yield from neutral.atomic()


def _plan_of(pipeline: Pipeline, given: Row | Plan) -> Plan:
    return pipeline.plan(given.text, windows=False)
