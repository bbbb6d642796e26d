"""Folders of HInter and of the user; whole files, YAML, SQLite databases, an LRU cache."""

import csv
import os
import sqlite3
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from hinter_core.places import RemotePath

ROOT = Path(__file__).resolve().parent.parent
_DEEPEST = 100  # levels of a YAML file
PART = ".part"  # suffix of a file that is being written


def _shipped(name: str) -> Path:
    """Return a folder of data: inside the installed package, or beside it in the repository."""
    installed = Path(__file__).with_name("shipped") / name
    return installed if installed.is_dir() else ROOT / name


ASSETS = _shipped("assets")
DICTIONARIES = _shipped("dictionaries")


def shipped_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a table in the folder of dictionaries, by column."""
    with (DICTIONARIES / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@cache
def shipped_lists(name: str) -> Mapping[str, Any]:
    """Return the lists of words of a TOML file in the folder of dictionaries, read once."""
    return tomllib.loads((DICTIONARIES / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def shipped_words(name: str) -> dict[str, frozenset[str]]:
    """Return the lists of a TOML file in the folder of dictionaries in which blanks part words."""
    return {key: frozenset(words.split()) for key, words in shipped_lists(name).items()}


def user_cache() -> Path:
    """Return HInter's folder in the user's cache, which may not exist yet."""
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME")
    return Path(home or Path.home() / ".cache") / "hinter"


DATA = "HINTER_DATA"
SPACE_VOLUME = Path("/data")  # where a Space mounts a bucket, unless told otherwise
# What keeps no locks between machines, or shows a write late, so that SQLite loses data on it.
_REMOTE = ("fuse", "nfs", "cifs", "smb", "9p", "ceph", "lustre", "virtiofs")


def data_place(name: str, setting: str) -> Path:
    """Return where HInter keeps data of this name, such as ``campaigns``.

    It is the path in the environment variable ``setting``, or lies in the folder of
    ``HINTER_DATA``, or in the user's cache. Where that folder is no local disk, data lie in the
    user's cache and :class:`~hinter_core.mirror.Mirror` copies them.
    """
    if place := os.environ.get(setting):
        return Path(place)
    named = os.environ.get(DATA)
    home = Path(named) if named and mirrored_folder() is None else user_cache()
    return home / name


def mirrored_folder(volume: Path = SPACE_VOLUME) -> Path | None:
    """Return the folder of ``HINTER_DATA``, or a Space's volume, if it is no local disk."""
    on_space = bool(os.environ.get("SPACE_ID"))
    folder = Path(os.environ.get(DATA) or volume)
    if not (on_space or os.environ.get(DATA)) or not os.access(folder, os.W_OK):
        return None
    import psutil

    place = folder.resolve()
    mounts = {Path(one.mountpoint): one.fstype for one in psutil.disk_partitions(all=True)}
    mount = next((path for path in (place, *place.parents) if os.path.ismount(path)), place)
    remote = mounts.get(mount, "").startswith(_REMOTE)
    return folder if remote or (on_space and mount != Path(mount.anchor)) else None


@contextmanager
def write_whole(path: Path) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; it replaces ``path`` if the block succeeds.

    The old file stays until then, and no incomplete file is left behind. What a place gets is
    written to the disk first, as a place shows what was written until an error.

    Raises:
        OSError: the disk is full, or the folder is missing or cannot be written.
        PlaceError: the place cannot be reached or written.
    """
    if isinstance(path, RemotePath):
        with tempfile.TemporaryDirectory(prefix="hinter-") as folder:
            written = Path(folder) / path.name
            yield written
            path.put(written.read_bytes())
        return
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{PART}")
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a file of UTF-8 at once; see :func:`write_whole`."""
    with write_whole(path) as part:
        part.write_text(text, encoding="utf-8")


def yaml_loader(text: str, *, strings: bool = False, aliases: bool = False) -> Any:
    """Return a PyYAML loader of a text that was looked through first, in linear time.

    ``strings``: it makes strings, lists and mappings only. ``aliases``: whether parts may be
    repeated by name; a few lines of them may stand for more than memory holds.

    Raises:
        yaml.YAMLError: no YAML, nested too deeply, or with half a character.
    """
    import yaml

    kind = "BaseLoader" if strings else "SafeLoader"
    loader: Any = getattr(yaml, f"C{kind}", None) or getattr(yaml, kind)
    level = 0
    try:
        for event in yaml.parse(text, loader):
            level += isinstance(event, yaml.CollectionStartEvent)
            level -= isinstance(event, yaml.CollectionEndEvent)
            fault = f"nested too deeply, over {_DEEPEST} levels" if level > _DEEPEST else ""
            if isinstance(event, yaml.AliasEvent) and not aliases:
                fault = "an alias (*) repeats this; write it out in each place"
            if fault:
                raise yaml.composer.ComposerError(None, None, fault, event.start_mark)
            getattr(event, "value", "").encode()
        return loader(text)
    except UnicodeEncodeError as error:
        raise yaml.YAMLError("it holds half a character, which no text has") from error


def make_private(folder: Path) -> None:
    """Make a folder, and those above it, for its user alone; existing ones stay as they are.

    Raises:
        OSError: one cannot be made.
    """
    for one in (*reversed(folder.parents), folder):
        if not one.is_dir():
            one.mkdir(mode=0o700, exist_ok=True)


def open_database(
    path: Path, *, synchronous: str = "NORMAL", wait: float = 30.0
) -> sqlite3.Connection:
    """Open or create a SQLite file in WAL mode; each statement commits by itself.

    Any thread may use it, one at a time. ``wait``: seconds to wait for another writer.
    ``synchronous``: with ``FULL`` a commit survives a power cut, with ``NORMAL`` a process's end.

    Raises:
        OSError: its folder cannot be created.
        sqlite3.Error: it cannot be opened, or is no database.
    """
    make_private(path.parent)
    database = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
    for setting in ("journal_mode = WAL", f"synchronous = {synchronous}", "foreign_keys = ON"):
        database.execute(f"PRAGMA {setting}")
    return database


def snapshot(path: Path) -> bytes:
    """Return a consistent copy of a SQLite file while others write to it.

    Raises:
        sqlite3.Error: it is no database, or damaged.
    """
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "copy"
        with (
            closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
            # One file that includes its write-ahead log.
            target.execute("PRAGMA journal_mode=DELETE")
        return copy.read_bytes()


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Run a block as one transaction, which excludes other writers from its start."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    finally:
        if database.in_transaction:
            database.execute("ROLLBACK")


K = TypeVar("K")
V = TypeVar("V")


class LRU(Generic[K, V]):
    """LRU cache bounded by the total ``length`` of its keys; not thread-safe."""

    def __init__(self, size: int, length: Callable[[K], int]) -> None:
        self._length = length
        self._kept: LRUCache[K, tuple[int, V]] = LRUCache(size, getsizeof=itemgetter(0))

    def __len__(self) -> int:
        return len(self._kept)

    def found(self, keys: Iterable[K]) -> dict[K, V]:
        """Return the values of the keys that are kept; they count as just used."""
        return {key: self._kept[key][1] for key in keys if key in self._kept}

    def keep(self, values: Mapping[K, V]) -> None:
        """Add the values that fit; the least recently used ones make room."""
        for key, value in values.items():
            size = self._length(key)
            if size <= self._kept.maxsize:
                self._kept[key] = size, value
