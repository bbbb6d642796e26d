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

from hinter_core.campaign.engines.base import RunScope, rows_of
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.worker import CampaignParts, load_parts
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
    parts = load_parts(campaign)
    generator = parts.generator
    rows = list(islice(rows_of(work), _LOOKED_AT))
    started = time.perf_counter()
    cases = generator.test_cases(generator.plans(rows)).values()
    follow_ups = list(generator.follow_ups(cases))
    planning = time.perf_counter() - started
    scale = work.texts / len(rows) if rows else 0.0
    planned_parses = parts.parses.parsed
    each, tried = _seconds_each(parts, follow_ups, campaign.discarded)
    tried_parses = (parts.parses.parsed - planned_parses) / tried if tried else 0.0
    orders = Counter(one.mutant.order for one in follow_ups)
    texts = {one.mutant.text for one in follow_ups} | {case.plan.text for case in cases}
    costs = {
        asked.model.name: _scaled(total(asked.cost_of(text) for text in texts), scale)
        for asked in parts.models
        if asked.model.capabilities.costs
    }
    return Forecast(
        texts=work.texts,
        looked_at=len(rows),
        tested=len(cases),
        mutants={order: round(number * scale) for order, number in sorted(orders.items())},
        parses=round((planned_parses + tried_parses * len(follow_ups)) * scale),
        predictions=round(len(texts) * len(parts.models) * scale),
        seconds=(planning + each * len(follow_ups)) * scale / campaign.workers,
        costs=costs,
    )


def _seconds_each(
    parts: CampaignParts, follow_ups: Sequence[FollowUp], discarded: bool
) -> tuple[float, int]:
    """Seconds that a mutant takes, and how many were tried; models that cost are left out."""
    # Mutants come parts before wholes, text after text: the first ones can be judged alone.
    tried = follow_ups[:_TRIED]
    if not tried:
        return 0.0, 0
    started = time.perf_counter()
    conform(tried, parts.parses)
    cases = list(dict.fromkeys(one.case for one in tried))
    for asked in parts.models:
        if not asked.model.capabilities.costs:
            ask_originals(cases, asked)
            judge(tried, asked, discarded=discarded)
    return (time.perf_counter() - started) / len(tried), len(tried)


def _scaled(cost: Cost, scale: float) -> Cost:
    return Cost(
        round(cost.requests * scale),
        round(cost.prompt_tokens * scale),
        round(cost.completion_tokens * scale),
        cost.money * scale,
    )
