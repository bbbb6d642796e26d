"""``hinter report``: what a campaign found, to read, to print, to compute with, and as a gate."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TextIO

import typer

from hinter_core.annotation.correction import judged_by_people
from hinter_core.annotation.store import opened
from hinter_core.errors import InputError
from hinter_core.export import rows_to_csv
from hinter_core.report import Report, make_report
from hinter_core.report_gate import gate, junit
from hinter_core.report_html import to_html
from hinter_core.report_text import print_report, to_markdown
from hinter_core.report_values import flat_rows, plain
from hinter_core.shards import CampaignStore

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
