"""A project on disk: settings, items, annotators, judgements and the owner's decisions.

One SQLite file holds everything. The owner has the file or the owner's key; an annotator has the
key from joining, which gives access to the annotator's assignments and judgements only.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hinter_core.annotation.project import people
from hinter_core.annotation.project.coding import (
    fingerprint,
    item_from_json,
    item_to_json,
    project_from_json,
    project_to_json,
)
from hinter_core.annotation.project.database import Database
from hinter_core.annotation.project.types import (
    AccessError,
    AnnotationError,
    AnnotationItem,
    Annotator,
    GoneError,
    Judgement,
    Project,
    Status,
)

_LONGEST_ID, _LONGEST_TEXT = 200, 100_000


@dataclass(frozen=True)
class Added:
    """Number of new items, and ids of those that repeat an id or the texts of another item."""

    added: int
    duplicates: tuple[str, ...] = ()


class AnnotationStore:
    """One project's file, for any number of threads and processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = Database(path)

    # -- the project ----------------------------------------------------------------------------

    @classmethod
    def create(cls, path: Path, project: Project) -> tuple[AnnotationStore, str]:
        """Create a project; return it with the owner's key, which is not stored.

        Raises:
            AnnotationError: the file exists, or cannot be written.
        """
        store, key = cls(path), secrets.token_urlsafe(24)
        digest = hashlib.sha256(key.encode()).hexdigest()
        store.database.create({"project": project_to_json(project), "owner": digest})
        return store, key

    @classmethod
    def open(cls, path: Path) -> AnnotationStore:
        """Open a project.

        Raises:
            AnnotationError: there is none, or it has another version.
        """
        store = cls(path)
        store.database.check()
        return store

    def project(self) -> Project:
        """Return the settings."""
        with self.database.read() as connection:
            return project_of(connection)

    def change(self, **settings: Any) -> Project:
        """Change settings; questions only before the first judgement.

        Raises:
            AnnotationError: the questions have answers already.
        """
        with self.database.write() as connection:
            old = project_of(connection)
            new = replace(old, **settings)
            if new.questions != old.questions and _any(connection, "judgements"):
                raise AnnotationError(
                    "The questions cannot change, as some are answered; make a new project."
                )
            _put(connection, "project", project_to_json(new))
        return new

    def admit_owner(self, key: str) -> None:
        """Check the owner's key.

        Raises:
            AccessError: the key is wrong.
        """
        with self.database.read() as connection:
            digest = _get(connection, "owner")
        if not hmac.compare_digest(digest, hashlib.sha256(key.encode()).hexdigest()):
            raise AccessError("This is not the owner's key of this project.")

    def close(self) -> None:
        """Close the file's connections."""
        self.database.close()

    # -- items ----------------------------------------------------------------------------------

    def add(self, items: Iterable[AnnotationItem]) -> Added:
        """Add new items, in one transaction.

        Raises:
            AnnotationError: see :func:`check_item`.
        """
        added, duplicates = 0, []
        with self.database.write() as connection:
            share = project_of(connection).share
            number: int = connection.execute(
                "SELECT COALESCE(MAX(number), 0) FROM items"
            ).fetchone()[0]
            for item in items:
                check_item(item)
                shared = int((number + 1) * share + 1e-9) > int(number * share + 1e-9)
                content = json.dumps(item_to_json(item), ensure_ascii=False)
                try:
                    connection.execute(
                        "INSERT INTO items VALUES (?, ?, ?, ?, ?, NULL)",
                        (number + 1, item.id, content, fingerprint(item), shared),
                    )
                except sqlite3.IntegrityError:
                    duplicates.append(item.id)
                    continue
                number, added = number + 1, added + 1
        return Added(added, tuple(duplicates))

    def items(self) -> Iterator[AnnotationItem]:
        """Yield all items that are not removed, in the order of adding."""
        with self.database.read() as connection:
            for row in connection.execute(
                "SELECT content FROM items WHERE removed_at IS NULL ORDER BY number"
            ):
                yield item_from_json(json.loads(row["content"]))

    def item(self, ident: str) -> AnnotationItem:
        """Return an item by its id.

        Raises:
            GoneError: there is none, or it was removed.
        """
        with self.database.read() as connection:
            row = connection.execute(
                "SELECT content, removed_at FROM items WHERE id = ?", (ident,)
            ).fetchone()
        if row is None or row["removed_at"]:
            raise GoneError(f"There is no item \u201c{ident[:60]}\u201d any more.")
        return item_from_json(json.loads(row["content"]))

    def remove(self, ident: str) -> None:
        """Remove an item; its judgements stay in the file and no longer count.

        Raises:
            GoneError: there is none.
        """
        self.item(ident)
        with self.database.write() as connection:
            connection.execute("UPDATE items SET removed_at = ? WHERE id = ?", (now(), ident))

    # -- people ---------------------------------------------------------------------------------

    def join(self, name: str, pass_phrase: str) -> tuple[Annotator, str]:
        """Join or return with a name and a pass-phrase; return also a key for the page.

        Raises:
            AccessError: an invalid name, a short or a wrong pass-phrase.
        """
        with self.database.read() as connection:
            claim = people.claim(connection, name, pass_phrase)
        with self.database.write() as connection:
            return people.join(connection, claim, now())

    def join_by_login(self, name: str, login: str) -> tuple[Annotator, str]:
        """Join with a login of another service.

        Raises:
            AccessError: the name is taken.
        """
        with self.database.write() as connection:
            return people.join_by_login(connection, name, login, now())

    def whose(self, key: str) -> Annotator:
        """Return the annotator of a page's key.

        Raises:
            AccessError: the key is unknown.
        """
        with self.database.read() as connection:
            return people.whose(connection, key)

    def leave(self, key: str) -> None:
        """Revoke a page's key."""
        with self.database.write() as connection:
            people.leave(connection, key)

    def annotators(self) -> list[Annotator]:
        """Return all annotators, in the order of joining."""
        with self.database.read() as connection:
            rows = connection.execute("SELECT id, name FROM annotators ORDER BY id").fetchall()
        return [Annotator(row["id"], row["name"]) for row in rows]

    # -- judgements -----------------------------------------------------------------------------

    def judgements(self, *, history: bool = False) -> Iterator[Judgement]:
        """Yield the current judgements, or with ``history`` also corrected and withdrawn ones.

        Judgements of removed items are left out.
        """
        table = "judgements" if history else "latest"
        with self.database.read() as connection:
            for row in connection.execute(
                f"SELECT j.*, a.name, i.id AS of FROM {table} j "  # noqa: S608 -- our own words
                "JOIN annotators a ON a.id = j.annotator JOIN items i ON i.number = j.item "
                "WHERE i.removed_at IS NULL ORDER BY j.id"
            ):
                yield Judgement(
                    row["id"], row["name"], row["of"], row["showing"], Status(row["status"]),
                    json.loads(row["answers"]), row["comment"], row["seconds"], row["at"],
                )  # fmt: skip

    def adjudicate(self, item: str, question: str, value: str, note: str = "") -> None:
        """Store the owner's decision on a question about an item; "" withdraws it.

        Raises:
            AnnotationError: no such item, question or answer.
        """
        self.item(item)
        match = next((q for q in self.project().questions if q.id == question), None)
        if match is None or (value and match.answer(value) is None):
            raise AnnotationError(f"'{question}' has no answer '{value[:40]}' in this project.")
        with self.database.write() as connection:
            connection.execute(
                "INSERT INTO adjudications (item, question, value, note, at) SELECT number, ?, ?, "
                "?, ? FROM items WHERE id = ?",
                (question, value, note, now(), item),
            )

    def adjudications(self) -> dict[tuple[str, str], str]:
        """Return the owner's current decisions by item and question."""
        decisions = {}
        with self.database.read() as connection:
            for row in connection.execute(
                "SELECT i.id, d.question, d.value FROM adjudications d "
                "JOIN items i ON i.number = d.item WHERE i.removed_at IS NULL ORDER BY d.id"
            ):
                decisions[row["id"], row["question"]] = row["value"]
        return {key: value for key, value in decisions.items() if value}


@contextmanager
def opened(path: Path) -> Iterator[AnnotationStore]:
    """Open a project and close it at the end.

    Raises:
        AnnotationError: see :meth:`AnnotationStore.open`.
    """
    store = AnnotationStore.open(path)
    try:
        yield store
    finally:
        store.close()


def project_of(connection: sqlite3.Connection) -> Project:
    """Return the settings in an open file."""
    return project_from_json(_get(connection, "project"))


def now() -> str:
    """Return the time in ISO 8601, UTC, with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def check_item(item: AnnotationItem) -> None:
    """Validate an item.

    Raises:
        AnnotationError: no id, no text, or one that is too long.
    """
    if not item.id.strip() or len(item.id) > _LONGEST_ID:
        raise AnnotationError(f"An item needs an id of 1 to {_LONGEST_ID} characters.")
    if not item.mutant.strip():
        raise AnnotationError(f"Item \u201c{item.id[:60]}\u201d has no text to judge.")
    if max(len(item.mutant), len(item.source)) > _LONGEST_TEXT:
        raise AnnotationError(
            f"Item \u201c{item.id[:60]}\u201d has more than {_LONGEST_TEXT:,} characters; give "
            "shorter texts."
        )


def _any(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None  # noqa: S608


def _put(connection: sqlite3.Connection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _get(connection: sqlite3.Connection, key: str) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row["value"]) if row is not None else ""
