"""What a campaign of mutants by hand tests: these mutants and no others, without matching."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from hinter_core.campaign.schema import handwritten_follow_up
from hinter_core.campaign.spec import Campaign
from hinter_core.data.handwritten import HandwrittenMutant, HandwrittenSource
from hinter_core.data.rows import Row
from hinter_core.generators.substitution import Planned, Substitution, load_parts
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences
from hinter_core.models.budget import Budget
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import FollowUp, TestCase


class Generator(Protocol):
    """Makes the follow-ups of a row: :class:`.substitution.Substitution` or from a file."""

    models: list[PredictionStore]
    parses: ParseStore

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Each row with its plan, and why it has no mutant to test, if so."""

    def trials(self, planned: Iterable[Planned]) -> dict[int, TestCase]:
        """A trial, by the row's number, for every text that has something to test."""

    def items(self, trials: Iterable[TestCase]) -> Iterator[FollowUp]:
        """All mutants of these trials, parts before wholes."""


def open_generator(campaign: Campaign, budget: Budget | None = None) -> Generator:
    """Load all that the campaign names.

    Raises:
        HinterError: something named is unknown, missing or broken.
    """
    return Handwritten(campaign, budget) if campaign.mutants else Substitution(campaign, budget)


class Handwritten:
    """Models and parser of a campaign of mutants by hand."""

    def __init__(self, campaign: Campaign, budget: Budget | None = None) -> None:
        self._settings = campaign.settings
        self.models, self.parses = load_parts(campaign, budget)
        self._variants: dict[int, tuple[HandwrittenMutant, ...]] = {}

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Each source as it is; rows that cannot be used have no plan."""
        self._variants = {}
        for row in rows:
            if row.fault or not isinstance(row, HandwrittenSource):
                yield row, None, row.fault
                continue
            self._variants[row.number] = row.variants
            sentences = split_sentences(row.text)
            yield row, Plan(row.text, (), self._settings, sentences, [], [], {}), ""

    def trials(self, planned: Iterable[Planned]) -> dict[int, TestCase]:
        """A trial, by the row's number, for every source."""
        trials = {
            row.number: TestCase(plan, number=row.number)
            for row, plan, _ in planned
            if plan is not None
        }
        for trial in trials.values():
            for asked in self.models:
                trial.look(asked)  # a mutant by hand may change what a model does not see
        return trials

    def items(self, trials: Iterable[TestCase]) -> Iterator[FollowUp]:
        """All mutants as they were given, parts before wholes."""
        for trial in trials:
            for variant in self._variants[trial.number]:
                yield handwritten_follow_up(trial, variant.text, variant.edits, ask=variant.ask)
