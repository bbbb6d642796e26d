"""The work of annotators: assign items, store judgements, undo them, report progress."""

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
_AHEAD = 12  # maximum of items assigned at once


@dataclass(frozen=True)
class Submission:
    """An annotator's judgement of a showing of an item, as sent by the page.

    ``key`` is made by the sender: a request repeated after a lost reply counts once. ``seconds``:
    duration. ``answers`` are empty if the item is skipped.
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
    """Progress of an annotator; ``latest``: time of the last judgement, ISO 8601, or ""."""

    annotator: Annotator
    progress: AnnotatorProgress
    latest: str


class Judging:
    """A project's interface for annotators, identified by the key of their page.

    Raises:
        AccessError: the key is unknown (all methods with a key).
        GoneError: the project is closed (all methods that write).
    """

    def __init__(self, store: AnnotationStore) -> None:
        self.store = store
        self.turns = Turns()

    def upcoming(self, key: str, limit: int = 3) -> list[Assignment]:
        """Return the next items of an annotator, the current one first, and reserve them."""
        limit = max(1, min(limit, _AHEAD))
        with self.store.database.write() as connection:
            person, project = whose(connection, key).id, project_of(connection)
            _require_open(project)
            pending = still_open(connection, person)
            for item, showing in self.turns.drawn(
                connection, project, person, limit - len(pending)
            ):
                connection.execute(
                    "INSERT INTO assignments (annotator, item, showing, given_at) "
                    "VALUES (?, ?, ?, ?)",
                    (person, item, showing, time.time()),
                )
            return [
                _assignment(connection, person, row)
                for row in still_open(connection, person)[:limit]
            ]

    def judge(self, key: str, submission: Submission) -> int:
        """Store a judgement on disk and return its id; a correction is a new row.

        Raises:
            GoneError: the project is closed, or the item was removed.
            AnnotationError: an item not assigned to the annotator, or invalid answers.
        """
        with self.store.database.write() as connection:
            person, project = whose(connection, key).id, project_of(connection)
            stored = connection.execute(
                "SELECT id, annotator FROM judgements WHERE key = ?", (submission.key,)
            ).fetchone()
            if stored is not None and stored["annotator"] == person:
                return int(stored["id"])
            _require_open(project)
            number = _assigned(connection, person, submission, project)
            return _write(connection, person, number, submission)

    def undo(self, key: str, sent: str, of: tuple[str, int] | None = None) -> bool:
        """Withdraw a judgement, so that its item is shown again; False if there is none.

        ``sent``: the sender's key of this request. ``of``: item and showing, if not the latest.
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
        """Offer skipped items again; return their number."""
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
        """Return an item that is assigned to the annotator.

        Raises:
            GoneError: no such item, or not assigned to this annotator.
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
        """Return the progress of an annotator."""
        with self.store.database.read() as connection:
            return _progress(connection, project_of(connection), whose(connection, key).id)

    def standings(self) -> list[AnnotatorState]:
        """Return the progress of all annotators, in the order of joining; for the owner."""
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


def _assigned(
    connection: sqlite3.Connection, person: int, submission: Submission, project: Project
) -> int:
    """Validate a submission and return the number of its item."""
    row = connection.execute(
        "SELECT number, content, removed_at FROM items WHERE id = ?", (submission.item,)
    ).fetchone()
    if row is None or row["removed_at"]:
        raise GoneError(
            "This item was taken out of the project meanwhile; go on with the next.", "gone"
        )
    held = connection.execute(
        "SELECT 1 FROM assignments WHERE annotator = ? AND item = ? AND showing = ?",
        (person, row["number"], submission.showing),
    ).fetchone()
    if held is None:
        raise AnnotationError("This item was not given to you; load the page again.", "not-given")
    if len(submission.comment) > _LONGEST_COMMENT:
        raise AnnotationError(
            f"The comment has {len(submission.comment):,} characters; shorten it to "
            f"{_LONGEST_COMMENT:,} or less.",
            "comment",
        )
    if submission.status is Status.JUDGED:
        pair = bool(json.loads(row["content"])["source"])
        wrong = faults(project.questions, submission.answers, pair=pair)
        if wrong:
            raise AnnotationError(f"This judgement cannot be kept: {'; '.join(wrong)}.", "answers")
    return int(row["number"])


_INSERT = (
    "INSERT INTO judgements (annotator, item, showing, status, answers, comment, seconds, at, key) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def _write(connection: sqlite3.Connection, person: int, number: int, submission: Submission) -> int:
    key, status = submission.key, submission.status
    if not key.strip() or len(key) > 100:
        raise AnnotationError("A judgement needs a key of 1 to 100 characters.", "answers")
    seconds = min(max(float(submission.seconds), 0.0), 86_400.0)
    answers = json.dumps(
        dict(submission.answers) if status is Status.JUDGED else {}, ensure_ascii=False
    )
    values = (person, number, submission.showing, status.value, answers, submission.comment)
    try:
        cursor = connection.execute(_INSERT, (*values, seconds, now(), key))
    except sqlite3.IntegrityError as error:
        raise AnnotationError(
            "The key of this judgement is already used; load the page again.", "answers"
        ) from error
    return int(cursor.lastrowid or 0)


def _withdraw(connection: sqlite3.Connection, row: sqlite3.Row, sent: str) -> None:
    """Withdraw a judgement by a new row with its answers."""
    values = (row["annotator"], row["item"], row["showing"], Status.WITHDRAWN.value)
    connection.execute(_INSERT, (*values, row["answers"], row["comment"], 0, now(), sent))
