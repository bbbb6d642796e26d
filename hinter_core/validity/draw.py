"""Draw seeded, stratified samples of mutants for annotators and grammar checkers."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heapreplace
from random import Random
from statistics import fmean
from typing import Generic, NamedTuple, TypeVar

from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.tables import VALIDITY, has_placebo

S = TypeVar("S")
# Worst verdict first, which is that of several models together.
WORST = ("hidden", "biased", "benign", "unanswered")
NOT_ASKED = "not asked"  # kept, without a model or beyond what a prioritised run asked
# Ends the outcome of mutants that a prioritised run chose, and that are in no audit. Faults are
# looked for there, so these may be of another kind than the audit's, and are strata of their own.
CHOSEN = ", chosen"


class Candidate(NamedTuple, Generic[S]):
    """A mutant: its place, its source text, and how many mutants of that are in the stratum."""

    place: S
    text: Hashable
    of_text: int = 1


@dataclass
class StratumCandidates(Generic[S]):
    """A stratum: its number of mutants, and those that come first, in order."""

    size: int = 0
    best: list[Candidate[S]] = field(default_factory=list)


Stratum = tuple[tuple[str, ...], str]  # attributes and outcome
Place = tuple[int, int]  # shard, and row in its table of mutants


def strata(
    reader: CampaignReader, limit: int, seed: int, *, by_layer: bool = True, validity: float = 0.0
) -> dict[Stratum, StratumCandidates[Place]]:
    """Draw up to ``limit`` random mutants of each stratum, without placebo.

    A stratum is a set of attributes with an outcome: the worst verdict of all models, or
    ``discarded:`` with the violated layer of the invariant (``discarded`` without ``by_layer``).
    In a prioritised run, a verdict outside of the audits ends with :data:`CHOSEN`.
    In a stratum, one random mutant of each text comes before the second one of any text, and so on,
    by random keys of their places in the campaign. Memory depends only on the sample. ``validity``:
    least validity score.

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
        "best STRUCT(key DOUBLE, shard INTEGER, place BIGINT, text BIGINT, of_text BIGINT)[])"
    )
    for shards in reader.chunks(
        ("row", "edits", "kept", "layer", "validity"), ("mutant", "verdict", "audit")
    ):
        tables = reader.tables(shards)
        mutants = f"({tables.mutants})"
        sizes = reader.run(f"SELECT shard, count(*) FROM {mutants} GROUP BY 1 ORDER BY 1")
        ends = numpy.cumsum([0, *(size for _, size in sizes)])
        random = {name: rng.random(ends[-1]) for name in ("in_text", "key")}
        keys = pyarrow.table({"number": numpy.arange(ends[-1]), **random})
        starts = pyarrow.table(
            {"shard": [shard for shard, _ in sizes], "start": ends[:-1].astype("int64")}
        )
        reader.connection.register("keys", keys)
        reader.connection.register("starts", starts)
        reader.run(
            "INSERT INTO drawn SELECT attributes, outcome, count(*), min({key: key, shard: shard, "
            f"place: place, text: text, of_text: of_text}}, {int(limit)}) FROM (SELECT * REPLACE "
            "(key + row_number() OVER (own ORDER BY in_text) AS key), count(*) OVER own AS of_text "
            "FROM (SELECT m.shard, m.place, m.row AS text, m.attributes, keys.in_text, keys.key, "
            f"CASE WHEN m.kept THEN coalesce(a.worst, '{NOT_ASKED}') ELSE {lost} END AS outcome "
            f"FROM {mutants} m LEFT JOIN (SELECT shard, place, {worst} || {chosen} AS worst FROM "
            f"({tables.answers}) GROUP BY 1, 2) a ON a.shard = m.shard AND a.place = m.place "
            "JOIN starts ON starts.shard = m.shard JOIN keys ON keys.number = start + m.place "
            f"WHERE NOT {has_placebo('m.attributes')} AND {VALIDITY} >= {float(validity)}) "
            "WINDOW own AS (PARTITION BY attributes, outcome, shard, text)) GROUP BY ALL"
        )
    counted = reader.run(
        "SELECT attributes, outcome, sum(size)::BIGINT, list_sort(flatten(list(best))) FROM drawn "
        "GROUP BY ALL"
    )
    return {
        (tuple(attributes), outcome): StratumCandidates(
            size,
            [
                Candidate((one["shard"], one["place"]), (one["shard"], one["text"]), one["of_text"])
                for one in best[:limit]
            ],
        )
        for attributes, outcome, size, best in counted
    }


def balanced(
    candidates: Mapping[Stratum, StratumCandidates[S]], limit: int, seed: int = 0
) -> dict[Stratum, list[Candidate[S]]]:
    """Choose up to ``limit`` mutants; return them by stratum.

    Each stratum gives one if the limit allows, as weights need that. Apart from that, each mutant
    is of the outcome, attributes and text of which the fewest have been chosen; ``seed`` decides
    among equals. Time is proportional to the limit and the number of strata.
    """
    chosen: dict[Stratum, list[Candidate[S]]] = {name: [] for name in sorted(candidates)}
    # Numbers of texts only grow, so that an outdated one is put back when it comes first.
    heaps = {name: [(0, n, one) for n, one in enumerate(candidates[name].best)] for name in chosen}
    order = sorted(name for name, heap in heaps.items() if heap)
    Random(seed).shuffle(order)
    every = limit >= len(order)
    used: Counter[Hashable] = Counter()

    def cost(name: Stratum) -> tuple[bool, float]:
        (attributes, outcome), heap = name, heaps[name]
        while heap[0][0] < used[heap[0][2].text]:
            _, place, one = heap[0]
            heapreplace(heap, (used[one.text], place, one))
        # A mean, so that a mutant of more attributes is no worse than one of fewer.
        alone = fmean(used["attribute", attribute] for attribute in attributes or ("",))
        return every and bool(chosen[name]), alone + used[attributes] + used[outcome] + heap[0][0]

    for _ in range(min(limit, sum(map(len, heaps.values())))):
        name = min(filter(heaps.get, order), key=cost)
        one = heappop(heaps[name])[2]
        chosen[name].append(one)
        used.update([one.text, *name, *(("attribute", attribute) for attribute in name[0])])
    return {name: some for name, some in chosen.items() if some}


def weights(
    candidates: Mapping[Stratum, StratumCandidates[S]], chosen: Mapping[Stratum, list[Candidate[S]]]
) -> dict[S, float]:
    """Return the sampling weight of each chosen mutant: the number of mutants that it represents.

    It represents the mutants of its text, as one of those chosen of it, and a share of those of the
    texts without any.
    """
    found: dict[S, float] = {}
    for name, some in chosen.items():
        taken = Counter(one.text for one in some)
        shares = {one.place: one.of_text / taken[one.text] for one in some}
        scale = candidates[name].size / sum(shares.values())
        found |= {place: share * scale for place, share in shares.items()}
    return found
