"""``hinter report``, ``hinter compare`` and ``hinter validity``: the results of campaigns."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from hinter_core.annotation.evaluation.correction import judged_by_people
from hinter_core.annotation.project.store import opened
from hinter_core.campaign.findings import Side, choose_sides
from hinter_core.campaign.store import CampaignStore
from hinter_core.cli.options import output, print_json
from hinter_core.data.tables import row_writer, rows_to_csv
from hinter_core.errors import InputError
from hinter_core.report.comparison import Comparison
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
from hinter_core.report.validity import validities, validity_in_words
from hinter_core.validity.checkers import CHECKERS, DEFAULT, load_checker
from hinter_core.validity.survey import survey

_FORMS: dict[str, Callable[[Report], str]] = {
    "markdown": to_markdown,
    "csv": lambda report: rows_to_csv(flat_rows(report)),
    "json": lambda report: json.dumps(plain(report), ensure_ascii=False, indent=1) + "\n",
    "html": to_html,
}

FailOver = Annotated[
    float | None,
    typer.Option(help="Exit 1 if an intersectional error rate is above this share."),
]
Humans = Annotated[
    Path | None,
    typer.Option(
        metavar="PROJECT",
        help="Add the error rates of mutants that annotators call valid.",
    ),
]
JUnitFile = Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML to this file.")]


def report(
    folder: Annotated[Path, typer.Argument(help="A campaign's directory.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="Markdown tables.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Main table for spreadsheets.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="All values as JSON.")] = False,
    html: Annotated[
        bool, typer.Option("--html", help="One page with charts, usable offline.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Output file.")] = None,
    fail_over: FailOver = None,
    junit_file: JUnitFile = None,
    humans: Humans = None,
) -> None:
    """Print the report of a campaign; --fail-over sets an error rate that fails a model."""
    given = zip(_FORMS, (markdown, csv, as_json, html), strict=True)
    chosen = [name for name, wanted in given if wanted]
    if len(chosen) > 1:
        raise InputError(f"Choose one of --{' and --'.join(chosen)}.")
    if chosen == ["html"] and out is None and sys.stdout.isatty():
        raise InputError("The page is too long for a terminal; add --out report.html.")
    store = CampaignStore(folder)
    made = make_report(store)
    if humans is not None:
        with opened(humans) as project:
            made = replace(made, people=judged_by_people(store, made, project))
    faults = _gated(made, fail_over, junit_file)
    try:
        with output(out) as stream:
            if chosen:
                stream.write(_FORMS[chosen[0]](made))
            else:
                print_report(made, stream)
    except (BrokenPipeError, SystemExit):  # rich converts the former to the latter
        _exit_for(faults)  # even if the reader closed the pipe
        raise
    _exit_for(faults)


def pass_or_fail(made: Report, fail_over: float | None, junit_file: Path | None) -> None:
    """Write JUnit XML if requested, and exit 1 if a model fails the gate."""
    _exit_for(_gated(made, fail_over, junit_file))


def _gated(made: Report, fail_over: float | None, junit_file: Path | None) -> list[str]:
    faults = gate(made, fail_over) if fail_over is not None else []
    if junit_file is not None:
        with output(junit_file) as stream:
            stream.write(junit(made, fail_over))
    return faults


def _exit_for(faults: list[str]) -> None:
    for fault in faults:
        typer.echo(f"hinter: {fault}", err=True)
    if faults:
        raise typer.Exit(1)


def compare(
    first: Annotated[Path, typer.Argument(help="A campaign's directory.")],
    second: Annotated[
        Path | None, typer.Argument(help="Second directory; default: two models of the first.")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="Model; once for both sides, or once per side.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Markdown tables.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="All values as JSON.")] = False,
    changes: Annotated[Path | None, typer.Option(help="CSV file for all changed mutants.")] = None,
) -> None:
    """Compare two campaigns, or two models of one: rates, differences, changed mutants."""
    if markdown and as_json:
        raise InputError("Choose one of --markdown and --json.")
    other = CampaignStore(second) if second is not None else None
    sides = choose_sides(CampaignStore(first), other, model or [])
    found = compare_sides(*sides) if changes is None else _with_changes(*sides, changes)
    if as_json:
        print_json(plain(found), indent=1)
    elif markdown:
        typer.echo(markdown_of("HInter comparison", comparison_sections(found)), nl=False)
    else:
        print_sections(comparison_sections(found), sys.stdout)


_COLUMNS = ("change", "row", "row of second", "mutant", "first", "second", "verdicts")


def _with_changes(first: Side, second: Side, path: Path) -> Comparison:
    with output(path) as stream:
        write = row_writer(stream, "csv", _COLUMNS)
        return compare_sides(first, second, lambda change: write(_cells(change)))


def _cells(change: dict[str, Any]) -> dict[str, Any]:
    first, second = (", ".join(labels or ()) or "no label" for labels in change["labels"])
    return {
        "change": change["change"],
        "row": change["row"],
        "row of second": change["row-1"],
        "mutant": ", ".join(f"{e['source']} \u2192 {e['target']}" for e in change["edits"]),
        "first": first,
        "second": second,
        "verdicts": " \u2192 ".join(change["verdicts"]),
    }


def validity(
    folder: Annotated[Path, typer.Argument(help="A campaign's directory.")],
    checker: Annotated[
        str, typer.Option(help="; ".join(f"{name}: {what}" for name, what in CHECKERS.items()))
    ] = DEFAULT,
    sample: Annotated[
        int, typer.Option(help="Maximum number of kept mutants, and of discarded ones.")
    ] = 500,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 0,
) -> None:
    """Judge the grammar of a sample of originals, kept and discarded mutants."""
    store = CampaignStore(folder)
    store.read()  # fails before a checker is loaded
    judge = load_checker(checker)
    with tqdm(unit=" sentences", disable=not sys.stderr.isatty(), dynamic_ncols=True) as bar:

        def on_progress(done: int, of: int) -> None:
            bar.total = of
            bar.update(done - bar.n)

        path = survey(store, judge, sample, seed, on_progress)
    for found in validities(store):
        if found.checker == judge.name:
            typer.echo(validity_in_words(found))
    typer.echo(f"Written to {path}; hinter report shows it.")
