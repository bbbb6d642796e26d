"""Write the tables of a shard: each in pieces, visible once it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from hinter_core.campaign.parquet import named
from hinter_core.data.tables import table_of
from hinter_core.storage import write_whole

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
