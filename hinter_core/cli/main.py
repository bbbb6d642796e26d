"""``hinter``: entry point and error policy of the command line.

Invalid input prints one line to standard error and exits with 2; a stack trace is a bug.
"""

import functools
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from hinter_core import __version__
from hinter_core.cli.analysis.diagnose import diagnosis
from hinter_core.cli.analysis.prioritise import prioritise
from hinter_core.cli.annotate import annotate
from hinter_core.cli.check import check
from hinter_core.cli.grammar import grammar
from hinter_core.cli.options import CommandWithSections, WholeHelp, say
from hinter_core.cli.repair import repair
from hinter_core.cli.report import compare, mutants, report, sql, validity
from hinter_core.cli.resources import cache, data, dictionary, models, predict, relations
from hinter_core.cli.run import list_campaigns, run, verify
from hinter_core.cli.serving.mcp import mcp
from hinter_core.cli.serving.space import space
from hinter_core.cli.templates import templates
from hinter_core.errors import INTERRUPTED, HinterError

cli = typer.Typer(
    name="hinter",
    cls=WholeHelp,
    help="Find hidden intersectional bias in text classifiers.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
cli.command("check", cls=CommandWithSections)(check)
cli.command("run", cls=CommandWithSections)(run)
_COMMANDS: dict[str, Callable[..., None]] = {
    "verify": verify, "list": list_campaigns, "report": report, "mutants": mutants, "sql": sql,
    "validity": validity, "compare": compare, "diagnose": diagnosis, "prioritise": prioritise,
    "repair": repair, "predict": predict, "models": models, "mcp": mcp, "relations": relations,
}  # fmt: skip
for _name, _command in _COMMANDS.items():
    cli.command(_name)(_command)
for _name, _group in {
    "annotate": annotate, "cache": cache, "data": data, "dictionary": dictionary,
    "grammar": grammar, "space": space, "templates": templates,
}.items():  # fmt: skip
    cli.add_typer(_group, name=_name)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"hinter {__version__}")
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


@functools.cache
def _whole() -> Any:
    """Read the signatures of all commands, which takes 12 ms, once in a process."""
    return typer.main.get_command(cli)


def main() -> None:
    """Run the command line; exit 2 on bad input."""
    code: Any = 0
    try:
        code = _whole().main(standalone_mode=False)
        sys.stdout.flush()  # here and not at exit, so that a closed pipe is noticed
        if code == INTERRUPTED:  # typer makes it of KeyboardInterrupt
            say("hinter: stopped.", err=True)
        sys.exit(code)
    except HinterError as error:
        _print_error(str(error))
        sys.exit(2)
    except TyperException as error:
        message = error.format_message().rstrip(".")
        if len(getattr(error, "option_name", "").split()) > 1:  # as in a query with a comment
            message = (
                "A text or query that begins with a dash needs -- and a blank before it, as in "
                "hinter sql FOLDER -- QUERY"
            )
        _print_error(f"{message}{'' if message.endswith('?') else '.'} Try --help.")
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        say("hinter: stopped.", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _discard_output()
        sys.exit(code)
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # typer and rich convert it
            _discard_output()
            sys.exit(0)
        raise


def _discard_output() -> None:
    """Discard further output, as the reader (head, less) closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _print_error(message: str) -> None:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    say(f"hinter: {' | '.join(lines)}", err=True)
