"""What a campaign of mutants by hand tests: these mutants and no others, without matching."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from hinter_core.by_hand import Source, Variant
from hinter_core.campaign import Campaign
from hinter_core.models.budget import Budget
from hinter_core.models.store import PredictionStore
from hinter_core.parsing import ParseStore
from hinter_core.planning import Plan
from hinter_core.rows import Row
from hinter_core.sentences import split_sentences
from hinter_core.tables import hand_item
from hinter_core.testbed import Planned, Testbed, load_parts
from hinter_core.trial import Item, Trial


class Bed(Protocol):
    """What a campaign tests of rows; see :class:`hinter_core.testbed.Testbed`."""

    models: list[PredictionStore]
    parses: ParseStore

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Each row with its plan, and why it has no mutant to test, if so."""

    def trials(self, planned: Iterable[Planned]) -> dict[int, Trial]:
        """A trial, by the row's number, for every text that has something to test."""

    def items(self, trials: Iterable[Trial]) -> Iterator[Item]:
        """All mutants of these trials, parts before wholes."""


def open_bed(campaign: Campaign, budget: Budget | None = None) -> Bed:
    """Load all that the campaign names.

    Raises:
        HinterError: something named is unknown, missing or broken.
    """
    return HandBed(campaign, budget) if campaign.mutants else Testbed(campaign, budget)


class HandBed:
    """Models and parser of a campaign of mutants by hand."""

    def __init__(self, campaign: Campaign, budget: Budget | None = None) -> None:
        self._settings = campaign.settings
        self.models, self.parses = load_parts(campaign, budget)
        self._variants: dict[int, tuple[Variant, ...]] = {}

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Each source as it is; rows that cannot be used have no plan."""
        self._variants = {}
        for row in rows:
            if row.fault or not isinstance(row, Source):
                yield row, None, row.fault
                continue
            self._variants[row.number] = row.variants
            sentences = split_sentences(row.text)
            yield row, Plan(row.text, (), self._settings, sentences, [], [], {}), ""

    def trials(self, planned: Iterable[Planned]) -> dict[int, Trial]:
        """A trial, by the row's number, for every source."""
        trials = {
            row.number: Trial(plan, number=row.number)
            for row, plan, _ in planned
            if plan is not None
        }
        for trial in trials.values():
            for asked in self.models:
                trial.look(asked)  # a mutant by hand may change what a model does not see
        return trials

    def items(self, trials: Iterable[Trial]) -> Iterator[Item]:
        """All mutants as they were given, parts before wholes."""
        for trial in trials:
            for variant in self._variants[trial.number]:
                yield hand_item(trial, variant.text, variant.edits, ask=variant.ask)
