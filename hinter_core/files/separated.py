"""Read the rows of a text with separated cells, each with its fault, if it has one.

A quotation mark that is not closed would take in the rows that follow. Where its record breaks the
rules, never ends, or is made of lines that are rows themselves, its first line is read without
quotation marks and the others are read again, so that no row is lost.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hinter_core.files.containers import LONGEST, TOO_LONG, Lines, LongRecordError
from hinter_core.files.dialects import Dialect, Sniffed, is_number

_SHORT = 40, 3  # characters and words of a cell that is no text
_ENOUGH = 2  # rows that a shape is learnt from


@dataclass(frozen=True, slots=True)
class Shape:
    """What single rows look like: columns whose cells are all numbers, and those all short."""

    width: int
    numbers: tuple[int, ...]
    short: tuple[int, ...]

    @classmethod
    def of(cls, sniffed: Sniffed) -> "Shape":
        """Learn the shape of the rows of a sample that take one line."""
        width, rows = sniffed.width, sniffed.rows
        first = 1 if sniffed.dialect.header else 0
        single = [
            row
            for row, lines in zip(rows[first:], sniffed.lines[first:], strict=True)
            if lines == 1 and len(row) == width
        ]
        places = range(width) if len(single) >= _ENOUGH else ()
        numbers = tuple(p for p in places if all(is_number(row[p]) for row in single))
        short = tuple(p for p in places if all(_is_short(row[p]) for row in single))
        return cls(width, numbers, short)

    def has(self, cells: Sequence[str]) -> bool:
        """Whether cells look like a row."""
        return (
            len(cells) == self.width
            and all(is_number(cells[place]) for place in self.numbers)
            and all(_is_short(cells[place]) for place in self.short)
        )

    @property
    def tells(self) -> bool:
        """Whether some column would show that a line is no row."""
        return bool(self.numbers or self.short)


def _is_short(cell: str) -> bool:
    most, words = _SHORT
    return len(cell) <= most and len(cell.split()) <= words


def separated(lines: Lines, dialect: Dialect, shape: Shape) -> Iterator[tuple[int, list[str], str]]:
    """Yield the line, cells and fault of all rows, the header among them."""
    csv.field_size_limit(LONGEST)
    reader = dialect.reader(lines)
    for _ in range(dialect.skipped):
        next(lines, None)
    while True:
        lines.begin()
        start = lines.number + 1
        fault = ""
        try:
            cells = next(reader)
        except StopIteration:
            return
        except LongRecordError:
            yield start, [], f"{TOO_LONG}; a quotation mark in it may not be closed"
            continue
        except csv.Error:
            cells, fault = _without_quotes(lines, dialect, shape.width)
        else:
            if not cells:
                continue
            if len(lines.taken) > 1 and _merged(lines.taken, dialect, shape):
                cells, fault = _without_quotes(lines, dialect, shape.width)
        yield start, cells, fault


def _merged(taken: Sequence[str], dialect: Dialect, shape: Shape) -> bool:
    """Whether the lines of one record look like rows of their own."""
    return (
        shape.width > 1
        and shape.tells
        and all(shape.has(dialect.without_quotes(line)) for line in taken)
    )


def _without_quotes(lines: Lines, dialect: Dialect, width: int) -> tuple[list[str], str]:
    first, *rest = lines.taken
    if rest and not lines.give_back(rest):
        return [], (
            f"a quotation mark in it is not closed, so that it takes in {len(rest):,} lines more"
        )
    cells = dialect.without_quotes(first)
    if len(cells) != width:
        return cells, "a quotation mark in it is not closed, or stands within a quoted cell"
    return cells, ""
