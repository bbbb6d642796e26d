"""Annotators of a project: their names, pass-phrases, and the keys of their open pages.

Pass-phrases are stored as salted scrypt digests, keys as SHA-256 digests.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3
import unicodedata
from dataclasses import dataclass

from hinter_core.annotation.project.types import CONSENSUS, AccessError, Annotator

_SHORTEST, _LONGEST_NAME = 8, 40
_TAKEN = (
    "The name \u201c{name}\u201d is taken, and this is not its pass-phrase. If it is yours, type "
    "the pass-phrase you chose; otherwise take another name."
)


@dataclass(frozen=True)
class Claim:
    """A name and a pass-phrase, digested before the file is locked, as scrypt is slow."""

    name: str
    salt: bytes
    secret: bytes
    long_enough: bool


def claim(connection: sqlite3.Connection, name: str, pass_phrase: str) -> Claim:
    """Digest name and pass-phrase of somebody who joins.

    Raises:
        AccessError: an invalid name.
    """
    shown = _free(name)
    row = _named(connection, shown)
    salt = row["salt"] if row is not None and row["salt"] else secrets.token_bytes(16)
    enough = len(pass_phrase) >= _SHORTEST
    return Claim(shown, salt, _digest(pass_phrase, salt), enough)


def join(connection: sqlite3.Connection, claimed: Claim, now: str) -> tuple[Annotator, str]:
    """Return the annotator of a name, created if new, and a new key for a page.

    Raises:
        AccessError: a short or wrong pass-phrase.
    """
    row = _named(connection, claimed.name)
    if row is None:
        if not claimed.long_enough:
            raise AccessError(
                f"Choose a pass-phrase of at least {_SHORTEST} characters; it keeps your "
                "judgements yours.",
                "short",
            )
        row = _add(connection, claimed.name, now, salt=claimed.salt, secret=claimed.secret)
    elif row["secret"] is None or not hmac.compare_digest(row["secret"], claimed.secret):
        raise AccessError(_TAKEN.format(name=claimed.name), "taken")
    return _with_key(connection, row)


def join_by_login(
    connection: sqlite3.Connection, name: str, login: str, now: str
) -> tuple[Annotator, str]:
    """Return the annotator with a login of another service (``hf:NAME``), and a new key.

    Raises:
        AccessError: the name is taken.
    """
    row = connection.execute("SELECT * FROM annotators WHERE login = ?", (login,)).fetchone()
    if row is None:
        shown = _free(name)
        if _named(connection, shown) is not None:
            raise AccessError(
                f"The name \u201c{shown}\u201d is taken here; ask the owner.", "taken"
            )
        row = _add(connection, shown, now, login=login)
    return _with_key(connection, row)


def by_name(connection: sqlite3.Connection, name: str, now: str) -> tuple[Annotator, bool]:
    """Return the annotator of a name for imported judgements, and whether it was created.

    A created annotator has no pass-phrase, so nobody can join under that name.

    Raises:
        AccessError: an invalid name.
    """
    shown = readable(name)
    row = _named(connection, shown)
    known = row is not None
    row = _add(connection, shown, now) if row is None else row
    return Annotator(row["id"], row["name"]), not known


def whose(connection: sqlite3.Connection, key: str) -> Annotator:
    """Return the annotator of a page's key.

    Raises:
        AccessError: the key is unknown.
    """
    row = connection.execute(
        "SELECT a.* FROM annotators a JOIN tokens t ON t.annotator = a.id WHERE t.digest = ?",
        (hashlib.sha256(key.encode()).digest(),),
    ).fetchone()
    if row is None:
        raise AccessError(
            "This page is not signed in to the project any more; join again.", "signed-out"
        )
    return Annotator(row["id"], row["name"])


def leave(connection: sqlite3.Connection, key: str) -> None:
    """Revoke a page's key."""
    digest = hashlib.sha256(key.encode()).digest()
    connection.execute("DELETE FROM tokens WHERE digest = ?", (digest,))


def readable(name: str) -> str:
    """Normalise a name for display: NFKC, one line, stripped.

    Raises:
        AccessError: an empty, unprintable or too long name.
    """
    shown = " ".join(unicodedata.normalize("NFKC", name).split())
    if not shown or not shown.isprintable() or len(shown) > _LONGEST_NAME:
        raise AccessError(
            f"Give a name of 1 to {_LONGEST_NAME} characters; any word will do.", "name"
        )
    return shown


def _free(name: str) -> str:
    shown = readable(name)
    if shown.casefold() == CONSENSUS:
        raise AccessError(f"The name \u201c{shown}\u201d is reserved; use another.", "name")
    return shown


def _named(connection: sqlite3.Connection, name: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = connection.execute(
        "SELECT * FROM annotators WHERE folded = ?", (name.casefold(),)
    ).fetchone()
    return row


def _add(
    connection: sqlite3.Connection,
    name: str,
    now: str,
    *,
    salt: bytes | None = None,
    secret: bytes | None = None,
    login: str | None = None,
) -> sqlite3.Row:
    connection.execute(
        "INSERT INTO annotators (name, folded, salt, secret, login, joined_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (name, name.casefold(), salt, secret, login, now),
    )
    row = _named(connection, name)
    assert row is not None
    return row


def _with_key(connection: sqlite3.Connection, row: sqlite3.Row) -> tuple[Annotator, str]:
    key = secrets.token_urlsafe(24)
    connection.execute(
        "INSERT INTO tokens VALUES (?, ?)", (hashlib.sha256(key.encode()).digest(), row["id"])
    )
    return Annotator(row["id"], row["name"]), key


def _digest(pass_phrase: str, salt: bytes) -> bytes:
    words = unicodedata.normalize("NFKC", pass_phrase).encode()
    return hashlib.scrypt(words, salt=salt, n=2**14, r=8, p=1, dklen=32)
