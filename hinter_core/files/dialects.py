r"""Recognise how a text file separates its cells, by its first lines and not by its name.

A *dialect* is the separator (comma, tab, semicolon, bar, or none in a file of one column), the
quoting (double or single quotation marks, doubled within cells, escaped as ``\"``, or plain
characters), and whether the first row is a header. Each candidate reads the first lines; the one
whose rows have as many cells as the first row wins. All reading is by :mod:`csv`, in linear time
over a bounded sample.

:mod:`clevercsv` takes the blanks of a file with one column for separators, and DuckDB's sniffer
passes over rows that do not fit, so neither serves here.
"""

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

DOUBLED, ESCAPED, PLAIN = "doubled", "escaped", "plain"
SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
SAMPLE = 2_000, 250_000  # lines and characters that are looked at
_ALONE = "\x1f"  # no text has it: the "separator" of a file with one column
_REREAD = 4  # times the sample that a candidate may read
_SURE = 0.8  # share of rows that fit, from which on names of columns may look odd
_CLOSE = 0.02
_STATED = re.compile(r"\ufeff?\"?sep=(.)\"?\s*", re.IGNORECASE)
_NUMBER = re.compile(r"\s*[-+]?[\d.,]*\d[\d.,]*(?:[eE][-+]?\d{1,4})?%?\s*")
_LONGEST_NAME, _WORDS = 60, 6  # of a column's name
_LONG_ROW = 50  # lines
_ENOUGH = 2  # rows with marks around their cells


@dataclass(frozen=True, slots=True)
class Dialect:
    """How cells are separated and quoted.

    ``blanks``: those after a separator are no part of a cell. ``header``: the first row names the
    columns. ``stated``: a first line ``sep=;`` gives the separator. ``skipped``: lines before the
    first row, which are blank, comments, or this one. ``mark``: the quotation mark.
    """

    separator: str = ","
    quoting: str = DOUBLED
    blanks: bool = False
    header: bool = True
    stated: bool = False
    skipped: int = 0
    mark: str = '"'

    def reader(self, lines: Iterable[str]) -> Any:
        """Return a reader of cells, which raises :class:`csv.Error` at a misplaced quote."""
        form: dict[str, Any] = {
            "delimiter": self.separator or _ALONE, "strict": True,
            "skipinitialspace": self.blanks, "quotechar": self.mark,
        }  # fmt: skip
        if self.quoting == PLAIN:
            form |= {"quoting": csv.QUOTE_NONE, "quotechar": None}
        elif self.quoting == ESCAPED:
            form["escapechar"] = "\\"
        return csv.reader(lines, **form)

    def without_quotes(self, line: str) -> list[str]:
        """Split a line at every separator; quotation marks around a whole cell are left out."""
        cells = line.rstrip("\r\n").split(self.separator or _ALONE)
        return [c[1:-1] if len(c) > 1 and c[0] == c[-1] == self.mark else c for c in cells]

    def in_words(self) -> str:
        """Describe the dialect."""
        columns = f"{SEPARATORS.get(self.separator, repr(self.separator))} between cells"
        if self.separator == "":
            columns = "one column"
        elif self.stated:
            columns += " (its first line says so)"
        marks = "quotation marks" if self.mark == '"' else "single quotation marks"
        quotes = {
            DOUBLED: f"{marks} may surround a cell",
            ESCAPED: f"{marks} may surround a cell, and are written \\{self.mark} within it",
            PLAIN: "quotation marks are plain characters",
        }  # fmt: skip
        return f"{columns}; {quotes[self.quoting]}; {self.head}"

    @property
    def head(self) -> str:
        """Say whether there is a header."""
        return "a header" if self.header else "no header: the first row is data"


def is_number(cell: str) -> bool:
    """Whether a cell holds a number and nothing else."""
    return len(cell) < _LONGEST_NAME and bool(_NUMBER.fullmatch(cell))


@dataclass(frozen=True, slots=True)
class Sniffed:
    """A dialect, and the rows of the sample: cells, and how many lines they take."""

    dialect: Dialect
    rows: list[list[str]]
    lines: list[int]
    fit: float

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.rows[0]) if self.rows else 0


def sniff(
    lines: Sequence[str],
    usual: str,
    known: Collection[str] = (),
    *,
    only_known: bool = False,
    cut: bool = False,
) -> Sniffed:
    """Recognise the dialect of a file by its first lines.

    ``usual``: the separator that its name promises. ``known``: names of columns in lower case,
    which a header may have; ``only_known``: a first row without any is no header. ``cut``: more
    lines follow.
    """
    given = len(lines)
    lines = list(dropwhile(str.isspace, lines))
    says = _STATED.fullmatch(lines[0]) if lines else None
    stated = says[1] if says else ""
    lines = _without_comments(lines[1:] if stated else lines, known)
    sample = _Sample(lines, cut=cut)
    best = sample.read(Dialect(""))
    if sample.lines:
        first = sample.lines[0]
        separators = [stated] if stated else [s for s in SEPARATORS if s in first]
        each = [_best_quoting(sample, separator) for separator in separators]
        likely = [one for one in each if stated or _is_likely(one, known)]
        if likely:
            best = max(likely, key=lambda one: _rank(one, usual, known))
        elif usual not in first:
            best = _without_header_cells(sample.read(Dialect(usual))) or best
    if not best.width:  # a quotation mark in the first line is not closed
        best = sample.read(Dialect("", PLAIN))
    header = has_header(best.rows, known, only_known=only_known)
    dialect = replace(best.dialect, header=header, stated=bool(stated),
                      skipped=given - len(lines))  # fmt: skip
    return replace(best, dialect=dialect)


def _without_comments(lines: Sequence[str], known: Collection[str]) -> Sequence[str]:
    """Leave out first lines that begin with ``#``, if a header with a known name follows."""
    rest = list(dropwhile(lambda line: line.isspace() or line.startswith("#"), lines))
    names = re.split(r"[,;\t|]", rest[0]) if rest and lines[0].startswith("#") else []
    return rest if any(_folded(name.strip().strip("\"'")) in known for name in names) else lines


def _without_header_cells(one: Sniffed) -> Sniffed | None:
    """Return a table whose rows all have more cells than its header."""
    widths = {len(row) for row in one.rows[1:]}
    wide = len(widths) == 1 and widths != {one.width}
    # A comma in a sentence has a blank behind it.
    tight = not any(cell[:1].isspace() for row in one.rows[1:] for cell in row[1:])
    return one if wide and tight else None


def _rank(one: Sniffed, usual: str, known: Collection[str]) -> tuple[float, int, bool]:
    named = bool(one.rows) and any(_folded(name) in known for name in one.rows[0])
    stray = bool(one.rows) and any('"' in name for name in one.rows[0])
    return round(one.fit + 0.3 * named - 0.2 * stray, 2), one.width, one.dialect.separator == usual


def _is_likely(one: Sniffed, known: Collection[str]) -> bool:
    """Whether the separator is one, and not a comma within a sentence."""
    if one.width < 2:
        return False
    first, rest = one.rows[0], one.rows[1:]
    if any(_folded(name) in known for name in first):
        return True
    if all(map(_is_name, first)):
        alike = any(len(row) == one.width for row in rest)
        return not rest or alike or not any(len(row) == 1 for row in rest)
    return bool(rest) and one.fit >= _SURE


def _best_quoting(sample: "_Sample", separator: str) -> Sniffed:
    best = sample.read(Dialect(separator))
    tried = []
    if separator + ' "' in sample.text:
        tried.append(Dialect(separator, blanks=True))
    if '\\"' in sample.text or "\\" + separator in sample.text:
        tried += [replace(one, quoting=ESCAPED) for one in (best.dialect, *tried)]
    if any(cell.startswith("'") for row in best.rows for cell in row):
        single = Dialect(separator, ESCAPED if "\\'" in sample.text else DOUBLED, mark="'")
        tried += [single, replace(single, blanks=True)]
    for dialect in tried:
        one = sample.read(dialect)
        if one.fit > best.fit + _CLOSE or (one.fit >= best.fit and _bares(one, best)):
            best = one
    if '"' not in sample.text or best.dialect.mark != '"':
        return best
    plain = sample.read(Dialect(separator, PLAIN))
    return plain if _means_plain(plain, best) else best


def _bares(one: Sniffed, other: Sniffed) -> bool:
    """Whether a dialect takes off the marks around the cells of a column that another leaves."""
    if (one.width, len(one.rows)) != (other.width, len(other.rows)) or len(one.rows) <= _ENOUGH:
        return False
    left = [
        [row[place].strip() for row in other.rows[1:] if len(row) == other.width]
        for place in range(other.width)
    ]
    mark, form = one.dialect.mark, one.dialect
    return (form.blanks or mark != '"') and any(
        len(cells) >= _ENOUGH and all(len(c) > 1 and c[0] == c[-1] == mark for c in cells)
        for cells in left
    )


def _means_plain(plain: Sniffed, quoted: Sniffed) -> bool:
    """Whether quotation marks are characters of the texts.

    Then rows fit without them, and cells begin with one that do not end with one; or rows that fit
    alone would be merged.
    """
    if plain.fit < quoted.fit or plain.width < 2:
        return False
    whole = broken = 0
    for cell in (cell for row in plain.rows for cell in row if cell.startswith('"')):
        closed = len(cell) > 1 and cell.endswith('"') and '"' not in cell[1:-1].replace('""', "")
        whole, broken = whole + closed, broken + (not closed)
    merged = any(number > 1 for number in quoted.lines)
    if plain.fit == quoted.fit and not merged:
        return False
    # Commas stand in texts, so that lines of a quoted cell may fit by chance; tabs do not.
    chance = merged and quoted.fit == 1.0 and plain.dialect.separator == ","
    return broken >= whole and broken > 0 and not chance


class _Sample:
    """The first lines of a file, which candidates read; ``cut``: more follow."""

    def __init__(self, lines: Sequence[str], *, cut: bool) -> None:
        self.lines, self.cut, self.text = lines, cut, "".join(lines)
        self._place = self._left = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._place >= len(self.lines) or self._left <= 0:
            raise StopIteration
        self._place, self._left = self._place + 1, self._left - 1
        return self.lines[self._place - 1]

    def read(self, dialect: Dialect) -> Sniffed:
        """Read the sample; a row with a misplaced quotation mark has no cells."""
        self._place, self._left = 0, _REREAD * len(self.lines)
        reader, rows, counts = dialect.reader(self), list[list[str]](), list[int]()
        while True:
            start = self._place
            try:
                cells = next(reader)
            except StopIteration:
                break
            except csv.Error:
                if self.cut and rows and len(self.lines) - start < _LONG_ROW:
                    break  # a row that goes on beyond the sample
                cells, self._place = [], start + 1
            if cells or (self._place == start + 1 and self.lines[start].strip()):
                rows.append(cells)
                counts.append(self._place - start)
        width = len(rows[0]) if rows else 0
        body = rows[1:] or rows  # the first row says what to fit
        fit = sum(len(row) == width for row in body) / len(body) if width else 0.0
        return Sniffed(dialect, rows, counts, fit)


def _folded(name: str) -> str:
    return name.strip().casefold()


def _is_name(cell: str) -> bool:
    """Whether a cell may be the name of a column: short, no sentence, no number, no address."""
    words = cell.split()
    ends = cell.rstrip()[-1:] in ".!?" and len(words) > 2
    return (
        len(cell) <= _LONGEST_NAME and len(words) <= _WORDS and not ends
        and "://" not in cell and not is_number(cell)
    )  # fmt: skip


def has_header(rows: Sequence[Sequence[str]], known: Collection[str], *, only_known: bool) -> bool:
    """Whether the first row names the columns."""
    if not rows:
        return True
    first, body = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    if any(_folded(name) in known for name in first):
        return True
    if only_known:
        return False
    named = [_is_name(cell) for cell in first]
    # pandas numbers columns without a name: 0, 1, 2.
    counted = [cell for cell in first if cell.strip()]
    if len(counted) > 1 and counted == [str(n) for n in range(len(counted))]:
        return True
    if all(named):
        # A value that comes again in its column is no name.
        again = [
            bool(cell.strip()) and any(row[place] == cell for row in body)
            for place, cell in enumerate(first)
        ]
        return all(again) or not any(again)
    if any(cell.strip() and not is_number(cell) and not name
           for cell, name in zip(first, named, strict=True)):  # fmt: skip
        return False  # a sentence or an address
    numbers = [place for place, cell in enumerate(first) if is_number(cell)]
    return not any(
        body and sum(is_number(row[place]) for row in body) > _SURE * len(body) for place in numbers
    )


def made_names(width: int) -> tuple[str, ...]:
    """Return names of columns that have none."""
    return ("text",) if width == 1 else tuple(f"column {n + 1}" for n in range(width))
