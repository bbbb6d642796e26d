"""What a second side changed: all changed mutants as CSV, and its new hidden findings."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, TextIO

from hinter_core.campaign.findings import FindingFilter, Side
from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.data.tables import row_writer
from hinter_core.report.compared.comparison import Comparison, compare
from hinter_core.types import Verdict

_COLUMNS = ("change", "row", "row of second", "mutant", "first", "second", "verdicts")
_SHOWN = 5  # findings


def write_changes(first: Side, second: Side, stream: TextIO) -> Comparison:
    """Compare two sides, and write every changed mutant as CSV."""
    write = row_writer(stream, "csv", _COLUMNS)
    return compare(first, second, lambda change: write(_cells(change)))


def _cells(change: dict[str, Any]) -> dict[str, Any]:
    first, second = (", ".join(labels or ()) or "no label" for labels in change["labels"])
    return {
        "change": change["change"],
        "row": change["row"],
        "row of second": change["row-1"],
        "mutant": ", ".join(f"{e['source']} \u2192 {e['target']}" for e in change["edits"]),
        "first": first,
        "second": second,
        "verdicts": " \u2192 ".join(change["verdicts"]),
    }


def new_hidden(first: Side, second: Side) -> list[MutantRecord]:
    """Return the hidden findings of the second side that the first does not have.

    Findings are the same if text and mutant are, whatever the rows and the groups of words. One
    that the first side did not test is new, too.

    Raises:
        StoreError: a table cannot be read.
    """
    known = {(one.text, one.mutant) for one in _hidden(first)}
    return [one for one in _hidden(second) if (one.text, one.mutant) not in known]


def _hidden(side: Side) -> Iterator[MutantRecord]:
    with CampaignReader(side.store, (side.model,)) as reader:
        yield from reader.records(None, *FindingFilter((Verdict.HIDDEN.value,)).sql())


def new_hidden_in_words(new: list[MutantRecord], allowed: int) -> str:
    """Say how many findings are new, and name the first of them."""
    count = "1 hidden finding" if len(new) == 1 else f"{len(new):,} hidden findings"
    lines = [f"Model B: {count} that model A does not have, {allowed:,} allowed."]
    lines += [f"  row {one.row}: {one.in_words}" for one in islice(new, _SHOWN)]
    if len(new) > _SHOWN:
        lines.append(f"  and {len(new) - _SHOWN:,} more")
    return "\n".join(lines)
