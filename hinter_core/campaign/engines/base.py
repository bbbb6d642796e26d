"""Run a campaign on an engine: shard by shard, and on from where it stopped.

The rows are read here, and their shards handed to the engine; a worker plans, conforms and asks
them, and writes their tables. A shard that is there is not done again, so an interrupted and
resumed run gives the same tables as one that was not interrupted. A new engine is a module beside
:mod:`.local` and a line in :data:`ENGINES`.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from hinter_core.campaign.engines import local
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.worker import AskedModel, ShardDone
from hinter_core.data.rows import Row, Rows
from hinter_core.errors import InputError
from hinter_core.models.registry import parse_name
from hinter_core.mutation.plan import require_testable
from hinter_core.pipeline.pipeline import chunks
from hinter_core.terms.dictionary import Dictionary


class Engine(Protocol):
    """Does shards, each by :meth:`hinter_core.campaign.worker.Worker.do`, wherever it runs."""

    def __call__(
        self,
        campaign: Campaign,
        store: CampaignStore,
        shards: Iterator[tuple[int, list[Row]]],
        cancelled: Callable[[], bool],
    ) -> Iterator[ShardDone]:
        """Yield each shard when its tables are written, in any order; stop when ``cancelled``."""
        ...


ENGINES: dict[str, Engine] = {"local": local.run_shards}


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is.

    ``texts``, ``mutants`` and ``hidden`` of this run and of earlier ones together; ``parses`` and
    ``predictions`` of this run alone.
    """

    shards: int
    of: int
    texts: int = 0
    mutants: int = 0
    hidden: int = 0
    parses: int = 0
    predictions: int = 0


@dataclass(frozen=True)
class RunScope:
    """The rows a run covers: all of them, or the numbers a sample took."""

    table: Rows
    chosen: frozenset[int] | None
    texts: int
    shards: int


def plan_run(campaign: Campaign, store: CampaignStore | None = None) -> RunScope:
    """Open data and directory, and count what there is to do; without a store nothing is written.

    Raises:
        HinterError: the campaign, its data or its directory cannot be used.
    """
    if (campaign.requests or campaign.budget) and campaign.workers > 1:
        raise InputError("A budget is kept by one worker; leave out workers.")
    campaign = store.pinned(campaign) if store is not None else campaign.pinned()
    table, vocabulary = campaign.table(), campaign.vocabulary()
    if not campaign.mutants:  # before there is a directory, so that none is left to be in the way
        require_testable(vocabulary, campaign.models, campaign.settings)
    for name in campaign.models:
        parse_name(name, trusted=True)
    if store is not None:
        store.open(campaign)
        store.note_scope({d.attribute: _scope(d) for d in vocabulary})
    chosen, texts = _chosen(campaign, table), table.count
    if chosen is not None:
        texts = len(chosen)
    elif texts is None:
        texts = sum(1 for _ in table.rows())
    shards = -(-texts // campaign.shard)
    if store is not None:
        store.note_size(texts, shards)
    return RunScope(table, chosen, texts, shards)


def _scope(dictionary: Dictionary) -> tuple[int, int]:
    """How many word pairs there are, and groups that they turn a text into."""
    pairs = [pair for found in dictionary.pairs_from.values() for pair in found]
    return len(pairs), len({pair.target.group for pair in pairs})


def run_campaign(
    campaign: Campaign,
    store: CampaignStore,
    work: RunScope | None = None,
    *,
    engine: str = "local",
    on_progress: Callable[[RunProgress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> RunProgress:
    """Do all shards that are not done yet; returns how far it came.

    Raises:
        HinterError: an unknown engine; see :func:`plan_run`; or a table cannot be written.
    """
    if engine not in ENGINES:
        raise InputError(f"There is no engine '{engine}'; use {', '.join(ENGINES)}.")
    work = work or plan_run(campaign, store)
    shards = enumerate(chunks(rows_of(work), campaign.shard))
    state = RunProgress(0, work.shards)
    with store.alone():
        noted: tuple[AskedModel, ...] = ()
        for done in ENGINES[engine](campaign, store, shards, cancelled):
            if done.asked != noted:
                noted = done.asked
                for asked in noted:
                    store.add_model(asked.name, asked.identity, asked.labels)
            state = RunProgress(
                state.shards + 1,
                work.shards,
                state.texts + done.texts,
                state.mutants + done.mutants,
                state.hidden + done.hidden,
                state.parses + done.parses,
                state.predictions + done.predictions,
            )
            on_progress(state)
    return state


def _chosen(campaign: Campaign, table: Rows) -> frozenset[int] | None:
    """Numbers of the rows that the sample takes; None: all."""
    if campaign.sample is None:
        return None
    by_label: dict[str, list[int]] = defaultdict(list)
    if table.count is not None and not campaign.stratify:
        by_label[""] = list(range(1, table.count + 1))  # rows are numbered so; none need be read
    else:
        for row in table.rows():
            by_label[row.label if campaign.stratify else ""].append(row.number)
    rng = random.Random(campaign.seed)
    for numbers in by_label.values():
        rng.shuffle(numbers)
    taken: list[int] = []
    # One of each label in turn: alike from every label, as long as it has some left.
    while len(taken) < campaign.sample and any(by_label.values()):
        for numbers in by_label.values():
            if numbers and len(taken) < campaign.sample:
                taken.append(numbers.pop())
    return frozenset(taken)


def rows_of(work: RunScope) -> Iterator[Row]:
    """The rows that a run covers."""
    chosen = work.chosen
    if chosen is None:
        return work.table.rows()
    last = max(chosen, default=0)
    return (row for row in _up_to(work.table, last) if row.number in chosen)


def _up_to(table: Rows, last: int) -> Iterator[Row]:
    for row in table.rows():
        if row.number <= last:
            yield row
        if row.number >= last:
            return
