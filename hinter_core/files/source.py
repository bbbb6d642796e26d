"""Read tables of any known kind: data sets, dictionaries, names, mutants by hand, annotations.

:func:`open_source` finds out what a file is (how it is packed, its encoding and format, how its
cells are separated and quoted, whether it has a header) by its content, and says so in words.
Memory does not grow with the file, nor with what it unpacks to.
"""

import io
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePath
from typing import Any

from hinter_core.errors import InputError
from hinter_core.files import columnar
from hinter_core.files.columns import KNOWN, LOOKED_AT, as_text, mended
from hinter_core.files.containers import (
    LONGEST,
    TOO_LONG,
    Container,
    Lines,
    Record,
    container_of,
    encoding_of,
    first_lines,
    is_binary,
    open_unpacked,
    reading,
    text_of,
)
from hinter_core.files.dialects import SAMPLE, Dialect, Sniffed, has_header, made_names, sniff
from hinter_core.files.separated import Shape, separated
from hinter_core.files.trees import is_json_line, json_lines, json_tree

SEPARATED, LINES, TREE, TEXT = "separated", "JSON lines", "JSON", "text"
PARQUET, ARROW, WORKBOOK, FOLDER = "Parquet", "Arrow", "workbook", "data set"
_BY_NAME = {
    ".csv": SEPARATED, ".tsv": SEPARATED, ".tab": SEPARATED, ".psv": SEPARATED, ".txt": TEXT,
    ".jsonl": LINES, ".ndjson": LINES, ".json": TREE, ".parquet": PARQUET, ".arrow": ARROW,
    ".feather": ARROW, ".xlsx": WORKBOOK,
}  # fmt: skip
_PACKED = (".gz", ".bz2", ".xz", ".zip")
ENDINGS = (*_BY_NAME, *_PACKED)  # of files that can be read
_USUAL = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
_CELLS = 10_000  # columns
_ENOUGH = 5  # lines of a text with semicolons or bars that are rows
_NOTES = 10


@dataclass(frozen=True)
class Source:
    """A file and what it was understood to be.

    ``encoding`` and ``sniffed`` are those of text files; Windows-1252 if the first lines have bytes
    that are not UTF-8, and no others beyond ASCII. ``columns``: the names under which cells are
    read, if rows hold none. ``split``: of a saved data set. ``padded``: rows that are too short are
    filled. ``notes``: sentences on what was changed.
    """

    path: Path
    kind: str
    container: Container
    encoding: str = ""
    sniffed: Sniffed | None = None
    columns: tuple[str, ...] = ()
    split: str = ""
    padded: bool = False
    notes: tuple[str, ...] = ()

    @property
    def has_header(self) -> bool:
        """Whether the names of the columns stand in the file."""
        return self.sniffed is None or self.sniffed.dialect.header

    @property
    def has_cells(self) -> bool:
        """Whether formulas in cells may have been made harmless, as in tables for spreadsheets."""
        return self.kind == SEPARATED

    @cached_property
    def count(self) -> int | None:
        """Number of rows, if it is known without reading them."""
        return columnar.parquet_count(self.path) if self.kind == PARQUET else None

    @cached_property
    def head(self) -> list[Record]:
        """The first records."""
        return list(islice(self.records(), LOOKED_AT))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all columns."""
        named = dict.fromkeys(name for values, _ in self.head for name in values)
        return self.columns if self.columns and len(named) <= len(self.columns) else tuple(named)

    def records(self) -> Iterator[Record]:
        """Yield all records.

        Raises:
            InputError: the file breaks off, or cannot be read.
        """
        return (record for _, record in self.numbered())

    def numbered(self) -> Iterator[tuple[int, Record]]:
        """Yield all records, with their line or the number of their row.

        Raises:
            InputError: the file breaks off, or cannot be read.
        """
        with reading(self.path):
            if self.kind == SEPARATED:
                yield from self._separated()
            else:
                first = 2 if self.kind == WORKBOOK and self.has_header else 1
                yield from enumerate(self._others(), start=first)

    def _separated(self) -> Iterator[tuple[int, Record]]:
        assert self.sniffed
        with _text(self.path, self.container) as text:
            lines = Lines(text, self.path)
            rows = separated(lines, self.sniffed.dialect, Shape.of(self.sniffed))
            if self.has_header:
                next(rows, None)
            for line, cells, fault in rows:
                yield line, self._record(cells, fault)

    def _record(self, cells: Sequence[Any], fault: str) -> Record:
        wanted = len(self.columns)
        if self.padded:
            cells = [*cells, *[""] * (wanted - len(cells))]
        if not fault and len(cells) != wanted:
            where = "the header" if self.has_header else "the first row"
            fault = f"it has {len(cells)} cells where {where} has {wanted}"
        return dict(zip(self.columns, cells, strict=False)), fault

    def _others(self) -> Iterator[Record]:
        if self.kind == PARQUET:
            yield from columnar.parquet_records(self.path)
        elif self.kind == ARROW:
            yield from columnar.arrow_records(self.path)
        elif self.kind == FOLDER:
            splits = columnar.open_folder(self.path)
            yield from columnar.named_records(self.path, splits[self.split])
        elif self.kind == WORKBOOK:
            rows = columnar.workbook_rows(self.path)
            for _, row in islice(rows, int(self.has_header), None):
                more = [cell for cell in row[len(self.columns) :] if cell is not None]
                short = row[: len(self.columns)]
                padded = [*short, *[None] * (len(self.columns) - len(short)), *more]
                yield self._record(padded, "")
        else:
            yield from self._of_lines()

    def _of_lines(self) -> Iterator[Record]:
        with _text(self.path, self.container) as text:
            if self.kind == TREE:
                yield from json_tree(text, self.path)
            elif self.kind == LINES:
                yield from json_lines(Lines(text, self.path).each())
            else:
                for line in Lines(text, self.path).each():
                    yield {"text": line.strip()}, ""

    def in_words(self) -> str:
        """Describe the file in one sentence, without its path."""
        packed = f"{self.container.kind}: {self.container.name}" if self.container.kind else ""
        kind = self.kind
        if self.kind == TEXT:
            kind = "a text on each line"
        elif self.kind == FOLDER:
            kind = f"saved data set{f', split {self.split}' if self.split else ''}"
        elif self.sniffed:
            dialect = self.sniffed.dialect
            kind = f"workbook; {dialect.head}" if self.kind == WORKBOOK else dialect.in_words()
        return "; ".join(filter(None, (packed, kind, self.encoding.upper())))


@contextmanager
def _text(path: Path, container: Container) -> Iterator[io.TextIOWrapper]:
    with reading(path), open_unpacked(path, container) as raw, text_of(raw) as text:
        yield text


def require_file(path: Path) -> None:
    """Refuse a path that is not a file.

    Raises:
        InputError: there is nothing, or a folder.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it.")
    if not path.is_file():
        raise InputError(f"There is no file {path}; check the path.")


def ending_of(name: str) -> str:
    """Return how the name of a table ends: ``.csv``, or ``.csv.gz`` for a packed one."""
    path = PurePath(name)
    packed = path.suffix if path.suffix.lower() in _PACKED else ""
    return PurePath(path.name.removesuffix(packed)).suffix + packed


def open_source(path: Path, known: Collection[str] = (), *, only_known: bool = False) -> Source:
    """Find out what a file is.

    ``known``: names of columns in lower case that make a first row a header, beside the usual ones;
    ``only_known``: without one of them, it is none; and rows that are too short are filled.

    Raises:
        InputError: no such file, an unknown format, or a file that cannot be read.
    """
    if columnar.is_saved(path):
        return _folder(path)
    require_file(path)
    known = known if only_known else {*KNOWN, *known}
    with reading(path):
        container = container_of(path)
        kind = _kind(path, container)
        if kind == WORKBOOK:
            return _workbook(path, container, known, only_known)
        if kind in (PARQUET, ARROW):
            return Source(path, kind, container)
        with open_unpacked(path, container) as raw:
            if is_binary(raw):
                raise InputError(f"{path} is no table and no text, whatever its name says.")
            encoding = encoding_of(raw)
        with _text(path, container) as text:
            lines = iter(lambda: text.readline(LONGEST), "")
            sample = first_lines(lines, *SAMPLE)
            cut = next(lines, None) is not None
    if len(sample[0] if sample else "") >= LONGEST and kind == SEPARATED:
        raise InputError(f"The first line of {path} names no columns: {TOO_LONG}.")
    if encoding == "utf-8" and _is_windows_1252("".join(sample)):
        encoding = "windows-1252"
    kind = _kind_of_text(kind, sample, cut=cut)
    source = Source(path, kind, container, encoding, padded=only_known)
    if kind not in (SEPARATED, TEXT):
        return source
    usual = _USUAL.get(PurePath(container.name).suffix.lower(), ",")
    sniffed = sniff(
        [line.replace("\0", "") for line in sample], usual, known,
        only_known=only_known, cut=cut,
    )  # fmt: skip
    if kind == TEXT and not (only_known or _are_cells(sniffed)):
        return source
    if not sniffed.rows:
        raise InputError(f"{path} holds no row.")
    columns, notes = _columns(sniffed.rows[0], named=sniffed.dialect.header)
    return replace(source, kind=SEPARATED, sniffed=sniffed, columns=columns, notes=notes)


def _is_windows_1252(text: str) -> bool:
    """Whether all that is not ASCII in a text are bytes that were not UTF-8, and can be mended."""
    beyond = "".join(sign for sign in text if not sign.isascii())
    return mended(beyond)[1] is True and not any(sign.isprintable() for sign in beyond)


def _kind(path: Path, container: Container) -> str:
    """Return the format of a file, by its first bytes or else by its name."""
    ending = PurePath(container.name).suffix.lower()
    if container.workbook:
        return WORKBOOK
    with open_unpacked(path, container) as raw:
        start = raw.peek(8)[:8]
    binary = PARQUET if start.startswith(b"PAR1") else ""
    if start.startswith((columnar.ARROW_FILE, columnar.ARROW_STREAM)):
        binary = ARROW
    if start.startswith(_OLD_WORKBOOK):
        raise InputError(f"{path} is an old workbook; save it as .xlsx or as CSV.")
    kind = binary or _BY_NAME.get(ending, "")
    if not kind:
        raise InputError(
            f"{path} is of no known format; use {', '.join(_BY_NAME)}, or one of them packed "
            f"({', '.join(_PACKED)})."
        )
    if kind in (PARQUET, ARROW, WORKBOOK) and container.kind:
        raise InputError(f"{path} holds a file of {kind}, which must be unpacked first.")
    if kind == WORKBOOK:
        raise InputError(f"{path} is no workbook, as its name says; is it whole?")
    return kind


def _kind_of_text(kind: str, sample: Sequence[str], *, cut: bool) -> str:
    """Return the format of a text by its first line that is not blank."""
    lines = [line for line in sample if not line.isspace()]
    first, more = lines[0].lstrip() if lines else "", len(lines) > 1
    if is_json_line(first) and (kind != TREE or cut or more):
        return LINES
    if kind != LINES:
        return kind
    # Lists on lines of their own are no objects.
    listed = more and first.rstrip().endswith("]")
    return LINES if listed or ((cut or more) and not first.startswith("[")) else TREE


def _are_cells(sniffed: Sniffed) -> bool:
    """Whether the lines of a plain text are rows of cells."""
    separator, rows = sniffed.dialect.separator, sniffed.rows
    if not separator or sniffed.fit < 1.0:
        return False
    header = sniffed.dialect.header and any(n.strip().casefold() in KNOWN for n in rows[0])
    return header or separator == "\t" or (separator in ";|" and len(rows) >= _ENOUGH)


def _columns(header: Sequence[str], *, named: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of columns, each once and without blanks at its ends, and what was changed.

    Raises:
        InputError: there are far too many.
    """
    if len(header) > _CELLS:
        raise InputError(f"There are more than {_CELLS:,} columns, which no table of texts has.")
    if not named:
        return made_names(len(header)), ("The first row is data and no header.",)
    notes, names, used = list[str](), list[str](), Counter[str]()
    for place, cell in enumerate(header, start=1):
        name = " ".join(mended(cell)[0].split()) or f"column {place}"
        used[name] += 1
        if used[name] > 1:
            again = name
            while name in used:
                name = f"{again} ({used[again]})"
                used[again] += name in used
            used[name] += 1
            notes.append(f"The column '{again}' is there twice; the second is called '{name}'.")
        elif not cell.strip():
            notes.append(f"A column without a name is called '{name}'.")
        names.append(name)
    return tuple(names), tuple(notes[:_NOTES])


def _workbook(path: Path, container: Container, known: Collection[str], only_known: bool) -> Source:
    first = list(islice(columnar.workbook_rows(path), LOOKED_AT))
    if not first:
        raise InputError(f"{path} holds no row.")
    rows = [row for _, row in first]
    width = max(map(len, rows[:2]))
    texts = [[as_text(cell) for cell in row] + [""] * (width - len(row)) for row in rows]
    header = has_header(texts, known, only_known=only_known)
    sniffed = Sniffed(Dialect(header=header), texts[:1], [1], 1.0)
    columns, notes = _columns(texts[0], named=header)
    sheet = (f"The sheet '{first[0][0]}' is read, the first with a table.",) if first[0][0] else ()
    notes = (*sheet, *notes)
    return Source(path, WORKBOOK, container, "", sniffed, columns, "", only_known, notes)


def _folder(path: Path) -> Source:
    """Choose the split of a saved data set."""
    splits = list(columnar.open_folder(path))
    split = columnar.choose_split(splits)
    if split not in splits:
        raise InputError(
            f"{path} holds the splits {', '.join(splits)}; name the folder of one, as "
            f"{path / splits[0]}"
        )
    notes = (f"Of the splits {', '.join(splits)}, {split} is read.",) if len(splits) > 1 else ()
    return Source(path, FOLDER, Container("", path.name), split=split, notes=notes)
