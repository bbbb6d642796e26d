"""A campaign as a visitor reads it: its report, and what of it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hinter_core.campaign.findings import FindingFilter, ShardCounts, Side, VerdictCounts
from hinter_core.campaign.reader import MutantRecord
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.views import Attributes
from hinter_core.report.comparison import Comparison
from hinter_core.report.model import ModelReport, Report

FIRST = FindingFilter(("hidden", "biased"))


@dataclass
class OpenReport:
    """An open campaign; ``name`` is its name in the app, empty for one opened by its path.

    ``by_shard``: of each model, mutants by shard, attributes and verdict.
    ``state``: what is still missing, in words. ``stamp``: what the report was made from, so that a
    running campaign is counted anew only when there is more of it. ``attributes``: show these
    only; empty for all. ``shown``: the findings on the page.
    """

    store: CampaignStore
    name: str
    report: Report
    by_shard: Mapping[str, VerdictCounts]
    stamp: object
    state: str = ""
    model: str = ""
    attributes: Attributes = ()
    wanted: FindingFilter = FIRST
    page: int = 0
    counted: ShardCounts | None = None
    shown: list[MutantRecord] = field(default_factory=list)
    comparison: Comparison | None = None

    @property
    def chosen(self) -> ModelReport | None:
        """The report of the model shown, on the attributes shown."""
        for model in self.report.models:
            if model.model == self.model:
                return only(model, self.attributes)
        return None

    @property
    def side(self) -> Side:
        """The answers of the model shown."""
        identity = self.store.read()["models"][self.model]["identity"]
        return Side(self.store, self.model, identity)

    @property
    def filter(self) -> FindingFilter:
        """The filter of the table: that of the findings, and the attributes shown."""
        return replace(self.wanted, attributes=self.wanted.attributes or self.attributes)


@dataclass
class ResultsState:
    """What Results keeps of a page: the open campaign, and the choices of campaigns it shows."""

    reading: OpenReport | None = None
    offered: list[tuple[str, str]] = field(default_factory=list)


def only(model: ModelReport, attributes: Attributes) -> ModelReport:
    """What of a model's report is about these attributes; sums over all stay as they are."""
    if not attributes:
        return model
    parts = [(attribute,) for attribute in attributes]

    def own(items: list) -> list:  # type: ignore[type-arg]
        return [item for item in items if item.attributes in (attributes, *parts)]

    return replace(
        model,
        lines=own(model.lines),
        truths=own(model.truths),
        overlaps=own(model.overlaps),
        groups=own(model.groups),
        words=[turn for turn in model.words if turn.attribute in attributes],
        directions=[turn for turn in model.directions if turn.attribute in attributes],
        examples=[e for e in model.examples if tuple(e["attributes"]) == attributes],
    )
