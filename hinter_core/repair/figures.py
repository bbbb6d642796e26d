"""What a repair changed: error rates before and after on one set of texts."""

from collections.abc import Sequence
from dataclasses import dataclass

from hinter_core.campaign.findings import Side
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.rows import Row
from hinter_core.models.base import ModelUnderTest
from hinter_core.models.store import PredictionStore
from hinter_core.report.compared.comparison import paired_errors
from hinter_core.report.metrics.accuracy import Accuracy
from hinter_core.report.model import ModelReport, make_report
from hinter_core.statistics.clustered import paired_difference
from hinter_core.statistics.rates import Difference, Rate, wilson

# What the half of the words that was kept for the test is called: it may stand in the texts.
UNSEEN_WORDS, KEPT_WORDS = "unseen words", "kept words"
_LARGE = 0.05  # fall of accuracy


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
    def all(self) -> tuple[int, int]:
        """Errors, and cases."""
        return self.single.hits + self.combined.hits, self.single.of + self.combined.of

    @property
    def share(self) -> float | None:
        """Errors of all cases."""
        hits, of = self.all
        return hits / of if of else None


@dataclass(frozen=True)
class Measured:
    """A set of texts, and the errors before and after on the same mutants.

    ``difference``: error rate after minus before, paired by text; None if it was not kept yet.
    """

    name: str
    before: Errors
    after: Errors
    difference: Difference | None = None

    @property
    def more_hidden(self) -> bool:
        """Whether there are more hidden errors than before, though all together may be fewer."""
        return self.after.hidden > self.before.hidden

    @property
    def less(self) -> float | None:
        """By what share the errors fell; None without errors before."""
        before, after = self.before.share, self.after.share
        return 1 - after / before if before and after is not None else None

    @property
    def change(self) -> str:
        """What to say of the errors: one of the keys of ``fall`` in the words of the app.

        A change is claimed where the paired interval of all mutants together excludes 0.
        """
        before, after = self.before.share, self.after.share
        if before is None or after is None:
            return "untested"
        if not before and not after:
            return "none"
        if self.difference is None:
            return "unsaid"
        low, high = self.difference.low, self.difference.high
        if low is None or high is None or low <= 0 <= high:
            return "unclear"
        if not before:
            return "new"
        return "less" if high < 0 else "more"


@dataclass(frozen=True)
class Learnt:
    """What a model learnt from, in numbers.

    ``repeats``: rows left out that repeat a text. ``held_out``: texts left out that have words kept
    for the test. ``with_kept``: texts and sentences with such words. ``errors``: of the diagnosis,
    among ``mutants``; None if they were not counted yet. ``unanswered``: texts and sentences that
    have no label and no answer of the model, and so stand in no file of examples. ``in_test``:
    texts and variants that stand in the test of the words that it learnt from.
    """

    texts: int = 0
    sentences: int = 0
    variants: int = 0
    repeats: int = 0
    held_out: int = 0
    with_kept: int = 0
    errors: int | None = None
    mutants: int = 0
    unanswered: int = 0
    in_test: int = 0


@dataclass(frozen=True)
class RepairResult:
    """What a repair did. ``accuracy``: before and after, on texts that it did not learn from.

    ``accuracy_change``: after minus before, paired by text; None if it was not kept yet.
    """

    model: str
    examples: Learnt
    accuracy: tuple[Rate, Rate]
    measured: Sequence[Measured]
    accuracy_change: Difference | None = None

    @property
    def accuracy_said(self) -> str:
        """What to say of accuracy: one of the keys of ``accuracy_change`` in the words of the app.

        It *holds* where the interval excludes a fall of more than five points.
        """
        change = self.accuracy_change
        if change is None:
            return "unsaid"
        if change.low is None or change.high is None:
            return "too_few"
        if change.low > 0 or change.high < 0:
            return "clear"
        return "holds" if change.low > -_LARGE else "too_few"


def accuracy_of(
    rows: Sequence[Row], models: Sequence[ModelUnderTest]
) -> tuple[tuple[Rate, Rate], Difference]:
    """Measure two models on the rows with a label that they have; return the difference, too."""
    labelled = [row for row in rows if row.label in models[0].capabilities.labels]
    right = []
    for model in models:
        answers = PredictionStore(model).predict(row.text for row in labelled)
        right.append([int(answers[row.text].labels == (row.label,)) for row in labelled])
    first, second = (wilson(sum(one), len(labelled)) for one in right)
    pairs = [(after, 1, before, 1) for before, after in zip(*right, strict=True)]
    return (first, second), paired_difference(pairs)


def measured_in(name: str, store: CampaignStore, models: tuple[str, str]) -> Measured:
    """Read the errors of both models from a campaign."""
    errors = errors_in(store)
    difference = paired_errors(*(Side(store, model) for model in models))
    return Measured(name, errors[models[0]], errors[models[1]], difference)


def errors_in(store: CampaignStore) -> dict[str, Errors]:
    """Read the errors of a campaign by model."""
    return {one.model: _errors(one) for one in make_report(store).models}


def _errors(one: ModelReport) -> Errors:
    placebo = [row.errors for row in one.placebo]
    return Errors(
        one.atomic.errors,
        one.intersectional.errors,
        one.intersectional.hidden.hits if one.intersectional.hidden else 0,
        (sum(rate.hits for rate in placebo), sum(rate.of for rate in placebo)),
        one.accuracy,
    )
