"""The protocol of a generator, which makes follow-ups of the rows of a data set."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from hinter_core.data.rows import Row
from hinter_core.errors import HinterError, InputError
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import FollowUp, TestCase, follow_up_of
from hinter_core.pipeline.pipeline import closure
from hinter_core.relations.registry import relation_of
from hinter_core.types import Edit

_SHOWN = 80  # characters of an error
Planned = tuple[Row, Plan | None, str]  # a row, its plan, and why it has no intersectional mutant


class Generator(Protocol):
    """Makes test cases of rows, and the follow-ups of each test case.

    It gets what it needs (dictionaries, parser, settings) and does not know campaigns.
    """

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Yield each row with its plan, and the reason if it has no mutant to test."""

    def test_cases(self, planned: Iterable[Planned]) -> dict[int, TestCase]:
        """Return a test case, by the row's number, for every text with mutants to test."""

    def follow_ups(self, cases: Iterable[TestCase]) -> Iterator[FollowUp]:
        """Yield all follow-ups of these test cases, parts before wholes."""


def plans_of(
    rows: Iterable[Row], plan_of: Callable[[Row], Plan], require: Callable[[Plan, Row], None]
) -> Iterator[Planned]:
    """Yield each row with its plan, and the reason if it cannot be used.

    ``plan_of`` and ``require`` raise :class:`InputError` with the reason; what ``require`` refuses
    keeps its plan.
    """
    for row in rows:
        plan, why = None, row.fault
        if not why:
            try:
                plan = plan_of(row)
                require(plan, row)
            except InputError as error:
                why = str(error)
            except (HinterError, MemoryError, OSError):
                raise  # a model or the machine, not the row
            except Exception as error:  # noqa: BLE001 -- one row never ends a run
                plan, why = None, fault_of(error)
        yield row, plan, why


def fault_of(error: Exception) -> str:
    """Return in words that HInter failed on a row; the others go on."""
    return (
        f"HInter cannot read this text ({type(error).__name__}: {str(error)[:_SHOWN]}); leave it "
        "out, and report it with its text."
    )


def testable(planned: Iterable[Planned], *, atomic: bool) -> dict[int, TestCase]:
    """Return a test case, by the row's number, for every plan with mutants to test.

    ``atomic``: a plan with nothing but single changes counts.
    """
    return {
        row.number: TestCase(plan, number=row.number, forget=True)
        for row, plan, why in planned
        if plan is not None and (not why or (atomic and any(plan.edits.values())))
    }


def follow_ups_of(
    cases: Iterable[TestCase],
    edit_sets: Callable[[TestCase], Iterable[tuple[Edit, ...]]],
    settings: Settings,
) -> Iterator[FollowUp]:
    """Yield the mutants of each test case's edit sets; parts before wholes if the relation asks."""
    order, parts = settings.order, relation_of(settings.relations).lattice
    for case in cases:
        chosen = edit_sets(case)
        if parts:
            alone = order > 1 and not case.plan.together
            chosen = closure(chosen, order if alone else None)
        for edits in chosen:
            yield follow_up_of(case, edits)
