"""Read and write tables: CSV (also with semicolons), TSV, JSON lines, Parquet and plain text.

Text files may be gzipped. They are read as UTF-8 or UTF-16; bytes that are not UTF-8 survive as
surrogates, so that only their row is affected. Memory does not grow with the file, nor with what it
unpacks to: a record is cut off or refused beyond what a text may have.
"""

import codecs
import csv
import gzip
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

from hinter_core.data.pages import PagesError, sizes
from hinter_core.errors import InputError
from hinter_core.language.clean import whole, whole_values
from hinter_core.storage import write_whole

Record = tuple[Mapping[str, Any], str]  # values by column, and a fault in words or ""
Write = Callable[[Mapping[str, Any]], Any]

_FORMATS = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".txt": "text",
}  # fmt: skip
_BATCH = 2048  # rows of Parquet written at once
_LONGEST = 2_000_000  # characters of a record: twenty of the longest texts
_LONG = f"it has {_LONGEST:,} characters or more"
_UNPACKED = 300_000_000  # bytes, from which on a file may not unpack to ...
_RATIO = 200  # ... more than so many times its size
_VALUES = 10_000_000, 10_000  # of a column of Parquet: in a row group, and for each of its rows
# Spreadsheets run a cell that begins like this as a formula. Leading quotes count, too, so that
# removing one gives back the original cell.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def format_of(path: Path) -> str:
    """Return ``csv``, ``tsv``, ``jsonl``, ``parquet`` or ``text``, by the file's name.

    Raises:
        InputError: an unknown format.
    """
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    kind = _FORMATS.get(suffixes[-1]) if suffixes else None
    if kind is None:
        raise InputError(
            f"{path} is of no known format; use {', '.join(_FORMATS)}, or one of them with .gz."
        )
    return kind


def encoding_of(path: Path, kind: str) -> str:
    """Return the encoding of a text file; "" for Parquet."""
    if kind == "parquet":
        return ""
    with _opened(path) as raw:
        return _encoding(raw)


def count_of(path: Path, kind: str) -> int | None:
    """Return the number of rows if the file states it (Parquet)."""
    if kind != "parquet":
        return None
    import pyarrow.parquet as parquet

    return int(parquet.read_metadata(path).num_rows)


def records(path: Path, kind: str) -> Iterator[Record]:
    """Yield all records of a file.

    Raises:
        InputError: the file breaks off, or cannot be read.
    """
    try:
        if kind == "parquet":
            yield from _parquet(path)
            return
        with _opened(path) as raw:
            wide = _encoding(raw) == "utf-16"
            encoding, errors = ("utf-16", "replace") if wide else ("utf-8-sig", "surrogateescape")
            text = io.TextIOWrapper(raw, encoding=encoding, errors=errors, newline="")
            lines = _Lines(text)
            if kind == "jsonl":
                yield from _json_lines(lines.each())
            elif kind == "text":
                yield from (({"text": line.strip()}, "") for line in lines.each() if line.strip())
            else:
                yield from _separated(lines, "\t" if kind == "tsv" else ",")
    except _LongRecordError as error:  # the header's: those of rows are faults of theirs
        raise InputError(f"The first line of {path} names no columns: {_LONG}.") from error
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise InputError(f"{path} cannot be read ({error}); is it whole?") from error


def _opened(path: Path) -> Any:
    return _Unpacked(path) if path.suffix.lower() == ".gz" else path.open("rb")


class _Unpacked(gzip.GzipFile):
    """A gzipped file that is not read on if it unpacks to far more than a table does."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._path = path
        self._most = _most_unpacked(path)

    def read1(self, size: int = -1) -> bytes:
        found = super().read1(size)
        if self.tell() > self._most:
            raise _too_much(self._path)
        return found


def _most_unpacked(path: Path) -> int:
    return max(_UNPACKED, _RATIO * path.stat().st_size)


def _too_much(path: Path) -> InputError:
    return InputError(
        f"{path} unpacks to more than {_RATIO} times its size, which no table of texts does; "
        "save it anew from its source."
    )


class _LongRecordError(Exception):
    """A record has as many characters as :data:`_LONGEST` or more."""


class _Lines:
    """The lines of a text file, cut off where they are too long.

    Iterating gives the lines of records that may have several, each announced by :meth:`begin`;
    :meth:`each` those of records with one. ``ended``: a line beyond the last one was asked for.

    Raises:
        _LongRecordError: a record of several lines; what follows can be read on.
    """

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._taken = 0
        self.ended = False

    def begin(self) -> None:
        """Count characters from here."""
        self._taken = 0

    def each(self) -> Iterator[str]:
        """Yield all lines."""
        while line := self._next():
            yield line

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = self._next()
        if not line:
            self.ended = True
            raise StopIteration
        self._taken += len(line)
        if self._taken >= _LONGEST:
            raise _LongRecordError
        return line.replace("\0", "")

    def _next(self) -> str:
        line = self._text.readline(_LONGEST)
        rest = line
        while len(rest) == _LONGEST and rest[-1] not in "\r\n":
            rest = self._text.readline(_LONGEST)
        return line


def _encoding(raw: Any) -> str:
    marks = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return "utf-16" if raw.peek(2)[:2] in marks else "utf-8"


def _separated(lines: _Lines, separator: str) -> Iterator[Record]:
    csv.field_size_limit(_LONGEST)
    first = next(lines, None)
    if first is None:
        return
    if separator == "," and "," not in first and ";" in first:
        separator = ";"  # as spreadsheets write where a comma is for decimals
    reader = csv.reader(chain([first], lines), delimiter=separator)
    header = [mended(name)[0] for name in next(reader)]
    while True:
        lines.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except (_LongRecordError, csv.Error):
            yield {}, f"{_LONG}; a quotation mark in it may not be closed"
            continue
        if not cells:
            continue
        fault = ""
        if lines.ended:  # the reader asks for a line beyond the last only within quotation marks
            fault = "a quotation mark in it is never closed, so that it takes in all that follows"
        elif len(cells) != len(header):
            fault = f"it has {len(cells)} cells where the header has {len(header)}"
        yield dict(zip(header, cells, strict=False)), fault


def _json_lines(lines: Iterable[str]) -> Iterator[Record]:
    for line in filter(str.strip, lines):
        if len(line) >= _LONGEST:
            yield {}, _LONG
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield {}, f"it is no JSON ({error})"
            continue
        yield (values, "") if isinstance(values, dict) else ({}, "it is no JSON object")


def _parquet(path: Path) -> Iterator[Record]:
    try:
        import pyarrow.parquet as parquet
        from pyarrow import ArrowException
    except ImportError as error:
        raise InputError("Parquet needs pyarrow: pip install pyarrow") from error
    try:
        # A string that stands in many rows is stored once, and must be held once.
        metadata = parquet.read_metadata(path)
        _require_modest(path, metadata)
        with parquet.ParquetFile(path, read_dictionary=_strings(metadata.schema)) as file:
            for batch in file.iter_batches(batch_size=16, use_threads=False):
                for place in range(batch.num_rows):
                    (values,) = batch.slice(place, 1).to_pylist()
                    yield {name: _cut(value) for name, value in values.items()}, ""
    except ArrowException as error:
        raise InputError(f"{path} is no Parquet file ({error}).") from error


def _strings(schema: Any) -> list[str]:
    columns = (schema.column(place) for place in range(len(schema)))
    return [c.path for c in columns if c.physical_type == "BYTE_ARRAY" and "." not in c.path]


def _require_modest(path: Path, metadata: Any) -> None:
    """Refuse a file of Parquet whose columns unpack to far more than texts do.

    Raises:
        InputError: it does, by its footer or by the headers of its pages; or these are damaged.
    """
    told = (
        (number, place, column.total_uncompressed_size, column.num_values)
        for number in range(metadata.num_row_groups)
        for place in range(metadata.row_group(number).num_columns)
        for column in [metadata.row_group(number).column(place)]
    )
    most, (values, of_a_row) = _most_unpacked(path), _VALUES
    try:
        for source in (told, sizes(path, metadata)):
            unpacked, counts = Counter[int](), Counter[tuple[int, int]]()
            for number, place, size, count in source:
                unpacked[number] += size
                # Only lists have more values than the rows that are read at once.
                if metadata.schema.column(place).max_repetition_level:
                    counts[number, place] += count
                rows = metadata.row_group(number).num_rows
                bound = min(max(values, of_a_row * rows), 5 * values)
                if unpacked[number] > most or counts[number, place] > bound:
                    raise _too_much(path)
    except PagesError as error:
        raise InputError(f"{path} is no Parquet file (the headers of its pages).") from error


def _cut(value: Any) -> Any:
    return value[: _LONGEST + 1] if isinstance(value, str | bytes) else value


def mended(text: str) -> tuple[str, bool | None]:
    """Read bytes that were not UTF-8 as Windows-1252; return the text, and whether it had any.

    None if it can be read neither way; the text is then empty.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        try:
            # What a file that is not UTF-8 nearly always is.
            return text.encode("utf-8", "surrogateescape").decode("cp1252"), True
        except UnicodeEncodeError:  # half a character, as JSON may hold it
            return whole(text), False
        except UnicodeDecodeError:
            return "", None
    return text, False


def rows_to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write rows as CSV, safe in a spreadsheet."""
    if not rows:
        return ""
    buffer = io.StringIO()
    write = row_writer(buffer, "csv", list(rows[0]))
    for row in rows:
        write(row)
    return buffer.getvalue()


def row_writer(stream: Any, kind: str, columns: Sequence[str], line_end: str = "\n") -> Write:
    """Return a function that writes a row to a text stream as ``csv``, ``tsv`` or ``jsonl``.

    The names of the columns are written now; cells are safe in a spreadsheet.
    """
    if kind == "jsonl":
        return lambda row: stream.write(whole(json.dumps(row, ensure_ascii=False)) + "\n")
    separator = "\t" if kind == "tsv" else ","
    write = cell_writer(stream, separator, line_end)
    write(columns)  # some are names of dictionaries
    return lambda row: write(row[name] for name in columns)


def cell_writer(
    stream: Any, separator: str = ",", line_end: str = "\n"
) -> Callable[[Iterable[Any]], Any]:
    """Return a function that writes a row of cells, safe in a spreadsheet."""
    form: dict[str, Any] = {"delimiter": separator, "lineterminator": line_end}
    writer, quoting = csv.writer(stream, **form), csv.writer(stream, quoting=csv.QUOTE_ALL, **form)

    def write(values: Iterable[Any]) -> Any:
        cells = [safe_cell(value) for value in values]
        # A lone carriage return ends a row, too, but is not quoted for that.
        broken = any(isinstance(cell, str) and "\r" in cell for cell in cells)
        return (quoting if broken else writer).writerow(cells)

    return write


@contextmanager
def write_rows(
    path: Path, kind: str, columns: Sequence[str], types: Mapping[str, str]
) -> Iterator[Write]:
    """Yield a function that writes a row to a file; an incomplete file is not left behind.

    ``kind``: ``csv``, ``tsv``, ``jsonl`` (all gzipped if the name ends in .gz) or ``parquet``, with
    ``types`` as in :func:`parquet_rows`.

    Raises:
        OSError: the file cannot be written.
    """
    zipped = path.suffix.lower() == ".gz"
    with (
        write_whole(path) as part,
        cast(BinaryIO, gzip.open(part, "wb") if zipped else part.open("wb")) as raw,
    ):
        if kind == "parquet":
            with parquet_rows(raw, columns, types) as write:
                yield write
            return
        # Without the mark, spreadsheets assume the encoding of their country.
        encoding = "utf-8" if kind == "jsonl" else "utf-8-sig"
        with io.TextIOWrapper(raw, encoding=encoding, newline="") as stream:
            yield row_writer(stream, kind, columns)


@contextmanager
def parquet_rows(
    stream: BinaryIO, columns: Sequence[str], types: Mapping[str, str]
) -> Iterator[Write]:
    """Yield a function that writes a row to a stream as Parquet.

    ``types``: Arrow's type names by column, such as ``int64``; other columns hold strings.
    """
    import pyarrow
    from pyarrow import parquet

    named = {name: pyarrow.type_for_alias(types.get(name, "string")) for name in columns}
    schema, held = pyarrow.schema(list(named.items())), list[Mapping[str, Any]]()
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:

        def flush() -> None:
            if held:
                writer.write_table(table_of(held, schema))
                held.clear()

        def write(row: Mapping[str, Any]) -> None:
            held.append(row)
            if len(held) == _BATCH:
                flush()

        yield write
        flush()


def safe_cell(value: Any) -> Any:
    """Prefix a cell with ``'`` if a spreadsheet would run it as a formula."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def plain_cell(cell: str) -> str:
    """Undo :func:`safe_cell`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def table_of(rows: Sequence[Mapping[str, Any]], schema: Any) -> Any:
    """Return rows as a table of Arrow; half a character, which it cannot hold, becomes U+FFFD."""
    import pyarrow

    try:
        return pyarrow.Table.from_pylist(list(rows), schema=schema)
    except UnicodeEncodeError:
        return pyarrow.Table.from_pylist(whole_values(list(rows)), schema=schema)
