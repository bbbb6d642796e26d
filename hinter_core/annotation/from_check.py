"""Items from a check of one text: its mutants, balanced over what became of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import sha256

from hinter_core.annotation.sampling import NOT_ASKED, WORST, Found, Stratum, balanced
from hinter_core.annotation.values import AnnotationError, Item
from hinter_core.tally_columns import is_placebo
from hinter_core.trial import Check
from hinter_core.types import Judged


def items_of_check(
    check: Check, many: int = 200, seed: int = 0, outcomes: Sequence[str] = ()
) -> list[Item]:
    """At most ``many`` mutants, one of each stratum in turn, those discarded included.

    A stratum is a set of attributes with the worst verdict of any model, or the layer of the
    invariant that the mutant broke; ``outcomes`` (of :data:`sampling.OUTCOMES`) restricts them. An
    item's ``verdicts`` are by model, ``weight`` is how many mutants of the check it stands for.
    Ids are the same for the same text, parser and edits.

    Raises:
        AnnotationError: there is nothing to judge.
    """
    strata: dict[Stratum, Found] = {}
    judged = list(zip(*check.judged.values(), strict=True))
    rng = random.Random(seed)
    for place, by_model in enumerate(judged):
        attributes = tuple(sorted(edit.attribute for edit in by_model[0].mutant.edits))
        outcome = _outcome(by_model)
        key = rng.random()
        if is_placebo(attributes) or (outcomes and outcome not in outcomes):
            continue
        found = strata.setdefault((attributes, outcome), Found())
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


def _outcome(by_model: Sequence[Judged]) -> str:
    """What became of a mutant, in words of :data:`sampling.OUTCOMES`."""
    conformance = by_model[0].conformance
    if not conformance.kept:
        return f"discarded: {conformance.layer.value}" if conformance.layer else "discarded"
    verdicts = {judged.verdict for judged in by_model}
    return next((verdict.value for verdict in WORST if verdict in verdicts), NOT_ASKED)


def _item(
    check: Check, by_model: Sequence[Judged], stratum: Stratum, weights: dict[Stratum, float]
) -> Item:
    mutant, conformance = by_model[0].mutant, by_model[0].conformance
    edits = repr([edit.key for edit in mutant.edits])
    made = sha256(f"{check.parser}\n{check.plan.text}\n{edits}".encode("utf-8", "replace"))
    return Item(
        id=f"check-{made.hexdigest()[:16]}",
        mutant=mutant.text,
        source=check.plan.text,
        attributes=stratum[0],
        edits=mutant.edits,
        kept=conformance.kept,
        layer=conformance.layer.value if conformance.layer else "",
        reason=conformance.reason,
        verdicts={
            name: judged.verdict.value for name, judged in zip(check.judged, by_model, strict=True)
        },
        stratum=f"{'+'.join(stratum[0])}: {stratum[1]}",
        weight=weights[stratum],
        origin={"check": sha256(check.plan.text.encode("utf-8", "replace")).hexdigest()[:16],
                "models": dict(check.identities)},
    )  # fmt: skip
