"""Hidden mutants, as examples to read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hinter_core.campaign.reader import MutantRecord
from hinter_core.campaign.tables import edit_from_row, shifted
from hinter_core.mutation.edits import changes_in_words, mutant_of
from hinter_core.report.counts import ModelCounts
from hinter_core.report.metric import metric
from hinter_core.report.section import ARROW, Section
from hinter_core.types import HiddenGrade, Mutant

_AROUND = 90  # characters of a long text shown on either side of a change
_DOTS = "\u2026"
_NAMED = 5  # findings in a message


def examples(tally: ModelCounts) -> list[dict[str, Any]]:
    """Return the examples as plain values."""
    return [example(tally.name, record, alike) for record, alike in tally.examples]


def example(model: str, record: MutantRecord, alike: int) -> dict[str, Any]:
    """Return a hidden mutant as plain values; ``alike``: how many of its text are like it."""
    answer = record.answers[model]
    return {
        "shard": record.shard,
        "place": record.place,
        "alike": alike,
        "row": record.row,
        "attributes": record.attributes,
        "edits": record.stored_edits,
        "mutant": record.handwritten,
        "labels": list(answer.labels),
        "grade": answer.grade,
        "across_people": record.across_people,
        "id": record.id,
        "text": record.text,
        "original": list(answer.original),
        "shift": answer.moved,
    }


def examples_section(every: Sequence[Mapping[str, Any]]) -> Section:
    """Report the examples in a table."""
    words = [
        "In each, no smaller change turns the answer, and the whole change does.",
        f"{str(HiddenGrade.MORE).capitalize()}: the changes together move the score further than "
        f"the sum of each alone. {str(HiddenGrade.THRESHOLD).capitalize()}: they move it as far as "
        "that sum or less, and it crosses the threshold.",
    ]
    columns, rows = table_of(map(example_row, every))
    return Section("examples", "Hidden bias", words, columns, rows)


def table_of(rows: Iterable[dict[str, str]]) -> tuple[list[str], list[list[str]]]:
    """Return columns and cells of rows that have the same keys."""
    every = list(rows)
    return [name.capitalize() for row in every[:1] for name in row], [[*r.values()] for r in every]


def mutant_in(example: Mapping[str, Any]) -> Mutant:
    """Return the mutant of plain values."""
    edits = [edit_from_row(row) for row in example["edits"]]
    return mutant_of(example["text"], edits, example["mutant"])


def example_row(example: Mapping[str, Any]) -> dict[str, str]:
    """Return a hidden mutant as text; long texts are cut around the change."""
    text, mutant = example["text"], mutant_in(example)
    grade = (example.get("grade") or "\u2013") + ", two people" * bool(example.get("across_people"))
    first, last = mutant.splices[0], mutant.splices[-1]
    row, ident = str(example["row"]), example.get("id", "")
    return {
        "row": row if ident in ("", row) else f"{row}, {ident}",
        "change": changes_in_words(mutant.edits),
        "answer": answer_in_words(example["original"])
        + ARROW
        + answer_in_words(example["labels"])
        + shifted(example.get("shift")),
        **({"hidden": grade} if "grade" in example else {}),
        "text": _cut(text, first.start, last.end),
        "mutant": _cut(mutant.text, first.at, last.at + len(last.new)),
    }


def first_named(findings: Sequence[MutantRecord], listing: str) -> list[str]:
    """Name the first findings, a line each; ``listing``: what lists the others, too."""
    more = len(findings) - _NAMED
    lines = [f"row {one.row}: {one.in_words}" for one in findings[:_NAMED]]
    return [*lines, *[f"and {more:,} more; {listing}"] * (more > 0)]


def answer_in_words(labels: Sequence[str] | None) -> str:
    """Join the labels of an answer."""
    return ", ".join(labels or ()) or "no label"


def around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the part of a text that is shown around a change."""
    return max(0, start - _AROUND), min(len(text), end + _AROUND)


def _cut(text: str, start: int, end: int) -> str:
    begin, stop = around(text, start, end)
    cut = text[begin:stop]
    if len(cut) > 6 * _AROUND:  # changes far apart
        cut = text[begin : start + _AROUND] + _DOTS + text[end - _AROUND : stop]
    return (_DOTS * (begin > 0) + cut + _DOTS * (stop < len(text))).replace("\n", " ")


metric("examples", 190, examples, examples_section)
