"""``hinter annotate``: projects in which people judge mutants."""

from __future__ import annotations

import typer

from hinter_core.cli.annotate_agreement import agreement

annotate = typer.Typer(help="Projects in which people judge mutants.", invoke_without_command=True)
annotate.command("agreement")(agreement)


@annotate.callback()
def _root(context: typer.Context) -> None:
    """Projects in which people judge mutants."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
