"""A campaign's mutants drawn for people to judge, balanced over what they are to tell apart.

A stratum is a set of attributes with an outcome: the worst verdict that any model met (hidden
before biased, benign, unanswered), or, for a discarded mutant, the layer of the invariant that it
broke: its false alarms show only if people see them. Every stratum gives the same number as far as
it can; an item knows how many mutants of the campaign it stands for.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from hinter_core.annotation.project.types import AnnotationError, AnnotationItem
from hinter_core.campaign.reader import Attributes, Codebook, blocks, is_placebo, of_shard
from hinter_core.campaign.schema import edit_from_row
from hinter_core.campaign.store import CampaignStore, read_table
from hinter_core.mutation.difference import mutant_of
from hinter_core.pipeline.case import TestResult
from hinter_core.types import Layer, Outcome, Verdict

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
class StratumCandidates:
    """A stratum so far: how many mutants it has, and those with the smallest keys."""

    many: int = 0
    best: list[_Candidate] = field(default_factory=list)


def sample_campaign(store: CampaignStore, draw: Draw) -> list[AnnotationItem]:
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


def _strata(
    store: CampaignStore, models: Mapping[str, str], draw: Draw
) -> dict[Stratum, StratumCandidates]:
    import numpy

    rng = numpy.random.default_rng(draw.seed)
    book, found = Codebook(), dict[Stratum, StratumCandidates]()
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
                        stratum = found.setdefault((attributes, outcome), StratumCandidates())
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


def balanced(
    strata: Mapping[Stratum, StratumCandidates], many: int
) -> dict[tuple[int, int], Stratum]:
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
) -> Iterator[AnnotationItem]:
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
                yield AnnotationItem(
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


def items_of_check(
    check: TestResult, many: int = 200, seed: int = 0, outcomes: Sequence[str] = ()
) -> list[AnnotationItem]:
    """At most ``many`` mutants, one of each stratum in turn, those discarded included.

    A stratum is a set of attributes with the worst verdict of any model, or the layer of the
    invariant that the mutant broke; ``outcomes`` (of :data:`sampling.OUTCOMES`) restricts them. An
    item's ``verdicts`` are by model, ``weight`` is how many mutants of the check it stands for.
    Ids are the same for the same text, parser and edits.

    Raises:
        AnnotationError: there is nothing to judge.
    """
    strata: dict[Stratum, StratumCandidates] = {}
    judged = list(zip(*check.outcomes.values(), strict=True))
    rng = random.Random(seed)
    for place, by_model in enumerate(judged):
        attributes = tuple(sorted(edit.attribute for edit in by_model[0].mutant.edits))
        outcome = _outcome(by_model)
        key = rng.random()
        if is_placebo(attributes) or (outcomes and outcome not in outcomes):
            continue
        found = strata.setdefault((attributes, outcome), StratumCandidates())
        found.many += 1
        found.best.append((key, 0, place))
    for found in strata.values():
        found.best.sort()
    chosen = balanced(strata, many)
    if not chosen:
        raise AnnotationError("This check has no such mutants to judge; find some first.")
    taken = list(chosen.values())
    weights = {stratum: strata[stratum].many / taken.count(stratum) for stratum in set(taken)}
    return [_item(check, judged[place], chosen[0, place], weights) for _, place in sorted(chosen)]


def _outcome(by_model: Sequence[Outcome]) -> str:
    """What became of a mutant, in words of :data:`sampling.OUTCOMES`."""
    conformance = by_model[0].conformance
    if not conformance.kept:
        return f"discarded: {conformance.layer.value}" if conformance.layer else "discarded"
    verdicts = {judged.verdict for judged in by_model}
    return next((verdict.value for verdict in WORST if verdict in verdicts), NOT_ASKED)


def _item(
    check: TestResult, by_model: Sequence[Outcome], stratum: Stratum, weights: dict[Stratum, float]
) -> AnnotationItem:
    mutant, conformance = by_model[0].mutant, by_model[0].conformance
    edits = repr([edit.key for edit in mutant.edits])
    made = sha256(f"{check.parser}\n{check.plan.text}\n{edits}".encode("utf-8", "replace"))
    return AnnotationItem(
        id=f"check-{made.hexdigest()[:16]}",
        mutant=mutant.text,
        source=check.plan.text,
        attributes=stratum[0],
        edits=mutant.edits,
        kept=conformance.kept,
        layer=conformance.layer.value if conformance.layer else "",
        reason=conformance.reason,
        verdicts={
            name: one.verdict.value for name, one in zip(check.outcomes, by_model, strict=True)
        },
        stratum=f"{'+'.join(stratum[0])}: {stratum[1]}",
        weight=weights[stratum],
        origin={"check": sha256(check.plan.text.encode("utf-8", "replace")).hexdigest()[:16],
                "models": dict(check.identities)},
    )  # fmt: skip
