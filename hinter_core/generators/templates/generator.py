"""Follow-ups of templates: the mutants of each class, their combinations, and their placebo.

Names of one class are the placebo of single changes: they change a name, and no attribute. Other
neutral words stand beside them where as many words have to change, or two at once.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.generators.base import Planned, follow_ups_of, plans_of, testable
from hinter_core.generators.placebo import Shape, edit_sets, placebos
from hinter_core.generators.templates.filling import SAME_CLASS, TemplateValues
from hinter_core.generators.templates.table import TemplateRow
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import FollowUp, TestCase
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import matcher_for
from hinter_core.types import Edit


class TemplateMutants:
    """Makes the mutants of templates.

    ``attributes``: those to test, of gender, occupation and country. ``atomic``: test every single
    change. ``placebo``: dictionaries of neutral words; None: no placebo.
    """

    def __init__(
        self,
        values: TemplateValues,
        settings: Settings,
        attributes: Sequence[str],
        parses: ParseStore,
        *,
        atomic: bool = True,
        placebo: Sequence[Dictionary] | None = None,
    ) -> None:
        self._values, self._settings, self._parses = values, settings, parses
        self._attributes = tuple(attributes)
        self._atomic = atomic
        self._neutral = placebo
        self._matcher = matcher_for(list(placebo or ()))
        self._names: dict[int, list[Edit]] = {}

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Yield each template, filled, with the reason if it has no intersectional mutant."""
        self._names = {}
        return plans_of(rows, self._plan, self._require)

    def _plan(self, row: Row) -> Plan:
        assert isinstance(row, TemplateRow)
        assert row.template is not None
        plan = self._values.plan(row.template, self._settings, self._attributes)
        self._names[row.number] = plan.edits.pop(SAME_CLASS, [])
        return plan

    def _require(self, plan: Plan, row: Row) -> None:
        present = [name for name in self._attributes if plan.edits.get(name)]
        least = min(2, self._settings.order)
        if len(present) >= least and (least == 1 or next(plan.each(), None) is not None):
            return
        own = row.template.attributes if isinstance(row, TemplateRow) and row.template else ()
        words = ", ".join(self._attributes)
        if not present:
            raise InputError(
                f"The template is for {', '.join(own)} and makes no mutant of {words}."
            )
        raise InputError(
            f"The template changes {present[0]} only; it has no combination of {words}."
        )

    def test_cases(self, planned: Iterable[Planned]) -> dict[int, TestCase]:
        """Return a test case, by the row's number, for every template with mutants to test."""
        return testable(planned, atomic=self._atomic)

    def follow_ups(self, cases: Iterable[TestCase]) -> Iterator[FollowUp]:
        """Yield all mutants of these test cases, parts before wholes."""
        return follow_ups_of(
            cases,
            lambda case: self._edit_sets(case.plan, self._names.get(case.number, [])),
            self._settings,
        )

    def _edit_sets(self, plan: Plan, names: Sequence[Edit]) -> Iterator[tuple[Edit, ...]]:
        def neutral(atomic: Counter[Shape], higher: Counter[Shape]) -> Iterator[tuple[Edit, ...]]:
            return self._placebo(plan, names, atomic, higher)

        tested = neutral if self._neutral is not None else None
        return edit_sets(plan, plan.each(), atomic=self._atomic, neutral=tested)

    def _placebo(
        self, plan: Plan, names: Sequence[Edit], atomic: Counter[Shape], higher: Counter[Shape]
    ) -> Iterator[tuple[Edit, ...]]:
        """Yield names of the same class, and neutral changes that match in order and words."""
        neutral = make_plan(
            plan.text, self._neutral or (), plan.settings, self._parses, matcher=self._matcher
        )
        if names:
            neutral.edits[SAME_CLASS] = list(names)
        seen = {frozenset((edit,)) for edit in names}
        yield from ((edit,) for edit in names)
        for edits in placebos(neutral, atomic, higher):
            if frozenset(edits) not in seen:
                yield edits
