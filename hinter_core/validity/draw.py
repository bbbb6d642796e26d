"""Draw seeded, stratified samples of mutants for annotators and grammar checkers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from typing import Generic, TypeVar

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.tables import VALIDITY, has_placebo

S = TypeVar("S")
# Worst verdict first, which is that of several models together.
WORST = ("hidden", "biased", "benign", "unanswered")
NOT_ASKED = "not asked"  # kept, without a model or beyond what a prioritised run asked
# Ends the outcome of mutants that a prioritised run chose, and that are in no audit. Faults are
# looked for there, so these may be of another kind than the audit's, and are strata of their own.
CHOSEN = ", chosen"


@dataclass
class StratumCandidates(Generic[S]):
    """A stratum: its number of mutants, and those with the smallest random keys, in order."""

    size: int = 0
    best: list[S] = field(default_factory=list)


Stratum = tuple[tuple[str, ...], str]  # attributes and outcome
Place = tuple[int, int]  # shard, and row in its table of mutants


def strata(
    reader: CampaignReader, limit: int, seed: int, *, by_layer: bool = True, validity: float = 0.0
) -> dict[Stratum, StratumCandidates[Place]]:
    """Draw up to ``limit`` random mutants of each stratum, without placebo.

    A stratum is a set of attributes with an outcome: the worst verdict of all models, or
    ``discarded:`` with the violated layer of the invariant (``discarded`` without ``by_layer``).
    In a prioritised run, a verdict outside of the audits ends with :data:`CHOSEN`.
    Each mutant has a random key by its place in the campaign, and the smallest keys are drawn;
    memory depends only on the sample. ``validity``: least validity score.

    Raises:
        StoreError: a table cannot be read.
    """
    import numpy
    import pyarrow

    rng = numpy.random.default_rng(seed)
    worst = f"{list(WORST)}[min(nullif(list_position({list(WORST)}, verdict), 0))]"
    chosen = f"CASE WHEN bool_and(NOT audit) THEN '{CHOSEN}' ELSE '' END"
    lost = "concat_ws(': ', 'discarded', nullif(m.layer, ''))" if by_layer else "'discarded'"
    reader.run(
        "CREATE OR REPLACE TABLE drawn (attributes VARCHAR[], outcome VARCHAR, size BIGINT, "
        "best STRUCT(key DOUBLE, shard INTEGER, place BIGINT)[])"
    )
    for shards in reader.chunks(
        ("row", "edits", "kept", "layer", "validity"), ("mutant", "verdict", "audit")
    ):
        tables = reader.tables(shards)
        mutants = f"({tables.mutants})"
        sizes = reader.run(f"SELECT shard, count(*) FROM {mutants} GROUP BY 1 ORDER BY 1")
        ends = numpy.cumsum([0, *(size for _, size in sizes)])
        keys = pyarrow.table({"number": numpy.arange(ends[-1]), "key": rng.random(ends[-1])})
        starts = pyarrow.table(
            {"shard": [shard for shard, _ in sizes], "start": ends[:-1].astype("int64")}
        )
        reader.connection.register("keys", keys)
        reader.connection.register("starts", starts)
        reader.run(
            "INSERT INTO drawn SELECT attributes, outcome, count(*), "
            f"min({{key: key, shard: shard, place: place}}, {int(limit)}) FROM (SELECT m.shard, "
            "m.place, m.attributes, keys.key, "
            f"CASE WHEN m.kept THEN coalesce(a.worst, '{NOT_ASKED}') ELSE {lost} END AS outcome "
            f"FROM {mutants} m LEFT JOIN (SELECT shard, place, {worst} || {chosen} AS worst FROM "
            f"({tables.answers}) GROUP BY 1, 2) a ON a.shard = m.shard AND a.place = m.place "
            "JOIN starts ON starts.shard = m.shard JOIN keys ON keys.number = start + m.place "
            f"WHERE NOT {has_placebo('m.attributes')} AND {VALIDITY} >= {float(validity)}) "
            "GROUP BY ALL"
        )
    counted = reader.run(
        "SELECT attributes, outcome, sum(size)::BIGINT, list_sort(flatten(list(best))) FROM drawn "
        "GROUP BY ALL"
    )
    return {
        (tuple(attributes), outcome): StratumCandidates(
            size, [(one["shard"], one["place"]) for one in best[:limit]]
        )
        for attributes, outcome, size, best in counted
    }


def balanced(candidates: Mapping[Stratum, StratumCandidates[S]], limit: int) -> dict[S, Stratum]:
    """Choose one mutant per stratum in turn, up to ``limit``; return their strata."""
    each = ([(one, stratum) for one in candidates[stratum].best] for stratum in sorted(candidates))
    turns = chain.from_iterable(zip_longest(*each))
    return dict(islice(filter(None, turns), limit))


def weights(
    candidates: Mapping[Stratum, StratumCandidates[S]], chosen: Mapping[S, Stratum]
) -> dict[Stratum, float]:
    """Return the sampling weight of each stratum: mutants per drawn mutant."""
    taken = list(chosen.values())
    return {name: candidates[name].size / taken.count(name) for name in set(taken)}
