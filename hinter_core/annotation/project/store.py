"""A project on disk: settings, items, annotators, judgements and the owner's decisions.

One SQLite file holds everything. The owner has the file or the owner's key; an annotator has the
key from joining, which gives access to the annotator's assignments and judgements only. Keys are
stored as SHA-256 digests, pass-phrases as salted scrypt digests.
"""

import hashlib
import hmac
import json
import secrets
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from hinter_core.annotation.project.database import VERSION, Database
from hinter_core.annotation.project.types import (
    CONSENSUS,
    FIRST,
    AccessError,
    AnnotationError,
    AnnotationItem,
    Annotator,
    GoneError,
    Judgement,
    Project,
    Status,
    as_json,
)

_LONGEST_ID, LONGEST_TEXT = 200, 100_000
_SHORTEST_PHRASE, _LONGEST_NAME = 8, 40
INSERT_JUDGEMENT = (
    "INSERT INTO judgements (annotator, item, showing, status, answers, comment, seconds, at, key) "
    "VALUES (:annotator, :item, :showing, :status, :answers, :comment, :seconds, :at, :key)"
)


class AnnotationStore(Database):
    """One project's file, for any number of threads and processes.

    Raises:
        AccessError: a wrong key or pass-phrase, or an invalid, reserved or taken name.
        GoneError: there is no such item, or it was removed.
        AnnotationError: the file exists (:meth:`create`), is no project of this version or cannot
            be written; an item is invalid (see :func:`check_item`); a question or answer is
            unknown; or questions would change after the first judgement.
    """

    # -- the project ----------------------------------------------------------------------------

    @classmethod
    def create(cls, path: Path, project: Project) -> tuple[Self, str]:
        """Create a project; return it with the owner's key, which is not stored."""
        if path.exists():
            raise AnnotationError(f"{path} already exists; choose another name.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AnnotationError(f"Cannot write {path}: {error.strerror}.") from error
        store, key = cls(path), secrets.token_urlsafe(24)
        store.migrate(0)
        with store.write() as connection:
            meta = [
                ("project", project.to_json()), ("owner", _digest(key).hex()), ("made", now()),
            ]  # fmt: skip
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta)
        return store, key

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a project."""
        if not path.is_file():
            raise AnnotationError(f"{path} does not exist; check the path.")
        store = cls(path)
        with store.read() as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        if 0 < version < VERSION:
            store.migrate(version)
        elif version != VERSION:
            raise AnnotationError(
                f"{path} is no annotation project of this version of HInter "
                f"(version {version}, needed {VERSION})."
            )
        return store

    def project(self) -> Project:
        """Return the settings."""
        with self.read() as connection:
            return project_of(connection)

    def made_at(self) -> str:
        """Return the time when the project was made, ISO 8601, or "" if that is not known."""
        with self.read() as connection:
            return _meta(connection, "made")

    def done(self) -> tuple[int, int]:
        """Count items with the judgements that the project wants, and all items.

        Those for all need two people, and everybody who may still judge; others need ``copies``.
        """
        with self.read() as connection:
            project = project_of(connection)
            wanted = {"copies": project.copies, "quota": project.quota, "first": FIRST}
            done, size = connection.execute(
                "WITH able AS (SELECT id FROM annotators a WHERE excluded = '' "
                "AND COALESCE(secret, login) IS NOT NULL AND (:quota = 0 OR :quota > (SELECT "
                "COUNT(*) FROM latest WHERE annotator = a.id AND status = 'judged'))) "
                "SELECT COALESCE(SUM(CASE shared WHEN 0 THEN judged >= :copies ELSE "
                "judged >= 2 AND of_able = (SELECT COUNT(*) FROM able) END), 0), COUNT(*) "
                "FROM items LEFT JOIN (SELECT item, COUNT(*) AS judged, "
                "SUM(annotator IN able) AS of_able FROM latest l JOIN annotators a "
                "ON a.id = l.annotator WHERE status = 'judged' AND showing = :first "
                "AND excluded = '' GROUP BY item) ON item = number WHERE removed_at IS NULL",
                wanted,
            ).fetchone()
        return done, size

    def change(self, **settings: Any) -> Project:
        """Change settings; questions only before the first judgement."""
        with self.write() as connection:
            old = project_of(connection)
            new = replace(old, **settings)
            answered = connection.execute("SELECT 1 FROM judgements LIMIT 1").fetchone()
            if new.questions != old.questions and answered:
                raise AnnotationError(
                    "The questions cannot change, as some are answered; make a new project."
                )
            connection.execute("UPDATE meta SET value = ? WHERE key = 'project'", (new.to_json(),))
        return new

    def admit_owner(self, key: str) -> None:
        """Check the owner's key."""
        with self.read() as connection:
            digest = _meta(connection, "owner")
        if not hmac.compare_digest(digest, _digest(key).hex()):
            raise AccessError("This is not the owner's key of this project.")

    # -- items ----------------------------------------------------------------------------------

    def add(self, items: Iterable[AnnotationItem]) -> list[str]:
        """Add items in one transaction; return the ids of duplicates, which are left out."""
        with self.write() as connection:
            share = project_of(connection).share
            return [item.id for item in items if not insert_item(connection, item, share)]

    def _items(self, where: str, *values: str) -> Iterator[AnnotationItem]:
        with self.read() as connection:
            query = f"SELECT content FROM items WHERE {where}"  # noqa: S608 -- our own words
            for row in connection.execute(query, values):
                yield AnnotationItem.from_json(row["content"])

    def items(self) -> Iterator[AnnotationItem]:
        """Yield all items that are not removed, in the order of adding."""
        return self._items("removed_at IS NULL ORDER BY number")

    def item(self, ident: str) -> AnnotationItem:
        """Return an item by its id."""
        for item in self._items("id = ? AND removed_at IS NULL", ident):
            return item
        raise GoneError(f"There is no item \u201c{ident[:60]}\u201d any more.")

    def replace_items(self, items: Iterable[AnnotationItem]) -> None:
        """Store other contents of items that are there, in one transaction."""
        with self.write() as connection:
            connection.executemany(
                "UPDATE items SET content = ? WHERE id = ?",
                [(item.to_json(), item.id) for item in items],
            )

    def remove(self, ident: str) -> None:
        """Remove an item; its judgements stay in the file and no longer count."""
        self.item(ident)
        with self.write() as connection:
            connection.execute("UPDATE items SET removed_at = ? WHERE id = ?", (now(), ident))

    def restore(self, ident: str) -> None:
        """Restore a removed item; its judgements count again."""
        with self.write() as connection:
            done = connection.execute(
                "UPDATE items SET removed_at = NULL WHERE id = ? AND removed_at IS NOT NULL",
                (ident,),
            )
        if not done.rowcount:
            raise GoneError(f"No item \u201c{ident[:60]}\u201d was removed, so none is restored.")

    def removed(self) -> list[AnnotationItem]:
        """Return the removed items, the latest first."""
        return [*self._items("removed_at IS NOT NULL ORDER BY removed_at DESC, number DESC")]

    # -- people ---------------------------------------------------------------------------------

    def join(self, name: str, pass_phrase: str) -> tuple[Annotator, str]:
        """Join or return with a name and a pass-phrase; return also a new key for the page."""
        shown = free_name(name)
        with self.read() as connection:
            row = _named(connection, shown)
        salt = (row and row["salt"]) or secrets.token_bytes(16)
        # Digested before the file is locked, as scrypt is slow.
        secret = secret_of(pass_phrase, salt)
        with self.write() as connection:
            row = _named(connection, shown)
            if row is None:
                if len(pass_phrase) < _SHORTEST_PHRASE:
                    raise AccessError(
                        f"Choose a pass-phrase of at least {_SHORTEST_PHRASE} characters; it keeps "
                        "your judgements yours.",
                        "short",
                    )
                row = _add(connection, shown, salt=salt, secret=secret)
            elif row["secret"] is None or not hmac.compare_digest(row["secret"], secret):
                raise AccessError(
                    f"The name \u201c{shown}\u201d is taken, and this is not its pass-phrase. If "
                    "it is yours, type the pass-phrase you chose; otherwise take another name.",
                    "taken",
                )
            return _with_key(connection, row)

    def join_by_login(self, name: str, login: str) -> tuple[Annotator, str]:
        """Join with a login of another service (``hf:NAME``); return also a key for the page."""
        with self.write() as connection:
            row = connection.execute(
                "SELECT * FROM annotators WHERE login = ?", (login,)
            ).fetchone()
            if row is None:
                shown = free_name(name)
                if _named(connection, shown) is not None:
                    raise AccessError(
                        f"The name \u201c{shown}\u201d is taken here; ask the owner.", "taken"
                    )
                row = _add(connection, shown, login=login)
            return _with_key(connection, row)

    def whose(self, key: str) -> Annotator:
        """Return the annotator of a page's key."""
        with self.read() as connection:
            return whose(connection, key)

    def entry(self, key: str, **more: str) -> dict[str, str]:
        """Note how a page's annotator came in, unless it is noted, and return what is noted."""
        with self.write() as connection:
            person = whose(connection, key).id
            query = "SELECT entry FROM annotators WHERE id = ?"
            noted: dict[str, str] = json.loads(connection.execute(query, (person,)).fetchone()[0])
            entry = more | noted
            if entry != noted:
                written = as_json(entry)
                connection.execute(
                    "UPDATE annotators SET entry = ? WHERE id = ?", (written, person)
                )
            return entry

    def leave(self, key: str) -> None:
        """Revoke a page's key."""
        with self.write() as connection:
            connection.execute("DELETE FROM tokens WHERE digest = ?", (_digest(key),))

    def annotators(self) -> list[Annotator]:
        """Return all annotators, in the order of joining."""
        with self.read() as connection:
            rows = connection.execute(
                "SELECT id, name, excluded, entry FROM annotators ORDER BY id"
            ).fetchall()
        return [Annotator(*row) for row in rows]

    # -- judgements -----------------------------------------------------------------------------

    def judgements(self, *, history: bool = False, excluded: bool = False) -> Iterator[Judgement]:
        """Yield the current judgements, or with ``history`` also corrected and withdrawn ones.

        Judgements of removed items are left out, and those of excluded people unless ``excluded``.
        """
        table = "judgements" if history else "latest"
        with self.read() as connection:
            for row in connection.execute(
                f"SELECT j.*, a.name, i.id AS of FROM {table} j "  # noqa: S608 -- our own words
                "JOIN annotators a ON a.id = j.annotator JOIN items i ON i.number = j.item "
                "WHERE i.removed_at IS NULL AND (? OR a.excluded = '') ORDER BY j.id",
                (excluded,),
            ):
                yield Judgement(
                    row["id"], row["name"], row["of"], row["showing"], Status(row["status"]),
                    json.loads(row["answers"]), row["comment"], row["seconds"], row["at"],
                )  # fmt: skip

    def adjudicate(self, item: str, question: str, value: str) -> None:
        """Store the owner's decision on a question about an item; "" withdraws it."""
        self.item(item)
        match = next((q for q in self.project().questions if q.id == question), None)
        if match is None or (value and match.answer(value) is None):
            raise AnnotationError(f"'{question}' has no answer '{value[:40]}' in this project.")
        with self.write() as connection:
            insert_decision(connection, item, question, value)

    def adjudications(self) -> dict[tuple[str, str], str]:
        """Return the owner's current decisions by item and question."""
        with self.read() as connection:
            return decisions_of(connection)


@contextmanager
def opened(path: Path) -> Iterator[AnnotationStore]:
    """Open a project and close it at the end."""
    store = AnnotationStore.open(path)
    try:
        yield store
    finally:
        store.close()


def secret_of(pass_phrase: str, salt: bytes) -> bytes:
    """Return the digest under which a pass-phrase is stored."""
    phrase = unicodedata.normalize("NFKC", pass_phrase).encode()
    return hashlib.scrypt(phrase, salt=salt, n=2**14, r=8, p=1, dklen=32)


def now() -> str:
    """Return the time in ISO 8601, UTC, with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


# -- within a transaction -----------------------------------------------------------------------


def project_of(connection: sqlite3.Connection) -> Project:
    """Return the settings in an open file."""
    return Project.from_json(_meta(connection, "project"))


def insert_item(connection: sqlite3.Connection, item: AnnotationItem, share: float) -> bool:
    """Insert an item and return True, or False if the project has its id or its texts."""
    check_item(item)
    latest = connection.execute("SELECT COALESCE(MAX(number), 0) FROM items").fetchone()[0]
    number = latest + 1
    shared = int(number * share + 1e-9) > int(latest * share + 1e-9)
    row = (number, item.id, item.to_json(), item.fingerprint, shared)
    done = connection.execute("INSERT OR IGNORE INTO items VALUES (?, ?, ?, ?, ?, NULL)", row)
    return bool(done.rowcount)


def insert_decision(connection: sqlite3.Connection, item: str, question: str, value: str) -> None:
    """Insert the owner's decision on a question about an item, by its id."""
    connection.execute(
        "INSERT INTO adjudications (item, question, value, note, at) "
        "SELECT number, ?, ?, '', ? FROM items WHERE id = ?",
        (question, value, now(), item),
    )


def decisions_of(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Return the owner's current decisions in an open file by item and question."""
    rows = connection.execute(
        "SELECT i.id, d.question, d.value FROM adjudications d "
        "JOIN items i ON i.number = d.item WHERE i.removed_at IS NULL ORDER BY d.id"
    ).fetchall()
    decisions = {(item, question): value for item, question, value in rows}
    return {key: value for key, value in decisions.items() if value}


def check_item(item: AnnotationItem) -> None:
    """Validate an item.

    Raises:
        AnnotationError: no id, no text, or one that is too long.
    """
    if not item.id.strip() or len(item.id) > _LONGEST_ID:
        raise AnnotationError(f"An item needs an id of 1 to {_LONGEST_ID} characters.")
    if not item.mutant.strip():
        raise AnnotationError(f"Item \u201c{item.id[:60]}\u201d has no text to judge.")
    if max(len(item.mutant), len(item.source)) > LONGEST_TEXT:
        raise AnnotationError(
            f"Item \u201c{item.id[:60]}\u201d has more than {LONGEST_TEXT:,} characters; give "
            "shorter texts."
        )


def whose(connection: sqlite3.Connection, key: str) -> Annotator:
    """Return the annotator of a page's key.

    Raises:
        AccessError: the key is unknown.
    """
    row = connection.execute(
        "SELECT a.id, a.name FROM annotators a JOIN tokens t ON t.annotator = a.id "
        "WHERE t.digest = ?",
        (_digest(key),),
    ).fetchone()
    if row is None:
        raise AccessError(
            "This page is not signed in to the project any more; join again.", "signed-out"
        )
    return Annotator(*row)


def imported_annotator(connection: sqlite3.Connection, name: str) -> tuple[Annotator, bool]:
    """Return the annotator of a name for imported judgements, and whether it was created.

    A created annotator has no pass-phrase, so nobody can join under that name.

    Raises:
        AccessError: an invalid name.
    """
    shown = _readable(name)
    known = _named(connection, shown)
    row = known or _add(connection, shown)
    return Annotator(row["id"], row["name"]), known is None


def _meta(connection: sqlite3.Connection, key: str) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row["value"]) if row is not None else ""


def _readable(name: str) -> str:
    """Normalise a name for display: NFKC, one line, stripped."""
    shown = " ".join(unicodedata.normalize("NFKC", name).split())
    if not shown or not shown.isprintable() or len(shown) > _LONGEST_NAME:
        raise AccessError(
            f"Give a name of 1 to {_LONGEST_NAME} characters; any word will do.", "name"
        )
    return shown


def free_name(name: str) -> str:
    """Return the name that a person may have, as it is shown.

    Raises:
        AccessError: an invalid or reserved name.
    """
    shown = _readable(name)
    if shown.casefold() == CONSENSUS:
        raise AccessError(f"The name \u201c{shown}\u201d is reserved; use another.", "name")
    return shown


def _named(connection: sqlite3.Connection, name: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = connection.execute(
        "SELECT * FROM annotators WHERE folded = ?", (name.casefold(),)
    ).fetchone()
    return row


def _add(
    connection: sqlite3.Connection, name: str, *, salt: bytes | None = None,
    secret: bytes | None = None, login: str | None = None,
) -> sqlite3.Row:  # fmt: skip
    connection.execute(
        "INSERT INTO annotators (name, folded, salt, secret, login, joined_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (name, name.casefold(), salt, secret, login, now()),
    )
    row = _named(connection, name)
    assert row is not None
    return row


def _with_key(connection: sqlite3.Connection, row: sqlite3.Row) -> tuple[Annotator, str]:
    key = secrets.token_urlsafe(24)
    connection.execute("INSERT INTO tokens VALUES (?, ?)", (_digest(key), row["id"]))
    return Annotator(row["id"], row["name"]), key


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()
