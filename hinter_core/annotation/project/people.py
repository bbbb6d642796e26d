"""What an owner does about annotators: exclude, erase, merge, rename, a new pass-phrase.

Each is named as the project shows it. Erasing leaves no trace of a person in the file; copies on
the Hub are rewritten at the next backup (:mod:`hinter_core.annotation.backup`).
"""

import json
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from hinter_core.annotation.project.store import AnnotationStore, free_name, now, secret_of
from hinter_core.annotation.project.types import AnnotationError, as_json

ERASED = "erased"  # in the file's meta: when somebody was erased, until backups are rewritten
_LONGEST_REASON = 400  # characters
_FOLLOWS = "(SELECT 1 FROM judgements j WHERE j.annotator = a.annotator AND j.item = a.item)"


def exclude(store: AnnotationStore, name: str, reason: str) -> None:
    """Let a person's judgements no longer count; they stay in the file.

    Raises:
        AnnotationError: no such person, no reason, or a long one.
    """
    reason = " ".join(reason.split())
    if not reason or len(reason) > _LONGEST_REASON:
        raise AnnotationError(
            f"Give a reason of 1 to {_LONGEST_REASON} characters; reports state it."
        )
    _set_excluded(store, name, reason)


def include(store: AnnotationStore, name: str) -> None:
    """Let an excluded person's judgements count again.

    Raises:
        AnnotationError: no such person.
    """
    _set_excluded(store, name, "")


def _set_excluded(store: AnnotationStore, name: str, reason: str) -> None:
    with store.write() as connection:
        person = _person(connection, name)
        connection.execute("UPDATE annotators SET excluded = ? WHERE id = ?", (reason, person))


def erase(store: AnnotationStore, name: str, *, keep: bool = False) -> int:
    """Erase a person; return the number of judgements that were deleted or made anonymous.

    With ``keep``, answers stay under the name ``erased N``, without comments and times of day.

    Raises:
        AnnotationError: no such person, or the file is in use for long.
    """
    with _leaving_nothing(store) as connection:
        person = _person(connection, name)
        query = "SELECT COUNT(*) FROM judgements WHERE annotator = ?"
        number: int = connection.execute(query, (person,)).fetchone()[0]
        connection.execute("DELETE FROM tokens WHERE annotator = ?", (person,))
        if keep:
            _make_anonymous(connection, person)
        else:
            for table in ("judgements", "assignments"):
                connection.execute(f"DELETE FROM {table} WHERE annotator = ?", (person,))  # noqa: S608 -- our own words
            connection.execute("DELETE FROM annotators WHERE id = ?", (person,))
    return number


@contextmanager
def _leaving_nothing(store: AnnotationStore) -> Iterator[sqlite3.Connection]:
    """Write so that what was there before stays neither in the file nor in backups."""
    with store.rewrite() as connection:
        yield connection
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (ERASED, now()))
    store.shred()


def _make_anonymous(connection: sqlite3.Connection, person: int) -> None:
    name = f"{ERASED} {person}"
    connection.execute(
        "UPDATE annotators SET name = ?, folded = ?, salt = NULL, secret = NULL, login = NULL, "
        "entry = '{}', joined_at = '', excluded = CASE excluded WHEN '' THEN '' ELSE ? END "
        "WHERE id = ?",
        (name, name, "excluded", person),
    )
    connection.execute(
        "UPDATE judgements SET comment = '', at = substr(at, 1, 10), key = ? || id "
        "WHERE annotator = ?",
        (f"{ERASED} ", person),
    )
    connection.execute(
        f"DELETE FROM assignments AS a WHERE annotator = ? AND NOT EXISTS {_FOLLOWS}",  # noqa: S608 -- our own words
        (person,),
    )
    connection.execute("UPDATE assignments SET given_at = 1 WHERE annotator = ?", (person,))


def merge(store: AnnotationStore, name: str, into: str) -> int:
    """Give all judgements of a person to another, who is the same; return their number.

    Of two judgements of one showing, the later one counts, and the earlier is its history. How the
    first came in is kept where nothing is noted of the other.

    Raises:
        AnnotationError: no such person, or one person twice.
    """
    with store.rewrite() as connection:
        source, target = _person(connection, name), _person(connection, into)
        if source == target:
            raise AnnotationError("These are one person already; name two.")
        if len({bool(one["excluded"]) for one in connection.execute(
            "SELECT excluded FROM annotators WHERE id IN (?, ?)", (source, target)
        )}) > 1:  # fmt: skip
            raise AnnotationError("One of them is excluded; include or exclude both first.")
        done = connection.execute(
            "UPDATE judgements SET annotator = ? WHERE annotator = ?", (target, source)
        )
        connection.execute(
            "UPDATE OR IGNORE assignments SET annotator = ? WHERE annotator = ?", (target, source)
        )
        connection.execute("DELETE FROM assignments WHERE annotator = ?", (source,))
        connection.execute("UPDATE tokens SET annotator = ? WHERE annotator = ?", (target, source))
        query = "SELECT login, entry FROM annotators WHERE id = ?"
        lost, kept = (connection.execute(query, (one,)).fetchone() for one in (source, target))
        entry = json.loads(lost["entry"]) | json.loads(kept["entry"])
        connection.execute("DELETE FROM annotators WHERE id = ?", (source,))
        connection.execute(
            "UPDATE annotators SET login = COALESCE(login, ?), entry = ? WHERE id = ?",
            (lost["login"], as_json(entry), target),
        )
        return done.rowcount


def rename(store: AnnotationStore, name: str, new: str) -> None:
    """Give a person another name, as for one that others should not read.

    The person comes back with the new name and the same pass-phrase.

    Raises:
        AnnotationError: no such person, or a name that is invalid, reserved or taken, or the file
            is in use for long.
    """
    shown = free_name(new)
    with _leaving_nothing(store) as connection:
        person = _person(connection, name)
        try:
            connection.execute(
                "UPDATE annotators SET name = ?, folded = ? WHERE id = ?",
                (shown, shown.casefold(), person),
            )
        except sqlite3.IntegrityError:
            raise AnnotationError(f"The name \u201c{shown}\u201d is taken; use another.") from None


def reset_phrase(store: AnnotationStore, name: str) -> str:
    """Give a person a new pass-phrase and sign all their pages out; return it.

    Raises:
        AnnotationError: no such person.
    """
    phrase, salt = secrets.token_urlsafe(9), secrets.token_bytes(16)
    secret = secret_of(phrase, salt)
    with store.write() as connection:
        person = _person(connection, name)
        connection.execute("DELETE FROM tokens WHERE annotator = ?", (person,))
        connection.execute(
            "UPDATE annotators SET salt = ?, secret = ? WHERE id = ?", (salt, secret, person)
        )
    return phrase


def _person(connection: sqlite3.Connection, name: str) -> int:
    folded = " ".join(name.split()).casefold()
    row = connection.execute("SELECT id FROM annotators WHERE folded = ?", (folded,)).fetchone()
    if row is None:
        raise AnnotationError(
            f"Nobody in this project is called \u201c{name[:60]}\u201d; hinter annotate status "
            "lists the names."
        )
    return int(row["id"])
