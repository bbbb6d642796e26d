"""Rows of a data set: one text each, with id and label, whatever the file.

A row that cannot be used is still a row, with its fault in words; only a file that cannot be read
at all is an error. Memory does not grow with the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from hinter_core.data.tables import Record, count_of, encoding_of, format_of, mended, records
from hinter_core.errors import InputError
from hinter_core.language.clean import MAX_CHARACTERS

TEXT_COLUMNS = ("text", "review", "sentence", "content", "comment", "document", "body", "facts")
LABEL_COLUMNS = ("label", "labels", "sentiment", "class", "target")
ID_COLUMNS = ("id", "uid", "guid", "key")
_LISTED, _LONGEST_NAME = 30, 60  # columns, and characters of one, in a message
LOOKED_AT = 50  # rows read to detect the text column


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


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns; ``id`` and ``label`` may be empty."""

    text: str
    label: str = ""
    id: str = ""


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

    path: Path
    format: str
    names: tuple[str, ...]
    columns: Columns

    @cached_property
    def count(self) -> int | None:
        """Number of rows, if it is known without reading them."""
        return count_of(self.path, self.format)

    @property
    def encoding(self) -> str:
        """Encoding of the file; "" for Parquet."""
        return encoding_of(self.path, self.format)

    def rows(self) -> Iterator[Row]:
        """Yield all rows.

        Raises:
            InputError: the file breaks off or cannot be read.
        """
        for number, (values, fault) in enumerate(records(self.path, self.format), start=1):
            yield make_row(self.columns, number, values, fault)


def make_row(columns: Columns, number: int, values: Mapping[str, Any], fault: str = "") -> Row:
    """Make the row of a record, with its fault in words if it cannot be used."""
    text, how = mended(as_text(values.get(columns.text)))
    label, ident = (
        mended(as_text(values.get(name)))[0] if name else "" for name in (columns.label, columns.id)
    )
    if not fault and len(text) > MAX_CHARACTERS:
        fault = f"the text has {len(text):,} characters, more than {MAX_CHARACTERS:,}"
        text = ""
    if not fault and how is None:
        fault = "the text is neither UTF-8 nor Windows-1252"
    if not fault and isinstance(values.get(columns.text), dict):
        fault = "the text is an object with parts of its own"
    if not fault and not any(map(str.isalnum, text)):
        fault = "there is no text"
    return Row(number, ident or str(number), text, label, fault, bool(how))


def open_table(path: Path, text: str = "", label: str = "", ident: str = "") -> Table:
    """Open a file; columns that are not named are detected.

    Raises:
        InputError: no such file, an unknown format, an empty file, or an unknown column.
    """
    names, head = look_into(path)
    columns = find_columns(str(path), head, names, Columns(text, label, ident))
    return Table(path, format_of(path), names, columns)


def look_into(path: Path) -> tuple[tuple[str, ...], list[Record]]:
    """Return the names of a file's columns, and its first records.

    Raises:
        InputError: no such file, an unknown format, or an empty file.
    """
    require_file(path)
    head = list(islice(records(path, format_of(path)), LOOKED_AT))
    if not head:
        raise InputError(f"{path} holds no row.")
    return tuple(dict.fromkeys(name for values, _ in head for name in values)), head


def require_file(path: Path) -> None:
    """Refuse a path that is not a file.

    Raises:
        InputError: there is nothing, or a folder.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it.")
    if not path.is_file():
        raise InputError(f"There is no file {path}; check the path.")


def find_columns(
    where: str, head: Sequence[Record], names: Sequence[str], given: Columns
) -> Columns:
    """Complete the columns ``given`` by detected ones.

    Raises:
        InputError: an unknown column, or no column of texts.
    """
    for named in (given.text, given.label, given.id):
        if named and named not in names:
            raise InputError(f"{where} has no column '{named}'; it has {listed(names)}.")
    return Columns(
        given.text or _find_text(where, head, names),
        given.label or _first(LABEL_COLUMNS, names),
        given.id or _first(ID_COLUMNS, names),
    )


def listed(names: Sequence[str]) -> str:
    """Write the names of columns, not all of very many."""
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(name[:_LONGEST_NAME] for name in names[:_LISTED]) + more


def _first(wanted: Sequence[str], names: Sequence[str]) -> str:
    by_name = {name.strip().casefold(): name for name in names}
    return next((by_name[name] for name in wanted if name in by_name), "")


def _find_text(where: str, head: Sequence[Record], names: Sequence[str]) -> str:
    """Find the text column: a usual name, or the one with the longest strings."""
    if found := _first(TEXT_COLUMNS, names):
        return found
    lengths = {
        name: sum(len(v) for values, _ in head if isinstance(v := values.get(name), str))
        for name in names
    }
    best = max(lengths, key=lengths.__getitem__, default="")
    if not lengths.get(best):
        known = f"it has {listed(names)}" if names else "it has no column at all"
        raise InputError(f"{where} has no column of texts; {known}.")
    return best


def as_text(value: Any) -> str:
    """Convert a value to text; lists are joined, paragraphs by line breaks."""
    if value is None or value != value:  # NaN is not equal to itself
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, list | tuple):
        # LexGLUE's cases come as lists of paragraphs, its labels as lists of numbers.
        blank = "\n" if any(isinstance(part, str) and " " in part for part in value) else ", "
        return blank.join(as_text(part) for part in value)
    return str(value)
