"""Draw the next items for an annotator.

Each annotator gets the items in a random order. Items for all annotators come in its first half, so
that annotators who stop early still overlap. Any other item goes to ``copies`` annotators; an item
not judged within half an hour is free again. A repeated item returns at least ``gap`` showings
later.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator

from hinter_core.annotation.project.types import FIRST, REPEAT, Project

_CLAIM = 1800.0  # seconds for which an assigned item is reserved


class Turns:
    """The orders of a project's items by annotator; cached while no item is added."""

    def __init__(self) -> None:
        self._orders: dict[int, tuple[int, list[int]]] = {}

    def drawn(
        self, connection: sqlite3.Connection, project: Project, person: int, limit: int
    ) -> Iterator[tuple[int, int]]:
        """Yield up to ``limit`` unassigned items for a person, each with the showing."""
        if limit < 1:
            return
        held = _held(connection, person)
        fresh = _free(connection, project, person, held)
        waiting = _waiting(connection, project, person, held)
        given = len(held)
        for item in [item for item in self._order(connection, project, person) if item in fresh]:
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

    def _order(self, connection: sqlite3.Connection, project: Project, person: int) -> list[int]:
        n_items: int = connection.execute("SELECT COUNT(*) FROM items").fetchone()[0]
        cached = self._orders.get(person)
        if cached is None or cached[0] != n_items:
            rows = connection.execute("SELECT number, shared FROM items").fetchall()
            place = {
                row["number"]: _chance(project.seed, "order", person, row["number"])
                * (0.5 if row["shared"] else 1.0)
                for row in rows
            }
            cached = self._orders[person] = (n_items, sorted(place, key=place.__getitem__))
        return cached[1]


def _held(connection: sqlite3.Connection, person: int) -> set[tuple[int, int]]:
    """Return the items assigned to a person, with the showing."""
    rows = connection.execute(
        "SELECT item, showing FROM assignments WHERE annotator = ?", (person,)
    ).fetchall()
    return {(row["item"], row["showing"]) for row in rows}


def still_open(connection: sqlite3.Connection, person: int) -> list[sqlite3.Row]:
    """Return a person's assignments without judgement, the earliest first."""
    return connection.execute(
        "SELECT a.item, a.showing, i.content FROM assignments a "
        "JOIN items i ON i.number = a.item "
        "WHERE a.annotator = ? AND i.removed_at IS NULL AND NOT EXISTS (SELECT 1 FROM latest l "
        "WHERE l.annotator = a.annotator AND l.item = a.item AND l.showing = a.showing) "
        "ORDER BY a.id",
        (person,),
    ).fetchall()


def _free(
    connection: sqlite3.Connection, project: Project, person: int, held: set[tuple[int, int]]
) -> set[int]:
    """Return the items that may be assigned to a person: shared, or with too few copies."""
    taken = {
        row["item"]
        for row in connection.execute(
            "SELECT a.item FROM assignments a WHERE a.showing = 1 AND a.annotator <> ? AND "
            "(a.given_at > ? OR EXISTS (SELECT 1 FROM latest l WHERE l.annotator = a.annotator "
            "AND l.item = a.item AND l.showing = 1 AND l.status = 'judged')) "
            "GROUP BY a.item HAVING COUNT(*) >= ?",
            (person, time.time() - _CLAIM, project.copies),
        )
    }
    rows = connection.execute("SELECT number, shared FROM items WHERE removed_at IS NULL")
    return {
        row["number"]
        for row in rows
        if (row["number"], FIRST) not in held and (row["shared"] or row["number"] not in taken)
    }


def _waiting(
    connection: sqlite3.Connection, project: Project, person: int, held: set[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the judged items to repeat, each with the position of its first showing."""
    rows = connection.execute(
        "SELECT a.item, (SELECT COUNT(*) FROM assignments b WHERE b.annotator = a.annotator "
        "AND b.id < a.id) AS place FROM assignments a JOIN items i ON i.number = a.item "
        "JOIN latest l ON l.annotator = a.annotator AND l.item = a.item AND l.showing = 1 "
        "WHERE a.annotator = ? AND a.showing = 1 AND i.removed_at IS NULL "
        "AND l.status = 'judged' ORDER BY a.id",
        (person,),
    ).fetchall()
    return [
        (row["item"], row["place"])
        for row in rows
        if (row["item"], REPEAT) not in held and _repeats(project, person, row["item"])
    ]


def _chance(*parts: object) -> float:
    """Hash the parts to a uniform number in [0, 1)."""
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _repeats(project: Project, person: int, item: int) -> bool:
    return _chance(project.seed, "repeat", person, item) < project.repeats


def to_come(connection: sqlite3.Connection, project: Project, person: int) -> int:
    """Count the showings that a person may still be assigned, at most."""
    held = _held(connection, person)
    fresh = _free(connection, project, person, held)
    met = fresh | {item for item, _ in held}
    again = sum(_repeats(project, person, i) for i in met if (i, REPEAT) not in held)
    return len(fresh) + again
