"""Databases of DuckDB in memory, of which those of a process share an instance where they can."""

from __future__ import annotations

import atexit
import os
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

THREADS = 3  # one verifies while two count
MEMORY = "512 MB"
_MAIN = "memory"  # DuckDB's name for the first database of an instance
_LOCK = threading.Lock()
_NUMBERS = count()

Prepare = Callable[[Any], None]
# Shared instances by process, as threads do not follow a fork; closing one of another process would
# wait for threads that are not there.
_INSTANCES: dict[tuple[int, Prepare], Any] = {}


class MemoryDatabase(NamedTuple):
    """A database; ``name``: within the shared instance, None in an instance of its own."""

    connection: Any
    name: str | None

    def cursor(self) -> Any:
        """Return another connection to it, without its temporary tables."""
        cursor = self.connection.cursor()
        if self.name:
            cursor.execute(f"USE {self.name}")
        return cursor

    def close(self) -> None:
        """Remove the database and end all that its cursors read."""
        import duckdb

        if self.name:
            with suppress(duckdb.Error):  # the instance is of no use any more
                self.connection.execute(f"USE {_MAIN}; DETACH {self.name}")
        self.connection.close()


def own_database(prepare: Prepare) -> MemoryDatabase:
    """Return a database in an instance of its own, whose settings may be locked.

    ``prepare``: is called with a connection, to make what all databases of the instance read.
    """
    return MemoryDatabase(_instance(prepare), None)


def shared_database(prepare: Prepare) -> MemoryDatabase:
    """Return a database in the instance of this process: 1 ms in place of 20.

    Databases of an instance share its memory and threads. ``prepare``: as above; it is called once
    for an instance.
    """
    import duckdb

    name, key = f"reader_{next(_NUMBERS)}", (os.getpid(), prepare)
    with _LOCK:
        for _ in "12":
            if key not in _INSTANCES:
                _INSTANCES[key] = _instance(prepare)
            try:
                connection = _INSTANCES[key].cursor()
                _hide_progress(connection)
                connection.execute(f"ATTACH ':memory:' AS {name}; USE {name}")
            except duckdb.Error:  # an earlier fault of the library made it useless
                del _INSTANCES[key]
            else:
                return MemoryDatabase(connection, name)
    raise MemoryError("DuckDB makes no database.")


def _hide_progress(connection: Any) -> None:
    import duckdb

    # In Jupyter without ipywidgets there is no bar, and DuckDB refuses the setting.
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")


def _instance(prepare: Prepare) -> Any:
    import duckdb

    # Made by DuckDB where memory does not suffice, and removed with the instance.
    spill = Path(tempfile.gettempdir()) / f"hinter-{token_hex(8)}"
    connection = duckdb.connect(
        config={
            "threads": THREADS,
            "memory_limit": MEMORY,
            "temp_directory": str(spill),
            "preserve_insertion_order": False,
        }
    )
    _hide_progress(connection)
    prepare(connection)
    return connection


@atexit.register
def _close() -> None:
    for process, prepare in list(_INSTANCES):
        if process == os.getpid():  # the library reports what is still held at the end
            _INSTANCES.pop((process, prepare)).close()
