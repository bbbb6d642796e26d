"""A campaign's mutants drawn for people to judge, balanced over what they are to tell apart.

A stratum is a set of attributes with an outcome: the worst verdict that any model met (hidden
before biased, benign, unanswered), or, for a discarded mutant, the layer of the invariant that it
broke: its false alarms show only if people see them. Every stratum gives the same number as far as
it can; an item knows how many mutants of the campaign it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hinter_core.annotation.values import AnnotationError, Item
from hinter_core.by_hand import mutant_of
from hinter_core.shards import CampaignStore, read_table
from hinter_core.tables import edit_from_row
from hinter_core.tally_columns import Attributes, Book, blocks, is_placebo, of_shard
from hinter_core.types import Layer, Verdict

if TYPE_CHECKING:
    import numpy

Stratum = tuple[Attributes, str]
_Candidate = tuple[float, int, int]  # a random key, shard, place in its table of mutants

# The worst first; what a mutant is for several models together.
WORST = (Verdict.HIDDEN, Verdict.BIASED, Verdict.BENIGN, Verdict.UNANSWERED)
OUTCOMES = (
    *(verdict.value for verdict in WORST),
    *(f"discarded: {layer.value}" for layer in Layer),
)
NOT_ASKED = "not asked"  # kept, in a campaign without models


@dataclass(frozen=True)
class Draw:
    """What to draw: at most ``many`` mutants, with ``seed``.

    ``attributes``: exactly these sets (empty: all but placebo). ``outcomes``: of
    :data:`OUTCOMES` (empty: all).
    """

    many: int = 200
    seed: int = 0
    attributes: tuple[Attributes, ...] = ()
    outcomes: tuple[str, ...] = ()


@dataclass
class Found:
    """A stratum so far: how many mutants it has, and those with the smallest keys."""

    many: int = 0
    best: list[_Candidate] = field(default_factory=list)


def sample_campaign(store: CampaignStore, draw: Draw) -> list[Item]:
    """Draw items; memory depends on the sample and not on the campaign.

    Raises:
        HinterError: no campaign, tables that cannot be read, or nothing to draw.
    """
    spec = store.read()
    models = {name: model["identity"] for name, model in spec["models"].items()}
    strata = _strata(store, models, draw)
    chosen = balanced(strata, draw.many)
    if not chosen:
        raise AnnotationError(
            f"{store.folder} has no mutants of that kind; ask for other attributes or outcomes, "
            "or let the campaign run first."
        )
    taken: dict[Stratum, int] = {}
    for stratum in chosen.values():
        taken[stratum] = taken.get(stratum, 0) + 1
    weights = {stratum: strata[stratum].many / taken[stratum] for stratum in taken}
    return list(_fetched(store, models, chosen, weights))


def _strata(store: CampaignStore, models: Mapping[str, str], draw: Draw) -> dict[Stratum, Found]:
    import numpy

    rng = numpy.random.default_rng(draw.seed)
    book, found = Book(), dict[Stratum, Found]()
    wanted = {frozenset(names) for names in draw.attributes}
    for shard in store.known():
        first = 0
        for table in of_shard(store, shard, list(models.values()), ("layer",)):
            keys, outcomes = rng.random(len(table)), _outcomes(table, len(models))
            for block in blocks(table, book):
                for number, attributes in enumerate(block.set_names):
                    if is_placebo(attributes):
                        continue
                    if wanted and frozenset(attributes) not in wanted:
                        continue
                    own = block.at[block.sets == number]
                    for outcome in numpy.unique(outcomes[own]).tolist():
                        if draw.outcomes and outcome not in draw.outcomes:
                            continue
                        at = own[outcomes[own] == outcome]
                        stratum = found.setdefault((attributes, outcome), Found())
                        stratum.many += len(at)
                        at = at[numpy.argsort(keys[at], kind="stable")][: draw.many]
                        new = [(float(keys[i]), shard, first + i) for i in at.tolist()]
                        stratum.best = sorted([*stratum.best, *new])[: draw.many]
            first += len(table)
    return found


def _outcomes(table: Any, models: int) -> numpy.ndarray:
    """What became of each mutant of a table, in words."""
    import numpy

    verdicts = [table[f"verdict-{place}"].to_pylist() for place in range(models)]
    layers, kept = table["layer"].to_pylist(), table["kept"].to_pylist()
    rank = {verdict.value: place for place, verdict in enumerate(WORST)}
    found = []
    for place, (stays, layer) in enumerate(zip(kept, layers, strict=True)):
        given = {column[place] for column in verdicts} & rank.keys()
        if not stays:
            found.append(f"discarded: {layer}" if layer else "discarded")
        else:
            found.append(min(given, key=rank.__getitem__) if given else NOT_ASKED)
    return numpy.array(found, dtype=object)


def balanced(strata: Mapping[Stratum, Found], many: int) -> dict[tuple[int, int], Stratum]:
    """Which mutants: one of each stratum in turn, until there are enough or none is left.

    Returns the stratum of each mutant chosen, by its shard and place.
    """
    left = {stratum: iter(strata[stratum].best) for stratum in sorted(strata)}
    chosen: dict[tuple[int, int], Stratum] = {}
    while left and len(chosen) < many:
        for stratum in list(left):
            candidate = next(left[stratum], None)
            if candidate is None:
                del left[stratum]
            elif len(chosen) < many:
                chosen[candidate[1:]] = stratum
    return chosen


def _fetched(
    store: CampaignStore,
    models: Mapping[str, str],
    chosen: Mapping[tuple[int, int], Stratum],
    weights: Mapping[Stratum, float],
) -> Iterator[Item]:
    campaign = store.read()["identity"]
    for shard in sorted({shard for shard, _ in chosen}):
        places = {place for own, place in chosen if own == shard}
        texts = {text["row"]: text for text in read_table(store.texts(shard)).to_pylist()}
        first, more = 0, ("layer", "reason")
        for table in of_shard(store, shard, list(models.values()), more):
            at = sorted(place - first for place in places if first <= place < first + len(table))
            for place, row in zip(at, table.take(at).to_pylist(), strict=True):
                stratum = chosen[shard, first + place]
                text, edits = texts[row["row"]], [edit_from_row(edit) for edit in row["edits"]]
                yield Item(
                    id=f"{shard}-{first + place}",
                    mutant=mutant_of(text["text"], edits, row["text"]).text,
                    source=text["text"],
                    attributes=stratum[0],
                    edits=tuple(edits),
                    kept=row["kept"],
                    layer=row["layer"] or "",
                    reason=row["reason"] or "",
                    verdicts={name: row[f"verdict-{n}"] for n, name in enumerate(models)
                              if row[f"verdict-{n}"]},
                    label=text["label"] or "",
                    stratum=f"{'+'.join(stratum[0])}: {stratum[1]}",
                    weight=weights[stratum],
                    origin={"campaign": campaign, "shard": shard, "place": first + place,
                            "row": row["row"], "text": text["id"] or ""},
                )  # fmt: skip
            first += len(table)
