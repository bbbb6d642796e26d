"""Collect the guesses of a class without names, and count them for its teacher.

One SQLite file in write-ahead mode holds all classes of this app: per class a code for the
students, a hash of the teacher's secret and when it was opened; per guess the question, the vote,
the choice and a hash of the device and the class. No name, address or time of a guess is kept. A
class is deleted with its guesses thirty days after it was opened.

A question is voted on once, or a second time after the class has talked (peer instruction: Mazur
1997). Nobody in the class is shown the answer before the teacher reveals it.
"""

import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

from hinter_core.errors import InputError
from hinter_core.storage import data_place, open_database, transaction
from hinter_ui.learn.lesson import say

FOLDER = "HINTER_CLASSES"
DAYS = 30
MOST_CLASSES = 2_000
MOST_DEVICES = 1_000  # in one class
_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is read as another
_CODE = re.compile(rf"[{_LETTERS}]{{6}}")
_DEVICE = re.compile(r"[A-Za-z0-9-]{8,64}")
_PATIENCE = 20.0  # seconds to wait for another writer
_TABLES = """
CREATE TABLE IF NOT EXISTS class (
  code TEXT PRIMARY KEY, secret TEXT NOT NULL, opened REAL NOT NULL,
  closed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS guess (
  code TEXT NOT NULL REFERENCES class(code) ON DELETE CASCADE,
  question TEXT NOT NULL, device TEXT NOT NULL, choice TEXT NOT NULL,
  PRIMARY KEY (code, question, device)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS stage (
  code TEXT NOT NULL REFERENCES class(code) ON DELETE CASCADE,
  question TEXT NOT NULL, stage TEXT NOT NULL CHECK (stage IN ('again', 'revealed')),
  PRIMARY KEY (code, question, stage)
) STRICT, WITHOUT ROWID;
"""
_AGAIN = " again"  # after the name of a question, in guesses of its second vote
Counts = Mapping[str, Mapping[str, int]]


class ClassroomError(InputError):
    """A guess that does not count; ``key`` is the text under ``join`` that says so."""

    def __init__(self, key: str) -> None:
        super().__init__(say(f"join.{key}"))


class UnknownClassError(ClassroomError):
    """There is no such class, or no longer."""


class ClosedClassError(ClassroomError):
    """The class takes no more guesses."""


@dataclass(frozen=True)
class ClassCounts:
    """A class as its teacher sees it.

    ``counts`` and ``second`` map each question to the number of devices by choice, of the first
    and the second vote; ``again``: questions that have a second one; ``revealed``: those whose
    answer is shown; ``devices``: how many have guessed at all.
    """

    code: str
    closed: bool
    devices: int
    counts: Counts
    second: Counts
    again: frozenset[str]
    revealed: frozenset[str]


class Classroom:
    """The classes of one folder, for many threads and processes at once.

    ``questions`` maps those that can be answered to their choices.
    """

    def __init__(
        self,
        folder: Path,
        questions: Mapping[str, tuple[str, ...]],
        now: Callable[[], float] = time.time,
    ) -> None:
        self.path = folder / "classes.sqlite"
        self._questions = questions
        self._now = now
        self._db: sqlite3.Connection | None = None
        self._turn = threading.Lock()

    @classmethod
    def at_home(cls, questions: Mapping[str, tuple[str, ...]]) -> Self:
        """Use the folder that ``HINTER_CLASSES`` names, or one among all data."""
        return cls(data_place("classes", FOLDER), questions)

    def open(self) -> tuple[str, str]:
        """Open a class; return the code for its students and the key for its teacher.

        Raises:
            InputError: the folder cannot be written, or there are too many classes.
        """
        code = "".join(secrets.choice(_LETTERS) for _ in range(6))
        secret = secrets.token_urlsafe(18)
        with self._connected() as db:
            self._forget_old(db)
            (there,) = db.execute("SELECT count(*) FROM class").fetchone()
            if there >= MOST_CLASSES:
                raise ClassroomError("crowded")
            values = (code, _hashed(code, secret), self._now())
            db.execute("INSERT INTO class (code, secret, opened) VALUES (?, ?, ?)", values)
        return code, f"{code}.{secret}"

    def join(self, typed: object) -> str:
        """Return the code of an open class; case, blanks and hyphens of ``typed`` are ignored.

        Raises:
            UnknownClassError: there is none of that code.
            ClosedClassError: it takes no more guesses.
        """
        with self._connected() as db:
            return self._open_class(db, typed)

    def guess(self, code: object, device: object, question: object, choice: object) -> bool:
        """Keep a device's first guess in the vote that is open; return whether it is this one.

        Raises:
            ClassroomError: no such class, a closed one, no such question or choice, an answer that
                is shown already, no device, or too many devices.
        """
        if choice not in self._questions.get(str(question), ()):
            raise ClassroomError("strange")
        if not _DEVICE.fullmatch(str(device)):
            raise ClassroomError("no_device")
        with self._connected() as db:
            code = self._open_class(db, code)
            who = _hashed(code, str(device))[:24]
            counted = "SELECT count(DISTINCT device) FROM guess WHERE code = ? AND device <> ?"
            if db.execute(counted, (code, who)).fetchone()[0] >= MOST_DEVICES:
                raise ClassroomError("full")
            stages = self._stages(db, code)
            if (str(question), "revealed") in stages:
                raise ClassroomError("late")
            vote = f"{question}{_AGAIN if (str(question), 'again') in stages else ''}"
            db.execute(
                "INSERT INTO guess VALUES (?, ?, ?, ?) "
                "ON CONFLICT (code, question, device) DO NOTHING",
                (code, vote, who, str(choice)),
            )
            first = "SELECT choice FROM guess WHERE code = ? AND question = ? AND device = ?"
            return bool(db.execute(first, (code, vote, who)).fetchone()[0] == choice)

    def stages(self, code: object) -> tuple[frozenset[str], frozenset[str]]:
        """Return the questions of a class whose answer is shown, and those voted on again.

        All answers of a class that is closed or gone are shown.
        """
        with self._connected() as db:
            try:
                opened = self._stages(db, self._open_class(db, code))
            except ClassroomError:
                return frozenset(self._questions), frozenset()
        return _in_stage(opened, "revealed"), _in_stage(opened, "again")

    def look(self, key: object) -> ClassCounts:
        """Return the counts of a class to the teacher who has its key.

        Raises:
            UnknownClassError: there is no such class, or this is not its key.
        """
        with self._connected() as db:
            code, closed = self._own(db, key)
            rows = db.execute(
                "SELECT question, choice, count(*) FROM guess WHERE code = ? "
                "GROUP BY question, choice",
                (code,),
            ).fetchall()
            stages = self._stages(db, code)
            sql = "SELECT count(DISTINCT device) FROM guess WHERE code = ?"
            (devices,) = db.execute(sql, (code,)).fetchone()
        votes = {(vote, choice): number for vote, choice, number in rows}
        first, second = (
            {
                question: {choice: votes.get((question + vote, choice), 0) for choice in choices}
                for question, choices in self._questions.items()
            }
            for vote in ("", _AGAIN)
        )
        again, revealed = _in_stage(stages, "again"), _in_stage(stages, "revealed")
        return ClassCounts(code, closed, devices, first, second, again, revealed)

    def _stages(self, db: sqlite3.Connection, code: str) -> set[tuple[str, str]]:
        return set(db.execute("SELECT question, stage FROM stage WHERE code = ?", (code,)))

    def reveal(self, key: object, question: str = "") -> None:
        """Show the answer of a question, or of all; raises like :meth:`look`."""
        self._reach(key, "revealed", [question] if question else self._questions)

    def vote_again(self, key: object, question: str) -> None:
        """Open the second vote on a question; raises like :meth:`look`."""
        self._reach(key, "again", [question])

    def _reach(self, key: object, stage: str, questions: Iterable[str]) -> None:
        with self._connected() as db:
            code, _ = self._own(db, key)
            db.executemany(
                "INSERT INTO stage VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [(code, one, stage) for one in questions if one in self._questions],
            )

    def clear(self, key: object, question: str = "") -> None:
        """Delete all guesses of a class or a question, which starts anew.

        Raises like :meth:`look`.
        """
        with self._connected() as db:
            code, _ = self._own(db, key)
            wanted = (code, question, question, question + _AGAIN)
            every = "code = ? AND (? = '' OR question IN (?, ?))"
            db.execute(f"DELETE FROM guess WHERE {every}", wanted)  # noqa: S608 -- no user's text
            db.execute(f"DELETE FROM stage WHERE {every}", wanted)  # noqa: S608

    def close(self, key: object) -> None:
        """Take no more guesses, keep those there are; raises like :meth:`look`."""
        with self._connected() as db:
            code, _ = self._own(db, key)
            db.execute("UPDATE class SET closed = 1 WHERE code = ?", (code,))

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that ends with the block."""
        with self._turn:
            if self._db is None:
                self._db = self._opened()
            with transaction(self._db):
                yield self._db

    def _opened(self) -> sqlite3.Connection:
        """Open the connection that this process keeps: closing the last one costs a checkpoint."""
        try:
            # What an app that is killed had counted stays; a power cut may take the last guesses.
            db = open_database(self.path, wait=_PATIENCE)
            db.executescript(_TABLES)
            self._forget_old(db)
        except (OSError, sqlite3.Error) as error:
            folder = self.path.parent
            words = say("errors.folder", folder=folder, reason=error, variable=FOLDER)
            raise InputError(words) from error
        return db

    def _open_class(self, db: sqlite3.Connection, typed: object) -> str:
        code = re.sub(r"[\s-]", "", str(typed or "")[:40]).upper()
        row = None
        if _CODE.fullmatch(code):
            sql = "SELECT closed FROM class WHERE code = ? AND opened > ?"
            row = db.execute(sql, (code, self._oldest)).fetchone()
        if row is None:
            raise UnknownClassError("unknown")
        if row[0]:
            raise ClosedClassError("closed")
        return code

    def _own(self, db: sqlite3.Connection, key: object) -> tuple[str, bool]:
        code, _, secret = str(key or "")[:80].partition(".")
        sql = "SELECT secret, closed FROM class WHERE code = ? AND opened > ?"
        row = db.execute(sql, (code, self._oldest)).fetchone()
        if row is None or not secrets.compare_digest(row[0], _hashed(code, secret)):
            raise UnknownClassError("unknown")
        return code, bool(row[1])

    @property
    def _oldest(self) -> float:
        return self._now() - DAYS * 24 * 3600

    def _forget_old(self, db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM class WHERE opened <= ?", (self._oldest,))


def _in_stage(pairs: Iterable[tuple[str, str]], stage: str) -> frozenset[str]:
    return frozenset(question for question, name in pairs if name == stage)


def _hashed(code: str, secret: str) -> str:
    """Hash a secret differently for each class."""
    return sha256(f"{code}:{secret}".encode()).hexdigest()
