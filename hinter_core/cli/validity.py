"""``hinter validity``: are a campaign's mutants grammatical, kept and discarded ones?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from hinter_core.campaign.store import CampaignStore
from hinter_core.report.validity import validities, validity_in_words
from hinter_core.validity.checkers import CHECKERS, DEFAULT, load_checker
from hinter_core.validity.survey import survey


def validity(
    folder: Annotated[Path, typer.Argument(help="A campaign's directory.")],
    checker: Annotated[
        str, typer.Option(help="; ".join(f"{name}: {what}" for name, what in CHECKERS.items()))
    ] = DEFAULT,
    sample: Annotated[
        int, typer.Option(help="Judge at most so many kept and so many discarded mutants.")
    ] = 500,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 0,
) -> None:
    """Judge the grammar of a sample of originals, kept and discarded mutants."""
    store = CampaignStore(folder)
    store.read()  # no campaign speaks before a checker is loaded
    judge = load_checker(checker)
    with tqdm(unit=" sentences", disable=not sys.stderr.isatty(), dynamic_ncols=True) as bar:

        def told(done: int, of: int) -> None:
            bar.total = of
            bar.update(done - bar.n)

        path = survey(store, judge, sample, seed, told)
    for found in validities(store):
        if found.checker == judge.name:
            typer.echo(validity_in_words(found))
    typer.echo(f"Written to {path}; hinter report shows it.")
