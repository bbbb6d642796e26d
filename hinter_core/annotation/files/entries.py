"""Records of a file as items and judgements of a project, each with what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hinter_core.annotation.files.cells import (
    attributes_of,
    edits_of,
    number_of,
    object_of,
    plain,
    read_back,
    showing_of,
    status_of,
    time_of,
    truth_of,
)
from hinter_core.annotation.files.columns import ANSWER, ColumnMapping, role_of
from hinter_core.annotation.project.coding import fingerprint
from hinter_core.annotation.project.types import FIRST, AnnotationItem, Question, Status
from hinter_core.data.rows import as_text
from hinter_core.data.tables import Record, plain_cell
from hinter_core.errors import InputError

_SHOWN = 40  # characters of a cell in a message


@dataclass(frozen=True)
class ImportedJudgement:
    """A judgement as a file has it; ``at`` is ISO 8601 in UTC, "" where the file does not say."""

    annotator: str
    answers: Mapping[str, str]
    showing: int = FIRST
    status: Status = Status.JUDGED
    comment: str = ""
    seconds: float = 0.0
    at: str = ""


@dataclass
class ImportRow:
    """A row: an item (or the id of one that the project has), a judgement, and what is wrong.

    ``item`` is None where the row has no text. ``number`` counts rows from 1.
    """

    number: int
    ident: str = ""
    item: AnnotationItem | None = None
    given: ImportedJudgement | None = None
    faults: list[str] = field(default_factory=list)


def entries_of(
    records: Sequence[Record],
    columns: Mapping[str, str],
    questions: Sequence[Question],
    reading: ColumnMapping,
    *,
    cells: bool = False,
) -> list[ImportRow]:
    """What the records say; ``cells``: they come from a table that a spreadsheet may open."""
    reader = _Reader(columns, questions, reading, cells)
    rows = [reader.cells(values) for values, _ in records]
    originals = _originals(rows) if "role" in columns else {}
    entries = []
    for number, (row, (_, fault)) in enumerate(zip(rows, records, strict=True), start=1):
        entry = ImportRow(number)
        if fault:
            entry.faults.append(fault)
        else:
            try:
                entry.ident, entry.item = reader.item(row, originals)
                entry.given = reader.given(row, entry)
            except InputError as error:
                entry.faults.append(str(error))
        entries.append(entry)
    return entries


def _originals(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The original text of each group."""
    found: dict[str, str] = {}
    for row in rows:
        if role_of(row.get("role")):
            found.setdefault(as_text(row.get("group")), as_text(row.get("mutant")))
    return found


class _Reader:
    """From values by part to items and judgements."""

    def __init__(
        self,
        columns: Mapping[str, str],
        questions: Sequence[Question],
        reading: ColumnMapping,
        from_cells: bool,
    ) -> None:
        self._columns, self._reading, self._from_cells = columns, reading, from_cells
        self._questions = questions
        self._names = {q.id: _names(q, reading.values) for q in questions}

    def cells(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values by part, strings mended."""
        return {part: self._cell(values.get(name)) for part, name in self._columns.items()}

    def _cell(self, value: Any) -> Any:
        value = plain(value)
        if not isinstance(value, str):
            return value
        text = plain_cell(value) if self._from_cells else value
        return read_back(text) if self._reading.mend else text

    def item(
        self, row: Mapping[str, Any], originals: Mapping[str, str]
    ) -> tuple[str, AnnotationItem | None]:
        """The id that the row gives ("" for none) and the item, if it has a text."""
        ident, mutant = as_text(row.get("item")).strip(), as_text(row.get("mutant"))
        if not mutant.strip():
            if not ident:
                raise InputError("there is no text to judge")
            return ident, None
        group, source = as_text(row.get("group")), as_text(row.get("source"))
        if "role" in row:
            source = _source_of(row["role"], group, originals) or source
        item = AnnotationItem(
            ident, mutant, source,
            attributes=attributes_of(row.get("attributes")) or self._changed(row),
            edits=edits_of(row.get("edits")),
            kept=truth_of(row.get("kept")),
            layer=as_text(row.get("layer")),
            reason=as_text(row.get("reason")),
            verdicts={str(k): as_text(v) for k, v in object_of(row.get("verdicts")).items()},
            label=as_text(row.get("label")),
            group=group,
            stratum=as_text(row.get("stratum")),
            weight=number_of(row.get("weight"), 1.0),
            origin=object_of(row.get("origin")),
        )  # fmt: skip
        # The same texts have the same id in every file.
        made = f"{group[:40]}-" if group else ""
        return ident, item if ident else replace(item, id=made + fingerprint(item)[:12])

    def _changed(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """What was changed where no column says so: nothing in an original."""
        return () if role_of(row.get("role")) else self._reading.attributes

    def given(self, row: Mapping[str, Any], entry: ImportRow) -> ImportedJudgement | None:
        """The judgement of a row, if there is one; answers that cannot be used go to its faults."""
        name = as_text(row.get("annotator")) or self._reading.annotator
        status = status_of(row.get("status"))
        answers, unknown = self._answers(row, entry) if status is not Status.SKIPPED else ({}, 0)
        if status is None and not answers:
            return None
        if not name:
            raise InputError("it has answers, but does not say whose they are")
        if status in (None, Status.JUDGED) and not answers:
            if not unknown:
                entry.faults.append("it counts as judged, but answers nothing")
            return None
        return ImportedJudgement(
            name, answers, showing_of(row.get("showing")), status or Status.JUDGED,
            as_text(row.get("comment")),
            min(max(number_of(row.get("seconds"), 0.0), 0.0), 86_400.0), time_of(row.get("at")),
        )  # fmt: skip

    def _answers(self, row: Mapping[str, Any], entry: ImportRow) -> tuple[dict[str, str], int]:
        """The answers by question, and how many there are that cannot be used."""
        answers, unknown = dict[str, str](), 0
        for question in self._questions:
            cell = as_text(row.get(f"{ANSWER}{question.id}")).strip()
            if not cell:
                continue
            names = self._names[question.id]
            value = names.get(cell, names.get(cell.casefold()))
            if value is None:
                entry.faults.append(_unknown(question, cell))
            elif value:
                answers[question.id] = value
            unknown += not value
        return answers, unknown


def _names(question: Question, values: Mapping[str, str]) -> dict[str, str]:
    """What an answer may be called in a file, to its value; the user's own names win."""
    names: dict[str, str] = {}
    for answer in question.answers:
        names |= {answer.label.casefold(): answer.value}
    for answer in question.answers:
        names |= {answer.value.casefold(): answer.value, answer.value: answer.value}
    for given, value in values.items():
        of, sign, name = given.partition(":")
        if sign and of != question.id:
            continue
        if not value or question.answer(value) is not None:
            names |= {(name if sign else given).casefold(): value, (name if sign else given): value}
    return names


def _unknown(question: Question, cell: str) -> str:
    return (
        f"'{cell[:_SHOWN]}' is no answer to '{question.id}' ({', '.join(question.values)}); say "
        f"which it is with --values '{question.id}:{cell[:_SHOWN]}=ANSWER'"
    )


def _source_of(cell: Any, group: str, originals: Mapping[str, str]) -> str:
    role = role_of(cell)
    if role is None:
        raise InputError(f"'{as_text(cell)[:_SHOWN]}' says neither original nor mutant")
    if role:
        return ""
    if group not in originals:
        raise InputError(f"its group '{group[:_SHOWN]}' has no original")
    return originals[group]
