"""Which item a row of a file is about: one that the project has, or a new one."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from hinter_core.annotation.files.cells import read_back
from hinter_core.annotation.files.columns import ANSWER, ColumnMapping, find_columns
from hinter_core.annotation.files.entries import ImportedJudgement, ImportRow, entries_of
from hinter_core.annotation.files.sources import open_source
from hinter_core.annotation.project import people
from hinter_core.annotation.project.coding import fingerprint
from hinter_core.annotation.project.store import AnnotationStore, check_item, now, project_of
from hinter_core.annotation.project.types import (
    CONSENSUS,
    AccessError,
    AnnotationError,
    AnnotationItem,
    GoneError,
    Project,
)
from hinter_core.data.rows import LOOKED_AT

_SHOWN_OF_NEW_ITEMS = 40  # characters of an id in a message


@dataclass(frozen=True)
class _Known:
    """Items of a project, by id and by their texts, and which of them were taken out."""

    by_id: dict[str, str]  # to the fingerprint
    by_texts: dict[str, str]  # to the id
    removed: frozenset[str]


def _known(store: AnnotationStore) -> _Known:
    with store.database.read() as connection:
        rows = connection.execute("SELECT id, fingerprint, removed_at FROM items").fetchall()
    return _Known(
        {row["id"]: row["fingerprint"] for row in rows},
        {row["fingerprint"]: row["id"] for row in rows},
        frozenset(row["id"] for row in rows if row["removed_at"]),
    )


@dataclass
class MatchedItem:
    """``targets``: the id of each row's item, by the row's number, where the row can be used.

    ``added`` items are new, ``known`` ones were there; ``problems`` by number of the row.
    """

    targets: dict[int, str] = field(default_factory=dict)
    added: int = 0
    known: int = 0
    problems: list[tuple[int, str]] = field(default_factory=list)


def add_items(store: AnnotationStore, entries: Sequence[ImportRow]) -> MatchedItem:
    """Add what is new."""
    known = _known(store)
    there = set(known.by_id)
    found = MatchedItem()
    new: dict[str, AnnotationItem] = {}
    met: dict[str, int] = {}  # items that come with no judgement
    for entry in entries:
        try:
            ident = _target(entry, known, new)
        except AnnotationError as error:
            found.problems.append((entry.number, str(error)))
            continue
        if not ident:
            continue
        found.targets[entry.number] = ident
        if entry.given is None and entry.item is not None and not entry.faults:
            first = met.setdefault(ident, entry.number)
            if first != entry.number:
                found.problems.append((entry.number, f"it repeats the item of row {first}"))
    found.added = store.add(new.values()).added
    found.known = len({ident for ident in found.targets.values() if ident in there})
    return found


def _target(entry: ImportRow, known: _Known, new: dict[str, AnnotationItem]) -> str:
    """The id of a row's item, which is noted if it is new; "" for a row without any."""
    item, ident = entry.item, entry.ident
    if item is None:
        if ident and (ident not in known.by_id or ident in known.removed) and ident not in new:
            what = "was taken out" if ident in known.removed else "is not in the project"
            raise AnnotationError(
                f"the item '{ident[:_SHOWN_OF_NEW_ITEMS]}' {what}, and there is no text"
            )
        return ident
    check_item(item)
    texts = fingerprint(item)
    if known.by_id.get(item.id, texts) != texts:
        raise AnnotationError(
            f"the item '{item.id[:_SHOWN_OF_NEW_ITEMS]}' has other texts here than "
            "in the project; if these are no ids of items, say --map item="
        )
    same = known.by_texts.get(texts)
    if same is None:
        new[item.id] = item
        known.by_id[item.id], known.by_texts[texts] = texts, item.id
        return item.id
    if same in known.removed:
        raise AnnotationError(
            f"the item '{same[:_SHOWN_OF_NEW_ITEMS]}' was taken out of the project"
        )
    return same


_LONGEST_COMMENT = 4000
_SHOWN = 40


@dataclass
class Imported:
    """What came of a file.

    ``items`` and ``judgements`` are new; those ``known`` were there already. ``people``: names of
    annotators who are new. ``problems``: number of the row (from 1, the header not counted) and
    what was left out of it, and why. ``columns``: which column each part was read from. ``notes``
    concern the whole file.
    """

    rows: int = 0
    items: int = 0
    items_known: int = 0
    judgements: int = 0
    judgements_known: int = 0
    people: list[str] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def import_file(
    store: AnnotationStore, named: str, reading: ColumnMapping | None = None
) -> Imported:
    """Import a file, a folder or ``hf:ORG/NAME`` (see :mod:`hinter_core.annotation.files.sources`).

    Raises:
        InputError: it cannot be read, or has not the columns that it takes.
        GoneError: the project is closed.
    """
    reading = reading or ColumnMapping()
    project = store.project()
    _require_open(project)
    source = open_source(named)
    head = source.records[:LOOKED_AT] if source.cells else source.records
    columns = find_columns(named, head, project.questions, reading)
    entries = entries_of(source.records, columns, project.questions, reading, cells=source.cells)
    done = import_entries(store, entries)
    done.columns = columns
    _note(done, entries, project, reading)
    return done


def import_entries(store: AnnotationStore, entries: Sequence[ImportRow]) -> Imported:
    """Import rows that were read already; all that can be used.

    Raises:
        GoneError: the project is closed.
    """
    done = Imported(rows=len(entries))
    done.problems += [(entry.number, fault) for entry in entries for fault in entry.faults]
    found = add_items(store, entries)
    done.items, done.items_known = found.added, found.known
    done.problems += found.problems
    with store.database.write() as connection:
        project = project_of(connection)
        _require_open(project)
        bringer = _Bringer(connection, project, done)
        for entry in entries:
            if entry.given is not None and entry.number in found.targets:
                try:
                    bringer.bring(entry.number, found.targets[entry.number], entry.given)
                except AnnotationError as error:
                    done.problems.append((entry.number, str(error)))
    done.problems.sort(key=lambda problem: problem[0])
    return done


def _require_open(project: Project) -> None:
    if project.closed:
        raise GoneError(
            "This project is closed and takes nothing; open it again with hinter annotate reopen."
        )


# -- judgements ---------------------------------------------------------------------------------


# Person, item, showing, status, answers as JSON, comment, and when.
_Said = tuple[int, int, int, str, str, str, str]


class _Bringer:
    """Writes judgements of a file in one transaction."""

    def __init__(self, connection: sqlite3.Connection, project: Project, done: Imported) -> None:
        self._connection, self._done = connection, done
        self._questions = {question.id: question for question in project.questions}
        self._people: dict[str, int] = {}
        self._items: dict[str, tuple[int, bool]] = {}
        self._met: dict[tuple[int, int, int], tuple[int, ImportedJudgement]] = {}
        self._before: dict[_Said, int] = {}  # how often the project had it
        self._times: Counter[_Said] = Counter()  # how often the file has it, so far

    def bring(self, row: int, ident: str, given: ImportedJudgement) -> None:
        """Write down one judgement, unless it is there.

        Raises:
            AnnotationError: it cannot be kept.
        """
        item, pair = self._item(ident)
        answers = self._answers(row, given, pair=pair)
        if len(given.comment) > _LONGEST_COMMENT:
            raise AnnotationError(
                f"its comment has {len(given.comment):,} characters, more than {_LONGEST_COMMENT:,}"
            )
        person = self._person(given.annotator)
        self._meet(row, (person, item, given.showing), given)
        said = (
            person, item, given.showing, given.status.value, answers, given.comment,
            given.at,
        )  # fmt: skip
        self._times[said] += 1
        if self._times[said] <= self._there(said):
            self._done.judgements_known += 1
            return
        at = given.at or now()
        self._connection.execute(
            "INSERT OR IGNORE INTO assignments (annotator, item, showing, given_at) "
            "VALUES (?, ?, ?, ?)",
            (person, item, given.showing, datetime.fromisoformat(at).timestamp()),
        )
        self._connection.execute(
            "INSERT INTO judgements (annotator, item, showing, status, answers, comment, seconds, "
            "at, key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                person, item, given.showing, given.status.value, answers, given.comment,
                given.seconds, at, _key(said, self._times[said]),
            ),
        )  # fmt: skip
        self._done.judgements += 1

    def _item(self, ident: str) -> tuple[int, bool]:
        """The number of an item, and whether it has a source."""
        if ident not in self._items:
            found = self._connection.execute(
                "SELECT number, content FROM items WHERE id = ?", (ident,)
            ).fetchone()
            self._items[ident] = (found["number"], bool(json.loads(found["content"])["source"]))
        return self._items[ident]

    def _answers(self, row: int, given: ImportedJudgement, *, pair: bool) -> str:
        """The answers as JSON, without those to questions about a source that is not there."""
        kept = dict(given.answers)
        for name in given.answers:
            if self._questions[name].pair and not pair:
                del kept[name]
                self._done.problems.append(
                    (row, f"'{name}' compares with a source, and this item has none")
                )
        if given.answers and not kept:
            raise AnnotationError("no answer is left of it")
        return json.dumps(kept, ensure_ascii=False)

    def _person(self, name: str) -> int:
        if name not in self._people:
            if name.casefold() == CONSENSUS and self._has_people():
                raise AnnotationError(
                    "it is a consensus, which would be one more vote beside those that it counts; "
                    "import it into a project of its own"
                )
            try:
                who, new = people.by_name(self._connection, name, now())
            except AccessError as error:
                raise AnnotationError(f"'{name[:_SHOWN]}' is no name: {error}") from error
            if new:
                self._done.people.append(who.name)
            self._people[name] = who.id
        return self._people[name]

    def _has_people(self) -> bool:
        found = self._connection.execute(
            "SELECT 1 FROM annotators WHERE folded != ? LIMIT 1", (CONSENSUS,)
        )
        return found.fetchone() is not None

    def _meet(self, row: int, place: tuple[int, int, int], given: ImportedJudgement) -> None:
        """Refuse a second judgement of one showing, unless times say which is the correction."""
        first, before = self._met.setdefault(place, (row, given))
        if first != row and not (given.at and before.at):
            if replace(before, annotator=given.annotator, seconds=given.seconds) == given:
                raise AnnotationError(f"it repeats row {first}")
            raise AnnotationError(
                f"it contradicts row {first}: {given.annotator} judged this item there, and no "
                "time says which came later"
            )

    def _there(self, said: _Said) -> int:
        """How often the project had it: brought by a file, or given in the app and exported."""
        if said not in self._before:
            *place, status, answers, comment, at = said
            rows = self._connection.execute(
                "SELECT * FROM judgements WHERE annotator = ? AND item = ? AND showing = ?", place
            )
            self._before[said] = sum(
                (row["status"], json.loads(row["answers"]), row["comment"])
                == (status, json.loads(answers), comment)
                and (not at or row["at"] == at)
                for row in rows
            )
        return self._before[said]


def _key(said: _Said, times: int) -> str:
    """The stable name of what is said, for the nth time in one moment."""
    return f"file {hashlib.sha256(json.dumps([*said, times]).encode()).hexdigest()[:48]}"


# -- in words -----------------------------------------------------------------------------------


def _note(
    done: Imported, entries: Iterable[ImportRow], project: Project, reading: ColumnMapping
) -> None:
    asked = [q.id for q in project.questions]
    silent = [name for name in asked if f"{ANSWER}{name}" not in done.columns]
    answered = len(silent) < len(asked)
    if answered and silent:
        done.notes.append(f"No column answers {', '.join(silent)}; --map answer.NAME=COLUMN if so.")
    if not answered:
        done.notes.append("No column of answers is known, so these are items to judge.")
    if not reading.mend:
        twice = sum(
            entry.item is not None and read_back(entry.item.mutant) != entry.item.mutant
            for entry in entries
        )
        if twice:
            done.notes.append(
                f"{twice:,} texts look as if they were encoded twice (\u00c3\u00af for \u00ef); "
                "--mend reads them back, so that they equal those of other files."
            )
