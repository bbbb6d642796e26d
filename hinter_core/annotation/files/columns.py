"""Find the columns of a file by their usual names, or as the user names them.

A column holds a part: ``item``, ``mutant``, ``source`` and the others of an item, ``role`` (whether
a row is an original or a mutant of its group), ``annotator`` and the others of a judgement, or
``answer.ID`` for a question of the project.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hinter_core.annotation.project.types import Question
from hinter_core.errors import InputError
from hinter_core.files.columns import as_text, listed
from hinter_core.files.containers import Record

ANSWER = "answer."  # before the id of a question, as a part's name and as a column's
# Usual names of columns, by the part that they hold; the first is the name in our own files.
_ALIKE = ("edits", "kept", "layer", "reason", "validity", "soft", "unfair", "verdicts", "label",
          "stratum", "weight", "origin", "showing", "status", "annotator_excluded",
          "annotator_entry")  # fmt: skip
USUAL: Mapping[str, tuple[str, ...]] = {
    "item": ("item", "item_id", "id", "uid", "guid", "record_id"),
    "mutant": ("mutant", "mutant_text", "mutated", "text", "sentence", "review", "content"),
    "source": ("source", "source_text", "original", "original_text"),
    "attributes": ("attributes", "attribute"),
    "across_people": ("across_people", "across people"),
    "group": ("group", "group_id", "template", "pair_id"),
    "role": ("role", "kind"),
    "annotator": ("annotator", "annotator_name", "annotator_id", "worker", "worker_id", "coder",
                  "rater", "completed_by", "user"),
    "comment": ("comment", "comments", "note", "notes", "remark"),
    "seconds": ("seconds", "lead_time", "duration"),
    "at": ("at", "created_at", "timestamp", "submitted_at"),
} | {name: (name,) for name in _ALIKE}  # fmt: skip
ORIGINAL, MUTANT = ("original", "source", "base", "template"), ("mutant", "mutated", "follow-up")


@dataclass(frozen=True)
class ColumnMapping:
    """Options for reading a file.

    ``columns``: part to column, "" for a part to leave out. ``values``: an answer's name in the
    file, as ``QUESTION:NAME`` for one question or ``NAME`` for all, to its value; "" if it is no
    answer. ``annotator``: of all judgements, if no column names one. ``attributes``: of items
    without any. ``mend``: repair letters that were encoded twice (``Ã¯``).
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    annotator: str = ""
    attributes: tuple[str, ...] = ()
    mend: bool = False


def find_columns(
    where: str, head: Sequence[Record], questions: Sequence[Question], reading: ColumnMapping
) -> dict[str, str]:
    """Return the column of each part that a file has; ``head`` are its first records.

    Raises:
        InputError: an unknown column, part or answer; no column of texts or of annotators.
    """
    names = list(dict.fromkeys(name for values, _ in head for name in values))
    _require_values(questions, reading)
    parts = (*USUAL, *(f"{ANSWER}{question.id}" for question in questions))
    columns = _chosen(where, names, parts, reading)
    for part in parts:
        if part not in columns:
            column = _usual(part, [name for name in names if name not in columns.values()])
            if column and (part != "role" or _are_roles(column, head)):
                columns[part] = column
    columns = {part: name for part, name in columns.items() if name}
    _require(where, names, parts, columns, reading)
    return columns


def _chosen(
    where: str, names: Sequence[str], parts: Sequence[str], reading: ColumnMapping
) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for given, name in reading.columns.items():
        part = given if given in parts else f"{ANSWER}{given}"
        if part not in parts:
            raise InputError(f"There is no part '{given}'; a column can be {', '.join(parts)}.")
        if name and name not in names:
            if f"{ANSWER}{name}" not in names:
                raise InputError(f"{where} has no column '{name}'; it has {listed(names)}.")
            name = f"{ANSWER}{name}"
        chosen[part] = name
    return chosen


def _usual(part: str, names: Sequence[str]) -> str:
    by_name = {name.strip().casefold(): name for name in reversed(names)}
    usual = USUAL.get(part, (part.casefold(), part.removeprefix(ANSWER).casefold()))
    return next((by_name[name] for name in usual if name in by_name), "")


def _are_roles(name: str, head: Sequence[Record]) -> bool:
    cells = [cell for values, _ in head if (cell := as_text(values.get(name)).strip())]
    return bool(cells) and all(role_of(cell) is not None for cell in cells)


def _require_values(questions: Sequence[Question], reading: ColumnMapping) -> None:
    for given, value in reading.values.items():
        of, sign, _ = given.partition(":")
        of_sign = [q for q in questions if q.id == of] if sign else list(questions)
        if not of_sign:
            known = [question.id for question in questions]
            raise InputError(f"There is no question '{of}'; the project asks {', '.join(known)}.")
        if value and not any(question.answer(value) for question in of_sign):
            there = dict.fromkeys(value for question in of_sign for value in question.values)
            raise InputError(f"'{given}={value}': no answer is '{value}'; use {', '.join(there)}.")


def _require(
    where: str,
    names: Sequence[str],
    parts: Sequence[str],
    columns: Mapping[str, str],
    reading: ColumnMapping,
) -> None:
    if "mutant" not in columns and "item" not in columns:
        raise InputError(
            f"{where} has no column of texts to judge; it has {listed(names)}. Name one with "
            "--map mutant=COLUMN (or item=COLUMN, for items that the project has)."
        )
    if columns.get("role") and "group" not in columns:
        raise InputError(
            f"{where} has originals and mutants, but no column of their groups; name it with "
            f"--map group=COLUMN. It has {listed(names)}."
        )
    answer_parts = [part for part in parts if part.startswith(ANSWER)]
    answered = [part for part in answer_parts if part in columns]
    who = "annotator" in columns or reading.annotator
    if answered and not who:
        raise InputError(
            f"{where} has answers, but no column of annotators; give --annotator NAME, or --map "
            f"annotator=COLUMN. It has {listed(names)}."
        )
    # A file of items may well have a column "user" of its own.
    if (reading.annotator or reading.columns.get("annotator")) and not answered:
        raise InputError(
            f"{where} has no column of answers; the project asks {', '.join(answer_parts)}. Name "
            f"one, as in --map {answer_parts[0]}=COLUMN; it has {listed(names)}."
        )


def role_of(cell: Any) -> bool | None:
    """Return True for an original, False for a mutant, None for anything else."""
    given = as_text(cell).strip().casefold()
    return True if given in ORIGINAL else False if given in MUTANT else None
