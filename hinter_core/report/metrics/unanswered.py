"""Why mutants have no usable answer."""

from collections.abc import Sequence

from hinter_core.campaign.progress import Reason, unanswered
from hinter_core.report.counts import ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.section import Rows, Section

_REASONS = 10  # listed


def reasons(tally: ModelCounts) -> list[Reason]:
    """Return the reasons, the most frequent first."""
    return unanswered(tally.reader.store, (tally.name,))


def failures_section(reasons: Sequence[Reason]) -> Section:
    """Report the most frequent reasons."""
    rows: Rows = [[one.failure, one.said, one.mutants] for one in reasons[:_REASONS]]
    rest = sum(one.mutants for one in reasons[_REASONS:])
    rows += [["other", f"{len(reasons) - _REASONS:,} reasons", rest]] if rest else []
    total = sum(one.mutants for one in reasons)
    words = (
        f"{total:,} mutants had no usable answer; they count in no rate. To ask again: the command "
        "of the run, with --retry-failed."
    )
    columns = ["Reason", "What was said (an example)", "Mutants"]
    return Section("failures", "No answer", [words], columns, rows)


metric("failures", 200, lambda tally: tally.failures)
metric("reasons", 200, reasons, failures_section)
