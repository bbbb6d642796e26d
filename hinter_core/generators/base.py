"""The protocol of a generator, which makes follow-ups of the rows of a data set."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from hinter_core.data.rows import Row
from hinter_core.errors import HinterError, InputError
from hinter_core.generators.placebo import Place, Shape, placebos, shape_of
from hinter_core.language.parsing import ParseStore
from hinter_core.mutation.plan import Plan, make_plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import FollowUp, TestCase, follow_up_of
from hinter_core.pipeline.pipeline import closure
from hinter_core.relations.registry import relation_of
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import matcher_for

_SHOWN = 80  # characters of an error
Source = TypeVar("Source")
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
                said = f"{type(error).__name__}: {str(error)[:_SHOWN]}"
                why = f"HInter cannot read this text ({said}); leave it out, and report it with "
                plan, why = None, f"{why}its text."
        yield row, plan, why


class PlanMutants:
    """A generator whose mutants are edits of a plan.

    ``atomic``: test every atomic mutant, not only the parts of intersectional ones. ``neutral``:
    returns what neutral words can do to the text of a plan; None: no placebo. ``names``: neutral
    mutants change as many names, too.
    """

    def __init__(
        self, settings: Settings, *, atomic: bool, neutral: Callable[[Plan], Plan] | None,
        names: bool,
    ) -> None:  # fmt: skip
        self._settings, self._atomic = settings, atomic
        self._neutral, self._names = neutral, names

    def _plan(self, row: Row) -> Plan:
        raise NotImplementedError

    def _require(self, plan: Plan, row: Row) -> None:
        """Refuse a plan without an intersectional mutant."""
        raise NotImplementedError

    def _chosen(self, plan: Plan) -> Iterable[Place]:
        return plan.each()

    def _placebo(
        self,
        case: TestCase,  # noqa: ARG002 -- as of others
        neutral: Plan,
        atomic: Counter[Shape],
        higher: Counter[Shape],
    ) -> Iterator[Place]:
        """Yield neutral edit sets; given how many atomic and higher mutants have each shape."""
        return placebos(neutral, atomic, higher)

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Yield each row with its plan, and the reason if it has no mutant to test."""
        return plans_of(rows, self._plan, self._require)

    def test_cases(self, planned: Iterable[Planned]) -> dict[int, TestCase]:
        """Return a test case, by the row's number, for every plan with mutants to test."""
        return {
            row.number: TestCase(plan, number=row.number, forget=True)
            for row, plan, why in planned
            if plan is not None and (not why or (self._atomic and any(plan.edits.values())))
        }

    def follow_ups(self, cases: Iterable[TestCase]) -> Iterator[FollowUp]:
        """Yield all mutants of these test cases; parts before wholes if the relation asks."""
        order, parts = self._settings.order, relation_of(self._settings.relations).lattice
        for case in cases:
            chosen: Iterable[Place] = self._edit_sets(case)
            if parts:
                alone = order > 1 and not case.plan.together
                chosen = closure(chosen, order if alone else None)
            for edits in chosen:
                yield follow_up_of(case, edits)

    def _edit_sets(self, case: TestCase) -> Iterator[Place]:
        """Yield the edit sets to test: intersectional, atomic, neutral."""
        plan, higher = case.plan, Counter[Shape]()
        text = plan.text if self._names else ""
        for edits in self._chosen(plan):
            higher[shape_of(edits, text)] += len(edits) > 1
            yield edits
        if self._atomic:
            yield from plan.atomic()
        if self._neutral:
            atomic = Counter(shape_of(edits, text) for edits in plan.atomic())
            yield from self._placebo(case, self._neutral(plan), atomic, +higher)


class FilledMutants(PlanMutants, Generic[Source]):
    """Makes the mutants of texts that are filled: of templates, or sentences of a grammar.

    ``source``: what fills them. ``attributes``: those to test. ``placebo``: dictionaries of neutral
    words; None: no placebo.
    """

    def __init__(
        self,
        source: Source,
        settings: Settings,
        attributes: Sequence[str],
        parses: ParseStore,
        *,
        atomic: bool = True,
        placebo: Sequence[Dictionary] | None = None,
        names: bool = False,
    ) -> None:
        words = list(placebo or ())
        matcher = matcher_for(words)

        def neutral(plan: Plan) -> Plan:
            return make_plan(plan.text, words, plan.settings, parses, matcher=matcher)

        super().__init__(
            settings, atomic=atomic, neutral=None if placebo is None else neutral, names=names
        )
        self._source, self._attributes = source, tuple(attributes)
