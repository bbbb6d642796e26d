"""``hinter annotate import`` and ``export``: a project's items and judgements in files."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from hinter_core.annotation.backup import write_dataset
from hinter_core.annotation.files.columns import ColumnMapping, pairs
from hinter_core.annotation.files.exporting import FORMATS, Exported, export_file, folder_files
from hinter_core.annotation.files.importing import Imported, import_file
from hinter_core.annotation.items import fill_invariant
from hinter_core.annotation.project.store import opened
from hinter_core.data.tables import row_writer
from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore, load_parser

_REASONS, _ROWS = 10, 5  # shown
ProjectFile = Annotated[Path, typer.Argument(metavar="PROJECT", help="A project's .sqlite file.")]


def import_items(
    project: ProjectFile,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV, JSONL, Parquet, Label Studio or Argilla JSON; a folder; hf:ORG/NAME.",
        ),
    ],
    columns: Annotated[
        list[str] | None,
        typer.Option("--map", help="Columns, as mutant=text,answer.sense=makes_sense."),
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Option(help="Answers, as Fine=yes, or sense:Fine=yes for one question."),
    ] = None,
    annotator: Annotated[str, typer.Option(help="Annotator, if no column names one.")] = "",
    attributes: Annotated[str, typer.Option(help="Attributes, if no column names them.")] = "",
    mend: Annotated[
        bool, typer.Option("--mend", help="Repair letters that were encoded twice.")
    ] = False,
    invariant: Annotated[
        bool, typer.Option("--invariant", help="Run the invariant on pairs without verdict.")
    ] = False,
    parser: Annotated[str, typer.Option(help="Parser for the invariant.")] = "embedded",
    errors: Annotated[
        Path | None, typer.Option(help="New CSV file for the rows left out, with the reasons.")
    ] = None,
) -> None:
    """Add items and judgements from a file; those that the project has are not added twice."""
    if errors is not None and errors.exists():
        raise InputError(f"{errors} already exists; choose another name.")
    reading = ColumnMapping(
        pairs(columns or (), "--map"), pairs(values or (), "--values"), annotator,
        split_names(attributes), mend,
    )  # fmt: skip
    with opened(project) as store:
        done = import_file(store, file, reading)
        _report(done)
        if errors is not None:
            _write(errors, done.problems)
        if invariant:
            begun = time.monotonic()
            kept, discarded = fill_invariant(store, ParseStore(load_parser(parser)))
            typer.echo(
                f"invariant: {kept:,} pairs kept, {discarded:,} discarded "
                f"({time.monotonic() - begun:.1f} s)"
            )
    if done.problems and not (done.judgements or done.judgements_known or done.items
                              or done.items_known):  # fmt: skip
        raise InputError(f"{file} has no row that can be used; see above.")


def split_names(names: str) -> tuple[str, ...]:
    """Split names separated by commas."""
    return tuple(name.strip() for name in names.split(",") if name.strip())


def _report(done: Imported) -> None:
    read = ", ".join(c if p == c else f"{p}={c}" for p, c in done.columns.items())
    typer.echo(f"columns read: {read}")
    for what, many in (
        ("rows", done.rows), ("items added", done.items), ("items known", done.items_known),
        ("judgements added", done.judgements), ("judgements known", done.judgements_known),
        ("left out", len(done.problems)),
    ):  # fmt: skip
        typer.echo(f"{what:<17} {many:>8,}")
    if done.people:
        typer.echo(f"new annotators: {', '.join(done.people)}")
    for note in done.notes:
        typer.echo(note)
    rows: dict[str, list[int]] = {}  # by reason
    for row, why in done.problems:
        rows.setdefault(why, []).append(row)
    for why, numbers in list(rows.items())[:_REASONS]:
        named = ", ".join(map(str, numbers[:_ROWS]))
        more = f" and {len(numbers) - _ROWS:,} more" if len(numbers) > _ROWS else ""
        typer.echo(f"row{'s' if len(numbers) > 1 else ''} {named}{more}: {why}", err=True)
    if len(rows) > _REASONS:
        left = len(rows) - _REASONS
        typer.echo(f"... and {left:,} more reasons; --errors FILE writes them all.", err=True)


def _write(errors: Path, problems: Sequence[tuple[int, str]]) -> None:
    try:
        with errors.open("x", encoding="utf-8", newline="") as out:
            write = row_writer(out, "csv", ("row", "left out because"))
            for row, why in problems:
                write({"row": row, "left out because": why})
    except OSError as error:
        raise InputError(f"Cannot write {errors}: {error.strerror}.") from error


def export(
    project: ProjectFile,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="New file, or folder for dataset.")
    ] = None,
    kind: Annotated[
        str, typer.Option("--format", help=f"{', '.join(FORMATS)}; default: by the file's name.")
    ] = "",
    history: Annotated[
        bool, typer.Option("--history", help="Include corrected and withdrawn judgements.")
    ] = False,
    items_only: Annotated[bool, typer.Option("--items-only", help="Without judgements.")] = False,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Numbers instead of annotators' names.")
    ] = False,
    consensus: Annotated[
        bool, typer.Option("--consensus", help="One judgement per item: adjudicated or majority.")
    ] = False,
    push: Annotated[
        str, typer.Option(help="Write to this data set of the Hub, as ORG/NAME, instead.")
    ] = "",
    public: Annotated[
        bool, typer.Option("--public", help="Push even if everybody can read the data set.")
    ] = False,
) -> None:
    """Write items and judgements to a file, a folder or the Hub; import reads them again."""
    if (file is None) == (not push):
        raise InputError("Name either a file, or a data set with --push ORG/NAME.")
    if push and kind not in ("", "dataset"):
        raise InputError("--push writes a data set; leave --format out.")
    with opened(project) as store:
        wanted = Exported(store, history, anonymous, items_only, consensus)
        if push:
            rows = list(wanted.rows())
            message = f"{wanted.project.name}: {len(rows)} rows"
            where = write_dataset(push, folder_files(wanted, rows), message, public=public)
            typer.echo(f"{push}: {len(rows):,} rows ({where})")
            return
        assert file is not None
        typer.echo(f"{file}: {export_file(wanted, file, kind):,} rows")
