"""A project on disk: its settings, its items, its people, and who judges what.

One SQLite file holds everything. The owner has the file, or the owner's key; an annotator has the
key that joining gave, and reaches nothing but the own assignments and judgements.
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
    """How many items came new; ids of those that were there, or that repeat another's texts."""

    added: int
    duplicates: tuple[str, ...] = ()


class AnnotationStore:
    """One project's file; safe from many threads and processes at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = Database(path)

    # -- the project ----------------------------------------------------------------------------

    @classmethod
    def create(cls, path: Path, project: Project) -> tuple[AnnotationStore, str]:
        """A new project, and the key of its owner, which is told this once.

        Raises:
            AnnotationError: the file is there already, or cannot be written.
        """
        store, key = cls(path), secrets.token_urlsafe(24)
        digest = hashlib.sha256(key.encode()).hexdigest()
        store.database.create({"project": project_to_json(project), "owner": digest})
        return store, key

    @classmethod
    def open(cls, path: Path) -> AnnotationStore:
        """A project that is there.

        Raises:
            AnnotationError: there is none, or it is of another version.
        """
        store = cls(path)
        store.database.check()
        return store

    def project(self) -> Project:
        """Its settings."""
        with self.database.read() as connection:
            return project_of(connection)

    def change(self, **settings: Any) -> Project:
        """Change settings; questions only while nobody has judged.

        Raises:
            AnnotationError: the questions were answered already.
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
        """Let the owner in.

        Raises:
            AccessError: that is not the owner's key.
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
        """Add items that are new; all of them or, on an error, none.

        Raises:
            AnnotationError: an item without a text or an id, or with a text beyond all measure.
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
        """All items that were not taken out, in the order in which they came."""
        with self.database.read() as connection:
            for row in connection.execute(
                "SELECT content FROM items WHERE removed_at IS NULL ORDER BY number"
            ):
                yield item_from_json(json.loads(row["content"]))

    def item(self, ident: str) -> AnnotationItem:
        """The item of that id.

        Raises:
            GoneError: there is none, or it was taken out.
        """
        with self.database.read() as connection:
            row = connection.execute(
                "SELECT content, removed_at FROM items WHERE id = ?", (ident,)
            ).fetchone()
        if row is None or row["removed_at"]:
            raise GoneError(f"There is no item \u201c{ident[:60]}\u201d any more.")
        return item_from_json(json.loads(row["content"]))

    def remove(self, ident: str) -> None:
        """Take an item out; what was judged of it stays in the file and counts no longer.

        Raises:
            GoneError: there is none.
        """
        self.item(ident)
        with self.database.write() as connection:
            connection.execute("UPDATE items SET removed_at = ? WHERE id = ?", (now(), ident))

    # -- people ---------------------------------------------------------------------------------

    def join(self, name: str, pass_phrase: str) -> tuple[Annotator, str]:
        """Join with a name and a pass-phrase, or come back with them; the key is for the page.

        Raises:
            AccessError: no name, a short pass-phrase, or a name that is another's.
        """
        with self.database.read() as connection:
            said = people.claim(connection, name, pass_phrase)
        with self.database.write() as connection:
            return people.join(connection, said, now())

    def join_by_login(self, name: str, login: str) -> tuple[Annotator, str]:
        """Join as somebody whom another service has made sure of.

        Raises:
            AccessError: the name belongs to somebody else here.
        """
        with self.database.write() as connection:
            return people.join_by_login(connection, name, login, now())

    def whose(self, key: str) -> Annotator:
        """The annotator of a page's key.

        Raises:
            AccessError: the key is of nobody.
        """
        with self.database.read() as connection:
            return people.whose(connection, key)

    def leave(self, key: str) -> None:
        """Make a page's key worthless."""
        with self.database.write() as connection:
            people.leave(connection, key)

    def annotators(self) -> list[Annotator]:
        """Everybody who joined, in the order in which they did."""
        with self.database.read() as connection:
            rows = connection.execute("SELECT id, name FROM annotators ORDER BY id").fetchall()
        return [Annotator(row["id"], row["name"]) for row in rows]

    # -- what was said --------------------------------------------------------------------------

    def judgements(self, *, history: bool = False) -> Iterator[Judgement]:
        """The judgements that count, or with ``history`` every row ever written; in their order.

        What was taken back or corrected does not count, nor does what concerns items taken out.
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
        """Write down the owner's decision on a question of an item; "" takes it back.

        Raises:
            AnnotationError: no such item, question or answer.
        """
        self.item(item)
        asked = next((q for q in self.project().questions if q.id == question), None)
        if asked is None or (value and asked.answer(value) is None):
            raise AnnotationError(f"'{question}' has no answer '{value[:40]}' in this project.")
        with self.database.write() as connection:
            connection.execute(
                "INSERT INTO adjudications (item, question, value, note, at) SELECT number, ?, ?, "
                "?, ? FROM items WHERE id = ?",
                (question, value, note, now(), item),
            )

    def adjudications(self) -> dict[tuple[str, str], str]:
        """The owner's decisions that stand, by item and question."""
        found = {}
        with self.database.read() as connection:
            for row in connection.execute(
                "SELECT i.id, d.question, d.value FROM adjudications d "
                "JOIN items i ON i.number = d.item WHERE i.removed_at IS NULL ORDER BY d.id"
            ):
                found[row["id"], row["question"]] = row["value"]
        return {key: value for key, value in found.items() if value}


@contextmanager
def opened(path: Path) -> Iterator[AnnotationStore]:
    """A project for a while.

    Raises:
        AnnotationError: there is none at that path.
    """
    store = AnnotationStore.open(path)
    try:
        yield store
    finally:
        store.close()


def project_of(connection: sqlite3.Connection) -> Project:
    """The settings in an open file."""
    return project_from_json(_get(connection, "project"))


def now() -> str:
    """The time as it is written down: ISO 8601, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def check_item(item: AnnotationItem) -> None:
    """Refuse an item that nobody could judge.

    Raises:
        AnnotationError: no id, no text, or one beyond all measure.
    """
    if not item.id.strip() or len(item.id) > _LONGEST_ID:
        raise AnnotationError(f"An item needs an id of 1 to {_LONGEST_ID} characters.")
    if not item.mutant.strip():
        raise AnnotationError(f"Item \u201c{item.id[:60]}\u201d has no text to judge.")
    if max(len(item.mutant), len(item.source)) > _LONGEST_TEXT:
        raise AnnotationError(
            f"Item \u201c{item.id[:60]}\u201d has more than {_LONGEST_TEXT:,} characters, which "
            "nobody would read; give shorter texts."
        )


def _any(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None  # noqa: S608


def _put(connection: sqlite3.Connection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _get(connection: sqlite3.Connection, key: str) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row["value"]) if row is not None else ""
