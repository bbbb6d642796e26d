"""Convert the records of a file to items and judgements, each with the faults of its row.

A cell that cannot be read raises an :class:`InputError`, whose message ends a sentence on its row.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from hinter_core.annotation.files.columns import ANSWER, ColumnMapping, role_of
from hinter_core.annotation.project.types import (
    FIRST,
    REPEAT,
    AnnotationItem,
    Judgement,
    Question,
    Status,
)
from hinter_core.campaign.tables import edit_from_row
from hinter_core.data.handwritten import read_edits
from hinter_core.data.tables import plain_cell
from hinter_core.errors import InputError
from hinter_core.files.columns import as_text, mended
from hinter_core.files.containers import Record
from hinter_core.types import Edit

_Default = TypeVar("_Default", float, None)
SHOWN = 40  # characters of a cell in a message
DECIDED = "decided"  # status of a row that holds the owner's decisions
_FLAGS = {"yes": True, "true": True, "1": True, "kept": True,
          "no": False, "false": False, "0": False, "discarded": False, "": None}  # fmt: skip
_STATUSES = {status.value: status for status in Status} | {
    "submitted": Status.JUDGED, "completed": Status.JUDGED, "discarded": Status.SKIPPED,
    "cancelled": Status.SKIPPED, "draft": None, "pending": None, "": None,
}  # fmt: skip


@dataclass
class ImportRow:
    """A row: an item (or the id of one in the project), a judgement, and faults.

    ``number`` counts rows from 1. ``item`` is None without a text. The ``judgement`` has the row's
    number as id; its ``at`` is "" if the file has no time. ``excluded``: why its annotator does not
    count; ``entry``: how the person came in. ``decisions`` of the owner by question.
    """

    number: int
    ident: str = ""
    item: AnnotationItem | None = None
    judgement: Judgement | None = None
    excluded: str = ""
    entry: Mapping[str, Any] = field(default_factory=dict)
    decisions: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def read_rows(
    records: Sequence[Record],
    columns: Mapping[str, str],
    questions: Sequence[Question],
    reading: ColumnMapping,
    *,
    cells: bool,
) -> list[ImportRow]:
    """Convert records; ``cells``: they come from a table whose formulas were made harmless."""
    values = {question.id: _values(question, reading.values) for question in questions}
    parts = [
        {part: _cell(record.get(name), reading, cells) for part, name in columns.items()}
        for record, _ in records
    ]
    originals: dict[str, str] = {}
    for row in parts:
        if role_of(row.get("role")):
            originals.setdefault(as_text(row.get("group")), as_text(row.get("mutant")))
    converted = []
    for number, (row, (_, fault)) in enumerate(zip(parts, records, strict=True), start=1):
        one = ImportRow(number, faults=[fault] if fault else [])
        if not fault:
            try:
                one.ident, one.item = _item(row, reading, originals)
                one.judgement = _judgement(row, reading, questions, values, one)
            except InputError as error:
                one.faults.append(str(error))
        converted.append(one)
    return converted


def fix_encoding(text: str) -> str:
    """Repair letters that were encoded twice: ``Ã¯`` becomes ``ï``."""
    import ftfy

    config = ftfy.TextFixerConfig(restore_byte_a0=False, replace_lossy_sequences=False)
    return ftfy.fix_encoding(text, config)


def _cell(value: Any, reading: ColumnMapping, cells: bool) -> Any:
    value = _plain(value)
    if not isinstance(value, str):
        return value
    text = plain_cell(value) if cells else value
    return fix_encoding(text) if reading.mend else text


def _plain(value: Any) -> Any:
    """Return a value as strict JSON has it, with valid strings."""
    if isinstance(value, str | bytes):
        return mended(as_text(value))[0]
    if isinstance(value, Mapping):
        return {_plain(str(name)): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)


# -- items --------------------------------------------------------------------------------------


def _item(
    row: Mapping[str, Any], reading: ColumnMapping, originals: Mapping[str, str]
) -> tuple[str, AnnotationItem | None]:
    """Return the id in the row ("" for none) and the item, if it has a text."""
    ident = as_text(row.get("item")).strip()
    if not as_text(row.get("mutant")).strip():
        if not ident:
            raise InputError("there is no text to judge")
        return ident, None
    source = _original_of(row, originals) if "role" in row else ""
    values = {name: read(row.get(name)) for name, read in _READERS.items()}
    item = AnnotationItem(**values | {"id": ident})
    item = replace(
        item,
        source=source or item.source,
        # Nothing was changed in an original.
        attributes=item.attributes or (() if role_of(row.get("role")) else reading.attributes),
    )
    if ident:
        return ident, item
    # Equal texts get equal ids in every file.
    prefix = f"{item.group[:40]}-" if item.group else ""
    return "", replace(item, id=prefix + item.fingerprint[:12])


def _original_of(row: Mapping[str, Any], originals: Mapping[str, str]) -> str:
    role, group = role_of(row["role"]), as_text(row.get("group"))
    if role is None:
        raise InputError(
            f"the role '{as_text(row['role'])[:SHOWN]}' is neither original nor mutant"
        )
    if role:
        return ""
    if group not in originals:
        raise InputError(f"its group '{group[:SHOWN]}' has no original")
    return originals[group]


def _attributes(value: Any) -> tuple[str, ...]:
    """Read a list, or names separated by ``+``, commas or semicolons."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _loaded(value, "attributes")
    if isinstance(value, list | tuple):
        return tuple(str(name) for name in value)
    return tuple(part.strip() for part in re.split(r"[+,;]", as_text(value)) if part.strip())


def _edits(value: Any) -> tuple[Edit, ...]:
    """Read edits as we write them (JSON), or by hand: ``race: black -> white``."""
    if isinstance(value, str):
        if not value.lstrip().startswith("["):
            return read_edits(value)
        value = _loaded(value, "edits")
    try:
        return tuple(edit_from_row(edit) for edit in value or ())
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"its edits cannot be read ({error!r})"[:200]) from error


def _object(value: Any) -> Mapping[str, Any]:
    """Read an object, or one written as JSON; empty without any."""
    if isinstance(value, str):
        value = _loaded(value, "verdicts and origin") if value.strip() else {}
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError('its verdicts or origin are no JSON object, as in {"a model": "biased"}')
    return value


def _loaded(text: str, what: str) -> Any:
    try:
        return _plain(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InputError(f"its {what} are no JSON ({error})") from error


def _flag(part: str) -> Callable[[Any], bool | None]:
    def read(value: Any) -> bool | None:
        word = as_text(value).strip().casefold()
        if word not in _FLAGS:
            raise InputError(f"{part} is yes or no, not '{word[:SHOWN]}'")
        return _FLAGS[word]

    return read


def _number(value: Any, default: _Default) -> float | _Default:
    text = as_text(value).strip()
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"'{text[:SHOWN]}' is no number")
    return number


_Reader = Callable[[Any], Any]
_share = partial(_number, default=None)
_READERS: dict[str, _Reader] = {one.name: as_text for one in fields(AnnotationItem)} | {
    "attributes": _attributes,
    "edits": _edits,
    "kept": _flag("kept"),
    "across_people": _flag("across_people"),
    "verdicts": lambda cell: {str(name): as_text(one) for name, one in _object(cell).items()},
    "validity": _share,
    "soft": _share,
    "unfair": _share,
    "weight": partial(_number, default=1.0),
    "origin": _object,
}


# -- judgements ---------------------------------------------------------------------------------


def _judgement(
    row: Mapping[str, Any],
    reading: ColumnMapping,
    questions: Sequence[Question],
    values: Mapping[str, Mapping[str, str]],
    one: ImportRow,
) -> Judgement | None:
    """Return the judgement of a row, if any; answers that cannot be used become faults."""
    name = as_text(row.get("annotator")) or reading.annotator
    word = as_text(row.get("status")).strip().casefold()
    if word not in _STATUSES and word != DECIDED:
        raise InputError(f"the status '{word[:SHOWN]}' is unknown; use judged or skipped")
    status = _STATUSES.get(word)
    answers: dict[str, str] = {}  # "" for one that is no answer
    for question in () if status is Status.SKIPPED else questions:
        cell = as_text(row.get(f"{ANSWER}{question.id}")).strip()
        if cell:
            named = values[question.id]
            value = named.get(cell, named.get(cell.casefold()))
            if value is None:
                one.faults.append(
                    f"'{cell[:SHOWN]}' is no answer to '{question.id}' "
                    f"({', '.join(question.values)}); say which it is with "
                    f"--values '{question.id}:{cell[:SHOWN]}=ANSWER'"
                )
            answers[question.id] = value or ""
    known = {question: value for question, value in answers.items() if value}
    if word == DECIDED:
        one.decisions = known
    if word == DECIDED or (status is None and not known):
        return None
    one.excluded = as_text(row.get("annotator_excluded")).strip()
    one.entry = _object(row.get("annotator_entry"))
    if not name:
        raise InputError("it has answers, but no annotator")
    if status in (None, Status.JUDGED) and not known:
        if not answers:
            one.faults.append("its status is judged, but it has no answers")
        return None
    return Judgement(
        one.number, name, one.ident, _showing(row.get("showing")), status or Status.JUDGED,
        known, as_text(row.get("comment")),
        min(max(_number(row.get("seconds"), 0.0), 0.0), 86_400.0), _time(row.get("at")),
    )  # fmt: skip


def _values(question: Question, named: Mapping[str, str]) -> dict[str, str]:
    """Map what an answer may be called in a file to its value; the user's own names win."""
    values = {answer.label.casefold(): answer.value for answer in question.answers}
    for value in question.values:
        values |= {value.casefold(): value, value: value}
    for given, value in named.items():
        of, sign, name = given.partition(":")
        name = name if sign else given
        if (not sign or of == question.id) and (not value or question.answer(value)):
            values |= {name.casefold(): value, name: value}
    return values


def _showing(value: Any) -> int:
    number = _number(value, FIRST)
    if number not in (FIRST, REPEAT):
        raise InputError(f"an item is shown once or twice to a person, not {number:g} times")
    return int(number)


def _time(value: Any) -> str:
    """Return a time as ISO 8601 in UTC, to the millisecond; "" for an empty cell."""
    text = as_text(value).strip()
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"'{text[:SHOWN]}' is no time as in 2025-03-01T12:30:00Z") from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
