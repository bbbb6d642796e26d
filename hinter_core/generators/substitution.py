"""What a campaign tests of a row: models, parser and dictionaries ready, and mutants on trial."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hinter_core.campaign.spec import Campaign
from hinter_core.data.rows import Row
from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore, load_parser
from hinter_core.models.budget import Budget
from hinter_core.models.registry import open_store
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Plan, require_mutable
from hinter_core.pipeline.case import FollowUp, TestCase
from hinter_core.pipeline.pipeline import Pipeline, closure, follow_up_of
from hinter_core.pipeline.prioritise import Search
from hinter_core.terms.dictionary import by_concept, load_shipped
from hinter_core.types import Edit

# Characters of sentences and texts kept in memory; a campaign goes from text to text and meets
# hardly a sentence again.
_PARSES = 700_000
_PREDICTIONS = 4_000_000

Planned = tuple[Row, Plan | None, str]  # a row, its plan, and why it has no intersectional mutant


def load_parts(
    campaign: Campaign, budget: Budget | None = None
) -> tuple[list[PredictionStore], ParseStore]:
    """The models and the parser that a campaign names.

    Raises:
        HinterError: one of them is unknown, missing or broken.
    """
    models = [
        open_store(name, trusted=True, budget=budget, characters=_PREDICTIONS)
        for name in dict.fromkeys(campaign.models)
    ]
    return models, ParseStore(load_parser(campaign.parser), _PARSES)


class Substitution:
    """One parser, one load of each model, and the rules by which a campaign chooses mutants."""

    __test__ = False  # a name for users of the field, not a test case of pytest

    def __init__(self, campaign: Campaign, budget: Budget | None = None) -> None:
        """Load all that the campaign names.

        Raises:
            HinterError: something named is unknown, missing or broken.
        """
        self._campaign = campaign
        self.models, self.parses = load_parts(campaign, budget)
        vocabulary, settings = campaign.vocabulary(), campaign.settings
        self._search: Search | None = None
        if campaign.guide:
            self._search = Search(self.parses, self._guide(campaign.guide), settings)
        self._probe = Pipeline(vocabulary, self.parses, self.models, settings)
        self._neutral: Pipeline | None = None
        if campaign.placebo:
            neutral = by_concept(load_shipped()["placebo"])
            self._neutral = Pipeline(neutral, self.parses, self.models, settings)

    def _guide(self, name: str) -> PredictionStore:
        """The guide: one of the models, or one loaded for its sake."""
        own = (asked for asked in self.models if asked.model.name == name)
        return next(own, None) or open_store(name, trusted=True, characters=_PREDICTIONS)

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Each row with its plan, and why it has no intersectional mutant, if so."""
        for row in rows:
            if row.fault:
                yield row, None, row.fault
                continue
            try:
                plan = self._probe.plan(row.text)
            except InputError as error:
                yield row, None, str(error)
                continue
            try:
                require_mutable(plan)
            except InputError as error:
                yield row, plan, str(error)
            else:
                yield row, plan, ""

    def _edit_sets(self, plan: Plan) -> Iterator[tuple[Edit, ...]]:
        """What is tested of a text: intersectional mutants, atomic ones, neutral ones."""
        many = 0
        for edits in self._search.chosen(plan) if self._search else plan.each():
            many += 1
            yield edits
        if self._campaign.atomic:
            yield from ((edit,) for edits in plan.edits.values() for edit in edits)
        if self._neutral is not None:
            neutral = self._neutral.plan(plan.text)
            # Searched alike, or what a search finds would look like more than chance.
            if self._search:
                yield from self._search.chosen(neutral)
            else:
                # As many as of the others; the same limit would leave the rates unequally sure.
                neutral.settings = replace(plan.settings, limit=max(1, many))
                yield from neutral.chosen()
            if self._campaign.atomic:
                yield from ((edit,) for edits in neutral.edits.values() for edit in edits)

    def trials(self, planned: Iterable[Planned]) -> dict[int, TestCase]:
        """A trial, by the row's number, for every text that has something to test."""
        return {
            row.number: TestCase(plan, number=row.number, forget=True)
            for row, plan, why in planned
            if plan is not None and (not why or self._has_atomic(plan))
        }

    def _has_atomic(self, plan: Plan) -> bool:
        return self._campaign.atomic and any(plan.edits.values())

    def items(self, trials: Iterable[TestCase]) -> Iterator[FollowUp]:
        """All mutants of these trials, parts before wholes."""
        order = self._campaign.order
        for trial in trials:
            for edits in closure(self._edit_sets(trial.plan), order if order > 1 else None):
                yield follow_up_of(trial, edits)
