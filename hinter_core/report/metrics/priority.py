"""Prioritised runs: cases tested, faults, and the rate by the audit."""

from collections.abc import Iterable

from hinter_core.campaign.record import PriorityState
from hinter_core.report.counts import ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.section import Amount, Cell, Section
from hinter_core.statistics.format import estimate_in_words
from hinter_core.statistics.rates import Estimate

_COLUMNS = ["Order", "Cases", "Asked", "Answers", "Changed answers", "At random, expected",
            "Audit", "Rate by the audit"]  # fmt: skip
_WHAT_HOLDS = (
    "The order chose what was asked, so the share of changed answers among all that was asked is "
    "no rate. The audit is a random sequence of the cases, drawn before the first answer. All "
    "other rates, tables and tests of this report are of the audit, with as large a part of the "
    "neutral and of the discarded mutants.",
    "Accuracy is of the texts that were asked about, which the order chose.",
    "The bounds in this table hold whenever the run stops, for whatever reason. Other intervals "
    "hold if its results did not stop it.",
)


def state_of(tally: ModelCounts) -> PriorityState | None:
    """Return the progress of a model's run; None if it is not prioritised."""
    return tally.reader.priority.get(tally.name)


def rate_of(state: PriorityState) -> Estimate:
    """Return the rate of all cases by the audit, with bounds that hold whenever one stops."""
    if not state.audited:
        return Estimate(None, why="no case of the audit was asked yet")
    return Estimate(state.audit_faults / state.audited, state.low, state.high)


def expected_faults(state: PriorityState, cases: int) -> tuple[float, float, float] | None:
    """Return the expected faults among as many random cases, with bounds.

    By the audit, or exactly if all cases are tested; None before the audit has a case.
    """
    if not state.audited:
        return None
    if state.asked == state.cases:  # the rate of all is known
        low = middle = high = state.faults / state.cases
    else:
        middle, low, high = state.audit_faults / state.audited, state.low, state.high
    return cases * middle, cases * low, cases * high


def priority_sections(state: PriorityState | None) -> Iterable[Section]:
    """Report the progress of one model; nothing if the run is not prioritised."""
    if state is None:
        return
    expected = expected_faults(state, state.asked)
    by_chance = Amount(*expected) if expected else Amount(None, why="the audit has no case yet")
    row: list[Cell] = [
        state.order, state.cases, state.asked, state.answers, state.faults, by_chance,
        state.audited, rate_of(state),
    ]  # fmt: skip
    sentences = [priority_in_words(state), *_WHAT_HOLDS]
    yield Section("priority", "What was asked first", sentences, _COLUMNS, [row])


def asked_in_words(state: PriorityState) -> str:
    """Say how many cases a model was asked, and how many of them changed its answer."""
    return (
        f"{state.asked:,} of {state.cases:,} cases were asked ({state.order}), and "
        f"{state.faults:,} changed the answer."
    )


def priority_in_words(state: PriorityState) -> str:
    """Describe the state of a model in sentences."""
    words = asked_in_words(state)
    if state.audited:
        words += (
            f" By {state.audited:,} random ones of them, {estimate_in_words(rate_of(state))} of "
            "all cases change it."
        )
    return f"{words} {state.reason or 'It was interrupted, or still runs.'}"


metric("priority", 10, state_of, priority_sections)
