"""Rows of a data set: one text each, with id and label, whatever the file.

A row that cannot be used is still a row, with its fault in words; only a file that cannot be read
at all is an error. Memory does not grow with the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from hinter_core.errors import InputError
from hinter_core.files.columns import (
    Columns,
    as_text,
    find_columns,
    flag,
    has_parts,
    inner_names,
    last_turn,
    mended,
    value_of,
)
from hinter_core.files.source import Source, open_source
from hinter_core.language.clean import MAX_CHARACTERS


@dataclass(frozen=True, slots=True)
class Row:
    """One row: ``number`` counts from 1; ``fault`` is the reason why it cannot be used, or "".

    ``mended``: bytes of its text were not UTF-8 and were read as Windows-1252.
    """

    number: int
    id: str
    text: str
    label: str = ""
    fault: str = ""
    mended: bool = False


class Rows(Protocol):
    """Rows that can be read repeatedly, from any source."""

    @property
    def columns(self) -> Columns:
        """Columns that are read."""

    @property
    def names(self) -> Sequence[str]:
        """Names of all columns."""

    @property
    def count(self) -> int | None:
        """Number of rows, if it is known without reading them."""

    def rows(self) -> Iterator[Row]:
        """Yield all rows in the order of their numbers."""


@dataclass(frozen=True)
class Table:
    """A file of rows; ``columns``: those of its ``names`` that are read."""

    source: Source
    columns: Columns

    @property
    def names(self) -> Sequence[str]:
        """Names of all columns."""
        inner = dict.fromkeys(n for values, _ in self.source.head for n in inner_names(values))
        return (*self.source.names, *inner)

    @property
    def count(self) -> int | None:
        """Number of rows, if it is known without reading them."""
        return self.source.count

    def rows(self) -> Iterator[Row]:
        """Yield all rows.

        Raises:
            InputError: the file breaks off or cannot be read.
        """
        for number, (values, fault) in enumerate(self.source.records(), start=1):
            yield make_row(self.columns, number, values, fault)


def make_row(columns: Columns, number: int, values: Mapping[str, Any], fault: str = "") -> Row:
    """Make the row of a record, with its fault in words if it cannot be used."""
    given = value_of(values, columns.text)
    turn = last_turn(columns.text, given)
    text, how = mended(as_text(given) if turn is None else turn)
    label, ident = (
        mended(as_text(value_of(values, name)))[0] if name else ""
        for name in (columns.label, columns.id)
    )
    if columns.flags:
        label = ", ".join(name for name in columns.flags if flag(value_of(values, name)))
    if not fault and len(text) > MAX_CHARACTERS:
        fault = f"the text has {len(text):,} characters, more than {MAX_CHARACTERS:,}"
        text = ""
    if not fault and how is None:
        fault = "the text is neither UTF-8 nor Windows-1252"
    if not fault and turn is None and has_parts(given):
        fault = "the text is an object with parts of its own"
    if not fault and turn == "":
        fault = "the conversation has no turn of a user"
    if not fault and not any(map(str.isalnum, text)):
        fault = "there is no text"
    return Row(number, ident or str(number), text, label, fault, bool(how))


def open_table(path: Path, text: str = "", label: str = "", ident: str = "") -> Table:
    """Open a file; columns that are not named are detected.

    Raises:
        InputError: no such file, an unknown format, an empty file, or an unknown column.
    """
    source = open_source(path)
    if not source.head:
        raise InputError(f"{path} holds no row.")
    table = Table(source, Columns(text, label, ident))
    found = find_columns(str(path), source.head, table.names, table.columns)
    return replace(table, columns=found)
