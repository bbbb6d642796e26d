"""Rows that a Python function or object gives: sources that were added, and data in memory.

A source is named ``NAME`` or ``NAME:ARGUMENT``, in place of a file. It is a function, called with
the argument if there is one, or the rows themselves. A row is a text, a pair of a text and its
label, or a mapping from columns to values.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from hinter_core.data.rows import Row, make_row
from hinter_core.errors import InputError
from hinter_core.extensions import SOURCES
from hinter_core.files.columns import LOOKED_AT, Columns, find_columns, inner_names
from hinter_core.files.containers import Record

_HINT = "give texts, pairs of a text and its label, or mappings from columns to values"


@dataclass(frozen=True)
class GivenTable:
    """The rows of a source, which are made anew each time that they are read."""

    name: str
    make: Callable[[], Iterable[Any]]
    names: tuple[str, ...] = ()
    columns: Columns = field(default_factory=lambda: Columns(""))
    count = None

    def rows(self) -> Iterator[Row]:
        """Yield all rows.

        Raises:
            InputError: the source fails.
        """
        for number, (values, fault) in enumerate(self.records(), start=1):
            yield make_row(self.columns, number, values, fault)

    def records(self) -> Iterator[Record]:
        """Yield the values of each row by column."""
        try:
            yield from map(_record, self.make())
        except InputError:
            raise
        except Exception as error:  # code of somebody else may raise anything
            raise InputError(
                f"The source '{self.name}' failed ({type(error).__name__}: {error})."
            ) from error


def from_source(data: str) -> bool:
    """Whether a campaign's ``data`` names a source that was added."""
    name = data.partition(":")[0]
    return name in SOURCES.names()


def open_given(data: str, text: str = "", label: str = "", ident: str = "") -> GivenTable:
    """Open the source of a name; columns that are not named are detected.

    Raises:
        InputError: the source fails or has no row, or an unknown column.
    """
    name, _, argument = data.partition(":")
    added = SOURCES.find(name)
    assert added is not None
    value = added.value
    make = (lambda: value(argument) if argument else value()) if callable(value) else lambda: value
    table = GivenTable(data, make)
    head = list(islice(table.records(), LOOKED_AT))
    if not head:
        raise InputError(f"The data '{data}' hold no row; {_HINT}.")
    names = tuple(
        dict.fromkeys(key for values, _ in head for key in (*values, *inner_names(values)))
    )
    columns = find_columns(f"The data '{data}'", head, names, Columns(text, label, ident))
    return GivenTable(data, make, names, columns)


def content_of_source(data: str) -> str:
    """Hash the rows of a source."""
    digest = hashlib.sha256()
    added = SOURCES.find(data.partition(":")[0])
    if added is not None and isinstance(added.options.get("content"), str):
        return str(added.options["content"])
    for values, _ in open_given(data).records():
        digest.update(json.dumps(values, sort_keys=True, default=str).encode() + b"\n")
    return digest.hexdigest()[:16]


def _record(value: Any) -> Record:
    if isinstance(value, str):
        return {"text": value}, ""
    if isinstance(value, Mapping):
        return {str(name): one for name, one in value.items()}, ""
    if isinstance(value, tuple) and len(value) == 2:
        return {"text": value[0], "label": value[1]}, ""
    raise InputError(f"A row cannot be {value!r:.60}; {_HINT}.")
