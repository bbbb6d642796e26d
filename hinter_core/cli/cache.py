"""``hinter cache``: the prediction cache on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hinter_core.errors import InputError
from hinter_core.models.cache import CacheError, PredictionCache, default_path

cache = typer.Typer(help="The prediction cache on disk.", invoke_without_command=True)
_File = Annotated[
    Path | None, typer.Option(help="The cache file; by default HINTER_CACHE or the user's own.")
]


@cache.callback()
def _root(context: typer.Context) -> None:
    """The prediction cache on disk."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _open(file: Path | None) -> PredictionCache:
    path = file or default_path()
    if not path.exists():
        raise InputError(f"There is no cache at {path}; nothing has been kept yet.")
    return PredictionCache(path)


@cache.command("stats")
def stats(file: _File = None) -> None:
    """Count the answers kept, by model, and say how large the file is."""
    found = _open(file).stats()
    typer.echo(f"{found.path}: {sum(found.answers.values())} answers, {found.size:,} bytes")
    for model, number in found.answers.items():
        typer.echo(f"  {number:>8}  {model}")


@cache.command("verify")
def verify(file: _File = None) -> None:
    """Check the file and every answer in it; exit 2 where something is broken."""
    opened = _open(file)
    if faults := opened.verify():
        raise CacheError(f"{opened.path} is damaged: {'; '.join(faults[:5])}. Delete the file.")
    typer.echo(f"{opened.path}: no fault.")


@cache.command("prune")
def prune(
    file: _File = None,
    older_than: Annotated[float | None, typer.Option(help="Delete answers this many days old.")] = (
        None
    ),
    model: Annotated[str | None, typer.Option(help="Delete answers of this identity.")] = None,
) -> None:
    """Delete answers that are old, or those of one model (see stats for its identity)."""
    if older_than is None and model is None:
        raise InputError("Say what to delete: --older-than DAYS or --model IDENTITY.")
    if older_than is not None and not older_than >= 0:
        raise InputError("--older-than is a number of days, from 0 (all answers) on.")
    deleted = _open(file).prune(older_than_days=older_than, model=model)
    typer.echo(f"{deleted} answers deleted.")
