"""The SQLite file of a project: WAL mode, one connection per thread, one writer at a time.

A commit is on disk before it returns (``synchronous=FULL``), so that acknowledged judgements
survive a killed process and a power cut. Triggers make judgements append-only, except within
:meth:`Database.rewrite`, which merges and erases people.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hinter_core.annotation.project.types import AnnotationError
from hinter_core.storage import open_database, transaction

# What makes each version of a file out of the one before; a new file runs all of them.
_FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE items (
    number INTEGER PRIMARY KEY,           -- the order in which they came
    id TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,                -- JSON
    fingerprint TEXT NOT NULL UNIQUE,     -- of source and mutant: no pair is judged twice as two
    shared INTEGER NOT NULL,              -- judged by all annotators
    removed_at TEXT
);
CREATE TABLE annotators (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE,          -- the name without case and blanks
    salt BLOB, secret BLOB,               -- of the pass-phrase; null for other logins
    login TEXT UNIQUE,                    -- at another service
    joined_at TEXT NOT NULL
);
CREATE TABLE tokens (
    digest BLOB PRIMARY KEY,
    annotator INTEGER NOT NULL REFERENCES annotators(id)
);
CREATE TABLE assignments (
    id INTEGER PRIMARY KEY,               -- the order in which they were given
    annotator INTEGER NOT NULL REFERENCES annotators(id),
    item INTEGER NOT NULL REFERENCES items(number),
    showing INTEGER NOT NULL,
    given_at REAL NOT NULL,               -- reserved at: seconds, UNIX time; 0 if not reserved
    UNIQUE (annotator, item, showing)
);
CREATE INDEX assigned ON assignments(item, showing);
CREATE TABLE judgements (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    annotator INTEGER NOT NULL REFERENCES annotators(id),
    item INTEGER NOT NULL REFERENCES items(number),
    showing INTEGER NOT NULL,
    status TEXT NOT NULL,
    answers TEXT NOT NULL,                -- JSON, question -> value
    comment TEXT NOT NULL,
    seconds REAL NOT NULL,
    at TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE              -- made by the sender; a repeated request counts once
);
CREATE INDEX judged ON judgements(annotator, item, showing);
CREATE TABLE adjudications (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    item INTEGER NOT NULL REFERENCES items(number),
    question TEXT NOT NULL,
    value TEXT NOT NULL,                  -- "" withdraws an earlier one
    note TEXT NOT NULL,                   -- not used
    at TEXT NOT NULL
);
CREATE TRIGGER judgements_stay BEFORE UPDATE ON judgements
    BEGIN SELECT RAISE(ABORT, 'judgements are append-only'); END;
CREATE TRIGGER judgements_last BEFORE DELETE ON judgements
    BEGIN SELECT RAISE(ABORT, 'judgements are append-only'); END;
CREATE VIEW latest AS
    SELECT * FROM judgements j WHERE status <> 'withdrawn' AND NOT EXISTS (
        SELECT 1 FROM judgements k WHERE k.annotator = j.annotator AND k.item = j.item
        AND k.showing = j.showing AND k.id > j.id);
"""
_PEOPLE = """
ALTER TABLE annotators ADD COLUMN excluded TEXT NOT NULL DEFAULT '';  -- why, or "" if counted
ALTER TABLE annotators ADD COLUMN entry TEXT NOT NULL DEFAULT '{}';   -- JSON, from the link
DROP TRIGGER judgements_stay;
DROP TRIGGER judgements_last;
CREATE TRIGGER judgements_stay BEFORE UPDATE ON judgements
    WHEN NOT EXISTS (SELECT 1 FROM meta WHERE key = 'rewriting')
    BEGIN SELECT RAISE(ABORT, 'judgements are append-only'); END;
CREATE TRIGGER judgements_last BEFORE DELETE ON judgements
    WHEN NOT EXISTS (SELECT 1 FROM meta WHERE key = 'rewriting')
    BEGIN SELECT RAISE(ABORT, 'judgements are append-only'); END;
"""
VERSIONS = (_FIRST, _PEOPLE)
VERSION = len(VERSIONS)


class Database:
    """Connections to one project's file, for any number of threads and processes.

    Raises:
        AnnotationError: the file cannot be read or written (all methods).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._writing = threading.Lock()
        self._made: list[sqlite3.Connection] = []

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection to read from; each statement sees all commits before it."""
        try:
            yield self._connection()
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise AnnotationError(
                f"{self.path} cannot be used ({error}); is it an annotation project, is the disk "
                "full, may it be written?"
            ) from error

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Run one transaction; other writers wait."""
        with self._writing, self.read() as connection, transaction(connection):
            yield connection

    @contextmanager
    def rewrite(self) -> Iterator[sqlite3.Connection]:
        """Run one transaction that may change and delete judgements."""
        with self.write() as connection:
            connection.execute("INSERT INTO meta VALUES ('rewriting', '')")
            yield connection
            connection.execute("DELETE FROM meta WHERE key = 'rewriting'")

    def shred(self) -> None:
        """Rebuild the file and empty its log, so that nothing deleted is left in either.

        Raises:
            AnnotationError: somebody reads the file all the time.
        """
        with self._writing, self.read() as connection:
            connection.execute("VACUUM")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise AnnotationError(
                f"What was deleted may still be in {self.path}-wal, as another program reads the "
                "file; stop it and open the project again."
            )

    def migrate(self, version: int) -> None:
        """Bring a file of an older version to the current one; ``version`` 0 is an empty file."""
        steps = " ".join(VERSIONS[version:])
        with self.write() as connection:
            # A script ends the transaction that it finds, and so begins its own.
            connection.executescript(f"BEGIN IMMEDIATE; {steps} PRAGMA user_version={VERSION};")

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        with self._writing:
            for connection in self._made:
                connection.close()
            self._made.clear()
            self._local = threading.local()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = open_database(self.path, synchronous="FULL")
            # Each commit goes on from the log into the file itself, which may be copied alone then.
            connection.execute("PRAGMA wal_autocheckpoint = 1")
            connection.row_factory = sqlite3.Row
            self._local.connection = connection
            self._made.append(connection)
        return connection
