"""``hinter data``: data sets that have a name, and a look at one before a campaign."""

from __future__ import annotations

from typing import Annotated

import typer

from hinter_core.campaign.preview import preview, preview_in_words
from hinter_core.campaign.spec import SAMPLE, Campaign
from hinter_core.data.hub import PRESETS
from hinter_core.errors import InputError

data = typer.Typer(
    help="Data sets: those with a name, and a look at one.", invoke_without_command=True
)
_SHOWN = 300  # characters of a text


@data.callback()
def _root(context: typer.Context) -> None:
    """Data sets: those with a name, and a look at one."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@data.command("list")
def list_data() -> None:
    """List the data sets that have a name of their own."""
    typer.echo(f"{SAMPLE}: short texts about people that come with HInter")
    for name, preset in PRESETS.items():
        typer.echo(f"{name}: {preset.about} ({preset.of})")


@data.command("preview")
def preview_data(
    source: Annotated[str, typer.Argument(metavar="DATA", help="A file, hf:ORG/NAME, or a name.")],
    text_column: Annotated[str, typer.Option(help="Column of the texts.")] = "",
    label_column: Annotated[str, typer.Option(help="Column of the labels.")] = "",
    rows: Annotated[int, typer.Option(help="Rows to show.")] = 5,
) -> None:
    """Show which columns are read, the labels, rows that cannot be used, and the first rows."""
    if rows < 0:
        raise InputError("--rows is a number of rows, from 0 on.")
    campaign = Campaign(data=source, text_column=text_column, label_column=label_column)
    seen = preview(campaign, rows)
    typer.echo("\n".join(preview_in_words(seen)))
    for row in seen.rows:
        label = f" [{row.label}]" if row.label else ""
        text = row.text if len(row.text) <= _SHOWN else f"{row.text[:_SHOWN]} \u2026"
        typer.echo(f"\n{row.number}{label} {text.strip() or '(no text)'}")
