"""Read a campaign: its tables as views of an in-memory DuckDB, and single mutants.

All that reads campaigns reads through this module. A shard counts once its table of texts exists,
which is written last. Columns that an older version lacks are NULL.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from hinter_core.campaign.parquet import StoreError, checked_rows
from hinter_core.campaign.record import priorities_of
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import (
    Attributes,
    StoredAnswer,
    Tables,
    answer_schema,
    edit_from_row,
    mutant_schema,
    quoted,
    shifted,
    text_schema,
)
from hinter_core.errors import HinterError, InputError, first_line
from hinter_core.files.memory import MEMORY, THREADS, MemoryDatabase, own_database, shared_database
from hinter_core.mutation.edits import apply_edits, changes_in_words, handwritten_mutant
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.places import PlaceError, RemotePath, duckdb_files
from hinter_core.relations.validity import validity_of
from hinter_core.types import SUBSTITUTE, Edit, Mutant

CHUNK = 400_000  # mutants in memory at a time
# Columns that counts and searches read, after verification.
MUTANT_COLUMNS = ("row", "edits", "kept", "text")
ANSWER_COLUMNS = ("row", "mutant", "verdict", "changed", "failure", "audit")
_MOST_ROWS = 2**32  # per shard, so that shard and place fit one number
_PLACED = f"({{0}}.shard::BIGINT * {_MOST_ROWS} + {{0}}.place)"
_TOGETHER = 16  # shards in one query, whose cost hardly depends on how few mutants it is for
_FEW = 4096  # mutants whose rows are sorted together
_FETCHED = 1024  # rows at a time; each contains its text


@dataclass(frozen=True)
class MutantRecord:
    """A stored mutant.

    ``place``: its row in the shard's table. ``text``: the unchanged text. ``handwritten``: the text
    of a handwritten mutant. ``relation``: metamorphic, several with ``+``. ``across_people``: its
    changes are of different people. ``answers``: by model; ``model`` to ``why`` are the first's.
    """

    shard: int
    place: int
    row: int
    id: str
    label: str
    text: str
    stored_edits: list[dict[str, Any]] = field(repr=False)
    order: int
    kept: bool
    layer: str
    reason: str
    handwritten: str | None
    ask: bool
    stored_validity: float | None
    soft: float | None
    unfair: float | None
    relation: str
    across_people: bool | None
    answers: dict[str, StoredAnswer]

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """The edits."""
        return tuple(map(edit_from_row, self.stored_edits))

    @property
    def attributes(self) -> Attributes:
        """The changed attributes."""
        return tuple(edit["attribute"] for edit in self.stored_edits)

    @property
    def mutant(self) -> str:
        """The changed text."""
        return self.made.text

    @property
    def in_words(self) -> str:
        """Its changes, the labels before and after, and the changed text, in a line."""
        changes = changes_in_words(self.edits)
        before, after = ", ".join(self.original), ", ".join(self.labels or ())
        return f"{changes}: {before} \u2192 {after}{shifted(self.answer.moved)}: {self.mutant}"

    @cached_property
    def made(self) -> Mutant:
        """The mutant."""
        if self.handwritten is not None:
            return handwritten_mutant(self.text, self.handwritten, self.edits)
        return apply_edits(self.text, self.edits)

    @property
    def validity(self) -> float:
        """The validity score; computed if the table is older than it."""
        if self.stored_validity is not None:
            return self.stored_validity
        plan = Plan.of_text(self.text, Settings())
        return validity_of(plan, self.made, kept=self.kept).fair

    @property
    def model(self) -> str:
        """The first tested model."""
        return next(iter(self.answers))

    @property
    def answer(self) -> StoredAnswer:
        """The answer."""
        return self.answers[self.model]

    @property
    def verdict(self) -> str:
        """The verdict."""
        return self.answer.verdict or ""

    @property
    def original(self) -> tuple[str, ...]:
        """The labels of the unchanged text."""
        return self.answer.original

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The labels; None if the model was not tested or did not answer."""
        failed = self.answer.detail or self.answer.failure
        return None if failed or not self.kept else self.answer.labels

    @property
    def why(self) -> str:
        """The reason why the mutant was discarded, or why there is no answer."""
        return (self.answer.detail or self.answer.failure or "") if self.kept else self.reason


class CampaignReader:
    """A campaign's tables for SQL; a context manager that closes its connection.

    ``models``: only these models (default: all). ``rates``: in a prioritised run, answers outside
    the random share (:mod:`hinter_core.campaign.running.priority`) have no verdict, so that what is
    counted is unbiased.

    Raises:
        StoreError: no campaign or a damaged table, here and in all methods.
    """

    def __init__(
        self, store: CampaignStore, models: Iterable[str] | None = None, *, rates: bool = False
    ) -> None:
        import duckdb

        self.store = store
        spec = store.read()
        noted = {name: model["identity"] for name, model in spec["models"].items()}
        self.priority = priorities_of(spec)
        self.rates = rates and bool(self.priority)
        self.models = {name: noted[name] for name in (noted if models is None else models)}
        self.written = store.written()
        self.shards = self.written.shards
        self._locked = False
        self._beside: tuple[CampaignReader, ...] = ()  # other campaigns in the same queries
        self._failed = duckdb.Error
        self._remote: dict[str, Path] = {}  # listed files that are not on a disk
        self._open(shared_database(_make_empty))
        self._reach(self)

    def __enter__(self) -> CampaignReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def _open(self, database: MemoryDatabase) -> None:
        self._database, self.connection = database, database.connection

    def _leave_shared(self) -> None:
        self._database.close()
        self._open(own_database(_make_empty))

    def read_beside(self, other: CampaignReader) -> None:
        """Let queries also read the tables of another campaign."""
        self._beside = (other,)
        self._reach(other)

    def _reach(self, other: CampaignReader) -> None:
        if isinstance(other.store.folder, RemotePath):
            if not self._remote:  # once for a connection, whose instance has these files alone
                self._leave_shared()
                self.connection.register_filesystem(duckdb_files(self._remote))
            self._remote |= {str(path): path for path in other.written.paths.values()}

    def tables(
        self, shards: Sequence[int] | None = None, models: Iterable[str] | None = None
    ) -> Tables:
        """Return the views over some shards and models (default: all)."""
        chosen = self.shards if shards is None else shards
        by_model = {
            name: self._answers(chosen, identity)
            for name, identity in self.models.items()
            if models is None or name in models
        }
        # The name of a file after the number of its shard identifies the model.
        ends = {paths[0].name.partition(".")[2]: name for name, paths in by_model.items() if paths}
        cases = "".join(f" WHEN {quoted(end)} THEN {quoted(name)}" for end, name in ends.items())
        files = {
            "texts": list(map(self.written.texts, chosen)),
            "mutants": list(map(self.written.mutants, chosen)),
            "answers": [path for paths in by_model.values() for path in paths],
        }
        model = f"CASE regexp_replace(file, '^[0-9]+[.]', '') {cases} END" if cases else "NULL"
        return Tables(files, model, self.rates)

    def _answers(self, shards: Iterable[int], identity: str) -> list[Path]:
        return list(filter(None, (self.written.answers(shard, identity) for shard in shards)))

    def run(self, sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query; ``parameters`` are its ``$names``."""
        try:
            rows: list[tuple[Any, ...]] = self.connection.execute(
                sql, parameters or None
            ).fetchall()
        except self._failed as error:
            raise self._fault(error) from error
        return rows

    def stream(self, sql: str, **parameters: Any) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query; other queries may run meanwhile."""
        try:
            cursor = self._database.cursor().execute(sql, parameters or None)
            yield from _fetched(cursor)
        except self._failed as error:
            raise self._fault(error) from error

    def _fault(self, error: Exception) -> HinterError:
        """Name the place that is away or the damaged table, if any, or quote the library."""
        if away := re.search(r"PlaceError: (.+)", str(error)):
            return PlaceError(away[1])
        if str(error).startswith("Out of Memory"):
            return StoreError(
                f"{self.store.folder} takes more memory than the {MEMORY} that tables are read in. "
                "Read fewer models or attributes at a time (--model, --attributes)."
            )
        for reader in (self, *self._beside):
            try:
                reader.check(reader.shards)
            except StoreError as fault:
                return fault
        return StoreError(f"{self.store.folder} cannot be read: {first_line(error)}")

    def query(self, sql: str, seconds: float) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Run a user's query over :data:`VIEWS`, without other access; return columns and rows.

        Raises:
            InputError: it is not one SELECT, is wrong, or takes longer than ``seconds``.
            StoreError: a table cannot be read.
        """
        import duckdb

        try:
            statements = duckdb.extract_statements(sql)
        except duckdb.Error as error:
            raise InputError(f"This is not SQL: {first_line(error)}") from error
        if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
            raise InputError("Give one SELECT; campaigns are read-only.")
        self._lock()
        timer = threading.Timer(seconds, self.connection.interrupt)
        timer.daemon = True
        timer.start()

        def rows() -> Iterator[tuple[Any, ...]]:
            try:
                yield from _fetched(self.connection)
            except duckdb.Error as error:
                raise self._refused(error, seconds) from error
            finally:
                timer.cancel()

        try:
            self.connection.execute(sql)
        except duckdb.Error as error:
            timer.cancel()
            raise self._refused(error, seconds) from error
        return [column[0] for column in self.connection.description or ()], rows()

    def columns(self, view: str) -> list[tuple[str, str]]:
        """Return names and types of a view's columns."""
        self._lock()
        return [(name, kind) for name, kind, *_ in self.run(f"DESCRIBE {view}")]

    def _lock(self) -> None:
        """Create the views, in an instance of its own that allows no other files and settings."""
        if self._locked:
            return
        self._locked = True
        if not self._remote:
            self._leave_shared()
        allowed = ", ".join(quoted(str(path)) for path in self.written.paths.values())
        for name, select in self.tables().named().items():
            self.run(f"CREATE VIEW {name} AS {select}")
        self.run(f"SET allowed_paths = [{allowed}]")
        self.run("SET enable_external_access = false")
        self.run("SET lock_configuration = true")

    def _refused(self, error: Exception, seconds: float) -> Exception:
        """Describe a query's error in one line; name a damaged table."""
        import duckdb

        if isinstance(error, duckdb.InterruptException):
            return InputError(
                f"The query was stopped after {seconds:g} seconds; simplify it or raise --timeout."
            )
        if "PlaceError" in str(error):
            return self._fault(error)
        if isinstance(error, duckdb.IOException | duckdb.InvalidInputException):
            try:
                self.check(self.shards)
            except StoreError as fault:
                return fault
        # With the names that DuckDB proposes, and without the query.
        said = " ".join(str(error).partition("\nLINE ")[0].split())
        return InputError(f"The query failed: {said}")

    def check(
        self, shards: Iterable[int], mutants: Sequence[str] = (), answers: Sequence[str] = ()
    ) -> None:
        """Verify checksums of tables, and that they fit together; DuckDB does neither.

        ``mutants`` and ``answers``: columns that will be read (default: all).

        Raises:
            StoreError: a table is damaged, or answers do not fit their mutants.
        """

        def fit(shard: int) -> None:
            checked_rows(self.written.texts(shard))
            path = self.written.mutants(shard)
            made = checked_rows(path, mutants)
            self.written.require_placed(shard, path)
            files = [self.written.answers(shard, identity) for identity in self.models.values()]
            for answer_file in filter(None, files):
                if checked_rows(answer_file, answers) != made:
                    raise StoreError(f"Answers do not fit {path.name}; hinter verify says which.")
                self.written.require_placed(shard, answer_file)

        with ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(fit, shards))  # raises what one of them raised

    def chunks(
        self, mutants: Sequence[str] = (), answers: Sequence[str] = ()
    ) -> Iterator[list[int]]:
        """Yield lists of shards, in order, with about ``CHUNK`` mutants each, verified."""
        for shards, _ in self.ahead(lambda shards: self.check(shards, mutants, answers)):
            yield shards

    def ahead(self, read: Callable[[list[int]], Any]) -> Iterator[tuple[list[int], Any]]:
        """Yield the lists of :meth:`chunks`; each is read while one works on that before."""
        with ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(checked_rows, map(self.written.texts, self.shards)))
        chunks: list[list[int]] = []
        room = 0
        sizes = self.run(f"SELECT shard, sum(mutants) FROM ({self.tables().texts}) GROUP BY 1")
        for shard, size in sorted(sizes):
            if not chunks or size > room:
                chunks.append([])
                room = CHUNK
            chunks[-1].append(shard)
            room -= size
        with ThreadPoolExecutor(1) as thread:
            waiting = [thread.submit(read, chunk) for chunk in chunks[:1]]
            for place, chunk in enumerate(chunks, start=1):
                done = waiting.pop().result()
                waiting += [thread.submit(read, one) for one in chunks[place : place + 1]]
                yield chunk, done

    def records(
        self,
        shards: Iterable[int] | None = None,
        where: str = "true",
        parameters: Mapping[str, Any] | None = None,
        *,
        among: str = "",
    ) -> Iterator[MutantRecord]:
        """Yield mutants in the order of the tables, without holding them.

        ``where``: SQL over ``m`` (:data:`VIEWS` mutants), ``t`` (texts), and ``a0``, the first
        model's answers. ``among``: a clause QUALIFY on those.
        """
        for few in self._few(self.shards if shards is None else shards):
            joined = self._joined(few, [*self.models])
            sql = f"{joined} AND ({where}) {among} ORDER BY m.shard, m.place"
            yield from map(self._record, self.stream(sql, **(parameters or {})))

    def _few(self, shards: Iterable[int]) -> Iterator[list[int]]:
        """Yield lists of shards with few mutants together, or one with more, verified."""
        together: list[int] = []
        room = _FEW
        for shard in shards:
            self.check((shard,))
            size = checked_rows(self.written.mutants(shard))
            if together and (size > room or len(together) == _TOGETHER):
                yield together
                together, room = [], _FEW
            together.append(shard)
            room -= size
        if together:
            yield together

    def _joined(self, shards: Sequence[int], models: Sequence[str], among: str = "") -> str:
        """Return SQL for mutants, each with all its answers, by one join, as each takes memory.

        ``among``: SQL for the only places wanted; without it, ``a0`` are the first model's answers.
        """
        every = self.tables(shards, models)
        answers = ", ".join(f"{name}: a.{name}" for name in StoredAnswer._fields[:-2])
        wanted = f"{_PLACED} IN {among}" if among else "true"
        given = (
            f"SELECT a.shard, a.place, list({{model: a.model, {answers}, original: o.labels, "
            f"original_failure: o.failure}}) AS every FROM ({every.answers}) a LEFT JOIN "
            f"({every.originals}) o USING (shard, row, model) WHERE {wanted.format('a')} "
            "GROUP BY ALL"
        )
        answers = self.tables(shards, models[:1]).answers
        first = f"LEFT JOIN ({answers}) a0 ON a0.shard = m.shard AND a0.place = m.place "
        return (
            f"SELECT {', '.join(_OF_MUTANT)}, given.every FROM ({every.mutants}) m "
            f"JOIN ({every.texts}) t ON t.shard = m.shard AND t.row = m.row LEFT JOIN ({given}) "
            f"given ON given.shard = m.shard AND given.place = m.place {'' if among else first}"
            f"WHERE {wanted.format('m')}"
        )

    def _record(self, row: tuple[Any, ...]) -> MutantRecord:
        given = {one.pop("model"): one for one in row[-1] or ()}
        by_model = {name: _answer(given[name]) for name in self.models if name in given}
        fields = (*row[:-1], by_model)
        return MutantRecord(*fields)

    def at(
        self, places: Iterable[tuple[int, int]], models: Sequence[str] | None = None
    ) -> Iterator[MutantRecord]:
        """Yield the existing mutants at these places (shard and place), in order.

        ``models``: those whose answers are read (default: all).
        """
        models = [*self.models] if models is None else models
        shards_read = set(self.shards)
        wanted = [s * _MOST_ROWS + p for s, p in places if s in shards_read and 0 <= p < _MOST_ROWS]
        known = sorted({key // _MOST_ROWS for key in wanted})
        for shards in (known[n : n + _TOGETHER] for n in range(0, len(known), _TOGETHER)):
            self.check(shards)
            rows = self.stream(
                f"{self._joined(shards, models, '(SELECT unnest($places))')} "
                "ORDER BY m.shard, m.place",
                places=wanted,
            )
            yield from map(self._record, rows)


def _make_empty(connection: Any) -> None:
    """Make the tables without rows that views are united with, so that all columns exist."""
    schemas = {"texts": text_schema, "mutants": mutant_schema, "answers": answer_schema}
    for name, schema in schemas.items():
        connection.register("empty", schema().empty_table())
        connection.execute(f"CREATE TABLE no_{name} AS FROM empty")
    connection.unregister("empty")


def _fetched(cursor: Any) -> Iterator[tuple[Any, ...]]:
    while held := cursor.fetchmany(_FETCHED):
        yield from held


# The fields of a record but for its answers, of the tables ``m`` and ``t``.
_OF_MUTANT = (
    "m.shard", "m.place", "m.row", "coalesce(t.id, '')", "coalesce(t.label, '')", "t.text",
    "m.edits", "m.n_edits", "m.kept", "coalesce(m.layer, '')",
    "coalesce(m.reason, '')", "m.handwritten", "coalesce(m.ask, false)", "m.validity", "m.soft",
    "m.unfair", f"coalesce(nullif(m.relation, ''), '{SUBSTITUTE}')", "m.across_people",
)  # fmt: skip


def _answer(row: Mapping[str, Any]) -> StoredAnswer:
    labels = {name: tuple(row[name] or ()) for name in ("labels", "original")}
    return StoredAnswer(**{**row, **labels})
