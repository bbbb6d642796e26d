"""Open files that may be packed (gzip, bzip2, xz, or a zip with one table), within bounds.

A file is what its first bytes say, whatever its name. What it unpacks to, and how many of its lines
are blank, is bounded, so that a small file cannot keep a reader busy for long.
"""

import bz2
import codecs
import gzip
import io
import lzma
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Self, cast

from hinter_core.errors import InputError

Record = tuple[Mapping[str, Any], str]  # values by column, and a fault in words or ""

LONGEST = 2_000_000  # characters of a record: twenty of the longest texts
TOO_LONG = f"it has {LONGEST:,} characters or more"
UNPACKED = 300_000_000  # bytes, from which on a file may not unpack to ...
RATIO = 200  # ... more than so many times its size
BLANK = 1_000_000, 10  # blank lines, from which on there may not be ten times as many as others
_REREAD = 8_000_000  # characters of lines that are given back
_DICTIONARY = 200_000_000  # bytes that xz may need
_CHUNK = 2**16
_LOOKED_AT = 1_000  # bytes, by which a text is known
_OF_OTHERS = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-", b"\x7fELF")
_IN_TEXT = b"\0\t\n\v\f\r\x1b\x1c\x1d\x1e\x1f"  # zeros are left out, the last ones separate

GZIP, BZIP2, XZ, ZIP = "gzip", "bzip2", "xz", "zip"
_MAGIC = {b"\x1f\x8b": GZIP, b"BZh": BZIP2, b"\xfd7zXZ\0": XZ, b"PK\x03\x04": ZIP}
_POINTER = b"version https://git-lfs."
_ENDINGS = {".gz": GZIP, ".bz2": BZIP2, ".xz": XZ, ".zip": ZIP}
_UNREADABLE = (
    OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError,
    NotImplementedError,
)  # fmt: skip
_MARKS = (  # the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Container:
    """How a file is packed: ``kind`` is "" if it is not; ``member``: the table in a zip.

    ``name``: the name of the table, which may end in its format.
    """

    kind: str
    name: str
    member: str = ""
    workbook: bool = False


def container_of(path: Path) -> Container:
    """Find out how a file is packed, by its first bytes.

    Raises:
        InputError: it cannot be read; or it is a zip with several tables, or none.
    """
    with reading(path), path.open("rb") as raw:
        start = raw.read(len(_POINTER))
    if start == _POINTER:
        raise InputError(
            f"{path} is only a pointer of Git LFS to the file; get the file with git lfs pull."
        )
    kind = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "")
    if kind == ZIP:
        return _zip(path)
    named = _ENDINGS.get(path.suffix.lower())
    if named and not kind:
        raise InputError(f"{path} is no {named} file, as its name says; is it whole?")
    return Container(kind, path.stem if named == kind and kind else path.name)


def _zip(path: Path) -> Container:
    with reading(path), zipfile.ZipFile(path) as file:
        names = [one.filename for one in file.infolist() if not one.is_dir()]
    if "xl/workbook.xml" in names:
        return Container("", path.name, workbook=True)
    tables = [name for name in names if _may_be_table(PurePosixPath(name))]
    if len(tables) != 1:
        some = ", ".join(tables[:5]) or "no table"
        raise InputError(
            f"{path} holds {len(tables):,} files ({some}); unpack it and name one of them."
            if tables
            else f"{path} holds no table; pack one file of texts."
        )
    return Container(ZIP, PurePosixPath(tables[0]).name, tables[0])


def _may_be_table(name: PurePosixPath) -> bool:
    hidden = name.name.startswith((".", "._")) or "__MACOSX" in name.parts
    about = name.stem.casefold() in ("readme", "license", "licence", "citation", "changelog")
    return not hidden and not about


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what goes wrong while a file is read into an :class:`InputError` that names it."""
    try:
        yield
    except RecursionError:  # a RuntimeError, and others' to explain
        raise
    except _UNREADABLE as error:
        raise InputError(f"{path} cannot be read ({error}); is it whole?") from error


def open_unpacked(path: Path, container: Container) -> io.BufferedReader:
    """Open the bytes of a table.

    Raises:
        InputError: reading raises it where the file unpacks to more than a table does.
    """
    if not container.kind:
        return path.open("rb")
    if container.kind == XZ:
        with path.open("rb") as raw:
            lzma.LZMADecompressor(memlimit=_DICTIONARY).decompress(raw.read(_CHUNK), 1)
    opens: dict[str, Callable[[Path], Any]] = {
        GZIP: gzip.open, BZIP2: bz2.open, XZ: lzma.open,
        ZIP: lambda path: zipfile.ZipFile(path).open(container.member),  # noqa: SIM115
    }  # fmt: skip
    opened = opens[container.kind](path)
    return io.BufferedReader(cast(io.RawIOBase, _Bounded(path, opened)), _CHUNK)


class _Bounded(io.RawIOBase):
    """Unpacked bytes that are not read on if there are far more than a table has."""

    def __init__(self, path: Path, opened: BinaryIO) -> None:
        self._path, self._opened, self._left = path, opened, most_unpacked(path)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._opened.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise too_much(self._path)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._opened.close()
        super().close()


def most_unpacked(path: Path) -> int:
    """Return the bytes that a file may unpack to."""
    return max(UNPACKED, RATIO * path.stat().st_size)


def too_much(path: Path) -> InputError:
    """Return the error on a file that unpacks to more."""
    return InputError(
        f"{path} unpacks to more than {RATIO} times its size, which no table of texts does; "
        "save it anew from its source."
    )


def is_binary(raw: io.BufferedReader) -> bool:
    """Whether the bytes are an image, a program or the like: a twentieth is no sign of a text."""
    start = raw.peek(_LOOKED_AT)[:_LOOKED_AT]
    if start.startswith(_OF_OTHERS):
        return True
    name = encoding_of(raw)
    if name.startswith("utf-16-"):  # guessed from zeros: a text has letters or digits of ASCII
        read = start[: len(start) // 2 * 2].decode(name, "replace")
        return sum(c.isascii() and c.isalnum() for c in read) * 5 < len(read)
    odd = sum(byte < 32 and byte not in _IN_TEXT for byte in start)
    return name == "utf-8" and odd * 20 > len(start)


def encoding_of(raw: io.BufferedReader) -> str:
    """Return ``utf-8``, ``utf-16`` or ``utf-32``, by the mark at the start, or by zeros."""
    start = raw.peek(_LOOKED_AT)[:_LOOKED_AT]
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    odd, even = start[1::2].count(0), start[::2].count(0)
    if max(odd, even) > len(start) // 5 and min(odd, even) * 10 < max(odd, even):
        return "utf-16-le" if odd > even else "utf-16-be"
    return "utf-8"


def text_of(raw: io.BufferedReader) -> io.TextIOWrapper:
    """Decode bytes; those that are not UTF-8 survive as surrogates, and affect only their row."""
    name = encoding_of(raw)
    encoding, errors = (name, "replace") if name != "utf-8" else ("utf-8-sig", "surrogateescape")
    return io.TextIOWrapper(raw, encoding=encoding, errors=errors, newline="")


class LongRecordError(Exception):
    """A record has as many characters as :data:`LONGEST` or more."""


class Lines:
    """The lines of a text file, cut off where they are too long.

    Iterating gives the lines of records that may have several, each announced by :meth:`begin`;
    ``taken`` are those since then, and ``number`` counts all. :meth:`each` gives those of records
    with one.

    Raises:
        LongRecordError: a record of several lines; what follows can be read on.
        InputError: there are hardly any lines but blank ones.
    """

    def __init__(self, text: io.TextIOWrapper, path: Path) -> None:
        self._text, self._path = text, path
        self._returned: deque[str] = deque()
        self._blank = self._full = self._size = 0
        self._reread = _REREAD
        self.taken: list[str] = []
        self.number = 0

    def begin(self) -> None:
        """Count characters from here."""
        self.taken, self._size = [], 0

    def give_back(self, lines: list[str]) -> bool:
        """Give lines back, to be read again; False if that was done too often."""
        self._reread -= sum(map(len, lines))
        if self._reread < 0:
            return False
        self._returned.extendleft(reversed(lines))
        self.number -= len(lines)
        return True

    def each(self) -> Iterator[str]:
        """Yield all lines that are not blank."""
        while line := self._next():
            if not line.isspace():
                yield line

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = self._returned.popleft() if self._returned else self._next()
        if not line:
            raise StopIteration
        self.number += 1
        self.taken.append(line)
        self._size += len(line)
        if self._size >= LONGEST:
            raise LongRecordError
        return line

    def _next(self) -> str:
        line = self._text.readline(LONGEST)
        rest = line
        while len(rest) == LONGEST and rest[-1] not in "\r\n":
            rest = self._text.readline(LONGEST)
        self._full += not line.isspace()
        if line.isspace():
            self._blank += 1
            most, times = BLANK
            if self._blank > max(most, times * self._full):
                raise InputError(
                    f"{self._path} has {most:,} blank lines and hardly any others, which no table "
                    "of texts has; save it anew from its source."
                )
        return line.replace("\0", "") if "\0" in line else line


def first_lines(lines: Iterable[str], most: int, characters: int) -> list[str]:
    """Return the first lines, up to a number of lines and of characters."""
    lines_read, size = list[str](), 0
    for line in lines:
        size += len(line)
        if lines_read and size > characters:
            break
        lines_read.append(line)
        if len(lines_read) == most:
            break
    return lines_read
