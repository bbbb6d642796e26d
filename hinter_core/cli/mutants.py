"""``hinter mutants``: a campaign's mutants in a file, to read, to change and to run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hinter_core.campaign.mutants_file import ExportFilter, write_mutants
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.types import Verdict


def mutants(
    folder: Annotated[Path, typer.Argument(help="A campaign's directory.")],
    out: Annotated[Path, typer.Option(help="A new CSV, TSV, JSONL or Parquet file.")],
    verdict: Annotated[
        list[str] | None, typer.Option(help="Only mutants of this verdict; may be given again.")
    ] = None,
    attributes: Annotated[
        str, typer.Option(help="Only mutants that change exactly these, as race,gender.")
    ] = "",
    model: Annotated[
        list[str] | None, typer.Option(help="Only the answers of this model; may be given again.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many, without their parts.")] = None,
    parts: Annotated[
        bool,
        typer.Option("--parts/--no-parts", help="With each, the smaller mutants it is made of."),
    ] = True,
) -> None:
    """Write mutants to a file; changed by hand or not, hinter run --mutants tests exactly these."""
    known = {item.value: item for item in Verdict}
    for name in verdict or ():
        if name not in known:
            raise InputError(f"There is no verdict '{name}'; use {', '.join(known)}.")
    if limit is not None and limit < 1:
        raise InputError("--limit is at least 1.")
    wanted = ExportFilter(
        tuple(known[name] for name in verdict or ()),
        tuple(name.strip() for name in attributes.split(",") if name.strip()),
        tuple(model or ()),
        limit,
        parts,
    )
    written = write_mutants(CampaignStore(folder), out, wanted)
    typer.echo(
        f"{out}: {written:,} mutants. To test these: hinter run --mutants {out} --model NAME"
    )
