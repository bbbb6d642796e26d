"""Answers of endpoints: JSON of at most 4,000 characters, the rest by a cursor."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from hinter_core.errors import InputError
from hinter_core.language.clean import whole

LARGEST = 4_000  # characters of an answer as JSON in which all others are escaped
TEXT = 300  # and of a text in it
_CELL, _AROUND = 160, 70
_MOST_NAMES = 20
_LONGEST_NAME = 4_000  # rules of a scripted model are part of its name
_DEEPEST_CURSOR = 10**9


def page(
    head: Mapping[str, Any],
    name: str,
    rows: Sequence[Mapping[str, Any]],
    start: int,
    total: int | None = None,
) -> dict[str, Any]:
    """Return an answer with as many rows as fit from the number ``start`` on, and the next cursor.

    ``name`` is what rows are. With a ``total``, ``rows`` are those of this page alone.
    """
    if total is None:
        rows, total = rows[start:], len(rows)
    fitting: list[dict[str, Any]] = []
    answer = {**head, "total": total, name: fitting, "next": ""}
    for row in rows:
        fitting.append(plain(row))
        end = start + len(fitting)
        answer["next"] = str(end) if end < total else ""
        if _size(answer) > LARGEST and len(fitting) > 1:
            fitting.pop()
            answer["next"] = str(end - 1)
            break
    return answer


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for JSON: texts cut short, numbers rounded, and none that JSON lacks."""
    return {name: _cell(value) for name, value in row.items()}


def _cell(value: Any) -> Any:
    if isinstance(value, Mapping):
        return plain(value)
    if isinstance(value, str):
        return short(value, _CELL)
    if hasattr(value, "item"):  # a number of numpy
        value = value.item()
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() else round(value, 4)
    return value


def short(text: str, most: int = TEXT) -> str:
    """Return a text that has at most so many characters as JSON, where others are escaped."""
    text = whole(text)
    if _size(text) <= most:
        return text
    cut = text[:most]
    while _size(cut) > most - _size("\u2026"):
        cut = cut[: len(cut) * 3 // 4]
    return cut.rstrip() + "\u2026"


def around_change(text: str, changed: str) -> str:
    """Return what stands around the first change of a text."""
    both = enumerate(zip(text, changed, strict=False))
    first = next((place for place, (one, other) in both if one != other), len(text))
    start = max(0, first - _AROUND)
    return ("\u2026" if start else "") + changed[start : first + _CELL]


def first_row(cursor: object) -> int:
    """Read a cursor: the number of the row that comes next.

    Raises:
        InputError: no answer has given it.
    """
    given = str(cursor if cursor is not None else "").strip() or "0"
    if not (given.isascii() and given.isdecimal() and len(given) <= 10):
        raise InputError("The cursor is the value `next` of the answer before; leave it out first.")
    return min(int(given), _DEEPEST_CURSOR)


def text_of(value: object, name: str) -> str:
    """Return a text that a program sent.

    Raises:
        InputError: something else.
    """
    if not isinstance(value, str):
        raise InputError(f"{name} is a text in quotes, not {_kind(value)}.")
    return whole(value)


def names_of(value: object, name: str) -> tuple[str, ...]:
    """Return names that a program sent, as a list or separated by commas.

    Raises:
        InputError: something else, or too many.
    """
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, list | tuple):
        raise InputError(f"{name} is a list of names, not {_kind(value)}.")
    names = tuple(text_of(one, f"Each of {name}").strip() for one in given)
    names = tuple(dict.fromkeys(filter(None, names)))
    if len(names) > _MOST_NAMES:
        raise InputError(f"{name} has {len(names):,} names; at most {_MOST_NAMES} can be given.")
    if any(len(one) > _LONGEST_NAME for one in names):
        raise InputError(f"A name in {name} has over {_LONGEST_NAME:,} characters; shorten it.")
    return names


def number_of(value: object, name: str, most: int) -> int:
    """Return a whole number from 1 to ``most`` that a program sent.

    Raises:
        InputError: something else.
    """
    if isinstance(value, float) and value.is_integer():  # JSON has one kind of numbers
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise InputError(f"{name} is a whole number from 1 to {most:,}.")
    return value


def _kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _size(value: object) -> int:
    return len(json.dumps(value))
