"""An annotator at work: the next items, what is said of them, and taking it back."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass

from hinter_core.annotation.project.coding import item_from_json
from hinter_core.annotation.project.people import whose
from hinter_core.annotation.project.questions import faults
from hinter_core.annotation.project.store import AnnotationStore, now, project_of
from hinter_core.annotation.project.turns import Turns, still_open, to_come
from hinter_core.annotation.project.types import (
    AnnotationError,
    AnnotationItem,
    Annotator,
    AnnotatorProgress,
    Assignment,
    GoneError,
    Project,
    Status,
)

_LONGEST_COMMENT = 4000
_AHEAD = 12  # items given at once, at most


@dataclass(frozen=True)
class Said:
    """What an annotator says of a showing of an item.

    ``key`` is the sender's own name for it: sent twice, as after a lost reply, it counts once.
    ``seconds``: how long it took. ``answers`` are empty where the item is put aside.
    """

    item: str
    showing: int
    status: Status
    answers: Mapping[str, str]
    key: str
    comment: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class AnnotatorState:
    """How far somebody is; ``latest`` is when they last said something, ISO 8601, or ""."""

    annotator: Annotator
    progress: AnnotatorProgress
    latest: str


class Judging:
    """What one project offers to those who have a key of it."""

    def __init__(self, store: AnnotationStore) -> None:
        self.store = store
        self.turns = Turns()

    def upcoming(self, key: str, many: int = 3) -> list[Assignment]:
        """The next items of an annotator, the current one first; they are kept for them.

        Raises:
            AccessError: the key is of nobody.
            GoneError: the project is closed.
        """
        many = max(1, min(many, _AHEAD))
        with self.store.database.write() as connection:
            person, project = whose(connection, key).id, project_of(connection)
            _require_open(project)
            given = still_open(connection, person)
            # Repeats count judgements, so more than one is drawn only as far as that is known.
            for item, showing in self.turns.drawn(connection, project, person, many - len(given)):
                connection.execute(
                    "INSERT INTO assignments (annotator, item, showing, given_at) "
                    "VALUES (?, ?, ?, ?)",
                    (person, item, showing, time.time()),
                )
            return [
                _assignment(connection, person, row)
                for row in still_open(connection, person)[:many]
            ]

    def judge(self, key: str, said: Said) -> int:
        """Write down what an annotator says; returns the number of the judgement.

        When it returns, it is on disk. A correction is a new row for the same showing.

        Raises:
            AccessError: the key is of nobody.
            GoneError: the project is closed, or the item was taken out.
            AnnotationError: not the annotator's item, or answers that were not to choose from.
        """
        with self.store.database.write() as connection:
            person, project = whose(connection, key).id, project_of(connection)
            kept = connection.execute(
                "SELECT id, annotator FROM judgements WHERE key = ?", (said.key,)
            ).fetchone()
            if kept is not None and kept["annotator"] == person:
                return int(kept["id"])
            _require_open(project)
            number = _assigned(connection, person, said, project)
            return _write(connection, person, number, said)

    def undo(self, key: str, sent: str, of: tuple[str, int] | None = None) -> bool:
        """Take back a judgement that stands, so that its item is asked again.

        ``sent`` is the sender's own name for this wish; ``of`` the item and showing meant, where
        it is not the latest. False: there is nothing to take back.

        Raises:
            AccessError: the key is of nobody.
            GoneError: the project is closed.
        """
        with self.store.database.write() as connection:
            person = whose(connection, key).id
            _require_open(project_of(connection))
            if connection.execute("SELECT 1 FROM judgements WHERE key = ?", (sent,)).fetchone():
                return True
            item, showing = of or (None, None)
            row = connection.execute(
                "SELECT l.* FROM latest l JOIN items i ON i.number = l.item "
                "WHERE l.annotator = ? AND i.removed_at IS NULL "
                "AND (? IS NULL OR (i.id = ? AND l.showing = ?)) ORDER BY l.id DESC LIMIT 1",
                (person, item, item, showing),
            ).fetchone()
            if row is not None:
                _withdraw(connection, row, sent)
            return row is not None

    def return_skipped(self, key: str) -> int:
        """Offer again what was put aside; returns how many.

        Raises:
            AccessError: the key is of nobody.
            GoneError: the project is closed.
        """
        with self.store.database.write() as connection:
            person = whose(connection, key).id
            _require_open(project_of(connection))
            rows = connection.execute(
                "SELECT * FROM latest WHERE annotator = ? AND status = ?",
                (person, Status.SKIPPED.value),
            ).fetchall()
            for row in rows:
                _withdraw(connection, row, f"back {row['key']}")
            return len(rows)

    def given(self, key: str, ident: str) -> AnnotationItem:
        """An item that was given to an annotator.

        Raises:
            AccessError: the key is of nobody.
            GoneError: there is no such item, or none that this annotator was given.
        """
        with self.store.database.read() as connection:
            person = whose(connection, key).id
            row = connection.execute(
                "SELECT i.content FROM items i JOIN assignments a ON a.item = i.number "
                "WHERE i.id = ? AND i.removed_at IS NULL AND a.annotator = ? LIMIT 1",
                (ident, person),
            ).fetchone()
        if row is None:
            raise GoneError("This item was not given to you; load the page again.", "not-given")
        return item_from_json(json.loads(row["content"]))

    def progress(self, key: str) -> AnnotatorProgress:
        """How far an annotator is.

        Raises:
            AccessError: the key is of nobody.
        """
        with self.store.database.read() as connection:
            return _progress(connection, project_of(connection), whose(connection, key).id)

    def standings(self) -> list[AnnotatorState]:
        """How far everybody is, in the order in which they joined; for the owner."""
        with self.store.database.read() as connection:
            project = project_of(connection)
            latest = dict(
                connection.execute(
                    "SELECT annotator, MAX(at) FROM judgements GROUP BY annotator"
                ).fetchall()
            )
            return [
                AnnotatorState(
                    Annotator(row["id"], row["name"]),
                    _progress(connection, project, row["id"]),
                    latest.get(row["id"], ""),
                )
                for row in connection.execute("SELECT id, name FROM annotators ORDER BY id")
            ]


def _progress(connection: sqlite3.Connection, project: Project, person: int) -> AnnotatorProgress:
    done = dict(
        connection.execute(
            "SELECT status, COUNT(*) FROM latest l JOIN items i ON i.number = l.item "
            "WHERE annotator = ? AND removed_at IS NULL GROUP BY status",
            (person,),
        ).fetchall()
    )
    left = len(still_open(connection, person)) + to_come(connection, project, person)
    return AnnotatorProgress(done.get(Status.JUDGED, 0), done.get(Status.SKIPPED, 0), left)


def _require_open(project: Project) -> None:
    if project.closed:
        raise GoneError(
            "This project is closed; what you judged is kept. Thank you. Ask its owner if you "
            "would like to go on.",
            "closed",
        )


def _assignment(connection: sqlite3.Connection, person: int, row: sqlite3.Row) -> Assignment:
    earlier = connection.execute(
        "SELECT answers, comment FROM judgements WHERE annotator = ? AND item = ? AND showing = ? "
        "ORDER BY id DESC LIMIT 1",
        (person, row["item"], row["showing"]),
    ).fetchone()
    item = item_from_json(json.loads(row["content"]))
    if earlier is None:
        return Assignment(item, row["showing"])
    return Assignment(item, row["showing"], json.loads(earlier["answers"]), earlier["comment"])


def _assigned(connection: sqlite3.Connection, person: int, said: Said, project: Project) -> int:
    """The number of the item that is judged, after a look at what is said of it."""
    row = connection.execute(
        "SELECT number, content, removed_at FROM items WHERE id = ?", (said.item,)
    ).fetchone()
    if row is None or row["removed_at"]:
        raise GoneError(
            "This item was taken out of the project meanwhile; go on with the next.", "gone"
        )
    held = connection.execute(
        "SELECT 1 FROM assignments WHERE annotator = ? AND item = ? AND showing = ?",
        (person, row["number"], said.showing),
    ).fetchone()
    if held is None:
        raise AnnotationError("This item was not given to you; load the page again.", "not-given")
    if len(said.comment) > _LONGEST_COMMENT:
        raise AnnotationError(
            f"The comment has {len(said.comment):,} characters; shorten it to "
            f"{_LONGEST_COMMENT:,} or less.",
            "comment",
        )
    if said.status is Status.JUDGED:
        pair = bool(json.loads(row["content"])["source"])
        wrong = faults(project.questions, said.answers, pair=pair)
        if wrong:
            raise AnnotationError(f"This judgement cannot be kept: {'; '.join(wrong)}.", "answers")
    return int(row["number"])


def _write(connection: sqlite3.Connection, person: int, number: int, said: Said) -> int:
    if not said.key.strip() or len(said.key) > 100:
        raise AnnotationError("A judgement needs the sender's own name for it.", "answers")
    seconds = min(max(float(said.seconds), 0.0), 86_400.0)
    answers = dict(said.answers) if said.status is Status.JUDGED else {}
    try:
        cursor = connection.execute(
            "INSERT INTO judgements (annotator, item, showing, status, answers, comment, seconds, "
            "at, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                person, number, said.showing, said.status.value,
                json.dumps(answers, ensure_ascii=False), said.comment, seconds, now(), said.key,
            ),
        )  # fmt: skip
    except sqlite3.IntegrityError as error:
        raise AnnotationError(
            "This judgement has another's name; load the page again.", "answers"
        ) from error
    return int(cursor.lastrowid or 0)


def _withdraw(connection: sqlite3.Connection, row: sqlite3.Row, sent: str) -> None:
    """A new row that takes an earlier one back and remembers what it said."""
    connection.execute(
        "INSERT INTO judgements (annotator, item, showing, status, answers, comment, seconds, at, "
        "key) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?)",
        (
            row["annotator"], row["item"], row["showing"], Status.WITHDRAWN.value, row["answers"],
            row["comment"], now(), sent,
        ),
    )  # fmt: skip
