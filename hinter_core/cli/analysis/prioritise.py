"""``hinter prioritise``: how soon other orders of a campaign's test cases find its faults."""

import sys
from pathlib import Path
from typing import Annotated

from tqdm import tqdm
from typer import Argument, Option

from hinter_core.campaign.store import CampaignStore
from hinter_core.cli.options import OneModel, output, say
from hinter_core.errors import InputError
from hinter_core.options import listed_names
from hinter_core.places import place_of
from hinter_core.prioritisation.scorers import METRICS, load_scorers
from hinter_core.replays.answered import read_cases
from hinter_core.replays.arms import ARMS
from hinter_core.replays.replays import LEVELS, ORDERS, ReplaySettings, replay_orders
from hinter_core.replays.report import FORMS, replay_sections
from hinter_core.report.formats import print_sections


def prioritise(
    folder: Annotated[Path, Argument(parser=place_of, help="A finished campaign's directory.")],
    orders: Annotated[
        str, Option(help=f"Orders to compare, with commas: {', '.join(ORDERS)}.")
    ] = ",".join(ORDERS),
    seeds: Annotated[int, Option(help="Replays of each order, with seeds from 0.")] = 30,
    model: OneModel = "",
    metrics: Annotated[
        str,
        Option(
            help="Metrics of the order diversity, with commas; NAME=MODEL names the model that "
            f"one asks: {', '.join(METRICS)}."
        ),
    ] = ",".join(METRICS),
    weights: Annotated[
        str, Option(help="Weights of metrics, such as cosine=2,tone=0.  [default: 1 each]")
    ] = "",
    level: Annotated[
        str, Option(help=f"Order single pairs or whole arms: {' or '.join(LEVELS)}.")
    ] = "pair",
    arm: Annotated[
        str, Option(help=f"With --level arm, what an arm is: {', '.join(ARMS)}.  [default: groups]")
    ] = "",
    budget: Annotated[
        int | None, Option(help="Stop each replay after this number of pairs.")
    ] = None,
    below: Annotated[
        float | None,
        Option(
            help="Also replay each order until a random fifth of its calls tells with 95 % "
            "confidence on which side of this rate the rate of faults lies, such as 0.02."
        ),
    ] = None,
    out: Annotated[
        Path | None, Option(help="Write the comparison: .json, .csv, .tex, .md or .html.")
    ] = None,
) -> None:
    """Replay orders of test cases on a finished campaign: which finds its faults soonest?"""
    if out is not None and out.suffix.lower() not in FORMS:
        raise InputError(f"{out}: name a file that ends in {', '.join(FORMS)}.")
    if below is not None and level == "arm":
        raise InputError("--below needs single pairs, one after the other; leave out --level arm.")
    if arm and level != "arm":
        raise InputError("--arm says what --level arm orders; add --level arm, or leave out --arm.")
    arm = arm or ReplaySettings.arm
    settings = ReplaySettings(listed_names(orders), seeds, level, arm, budget, below)
    by_metric = _weights(weights)
    answered = read_cases(CampaignStore(folder), model)
    total = len(settings.orders) * settings.seeds
    with tqdm(total=total, unit=" replays", disable=None) as bar:
        replays = replay_orders(
            answered,
            settings,
            lambda: load_scorers(listed_names(metrics), answered.model),
            by_metric,
            bar.update,
        )
    if out is None:
        print_sections(replay_sections(replays), sys.stdout)
        return
    with output(out) as stream:
        stream.write(FORMS[out.suffix.lower()](replays))
    say(f"The comparison of {len(settings.orders)} orders is in {out}.")


def _weights(given: str) -> dict[str, float]:
    weights = {}
    for one in listed_names(given):
        name, _, value = one.partition("=")
        try:
            weights[name] = float(value)
        except ValueError as error:
            raise InputError(
                f"'{one}' is no weight of a metric; write NAME=NUMBER, such as cosine=2."
            ) from error
    return weights
