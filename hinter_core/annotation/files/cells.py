"""Cells of a file as values: words, numbers, truths, times, edits, and what is wrong with them.

Whatever cannot be read raises an :class:`InputError` that ends a sentence on its row.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hinter_core.annotation.project.types import FIRST, REPEAT, Status
from hinter_core.campaign.schema import edit_from_row
from hinter_core.data.handwritten import read_edits
from hinter_core.data.rows import as_text
from hinter_core.data.tables import mended
from hinter_core.errors import InputError
from hinter_core.types import Edit

_YES, _NO = ("yes", "true", "1", "kept"), ("no", "false", "0", "discarded")
_SHOWN = 40  # characters of a cell in a message


def read_back(text: str) -> str:
    """The text with letters that were encoded twice as they were meant: ``Ã¯`` is ``ï``."""
    from ftfy import TextFixerConfig, fix_encoding

    return fix_encoding(text, TextFixerConfig(restore_byte_a0=False, replace_lossy_sequences=False))


def plain(value: Any) -> Any:
    """A value as strict JSON has it, its strings mended: what a project can keep."""
    if isinstance(value, str | bytes):
        return mended(as_text(value))[0]
    if isinstance(value, Mapping):
        return {plain(str(name)): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def attributes_of(value: Any) -> tuple[str, ...]:
    """Names of attributes: a list, or words separated by ``+``, commas or semicolons."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _loaded(value, "attributes")
    if isinstance(value, list | tuple):
        return tuple(str(name) for name in value)
    parts = re.split(r"[+,;]", as_text(value))
    return tuple(part.strip() for part in parts if part.strip())


def edits_of(value: Any) -> tuple[Edit, ...]:
    """Edits as we write them (JSON), or as a person does: ``race: black -> white``."""
    if isinstance(value, str):
        if not value.lstrip().startswith("["):
            return read_edits(value)  # race: black -> white
        value = _loaded(value, "edits")
    try:
        return tuple(edit_from_row(edit) for edit in value or ())
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"its edits cannot be read ({error!r})"[:200]) from error


def object_of(value: Any) -> Mapping[str, Any]:
    """An object, or one written as JSON; empty where there is none."""
    if isinstance(value, str):
        value = _loaded(value, "verdicts and origin") if value.strip() else {}
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError('its verdicts or origin are no JSON object, as in {"a model": "biased"}')
    return value


def _loaded(text: str, what: str) -> Any:
    try:
        return plain(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InputError(f"its {what} are no JSON ({error})") from error


def truth_of(value: Any) -> bool | None:
    """Yes or no, in several words; None where the cell is empty."""
    word = as_text(value).strip().casefold()
    if not word:
        return None
    if word not in (*_YES, *_NO):
        raise InputError(f"kept is yes or no, not '{word[:_SHOWN]}'")
    return word in _YES


def number_of(value: Any, default: float) -> float:
    """A finite number, or ``default`` where the cell is empty."""
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


def showing_of(value: Any) -> int:
    """Whether an item was shown for the first or the second time."""
    number = number_of(value, FIRST)
    if number not in (FIRST, REPEAT):
        raise InputError(f"an item is shown once or twice to a person, not {number:g} times")
    return int(number)


def status_of(value: Any) -> Status | None:
    """What became of a showing, in our words and others'; None where the cell does not say."""
    word = as_text(value).strip().casefold()
    known = {status.value: status for status in Status} | {
        "submitted": Status.JUDGED, "completed": Status.JUDGED, "discarded": Status.SKIPPED,
        "cancelled": Status.SKIPPED, "draft": None, "pending": None, "": None,
    }  # fmt: skip
    if word not in known:
        raise InputError(f"the status '{word[:_SHOWN]}' is unknown; use judged or skipped")
    return known[word]


def time_of(value: Any) -> str:
    """A moment as ISO 8601 in UTC, to the millisecond; "" where the cell is empty."""
    text = as_text(value).strip()
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"'{text[:_SHOWN]}' is no time as in 2025-03-01T12:30:00Z") from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
