"""Rows of a data set: one text each, with id and label, whatever the file.

A row that cannot be used is still a row, with its fault in words; only a file that cannot be read
at all is an error. Memory does not grow with the file.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from hinter_core.errors import InputError
from hinter_core.extensions import SOURCES
from hinter_core.files.columns import (
    LOOKED_AT,
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
from hinter_core.files.containers import Record
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
    """Rows of a file, of the Hub or of a function.

    ``records``: reads them anew. ``columns``: those of its ``names`` that are used. ``source``:
    what a file was understood to be. ``pinned``: the name of a data set of the Hub at its commit.
    """

    records: Callable[[], Iterable[Record]]
    names: Sequence[str]
    columns: Columns
    count: int | None = None
    source: Source | None = None
    pinned: str = ""

    def rows(self) -> Iterator[Row]:
        """Yield all rows; each call reads them anew.

        Raises:
            InputError: they break off or cannot be read.
        """
        for number, (values, fault) in enumerate(self.records(), start=1):
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
        fault = "the text has no word" if text.strip() else "there is no text"
    return Row(number, ident or str(number), text, label, fault, bool(how))


def open_table(path: Path, text: str = "", label: str = "", ident: str = "") -> Table:
    """Open a file; columns that are not named are detected.

    Raises:
        InputError: no such file, an unknown format, an empty file, or an unknown column.
    """
    source = open_source(path)
    if not source.head:
        raise InputError(f"{path} holds no row.")
    inner = dict.fromkeys(n for values, _ in source.head for n in inner_names(values))
    names = (*source.names, *inner)
    columns = find_columns(str(path), source.head, names, Columns(text, label, ident))
    return Table(source.records, names, columns, source.count, source)


def alike_labels(labels: Iterable[str]) -> list[str]:
    """Say which labels differ in capitals alone."""
    alike: dict[str, list[str]] = {}
    for label in dict.fromkeys(labels):
        alike.setdefault(label.casefold(), []).append(label)
    return [
        f"The labels {', '.join(map(repr, same))} differ in capitals alone; each is a label."
        for same in alike.values()
        if len(same) > 1
    ]


_HINT = "give texts, pairs of a text and its label, or mappings from columns to values"


def from_source(data: str) -> bool:
    """Whether a campaign's ``data`` names a source that was added."""
    name = data.partition(":")[0]
    return name in SOURCES.names()


def open_given(data: str, text: str = "", label: str = "", ident: str = "") -> Table:
    """Open rows that a Python function gives, or that were added; columns not named are detected.

    A source is named ``NAME`` or ``NAME:ARGUMENT``, in place of a file. It is a function, called
    with the argument if there is one, or the rows themselves. A row is a text, a pair of a text and
    its label, or a mapping from columns to values.

    Raises:
        InputError: the source fails or has no row, or an unknown column.
    """
    name, _, argument = data.partition(":")
    added = SOURCES.find(name)
    assert added is not None
    value = added.value

    def records() -> Iterator[Record]:
        try:
            called = (value(argument) if argument else value()) if callable(value) else value
            yield from map(_record, called)
        except InputError:
            raise
        except Exception as error:  # code of somebody else may raise anything
            raise InputError(
                f"The source '{data}' failed ({type(error).__name__}: {error})."
            ) from error

    head = list(islice(records(), LOOKED_AT))
    if not head:
        raise InputError(f"The data '{data}' hold no row; {_HINT}.")
    names = tuple(
        dict.fromkeys(key for values, _ in head for key in (*values, *inner_names(values)))
    )
    columns = find_columns(f"The data '{data}'", head, names, Columns(text, label, ident))
    return Table(records, names, columns, len(value) if isinstance(value, Sized) else None)


MEMORY = "in-memory"  # source of the rows that a program gives


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
    if value is None or value != value:  # NaN is not equal to itself
        return {}, "there is no text"
    return {}, f"a row cannot be {value!r:.60}; {_HINT}"
