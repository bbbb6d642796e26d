"""Tables of a campaign written whole: beside their place, and renamed when all is there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hinter_core.shards import StoreError, named


class TableWriter:
    """Writes a table piece by piece to a file beside it, and renames it when all is written.

    Raises:
        StoreError: the disk is full, or the folder cannot be written.
    """

    def __init__(self, path: Path, schema: Any) -> None:
        self._path = path
        self._schema = schema
        self._part = path.with_name(f"{path.name}.{os.getpid()}.part")
        self._writer: Any = None

    def __enter__(self) -> TableWriter:
        import pyarrow.parquet as parquet

        try:
            with named(self._path):
                self._writer = parquet.ParquetWriter(
                    self._part, self._schema, compression="zstd", write_page_checksum=True
                )
        except StoreError:
            self._part.unlink(missing_ok=True)
            raise
        return self

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows."""
        import pyarrow

        if rows:
            table = pyarrow.Table.from_pylist(list(rows), schema=self._schema)
            with named(self._path):
                self._writer.write_table(table)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        with named(self._path):
            try:
                self._writer.close()
                if kind is None:
                    os.replace(self._part, self._path)
            finally:
                self._part.unlink(missing_ok=True)


def write_table(path: Path, rows: Sequence[Mapping[str, Any]], schema: Any) -> None:
    """Write a whole table at once."""
    with TableWriter(path, schema) as writer:
        writer.write(rows)
