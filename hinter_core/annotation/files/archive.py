"""Write a whole project as one archive, ``.hinter-project``, and read it again.

The archive is a ZIP: ``project.json`` has the settings and questions, and each table of the
project's file is a file of JSON lines. Pass-phrases and keys are left out, so that an archive can
be handed on; an annotator comes back with a new pass-phrase from the owner.
"""

import io
import json
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from hinter_core.annotation.project.store import AnnotationStore, check_item
from hinter_core.annotation.project.types import AnnotationItem, Project, Status, as_json
from hinter_core.errors import HinterError, InputError

ARCHIVE = ".hinter-project"
SETTINGS = "hinter-project"  # of a Parquet file's metadata
_PROJECT = "project.json"
_LARGEST = 512 * 2**20  # bytes unpacked
_SETTINGS_MOST, _LINE_MOST = 2**20, 8 * 2**20  # bytes
# The columns of each table, in an order in which rows find those that they name.
_TABLES: Mapping[str, tuple[str, ...]] = {
    "items": ("number", "id", "content", "shared", "removed_at"),
    "annotators": ("id", "name", "login", "joined_at", "excluded", "entry"),
    "assignments": ("id", "annotator", "item", "showing", "given_at"),
    "judgements": ("id", "annotator", "item", "showing", "status", "answers", "comment", "seconds",
                   "at", "key"),
    "adjudications": ("id", "item", "question", "value", "note", "at"),
}  # fmt: skip
_Row = dict[str, Any]


def archived(store: AnnotationStore, *, anonymous: bool = False) -> bytes:
    """Return a project as an archive; ``anonymous``: annotators are numbers."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as file, store.read() as connection:
        # One transaction, so that the tables fit together.
        connection.execute("BEGIN")
        try:
            file.writestr(_PROJECT, store.project().to_json())
            for table, columns in _TABLES.items():
                query = f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1"  # noqa: S608 -- our own words
                rows = [dict(row) for row in connection.execute(query)]
                if anonymous and table == "annotators":
                    rows = [row | _unnamed(n, row) for n, row in enumerate(rows, 1)]
                lines = (as_json(row) + "\n" for row in rows)
                file.writestr(f"{table}.jsonl", "".join(lines).encode("utf-8", "surrogatepass"))
        finally:
            connection.execute("COMMIT")
    return buffer.getvalue()


def _unnamed(number: int, row: _Row) -> _Row:
    return {
        "name": f"annotator {number}", "login": None, "entry": "{}",
        "excluded": "excluded" if row["excluded"] else "",
    }  # fmt: skip


def settings_of(path: Path) -> Project | None:
    """Return the settings that an archive, a Parquet file or a data set of an export holds, if any.

    Raises:
        InputError: the archive cannot be read.
    """
    if path.suffix == ARCHIVE:
        with _opened(path) as file, file.open(_PROJECT) as settings:
            return Project.from_json(settings.read(_SETTINGS_MOST).decode())
    path = path / "data" / "train.parquet" if path.is_dir() else path
    if path.suffix != ".parquet" or not path.is_file():
        return None
    from pyarrow import ArrowException, parquet

    try:
        held = (parquet.read_schema(path).metadata or {}).get(SETTINGS.encode())
        return Project.from_json(held.decode()) if held else None
    except (ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"The settings in {path} cannot be read ({error}).") from error


def fill(store: AnnotationStore, path: Path) -> int:
    """Copy all tables of an archive to a new project; return the number of items.

    Raises:
        InputError: the archive cannot be read.
    """
    with _opened(path) as file, store.write() as connection:
        for table, columns in _TABLES.items():
            for given in _rows(file, f"{table}.jsonl"):
                row = {name: given[name] for name in columns} | _derived(table, given)
                names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
                connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", row)  # noqa: S608 -- our own words
        count: int = connection.execute("SELECT COUNT(*) FROM items").fetchone()[0]
        return count


def _rows(file: ZipFile, name: str) -> Iterator[Any]:
    """Yield the rows of a table; a line is read at a time, and no longer than it may be."""
    with file.open(name) as lines:
        while line := lines.readline(_LINE_MOST):
            if line.strip():
                yield json.loads(line.decode("utf-8", "surrogatepass"))


def _derived(table: str, row: _Row) -> _Row:
    """Validate a row; return the values that follow from others."""
    if table == "items":
        item = AnnotationItem.from_json(row["content"])
        check_item(item)
        return {"id": item.id, "fingerprint": item.fingerprint}
    if table == "annotators":
        return {"folded": str(row["name"]).casefold(), "name": str(row["name"])}
    if table == "judgements":
        answers = json.loads(row["answers"])
        plain = {str(name): str(value) for name, value in answers.items()}
        return {
            "status": Status(row["status"]).value,
            "answers": as_json(plain),
        }
    return {}


@contextmanager
def unpacked(path: Path) -> Iterator[AnnotationStore]:
    """Yield the project of an archive, which is gone afterwards."""
    project = settings_of(path)
    assert project is not None
    with tempfile.TemporaryDirectory() as place:
        store, _ = AnnotationStore.create(Path(place) / "p.sqlite", project)
        try:
            fill(store, path)
            yield store
        finally:
            store.close()


@contextmanager
def _opened(path: Path) -> Iterator[ZipFile]:
    """Open an archive within bounds; whatever is wrong with it becomes one sentence."""
    try:
        with ZipFile(path) as file:
            if sum(one.file_size for one in file.infolist()) > _LARGEST:
                raise InputError(f"{path} unpacks to more than {_LARGEST >> 20} MiB.")
            yield file
    except (
        BadZipFile, OSError, KeyError, ValueError, TypeError, AttributeError, RecursionError,
        NotImplementedError, sqlite3.Error,
    ) as error:  # fmt: skip
        raise InputError(
            f"{path} is no archive that hinter annotate export wrote, or is damaged ({error})."
        ) from error
    except HinterError as error:
        raise InputError(f"{path} cannot be used: {error}") from error
