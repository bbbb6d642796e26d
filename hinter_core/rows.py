"""Rows of a data set: one text each, with id and label, read one after another whatever the file.

CSV, TSV, JSON lines, Parquet and plain text (one text a line), each also gzipped. A row that cannot
be used is still a row, with its fault in words; only a file that cannot be read at all is an error.
Memory does not grow with the file.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from hinter_core.errors import InputError
from hinter_core.planning import MAX_CHARACTERS

TEXT_COLUMNS = ("text", "review", "sentence", "content", "comment", "document", "body", "facts")
LABEL_COLUMNS = ("label", "labels", "sentiment", "class", "target")
ID_COLUMNS = ("id", "uid", "guid", "key")
_FORMATS = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".txt": "text",
}  # fmt: skip
_LOOKED_AT = 50  # rows read to find the column of texts
_FALLBACK = "cp1252"  # what a file that is not UTF-8 nearly always is

Record = tuple[Mapping[str, Any], str]  # values by column, and a fault


@dataclass(frozen=True, slots=True)
class Row:
    """One row: ``number`` counts from 1; ``fault`` says why it cannot be used, if so."""

    number: int
    id: str
    text: str
    label: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns hold what; ``id`` and ``label`` may be empty."""

    text: str
    label: str = ""
    id: str = ""


@dataclass(frozen=True)
class Table:
    """A file of rows; ``columns`` says which of its ``names`` are read."""

    path: Path
    format: str
    names: tuple[str, ...]
    columns: Columns

    def rows(self) -> Iterator[Row]:
        """All rows, one after another.

        Raises:
            InputError: the file breaks off or cannot be read any further.
        """
        for number, (values, fault) in enumerate(_records(self.path, self.format), start=1):
            yield self._row(number, values, fault)

    def _row(self, number: int, values: Mapping[str, Any], fault: str) -> Row:
        columns = self.columns
        text = _as_text(values.get(columns.text))
        label = _as_text(values.get(columns.label)) if columns.label else ""
        own = _as_text(values.get(columns.id)) if columns.id else ""
        text, mended = _mended(text)
        if not fault and len(text) > MAX_CHARACTERS:
            fault = f"the text has {len(text):,} characters, more than {MAX_CHARACTERS:,}"
            text = ""
        if not fault and not text.strip():
            fault = "there is no text"
        if not fault and mended is None:
            fault = "the text is neither UTF-8 nor Windows-1252"
        return Row(number, own or str(number), text, label, fault)


def open_table(path: Path, text: str = "", label: str = "", ident: str = "") -> Table:
    """Find format and columns of a file; a column that is not named is looked for.

    Raises:
        InputError: no such file, an unknown format, an empty file, or a column it does not have.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}; check the path.")
    kind = _format(path)
    head = list(islice(_records(path, kind), _LOOKED_AT))
    if not head:
        raise InputError(f"{path} holds no row.")
    names = tuple(dict.fromkeys(name for values, _ in head for name in values))
    for named in (text, label, ident):
        if named and named not in names:
            raise InputError(f"{path} has no column '{named}'; it has {', '.join(names)}.")
    columns = Columns(
        text or _find_text(path, head, names),
        label or _first(LABEL_COLUMNS, names),
        ident or _first(ID_COLUMNS, names),
    )
    return Table(path, kind, names, columns)


def _format(path: Path) -> str:
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    kind = _FORMATS.get(suffixes[-1]) if suffixes else None
    if kind is None:
        raise InputError(
            f"{path} is of no known format; use {', '.join(_FORMATS)}, or one of them with .gz."
        )
    return kind


def _first(wanted: Sequence[str], names: Sequence[str]) -> str:
    by_name = {name.strip().casefold(): name for name in names}
    return next((by_name[name] for name in wanted if name in by_name), "")


def _find_text(path: Path, head: Sequence[Record], names: Sequence[str]) -> str:
    """The column of texts: a usual name, or the one with the longest strings."""
    if found := _first(TEXT_COLUMNS, names):
        return found
    lengths = {
        name: sum(len(v) for values, _ in head if isinstance(v := values.get(name), str))
        for name in names
    }
    best = max(lengths, key=lambda name: lengths[name])
    if not lengths[best]:
        raise InputError(f"{path} has no column of texts; it has {', '.join(names)}.")
    return best


def _as_text(value: Any) -> str:
    if value is None or value != value:  # NaN is not equal to itself
        return ""
    if isinstance(value, list | tuple):
        # LexGLUE's cases come as lists of paragraphs, its labels as lists of numbers.
        blank = "\n" if any(isinstance(part, str) and " " in part for part in value) else ", "
        return blank.join(_as_text(part) for part in value)
    return str(value)


def _mended(text: str) -> tuple[str, bool | None]:
    """The text with bytes that were not UTF-8 read as Windows-1252; None if that fails too."""
    if text.isprintable():
        return text, False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raw = text.encode("utf-8", "surrogateescape")
        try:
            return raw.decode(_FALLBACK), True
        except UnicodeDecodeError:
            return "", None
    return text, False


def _records(path: Path, kind: str) -> Iterator[Record]:
    try:
        if kind == "parquet":
            yield from _parquet(path)
            return
        opener: Callable[[Path], Any] = gzip.open if path.suffix.lower() == ".gz" else open_bytes
        with opener(path) as raw:
            readers = {"jsonl": _json_lines, "text": _lines}
            if kind in readers:
                yield from readers[kind](raw)
            else:
                yield from _separated(raw, "\t" if kind == "tsv" else ",")
    except (OSError, EOFError, gzip.BadGzipFile) as error:
        raise InputError(f"{path} cannot be read ({error}); is it whole?") from error


def open_bytes(path: Path) -> BinaryIO:
    """The file as bytes."""
    return path.open("rb")


def _decoded(raw: BinaryIO) -> io.TextIOWrapper:
    # What is not UTF-8 survives as surrogates, so that its row alone is concerned.
    return io.TextIOWrapper(raw, encoding="utf-8-sig", errors="surrogateescape", newline="")


def _separated(raw: BinaryIO, separator: str) -> Iterator[Record]:
    csv.field_size_limit(2**31 - 1)
    lines = (line.replace("\0", "") for line in _decoded(raw))
    reader = csv.reader(lines, delimiter=separator)
    header = next(reader, None)
    if header is None:
        return
    for cells in reader:
        if not cells:
            continue
        fault = ""
        if len(cells) != len(header):
            fault = f"it has {len(cells)} cells where the header has {len(header)}"
        yield dict(zip(header, cells, strict=False)), fault


def _json_lines(raw: BinaryIO) -> Iterator[Record]:
    for line in _decoded(raw):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except ValueError as error:
            yield {}, f"it is no JSON ({error})"
            continue
        if isinstance(values, dict):
            yield values, ""
        else:
            yield {}, "it is no JSON object"


def _lines(raw: BinaryIO) -> Iterator[Record]:
    for line in _decoded(raw):
        if line.strip():
            yield {"text": line.strip()}, ""


def _parquet(path: Path) -> Iterator[Record]:
    try:
        import pyarrow.parquet as parquet
        from pyarrow import ArrowException
    except ImportError as error:
        raise InputError("Parquet needs pyarrow: pip install pyarrow") from error
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=256):
                for values in batch.to_pylist():
                    yield values, ""
    except ArrowException as error:
        raise InputError(f"{path} is no Parquet file ({error}).") from error
