"""Run a campaign on an engine, shard by shard, and resume it.

Rows are read here; the engine lets workers test the shards and write their tables. Finished shards
are not repeated, so a resumed run gives the same tables as an uninterrupted one. A new engine is a
module beside :mod:`.local` and a line in :data:`ENGINES`.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile, zip_longest
from typing import Protocol

from hinter_core.campaign.engines import local
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.worker import ShardDone
from hinter_core.data.rows import Row, Rows
from hinter_core.errors import InputError
from hinter_core.models.registry import parse_name
from hinter_core.mutation.plan import require_testable
from hinter_core.pipeline.pipeline import chunks
from hinter_core.terms.dictionary import Dictionary


class Engine(Protocol):
    """Run shards with :meth:`hinter_core.campaign.worker.Worker.do`, anywhere."""

    def __call__(
        self,
        campaign: Campaign,
        store: CampaignStore,
        shards: Iterator[tuple[int, list[Row]]],
        cancelled: Callable[[], bool],
    ) -> Iterator[ShardDone]:
        """Yield finished shards in any order; stop when ``cancelled``."""
        ...


ENGINES: dict[str, Engine] = {"local": local.run_shards}


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Progress of a run.

    ``texts``, ``mutants`` and ``hidden`` include earlier runs; ``parses`` and ``predictions`` are
    those of this run.
    """

    shards: int
    of: int
    texts: int = 0
    mutants: int = 0
    hidden: int = 0
    parses: int = 0
    predictions: int = 0


_SUMMED = ("texts", "mutants", "hidden", "parses", "predictions")


@dataclass(frozen=True)
class RunScope:
    """The rows of a run: all, or those with the ``chosen`` numbers."""

    table: Rows
    chosen: frozenset[int] | None
    texts: int
    shards: int


def plan_run(campaign: Campaign, store: CampaignStore | None = None) -> RunScope:
    """Open data and directory and count the work; without a store nothing is written.

    Raises:
        HinterError: the campaign, its data or its directory cannot be used.
    """
    if (campaign.requests or campaign.budget) and campaign.workers > 1:
        raise InputError("A budget works with one worker only; leave out workers.")
    campaign = store.pinned(campaign) if store is not None else campaign.pinned()
    table, vocabulary = campaign.table(), campaign.vocabulary()
    if not campaign.mutants:  # before a directory is created
        require_testable(vocabulary, campaign.models, campaign.settings)
    for name in campaign.models:
        parse_name(name, trusted=True)
    if store is not None:
        store.open(campaign)
        if not store.scope():
            store.note(scope={d.attribute: _scope(d) for d in vocabulary})
    chosen, texts = _chosen(campaign, table), table.count
    if chosen is not None:
        texts = len(chosen)
    elif texts is None:
        texts = sum(1 for _ in table.rows())
    shards = -(-texts // campaign.shard)
    if store is not None:
        store.note(size={"texts": texts, "shards": shards})
    return RunScope(table, chosen, texts, shards)


def _scope(dictionary: Dictionary) -> list[int]:
    """Return the numbers of word pairs and of target groups."""
    pairs = [pair for found in dictionary.pairs_from.values() for pair in found]
    return [len(pairs), len({pair.target.group for pair in pairs})]


def run_campaign(
    campaign: Campaign,
    store: CampaignStore,
    work: RunScope | None = None,
    *,
    engine: str = "local",
    on_progress: Callable[[RunProgress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> RunProgress:
    """Run all shards that are not done; return the progress.

    Raises:
        HinterError: an unknown engine; see :func:`plan_run`; or a table cannot be written.
    """
    if engine not in ENGINES:
        raise InputError(f"There is no engine '{engine}'; use {', '.join(ENGINES)}.")
    work = work or plan_run(campaign, store)
    shards = enumerate(chunks(rows_of(work), campaign.shard))
    state = RunProgress(0, work.shards)
    with store.alone():
        for done in ENGINES[engine](campaign, store, shards, cancelled):
            if not state.shards:  # all shards are of the same models
                store.note(models={**store.read()["models"], **done.models})
            sums = {name: getattr(state, name) + getattr(done, name) for name in _SUMMED}
            state = replace(state, shards=state.shards + 1, **sums)
            on_progress(state)
    return state


def _chosen(campaign: Campaign, table: Rows) -> frozenset[int] | None:
    """Return the row numbers of the sample; None: all."""
    if campaign.sample is None:
        return None
    by_label: dict[str, list[int]] = defaultdict(list)
    if table.count is not None and not campaign.stratify:
        by_label[""] = list(range(1, table.count + 1))  # without reading the rows
    else:
        for row in table.rows():
            by_label[row.label if campaign.stratify else ""].append(row.number)
    rng = random.Random(campaign.seed)
    for numbers in by_label.values():
        rng.shuffle(numbers)
    # One per label in turn, while it has rows left.
    turns = chain.from_iterable(zip_longest(*map(reversed, by_label.values())))
    return frozenset(islice((number for number in turns if number is not None), campaign.sample))


def rows_of(work: RunScope) -> Iterator[Row]:
    """Return the rows of a run."""
    chosen = work.chosen
    if chosen is None:
        return work.table.rows()
    last = max(chosen, default=0)
    return (
        row
        for row in takewhile(lambda row: row.number <= last, work.table.rows())
        if row.number in chosen
    )
