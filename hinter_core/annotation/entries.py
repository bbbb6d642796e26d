"""Records of a file as items and judgements of a project, each with what is wrong with it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from hinter_core.annotation.coding import fingerprint
from hinter_core.annotation.columns import ANSWER, Reading, role_of
from hinter_core.annotation.values import FIRST, REPEAT, Item, Question, Status
from hinter_core.by_hand import read_edits
from hinter_core.errors import InputError
from hinter_core.export import plain_cell
from hinter_core.records import Record, mended
from hinter_core.rows import as_text
from hinter_core.tables import edit_from_row
from hinter_core.types import Edit

_YES, _NO = ("yes", "true", "1", "kept"), ("no", "false", "0", "discarded")
_SHOWN = 40  # characters of a cell in a message
# What UTF-8 of two to four bytes looks like once it was read as Windows-1252.
_TAIL = "".join({bytes([b]).decode("cp1252", "ignore") or chr(b) for b in range(0x80, 0xC0)} |
                {chr(b) for b in range(0x80, 0xC0)})  # fmt: skip
_TWICE = re.compile(
    f"[\u00c2-\u00df][{re.escape(_TAIL)}]|[\u00e0-\u00ef][{re.escape(_TAIL)}]{{2}}"
    f"|[\u00f0-\u00f4][{re.escape(_TAIL)}]{{3}}"
)


@dataclass(frozen=True)
class Given:
    """A judgement as a file has it; ``at`` is ISO 8601 in UTC, "" where the file does not say."""

    annotator: str
    answers: Mapping[str, str]
    showing: int = FIRST
    status: Status = Status.JUDGED
    comment: str = ""
    seconds: float = 0.0
    at: str = ""


@dataclass
class Entry:
    """A row: an item (or the id of one that the project has), a judgement, and what is wrong.

    ``item`` is None where the row has no text. ``number`` counts rows from 1.
    """

    number: int
    ident: str = ""
    item: Item | None = None
    given: Given | None = None
    faults: list[str] = field(default_factory=list)


def entries_of(
    records: Sequence[Record],
    columns: Mapping[str, str],
    questions: Sequence[Question],
    reading: Reading,
    *,
    cells: bool = False,
) -> list[Entry]:
    """What the records say; ``cells``: they come from a table that a spreadsheet may open."""
    reader = _Reader(columns, questions, reading, cells)
    rows = [reader.cells(values) for values, _ in records]
    originals = _originals(rows) if "role" in columns else {}
    entries = []
    for number, (row, (_, fault)) in enumerate(zip(rows, records, strict=True), start=1):
        entry = Entry(number)
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


def read_back(text: str) -> str:
    """The text with letters that were encoded twice as they were meant: ``Ã¯`` is ``ï``."""
    return _TWICE.sub(_once, text)


def _once(found: re.Match[str]) -> str:
    raw = b"".join(c.encode("cp1252") if ord(c) > 0xFF else c.encode("latin-1") for c in found[0])
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return found[0]


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
        reading: Reading,
        from_cells: bool,
    ) -> None:
        self._columns, self._reading, self._from_cells = columns, reading, from_cells
        self._questions = questions
        self._names = {q.id: _names(q, reading.values) for q in questions}

    def cells(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values by part, strings mended."""
        return {part: self._cell(values.get(name)) for part, name in self._columns.items()}

    def _cell(self, value: Any) -> Any:
        plain = _plain(value)
        if not isinstance(plain, str):
            return plain
        text = plain_cell(plain) if self._from_cells else plain
        return read_back(text) if self._reading.mend else text

    def item(self, row: Mapping[str, Any], originals: Mapping[str, str]) -> tuple[str, Item | None]:
        """The id that the row gives ("" for none) and the item, if it has a text."""
        ident, mutant = as_text(row.get("item")).strip(), as_text(row.get("mutant"))
        if not mutant.strip():
            if not ident:
                raise InputError("there is no text to judge")
            return ident, None
        group, source = as_text(row.get("group")), as_text(row.get("source"))
        if "role" in row:
            source = _source_of(row["role"], group, originals) or source
        item = Item(
            ident, mutant, source,
            attributes=_attributes(row.get("attributes")) or self._changed(row),
            edits=_edits(row.get("edits")),
            kept=_truth(row.get("kept")),
            layer=as_text(row.get("layer")),
            reason=as_text(row.get("reason")),
            verdicts={str(k): as_text(v) for k, v in _object(row.get("verdicts")).items()},
            label=as_text(row.get("label")),
            group=group,
            stratum=as_text(row.get("stratum")),
            weight=_number(row.get("weight"), 1.0),
            origin=_object(row.get("origin")),
        )  # fmt: skip
        # The same texts have the same id in every file.
        made = f"{group[:40]}-" if group else ""
        return ident, item if ident else replace(item, id=made + fingerprint(item)[:12])

    def _changed(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """What was changed where no column says so: nothing in an original."""
        return () if role_of(row.get("role")) else self._reading.attributes

    def given(self, row: Mapping[str, Any], entry: Entry) -> Given | None:
        """The judgement of a row, if there is one; answers that cannot be used go to its faults."""
        name = as_text(row.get("annotator")) or self._reading.annotator
        status = _status(row.get("status"))
        answers, unknown = dict[str, str](), 0
        for question in self._questions:
            cell = as_text(row.get(f"{ANSWER}{question.id}")).strip()
            if not cell or status is Status.SKIPPED:
                continue
            names = self._names[question.id]
            value = names.get(cell, names.get(cell.casefold()))
            if value is None:
                entry.faults.append(_unknown(question, cell))
            elif value:
                answers[question.id] = value
            unknown += not value
        if status is None and not answers:
            return None
        if not name:
            raise InputError("it has answers, but does not say whose they are")
        if status in (None, Status.JUDGED) and not answers:
            if not unknown:
                entry.faults.append("it counts as judged, but answers nothing")
            return None
        return Given(
            name, answers, _showing(row.get("showing")), status or Status.JUDGED,
            as_text(row.get("comment")), min(max(_number(row.get("seconds"), 0.0), 0.0), 86_400.0),
            _time(row.get("at")),
        )  # fmt: skip


def _plain(value: Any) -> Any:
    """A value as strict JSON has it, its strings mended: what a project can keep."""
    if isinstance(value, str | bytes):
        return mended(as_text(value))[0]
    if isinstance(value, Mapping):
        return {_plain(str(name)): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)


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


def _attributes(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _loaded(value, "attributes")
    if isinstance(value, list | tuple):
        return tuple(str(name) for name in value)
    parts = re.split(r"[+,;]", as_text(value))
    return tuple(part.strip() for part in parts if part.strip())


def _edits(value: Any) -> tuple[Edit, ...]:
    if isinstance(value, str):
        if not value.lstrip().startswith("["):
            return read_edits(value)  # race: black -> white
        value = _loaded(value, "edits")
    try:
        return tuple(edit_from_row(edit) for edit in value or ())
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"its edits cannot be read ({error!r})"[:200]) from error


def _object(value: Any) -> Mapping[str, Any]:
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


def _truth(value: Any) -> bool | None:
    word = as_text(value).strip().casefold()
    if not word:
        return None
    if word not in (*_YES, *_NO):
        raise InputError(f"kept is yes or no, not '{word[:_SHOWN]}'")
    return word in _YES


def _number(value: Any, default: float) -> float:
    text = as_text(value).strip()
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"'{text[:_SHOWN]}' is no number")
    return number


def _showing(value: Any) -> int:
    number = _number(value, FIRST)
    if number not in (FIRST, REPEAT):
        raise InputError(f"an item is shown once or twice to a person, not {number:g} times")
    return int(number)


def _status(value: Any) -> Status | None:
    word = as_text(value).strip().casefold()
    known = {status.value: status for status in Status} | {
        "submitted": Status.JUDGED, "completed": Status.JUDGED, "discarded": Status.SKIPPED,
        "cancelled": Status.SKIPPED, "draft": None, "pending": None, "": None,
    }  # fmt: skip
    if word not in known:
        raise InputError(f"the status '{word[:_SHOWN]}' is unknown; use judged or skipped")
    return known[word]


def _time(value: Any) -> str:
    text = as_text(value).strip()
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"'{text[:_SHOWN]}' is no time as in 2025-03-01T12:30:00Z") from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
