"""What is wrong with a model's answers: none, another one each time, or one of long before."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hinter_core.campaign.progress import Reason, unanswered
from hinter_core.campaign.record import kept_by_model
from hinter_core.models.cache import LASTING, KeptAnswers
from hinter_core.pipeline.case import UNSCORED
from hinter_core.report.counts import ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.section import Rows, Section
from hinter_core.statistics.format import share_in_words
from hinter_core.types import Failure

_REASONS = 10  # listed


def reasons(tally: ModelCounts) -> list[Reason]:
    """Return the reasons, the most frequent first."""
    return unanswered(tally.reader.store, (tally.name,))


def failures_section(reasons: Sequence[Reason]) -> Section:
    """Report the most frequent reasons."""
    rows: Rows = [[r.failure, r.said, r.mutants, r.originals] for r in reasons[:_REASONS]]
    rest = reasons[_REASONS:]
    if rest:
        sums = sum(one.mutants for one in rest), sum(one.originals for one in rest)
        rows.append(["other", f"{len(rest):,} reasons", *sums])
    total = sum(one.mutants for one in reasons)
    words = f"{total:,} mutants had no usable answer; they count in no rate."
    words += remedy(one.failure for one in reasons if one.said != UNSCORED)
    columns = ["Reason", "What was said (an example)", "Mutants", "Unchanged texts"]
    return Section("failures", "No answer", [words], columns, rows)


def remedy(failures: Iterable[str]) -> str:
    """Say what may give answers in place of these failures: sentences after a blank, or ""."""
    kinds, words = set(failures), ""
    if Failure.UNPARSABLE in kinds:
        words += (
            " Kept replies are read again with --retry-failed, and asked for again with "
            "--ask-again. "
            "Let the question ask for the label alone, and name the labels as the model does."
        )
    if kinds - LASTING - {Failure.UNPARSABLE, Failure.REFUSED}:
        words += (
            " To ask again, run the campaign with --retry-failed (in Python, retry_failed=True)."
        )
    return words


@dataclass(frozen=True)
class Repetitions:
    """Unchanged ``texts`` that were answered again, ``inconsistent`` ones with another answer.

    ``answers``: all further answers; ``differing``: those unlike the first one to their text.
    """

    texts: int
    inconsistent: int
    answers: int
    differing: int


def repetitions(tally: ModelCounts) -> Repetitions | None:
    """Count the further answers to unchanged texts; None if the campaign repeats none."""
    ((texts, *rest),) = tally.reader.run(
        "SELECT count(*), count(*) FILTER (differing > 0), coalesce(sum(repeated), 0)::BIGINT, "
        f"coalesce(sum(differing), 0)::BIGINT FROM ({tally.tables.originals}) WHERE "
        "repeated > 0"
    )
    return Repetitions(texts, *rest) if texts else None


def repetitions_section(found: Repetitions | None) -> Iterable[Section]:
    """Report how often a model contradicts itself."""
    if found is None:
        return
    words = [
        f"{found.texts:,} unchanged texts were asked again, and {found.inconsistent:,} of them got "
        f"another answer ({found.differing:,} of {found.answers:,} further answers)."
    ]
    if found.differing:
        words.append("The model contradicts itself, so some of the flips below may be no bias.")
    columns = ["Texts asked again", "With another answer", "Further answers", "Other answers"]
    cells: Rows = [[found.texts, found.inconsistent, found.answers, found.differing]]
    yield Section("repetitions", "Answers to the same text", words, columns, cells)


def contradicts_in_words(found: Repetitions | None) -> str:
    """Say beside the rates how often a model contradicts itself; "" if it does not."""
    if found is None or not found.differing:
        return ""
    share = share_in_words(found.differing / found.answers)
    return (
        f"{found.differing:,} of {found.answers:,} further answers to the same texts differ from "
        f"the first one ({share}), so about as many changed answers are no bias."
    )


def kept_answers(tally: ModelCounts) -> KeptAnswers | None:
    """Return how many answers are from before the campaign; None if there are none."""
    return kept_by_model(tally.reader.store.read()).get(tally.name)


metric("repetitions", 95, repetitions, repetitions_section)
metric("failures", 200, lambda tally: tally.failures)
metric("kept_answers", 199, kept_answers)
metric("reasons", 200, reasons, failures_section)
