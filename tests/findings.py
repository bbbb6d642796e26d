"""Mutants that pass a filter, for tests that look at all of them."""

from hinter_core.campaign.findings import FindingFilter, Side, group_findings
from hinter_core.campaign.reader import CampaignReader, MutantRecord


def matching(side: Side, wanted: FindingFilter) -> list[MutantRecord]:
    """All of them, in the order of the tables."""
    with CampaignReader(side.store, (side.model,)) as reader:
        return list(reader.records(None, *wanted.sql()))


def many(side: Side, wanted: FindingFilter) -> int:
    """Their number, as a page of groups gives it."""
    return group_findings(side, wanted, limit=1)[2]
