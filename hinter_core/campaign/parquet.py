"""The Parquet files of a campaign's tables: read, verify, tell their faults, and write them."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

from cachetools import LRUCache

from hinter_core.data.tables import table_of
from hinter_core.errors import HinterError
from hinter_core.places import readable
from hinter_core.storage import write_whole

CURE = "; resume the campaign, which makes it again."
BROKEN = f"is missing or damaged{CURE}"
# Columns that identify each kind of table.
_COLUMNS = {
    "texts": ("row", "text", "outcome", "mutants"),
    "mutants": ("row", "order", "edits", "kept", "text"),
    "answers": ("row", "mutant", "verdict", "labels"),
}
# Columns with few distinct values; reading them as codes halves the time of verification.
_REPEATED = {
    "mutants": tuple(
        f"edits.list.element.{name}"
        for name in ("attribute", "source", "target", "source_group", "target_group", "form")
    ),
    "answers": ("verdict", "failure", "labels.list.element"),
}
_NOTED: LRUCache[tuple[Path, int], tuple[str, ...]] = LRUCache(100_000)  # columns by file and time
_NOTING = threading.Lock()


class StoreError(HinterError):
    """A campaign's directory cannot be used or written."""


def count_rows(path: Path, *, ends: bool = False) -> int | None:
    """Return the number of rows of a table; None if it is damaged."""
    try:
        if not ends:
            checked_rows(path)
        with _opened(path, ()) as file:
            return int(file.metadata.num_rows)
    except StoreError:
        return None


def rows_between(path: Path) -> tuple[int, int] | None:
    """Return the first and the last row number of a table; None if none is known.

    The result is cached until the file changes.

    Raises:
        StoreError: it is missing or damaged.
    """
    return _rows_between(path, _changed(path))


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError as error:
        raise StoreError(f"{path} {BROKEN}") from error


@lru_cache(maxsize=100_000)
def _rows_between(path: Path, written: int) -> tuple[int, int] | None:  # noqa: ARG001
    with _opened(path, ()) as file:
        groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
        columns = [group.column(0) for group in groups if group.num_rows]
        noted = [one.statistics for one in columns if one.path_in_schema == "row"]
    if not noted or not all(one and one.has_min_max for one in noted):
        return None
    return min(one.min for one in noted), max(one.max for one in noted)


def read_table(path: Path, *columns: str) -> Any:
    """Read a table, or some of its columns, as a pyarrow table.

    Raises:
        StoreError: it is missing or damaged.
    """
    with _opened(path, columns) as file:
        return file.read(columns=list(columns) or None)


@contextmanager
def _opened(path: Path, columns: Sequence[str], *, codes: bool = False) -> Iterator[Any]:
    """Open a table; faults while it is open also raise StoreError."""
    import pyarrow
    import pyarrow.parquet as parquet

    repeated = _REPEATED.get(kind_of(path), ()) if codes else ()
    try:
        with parquet.ParquetFile(
            readable(path), page_checksum_verification=True, read_dictionary=list(repeated)
        ) as file:
            if not {*_COLUMNS.get(kind_of(path), ()), *columns} <= set(file.schema_arrow.names):
                raise StoreError(f"{path} {BROKEN}")
            yield file
    except (OSError, KeyError, pyarrow.ArrowException) as error:
        raise StoreError(f"{path} {BROKEN}") from error


def kind_of(path: Path) -> str:
    """Return ``texts``, ``mutants`` or ``answers``, by the file's name."""
    return path.name.removesuffix(".parquet").rpartition(".")[2].partition("-")[0]


_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Convert errors of the disk to an error that names the file.

    Raises:
        StoreError: the disk is full, or the folder cannot be written.
    """
    try:
        yield
    except OSError as error:
        advice = (
            "Free some space or choose another directory; finished work is kept, and the run can "
            "be resumed."
            if error.errno in _FULL
            else "Check the path and its permissions, or choose another directory."
        )
        raise StoreError(f"Cannot write {path}: {error.strerror or error}. {advice}") from error


def checked_rows(path: Path, columns: Sequence[str] = ()) -> int:
    """Verify a table's checksums; return its number of rows, without answers to originals.

    ``columns``: those to verify, if the table has them (default: all). The result is cached until
    the file changes.

    Raises:
        StoreError: it is missing or damaged.
    """
    return _checked_rows(path, _changed(path), tuple(columns))


@lru_cache(maxsize=100_000)
def _checked_rows(path: Path, written: int, columns: Sequence[str]) -> int:  # noqa: ARG001
    rows = 0
    for batch in read_batches(path, columns):
        answers = "mutant" in batch.schema.names
        rows += int((batch["mutant"].to_numpy() >= 0).sum()) if answers else len(batch)
    return rows


def read_batches(path: Path, columns: Sequence[str] = ()) -> Iterator[Any]:
    """Yield a table's record batches; ``columns``: those to read, if it has them (default: all).

    Raises:
        StoreError: it is missing or damaged.
    """
    with _opened(path, (), codes=True) as file:
        _columns_of(path, path.stat().st_mtime_ns, file)
        held = file.schema_arrow.names
        chosen = [name for name in columns if name.partition(".")[0] in held] or None
        # Codes differ between row groups, and pyarrow cannot join nested ones.
        for group in range(file.num_row_groups):
            yield from file.iter_batches(2**16, [group], columns=chosen, use_threads=False)


def alike(paths: Sequence[Path]) -> bool:
    """Whether tables have the same columns, that is, the same version.

    Raises:
        StoreError: one is missing or damaged.
    """
    return len({_columns_of(path, _changed(path)) for path in paths}) < 2


def _columns_of(path: Path, written: int, file: Any = None) -> tuple[str, ...]:
    """Return the columns of a table, including fields of structs; ``file``: it is open."""
    with _NOTING:
        noted = _NOTED.get((path, written))
    if noted is None:
        with nullcontext(file) if file else _opened(path, ()) as opened:
            noted = tuple(opened.schema.names)
        with _NOTING:
            _NOTED[path, written] = noted
    return noted


WriteRows = Callable[[Sequence[Mapping[str, Any]]], None]
_GROUP = 16_384  # rows of a piece; pieces of 512 take twice the room, by their lists of words


@contextmanager
def table_writer(path: Path, schema: Any) -> Iterator[WriteRows]:
    """Yield a function that adds rows to a temporary file, which gets its name at the end.

    Raises:
        StoreError: the disk is full, or the folder cannot be written.
    """
    import pyarrow
    import pyarrow.parquet as parquet

    held: list[Any] = []

    def write(rows: Sequence[Mapping[str, Any]]) -> None:
        if rows:
            held.append(table_of(rows, schema))
            if sum(map(len, held)) >= _GROUP:
                flush()

    def flush() -> None:
        if held:
            with named(path):
                writer.write_table(pyarrow.concat_tables(held))
            held.clear()

    with named(path), ExitStack() as stack:
        part = stack.enter_context(write_whole(path))
        writer = stack.enter_context(
            parquet.ParquetWriter(part, schema, compression="zstd", write_page_checksum=True)
        )
        opened = stack.pop_all()
    try:
        yield write
        flush()
    except BaseException as error:
        with named(path):
            opened.__exit__(type(error), error, error.__traceback__)
        raise
    with named(path):
        opened.close()


def write_table(path: Path, rows: Sequence[Mapping[str, Any]], schema: Any) -> None:
    """Write a table at once."""
    with table_writer(path, schema) as write:
        write(rows)
