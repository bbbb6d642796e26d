"""Keep the report of a finished campaign in its directory, so that it is computed once.

A kept report is used only with the key it was kept under: names, sizes and times of all files in
the directory, and the program text that computes a report. A change of either computes it anew. A
directory that cannot be written keeps none.
"""

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

from hinter_core.campaign.progress import missing_shards
from hinter_core.campaign.record import program_content
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.extensions import METRICS
from hinter_core.places import PlaceError, readable
from hinter_core.storage import PART, write_whole

VERSION = 1
NAME = "report.json.gz"
_OURS = "hinter_core."


def key_of(store: CampaignStore) -> str:
    """Return the key of what a report of the directory would say; empty if none is to be kept.

    No report is kept of an unfinished or running campaign, nor with metrics of other packages.
    """
    total = (store.read().get("size") or {}).get("shards")
    if not total or missing_shards(store) or METRICS.every() or store.running():
        return ""
    try:
        return _hash(store)
    except OSError:  # a file has just gone
        return ""


def _hash(store: CampaignStore) -> str:
    digest = hashlib.sha256(f"{VERSION} {_PROGRAM}".encode())
    for path in sorted(store.folder.rglob("*")):
        # Locks say who runs it, not what it holds.
        if path.name in (NAME, ".lock", ".running") or path.suffix == PART or path.is_dir():
            continue
        file = path.stat()
        file_state = (path.relative_to(store.folder).as_posix(), file.st_size, file.st_mtime_ns)
        # The time of the change, too: a copy may keep the other one.
        digest.update(f"{file_state} {file.st_ctime_ns}\n".encode())
    return digest.hexdigest()


_PROGRAM = program_content()


def read(store: CampaignStore, key: str) -> Any:
    """Return the report kept under a key, or None."""
    try:
        with gzip.open(readable(store.folder / NAME), "rt", encoding="utf-8") as file:
            kept = json.load(file)
        if not key or kept["key"] != key:
            return None
        return _value(kept["report"], store)
    # Damaged, or of another version: it is computed again.
    except (OSError, EOFError, ValueError, TypeError, LookupError, AttributeError, ImportError):
        return None


def keep(store: CampaignStore, key: str, report: Any) -> None:
    """Keep a report under its key, if nothing has changed meanwhile and there is room."""
    with suppress(OSError, PlaceError):
        if not key or key_of(store) != key:
            return
        with write_whole(store.folder / NAME) as part, gzip.open(part, "wt", 6, "utf-8") as file:
            kept = {"key": key, "report": _plain(report)}
            file.write(json.dumps(kept, separators=(",", ":")))  # "dump" writes piece by piece


def _plain(value: Any) -> Any:
    """Convert a value to JSON that says of what kind it is: a list, or ``{kind: parts}``."""
    if isinstance(value, Campaign):
        return {"campaign": None}  # it is in the directory
    if is_dataclass(value) and not isinstance(value, type):
        parts = [_plain(getattr(value, field.name)) for field in fields(value)]
        return {f"{type(value).__module__}:{type(value).__qualname__}": parts}
    if isinstance(value, Enum):
        return {f"{type(value).__module__}:{type(value).__qualname__}": value.value}
    if isinstance(value, Mapping):
        kind = "counter" if isinstance(value, Counter) else "dict"
        return {kind: [[_plain(key), _plain(part)] for key, part in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_plain(part) for part in value]}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _value(value: Any, store: CampaignStore) -> Any:
    if isinstance(value, list):
        return [_value(part, store) for part in value]
    if not isinstance(value, dict):
        return value
    ((kind, parts),) = value.items()
    if kind == "campaign":
        return store.campaign()
    if kind in ("dict", "counter"):
        pairs = {_value(key, store): _value(part, store) for key, part in parts}
        return Counter(pairs) if kind == "counter" else pairs
    if kind == "tuple":
        return tuple(_value(part, store) for part in parts)
    made = _class(kind)
    if issubclass(made, Enum):
        return made(parts)
    named = zip(fields(made), parts, strict=True)
    return made(**{field.name: _value(part, store) for field, part in named})


@cache
def _class(kind: str) -> Any:
    """Return a class of ours that holds values; a file names no other."""
    module, _, name = kind.partition(":")
    made = getattr(import_module(module), name) if module.startswith(_OURS) else None
    if not (isinstance(made, type) and (is_dataclass(made) or issubclass(made, Enum))):
        raise ValueError(f"A report holds no {kind}.")
    return made
