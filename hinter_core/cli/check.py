"""``hinter check``: test one text."""

from typing import Annotated, Any

from typer import Argument, Option

from hinter_core.api.checking import CHECKED, prepare_check
from hinter_core.campaign.settings import CAMPAIGN_OPTIONS
from hinter_core.campaign.spec import from_mapping
from hinter_core.cli.options import Json, TextFile, output, read_text, say, with_options
from hinter_core.errors import InputError
from hinter_core.models.base import Generative
from hinter_core.models.budget import Budget, cost_in_words
from hinter_core.pipeline.neutral import NEUTRAL, SWAPS


@with_options([CAMPAIGN_OPTIONS[name] for name in CHECKED])
def check(
    *,
    settings: dict[str, Any],
    words: Annotated[
        str | None, Argument(metavar="TEXT", help="Text to check, the same as --text.")
    ] = None,
    text: Annotated[list[str] | None, Option(metavar="<str>", help="Text to check.")] = None,
    file: TextFile = None,
    model: Annotated[str, Option(help="Model under test.")] = "embedded",
    estimate: Annotated[
        bool, Option("--estimate", help="Print the maximum cost without testing.")
    ] = False,
    neutral: Annotated[int, Option(help=NEUTRAL.help)] = SWAPS,
    as_json: Json = False,
) -> None:
    """Mutate a text and show the changes that flip the model's answer."""
    source = read_text(text, file, words)
    neutral = NEUTRAL.read(neutral, "the options: ")
    campaign = from_mapping(settings, "the options")
    if campaign.replaced:
        say(campaign.replaced, err=True)
    if campaign.budget == 0:
        raise InputError("A budget must be above zero; leave it out for no limit.")
    budget = Budget(campaign.requests, campaign.budget)
    ready = prepare_check(source, model, campaign, budget, alone="order" not in settings)
    if estimate:
        say(ready.cost_in_words(neutral))
        return
    if ready.store.model.capabilities.costs:
        say(ready.cost_in_words(neutral), err=True)
    result = ready.judge(neutral)
    if as_json:
        with output(None) as stream:
            stream.write(f"{result.report('json')}\n")
    else:
        say(result.report())
    if isinstance(ready.store.model, Generative):
        used = f"Used: {cost_in_words(ready.store.model.usage.spent)}"
        if kept := result.kept:
            used += f", and {kept:,} kept answers; --fresh asks for these, too"
        say(f"{used}.", err=True)
