"""Read and write tables: CSV (also with semicolons), TSV, JSON lines, Parquet and plain text.

Text files may be gzipped. They are read as UTF-8 or UTF-16; bytes that are not UTF-8 survive as
surrogates, so that only their row is affected. Memory does not grow with the file.
"""

import codecs
import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast

from hinter_core.errors import InputError
from hinter_core.storage import write_whole

Record = tuple[Mapping[str, Any], str]  # values by column, and a fault in words or ""
Write = Callable[[Mapping[str, Any]], Any]

_FORMATS = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".txt": "text",
}  # fmt: skip
_BATCH = 2048  # rows of Parquet written at once
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
            if kind == "jsonl":
                yield from _json_lines(text)
            elif kind == "text":
                yield from (({"text": line.strip()}, "") for line in text if line.strip())
            else:
                yield from _separated(text, "\t" if kind == "tsv" else ",")
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise InputError(f"{path} cannot be read ({error}); is it whole?") from error


def _opened(path: Path) -> Any:
    return gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb")


def _encoding(raw: Any) -> str:
    marks = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return "utf-16" if raw.peek(2)[:2] in marks else "utf-8"


def _separated(text: io.TextIOWrapper, separator: str) -> Iterator[Record]:
    csv.field_size_limit(2**31 - 1)
    lines = (line.replace("\0", "") for line in text)
    first = next(lines, None)
    if first is None:
        return
    if separator == "," and "," not in first and ";" in first:
        separator = ";"  # as spreadsheets write where a comma is for decimals
    ended = False

    def until_the_end() -> Iterator[str]:
        nonlocal ended
        yield from chain([first], lines)
        ended = True

    reader = csv.reader(until_the_end(), delimiter=separator)
    header = [mended(name)[0] for name in next(reader)]
    for cells in reader:
        if not cells:
            continue
        fault = ""
        if ended:  # the reader asks for a line beyond the last only within quotation marks
            fault = "a quotation mark in it is never closed, so that it takes in all that follows"
        elif len(cells) != len(header):
            fault = f"it has {len(cells)} cells where the header has {len(header)}"
        yield dict(zip(header, cells, strict=False)), fault


def _json_lines(text: io.TextIOWrapper) -> Iterator[Record]:
    for line in filter(str.strip, text):
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
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=256):
                for values in batch.to_pylist():
                    yield values, ""
    except ArrowException as error:
        raise InputError(f"{path} is no Parquet file ({error}).") from error


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
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), False
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
        return lambda row: stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    separator = "\t" if kind == "tsv" else ","
    writer = csv.writer(stream, delimiter=separator, lineterminator=line_end)
    writer.writerow(map(safe_cell, columns))  # some are names of dictionaries
    return lambda row: writer.writerow([safe_cell(row[name]) for name in columns])


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
                writer.write_table(pyarrow.Table.from_pylist(held, schema=schema))
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
