"""``hinter data`` and ``hinter dictionary``: data sets and dictionaries of sensitive terms."""

from pathlib import Path
from typing import Annotated

import typer

from hinter_core.campaign.preview import preview, preview_in_words
from hinter_core.campaign.spec import SAMPLE, Campaign
from hinter_core.cli.options import command_group
from hinter_core.data.hub import PRESETS
from hinter_core.errors import InputError
from hinter_core.terms.dictionary import load_file, load_shipped
from hinter_core.terms.sbic import build_from_sbic

data = command_group("Named data sets, and previews of data.")
dictionary = command_group("Dictionaries of sensitive terms.")
_SHOWN = 300  # characters of a text


@data.command("list")
def list_data() -> None:
    """List the data sets that have a short name."""
    typer.echo(f"{SAMPLE}: short texts about people that come with HInter")
    for name, preset in PRESETS.items():
        typer.echo(f"{name}: {preset.about} ({preset.of})")


@data.command("preview")
def preview_data(
    source: Annotated[str, typer.Argument(metavar="DATA", help="A file, hf:ORG/NAME, or a name.")],
    text_column: Annotated[str, typer.Option(help="Column of the texts.")] = "",
    label_column: Annotated[str, typer.Option(help="Column of the labels.")] = "",
    rows: Annotated[int, typer.Option(help="Number of rows to show.")] = 5,
) -> None:
    """Show the detected columns, the labels, unusable rows and the first rows of a data set."""
    if rows < 0:
        raise InputError("--rows must be 0 or more.")
    campaign = Campaign(data=source, text_column=text_column, label_column=label_column)
    seen = preview(campaign, rows)
    typer.echo("\n".join(preview_in_words(seen)))
    for row in seen.rows:
        label = f" [{row.label}]" if row.label else ""
        text = row.text if len(row.text) <= _SHOWN else f"{row.text[:_SHOWN]} \u2026"
        typer.echo(f"\n{row.number}{label} {text.strip() or '(no text)'}")


@dictionary.command("list")
def list_dictionaries() -> None:
    """List the shipped dictionaries: attribute, terms, groups, directed pairs."""
    for name, loaded in load_shipped().items():
        terms = len({term.text.casefold() for term in loaded.terms})
        groups = len({term.group for term in loaded.terms})
        typer.echo(f"{name}: {terms} terms, {groups} groups, {loaded.pair_count} pairs")


@dictionary.command("check")
def check_file(file: Annotated[Path, typer.Argument(help="A dictionary (CSV).")]) -> None:
    """Validate a dictionary and count its pairs."""
    loaded = load_file(file)
    typer.echo(f"{file}: {len(loaded.terms)} terms, {loaded.pair_count} directed pairs, no fault.")


@dictionary.command("from-sbic")
def from_sbic(
    file: Annotated[Path, typer.Argument(help="An SBIC export (CSV with targetMinority).")],
    out: Annotated[Path, typer.Option(help="Folder for the dictionaries.")] = Path(),
    min_count: Annotated[int, typer.Option(help="Minimum mentions of a target.")] = 3,
) -> None:
    """Build one dictionary per category from an export of the Social Bias Inference Corpus."""
    built = build_from_sbic(file, out, min_count)
    for path, terms in built.files.items():
        typer.echo(f"{path}: {terms} terms")
    if built.skipped:
        typer.echo(f"{built.skipped} phrases were no plain words and were left out.")
    typer.echo("Read the files before use: phrases come from posts as they are.")
