"""Write the tables of a report as CSV, with raw values, and as LaTeX, as people read them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hinter_core.data.tables import encoding_of, rows_to_csv
from hinter_core.errors import InputError
from hinter_core.language.clean import printable
from hinter_core.report.section import Cell, Counted, Section
from hinter_core.statistics.rates import Difference, Estimate, Rate
from hinter_core.storage import write_whole

_WIDE = 60  # characters, above which the lines of a LaTeX column break
_LONG = 40  # rows, above which a LaTeX table may break across pages
_HEAD = (
    "% Needs: \\usepackage[T1]{fontenc} \\usepackage{booktabs} \\usepackage{longtable}\n"
    "% Compile with lualatex or xelatex if texts have other scripts than Latin.\n"
)
_NUMBERS = (int, float, Rate, Estimate, Difference, Counted)


def tables_of(written: Iterable[Section]) -> list[Section]:
    """Return one table for each key; those of several models are joined, with a column Model."""
    tables: dict[str, Section] = {}
    for section in written:
        if not section.cells:
            continue
        if section.model:
            section = replace(
                section,
                columns=["Model", *section.columns],
                cells=[[section.model, *row] for row in section.cells],
                model="",
            )
        before = tables.get(section.key)
        tables[section.key] = _joined(before, section) if before else section
    return list(tables.values())


def _joined(first: Section, second: Section) -> Section:
    """Append the rows of a second table; a model may lack columns that another one has."""
    columns = list(dict.fromkeys([*first.columns, *second.columns]))
    cells: list[list[Cell]] = []
    for part in (first, second):
        for row in part.cells:
            by_column = dict(zip(part.columns, row, strict=True))
            cells.append([by_column.get(column, "") for column in columns])
    return replace(first, columns=columns, cells=cells)


def raw_rows(table: Section) -> list[dict[str, Any]]:
    """Return a table's values by column; a rate takes up to five: hits, of, share, low and high."""
    rows: list[dict[str, Any]] = [{} for _ in table.cells]
    for place, column in enumerate(table.columns):
        values = [_raw(row[place]) for row in table.cells]
        parts = dict.fromkeys(
            part for of_row in values for part, v in of_row.items() if v is not None
        )
        for part in parts or ("",):
            for row, of_row in zip(rows, values, strict=True):
                row[f"{column} {part}".strip()] = of_row.get(part)
    return rows


def _raw(cell: Cell) -> dict[str, Any]:
    if isinstance(cell, Counted):
        cell = cell.rate
    if isinstance(cell, Rate):
        counts = {"hits": cell.hits, "of": cell.of}
        return {**counts, "share": cell.share, "low": cell.low, "high": cell.high}
    if isinstance(cell, Estimate | Difference):
        return {"": cell.value, "low": cell.low, "high": cell.high}
    return {} if cell in (None, "") else {"": float(cell) if isinstance(cell, float) else cell}


def to_csv(table: Section) -> str:
    """Return a table as CSV with raw values, safe in a spreadsheet."""
    return rows_to_csv(raw_rows(table))


def to_latex(tables: Sequence[Section]) -> str:
    """Return tables as LaTeX with the rules of booktabs; text from users is escaped."""
    return _HEAD + "".join(f"\n{_latex(table)}" for table in tables)


def _latex(table: Section) -> str:
    import pandas

    columns = [printable(column) for column in table.columns]
    rows = [[" ".join(printable(cell).split()) for cell in row] for row in table.rows]
    sides = [_side(table, place, rows) for place in range(len(columns))]
    style = pandas.DataFrame(rows, columns=columns).style.hide(axis="index")
    style = style.format(_first_cell, escape="latex").format_index(escape="latex", axis=1)
    return str(
        style.to_latex(
            column_format="".join(sides),
            hrules=True,
            caption=table.title,
            label=f"tab:{table.key}",
            environment="longtable" if len(rows) > _LONG else "table",
            position_float=None if len(rows) > _LONG else "centering",
        )
    ).replace("\u2212", "$-$")  # the minus, which T1 lacks


def _side(table: Section, place: int, rows: Sequence[Sequence[str]]) -> str:
    """Return the format of a LaTeX column: right for numbers, and lines that break for texts."""
    if any(isinstance(row[place], _NUMBERS) for row in table.cells):
        return "r"
    return "p{5cm}" if any(len(row[place]) > _WIDE for row in rows) else "l"


def _first_cell(cell: object) -> str:
    """Protect a bracket or star, which after the end of a row would be read as its option."""
    text = str(cell)
    return f"{{}}{text}" if text.startswith(("[", "*")) else text


def table_files(written: Iterable[Section]) -> dict[str, str]:
    """Return the contents of ``KEY.csv`` and ``KEY.tex`` for each table, by file name."""
    files = {}
    for table in tables_of(written):
        files[f"{table.key}.csv"] = to_csv(table)
        files[f"{table.key}.tex"] = to_latex([table])
    return files


def write_tables(written: Iterable[Section], folder: Path) -> int:
    """Write the files of all tables to a folder; return the number of tables.

    Raises:
        InputError: the folder cannot be written.
    """
    files = table_files(written)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            with write_whole(folder / name) as part:
                part.write_text(text, encoding=encoding_of(name), newline="")
    except OSError as error:
        raise InputError(f"Cannot write {folder}: {error.strerror}. Check the path.") from error
    return len(files) // 2
