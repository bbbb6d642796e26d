"""Follow-ups that a person wrote, without matching."""

from collections.abc import Iterable, Iterator

from hinter_core.data.handwritten import HandwrittenMutant, HandwrittenSource
from hinter_core.data.rows import Row
from hinter_core.generators.base import Planned
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import FollowUp, TestCase, handwritten_follow_up


class Handwritten:
    """Makes test cases of the sources of a file, and follow-ups of its mutants verbatim."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._variants: dict[int, tuple[HandwrittenMutant, ...]] = {}

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Yield each source with a plan without edits; rows that cannot be used have no plan."""
        self._variants = {}
        for row in rows:
            if row.fault or not isinstance(row, HandwrittenSource):
                yield row, None, row.fault
                continue
            self._variants[row.number] = row.variants
            yield row, Plan.of_text(row.text, self._settings), ""

    def test_cases(self, planned: Iterable[Planned]) -> dict[int, TestCase]:
        """Return a test case, by the row's number, for every source."""
        return {row.number: TestCase(p, number=row.number) for row, p, _ in planned if p}

    def follow_ups(self, cases: Iterable[TestCase]) -> Iterator[FollowUp]:
        """Yield all mutants verbatim, parts before wholes."""
        for case in cases:
            for variant in self._variants[case.number]:
                yield handwritten_follow_up(case, variant.text, variant.edits, ask=variant.ask)
