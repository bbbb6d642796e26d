"""The file of a project: SQLite in WAL mode, one connection a thread, one writer at a time.

A commit is on disk before it returns (``synchronous=FULL``), so that what was acknowledged
survives a killed process and a power cut. Judgements are append-only: the file itself refuses to
change or delete one.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hinter_core.annotation.project.types import AnnotationError
from hinter_core.storage import open_database, transaction

VERSION = 1
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE items (
    number INTEGER PRIMARY KEY,           -- the order in which they came
    id TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,                -- JSON
    fingerprint TEXT NOT NULL UNIQUE,     -- of source and mutant: no pair is judged twice as two
    shared INTEGER NOT NULL,              -- judged by everybody
    removed_at TEXT
);
CREATE TABLE annotators (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    folded TEXT NOT NULL UNIQUE,          -- the name without case and blanks
    salt BLOB, secret BLOB,               -- of the pass-phrase; none who come by another login
    login TEXT UNIQUE,                    -- that login
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
    given_at REAL NOT NULL,               -- seconds, UNIX time
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
    key TEXT NOT NULL UNIQUE              -- of the sender: what is sent twice counts once
);
CREATE INDEX judged ON judgements(annotator, item, showing);
CREATE TABLE adjudications (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    item INTEGER NOT NULL REFERENCES items(number),
    question TEXT NOT NULL,
    value TEXT NOT NULL,                  -- "" takes an earlier one back
    note TEXT NOT NULL,
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


class Database:
    """Connections to one project's file; safe from many threads and processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._writing = threading.Lock()
        self._made: list[sqlite3.Connection] = []

    def create(self, meta: Mapping[str, str]) -> None:
        """Make the file with what ``meta`` says, whole or not at all.

        Raises:
            AnnotationError: it is there already, or cannot be written.
        """
        if self.path.exists():
            raise AnnotationError(f"{self.path} is there already; choose another name.")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AnnotationError(f"Cannot write {self.path}: {error.strerror}.") from error
        with self.write() as connection:
            for statement in _statements(_SCHEMA):
                connection.execute(statement)
            connection.executemany("INSERT INTO meta VALUES (?, ?)", list(meta.items()))
            connection.execute(f"PRAGMA user_version={VERSION}")

    def check(self) -> None:
        """Make sure that the file is a project of this version.

        Raises:
            AnnotationError: it is not.
        """
        if not self.path.is_file():
            raise AnnotationError(f"{self.path} is not there; check the path.")
        with self.read() as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            raise AnnotationError(
                f"{self.path} is no annotation project of this version of HInter "
                f"(version {version}, needed {VERSION})."
            )

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A connection to read from; every statement sees all that was committed before it.

        Raises:
            AnnotationError: the file cannot be read.
        """
        with self._named():
            yield self._connection()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction, all or nothing; others wait.

        Raises:
            AnnotationError: the file cannot be written.
        """
        with self._named(), self._writing:
            connection = self._connection()
            with transaction(connection):
                yield connection

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        with self._writing:
            for connection in self._made:
                connection.close()
            self._made.clear()
            self._local = threading.local()

    def _connection(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = open_database(self.path, synchronous="FULL")
            found.row_factory = sqlite3.Row
            self._local.connection = found
            self._made.append(found)
        return found

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise AnnotationError(
                f"{self.path} cannot be used ({error}); is it an annotation project, is the disk "
                "full, may it be written?"
            ) from error


def _statements(script: str) -> Iterator[str]:
    """The statements of a script; those of triggers hold semicolons of their own."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
