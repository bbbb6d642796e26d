"""Test cases of a finished campaign, with the verdicts on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from hinter_core.campaign.findings import one_model
from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import edit_from_row, is_placebo
from hinter_core.errors import InputError
from hinter_core.prioritisation.cases import FAULTS, PairCase, case_of
from hinter_core.types import Failure

if TYPE_CHECKING:
    from numpy import ndarray

MOST_CASES = 300_000  # held in memory, with about 3 kB each


@dataclass(frozen=True)
class AnsweredCases:
    """The cases of a campaign with what a model answered.

    ``faults``: one bool per case. ``sources``: source texts by number. ``records``: the stored
    mutants, whose texts metrics read.
    """

    model: str
    cases: Sequence[PairCase]
    faults: ndarray
    sources: Mapping[int, str]
    records: Sequence[MutantRecord]

    @cached_property
    def texts(self) -> ndarray:
        """Number of the source text of each case."""
        import numpy

        return numpy.array([case.text for case in self.cases], dtype=numpy.int64)

    def follow_ups(self) -> list[str]:
        """Return the changed texts, by case."""
        return [record.mutant for record in self.records]


def read_cases(store: CampaignStore, model: str = "") -> AnsweredCases:
    """Read the cases of a finished campaign and one model (default: its first).

    Raises:
        StoreError: no campaign, or a damaged table.
        InputError: unfinished, untested, fewer than two texts, too many cases, or no faults.
    """
    import numpy

    name = one_model(store, model)
    cases: list[PairCase] = []
    faults: list[bool] = []
    records: list[MutantRecord] = []
    sources: dict[int, str] = {}
    with CampaignReader(store, [name]) as reader:
        _require_finished(store, reader, name)
        for record in reader.records(where="m.kept"):
            if name not in record.answers or is_placebo(record.attributes):
                continue
            if record.answer.failure == Failure.NOT_ASKED:
                raise InputError(
                    f"{store.folder} was asked by priority and stopped before its end, so orders "
                    "cannot be compared on it; continue it with hinter run --resume, without a "
                    "rule that stops it."
                )
            if len(cases) == MOST_CASES:
                raise InputError(
                    f"{store.folder} has more than {MOST_CASES:,} cases, too many to replay; run "
                    "it with a lower --limit or --sample."
                )
            edits = [edit_from_row(edit) for edit in record.stored_edits]
            cases.append(case_of(record.row, edits, record.relation))
            faults.append(record.verdict in FAULTS)
            records.append(record)
            sources[record.row] = record.text
    cases_read = AnsweredCases(name, cases, numpy.array(faults, dtype=bool), sources, records)
    _require_comparable(cases_read, store)
    return cases_read


def _require_finished(store: CampaignStore, reader: CampaignReader, model: str) -> None:
    spec = store.read()
    total = spec.get("size", {}).get("shards")
    answered = sum(reader.written.has(n, [reader.models[model]]) for n in reader.shards)
    if not total or answered < total:
        raise InputError(
            f"{store.folder} is unfinished ({answered} of {total or 'an unknown number of'} shards "
            f"are answered by {model}); continue it with hinter run --resume."
        )


def _require_comparable(answered: AnsweredCases, store: CampaignStore) -> None:
    if len(answered.sources) < 2:
        raise InputError(
            f"{store.folder} has {len(answered.sources) or 'no'} text with test cases; an order is "
            "compared over two texts or more."
        )
    if not answered.faults.any():
        raise InputError(
            f"No answer of {answered.model} changed in {len(answered.cases):,} cases, so every "
            "order is as good as another; choose another model with --model."
        )
