"""The protocol of a generator, which makes follow-ups of the rows of a data set."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from hinter_core.data.rows import Row
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import FollowUp, TestCase

Planned = tuple[Row, Plan | None, str]  # a row, its plan, and why it has no intersectional mutant


class Generator(Protocol):
    """Makes test cases of rows, and the follow-ups of each test case.

    It gets what it needs (dictionaries, parser, settings) and does not know campaigns.
    """

    def plans(self, rows: Iterable[Row]) -> Iterator[Planned]:
        """Yield each row with its plan, and the reason if it has no mutant to test."""

    def test_cases(self, planned: Iterable[Planned]) -> dict[int, TestCase]:
        """Return a test case, by the row's number, for every text with mutants to test."""

    def follow_ups(self, cases: Iterable[TestCase]) -> Iterator[FollowUp]:
        """Yield all follow-ups of these test cases, parts before wholes."""
