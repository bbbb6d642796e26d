"""Write rows as tables: CSV, TSV, JSON lines or Parquet, in memory or in a file, also gzipped."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from hinter_core.storage import write_whole

Row = Mapping[str, Any]
Write = Callable[[Row], Any]
_BATCH = 2048  # rows of Parquet written at once

# A spreadsheet takes a cell that begins so for a formula. Quotes before it count, too, so that
# taking one away again gives back the cell there was.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def rows_to_csv(rows: Sequence[Row]) -> str:
    """Rows as CSV; cells that a spreadsheet would run as a formula are prefixed with ``'``."""
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
    """Yield a function that writes a row to a file; the file is whole or not there.

    ``kind``: ``csv``, ``tsv``, ``jsonl`` (all gzipped if the name ends so) or ``parquet``, with
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
        # Without the mark, spreadsheets take a file for one in their country's encoding.
        encoding = "utf-8" if kind == "jsonl" else "utf-8-sig"
        with io.TextIOWrapper(raw, encoding=encoding, newline="") as stream:
            yield row_writer(stream, kind, columns)


@contextmanager
def parquet_rows(
    stream: BinaryIO, columns: Sequence[str], types: Mapping[str, str]
) -> Iterator[Write]:
    """Yield a function that writes a row to a stream as Parquet.

    ``types``: Arrow's names of columns' types, such as ``int64``; the others hold strings.
    """
    import pyarrow
    from pyarrow import parquet

    named = {name: pyarrow.type_for_alias(types.get(name, "string")) for name in columns}
    schema, held = pyarrow.schema(list(named.items())), list[Row]()
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:

        def flush() -> None:
            if held:
                writer.write_table(pyarrow.Table.from_pylist(held, schema=schema))
                held.clear()

        def write(row: Row) -> None:
            held.append(row)
            if len(held) == _BATCH:
                flush()

        yield write
        flush()


def safe_cell(value: Any) -> Any:
    """A cell that no spreadsheet runs: one that looks like a formula is prefixed with ``'``."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def plain_cell(cell: str) -> str:
    """The cell that :func:`safe_cell` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
