"""Follow-ups by substitution: terms of a text are replaced by others of the dictionaries."""

from collections import Counter
from collections.abc import Iterable, Iterator

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.generators.base import Planned, follow_ups_of, testable
from hinter_core.generators.placebo import Shape, placebos, shape_of
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import FollowUp, TestCase
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.pipeline.prioritise import Search
from hinter_core.types import Edit


class Substitution:
    """Makes intersectional, atomic and neutral mutants of a text, the same for every model.

    ``pipeline``: the dictionaries and settings. ``atomic``: test every atomic mutant, not only the
    parts of intersectional ones. ``placebo``: the neutral dictionaries. ``search``: chooses the
    mutants, if given.
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
        """Yield each row with its plan, and the reason if it has no intersectional mutant."""
        for row in rows:
            plan, why = None, row.fault
            if not why:
                try:
                    plan = self._pipeline.plan(row.text, windows=False)
                    self._pipeline.relation.require_applicable(plan)
                except InputError as error:
                    why = str(error)
            yield row, plan, why

    def test_cases(self, planned: Iterable[Planned]) -> dict[int, TestCase]:
        """Return a test case, by the row's number, for every text with mutants to test."""
        return testable(planned, atomic=self._atomic)

    def follow_ups(self, cases: Iterable[TestCase]) -> Iterator[FollowUp]:
        """Yield all mutants of these test cases, parts before wholes."""
        return follow_ups_of(
            cases, lambda case: self._edit_sets(case.plan), self._pipeline.settings
        )

    def _edit_sets(self, plan: Plan) -> Iterator[tuple[Edit, ...]]:
        """Yield the edit sets to test: intersectional, atomic, neutral."""
        higher: Counter[Shape] = Counter()
        for edits in self._search.chosen(plan) if self._search else plan.each():
            higher[shape_of(edits)] += len(edits) > 1
            yield edits
        if self._atomic:
            yield from plan.atomic()
        if self._placebo is not None:
            neutral = self._placebo.plan(plan.text, windows=False)
            if self._search:
                # Searched in the same way, or a search would seem to find more than chance.
                yield from self._search.chosen(neutral)
                if self._atomic:
                    yield from neutral.atomic()
            else:
                yield from placebos(neutral, Counter(map(shape_of, plan.atomic())), +higher)
