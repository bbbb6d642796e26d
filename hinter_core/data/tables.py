"""Write tables: CSV and TSV that are safe in a spreadsheet, JSON lines, Parquet."""

import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from hinter_core.errors import InputError
from hinter_core.language.clean import OBEYED, whole, whole_values
from hinter_core.storage import write_whole

Write = Callable[[Mapping[str, Any]], Any]

_FORMATS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
            ".parquet": "parquet"}  # fmt: skip
_BATCH = 2048  # rows of Parquet written at once
MARK = "\ufeff"  # begins a table for spreadsheets, which else assume the encoding of their country
# Spreadsheets run a cell that begins like this as a formula, some also after blanks or in full
# width. Leading quotes count, too, so that removing one gives back the original cell.
_FORMULA = re.compile(r"'*(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])")


def format_of(path: Path) -> str:
    """Return the format to write, by the file's name, which may end in .gz.

    Raises:
        InputError: an unknown format.
    """
    name = path.name.lower().removesuffix(".gz")
    kind = next((kind for ending, kind in _FORMATS.items() if name.endswith(ending)), "")
    if not kind:
        raise InputError(
            f"{path} is of no known format; use {', '.join(_FORMATS)}, or one of them with .gz."
        )
    return kind


def encoding_of(name: str) -> str:
    """Return the encoding of a file by its name: a table begins with :data:`MARK`."""
    is_table = name.lower().removesuffix(".gz").endswith((".csv", ".tsv"))
    return "utf-8-sig" if is_table else "utf-8"


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
        with io.TextIOWrapper(raw, encoding=encoding_of(path.name), newline="") as stream:
            yield row_writer(stream, kind, columns)


@contextmanager
def parquet_rows(
    stream: BinaryIO, columns: Sequence[str], types: Mapping[str, str],
    metadata: Mapping[str, str] | None = None,
) -> Iterator[Write]:  # fmt: skip
    """Yield a function that writes a row to a stream as Parquet.

    ``types``: Arrow's type names by column, such as ``int64``; other columns hold strings.
    ``metadata`` of the file.
    """
    import pyarrow
    from pyarrow import parquet

    named = {name: pyarrow.type_for_alias(types.get(name, "string")) for name in columns}
    schema = pyarrow.schema(list(named.items()), metadata)
    held = list[Mapping[str, Any]]()
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


def to_json(values: Any, indent: int | None = 2) -> str:
    """Return JSON in plain letters; what controls a terminal is written as its number."""
    written = json.dumps(values, ensure_ascii=False, indent=indent, default=str)
    return OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", written)


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
