"""A campaign's mutants drawn for people to judge, balanced over what they are to tell apart.

A stratum is a set of attributes with an outcome: the worst verdict that any model met (hidden
before biased, benign, unanswered), or, for a discarded mutant, the layer of the invariant that it
broke: its false alarms show only if people see them. Every stratum gives the same number as far as
it can; an item knows how many mutants of the campaign it stands for.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from hinter_core.annotation.project.types import AnnotationError, AnnotationItem
from hinter_core.campaign.draw import (
    NOT_ASKED,
    WORST,
    Stratum,
    StratumCandidates,
    balanced,
    strata,
    weights,
)
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.views import Attributes, is_placebo
from hinter_core.pipeline.case import TestResult
from hinter_core.types import Layer, Outcome

OUTCOMES = (*WORST, *(f"discarded: {layer.value}" for layer in Layer))


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


def sample_campaign(store: CampaignStore, draw: Draw) -> list[AnnotationItem]:
    """Draw items; memory depends on the sample and not on the campaign.

    Raises:
        HinterError: no campaign, tables that cannot be read, or nothing to draw.
    """
    campaign, wanted = store.read()["identity"], {frozenset(names) for names in draw.attributes}
    with CampaignReader(store) as reader:
        candidates = {
            (attributes, outcome): found
            for (attributes, outcome), found in strata(reader, draw.many, draw.seed).items()
            if (not wanted or frozenset(attributes) in wanted)
            and (not draw.outcomes or outcome in draw.outcomes)
        }
        chosen = balanced(candidates, draw.many)
        if not chosen:
            raise AnnotationError(
                f"{store.folder} has no mutants of that kind; ask for other attributes or "
                "outcomes, or let the campaign run first."
            )
        stands_for = weights(candidates, chosen)
        return [
            AnnotationItem(
                id=f"{one.shard}-{one.place}",
                mutant=one.mutant,
                source=one.text,
                attributes=one.attributes,
                edits=one.edits,
                kept=one.kept,
                layer=one.layer,
                reason=one.reason,
                verdicts={name: a.verdict for name, a in one.answers.items() if a.verdict},
                label=one.label,
                stratum=_named(chosen[one.shard, one.place]),
                weight=stands_for[chosen[one.shard, one.place]],
                origin={"campaign": campaign, "shard": one.shard, "place": one.place,
                        "row": one.row, "text": one.id},
            )
            for one in reader.at(chosen)
        ]  # fmt: skip


def _named(stratum: Stratum) -> str:
    return f"{'+'.join(stratum[0])}: {stratum[1]}"


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
    candidates: dict[Stratum, StratumCandidates[int]] = {}
    judged = list(zip(*check.outcomes.values(), strict=True))
    rng, keys = random.Random(seed), list[float]()
    for place, by_model in enumerate(judged):
        attributes = tuple(sorted(edit.attribute for edit in by_model[0].mutant.edits))
        outcome = _outcome(by_model)
        keys.append(rng.random())
        if is_placebo(attributes) or (outcomes and outcome not in outcomes):
            continue
        found = candidates.setdefault((attributes, outcome), StratumCandidates())
        found.size += 1
        found.best.append(place)
    for found in candidates.values():
        found.best.sort(key=keys.__getitem__)
    chosen = balanced(candidates, many)
    if not chosen:
        raise AnnotationError("This check has no such mutants to judge; find some first.")
    stands_for = weights(candidates, chosen)
    return [_item(check, judged[place], chosen[place], stands_for) for place in sorted(chosen)]


def _outcome(by_model: Sequence[Outcome]) -> str:
    """What became of a mutant, in words of :data:`sampling.OUTCOMES`."""
    conformance = by_model[0].conformance
    if not conformance.kept:
        return f"discarded: {conformance.layer.value}" if conformance.layer else "discarded"
    verdicts = {judged.verdict.value for judged in by_model}
    return next((verdict for verdict in WORST if verdict in verdicts), NOT_ASKED)


def _item(
    check: TestResult,
    by_model: Sequence[Outcome],
    stratum: Stratum,
    stands_for: dict[Stratum, float],
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
        stratum=_named(stratum),
        weight=stands_for[stratum],
        origin={"check": sha256(check.plan.text.encode("utf-8", "replace")).hexdigest()[:16],
                "models": dict(check.identities)},
    )  # fmt: skip
