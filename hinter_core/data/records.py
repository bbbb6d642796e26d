"""Files as records: values by column, and a fault in words where a line cannot be used.

CSV (also with semicolons), TSV, JSON lines, Parquet and plain text (one text a line), each also
gzipped, in UTF-8 or UTF-16. What is not UTF-8 in a UTF-8 file survives as surrogates, so that its
row alone is concerned. Memory does not grow with the file.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from hinter_core.errors import InputError

Record = tuple[Mapping[str, Any], str]  # values by column, and a fault

_FORMATS = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".txt": "text",
}  # fmt: skip
_FALLBACK = "cp1252"  # what a file that is not UTF-8 nearly always is
_BOMS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def format_of(path: Path) -> str:
    """``csv``, ``tsv``, ``jsonl``, ``parquet`` or ``text``, by the file's name.

    Raises:
        InputError: it ends as no known format does.
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
    """How the text in a file is written; Parquet has its own way."""
    if kind == "parquet":
        return ""
    with _opened(path) as raw:
        return _encoding(raw)


def count_of(path: Path, kind: str) -> int | None:
    """The number of rows, where the file says it without being read through."""
    if kind != "parquet":
        return None
    import pyarrow.parquet as parquet

    return int(parquet.read_metadata(path).num_rows)


def records(path: Path, kind: str) -> Iterator[Record]:
    """All records of a file, one after another.

    Raises:
        InputError: the file breaks off, or cannot be read.
    """
    try:
        if kind == "parquet":
            yield from _parquet(path)
            return
        with _opened(path) as raw:
            readers: dict[str, Callable[[Any], Iterator[Record]]] = {
                "jsonl": _json_lines,
                "text": _lines,
            }
            if kind in readers:
                yield from readers[kind](raw)
            else:
                yield from _separated(raw, "\t" if kind == "tsv" else ",")
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise InputError(f"{path} cannot be read ({error}); is it whole?") from error


def _opened(path: Path) -> Any:
    return gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb")


def _encoding(raw: Any) -> str:
    start = raw.peek(2)[:2]
    return _BOMS.get(start, "utf-8")


def _decoded(raw: Any) -> io.TextIOWrapper:
    if _encoding(raw) == "utf-16":
        return io.TextIOWrapper(raw, encoding="utf-16", errors="replace", newline="")
    return io.TextIOWrapper(raw, encoding="utf-8-sig", errors="surrogateescape", newline="")


def _separated(raw: Any, separator: str) -> Iterator[Record]:
    csv.field_size_limit(2**31 - 1)
    lines = (line.replace("\0", "") for line in _decoded(raw))
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


def _json_lines(raw: Any) -> Iterator[Record]:
    for line in _decoded(raw):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield {}, f"it is no JSON ({error})"
            continue
        if isinstance(values, dict):
            yield values, ""
        else:
            yield {}, "it is no JSON object"


def _lines(raw: Any) -> Iterator[Record]:
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


def mended(text: str) -> tuple[str, bool | None]:
    """The text with bytes that were not UTF-8 read as Windows-1252, and whether it had any.

    None where it can be read neither way; the text is then empty.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        try:
            return text.encode("utf-8", "surrogateescape").decode(_FALLBACK), True
        except UnicodeEncodeError:  # half a character, as JSON may hold it
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), False
        except UnicodeDecodeError:
            return "", None
    return text, False
