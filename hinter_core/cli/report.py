"""Commands that read campaigns: ``report``, ``compare``, ``validity``, ``mutants`` and ``sql``."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TextIO

from tqdm import tqdm
from typer import Argument, Option

from hinter_core.annotation.evaluation.correction import judged_by_people
from hinter_core.annotation.project.store import opened
from hinter_core.api.campaigns import load
from hinter_core.api.checking import verdicts_of
from hinter_core.api.exports import INSPECT, MUTANT_FORMS, export, log_campaign
from hinter_core.campaign.findings import ExportFilter, choose_sides, write_log, write_mutants
from hinter_core.campaign.progress import missing_in_words
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.sources.handwritten import how_to_test
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import VIEWS
from hinter_core.cli.options import Folder, Validity, exit_for, output, print_json, say
from hinter_core.data.tables import cell_writer, rows_to_csv, to_json
from hinter_core.errors import InputError
from hinter_core.language.clean import printable
from hinter_core.options import listed_names
from hinter_core.places import place_of
from hinter_core.report.compared.campaigns import (
    CampaignTotals,
    campaigns_rows,
    campaigns_sections,
    campaigns_values,
    total,
)
from hinter_core.report.compared.changes import new_hidden, new_hidden_in_words, write_changes
from hinter_core.report.compared.comparison import compare as compare_sides
from hinter_core.report.compared.sections import comparison_sections
from hinter_core.report.formats import (
    FORMS,
    form_of,
    markdown_of,
    plain,
    print_report,
    print_sections,
    write_report,
)
from hinter_core.report.gate import (
    LIMIT,
    GateOn,
    gate,
    junit,
    passed,
    regression_gate,
    require_share,
)
from hinter_core.report.model import Report, make_report, require_attributes
from hinter_core.report.mutants.sarif import hidden_findings, sarif
from hinter_core.report.mutants.validity import validities, validity_in_words
from hinter_core.report.section import short_names
from hinter_core.report.sections import sections
from hinter_core.report.tables import tables_of, to_latex, write_tables
from hinter_core.validity.checkers import CHECKERS, DEFAULT, load_checker
from hinter_core.validity.survey import survey

_TOTAL_FORMS: dict[str, Callable[[CampaignTotals], str]] = {
    "markdown": lambda found: markdown_of("HInter campaigns", campaigns_sections(found)),
    "csv": lambda found: rows_to_csv(list(campaigns_rows(found))),
    "json": lambda found: to_json(campaigns_values(found), 1) + "\n",
    "latex": lambda found: to_latex(tables_of(campaigns_sections(found))),
}

FailOver = Annotated[
    float | None,
    Option(
        help="Exit 1 if intersectional errors exceed those of placebo mutants by more than this "
        "share, or those of one group of several attributes the mean of all groups, judged by the "
        "lower end of the interval."
    ),
]
Gate = Annotated[
    GateOn,
    Option(
        "--gate-on",
        help="What --fail-over limits: the excess at its lower end; that, with groups of one "
        "attribute, too; the excess at its upper end, so that what is not decided fails, too; the "
        "error rate; or the share of hidden findings (with 0, none may be found).",
    ),
]
Humans = Annotated[
    Path | None,
    Option(metavar="PROJECT", help="Add the error rates of mutants that annotators call valid."),
]
SarifFile = Annotated[
    Path | None,
    Option("--sarif", help="Write hidden findings to this file, for code scanning (SARIF)."),
]
Form = Annotated[
    str,
    Option(
        "--for", help="For another program: model-card, eval-results or inspect (one campaign)."
    ),
]
Tracker = Annotated[
    str, Option("--log-to", help="Also log the campaign to mlflow, trackio or wandb.")
]
JUnitFile = Annotated[Path | None, Option("--junit", help="Write JUnit XML to this file.")]


def report(
    folders: Annotated[
        list[Path],
        Argument(parser=place_of, metavar="FOLDER...", help="One or more campaigns' directories."),
    ],
    model: Annotated[list[str] | None, Option(help="Only this model; can be repeated.")] = None,
    attributes: Annotated[
        str, Option(help="Only mutants that change no others, such as race,gender.")
    ] = "",
    markdown: Annotated[bool, Option("--markdown", help="Markdown tables.")] = False,
    csv: Annotated[bool, Option("--csv", help="Main table for spreadsheets.")] = False,
    as_json: Annotated[bool, Option("--json", help="All values as JSON.")] = False,
    html: Annotated[bool, Option("--html", help="One page with charts, usable offline.")] = False,
    latex: Annotated[bool, Option("--latex", help="All tables as LaTeX, with booktabs.")] = False,
    words: Annotated[
        bool, Option("--words/--no-words", help="Repeat the tables as sentences.")
    ] = True,
    out: Annotated[
        Path | None, Option(help="Output file; .html, .md, .csv, .json or .tex tells its format.")
    ] = None,
    tables: Annotated[
        Path | None,
        Option(metavar="FOLDER", help="Write each table to this folder, as CSV and LaTeX."),
    ] = None,
    fail_over: FailOver = None,
    gate_on: Gate = GateOn.EXCESS,
    junit_file: JUnitFile = None,
    sarif_file: SarifFile = None,
    humans: Humans = None,
    other_form: Form = "",
    tracker: Tracker = "",
) -> None:
    """Print the report of a campaign, or the totals of several; --fail-over sets a limit."""
    given = zip(FORMS, (markdown, csv, as_json, html, latex), strict=True)
    chosen = [name for name, wanted in given if wanted]
    if len(chosen) > 1:
        raise InputError(f"Choose one of --{' and --'.join(chosen)}.")
    if other_form and (chosen or tables or humans or attributes):
        raise InputError("--for writes one form; leave out other forms, --attributes and --humans.")
    form = chosen[0] if chosen else form_of(out) if out and not other_form else ""
    if form == "html" and out is None and sys.stdout.isatty():
        raise InputError("The page is too long for a terminal; add --out report.html.")
    only = listed_names(attributes)
    if humans is not None and only:
        raise InputError("--humans judges all attributes together; leave out --attributes.")
    gated = any(value is not None for value in (fail_over, junit_file, sarif_file, humans))
    if len(folders) > 1 and (form == "html" or gated):
        raise InputError(
            "--html, --fail-over, --junit, --sarif and --humans are for one campaign; give one "
            "directory."
        )
    stores = [CampaignStore(folder) for folder in folders]
    made = [make_report(store, model or (), only) for store in stores]
    if humans is not None:
        with opened(humans) as project:
            made = [replace(made[0], people=judged_by_people(stores[0], made[0], project))]
    if other_form or tracker:
        _hand_on(folders, other_form, tracker, model or [], out)
    faults = gate_faults(stores[0], made[0], fail_over, gate_on, junit_file, sarif_file)
    result = made[0] if len(made) == 1 else total(list(zip(folders, made, strict=True)))
    if tables is not None:
        written = sections(result) if isinstance(result, Report) else campaigns_sections(result)
        number = write_tables(written, tables)
        say(f"{tables}: {number} tables, each as CSV and LaTeX.", err=bool(form or out))
    if not other_form and (tables is None or form or out):
        limit = LIMIT if fail_over is None else fail_over
        _write_report(result, form, out, faults, words=words, limit=limit, on=gate_on)
    exit_for(faults)


def _hand_on(
    folders: list[Path], form: str, tracker: str, models: list[str], out: Path | None
) -> None:
    """Write the form of another program, and log to an experiment tracker."""
    if len(folders) > 1:
        raise InputError("--for and --log-to are for one campaign; give one directory.")
    result = load(folders[0])
    if form == INSPECT:
        export(result, form, model=models[0] if models else "", out=out)
    elif form:
        text = export(result, form, model=models[0] if models else "")
        with output(out) as stream:
            stream.write(text)
    if tracker:
        number = len(log_campaign(result, tracker))
        say(f"{number} metrics are logged to {tracker}.", err=True)


def _write_report(
    result: Report | CampaignTotals,
    form: str,
    out: Path | None,
    faults: list[str],
    *,
    words: bool,
    limit: float,
    on: GateOn,
) -> None:
    try:
        with output(out, styled=form in ("", "html")) as stream:
            if isinstance(result, Report):
                if form:
                    stream.write(write_report(result, form, in_words=words, limit=limit, on=on))
                else:
                    print_report(result, stream, in_words=words)
            elif form:
                stream.write(_TOTAL_FORMS[form](result))
            else:
                print_sections(campaigns_sections(result), stream)
    except (BrokenPipeError, SystemExit):  # rich converts the former to the latter
        exit_for(faults)  # even if the reader closed the pipe
        raise


def gate_faults(
    store: CampaignStore,
    made: Report,
    fail_over: float | None,
    gate_on: GateOn,
    junit_file: Path | None,
    sarif_file: Path | None,
) -> list[str]:
    """Write JUnit XML and SARIF if requested; return why models fail the gate."""
    hidden = hidden_findings(store, made) if gate_on is GateOn.HIDDEN else {}
    faults = gate(made, fail_over, gate_on, hidden) if fail_over is not None else []
    for line in passed(made, fail_over, gate_on) if fail_over is not None else ():
        say(line, err=True)
    if junit_file is not None:
        with output(junit_file) as stream:
            stream.write(junit(made, fail_over, gate_on, hidden))
    if sarif_file is not None:
        with output(sarif_file) as stream:
            stream.write(sarif(store, made, faults))
    return faults


def compare(
    first: Folder,
    second: Annotated[
        Path | None,
        Argument(parser=place_of, help="Second directory; default: two models of the first."),
    ] = None,
    model: Annotated[
        list[str] | None, Option(help="Model; once for both sides, or once per side.")
    ] = None,
    markdown: Annotated[bool, Option("--markdown", help="Markdown tables.")] = False,
    as_json: Annotated[bool, Option("--json", help="All values as JSON.")] = False,
    changes: Annotated[
        Path | None, Option(help="CSV file for all changed mutants and new hidden findings.")
    ] = None,
    out: Annotated[Path | None, Option(help="Output file.")] = None,
    fail_over: Annotated[
        float | None,
        Option(
            help="Exit 1 if the second side makes more intersectional errors by more than this "
            "share, judged by the lower end of the interval."
        ),
    ] = None,
    new: Annotated[
        int | None,
        Option(
            "--new-hidden",
            min=0,
            help="Exit 1 if the second side has more than this many hidden "
            "findings that the first does not have.",
        ),
    ] = None,
) -> None:
    """Compare two campaigns, or two models of one: rates, differences, changed mutants."""
    if fail_over is not None:
        require_share(fail_over)
    gated = fail_over is not None or new is not None
    if markdown and as_json:
        raise InputError("Choose one of --markdown and --json.")
    other = CampaignStore(second) if second is not None else None
    sides = choose_sides(CampaignStore(first), other, model or [])
    if changes is None:
        comparison = compare_sides(*sides)
    else:
        with output(changes) as stream:
            comparison = write_changes(*sides, stream)
    with output(out, styled=not (as_json or markdown)) as stream:
        if as_json:
            print_json(plain(comparison), indent=1, file=stream)
        elif markdown:
            stream.write(markdown_of("HInter comparison", comparison_sections(comparison)))
        else:
            print_sections(comparison_sections(comparison), stream)
    stores = {side.store.folder: side.store for side in sides}
    missing = [f"{path}: {said}" for path, of in stores.items() if (said := missing_in_words(of))]
    faults = [] if fail_over is None else regression_gate(comparison, fail_over)
    notes = [] if gated else missing
    if new is not None:
        found = new_hidden(*sides)
        (faults if len(found) > new else notes).append(new_hidden_in_words(found, new, comparison))
    for words in notes:
        say(words, err=True)
    if gated:
        exit_for([*missing, *faults])


def validity(
    folder: Folder,
    checker: Annotated[
        str, Option(help="; ".join(f"{name}: {what}" for name, what in CHECKERS.items()))
    ] = DEFAULT,
    sample: Annotated[
        int, Option(help="Maximum number of kept mutants, and of discarded ones.")
    ] = 500,
    seed: Annotated[int, Option(help="Seed of the sample.")] = 0,
) -> None:
    """Judge the grammar of a sample of originals, kept and discarded mutants."""
    store = CampaignStore(folder)
    store.read()  # fails before a checker is loaded
    judge = load_checker(checker)
    with tqdm(unit=" sentences", disable=None, dynamic_ncols=True) as bar:

        def on_progress(done: int, of: int) -> None:
            bar.total = of
            bar.update(done - bar.n)

        path = survey(store, judge, sample, seed, on_progress)
    for known in validities(store):
        if known.checker == judge.name:
            say(validity_in_words(known))
    say(f"Written to {path}; hinter report shows it.")


def mutants(
    folder: Folder,
    out: Annotated[
        Path | None,
        Option(help="New CSV, TSV, JSONL or Parquet file; without it, a log is printed."),
    ] = None,
    verdict: Annotated[
        list[str] | None, Option(help="Only mutants with this verdict; can be repeated.")
    ] = None,
    attributes: Annotated[
        str, Option(help="Only mutants that change exactly these, such as race,gender.")
    ] = "",
    model: Annotated[
        list[str] | None, Option(help="Only the answers of this model; can be repeated.")
    ] = None,
    limit: Annotated[
        int | None, Option(help="Maximum number of mutants, parts not counted.")
    ] = None,
    parts: Annotated[
        bool, Option("--parts/--no-parts", help="Include the smaller mutants that each contains.")
    ] = True,
    validity: Validity = 0.0,
    form: Annotated[
        str,
        Option(
            "--format", help="For another program, kept and answered alone: promptfoo or langfair."
        ),
    ] = "",
) -> None:
    """Print each text with its mutants, or export them to a file for hinter run --mutants."""
    verdicts = verdicts_of(verdict or ())
    if limit is not None and limit < 1:
        raise InputError("--limit is at least 1.")
    if only_these := listed_names(attributes):
        with CampaignReader(CampaignStore(folder), ()) as reader:
            require_attributes(reader, only_these)
    if form:
        if form not in MUTANT_FORMS:
            raise InputError(f"There is no format '{form}'; use {', '.join(MUTANT_FORMS)}.")
        if limit is not None:
            raise InputError("--format writes all mutants of a model; leave out --limit.")
        only: dict[str, Any] = {"verdict": verdicts, "validity": validity}
        chosen = (model or [""])[0]
        text = export(load(folder), form, model=chosen, attributes=attributes, **only)
        with output(out) as stream:
            stream.write(text)
        return
    wanted = ExportFilter(verdicts, only_these, tuple(model or ()), limit, parts, validity)
    store = CampaignStore(folder)
    if out is None:
        names = short_names(store.read()["models"])
        for full in (name for name, short in names.items() if short != name):
            say(f"# {names[full]} is {full}")
        write_log(store, sys.stdout, wanted, names)
        return
    written = write_mutants(store, out, wanted)
    say(f"{out}: {written:,} mutants. {how_to_test(store.campaign(), out)}")


_SHOWN = 500  # rows of a table in a terminal
_NARROW = 10  # characters of a column, below which a table cannot be read


def sql(
    folder: Folder,
    query: Annotated[str, Argument(help="One SELECT, in DuckDB's SQL.")] = "",
    schema: Annotated[bool, Option("--schema", help="List the views and their columns.")] = False,
    as_csv: Annotated[bool, Option("--csv", help="Write CSV.")] = False,
    as_json: Annotated[bool, Option("--json", help="Write a JSON list of objects.")] = False,
    out: Annotated[Path | None, Option(help="Output file.")] = None,
    timeout: Annotated[float, Option(help="Maximum seconds of a query.")] = 60,
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
        with output(out, styled=not (as_json or as_csv)) as stream:
            if as_json:
                _write_json(stream, columns, rows)
            elif as_csv or (out is not None and not schema):
                write = cell_writer(stream)
                write(columns)
                for row in rows:
                    write(map(_flat, row))
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
        stream.write(f"{before}\n{to_json(named, None)}")
        before = ","
    stream.write("[]\n" if before == "[" else "\n]\n")


def _write_table(stream: TextIO, columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=stream, highlight=False)
    written = [[Text(printable(str(_flat(value)), keep="\n")) for value in row]
               for row in islice(rows, _SHOWN)]  # fmt: skip
    if len(columns) * _NARROW > console.width:  # a line for each value
        named = [Text(f"{printable(column)}: ", style="bold") for column in columns]
        for number, row in enumerate(written, 1):
            console.print(Text(f"Row {number}" if number == 1 else f"\nRow {number}"))
            for name, value in zip(named, row, strict=True):
                console.print(name + value)
    else:
        table = Table(box=None, pad_edge=False)
        for column in columns:
            table.add_column(Text(printable(column)))
        for row in written:
            table.add_row(*row)
        console.print(table)
    if next(rows, None) is not None:
        say(f"Only the first {_SHOWN} rows are shown; use --csv or --json.", err=True)


def _flat(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if isinstance(value, list | tuple | dict):
        return to_json(value, None)
    return value
