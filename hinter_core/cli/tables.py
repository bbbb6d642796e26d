"""``hinter mutants`` and ``hinter sql``: export mutants, query a campaign's tables."""

import csv
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from hinter_core.campaign.mutants_file import ExportFilter, write_mutants
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.views import VIEWS
from hinter_core.cli.options import output
from hinter_core.data.tables import safe_cell
from hinter_core.errors import InputError
from hinter_core.types import Verdict


def mutants(
    folder: Annotated[Path, typer.Argument(help="A campaign's directory.")],
    out: Annotated[Path, typer.Option(help="New CSV, TSV, JSONL or Parquet file.")],
    verdict: Annotated[
        list[str] | None, typer.Option(help="Only mutants with this verdict; can be repeated.")
    ] = None,
    attributes: Annotated[
        str, typer.Option(help="Only mutants that change exactly these, such as race,gender.")
    ] = "",
    model: Annotated[
        list[str] | None, typer.Option(help="Only the answers of this model; can be repeated.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Maximum number of mutants, parts not counted.")
    ] = None,
    parts: Annotated[
        bool,
        typer.Option("--parts/--no-parts", help="Include the smaller mutants that each contains."),
    ] = True,
) -> None:
    """Export mutants to a file that hinter run --mutants tests, edited or not."""
    known = {item.value: item for item in Verdict}
    for name in verdict or ():
        if name not in known:
            raise InputError(f"There is no verdict '{name}'; use {', '.join(known)}.")
    if limit is not None and limit < 1:
        raise InputError("--limit is at least 1.")
    wanted = ExportFilter(
        tuple(known[name] for name in verdict or ()),
        tuple(name.strip() for name in attributes.split(",") if name.strip()),
        tuple(model or ()),
        limit,
        parts,
    )
    written = write_mutants(CampaignStore(folder), out, wanted)
    typer.echo(
        f"{out}: {written:,} mutants. To test these: hinter run --mutants {out} --model NAME"
    )


_SHOWN = 500  # rows of a table in a terminal


def sql(
    folder: Annotated[Path, typer.Argument(help="A campaign's directory.")],
    query: Annotated[str, typer.Argument(help="One SELECT, in DuckDB's SQL.")] = "",
    schema: Annotated[
        bool, typer.Option("--schema", help="List the views and their columns.")
    ] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Write CSV.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write a JSON list of objects.")] = False,
    out: Annotated[Path | None, typer.Option(help="Output file.")] = None,
    timeout: Annotated[float, typer.Option(help="Maximum seconds of a query.")] = 60,
) -> None:
    """Query a campaign's tables with SQL, read-only: SELECT verdict, count(*) FROM findings ..."""
    if as_csv and as_json:
        raise InputError("Choose one of --csv and --json.")
    if not query and not schema:
        raise InputError("Give a query, or --schema to list the views.")
    with CampaignReader(CampaignStore(folder)) as reader:
        if schema:
            columns: Sequence[str] = ("view", "column", "type", "meaning")
            rows: Iterator[Sequence[Any]] = _schema(reader)
        else:
            columns, rows = reader.query(query, timeout)
        with output(out) as stream:
            if as_json:
                _write_json(stream, columns, rows)
            elif as_csv or (out is not None and not schema):
                writer = csv.writer(stream, lineterminator="\n")
                writer.writerow(map(safe_cell, columns))
                writer.writerows([safe_cell(_flat(value)) for value in row] for row in rows)
            else:
                _write_table(stream, columns, rows)


def _schema(reader: CampaignReader) -> Iterator[tuple[str, str, str, str]]:
    for name, view in VIEWS.items():
        yield name, "", "", f"one row for {view.row}"
        for column, kind in reader.columns(name):
            yield name, column, kind, view.columns[column]


def _write_json(stream: TextIO, columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> None:
    before = "["
    for row in rows:
        named = dict(zip(columns, row, strict=True))
        stream.write(f"{before}\n{json.dumps(named, ensure_ascii=False, default=str)}")
        before = ","
    stream.write("[]\n" if before == "[" else "\n]\n")


def _write_table(stream: TextIO, columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(Text(column))
    for row in islice(rows, _SHOWN):
        table.add_row(*(Text(str(_flat(value))) for value in row))
    Console(file=stream, highlight=False).print(table)
    if next(rows, None) is not None:
        typer.echo(f"Only the first {_SHOWN} rows are shown; use --csv or --json.", err=True)


def _flat(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value
