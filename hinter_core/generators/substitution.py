"""Follow-ups by substitution: terms of a text are replaced by others of the dictionaries."""

from collections import Counter
from collections.abc import Iterable, Iterator

from hinter_core.data.rows import Row
from hinter_core.generators.base import Planned, follow_ups_of, plans_of, testable
from hinter_core.generators.placebo import Shape, edit_sets, placebos
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import FollowUp, TestCase
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.pipeline.prioritise import Search
from hinter_core.types import Edit


class Substitution:
    """Makes intersectional, atomic and neutral mutants of a text, the same for every model.

    ``pipeline``: the dictionaries and settings. ``atomic``: test every atomic mutant, not only the
    parts of intersectional ones. ``placebo``: the neutral dictionaries. ``names``: neutral mutants
    change as many names, too. ``search``: chooses the mutants, if given.
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
        self._pipeline = pipeline
        self._atomic = atomic
        self._placebo = placebo
        self._names = names
        self._search = search

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Yield each row with its plan, and the reason if it has no intersectional mutant."""
        return plans_of(
            rows,
            lambda row: self._pipeline.plan(row.text, windows=False),
            lambda plan, _: self._pipeline.relation.require_applicable(plan),
        )

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
        chosen = self._search.chosen(plan) if self._search else plan.each()

        def neutral(atomic: Counter[Shape], higher: Counter[Shape]) -> Iterator[tuple[Edit, ...]]:
            assert self._placebo is not None
            found = self._placebo.plan(plan.text, windows=False)
            if not self._search:
                yield from placebos(found, atomic, higher)
                return
            # Searched in the same way, or a search would seem to find more than chance.
            yield from self._search.chosen(found)
            if self._atomic:
                yield from found.atomic()

        tested = neutral if self._placebo is not None else None
        return edit_sets(plan, chosen, atomic=self._atomic, neutral=tested, names=self._names)
