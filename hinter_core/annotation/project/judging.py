"""The work of annotators: assign items, store judgements, undo them, report progress.

Each annotator gets the items in a random order, in which those of one text stand apart. Items for
all annotators come in its first half, so that annotators who stop early still overlap. Any other
item goes to ``copies`` annotators. The first few items of a page are reserved for half an hour;
those after them, which let a page work through a lost connection, go to somebody else only when
nothing else is left. A repeated item returns at least ``gap`` showings later.
"""

import hashlib
import json
import math
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

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
    as_json,
)


@dataclass(frozen=True)
class Order:
    """An annotator's order of all items, by ``numbers``, with the text that each is made from."""

    numbers: list[int]
    texts: Mapping[int, str]

    def apart(self, wanted: Iterable[int], shown: list[str]) -> Iterator[int]:
        """Yield the wanted items, the first one whose text was not ``shown`` lately in turn."""
        left = list(wanted)
        while left:
            most = max(Counter(self.texts[item] for item in left).values())
            near = shown[-max(1, len(left) // (2 * most)) :]
            last = {text: place for place, text in enumerate(near)}
            item = min(left, key=lambda one: last.get(self.texts[one], -1))
            left.remove(item)
            shown.append(self.texts[item])
            yield item


def ordered(connection: sqlite3.Connection, project: Project, person: int) -> Order:
    """Place the items of each text evenly, from a random place on; those for all come first."""
    rows = connection.execute("SELECT number, shared, content FROM items").fetchall()
    texts = {row["number"]: AnnotationItem.from_json(row["content"]).cluster for row in rows}
    chances = {number: chance(project.seed, "order", person, number) for number in texts}
    of_text, met, place = Counter(texts.values()), Counter[str](), dict[int, float]()
    for row in sorted(rows, key=lambda row: (not row["shared"], chances[row["number"]])):
        number, text = row["number"], texts[row["number"]]
        start = chance(project.seed, "text", person, text)
        place[number] = (met[text] + start) / of_text[text] * (0.5 if row["shared"] else 1.0)
        met[text] += 1
    return Order(sorted(place, key=place.__getitem__), texts)


def chance(*parts: object) -> float:
    """Hash the parts to a uniform number in [0, 1)."""
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


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

    @contextmanager
    def _desk(self, key: str, *, writes: bool = True) -> Iterator["_Desk"]:
        """Open a transaction for an annotator who writes, or a connection to read from."""
        with self.store.write() if writes else self.store.read() as connection:
            yield _Desk(connection, project_of(connection), whose(connection, key))

    def upcoming(self, key: str, limit: int = 3) -> list[Assignment]:
        """Return the next items of an annotator, the current one first; reserve the first few."""
        limit = max(1, min(limit, _AHEAD))
        with self._desk(key) as desk:
            project = desk.open_project()
            if project.quota:
                limit = min(limit, project.quota - desk.judged())
            if limit < 1:
                return []
            free = desk.free()
            left = limit - len(desk.pending(free))
            drawn = [*desk.drawn(self._order(desk), free, left)]
            for item, showing in drawn:
                desk.run(
                    "INSERT INTO assignments (annotator, item, showing, given_at) "
                    "VALUES (:person, :item, :showing, :at)",
                    item=item, showing=showing, at=_UNRESERVED,
                )  # fmt: skip
            pending = desk.pending(free)[:limit]
            for row in pending[:_RESERVED]:
                desk.reserve(row["item"], row["showing"])
            return [desk.assignment(row) for row in pending]

    def _order(self, desk: "_Desk") -> Order:
        n_items: int = desk.run("SELECT COUNT(*) FROM items").fetchone()[0]
        cached = self._orders.get(desk.person.id)
        if cached is None or len(cached.numbers) != n_items:
            cached = ordered(desk.connection, desk.project, desk.person.id)
            self._orders[desk.person.id] = cached
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
        with self._desk(key) as desk:
            stored = desk.run(
                "SELECT id FROM judgements WHERE key = :key AND annotator = :person",
                key=submission.key,
            ).fetchone()
            if stored is not None:
                return int(stored["id"])
            desk.open_project()
            number, showing = desk.assigned(submission), submission.showing
            if once and desk.has("latest", number, showing):
                raise AnnotationError(
                    "Another window judged this text; that answer stays.", "twice"
                )
            desk.reserve(number, showing)
            return desk.insert(number, submission)

    def undo(self, key: str, sent: str, of: tuple[str, int] | None = None) -> bool:
        """Withdraw a judgement, so that its item is shown again; False if there is none.

        ``sent``: the sender's key of this request. ``of``: item and showing, if not the latest.
        """
        with self._desk(key) as desk:
            desk.open_project()
            _check_key(sent)
            if desk.run("SELECT 1 FROM judgements WHERE key = :key", key=sent).fetchone():
                return True
            item, showing = of or (None, None)
            row = desk.run(
                "SELECT l.* FROM latest l JOIN items i ON i.number = l.item "
                "WHERE l.annotator = :person AND i.removed_at IS NULL "
                "AND (:item IS NULL OR (i.id = :item AND l.showing = :showing)) "
                "ORDER BY l.id DESC LIMIT 1",
                item=item, showing=showing,
            ).fetchone()  # fmt: skip
            if row is not None:
                desk.withdraw(row, sent)
            return row is not None

    def return_skipped(self, key: str) -> int:
        """Offer skipped items again; return their number."""
        with self._desk(key) as desk:
            desk.open_project()
            query = "SELECT * FROM latest WHERE annotator = :person AND status = 'skipped'"
            rows = desk.run(query).fetchall()
            for row in rows:
                desk.withdraw(row, f"back {row['key']}")
            return len(rows)

    def given(self, key: str, ident: str) -> AnnotationItem:
        """Return an item that is assigned to the annotator.

        Raises:
            GoneError: no such item, or not assigned to this annotator.
        """
        with self._desk(key, writes=False) as desk:
            row = desk.run(
                "SELECT i.content FROM items i JOIN assignments a ON a.item = i.number "
                "WHERE i.id = :id AND i.removed_at IS NULL AND a.annotator = :person LIMIT 1",
                id=ident,
            ).fetchone()
        if row is None:
            raise GoneError("This item was not given to you; load the page again.", "not-given")
        return AnnotationItem.from_json(row["content"])

    def progress(self, key: str) -> AnnotatorProgress:
        """Return the progress of an annotator."""
        with self._desk(key, writes=False) as desk:
            return desk.progress()

    def finished(self, key: str) -> bool:
        """Whether an annotator without items has done enough for the project's ``completion``.

        That is a judgement at least, and the quota or all items. Who may skip what is unpleasant
        must not lose by it, so that skips are fine up to as many as there are judgements. In a
        closed project, items that the annotator might still have judged count as not done.
        """
        with self._desk(key, writes=False) as desk:
            project, judged = desk.project, desk.judged()
            if not judged or (project.quota and judged >= project.quota):
                return judged > 0
            progress = desk.progress()
            return judged >= progress.skipped and not (project.closed and progress.left)

    def standings(self) -> list[AnnotatorProgress]:
        """Return the progress of all annotators, in the order of joining; for the owner."""
        people = self.store.annotators()
        with self.store.read() as connection:
            project = project_of(connection)
            return [_Desk(connection, project, person).progress() for person in people]


@dataclass(frozen=True)
class _Desk:
    """The work of one person, in an open file; in queries, ``:person`` is that person's number."""

    connection: sqlite3.Connection
    project: Project
    person: Annotator

    def run(self, query: str, **values: Any) -> sqlite3.Cursor:
        return self.connection.execute(query, {"person": self.person.id, **values})

    def open_project(self) -> Project:
        if self.project.closed:
            raise GoneError(
                "This project is closed; what you judged is kept. Thank you. Ask its owner if you "
                "would like to go on.",
                "closed",
            )
        return self.project

    def progress(self) -> AnnotatorProgress:
        rows = self.run(
            "SELECT item, showing, status FROM latest l JOIN items i ON i.number = l.item "
            "WHERE annotator = :person AND removed_at IS NULL"
        ).fetchall()
        done = Counter(status for _, _, status in rows)
        again = sum(showing == REPEAT and status == "judged" for _, showing, status in rows)
        latest, seconds = self.run(
            "SELECT COALESCE(MAX(at), ''), COALESCE(SUM(MIN(seconds, :pause)), 0) FROM judgements "
            "WHERE annotator = :person",
            pause=_PAUSE,
        ).fetchone()
        held, free = set(self.held()), self.free()
        fresh = {item for item in free if (item, FIRST) not in held}
        pending = self.pending(free)
        met = fresh | {row["item"] for row in pending}
        met |= {item for item, _, status in rows if status == "judged"}
        repeats = self.to_repeat(met, {item for item in met if (item, REPEAT) in held})
        left = len(pending) + len(fresh) + len(repeats)  # at most
        if self.project.quota:
            left = min(left, max(0, self.project.quota - self.judged()))
        judged, skipped = done["judged"], done["skipped"]
        return AnnotatorProgress(self.person, judged, skipped, left, latest, seconds, again)

    def judged(self) -> int:
        """Count the showings that the person has judged, of all items ever."""
        query = "SELECT COUNT(*) FROM latest WHERE annotator = :person AND status = 'judged'"
        count: int = self.run(query).fetchone()[0]
        return count

    # -- items to come --------------------------------------------------------------------------

    def drawn(self, order: Order, free: set[int], limit: int) -> Iterator[tuple[int, int]]:
        """Yield up to ``limit`` unassigned items, each with the showing."""
        if limit < 1:
            return
        assigned = self.held()
        held = set(assigned)
        fresh = [item for item in order.numbers if item in free and (item, FIRST) not in held]
        shown = [order.texts[item] for item, _ in assigned]
        # What is on somebody's page, though not reserved, comes last.
        elsewhere = self.unreserved()
        parts = ([one for one in fresh if (one in elsewhere) is last] for last in (False, True))
        waiting, given = self.waiting(held), len(held)
        for item in chain.from_iterable(order.apart(part, shown) for part in parts):
            while limit and waiting and given - waiting[0][1] > self.project.gap:
                yield waiting.pop(0)[0], REPEAT
                limit, given = limit - 1, given + 1
            if not limit:
                return
            yield item, FIRST
            limit, given = limit - 1, given + 1
        # No new item is left, so repeats come regardless of the gap.
        for item, _ in waiting[:limit]:
            yield item, REPEAT

    def held(self) -> list[tuple[int, int]]:
        """Return the items assigned to the person, with the showing, in their order."""
        query = "SELECT item, showing FROM assignments WHERE annotator = :person ORDER BY id"
        return [(item, showing) for item, showing in self.run(query)]

    def unreserved(self) -> set[int]:
        """Return the items that are assigned to others and not reserved."""
        query = "SELECT item FROM assignments WHERE given_at = :at AND annotator <> :person"
        return {item for (item,) in self.run(query, at=_UNRESERVED)}

    def reserve(self, item: int, showing: int) -> None:
        self.run(
            "UPDATE assignments SET given_at = :now "
            "WHERE annotator = :person AND item = :item AND showing = :showing AND given_at = :at",
            now=time.time(), item=item, showing=showing, at=_UNRESERVED,
        )  # fmt: skip

    def has(self, table: str, item: int, showing: int) -> bool:
        """Whether there is a row of the table about a showing to the person."""
        query = f"SELECT 1 FROM {table} WHERE annotator = :person AND item = :item "  # noqa: S608 -- our own words
        row = self.run(f"{query} AND showing = :showing", item=item, showing=showing).fetchone()
        return row is not None

    def pending(self, free: set[int]) -> list[sqlite3.Row]:
        """Return the assignments without judgement, the earliest first.

        What is not reserved is left out while others have it, that is, unless it is ``free``.
        """
        rows = self.run(
            "SELECT a.item, a.showing, a.given_at, i.content FROM assignments a "
            "JOIN items i ON i.number = a.item "
            "WHERE a.annotator = :person AND i.removed_at IS NULL AND NOT EXISTS (SELECT 1 FROM "
            "latest l WHERE l.annotator = a.annotator AND l.item = a.item "
            "AND l.showing = a.showing) ORDER BY a.id"
        )
        return [
            row for row in rows
            if row["given_at"] != _UNRESERVED or row["showing"] == REPEAT or row["item"] in free
        ]  # fmt: skip

    def free(self) -> set[int]:
        """Return the items to judge: shared, gold, or with too few copies elsewhere."""
        rows = self.run(
            "SELECT number FROM items WHERE removed_at IS NULL AND (shared OR (:gold AND number IN "
            "(SELECT item FROM adjudications WHERE value <> '')) OR number NOT IN ("
            "SELECT a.item FROM assignments a WHERE a.showing = 1 AND a.annotator <> :person AND "
            "a.annotator NOT IN (SELECT id FROM annotators WHERE excluded <> '') AND "
            "(a.given_at > :since OR EXISTS (SELECT 1 FROM latest l WHERE l.annotator = "
            "a.annotator AND l.item = a.item AND l.showing = 1 AND l.status = 'judged')) "
            "GROUP BY a.item HAVING COUNT(*) >= :copies))",
            gold=self.project.gold, since=time.time() - _CLAIM, copies=self.project.copies,
        )  # fmt: skip
        return {number for (number,) in rows}

    def waiting(self, held: set[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the judged items to repeat, each with the position of its first showing."""
        if not self.project.repeats:
            return []
        rows = self.run(
            "WITH given AS (SELECT item, showing, ROW_NUMBER() OVER (ORDER BY id) - 1 AS place "
            "FROM assignments WHERE annotator = :person) "
            "SELECT g.item, g.place FROM given g JOIN items i ON i.number = g.item "
            "JOIN latest l ON l.annotator = :person AND l.item = g.item AND l.showing = 1 "
            "WHERE g.showing = 1 AND i.removed_at IS NULL AND l.status = 'judged' ORDER BY g.place"
        )
        places: dict[int, int] = dict(rows.fetchall())
        repeated = {item for item in places if (item, REPEAT) in held}
        wanted = self.to_repeat(set(places), repeated)
        return [(item, place) for item, place in places.items() if item in wanted]

    def to_repeat(self, items: set[int], repeated: set[int]) -> set[int]:
        """Return which of the items come again, beside those that are repeated already."""
        project, person = self.project, self.person.id
        chances = {item: chance(project.seed, "repeat", person, item) for item in items - repeated}
        if not project.even:
            return {item for item, drawn in chances.items() if drawn < project.repeats}
        number = int(len(items) * project.repeats + 0.5 + 1e-9) - len(repeated)
        return set(sorted(chances, key=chances.__getitem__)[: max(0, number)])

    def assignment(self, row: sqlite3.Row) -> Assignment:
        earlier = self.run(
            "SELECT answers, comment FROM judgements WHERE annotator = :person AND item = :item "
            "AND showing = :showing ORDER BY id DESC LIMIT 1",
            item=row["item"], showing=row["showing"],
        ).fetchone()  # fmt: skip
        answers, comment = earlier or ("{}", "")
        item = AnnotationItem.from_json(row["content"])
        return Assignment(item, row["showing"], json.loads(answers), comment)

    # -- judgements -----------------------------------------------------------------------------

    def assigned(self, submission: Submission) -> int:
        """Validate a submission and return the number of its item."""
        row = self.run(
            "SELECT number, content FROM items WHERE id = :id AND removed_at IS NULL",
            id=submission.item,
        ).fetchone()
        if row is None:
            raise GoneError("This item was removed from the project; go on with the next.", "gone")
        if not self.has("assignments", row["number"], submission.showing):
            why = "This item was not given to you; load the page again."
            raise AnnotationError(why, "not-given")
        if len(submission.comment) > LONGEST_COMMENT:
            raise AnnotationError(
                f"The comment has {len(submission.comment):,} characters; shorten it to "
                f"{LONGEST_COMMENT:,} or less.",
                "comment",
            )
        if submission.status is Status.JUDGED:
            pair = bool(json.loads(row["content"])["source"])
            wrong = "; ".join(faults(self.project.questions, submission.answers, pair=pair))
            if wrong:
                raise AnnotationError(f"This judgement cannot be kept: {wrong}.", "answers")
        return int(row["number"])

    def insert(self, number: int, submission: Submission) -> int:
        _check_key(submission.key)
        if not 0 <= submission.seconds < math.inf:
            raise AnnotationError(
                f"A judgement takes a number of seconds from 0 up, not {submission.seconds}.",
                "seconds",
            )
        answers = dict(submission.answers) if submission.status is Status.JUDGED else {}
        values = {
            "annotator": self.person.id, "item": number, "showing": submission.showing,
            "status": submission.status.value, "answers": as_json(answers),
            "comment": submission.comment, "seconds": min(float(submission.seconds), 86_400.0),
            "at": now(), "key": submission.key,
        }  # fmt: skip
        try:
            cursor = self.run(INSERT_JUDGEMENT, **values)
        except sqlite3.IntegrityError as error:
            raise AnnotationError(
                "The key of this judgement is already used; load the page again.", "key"
            ) from error
        return int(cursor.lastrowid or 0)

    def withdraw(self, row: sqlite3.Row, sent: str) -> None:
        """Withdraw a judgement by a new row with its answers."""
        changed = {"status": Status.WITHDRAWN.value, "seconds": 0, "at": now(), "key": sent}
        self.run(INSERT_JUDGEMENT, **dict(row) | changed)


def _check_key(key: str) -> None:
    if not key.strip() or len(key) > _LONGEST_KEY:
        raise AnnotationError(f"A judgement needs a key of 1 to {_LONGEST_KEY} characters.", "key")
