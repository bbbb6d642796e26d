"""A check as JSON and as table rows: what the command line prints and the app lets download."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

# A spreadsheet takes a cell that begins so for a formula. Quotes before it count, too, so that
# taking one away again gives back the cell there was.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def rows_to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV; cells that a spreadsheet would run as a formula are prefixed with ``'``."""
    if not rows:
        return ""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    names = list(rows[0])
    writer.writerow(map(safe_cell, names))  # some are names of dictionaries
    for row in rows:
        writer.writerow([safe_cell(row[name]) for name in names])
    return buffer.getvalue()


def safe_cell(value: Any) -> Any:
    """A cell that no spreadsheet runs: one that looks like a formula is prefixed with ``'``."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def plain_cell(cell: str) -> str:
    """The cell that :func:`safe_cell` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
