"""Mutants as tables of pandas, for analysis.

The columns are the same for a check and for a campaign: :data:`COLUMNS`, and for each attribute
``NAME_from`` and ``NAME_to``, the groups of the words removed and added.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hinter_core.campaign.findings import NO_LABEL, FindingFilter
from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import TIMES
from hinter_core.mutation.edits import along_in_words, changes_in_words
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import FollowUp, TestResult
from hinter_core.pipeline.export import reason
from hinter_core.types import Edit, Effect, Mutant, Outcome

if TYPE_CHECKING:
    import pandas

COLUMNS = {
    "row": "number of the text, from 1",
    "id": "id of the text, as a string; without a column of ids or an index, its row",
    "label": "label of the text in the data",
    "model": "name of the model",
    "verdict": "benign, biased, hidden, discarded or unanswered; empty where a prioritised run did "
    "not ask",
    "grade": "of hidden mutants with scores: more than the sum, or at the threshold",
    "order": "number of attributes changed",
    "attributes": "attributes changed, as in the table of rates: gender × race",
    "change": "by attribute, the pair of words that names its change, joined by commas; a name "
    "that says two changes, twice",
    "along": "pairs of other words that change with them, as pronouns and verbs do: each once, at "
    "most 12, without a and an; empty for mutants by hand",
    "original_answer": "labels of the unchanged text",
    "answer": "labels of the mutant; empty without an answer",
    "shift": "mutant minus original probability of the original answer",
    "interaction": "effect beyond the sum of the parts, in log-odds",
    "kept": "whether the invariant keeps the mutant as a fair test",
    "validity": "how probably people call it a fair test",
    "soft": "how probably other words of the text contradict it",
    "unfair": "how probably it is no fair test",
    "across_people": "whether its changes are of different people",
    "reason": "why it is discarded, unanswered or not asked",
    "audit": "of a prioritised run: whether it belongs to the random share that rates are of",
    "sequence": "of a prioritised run: when it was asked, from 0; empty: not asked, or discarded",
    "text": "the unchanged text",
    "mutant": "the changed text",
}
_OF_CAMPAIGNS = ("row", "id", "label", "audit", "sequence")
_OF_ANSWERS = ("model", "verdict", "grade", "original_answer", "answer", "shift", "interaction")
_AS_STORED = (
    "row", "id", "label", "model", "verdict", "kept", "validity", "soft", "unfair",
    "across_people", "text", "mutant",
)  # fmt: skip
_AS_ANSWERED = ("shift", "interaction", "audit", "sequence")


def mutants_of_check(result: TestResult) -> pandas.DataFrame:
    """Return the mutants of a checked text, a row for each model."""
    rows = []
    for model, outcomes in result.outcomes.items():
        original = ", ".join(result.originals[model].labels) or NO_LABEL
        rows += [
            {"model": model, "original_answer": original, **_of_outcome(result.plan, one)}
            for one in outcomes
        ]
    return _frame(rows, result.plan.attributes, _OF_CAMPAIGNS)


def mutants_alone(follow_ups: Sequence[FollowUp]) -> pandas.DataFrame:
    """Return the mutants of a text without answers."""
    rows = [
        _of_outcome(one.case.plan, Outcome(one.mutant, one.conformance, one.validity))
        for one in follow_ups
    ]
    return _frame(rows, (), (*_OF_CAMPAIGNS, *_OF_ANSWERS))


def _of_outcome(plan: Plan, outcome: Outcome) -> dict[str, Any]:
    answer, effect = outcome.prediction, outcome.effect or Effect("")
    return {
        "verdict": outcome.verdict.value,
        "grade": outcome.grade or "",
        **_of_mutant(outcome.mutant),
        "answer": _answer(answer.labels) if answer and answer.answered else "",
        "shift": effect.shift,
        "interaction": effect.interaction,
        "kept": outcome.conformance.kept,
        "validity": outcome.validity.fair,
        "soft": outcome.validity.soft,
        "unfair": outcome.validity.unfair,
        "across_people": plan.across_people(outcome.mutant.edits),
        "reason": reason(outcome),
        "text": plan.text,
        "mutant": outcome.mutant.text,
    }


def _of_mutant(mutant: Mutant, edits: Sequence[Edit] = ()) -> dict[str, Any]:
    """Return the columns of the changes; ``edits``: in another order than that of the mutant."""
    edits = edits or mutant.edits
    row: dict[str, Any] = {
        "order": len(edits),
        "attributes": TIMES.join(edit.attribute for edit in edits),
        "change": changes_in_words(edits),
        "along": along_in_words(mutant),
    }
    for edit in edits:
        row[f"{edit.attribute}_from"] = edit.source.group
        row[f"{edit.attribute}_to"] = edit.target.group
    return row


def _answer(labels: Sequence[str]) -> str:
    return ", ".join(labels) or NO_LABEL


def _frame(
    rows: Sequence[Mapping[str, Any]], attributes: Iterable[str], without: Sequence[str] = ()
) -> pandas.DataFrame:
    """Return rows as a table; the groups of attributes follow what was changed."""
    import pandas

    columns = [name for name in COLUMNS if name not in without]
    known = dict.fromkeys(name for name in attributes for name in (f"{name}_from", f"{name}_to"))
    others = dict.fromkeys(name for row in rows for name in row if name not in COLUMNS)
    groups, after = list(known | others), columns.index("along") + 1
    every = [*columns[:after], *groups, *columns[after:]]
    frame = pandas.DataFrame.from_records(list(rows), columns=every)
    frame[groups] = frame[groups].fillna("")
    return with_nan(frame)


def with_nan(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Return a table in which a column without any value is of NaN and not of None."""
    return frame.astype(dict.fromkeys(frame.columns[frame.isna().all() & (len(frame) > 0)], float))


def mutants_of_campaign(
    store: CampaignStore, models: Sequence[str], wanted: FindingFilter, *, rates: bool = False
) -> pandas.DataFrame:
    """Return the mutants of a campaign that pass the filter, a row for each model.

    ``rates``: of a prioritised run, only the random share, from which rates can be computed; else
    cases that were not asked are among them.

    Raises:
        StoreError: a table cannot be read.
    """
    wanted, rows = replace(wanted, unasked=not rates), []
    for model in models:
        with CampaignReader(store, (model,), rates=rates) as reader:
            rows += [_of_record(one) for one in reader.records(None, *wanted.sql())]
    return _frame(rows, (*store.campaign().attributes, *store.scope()))


def _of_record(record: MutantRecord) -> dict[str, Any]:
    answer = record.answer
    return {
        **{name: getattr(record, name) for name in _AS_STORED},
        **{name: getattr(answer, name) for name in _AS_ANSWERED},
        "grade": answer.grade or "",
        **_of_mutant(record.made, record.edits),
        "original_answer": "" if answer.original_failure else _answer(record.original),
        "answer": "" if record.labels is None else _answer(record.labels),
        "reason": record.why,
    }
