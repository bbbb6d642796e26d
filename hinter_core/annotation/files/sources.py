"""Where items and judgements come from: files of any known format, a folder, a data set of the Hub.

Whatever it is, it is read as records: values by column, and a fault in words.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hinter_core.annotation.files.argilla import argilla_records, is_record
from hinter_core.annotation.files.label_studio import is_task, task_records
from hinter_core.data.hub import folder_records, hub_records, on_hub, read_hub_name
from hinter_core.data.rows import require_file
from hinter_core.data.tables import Record, format_of, records
from hinter_core.errors import InputError

_LARGEST = 500_000_000  # bytes of a JSON file, which is read at once


@dataclass(frozen=True)
class ImportSource:
    """Records in memory; ``name`` is how errors call them, ``cells``: of a table of cells."""

    name: str
    format: str
    records: list[Record]

    @property
    def cells(self) -> bool:
        """Whether it is a table that a spreadsheet may have been kept from running."""
        return self.format in ("csv", "tsv")


def open_source(named: str) -> ImportSource:
    """The records of a file, a folder or ``hf:ORG/NAME``.

    Raises:
        InputError: nothing is there, it is of no known format, or cannot be read.
    """
    if on_hub(named):
        name, found = hub_records(read_hub_name(named))
        source = ImportSource(str(name), "hub", list(_opened(found)))
    elif (path := Path(named)).is_dir():
        source = ImportSource(named, "folder", list(_opened(folder_records(path))))
    else:
        require_file(path)
        kind = "json" if _is_json(path) else format_of(path)
        found = _json(path) if kind == "json" else records(path, kind)
        source = ImportSource(named, kind, list(_opened(found)))
    if not source.records:
        raise InputError(f"{named} holds no row.")
    return source


def _is_json(path: Path) -> bool:
    return path.name.lower().endswith((".json", ".json.gz"))


def _opened(found: Iterable[Record]) -> Iterator[Record]:
    """Records in which Label Studio's tasks and Argilla's records are taken apart."""
    for values, fault in found:
        if fault:
            yield values, fault
        elif is_task(values):
            yield from task_records(values)
        elif is_record(values):
            yield from argilla_records(values)
        else:
            yield values, fault


def _json(path: Path) -> Iterator[Record]:
    """A JSON file: a list of objects, or one of them."""
    if path.stat().st_size > _LARGEST:
        raise InputError(f"{path} is too large to be read at once; write it as .jsonl instead.")
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        tree: Any = json.loads(raw.decode("utf-8-sig"))
    except (OSError, EOFError, ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON file ({error}); is it whole?") from error
    for values in tree if isinstance(tree, list) else [tree]:
        yield (values, "") if isinstance(values, dict) else ({}, "it is no JSON object")
