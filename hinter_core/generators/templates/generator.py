"""Follow-ups of templates: the mutants of each class, their combinations, and their placebo.

Names of one class are the placebo of single changes: they change a name, and no attribute. Other
neutral words stand beside them where as many words have to change, or two at once.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.generators.base import FilledMutants, Planned
from hinter_core.generators.placebo import Place, Shape
from hinter_core.generators.templates.filling import SAME_CLASS, TemplateValues
from hinter_core.generators.templates.template import TemplateRow
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import TestCase
from hinter_core.types import Edit


class TemplateMutants(FilledMutants[TemplateValues]):
    """Makes the mutants of templates; the attributes are of gender, occupation and country."""

    _same_class: dict[int, list[Edit]]  # of the templates planned last, by row

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Yield each template, filled, with the reason if it has no intersectional mutant."""
        self._same_class = {}
        return super().plans(rows)

    def _plan(self, row: Row) -> Plan:
        assert isinstance(row, TemplateRow)
        assert row.template is not None
        plan = self._source.plan(row.template, self._settings, self._attributes)
        self._same_class[row.number] = plan.edits.pop(SAME_CLASS, [])
        return plan

    def _require(self, plan: Plan, row: Row) -> None:
        present = [name for name in self._attributes if plan.edits.get(name)]
        least = min(2, self._settings.order)
        if len(present) >= least and (least == 1 or next(plan.each(), None) is not None):
            return
        attributes = (
            row.template.attributes if isinstance(row, TemplateRow) and row.template else ()
        )
        words = ", ".join(self._attributes)
        if not present:
            raise InputError(
                f"The template is for {', '.join(attributes)} and makes no mutant of {words}."
            )
        raise InputError(
            f"The template changes {present[0]} only; it has no combination of {words}."
        )

    def _placebo(
        self, case: TestCase, neutral: Plan, atomic: Counter[Shape], higher: Counter[Shape]
    ) -> Iterator[Place]:
        """Yield names of the same class, and neutral changes that match in order and words."""
        names = self._same_class.get(case.number, [])
        if names:
            neutral.edits[SAME_CLASS] = list(names)
        seen = {frozenset((edit,)) for edit in names}
        yield from ((edit,) for edit in names)
        for edits in super()._placebo(case, neutral, atomic, higher):
            if frozenset(edits) not in seen:
                yield edits
