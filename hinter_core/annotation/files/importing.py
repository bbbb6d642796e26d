"""Import items and judgements from a file of any known format, a folder or the Hub."""

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from pathlib import Path

from hinter_core.annotation.files.archive import ARCHIVE, unpacked
from hinter_core.annotation.files.columns import ANSWER, USUAL, ColumnMapping, find_columns
from hinter_core.annotation.files.exporting import Exported
from hinter_core.annotation.files.platforms import platform_records
from hinter_core.annotation.files.rows import SHOWN, ImportRow, fix_encoding, read_rows
from hinter_core.annotation.project.store import (
    INSERT_JUDGEMENT,
    AnnotationStore,
    check_item,
    decisions_of,
    imported_annotator,
    insert_decision,
    insert_item,
    now,
)
from hinter_core.annotation.project.types import (
    CONSENSUS,
    LONGEST_COMMENT,
    AccessError,
    AnnotationError,
    GoneError,
    Judgement,
    Project,
    as_json,
)
from hinter_core.data.hub import hub_records, on_hub, read_hub_name
from hinter_core.errors import InputError, first_names
from hinter_core.files.columnar import named_records, open_folder
from hinter_core.files.columns import LOOKED_AT
from hinter_core.files.containers import Record
from hinter_core.files.source import open_source

_ROWS = 5  # shown
_FEW_ALONE = 0.2  # share of items with one annotator, up to which they are an exception


LEFT_OUT = ("rows", "judgements", "answers")


@dataclass
class Imported:
    """Result of an import.

    ``items``, ``judgements`` and ``decisions`` are new; those ``known`` were there already.
    ``people``: names of new annotators. ``problems``: number of the row (from 1, the header not
    counted), and what was left out of it and why; ``left_out``: by :data:`LEFT_OUT`, how many
    whole rows, judgements and answers these are. ``columns``: by part. ``notes`` concern the
    whole file, and ``reading`` says how it was read.
    """

    rows: int = 0
    items: int = 0
    items_known: int = 0
    judgements: int = 0
    judgements_known: int = 0
    decisions: int = 0
    people: list[str] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    columns: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    reading: list[str] = field(default_factory=list)


def import_file(
    store: AnnotationStore, named: str, reading: ColumnMapping | None = None
) -> Imported:
    """Import a file, a folder or ``hf:ORG/NAME``, in one transaction.

    Raises:
        InputError: it cannot be read, or lacks columns that are needed.
        GoneError: the project is closed.
    """
    reading = reading or ColumnMapping()
    project = store.project()
    if project.closed:
        raise GoneError("This project is closed; open it again with hinter annotate reopen.")
    given, cells, words = _open_source(named, project)
    columns = find_columns(named, given[:LOOKED_AT] if cells else given, project.questions, reading)
    rows = read_rows(given, columns, project.questions, reading, cells=cells)
    done = Imported(len(rows), columns=columns, reading=words)
    with store.write() as connection:
        importing = _Import(connection, project, done)
        for row in rows:
            importing.add(row)
        alone = importing.alone()
    _note(done, rows, project, reading)
    if alone:
        done.notes.append(alone)
    return done


def _open_source(named: str, project: Project) -> tuple[list[Record], bool, list[str]]:
    """Read all records; say whether formulas in cells were made harmless, and how it was read."""
    cells, words, path = False, list[str](), Path(named)
    if on_hub(named):
        given = hub_records(read_hub_name(named))
    elif path.suffix == ARCHIVE:
        with unpacked(path) as store:
            given = iter([(row, "") for row in Exported(store, history=True).rows()])
    elif path.is_dir():
        splits = open_folder(path).values()
        given = chain.from_iterable(named_records(path, split) for split in splits)
    else:
        question_ids = (question.id.casefold() for question in project.questions)
        known = {*chain.from_iterable(USUAL.values()), *question_ids}
        source = open_source(path, known)
        given, cells = source.records(), source.has_cells
        words = [source.in_words(), *source.notes]
    records: list[Record] = []
    for values, fault in given:
        records += [(values, fault)] if fault else platform_records(values)
    if not records:
        raise InputError(f"{named} holds no row.")
    return records, cells, words


# Annotator, item, showing, status, answers as JSON, comment, and time.
_Content = tuple[int, int, int, str, str, str, str]


class _Import:
    """Adds rows to a project within one transaction; counts and problems go to ``done``."""

    def __init__(self, connection: sqlite3.Connection, project: Project, done: Imported) -> None:
        self._connection, self._project, self._done = connection, project, done
        self._decisions = decisions_of(connection)
        self._pairs = {question.id for question in project.questions if question.pair}
        self._people: dict[str, int] = {}
        self._met: set[str] = set()  # ids of items
        self._numbers: dict[str, tuple[int, bool]] = {}  # by id, with whether there is a source
        self._alone: dict[str, int] = {}  # items of rows without judgement, with the row
        self._showings: dict[tuple[int, int, int], tuple[int, Judgement]] = {}  # with the row
        self._first: dict[int, int] = {}  # by number of the item: row of its first new judgement
        self._before: dict[_Content, int] = {}  # occurrences in the project
        self._times: Counter[_Content] = Counter()  # occurrences in the file so far

    def add(self, row: ImportRow) -> None:
        """Add the item and the judgement of a row, as far as they can be used."""
        before, ident, judged = len(self._done.problems), "", False
        for fault in row.faults:
            self._problem(row, fault)
        try:
            ident = self._item(row)
            if ident and row.judgement:
                self._judgement(row, ident, row.judgement)
                judged = True
            if ident and row.decisions:
                self._decide(row, ident)
        except AnnotationError as error:
            self._problem(row, str(error))
        faults = len(self._done.problems) - before
        if judged:
            self._done.left_out["answers"] += faults
        elif faults:
            judged_row = ident and (row.judgement or row.faults)
            self._done.left_out["judgements" if judged_row else "rows"] += 1

    def _problem(self, row: ImportRow, why: str) -> None:
        self._done.problems.append((row.number, why))

    def alone(self) -> str:
        """Say which few judged items have one annotator only, while most have more; or nothing."""
        judged = self._connection.execute(
            "SELECT j.item, COUNT(DISTINCT j.annotator) FROM latest j "
            "JOIN items i ON i.number = j.item "
            "WHERE i.removed_at IS NULL AND j.status = 'judged' GROUP BY j.item"
        ).fetchall()
        one = {item for item, people in judged if people == 1}
        rows = [str(row) for item, row in self._first.items() if item in one]
        if not rows or len(one) > _FEW_ALONE * len(judged):
            return ""
        return (
            f"Texts that only one person judged: {len(one):,} of {len(judged):,}, in this file "
            f"those of row {first_names(rows, _ROWS)}. If somebody else judged them too, their "
            "texts differ somewhere, perhaps by one character, and agreement leaves them out."
        )

    # -- items ----------------------------------------------------------------------------------

    def _item(self, row: ImportRow) -> str:
        """Return the id of a row's item, inserted if new; "" for a row without any."""
        ident = self._target(row)
        if ident and ident not in self._met:
            self._met.add(ident)
            self._done.items_known += 1
        if row.item and not (row.judgement or row.decisions or row.faults):
            first = self._alone.setdefault(ident, row.number)
            if first != row.number:
                self._problem(row, f"it repeats the item of row {first}")
        return ident

    def _target(self, row: ImportRow) -> str:
        item, ident = row.item, row.ident
        if item is None:
            there = self._found("id", ident)
            if ident and (there is None or there["removed_at"]):
                what = "was removed" if there else "is not in the project"
                raise AnnotationError(f"the item '{ident[:SHOWN]}' {what}, and there is no text")
            return ident
        check_item(item)
        there = self._found("id", item.id)
        if there is not None and there["fingerprint"] != item.fingerprint:
            raise AnnotationError(
                f"the item '{item.id[:SHOWN]}' has other texts here than "
                "in the project; if these are no ids of items, say --map item="
            )
        same = self._found("fingerprint", item.fingerprint)
        if same is None:
            insert_item(self._connection, item, self._project.share)
            self._met.add(item.id)
            self._done.items += 1
            return item.id
        if same["removed_at"]:
            raise AnnotationError(f"the item '{same['id'][:SHOWN]}' was removed from the project")
        return str(same["id"])

    def _found(self, column: str, value: str) -> sqlite3.Row | None:
        query = f"SELECT * FROM items WHERE {column} = ?"  # noqa: S608 -- our own words
        row: sqlite3.Row | None = self._connection.execute(query, (value,)).fetchone()
        return row

    # -- judgements -----------------------------------------------------------------------------

    def _judgement(self, row: ImportRow, ident: str, given: Judgement) -> None:
        item, pair = self._number(ident)
        answers = self._answers(row, given.answers, pair=pair)
        if len(given.comment) > LONGEST_COMMENT:
            raise AnnotationError(
                f"its comment has {len(given.comment):,} characters, more than {LONGEST_COMMENT:,}"
            )
        person = self._person(given.annotator, row)
        self._require_one(row.number, (person, item, given.showing), given)
        content = (
            person, item, given.showing, given.status.value, answers, given.comment, given.at,
        )  # fmt: skip
        self._times[content] += 1
        if self._times[content] <= self._occurrences(content):
            self._done.judgements_known += 1
            return
        at = given.at or now()
        self._connection.execute(
            "INSERT OR IGNORE INTO assignments (annotator, item, showing, given_at) "
            "VALUES (?, ?, ?, ?)",
            (person, item, given.showing, datetime.fromisoformat(at).timestamp()),
        )
        digest = hashlib.sha256(json.dumps([*content, self._times[content]]).encode()).hexdigest()
        values = {
            "annotator": person, "item": item, "showing": given.showing,
            "status": given.status.value, "answers": answers, "comment": given.comment,
            "seconds": given.seconds, "at": at, "key": f"file {digest[:48]}",
        }  # fmt: skip
        self._connection.execute(INSERT_JUDGEMENT, values)
        self._done.judgements += 1
        self._first.setdefault(item, row.number)

    def _number(self, ident: str) -> tuple[int, bool]:
        """Return the number of an item of the project, and whether it has a source."""
        if ident not in self._numbers:
            there = self._found("id", ident)
            assert there is not None
            self._numbers[ident] = there["number"], bool(json.loads(there["content"])["source"])
        return self._numbers[ident]

    def _answers(self, row: ImportRow, given: Mapping[str, str], *, pair: bool) -> str:
        """Return the answers as JSON, without those to questions about a missing source."""
        answers = dict(given)
        for name in given:
            if name in self._pairs and not pair:
                del answers[name]
                self._problem(row, f"'{name}' compares with a source, and this item has none")
        if given and not answers:
            raise AnnotationError("no answer is left of it")
        return as_json(answers)

    def _decide(self, row: ImportRow, ident: str) -> None:
        """Insert the owner's decisions of a row that differ from those in the project."""
        _, pair = self._number(ident)
        for question, value in json.loads(self._answers(row, row.decisions, pair=pair)).items():
            if self._decisions.get((ident, question)) != value:
                insert_decision(self._connection, ident, question, value)
                self._decisions[ident, question] = value
                self._done.decisions += 1

    def _person(self, name: str, row: ImportRow) -> int:
        if name not in self._people:
            others = self._connection.execute(
                "SELECT 1 FROM annotators WHERE folded != ? LIMIT 1", (CONSENSUS,)
            ).fetchone()
            if name.casefold() == CONSENSUS and others:
                raise AnnotationError(
                    "it is a consensus, which would be one more vote beside those that it counts; "
                    "import it into a project of its own"
                )
            try:
                person, new = imported_annotator(self._connection, name)
            except AccessError as error:
                raise AnnotationError(f"'{name[:SHOWN]}' is no name: {error}") from error
            if new:
                self._done.people.append(person.name)
                self._connection.execute(
                    "UPDATE annotators SET excluded = ?, entry = ? WHERE id = ?",
                    (row.excluded, as_json(row.entry), person.id),
                )
            self._people[name] = person.id
        return self._people[name]

    def _require_one(self, row: int, showing: tuple[int, int, int], given: Judgement) -> None:
        """Refuse a second judgement of one showing, unless times say which is the correction."""
        first, before = self._showings.setdefault(showing, (row, given))
        if first != row and not (given.at and before.at):
            same = replace(
                before, id=row, annotator=given.annotator, item=given.item, seconds=given.seconds
            )
            if same == given:
                raise AnnotationError(f"it repeats row {first}")
            raise AnnotationError(
                f"it contradicts row {first}: {given.annotator} judged this item there, and no "
                "time says which came later"
            )

    def _occurrences(self, content: _Content) -> int:
        """Count an equal judgement in the project, imported or given in the app and exported."""
        if content not in self._before:
            *showing, status, answers, comment, at = content
            rows = self._connection.execute(
                "SELECT * FROM judgements WHERE annotator = ? AND item = ? AND showing = ?", showing
            )
            self._before[content] = sum(
                (row["status"], json.loads(row["answers"]), row["comment"])
                == (status, json.loads(answers), comment)
                and (not at or row["at"] == at)
                for row in rows
            )
        return self._before[content]


def _note(
    done: Imported, rows: Iterable[ImportRow], project: Project, reading: ColumnMapping
) -> None:
    question_ids = [question.id for question in project.questions]
    silent = [name for name in question_ids if f"{ANSWER}{name}" not in done.columns]
    if silent == question_ids:
        done.notes.append("No column of answers is known, so these are items to judge.")
    elif silent:
        done.notes.append(f"No column answers {', '.join(silent)}; --map answer.NAME=COLUMN if so.")
    if not reading.mend:
        texts = [row.item.mutant for row in rows if row.item]
        twice = sum(fix_encoding(text) != text for text in texts)
        if twice:
            done.notes.append(
                f"{twice:,} texts look as if they were encoded twice (\u00c3\u00af for \u00ef); "
                "--mend reads them back, so that they equal those of other files."
            )
