"""Folders of campaigns that are not on a disk: those of an object store such as S3.

A :class:`RemotePath` is a path of such a folder or file. Code that reads and writes campaigns
takes both kinds of paths. An object appears once it is written completely, and a listing shows
every object that was written before it; S3 and its relatives guarantee both. Locks need nothing
else.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import cache
from io import RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hinter_core.errors import HinterError, InputError, first_line

if TYPE_CHECKING:
    _Base = Path
else:
    _Base = type(Path())

S3 = "s3"
_MEMORY = "mock"  # a file system of pyarrow for tests
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.*)", re.DOTALL)
_BUCKET_NAME = re.compile(r"[A-Za-z0-9._-]*[A-Za-z0-9][A-Za-z0-9._-]*")
_BUCKET = "NO_SUCH_BUCKET"
_TRIES = 10
_LATER = "Finished work is kept; resume the run later."
# Parts of errors of pyarrow, and what to say instead.
_CURES = (
    (
        "ACCESS_DENIED|INVALID_ACCESS_KEY|INVALID_CLIENT_TOKEN|SIGNATURE|TOKEN|UNRECOGNIZED_CLIENT"
        "|HTTP status 40[013]|AccessDenied|Forbidden",
        "{} refuses access. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, to a "
        "key that may list, read, write and delete there.",
    ),
    (_BUCKET, "There is no bucket {}. Create it, or check its name."),
    (
        "NETWORK|TIMEOUT|curlCode|SLOW_DOWN|SERVICE_UNAVAILABLE|INTERNAL_FAILURE|HTTP status 5",
        f"{{}} cannot be reached. Check the network and AWS_ENDPOINT_URL. {_LATER}",
    ),
)


class PlaceError(HinterError):
    """A place cannot be reached, or refuses what was asked of it."""


def place_of(written: str | os.PathLike[str]) -> Path:
    """Return the path of a campaign's folder: a :class:`RemotePath`, or one on the disk.

    Raises:
        InputError: it is a URL of a kind that cannot be written to, or incomplete.
    """
    if isinstance(written, RemotePath):
        return written
    text = os.fspath(written)
    match = _URL.fullmatch(text)
    if not match:
        return Path(written)
    scheme, rest = match[1].lower(), match[2].strip("/")
    if scheme == "hf":
        raise InputError(
            f"A campaign cannot be written to {text}. Mount the bucket as a folder, or run in a "
            "folder and copy it with: hf buckets sync FOLDER hf://buckets/OWNER/NAME/FOLDER"
        )
    if scheme != S3:
        raise InputError(
            f"{scheme}:// is no place for a campaign; name a folder, or s3://BUCKET/FOLDER."
        )
    bucket, *folders = rest.split("/")
    if {".", ".."} & set(folders):
        raise InputError("Name a place without . and .. in it; they are no folders there.")
    if not _BUCKET_NAME.fullmatch(bucket):
        raise InputError(
            "Name a place as s3://BUCKET/FOLDER. Keys do not belong there, but in "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        )
    return RemotePath(f"{S3}://{rest}")


class RemotePath(_Base):
    """A path in an object store, which its first parts name: ``s3://BUCKET``.

    Folders need not be made. A path from a listing keeps what that says of its file. What is not
    defined here raises TypeError, as a local path would be needed.

    Raises:
        PlaceError: the store cannot be reached or refuses access, in all methods.
        OSError: as for any path.
    """

    _told: Any = None

    def __str__(self) -> str:
        scheme, *rest = self.parts or ("",)
        if not scheme.endswith(":"):  # the end of a path, as relative_to gives it
            return super().__str__()
        return f"{scheme}//{'/'.join(rest)}"

    def __fspath__(self) -> str:
        raise TypeError(f"{self} is no local file")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.parts

    @property
    def _key(self) -> str:
        return "/".join(self.parts[1:])

    @property
    def _files(self) -> Any:
        """The pyarrow file system."""
        with self._asked():
            return _file_system(self.parts[0][:-1], self.parts[1])

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """Raise errors of the store as one sentence; a missing file stays an OSError."""
        try:
            yield
        except FileNotFoundError as error:
            if self.parts[0] == f"{S3}:" and not type(self)(*self.parts[:2]).exists():
                self._refuse(f"{_BUCKET} {error}", error)
            raise
        except (OSError, ValueError) as error:
            self._refuse(str(error), error)

    def _refuse(self, words: str, error: Exception) -> NoReturn:
        line = first_line(error).rstrip(".").replace("{", "(")
        said = (cure for pattern, cure in _CURES if re.search(pattern, words))
        cure = next(said, f"{{}} cannot be used: {line}. {_LATER}")
        raise PlaceError(cure.format(type(self)(*self.parts[:2]))) from error

    def _info(self) -> Any:
        if self._told is None:
            with self._asked():
                return self._files.get_file_info(self._key)
        return self._told

    def exists(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002
        """Whether there is a file or a folder."""
        return bool(self._info().type.name != "NotFound")

    def is_file(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002
        """Whether there is a file."""
        return bool(self._info().is_file)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:  # noqa: ARG002
        """Whether there is a folder, that is, a file in it."""
        return bool(self._info().type.name == "Directory")

    def is_symlink(self) -> bool:
        """Return False."""
        return False

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:  # noqa: ARG002
        """Return size and time; the nanoseconds tell files of one second apart by their size."""
        info = self._info()
        if info.type.name == "NotFound":
            raise FileNotFoundError(errno.ENOENT, "No such file", str(self))
        size, written = info.size or 0, (info.mtime_ns or 0) + (info.size or 0)
        kind, seconds = stat.S_IFREG if info.is_file else stat.S_IFDIR, written // 10**9
        times = (*[seconds] * 3, *[written / 1e9] * 3, *[written] * 3)
        rest = [0] * (os.stat_result.n_fields - 16)
        return os.stat_result((kind, 0, 0, 0, 0, 0, size, *times, *rest))

    def _inside(self, *, deep: bool = False) -> Generator[RemotePath, None, None]:
        from pyarrow.fs import FileSelector

        with self._asked():
            chosen = FileSelector(self._key, allow_not_found=True, recursive=deep)
            infos = self._files.get_file_info(chosen)
        for info in infos:
            path = type(self)(self.parts[0], *info.path.strip("/").split("/"))
            path._told = info
            yield path

    def iterdir(self) -> Generator[RemotePath, None, None]:
        """Yield what is in the folder, if there is one."""
        return self._inside()

    def glob(self, pattern: str) -> Generator[RemotePath, None, None]:
        """Yield what is in the folder and has such a name."""
        return (path for path in self._inside() if fnmatchcase(path.name, pattern))

    def rglob(self, pattern: str) -> Generator[RemotePath, None, None]:
        """Yield what is in the folder, or in folders in it, and has such a name."""
        return (path for path in self._inside(deep=True) if fnmatchcase(path.name, pattern))

    def open(self, mode: str = "r", *_: Any, **__: Any) -> Any:
        """Open a file to read bytes."""
        if mode != "rb":
            raise TypeError("open a place with 'rb'; storage.write_whole writes")
        return _Reader(self)

    def read_bytes(self) -> bytes:
        """Return what is in the file.

        pyarrow asks for the size first, and would return a part of a file that is written anew
        before it is read.
        """
        for _ in range(_TRIES):
            with self._asked():
                with self._files.open_input_file(self._key) as file:
                    content = bytes(file.read())
                if self._files.get_file_info(self._key).size == len(content):
                    return content
        raise PlaceError(f"{self} changes while it is read. Try again. {_LATER}")

    def read_text(self, encoding: str | None = None, errors: str | None = None, **_: Any) -> str:
        """Return the text in the file."""
        return self.read_bytes().decode(encoding or "utf-8", errors or "strict")

    def put(self, content: Any) -> None:
        """Write a file whole; it appears when everything is written."""
        if self.parts[0] == f"{_MEMORY}:":  # it has folders
            self._files.create_dir(self.parent._key)
        with self._asked(), self._files.open_output_stream(self._key, compression=None) as stream:
            stream.write(content)  # at once: a stream closed after a part of it shows the part

    def unlink(self, missing_ok: bool = False) -> None:
        """Delete a file, or a folder with all that is in it."""
        self._told = None
        try:
            with self._asked():
                delete = self._files.delete_dir if self.is_dir() else self._files.delete_file
                delete(self._key)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def rmdir(self) -> None:
        """Delete a folder in which there is no file."""
        inside = list(self._inside(deep=True))
        if any(path.is_file() for path in inside):
            raise OSError(errno.ENOTEMPTY, "Directory not empty", str(self))
        if inside or self.is_dir():
            self.unlink(missing_ok=True)

    def mkdir(self, *_: Any, **__: Any) -> None:
        """Do nothing: files need no folder."""

    def resolve(self, strict: bool = False) -> RemotePath:  # noqa: ARG002
        """Return the path."""
        return self

    absolute = expanduser = resolve


class _Reader(RawIOBase):
    """A file of a place that is read in pieces; errors of the store are those of the place."""

    def __init__(self, place: RemotePath) -> None:
        self._place = place
        with place._asked():
            self._file = place._files.open_input_file(place._key)
        self.size = self._file.size()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        with self._place._asked():
            return int(self._file.readinto(buffer))

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def readable(path: Path) -> Any:
    """Return what pyarrow reads a file from."""
    return path.open("rb") if isinstance(path, RemotePath) else path


@cache
def _file_system(scheme: str, root: str) -> Any:
    from pyarrow.fs import FileSystem

    # One request for a small file, instead of three.
    return FileSystem.from_uri(f"{scheme}://{root}?allow_delayed_open=true")[0]


def duckdb_files(listed: Mapping[str, Path]) -> Any:
    """Return the file system through which DuckDB reads files of listings, without asking anew."""
    from fsspec import AbstractFileSystem

    class Listed(AbstractFileSystem):  # type: ignore[misc]
        protocol = (S3, _MEMORY)
        cachable = False

        def info(self, path: str, **_: Any) -> dict[str, Any]:
            entry = listed[path].stat()
            return {"name": path, "size": entry.st_size, "type": "file", "mtime": entry.st_mtime}

        def modified(self, path: str) -> datetime:
            return datetime.fromtimestamp(listed[path].stat().st_mtime, UTC)

        def glob(self, path: str, **_: Any) -> list[str]:
            return [path]

        def open(self, path: str, *_: Any, **__: Any) -> Any:
            return listed[path].open("rb")

    return Listed()
