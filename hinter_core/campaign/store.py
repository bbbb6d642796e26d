"""Store a campaign as a directory of Parquet files, each written completely, then renamed.

``campaign.json`` holds the settings and their identity. A shard of texts has two tables, and one
more per model::

    shards/00012.texts.parquet         texts with their outcomes; written last
    shards/00012.mutants.parquet       mutants as edits, with the result of the invariant
    shards/00012.answers-HASH.parquet  answers to originals and mutants, verdicts, effects

A file that exists is complete, so no other state has to be kept consistent.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from cachetools import LRUCache

from hinter_core.campaign.record import priorities_of
from hinter_core.campaign.settings import settings_before
from hinter_core.campaign.spec import IDENTITY_VERSION, READABLE, VERSION, Campaign, from_mapping
from hinter_core.data.hub import as_before, moved
from hinter_core.data.tables import table_of
from hinter_core.errors import HinterError
from hinter_core.storage import PART, write_whole
from hinter_core.types import Failure

SPEC = "campaign.json"
_FIRST_IDENTITY = 2  # of directories that do not name a version
_RUNNING = ".running"  # locked while a process runs the campaign
_CURE = "; delete it and resume."
_BROKEN = f"is missing or damaged{_CURE}"
# Columns that identify each kind of table.
_COLUMNS = {
    "texts": ("row", "text", "outcome", "mutants"),
    "mutants": ("row", "order", "edits", "kept", "text"),
    "answers": ("row", "mutant", "verdict", "labels"),
}
# Columns with few distinct values; reading them as codes halves the time of verification.
_REPEATED = {
    "mutants": tuple(
        f"edits.list.element.{name}"
        for name in ("attribute", "source", "target", "source_group", "target_group", "form")
    ),
    "answers": ("verdict", "failure"),
}
_NOTED: LRUCache[tuple[Path, int], tuple[str, ...]] = LRUCache(100_000)  # columns by file and time
_NOTING = threading.Lock()
# Outcomes in the table of texts.
TESTED = "tested"
NOTHING = "nothing to test"
UNUSABLE = "unusable"


class StoreError(HinterError):
    """A campaign's directory cannot be used or written."""


@dataclass(frozen=True)
class CampaignStore:
    """A campaign's directory."""

    folder: Path

    @property
    def shards(self) -> Path:
        """Folder of the tables."""
        return self.folder / "shards"

    def texts(self, shard: int) -> Path:
        """Path of the texts of a shard."""
        return self.shards / f"{shard:05}.texts.parquet"

    def mutants(self, shard: int) -> Path:
        """Path of the mutants of a shard."""
        return self.shards / f"{shard:05}.mutants.parquet"

    def answers(self, shard: int, model: str) -> Path:
        """Path of a model's answers, by its identity."""
        short = sha256(model.encode()).hexdigest()[:10]
        return self.shards / f"{shard:05}.answers-{short}.parquet"

    def journal(self, model: str) -> Path:
        """Path of the journal of a prioritised run with a model, by its identity."""
        return self.folder / "priority" / f"{sha256(model.encode()).hexdigest()[:10]}.jsonl"

    def journals(self) -> Iterator[Path]:
        """Paths of the journals of all models."""
        return (self.folder / "priority").glob("*.jsonl")

    def known(self) -> list[int]:
        """Return the shards whose texts and mutants are written, in order."""
        numbers = (path.name.partition(".")[0] for path in self.shards.glob("*.texts.parquet"))
        return sorted(int(number) for number in numbers)

    def open(self, campaign: Campaign) -> dict[str, Any]:
        """Create the directory, or continue one of the same identity; return its specification.

        Raises:
            StoreError: the directory holds other files or another campaign.
        """
        if self.folder.is_file():
            raise StoreError(f"{self.folder} is a file; name a directory for the campaign.")
        campaign = self.pinned(campaign)
        if (self.folder / SPEC).exists():
            spec = self.read()
            version = spec.get("identity_version", _FIRST_IDENTITY)
            if spec["identity"] != campaign.identity(version):
                why = moved(spec["campaign"].get("data", ""), campaign.data)
                why = why or "other data, word lists, parser or settings"
                raise StoreError(
                    f"{self.folder} holds another campaign ({why}); name another directory."
                )
            if len(self.known()) != (spec.get("size") or {}).get("shards"):
                campaign.source.require_same_mutants(version, self.folder)
            self.note(version=VERSION)  # new tables are of this version
            return {**spec, "version": VERSION}
        if self.folder.is_dir() and any(self.folder.iterdir()):
            raise StoreError(f"{self.folder} is not empty and no campaign; name another directory.")
        spec = {"version": VERSION, "identity": campaign.identity(), "models": {}}
        spec |= {"identity_version": IDENTITY_VERSION, "campaign": asdict(campaign)}
        with named(self.folder):
            self.shards.mkdir(parents=True, exist_ok=True)
        self.write_spec(spec)
        return spec

    def pinned(self, campaign: Campaign) -> Campaign:
        """Return the campaign with its data at a fixed commit: the stored one, if any.

        A directory goes on as it began, also in settings that came later.

        Raises:
            InputError: see :func:`hinter_core.data.hub.pin`.
        """
        if (self.folder / SPEC).exists():
            noted = self.read()["campaign"]
            data = as_before(campaign.data, noted.get("data", ""))
            campaign = replace(campaign, data=data, **settings_before(noted))
        return campaign.pinned()

    def read(self) -> dict[str, Any]:
        """Return the specification.

        Raises:
            StoreError: no campaign, a damaged one, or one of another version.
        """
        path = self.folder / SPEC
        try:
            spec = json.loads(path.read_text(encoding="utf-8"))
            version = spec["version"]
        except (FileNotFoundError, NotADirectoryError) as error:
            raise StoreError(f"{self.folder} is no campaign; there is no {SPEC}.") from error
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise StoreError(f"{path} is damaged; restore it or start a new campaign.") from error
        if version not in READABLE:
            raise StoreError(
                f"{self.folder} was written by another version ({version}; this is {VERSION}); "
                "run the campaign again in a new directory."
            )
        if not _whole(spec):
            raise StoreError(f"{path} is damaged; restore it or start a new campaign.")
        return dict(spec)

    def campaign(self) -> Campaign:
        """Return the campaign of the directory."""
        noted = self.read()["campaign"]
        return from_mapping(settings_before(noted) | noted, str(self.folder / SPEC), stored=True)

    def write_spec(self, spec: Mapping[str, Any]) -> None:
        """Write the specification atomically."""
        with named(self.folder), write_whole(self.folder / SPEC) as part:
            # In ASCII, as the name of a file may hold half a character.
            part.write_text(json.dumps(spec, indent=1), encoding="utf-8")

    def note(self, **values: Any) -> None:
        """Add values to the specification; it is written only if it changes.

        ``models``: identity and labels of the tested models by name. ``size``: total ``texts`` and
        ``shards``. ``scope``: by attribute, the numbers of word pairs and target groups in its
        dictionary, so that a report does not need the dictionaries, which may change.
        """
        spec = self.read()
        if {**spec, **values} != spec:
            self.write_spec({**spec, **values})

    def scope(self) -> dict[str, tuple[int, int]]:
        """Return the stored ``scope``; empty before the first run."""
        noted = self.read().get("scope", {})
        return {name: (pairs, groups) for name, (pairs, groups) in noted.items()}

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the directory for one run, and remove incomplete files of a killed one.

        Raises:
            StoreError: another process runs this campaign.
        """
        from filelock import FileLock, Timeout

        lock, sign = FileLock(self.folder / ".lock", timeout=0), FileLock(self.folder / _RUNNING)
        with named(self.folder):
            try:
                lock.acquire()
            except Timeout as error:
                raise StoreError(f"Another process runs the campaign in {self.folder}.") from error
        try:
            sign.acquire(poll_interval=0.01)
            for part in self.folder.rglob(f"*{PART}"):
                part.unlink(missing_ok=True)
            yield
        finally:
            sign.release()
            lock.release()

    def discard_if_empty(self) -> None:
        """Remove a directory in which nothing was tested, such as that of a refused model.

        One that another process runs stays, and so do files that are not the campaign's.
        """
        with suppress(OSError, StoreError):
            with self.alone():
                self.shards.rmdir()
                (self.folder / SPEC).unlink()
            for name in (".lock", _RUNNING):
                (self.folder / name).unlink(missing_ok=True)
            self.folder.rmdir()

    def running(self) -> bool:
        """Whether a process runs the campaign; the check never stops one from starting."""
        from filelock import FileLock, Timeout

        if not (self.folder / _RUNNING).exists():
            return False
        try:
            # Held for an instant; a run waits for this lock and fails only on the other one.
            with FileLock(self.folder / _RUNNING, timeout=0):
                return False
        except Timeout:
            return True
        except OSError:
            return False

    def forget_failures(self) -> int:
        """Delete tables of answers with a failure, so that the next run repeats them.

        Raises:
            StoreError: another process runs this campaign, or a table cannot be read.
        """
        forgotten = 0
        with self.alone():
            for path in sorted(self.shards.glob("*.answers-*.parquet")):
                column = read_table(path, "failure")["failure"]
                if set(column.to_pylist()) - {None, Failure.NOT_ASKED.value}:
                    path.unlink()
                    forgotten += 1
        return forgotten

    def repair(self) -> int:
        """Delete tables that are unreadable or do not fit together; the run makes them again.

        Only the ends of the files are read, which shows those that were cut off.
        """
        dropped: set[Path] = set()
        for shard in self.known():
            texts, mutants = self.texts(shard), self.mutants(shard)
            answers = set(self.shards.glob(f"{texts.name.partition('.')[0]}.answers-*.parquet"))
            made = _sum_of(texts, "mutants")
            if made is None or _rows(mutants) != made:
                dropped |= {texts, mutants, *answers} & set(self.shards.iterdir())
                continue
            rows = made + read_table(texts, "outcome")["outcome"].to_pylist().count(TESTED)
            dropped |= {path for path in answers if _rows(path) != rows}
        for path in dropped:
            path.unlink(missing_ok=True)
        return len(dropped)

    def verify(self) -> list[str]:
        """Return the faults: tables that are unreadable, missing or do not fit together."""
        spec = self.read()
        faults: list[str] = []
        for shard in self.known():
            try:
                texts, mutants = read_table(self.texts(shard)), read_table(self.mutants(shard))
            except StoreError as error:
                faults.append(str(error).removesuffix(_CURE))
                continue
            made = sum(texts["mutants"].to_pylist())
            if made != mutants.num_rows:
                faults.append(f"{self.mutants(shard).name} has {mutants.num_rows} rows, not {made}")
            tested = texts["outcome"].to_pylist().count(TESTED)
            for name, model in spec["models"].items():
                path = self.answers(shard, model["identity"])
                faults += _fault_of_answers(path, name, tested + made)
        return faults


def _whole(spec: Mapping[str, Any]) -> bool:
    models, scope = spec.get("models"), spec.get("scope", {})
    try:
        priorities_of(spec)
    except (AttributeError, KeyError, TypeError):
        return False
    return (
        isinstance(spec.get("identity"), str)
        and isinstance(spec.get("campaign"), dict)
        and isinstance(models, dict)
        and all(isinstance(m, dict) and {"identity", "labels"} <= set(m) for m in models.values())
        and isinstance(scope, dict)
        and all(isinstance(n, list) and list(map(type, n)) == [int, int] for n in scope.values())
    )


def _rows(path: Path) -> int | None:
    try:
        with _opened(path, ()) as file:
            return int(file.metadata.num_rows)
    except StoreError:
        return None


def _sum_of(path: Path, column: str) -> int | None:
    try:
        return int(sum(read_table(path, column)[column].to_pylist()))
    except StoreError:
        return None


def _fault_of_answers(path: Path, name: str, rows: int) -> list[str]:
    if not path.exists():
        return [f"{path.name} of {name} is missing (resume to make it)"]
    try:
        found = read_table(path).num_rows
    except StoreError as error:
        return [str(error).removesuffix(_CURE)]
    return [] if found == rows else [f"{path.name} has {found} rows, not {rows}"]


def read_table(path: Path, *columns: str) -> Any:
    """Read a table, or some of its columns, as a pyarrow table.

    Raises:
        StoreError: it is missing or damaged.
    """
    with _opened(path, columns) as file:
        return file.read(columns=list(columns) or None)


@contextmanager
def _opened(path: Path, columns: Sequence[str], *, codes: bool = False) -> Iterator[Any]:
    """Open a table; faults while it is open also raise StoreError."""
    import pyarrow
    import pyarrow.parquet as parquet

    repeated = _REPEATED.get(_kind(path), ()) if codes else ()
    try:
        with parquet.ParquetFile(
            path, page_checksum_verification=True, read_dictionary=list(repeated)
        ) as file:
            if not {*_COLUMNS.get(_kind(path), ()), *columns} <= set(file.schema_arrow.names):
                raise StoreError(f"{path} {_BROKEN}")
            yield file
    except (OSError, KeyError, pyarrow.ArrowException) as error:
        raise StoreError(f"{path} {_BROKEN}") from error


def _kind(path: Path) -> str:
    """Return ``texts``, ``mutants`` or ``answers``, by the file's name."""
    return path.name.removesuffix(".parquet").rpartition(".")[2].partition("-")[0]


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Convert errors of the disk to an error that names the file.

    Raises:
        StoreError: the disk is full, or the folder cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"Cannot write {path}: {error.strerror or error}. Free some space or choose another "
            "directory; finished work is kept, and the run can be resumed."
        ) from error


def checked_rows(path: Path, columns: Sequence[str] = ()) -> int:
    """Verify a table's checksums; return its number of rows, without answers to originals.

    ``columns``: those to verify, if the table has them (default: all). The result is cached until
    the file changes.

    Raises:
        StoreError: it is missing or damaged.
    """
    try:
        written = path.stat().st_mtime_ns
    except OSError as error:
        raise StoreError(f"{path} {_BROKEN}") from error
    return _checked_rows(path, written, tuple(columns))


@lru_cache(maxsize=100_000)
def _checked_rows(path: Path, written: int, columns: Sequence[str]) -> int:
    import pyarrow.compute as pc

    rows = 0
    with _opened(path, (), codes=True) as file:
        _note_columns(path, written, file)
        names = file.schema_arrow.names
        chosen = [name for name in columns if name in names] or None
        # Codes differ between row groups, and pyarrow cannot join nested ones.
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(2**16, [group], columns=chosen, use_threads=False):
                answers = "mutant" in batch.schema.names
                own = pc.greater_equal(batch["mutant"], 0) if answers else None
                rows += len(batch) if own is None else pc.sum(own).as_py()
    return rows


def alike(paths: Sequence[Path]) -> bool:
    """Whether tables have the same columns, that is, the same version.

    Raises:
        StoreError: one is missing or damaged.
    """
    try:
        return len({_columns_of(path, path.stat().st_mtime_ns) for path in paths}) < 2
    except OSError as error:
        raise StoreError(f"{error.filename} {_BROKEN}") from error


def _columns_of(path: Path, written: int) -> tuple[str, ...]:
    with _NOTING:
        noted = _NOTED.get((path, written))
    if noted is not None:
        return noted
    with _opened(path, ()) as file:
        return _note_columns(path, written, file)


def _note_columns(path: Path, written: int, file: Any) -> tuple[str, ...]:
    """Cache the columns of an opened table, including fields of structs."""
    names = tuple(file.schema.names)
    with _NOTING:
        _NOTED[path, written] = names
    return names


class TableWriter:
    """Write a table in pieces to a temporary file, and rename it at the end.

    Raises:
        StoreError: the disk is full, or the folder cannot be written.
    """

    def __init__(self, path: Path, schema: Any) -> None:
        self._path = path
        self._schema = schema
        self._open = ExitStack()
        self._writer: Any = None

    def __enter__(self) -> TableWriter:
        import pyarrow.parquet as parquet

        with named(self._path), ExitStack() as stack:
            part = stack.enter_context(write_whole(self._path))
            self._writer = stack.enter_context(
                parquet.ParquetWriter(
                    part, self._schema, compression="zstd", write_page_checksum=True
                )
            )
            self._open = stack.pop_all()
        return self

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows."""
        if rows:
            table = table_of(rows, self._schema)
            with named(self._path):
                self._writer.write_table(table)

    def __exit__(self, *raised: Any) -> None:
        with named(self._path):
            self._open.__exit__(*raised)


def write_table(path: Path, rows: Sequence[Mapping[str, Any]], schema: Any) -> None:
    """Write a table at once."""
    with TableWriter(path, schema) as writer:
        writer.write(rows)
