"""What a repair changed: error rates before and after on one set of texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hinter_core.campaign.store import CampaignStore
from hinter_core.report.metrics.accuracy import Accuracy
from hinter_core.report.model import ModelReport, make_report
from hinter_core.statistics.rates import Rate


@dataclass(frozen=True)
class Errors:
    """A model's errors among single and combined changes, hidden ones, and of neutral changes.

    ``hidden``: of the combined changes that are cases.
    """

    single: Rate
    combined: Rate
    hidden: int
    neutral: tuple[int, int]
    accuracy: Accuracy | None

    @property
    def share(self) -> float | None:
        """Errors of all cases."""
        of = self.single.of + self.combined.of
        return (self.single.hits + self.combined.hits) / of if of else None


@dataclass(frozen=True)
class Measured:
    """A set of texts, and the errors before and after on the same mutants."""

    name: str
    before: Errors
    after: Errors

    @property
    def less(self) -> float | None:
        """By what share the errors fell; None without errors before."""
        before, after = self.before.share, self.after.share
        return 1 - after / before if before and after is not None else None

    @property
    def clear(self) -> bool:
        """Whether errors of single or of combined changes left their interval.

        Both models answer the same mutants, so that less than this may be a change; a few mutants
        that turned are none yet.
        """
        return _left(self.before.single, self.after.single) or _left(
            self.before.combined, self.after.combined
        )


@dataclass(frozen=True)
class RepairResult:
    """What a repair did. ``accuracy``: before and after, on texts that it did not learn from."""

    model: str
    examples: Mapping[str, int]
    accuracy: tuple[Rate, Rate]
    measured: Sequence[Measured]


def _left(before: Rate, after: Rate) -> bool:
    if before.low is None or before.high is None or after.share is None:
        return False
    return not before.low <= after.share <= before.high


def measured_in(name: str, store: CampaignStore, models: tuple[str, str]) -> Measured:
    """Read the errors of both models from a campaign."""
    errors = {one.model: _errors(one) for one in make_report(store).models}
    return Measured(name, errors[models[0]], errors[models[1]])


def _errors(one: ModelReport) -> Errors:
    placebo = [row.errors for row in one.placebo]
    return Errors(
        one.atomic.errors,
        one.intersectional.errors,
        one.intersectional.hidden.hits if one.intersectional.hidden else 0,
        (sum(rate.hits for rate in placebo), sum(rate.of for rate in placebo)),
        one.accuracy,
    )
