"""``hinter``: entry point and error policy of the command line.

Bad input ends with exit code 2 and one line on standard error; a stack trace is a bug.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from hinter_core import __version__
from hinter_core.cli.annotate.project import annotate
from hinter_core.cli.cache import cache
from hinter_core.cli.check import check
from hinter_core.cli.data import data
from hinter_core.cli.dictionary import dictionary
from hinter_core.cli.models import models, predict
from hinter_core.cli.options import CommandWithSections
from hinter_core.cli.report import compare, report
from hinter_core.cli.run import run, verify
from hinter_core.cli.tables import mutants, sql
from hinter_core.cli.validity import validity
from hinter_core.errors import HinterError

cli = typer.Typer(
    name="hinter",
    help="Find hidden intersectional bias in text classifiers.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
cli.command("check")(check)
cli.command("run", cls=CommandWithSections)(run)
cli.command("verify")(verify)
cli.command("report")(report)
cli.command("mutants")(mutants)
cli.command("sql")(sql)
cli.command("validity")(validity)
cli.command("compare")(compare)
cli.command("predict")(predict)
cli.command("models")(models)
cli.add_typer(annotate, name="annotate")
cli.add_typer(cache, name="cache")
cli.add_typer(data, name="data")
cli.add_typer(dictionary, name="dictionary")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hinter {__version__}")
        raise typer.Exit


@cli.callback()
def _root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 -- its callback does the work
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Find hidden intersectional bias in text classifiers."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line; exit 2 on bad input."""
    code: Any = 0
    try:
        code = typer.main.get_command(cli).main(standalone_mode=False)
        sys.stdout.flush()  # here rather than at exit, so that a reader that has gone is noticed
        sys.exit(code)
    except HinterError as error:
        _complain(str(error))
        sys.exit(2)
    except TyperException as error:
        _complain(f"{error.format_message().rstrip('.')}. Try --help.")
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        typer.echo("hinter: stopped.", err=True)
        sys.exit(130)
    except BrokenPipeError:
        _let_go()
        sys.exit(code)
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # typer and rich make it one
            _let_go()
            sys.exit(0)
        raise


def _let_go() -> None:
    """The reader (head, less) has gone: nothing is to be told to it, nor tried again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _complain(message: str) -> None:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    typer.echo(f"hinter: {' | '.join(lines)}", err=True)
