"""What a campaign would do, before it does it: a few of its texts are planned and tried.

Counts are those of the texts looked at, scaled to all; times are measured on a few mutants. Models
whose answers cost are not asked: their part is an upper bound of what would be asked.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from hinter_core.campaign.engines.local import RunScope, rows_of
from hinter_core.campaign.spec import Campaign
from hinter_core.generators.handwritten import Generator, open_generator
from hinter_core.models.budget import Cost, total
from hinter_core.pipeline.case import FollowUp, ask_originals, conform, judge

_LOOKED_AT = 24  # texts
_TRIED = 160  # mutants


@dataclass(frozen=True)
class Forecast:
    """``texts`` in all, of which ``looked_at`` were planned and ``tested`` have something to test.

    ``mutants`` by order, ``parses`` (of distinct sentences) and ``seconds`` are estimates for all
    texts; ``predictions`` (of distinct texts, all models together) and ``costs`` (by model, for
    those whose answers cost) are at most so many, since discarded mutants are not asked.
    """

    texts: int
    looked_at: int
    tested: int
    mutants: dict[int, int]
    parses: int
    predictions: int
    seconds: float
    costs: dict[str, Cost]


def forecast(campaign: Campaign, work: RunScope) -> Forecast:
    """Look at the first texts of a campaign; nothing is written, and no answer is paid for.

    Raises:
        HinterError: a parser, model or dictionary cannot be had.
    """
    bed = open_generator(campaign)
    rows = list(islice(rows_of(work), _LOOKED_AT))
    started = time.perf_counter()
    trials = bed.trials(bed.plans(rows)).values()
    items = list(bed.items(trials))
    planning = time.perf_counter() - started
    scale = work.texts / len(rows) if rows else 0.0
    planned_parses = bed.parses.parsed
    each, tried = _seconds_each(bed, items, campaign.discarded)
    tried_parses = (bed.parses.parsed - planned_parses) / tried if tried else 0.0
    orders = Counter(item.mutant.order for item in items)
    texts = {item.mutant.text for item in items} | {trial.plan.text for trial in trials}
    costs = {
        asked.model.name: _scaled(total(asked.cost_of(text) for text in texts), scale)
        for asked in bed.models
        if asked.model.capabilities.costs
    }
    return Forecast(
        texts=work.texts,
        looked_at=len(rows),
        tested=len(trials),
        mutants={order: round(number * scale) for order, number in sorted(orders.items())},
        parses=round((planned_parses + tried_parses * len(items)) * scale),
        predictions=round(len(texts) * len(bed.models) * scale),
        seconds=(planning + each * len(items)) * scale / campaign.workers,
        costs=costs,
    )


def _seconds_each(bed: Generator, items: Sequence[FollowUp], discarded: bool) -> tuple[float, int]:
    """Seconds that a mutant takes, and how many were tried; models that cost are left out."""
    # Mutants come parts before wholes, text after text: the first ones can be judged alone.
    tried = items[:_TRIED]
    if not tried:
        return 0.0, 0
    started = time.perf_counter()
    conform(tried, bed.parses)
    trials = list(dict.fromkeys(item.trial for item in tried))
    for asked in bed.models:
        if not asked.model.capabilities.costs:
            ask_originals(trials, asked)
            judge(tried, asked, discarded=discarded)
    return (time.perf_counter() - started) / len(tried), len(tried)


def _scaled(cost: Cost, scale: float) -> Cost:
    return Cost(
        round(cost.requests * scale),
        round(cost.prompt_tokens * scale),
        round(cost.completion_tokens * scale),
        cost.money * scale,
    )
