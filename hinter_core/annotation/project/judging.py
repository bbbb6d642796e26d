"""The work of annotators: assign items, store judgements, undo them, report progress.

Each annotator gets the items in a random order, in which those of one text stand apart. Items for
all annotators come in its first half, so that annotators who stop early still overlap. Any other
item goes to ``copies`` annotators. The first few items of a page are reserved for half an hour;
those after them, which let a page work through a lost connection, go to somebody else only when
nothing else is left. A repeated item returns at least ``gap`` showings later.
"""

import json
import math
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from hinter_core.annotation.project.order import Order, chance, ordered
from hinter_core.annotation.project.questions import faults
from hinter_core.annotation.project.store import (
    INSERT_JUDGEMENT,
    AnnotationStore,
    now,
    project_of,
    whose,
)
from hinter_core.annotation.project.types import (
    FIRST,
    LONGEST_COMMENT,
    REPEAT,
    AnnotationError,
    AnnotationItem,
    Annotator,
    AnnotatorProgress,
    Assignment,
    GoneError,
    Project,
    Status,
)

_LONGEST_KEY = 100  # characters
_AHEAD = 24  # maximum of items assigned at once
_RESERVED = 3  # of them, for nobody else
_CLAIM = 1800.0  # seconds for which an item is reserved
_PAUSE = 300.0  # seconds that a judgement counts for at most: somebody was away
_UNRESERVED = 0.0  # in place of the time at which an item was reserved


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


class Judging:
    """A project's interface for annotators, identified by the key of their page.

    Raises:
        AccessError: the key is unknown (all methods with a key).
        GoneError: the project is closed (all methods that write).
    """

    def __init__(self, store: AnnotationStore) -> None:
        self.store = store
        self._orders: dict[int, Order] = {}  # by annotator

    def upcoming(self, key: str, limit: int = 3) -> list[Assignment]:
        """Return the next items of an annotator, the current one first; reserve the first few."""
        limit = max(1, min(limit, _AHEAD))
        with self.store.write() as connection:
            person, project = whose(connection, key).id, _open_project(connection)
            if project.quota:
                limit = min(limit, project.quota - _judged(connection, person))
            if limit < 1:
                return []
            free = _free(connection, project, person)
            pending = _pending(connection, person, free)
            order = self._order(connection, project, person)
            drawn = _drawn(connection, project, person, order, free, limit - len(pending))
            connection.executemany(
                "INSERT INTO assignments (annotator, item, showing, given_at) VALUES (?, ?, ?, ?)",
                [(person, item, showing, _UNRESERVED) for item, showing in drawn],
            )
            pending = _pending(connection, person, free)[:limit]
            for row in pending[:_RESERVED]:
                _reserve(connection, person, row["item"], row["showing"])
            return [_assignment(connection, person, row) for row in pending]

    def _order(self, connection: sqlite3.Connection, project: Project, person: int) -> Order:
        n_items: int = connection.execute("SELECT COUNT(*) FROM items").fetchone()[0]
        cached = self._orders.get(person)
        if cached is None or len(cached.numbers) != n_items:
            cached = self._orders[person] = ordered(connection, project, person)
        return cached

    def judge(self, key: str, submission: Submission, *, once: bool = False) -> int:
        """Store a judgement on disk and return its id; a correction is a new row.

        With ``once``, a judgement that stands is not corrected before it is taken back: two windows
        of one person may show the same text.

        Raises:
            GoneError: the project is closed, or the item was removed.
            AnnotationError: an item not assigned to the annotator, invalid answers, or a judgement
                that stands.
        """
        with self.store.write() as connection:
            person = whose(connection, key).id
            stored = connection.execute(
                "SELECT id FROM judgements WHERE key = ? AND annotator = ?",
                (submission.key, person),
            ).fetchone()
            if stored is not None:
                return int(stored["id"])
            project = _open_project(connection)
            number = _assigned(connection, person, submission, project)
            if (
                once
                and connection.execute(
                    "SELECT 1 FROM latest WHERE annotator = ? AND item = ? AND showing = ?",
                    (person, number, submission.showing),
                ).fetchone()
            ):
                raise AnnotationError(
                    "Another window judged this text; that answer stays.", "twice"
                )
            _reserve(connection, person, number, submission.showing)
            return _insert(connection, person, number, submission)

    def undo(self, key: str, sent: str, of: tuple[str, int] | None = None) -> bool:
        """Withdraw a judgement, so that its item is shown again; False if there is none.

        ``sent``: the sender's key of this request. ``of``: item and showing, if not the latest.
        """
        with self.store.write() as connection:
            person = whose(connection, key).id
            _open_project(connection)
            _check_key(sent)
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
        with self.store.write() as connection:
            person = whose(connection, key).id
            _open_project(connection)
            rows = connection.execute(
                "SELECT * FROM latest WHERE annotator = ? AND status = 'skipped'", (person,)
            ).fetchall()
            for row in rows:
                _withdraw(connection, row, f"back {row['key']}")
            return len(rows)

    def given(self, key: str, ident: str) -> AnnotationItem:
        """Return an item that is assigned to the annotator.

        Raises:
            GoneError: no such item, or not assigned to this annotator.
        """
        with self.store.read() as connection:
            row = connection.execute(
                "SELECT i.content FROM items i JOIN assignments a ON a.item = i.number "
                "WHERE i.id = ? AND i.removed_at IS NULL AND a.annotator = ? LIMIT 1",
                (ident, whose(connection, key).id),
            ).fetchone()
        if row is None:
            raise GoneError("This item was not given to you; load the page again.", "not-given")
        return AnnotationItem.from_json(row["content"])

    def progress(self, key: str) -> AnnotatorProgress:
        """Return the progress of an annotator."""
        with self.store.read() as connection:
            return _progress(connection, project_of(connection), whose(connection, key))

    def finished(self, key: str) -> bool:
        """Whether an annotator without items has done enough for the project's ``completion``.

        That is a judgement at least, and the quota or all items. Who may skip what is unpleasant
        must not lose by it, so that skips are fine up to as many as there are judgements. In a
        closed project, items that the annotator might still have judged count as not done.
        """
        with self.store.read() as connection:
            project, person = project_of(connection), whose(connection, key)
            judged = _judged(connection, person.id)
            if not judged or (project.quota and judged >= project.quota):
                return judged > 0
            progress = _progress(connection, project, person)
            return judged >= progress.skipped and not (project.closed and progress.left)

    def standings(self) -> list[AnnotatorProgress]:
        """Return the progress of all annotators, in the order of joining; for the owner."""
        people = self.store.annotators()
        with self.store.read() as connection:
            project = project_of(connection)
            return [_progress(connection, project, person) for person in people]


def _open_project(connection: sqlite3.Connection) -> Project:
    project = project_of(connection)
    if project.closed:
        raise GoneError(
            "This project is closed; what you judged is kept. Thank you. Ask its owner if you "
            "would like to go on.",
            "closed",
        )
    return project


def _progress(
    connection: sqlite3.Connection, project: Project, person: Annotator
) -> AnnotatorProgress:
    rows = connection.execute(
        "SELECT item, showing, status FROM latest l JOIN items i ON i.number = l.item "
        "WHERE annotator = ? AND removed_at IS NULL",
        (person.id,),
    ).fetchall()
    done = Counter(status for _, _, status in rows)
    again = sum(showing == REPEAT and status == "judged" for _, showing, status in rows)
    latest, seconds = connection.execute(
        "SELECT COALESCE(MAX(at), ''), COALESCE(SUM(MIN(seconds, ?)), 0) FROM judgements "
        "WHERE annotator = ?",
        (_PAUSE, person.id),
    ).fetchone()
    held = _held(connection, person.id)
    free = _free(connection, project, person.id)
    fresh = {item for item in free if (item, FIRST) not in held}
    pending = _pending(connection, person.id, free)
    met = fresh | {row["item"] for row in pending}
    met |= {item for item, _, status in rows if status == "judged"}
    repeats = len(_to_repeat(project, person.id, met, {i for i in met if (i, REPEAT) in held}))
    left = len(pending) + len(fresh) + repeats  # at most
    if project.quota:
        left = min(left, max(0, project.quota - _judged(connection, person.id)))
    return AnnotatorProgress(person, done["judged"], done["skipped"], left, latest, seconds, again)


def _judged(connection: sqlite3.Connection, person: int) -> int:
    """Count the showings that a person has judged, of all items ever."""
    query = "SELECT COUNT(*) FROM latest WHERE annotator = ? AND status = 'judged'"
    count: int = connection.execute(query, (person,)).fetchone()[0]
    return count


# -- items to come ------------------------------------------------------------------------------


def _drawn(
    connection: sqlite3.Connection, project: Project, person: int, order: Order,
    free: set[int], limit: int,
) -> Iterator[tuple[int, int]]:  # fmt: skip
    """Yield up to ``limit`` unassigned items for a person, each with the showing."""
    if limit < 1:
        return
    held = _held(connection, person)
    fresh = [item for item in order.numbers if item in free and (item, FIRST) not in held]
    shown = [order.texts[item] for item in _given(connection, person)]
    # What is on somebody's page, though not reserved, comes last.
    elsewhere = _unreserved(connection, person)
    parts = ([one for one in fresh if (one in elsewhere) is last] for last in (False, True))
    waiting = _waiting(connection, project, person, held)
    given = len(held)
    for item in chain.from_iterable(order.apart(part, shown) for part in parts):
        while limit and waiting and given - waiting[0][1] > project.gap:
            yield waiting.pop(0)[0], REPEAT
            limit, given = limit - 1, given + 1
        if not limit:
            return
        yield item, FIRST
        limit, given = limit - 1, given + 1
    # No new item is left, so repeats come regardless of the gap.
    for item, _ in waiting[:limit]:
        yield item, REPEAT


def _held(connection: sqlite3.Connection, person: int) -> set[tuple[int, int]]:
    """Return the items assigned to a person, with the showing."""
    rows = connection.execute(
        "SELECT item, showing FROM assignments WHERE annotator = ?", (person,)
    )
    return {(item, showing) for item, showing in rows}


def _given(connection: sqlite3.Connection, person: int) -> list[int]:
    """Return the items assigned to a person, in their order."""
    query = "SELECT item FROM assignments WHERE annotator = ? ORDER BY id"
    return [item for (item,) in connection.execute(query, (person,))]


def _unreserved(connection: sqlite3.Connection, person: int) -> set[int]:
    """Return the items that are assigned to others and not reserved."""
    rows = connection.execute(
        "SELECT item FROM assignments WHERE given_at = ? AND annotator <> ?", (_UNRESERVED, person)
    )
    return {item for (item,) in rows}


def _reserve(connection: sqlite3.Connection, person: int, item: int, showing: int) -> None:
    connection.execute(
        "UPDATE assignments SET given_at = ? "
        "WHERE annotator = ? AND item = ? AND showing = ? AND given_at = ?",
        (time.time(), person, item, showing, _UNRESERVED),
    )


def _pending(connection: sqlite3.Connection, person: int, free: set[int]) -> list[sqlite3.Row]:
    """Return a person's assignments without judgement, the earliest first.

    What is not reserved is left out while others have it, that is, unless it is ``free``.
    """
    rows = connection.execute(
        "SELECT a.item, a.showing, a.given_at, i.content FROM assignments a "
        "JOIN items i ON i.number = a.item "
        "WHERE a.annotator = ? AND i.removed_at IS NULL AND NOT EXISTS (SELECT 1 FROM latest l "
        "WHERE l.annotator = a.annotator AND l.item = a.item AND l.showing = a.showing) "
        "ORDER BY a.id",
        (person,),
    )
    return [
        row for row in rows
        if row["given_at"] != _UNRESERVED or row["showing"] == REPEAT or row["item"] in free
    ]  # fmt: skip


def _free(connection: sqlite3.Connection, project: Project, person: int) -> set[int]:
    """Return the items that a person may judge: shared, gold, or with too few copies elsewhere."""
    rows = connection.execute(
        "SELECT number FROM items WHERE removed_at IS NULL AND (shared OR (? AND number IN ("
        "SELECT item FROM adjudications WHERE value <> '')) OR number NOT IN ("
        "SELECT a.item FROM assignments a WHERE a.showing = 1 AND a.annotator <> ? AND "
        "a.annotator NOT IN (SELECT id FROM annotators WHERE excluded <> '') AND "
        "(a.given_at > ? OR EXISTS (SELECT 1 FROM latest l WHERE l.annotator = a.annotator "
        "AND l.item = a.item AND l.showing = 1 AND l.status = 'judged')) "
        "GROUP BY a.item HAVING COUNT(*) >= ?))",
        (project.gold, person, time.time() - _CLAIM, project.copies),
    )
    return {number for (number,) in rows}


def _waiting(
    connection: sqlite3.Connection, project: Project, person: int, held: set[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the judged items to repeat, each with the position of its first showing."""
    if not project.repeats:
        return []
    rows = connection.execute(
        "WITH given AS (SELECT item, showing, ROW_NUMBER() OVER (ORDER BY id) - 1 AS place "
        "FROM assignments WHERE annotator = ?) "
        "SELECT g.item, g.place FROM given g JOIN items i ON i.number = g.item "
        "JOIN latest l ON l.annotator = ? AND l.item = g.item AND l.showing = 1 "
        "WHERE g.showing = 1 AND i.removed_at IS NULL AND l.status = 'judged' ORDER BY g.place",
        (person, person),
    )
    places: dict[int, int] = dict(rows)
    repeated = {item for item in places if (item, REPEAT) in held}
    wanted = _to_repeat(project, person, set(places), repeated)
    return [(item, place) for item, place in places.items() if item in wanted]


def _to_repeat(project: Project, person: int, items: set[int], repeated: set[int]) -> set[int]:
    """Return which of a person's items come again, beside those that are repeated already."""
    chances = {item: chance(project.seed, "repeat", person, item) for item in items - repeated}
    if not project.even:
        return {item for item, drawn in chances.items() if drawn < project.repeats}
    number = int(len(items) * project.repeats + 0.5 + 1e-9) - len(repeated)
    return set(sorted(chances, key=chances.__getitem__)[: max(0, number)])


def _assignment(connection: sqlite3.Connection, person: int, row: sqlite3.Row) -> Assignment:
    earlier = connection.execute(
        "SELECT answers, comment FROM judgements WHERE annotator = ? AND item = ? AND showing = ? "
        "ORDER BY id DESC LIMIT 1",
        (person, row["item"], row["showing"]),
    ).fetchone()
    answers, comment = earlier or ("{}", "")
    item = AnnotationItem.from_json(row["content"])
    return Assignment(item, row["showing"], json.loads(answers), comment)


# -- judgements ---------------------------------------------------------------------------------


def _assigned(
    connection: sqlite3.Connection, person: int, submission: Submission, project: Project
) -> int:
    """Validate a submission and return the number of its item."""
    row = connection.execute(
        "SELECT number, content FROM items WHERE id = ? AND removed_at IS NULL", (submission.item,)
    ).fetchone()
    if row is None:
        raise GoneError("This item was removed from the project; go on with the next.", "gone")
    held = connection.execute(
        "SELECT 1 FROM assignments WHERE annotator = ? AND item = ? AND showing = ?",
        (person, row["number"], submission.showing),
    ).fetchone()
    if held is None:
        raise AnnotationError("This item was not given to you; load the page again.", "not-given")
    if len(submission.comment) > LONGEST_COMMENT:
        raise AnnotationError(
            f"The comment has {len(submission.comment):,} characters; shorten it to "
            f"{LONGEST_COMMENT:,} or less.",
            "comment",
        )
    if submission.status is Status.JUDGED:
        pair = bool(json.loads(row["content"])["source"])
        wrong = faults(project.questions, submission.answers, pair=pair)
        if wrong:
            raise AnnotationError(f"This judgement cannot be kept: {'; '.join(wrong)}.", "answers")
    return int(row["number"])


def _insert(
    connection: sqlite3.Connection, person: int, number: int, submission: Submission
) -> int:
    key, status = submission.key, submission.status
    _check_key(key)
    if not 0 <= submission.seconds < math.inf:
        raise AnnotationError(
            f"A judgement takes a number of seconds from 0 up, not {submission.seconds}.", "seconds"
        )
    answers = dict(submission.answers) if status is Status.JUDGED else {}
    values = {
        "annotator": person,
        "item": number,
        "showing": submission.showing,
        "status": status.value,
        "answers": json.dumps(answers, ensure_ascii=False),
        "comment": submission.comment,
        "seconds": min(float(submission.seconds), 86_400.0),
        "at": now(),
        "key": key,
    }
    try:
        cursor = connection.execute(INSERT_JUDGEMENT, values)
    except sqlite3.IntegrityError as error:
        raise AnnotationError(
            "The key of this judgement is already used; load the page again.", "key"
        ) from error
    return int(cursor.lastrowid or 0)


def _check_key(key: str) -> None:
    if not key.strip() or len(key) > _LONGEST_KEY:
        raise AnnotationError(f"A judgement needs a key of 1 to {_LONGEST_KEY} characters.", "key")


def _withdraw(connection: sqlite3.Connection, row: sqlite3.Row, sent: str) -> None:
    """Withdraw a judgement by a new row with its answers."""
    changed = {"status": Status.WITHDRAWN.value, "seconds": 0, "at": now(), "key": sent}
    connection.execute(INSERT_JUDGEMENT, dict(row) | changed)
