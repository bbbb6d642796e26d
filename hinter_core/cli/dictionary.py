"""``hinter dictionary``: list what is shipped, check a file, build one from an SBIC export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hinter_core.terms.dictionary import load_file, load_shipped
from hinter_core.terms.sbic import build_from_sbic

dictionary = typer.Typer(help="Dictionaries of sensitive terms.", invoke_without_command=True)


@dictionary.callback()
def _root(context: typer.Context) -> None:
    """Dictionaries of sensitive terms."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@dictionary.command("list")
def list_dictionaries() -> None:
    """List the shipped dictionaries: attribute, terms, groups, directed pairs."""
    for name, loaded in load_shipped().items():
        terms = len({term.text.casefold() for term in loaded.terms})
        groups = len({term.group for term in loaded.terms})
        typer.echo(f"{name}: {terms} terms, {groups} groups, {loaded.pair_count} pairs")


@dictionary.command("check")
def check_file(file: Annotated[Path, typer.Argument(help="A dictionary (CSV).")]) -> None:
    """Validate a dictionary and say what follows from it."""
    loaded = load_file(file)
    typer.echo(f"{file}: {len(loaded.terms)} terms, {loaded.pair_count} directed pairs, no fault.")


@dictionary.command("from-sbic")
def from_sbic(
    file: Annotated[Path, typer.Argument(help="An SBIC export (CSV with targetMinority).")],
    out: Annotated[Path, typer.Option(help="Folder for the dictionaries.")] = Path(),
    min_count: Annotated[int, typer.Option(help="Leave out targets named less often.")] = 3,
) -> None:
    """Build dictionaries from an export of the Social Bias Inference Corpus, one a category."""
    built = build_from_sbic(file, out, min_count)
    for path, terms in built.files.items():
        typer.echo(f"{path}: {terms} terms")
    if built.skipped:
        typer.echo(f"{built.skipped} phrases were no plain words and were left out.")
    typer.echo("Read the files through before use: phrases come from posts as they are.")
