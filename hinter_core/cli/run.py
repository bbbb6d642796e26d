"""``hinter run``: a whole data set; ``hinter verify``: is a campaign's directory sound?"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from hinter_core.campaign.engines.base import RunProgress, plan_run, run_campaign
from hinter_core.campaign.estimate import forecast
from hinter_core.campaign.spec import Campaign, from_mapping, load_campaign
from hinter_core.campaign.store import CampaignStore, StoreError
from hinter_core.cli.report import FailOver, JUnitFile, pass_or_fail
from hinter_core.errors import InputError
from hinter_core.language.parsing import spare_torch
from hinter_core.models.budget import cost_in_words
from hinter_core.report.model import make_report
from hinter_core.validity.survey import faults as validity_faults

_EVERY = 60.0  # seconds between two lines where there is no terminal


def run(
    campaign: Annotated[
        Path | None, typer.Argument(help="A campaign file (YAML); options add to it.")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(help="A file, hf:ORG/NAME, or a name (see hinter data list)."),
    ] = None,
    mutants: Annotated[
        str | None, typer.Option(help="A file of mutants by hand, tested instead of new ones.")
    ] = None,
    text_column: Annotated[str | None, typer.Option(help="Column of the texts.")] = None,
    label_column: Annotated[str | None, typer.Option(help="Column of the labels.")] = None,
    attributes: Annotated[str | None, typer.Option(help="Sensitive attributes.")] = None,
    dictionary: Annotated[list[str] | None, typer.Option(help="Your own dictionary.")] = None,
    order: Annotated[int | None, typer.Option(help="Highest order.")] = None,
    limit: Annotated[
        int | None, typer.Option(help="At most so many intersectional mutants of one text.")
    ] = None,
    guide: Annotated[
        str | None,
        typer.Option(help="Model by whose scores mutants of order 3 and higher are searched."),
    ] = None,
    atomic: Annotated[
        bool | None,
        typer.Option("--atomic/--no-atomic", help="Test every atomic mutant, too (the default)."),
    ] = None,
    placebo: Annotated[
        bool | None,
        typer.Option("--placebo/--no-placebo", help="Test as many neutral mutants (the default)."),
    ] = None,
    discarded: Annotated[
        bool | None,
        typer.Option(
            "--discarded/--no-discarded",
            help="Ask about discarded mutants too, to count false positives.",
        ),
    ] = None,
    sample: Annotated[int | None, typer.Option(help="Test at most so many texts.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of both samples.")] = None,
    parser: Annotated[str | None, typer.Option(help="Parser.")] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Model under test, or several with commas; may be given again."),
    ] = None,
    shard: Annotated[int | None, typer.Option(help="Texts in a unit of work.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes.")] = None,
    requests: Annotated[int | None, typer.Option(help="Ask at most so many texts.")] = None,
    budget: Annotated[float | None, typer.Option(help="Spend at most so much.")] = None,
    out: Annotated[Path, typer.Option(help="The campaign's directory.")] = Path("campaign"),
    fail_over: FailOver = None,
    junit_file: JUnitFile = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what it would do and cost, and do nothing.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what the directory holds.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what had no answer.")
    ] = False,
) -> None:
    """Test every text of a data set; interrupted, go on with --resume."""
    given = {
        "data": data,
        "mutants": mutants,
        "text_column": text_column,
        "label_column": label_column,
        "attributes": attributes,
        "dictionaries": dictionary,
        "order": order,
        "limit": limit,
        "guide": guide,
        "atomic": atomic,
        "placebo": placebo,
        "discarded": discarded,
        "sample": sample,
        "seed": seed,
        "parser": parser,
        "models": model,
        "shard": shard,
        "workers": workers,
        "requests": requests,
        "budget": budget,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    base = load_campaign(campaign) if campaign else Campaign()
    read = from_mapping(chosen, "the options")
    settings = replace(base, **{name: getattr(read, name) for name in chosen})
    spare_torch(settings.parser)
    if estimate:
        typer.echo(_forecast(settings))
        return
    store = CampaignStore(out)
    if store.known() and not (resume or retry_failed):  # begun and not one shard done: go on
        raise StoreError(f"{out} holds a campaign already; add --resume to go on with it.")
    if retry_failed:
        store.open(settings)
        typer.echo(f"{store.forget_failures()} tables with failures are asked anew.", err=True)
    _watched(settings, store)
    if fail_over is not None or junit_file is not None:
        pass_or_fail(make_report(store), fail_over, junit_file)


def _forecast(settings: Campaign) -> str:
    seen = forecast(settings, plan_run(settings))
    share = seen.tested / seen.looked_at if seen.looked_at else 0.0
    orders = ", ".join(f"{number:,} of order {order}" for order, number in seen.mutants.items())
    lines = [
        f"{seen.texts:,} texts; of {seen.looked_at} looked at, {seen.tested} ({share:.0%}) have "
        "something to test",
        f"about {sum(seen.mutants.values()):,} mutants: {orders or 'none'}",
        f"about {seen.parses:,} sentences to parse, at most {seen.predictions:,} predictions",
        f"about {timedelta(seconds=round(seen.seconds))} for parsing and for models that run here",
    ]
    lines += [f"{name}: at most {cost_in_words(cost)}" for name, cost in seen.costs.items()]
    return "\n".join(lines)


def _watched(settings: Campaign, store: CampaignStore) -> None:
    started = time.monotonic()
    work = plan_run(settings, store)
    with tqdm(
        total=work.shards * settings.shard,
        unit=" texts",
        disable=not sys.stderr.isatty(),
        dynamic_ncols=True,
    ) as bar:
        last = started

        def told(progress: RunProgress) -> None:
            nonlocal last
            bar.update(progress.texts - bar.n)
            bar.set_postfix_str(f"{progress.mutants:,} mutants, {progress.hidden:,} hidden")
            if bar.disable and time.monotonic() - last > _EVERY:
                last = time.monotonic()
                typer.echo(_line(progress, last - started), err=True)

        done = run_campaign(settings, store, work, on_progress=told)
    typer.echo(_line(done, time.monotonic() - started))


def _line(progress: RunProgress, seconds: float) -> str:
    return (
        f"{progress.shards} of {progress.of} shards, {progress.texts:,} texts, "
        f"{progress.mutants:,} mutants, {progress.hidden:,} hidden; {progress.parses:,} parses and "
        f"{progress.predictions:,} predictions in {seconds:.0f} s"
    )


def verify(folder: Annotated[Path, typer.Argument(help="A campaign's directory.")]) -> None:
    """Read every table of a campaign and say whether they fit together."""
    store = CampaignStore(folder)
    faults = [*store.verify(), *validity_faults(store)]
    if faults:
        raise InputError(f"{folder}: {'; '.join(faults[:5])}. Delete these files and resume.")
    typer.echo(f"{folder}: no fault.")
