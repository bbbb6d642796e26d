"""``hinter report``: what a campaign found, to read, to print, to compute with, and as a gate."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from hinter_core.annotation.evaluation.correction import judged_by_people
from hinter_core.annotation.project.store import opened
from hinter_core.campaign.findings import Side, choose_sides
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.tables import rows_to_csv, safe_cell
from hinter_core.errors import InputError
from hinter_core.report.comparison import Comparison, Told
from hinter_core.report.comparison import compare as compare_sides
from hinter_core.report.comparison_sections import comparison_sections
from hinter_core.report.formats import (
    flat_rows,
    gate,
    junit,
    markdown_of,
    plain,
    print_report,
    print_sections,
    to_markdown,
)
from hinter_core.report.html import to_html
from hinter_core.report.model import Report, make_report

_FORMS: dict[str, Callable[[Report], str]] = {
    "markdown": to_markdown,
    "csv": lambda report: rows_to_csv(flat_rows(report)),
    "json": lambda report: json.dumps(plain(report), ensure_ascii=False, indent=1) + "\n",
    "html": to_html,
}

FailOver = Annotated[
    float | None,
    typer.Option(help="Exit 1 where an intersectional error rate is above this share."),
]
Humans = Annotated[
    Path | None,
    typer.Option(
        metavar="PROJECT",
        help="Add what people say: error rates of mutants that annotators call valid.",
    ),
]
JUnitFile = Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML to this file.")]


def report(
    folder: Annotated[Path, typer.Argument(help="A campaign's directory.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="Tables in Markdown.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="The main lines, for a spreadsheet.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as plain values.")] = False,
    html: Annotated[
        bool, typer.Option("--html", help="One page with charts that needs no network.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
    fail_over: FailOver = None,
    junit_file: JUnitFile = None,
    humans: Humans = None,
) -> None:
    """Say what a campaign found; with --fail-over, let a model pass or not."""
    given = zip(_FORMS, (markdown, csv, as_json, html), strict=True)
    chosen = [name for name, wanted in given if wanted]
    if len(chosen) > 1:
        raise InputError(f"Choose one of --{' and --'.join(chosen)}.")
    if chosen == ["html"] and out is None and sys.stdout.isatty():
        raise InputError("A page is too long for a terminal; add --out report.html.")
    store = CampaignStore(folder)
    made = make_report(store)
    if humans is not None:
        with opened(humans) as project:
            made = replace(made, people=judged_by_people(store, made, project))
    faults = gate(made, fail_over) if fail_over is not None else []  # bad input speaks first
    if junit_file is not None:
        _write(junit_file, junit(made, fail_over))
    try:
        _tell(made, chosen[0] if chosen else "", out)
    except (BrokenPipeError, SystemExit):  # the latter is what rich makes of it
        _exit_for(faults)  # who reads no further still learns whether it passed
        raise
    _exit_for(faults)


def pass_or_fail(made: Report, fail_over: float | None, junit_file: Path | None) -> None:
    """Write JUnit XML where asked for, and exit 1 where a model fails the gate."""
    if junit_file is not None:
        _write(junit_file, junit(made, fail_over))
    _exit_for(gate(made, fail_over) if fail_over is not None else [])


def _exit_for(faults: list[str]) -> None:
    for fault in faults:
        typer.echo(f"hinter: {fault}", err=True)
    if faults:
        raise typer.Exit(1)


def _tell(made: Report, form: str, out: Path | None) -> None:
    if form:
        text = _FORMS[form](made)
        if out is None:
            typer.echo(text, nl=False)
        else:
            _write(out, text)
    elif out is None:
        print_report(made, sys.stdout)
    else:
        with _opened(out) as stream:
            print_report(made, stream)


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    try:
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}. Check the path.") from error


def _write(path: Path, text: str) -> None:
    with _opened(path) as stream:
        stream.write(text)


def compare(
    first: Annotated[Path, typer.Argument(help="A campaign's directory.")],
    second: Annotated[
        Path | None, typer.Argument(help="Another one; without it, two models of the first.")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="A model; once for both sides, or once for each.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Tables in Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as plain values.")] = False,
    changes: Annotated[
        Path | None, typer.Option(help="Write every mutant that changed to this CSV file.")
    ] = None,
) -> None:
    """Compare two campaigns, or two models of one: rates, differences, what changed."""
    if markdown and as_json:
        raise InputError("Choose one of --markdown and --json.")
    other = CampaignStore(second) if second is not None else None
    sides = choose_sides(CampaignStore(first), other, model or [])
    found = compare_sides(*sides) if changes is None else _with_changes(*sides, changes)
    if as_json:
        typer.echo(json.dumps(plain(found), ensure_ascii=False, indent=1))
    elif markdown:
        typer.echo(markdown_of("HInter comparison", comparison_sections(found)), nl=False)
    else:
        print_sections(comparison_sections(found), sys.stdout)


_COLUMNS = ("change", "row", "row of second", "mutant", "first", "second", "verdicts")


def _with_changes(first: Side, second: Side, path: Path) -> Comparison:
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(_COLUMNS)
            told: Told = lambda change: writer.writerow(_line(change))  # noqa: E731
            return compare_sides(first, second, told)
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}. Check the path.") from error


def _line(change: dict[str, Any]) -> list[Any]:
    edits = ", ".join(f"{edit['source']} \u2192 {edit['target']}" for edit in change["edits"])
    answers = [", ".join(labels or ()) or "no label" for labels in change["labels"]]
    values = [change["change"], change["row"], change["row-1"], edits, *answers,
              " \u2192 ".join(change["verdicts"])]  # fmt: skip
    return [safe_cell(value) for value in values]
