"""Who may judge: names, pass-phrases and the keys that open pages carry.

Pass-phrases are kept as salted scrypt digests, keys as SHA-256 digests; neither can be read back.
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
    """A name and a pass-phrase, digested before the file is locked, as that takes its time."""

    name: str
    salt: bytes
    secret: bytes
    long_enough: bool


def claim(connection: sqlite3.Connection, name: str, pass_phrase: str) -> Claim:
    """What somebody who joins says, ready to be compared or kept.

    Raises:
        AccessError: that is no name.
    """
    shown = _free(name)
    row = _named(connection, shown)
    salt = row["salt"] if row is not None and row["salt"] else secrets.token_bytes(16)
    enough = len(pass_phrase) >= _SHORTEST
    return Claim(shown, salt, _digest(pass_phrase, salt), enough)


def join(connection: sqlite3.Connection, said: Claim, now: str) -> tuple[Annotator, str]:
    """The annotator of a name, made if it is new, and a new key for a page.

    Raises:
        AccessError: a short pass-phrase, or not that of the name.
    """
    row = _named(connection, said.name)
    if row is None:
        if not said.long_enough:
            raise AccessError(
                f"Choose a pass-phrase of at least {_SHORTEST} characters; it keeps your "
                "judgements yours.",
                "short",
            )
        row = _add(connection, said.name, now, salt=said.salt, secret=said.secret)
    elif row["secret"] is None or not hmac.compare_digest(row["secret"], said.secret):
        raise AccessError(_TAKEN.format(name=said.name), "taken")
    return _with_key(connection, row)


def join_by_login(
    connection: sqlite3.Connection, name: str, login: str, now: str
) -> tuple[Annotator, str]:
    """The annotator whom another service (``hf:somebody``) has made sure of, and a new key.

    Raises:
        AccessError: the name belongs to somebody else here.
    """
    found = connection.execute("SELECT * FROM annotators WHERE login = ?", (login,)).fetchone()
    if found is None:
        shown = _free(name)
        if _named(connection, shown) is not None:
            raise AccessError(
                f"The name \u201c{shown}\u201d is taken here; ask the owner.", "taken"
            )
        found = _add(connection, shown, now, login=login)
    return _with_key(connection, found)


def by_name(connection: sqlite3.Connection, name: str, now: str) -> tuple[Annotator, bool]:
    """The annotator of a name, for the owner who brings judgements along; and whether they are new.

    Nobody can join under the name of one who is made here: there is no pass-phrase to know.

    Raises:
        AccessError: that is no name.
    """
    shown = readable(name)
    row = _named(connection, shown)
    known = row is not None
    row = _add(connection, shown, now) if row is None else row
    return Annotator(row["id"], row["name"]), not known


def whose(connection: sqlite3.Connection, key: str) -> Annotator:
    """The annotator of a page's key.

    Raises:
        AccessError: the key is of nobody.
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
    """Make a page's key worthless."""
    digest = hashlib.sha256(key.encode()).digest()
    connection.execute("DELETE FROM tokens WHERE digest = ?", (digest,))


def readable(name: str) -> str:
    """A name as it is shown: one line, no outer blanks.

    Raises:
        AccessError: nothing is left of it, or it is too long.
    """
    shown = " ".join(unicodedata.normalize("NFKC", name).split())
    if not shown or not shown.isprintable() or len(shown) > _LONGEST_NAME:
        raise AccessError(
            f"Give a name of 1 to {_LONGEST_NAME} characters; any word will do.", "name"
        )
    return shown


def _free(name: str) -> str:
    """A readable name that means a person."""
    shown = readable(name)
    if shown.casefold() == CONSENSUS:
        raise AccessError(f"\u201c{shown}\u201d means what all say together; use another.", "name")
    return shown


def _named(connection: sqlite3.Connection, name: str) -> sqlite3.Row | None:
    found: sqlite3.Row | None = connection.execute(
        "SELECT * FROM annotators WHERE folded = ?", (name.casefold(),)
    ).fetchone()
    return found


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
    found = _named(connection, name)
    assert found is not None
    return found


def _with_key(connection: sqlite3.Connection, row: sqlite3.Row) -> tuple[Annotator, str]:
    key = secrets.token_urlsafe(24)
    connection.execute(
        "INSERT INTO tokens VALUES (?, ?)", (hashlib.sha256(key.encode()).digest(), row["id"])
    )
    return Annotator(row["id"], row["name"]), key


def _digest(pass_phrase: str, salt: bytes) -> bytes:
    words = unicodedata.normalize("NFKC", pass_phrase).encode()
    return hashlib.scrypt(words, salt=salt, n=2**14, r=8, p=1, dklen=32)
