"""All stored mutants of a campaign, numbered from 0 over its shards, to be asked in any order."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from hinter_core.campaign.parquet import read_table
from hinter_core.campaign.running.rows import stored_follow_up
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import edit_from_row, is_placebo
from hinter_core.errors import InputError
from hinter_core.mutation.lattice import proper_subsets
from hinter_core.pipeline.case import FollowUp, TestCase
from hinter_core.prioritisation.cases import EditWords, PairCase, case_of
from hinter_core.types import SUBSTITUTE, Edit

MOST_MUTANTS = 300_000  # held in memory, with about 1.5 kB each
_READ = 4_096  # mutants at a time
_COLUMNS = ("row", "edits", "kept", "ask", "relation")


@dataclass
class _Text:
    """Numbers of the edits of a text, and the mutants that each set of them made."""

    edits: dict[Edit, int]
    made: dict[frozenset[int], list[int]]


class PlannedMutants:
    """The mutants of some shards.

    ``cases``: those that compete for a model's requests, at the places ``of_case``; ``neutral``:
    places of the other mutants that models are asked about; ``discarded``: of those they are not.

    Raises:
        InputError: too many mutants to hold.
        StoreError: a damaged table.
    """

    def __init__(
        self, store: CampaignStore, texts: Sequence[dict[int, TestCase]], *, parts: bool
    ) -> None:
        self._tables = [read_table(store.mutants(shard)) for shard in range(len(texts))]
        self._texts = texts
        self._with_parts = parts
        self.starts = [0, *accumulate(table.num_rows for table in self._tables)]
        if self.number > MOST_MUTANTS:
            raise InputError(
                f"{store.folder} has {self.number:,} mutants; a run is prioritised over at most "
                f"{MOST_MUTANTS:,}. Lower limit or sample, or leave out prioritise."
            )
        self.cases: list[PairCase] = []
        self.of_case: list[int] = []
        self.neutral: list[int] = []
        self.discarded: list[int] = []
        self._known: dict[int, _Text] = {}
        self._words: dict[EditWords, EditWords] = {}
        self._sets: list[tuple[int, frozenset[int]]] = []
        for row in self._rows():
            self._add(row)

    @property
    def number(self) -> int:
        """Number of all mutants."""
        return int(self.starts[-1])

    def shard_of(self, place: int) -> tuple[int, int]:
        """Return the shard of a mutant, and its place there."""
        shard = bisect_right(self.starts, place) - 1
        return shard, place - self.starts[shard]

    def row_of(self, place: int) -> int:
        """Return the number of the row that a mutant is made from."""
        return self._sets[place][0]

    def follow_up(self, place: int) -> FollowUp:
        """Return a mutant with its text."""
        shard, row_number = self.shard_of(place)
        (row,) = self._tables[shard].slice(row_number, 1).to_pylist()
        return stored_follow_up(row, self._texts[shard][row["row"]])

    def with_parts(self, place: int) -> list[int]:
        """Return the places of a mutant's parts, smallest first, then of the mutant."""
        text, edits = self._sets[place]
        made = self._known[text].made
        parts = proper_subsets(edits) if self._with_parts else ()
        return [*(one for part in parts for one in made.get(frozenset(part), ())), place]

    def _rows(self) -> Iterator[dict[str, Any]]:
        for table in self._tables:
            for batch in table.select(list(_COLUMNS)).to_batches(max_chunksize=_READ):
                yield from batch.to_pylist()

    def _add(self, row: dict[str, Any]) -> None:
        place, text = len(self._sets), self._known.setdefault(row["row"], _Text({}, {}))
        edits = [edit_from_row(edit) for edit in row["edits"]]
        key = frozenset(text.edits.setdefault(edit, len(text.edits)) for edit in edits)
        text.made.setdefault(key, []).append(place)
        self._sets.append((row["row"], key))
        if not (row["kept"] or row["ask"]):
            self.discarded.append(place)
        elif not row["kept"] or is_placebo(tuple(edit.attribute for edit in edits)):
            self.neutral.append(place)
        else:
            self.of_case.append(place)
            case = case_of(row["row"], edits, row["relation"] or SUBSTITUTE)
            # The words of an edit come again in many mutants, and are held once.
            words = tuple(
                self._words.setdefault(description, description) for description in case.edits
            )
            self.cases.append(PairCase(case.text, sys.intern(case.relation), words))
