"""What a second side changed: all changed mutants as CSV, and its new hidden findings."""

from collections.abc import Iterator
from typing import Any, TextIO

from hinter_core.campaign.findings import FindingFilter, Side
from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.tables import shifted
from hinter_core.data.tables import row_writer
from hinter_core.report.compared.comparison import NEW_HIDDEN, Comparison, compare
from hinter_core.report.metrics.examples import answer_in_words, first_named, mutant_in
from hinter_core.statistics.format import counted
from hinter_core.types import Verdict

_COLUMNS = (
    "change", "row", "row of second", "mutant", "first", "second", "verdicts", "attributes",
    "original of first", "original of second", "text", "changed text", "new hidden",
)  # fmt: skip


def write_changes(first: Side, second: Side, stream: TextIO) -> Comparison:
    """Compare two sides, and write every changed mutant and every new hidden finding as CSV."""
    write = row_writer(stream, "csv", _COLUMNS)
    left = {(one.row, one.mutant): one for one in new_hidden(first, second)}

    def tell(change: dict[str, Any]) -> None:
        made = mutant_in(change).text
        new = left.pop((change["row-1"], made), None)
        if new or change["change"] != NEW_HIDDEN:
            write(_cells(change, made, new=new is not None))

    made = compare(first, second, tell)
    for one in left.values():  # mutants that the first side does not have, or did not answer
        alone = {
            "change": NEW_HIDDEN, "row": "", "row-1": one.row, "edits": one.stored_edits,
            "labels": ((), one.labels), "verdicts": ("not compared", one.verdict),
            "shifts": (None, one.answer.moved),
            "attributes": one.attributes, "originals": ((), one.original), "text": one.text,
        }  # fmt: skip
        write(_cells(alone, one.mutant, new=True))
    return made


def _cells(change: dict[str, Any], made: str, *, new: bool) -> dict[str, Any]:
    first, second = map(answer_in_words, change["labels"])
    before, other_before = map(answer_in_words, change["originals"])
    return {
        "change": change["change"],
        "row": change["row"],
        "row of second": change["row-1"],
        "mutant": ", ".join(f"{e['source']} \u2192 {e['target']}" for e in change["edits"]),
        "first": first + shifted(change["shifts"][0]),
        "second": second + shifted(change["shifts"][1]),
        "verdicts": " \u2192 ".join(change["verdicts"]),
        "attributes": ", ".join(change["attributes"]),
        "original of first": before,
        "original of second": other_before,
        "text": change["text"],
        "changed text": made,
        "new hidden": "yes" if new else "",
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


def new_hidden_in_words(new: list[MutantRecord], allowed: int, comparison: Comparison) -> str:
    """Say how many findings are new, and name the first of them."""
    number = counted(len(new), "hidden finding")
    lines = [f"Model B: {number} that model A does not have, {allowed:,} allowed."]
    lines += first_named(new, "--changes lists all")
    if both := min(comparison.newly_hidden[1], len(new)):
        lines.append(
            f"On {both:,} of these mutants the answer of model A flips, too: there, smaller "
            "changes show it."
        )
    return "\n  ".join(lines)
