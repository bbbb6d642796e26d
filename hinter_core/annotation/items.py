"""Draw items to judge from a campaign or a check, and run the invariant on imported ones.

Samples are stratified and balanced. A stratum is a set of attributes with an outcome: the worst
verdict of any model (hidden before biased, benign, unanswered), or, for a discarded mutant, the
layer of the invariant that it violates, as false alarms show only if people see them. All strata
give an item if the limit allows; apart from that, outcomes, attributes and texts are each as even
as they can be. An item's ``weight`` is the number of mutants that it represents. Of a prioritised
run, mutants of an audit and chosen ones are strata of their own, as rates are of the audit alone.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import AnnotationError, AnnotationItem
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import Attributes, is_placebo
from hinter_core.errors import InputError
from hinter_core.files.columns import as_text
from hinter_core.files.source import open_source
from hinter_core.language.clean import clean
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences
from hinter_core.pipeline.case import TestResult
from hinter_core.pipeline.pipeline import chunks
from hinter_core.relations import invariant
from hinter_core.types import Layer, Outcome, Sentence
from hinter_core.validity.draw import (
    CHOSEN,
    NOT_ASKED,
    WORST,
    Candidate,
    Stratum,
    StratumCandidates,
    balanced,
    strata,
    weights,
)

OUTCOMES = (*WORST, *(f"discarded: {layer.value}" for layer in Layer))
_MOST_LABELS = 9  # that have a key each
_BATCH = 64  # items whose sentences are parsed at once


def sample_campaign(
    store: CampaignStore,
    many: int = 200,
    seed: int = 0,
    outcomes: Sequence[str] = (),
    attributes: Iterable[Attributes] = (),
    validity: float = 0.0,
) -> list[AnnotationItem]:
    """Draw up to ``many`` mutants of a campaign; memory depends on the sample only.

    ``outcomes``: of :data:`OUTCOMES` (empty: all). ``attributes``: exactly these sets (empty: all
    but placebo). ``validity``: least validity score.

    Raises:
        HinterError: no campaign, tables that cannot be read, or nothing to draw.
    """
    campaign, wanted = store.read()["identity"], {frozenset(names) for names in attributes}
    with CampaignReader(store) as reader:
        found = strata(reader, many, seed, validity=validity)
        candidates = {
            (names, outcome): in_stratum
            for (names, outcome), in_stratum in found.items()
            if (not wanted or frozenset(names) in wanted)
            and (not outcomes or outcome.removesuffix(CHOSEN) in outcomes)
        }
        chosen = balanced(candidates, many, seed)
        if not chosen:
            raise AnnotationError(
                f"{store.folder} has no mutants of that kind; ask for other attributes or "
                "outcomes or a lower validity, or let the campaign run first."
            )
        represented = weights(candidates, chosen)
        strata_of = {one.place: name for name, some in chosen.items() for one in some}
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
                validity=round(one.validity, 3),
                soft=_rounded(one.soft),
                unfair=_rounded(one.unfair),
                across_people=one.across_people,
                verdicts={name: a.verdict for name, a in one.answers.items() if a.verdict},
                label=one.label,
                stratum=_named(strata_of[one.shard, one.place]),
                weight=represented[one.shard, one.place],
                origin={"campaign": campaign, "shard": one.shard, "place": one.place,
                        "row": one.row, "text": one.id},
            )
            for one in reader.at(represented)
        ]  # fmt: skip


def _rounded(grade: float | None) -> float | None:
    return None if grade is None else round(grade, 3)  # older campaigns know only the validity


def _named(stratum: Stratum) -> str:
    return f"{'+'.join(stratum[0])}: {stratum[1]}"


def labels_of_campaign(store: CampaignStore) -> list[str]:
    """Return the labels of a campaign's data that a question may offer; none if they are too many.

    Raises:
        HinterError: no campaign, or tables that cannot be read.
    """
    with CampaignReader(store, ()) as reader:
        texts = reader.tables().texts
        found = reader.run(
            f"SELECT DISTINCT label FROM ({texts}) LIMIT {_MOST_LABELS + 2}"  # noqa: S608 -- ours
        )
    return _offered(label or "" for (label,) in found)


def labels_of_file(path: Path) -> list[str]:
    """Return the labels in the first rows of a file, as :func:`labels_of_campaign` does.

    Raises:
        InputError: the file cannot be read.
    """
    head = open_source(path).head
    return _offered(
        as_text(row[name]) for row, _ in head for name in row if name.strip().casefold() == "label"
    )


def _offered(labels: Iterable[str]) -> list[str]:
    found = sorted({label.strip() for label in labels} - {""})
    return found if 1 < len(found) <= _MOST_LABELS else []


def items_of_check(
    result: TestResult,
    many: int = 200,
    seed: int = 0,
    outcomes: Sequence[str] = (),
    validity: float = 0.0,
) -> list[AnnotationItem]:
    """Draw up to ``many`` mutants of a check with ``outcomes`` (empty: all of :data:`OUTCOMES`).

    Ids are the same for the same text, parser and edits.

    Raises:
        AnnotationError: there is nothing to judge.
    """
    candidates: dict[Stratum, StratumCandidates[int]] = {}
    judged = list(zip(*result.outcomes.values(), strict=True))
    rng = random.Random(seed)
    keys = [rng.random() for _ in judged]
    for place in sorted(range(len(judged)), key=keys.__getitem__):
        first, outcome = judged[place][0], _outcome(judged[place])
        attributes = tuple(sorted(edit.attribute for edit in first.mutant.edits))
        fits = first.validity.fair >= validity
        if fits and not is_placebo(attributes) and (not outcomes or outcome in outcomes):
            in_stratum = candidates.setdefault((attributes, outcome), StratumCandidates())
            in_stratum.size += 1
            in_stratum.best.append(Candidate(place, ""))
    chosen = balanced(candidates, many, seed)
    if not chosen:
        raise AnnotationError("This check has no such mutants to judge; find some first.")
    represented, text = weights(candidates, chosen), result.plan.text
    strata_of = {one.place: name for name, some in chosen.items() for one in some}
    origin = {"check": _digest(text), "models": dict(result.identities)}
    items = []
    for place, stratum in sorted(strata_of.items()):
        first = judged[place][0]
        mutant, conformance, grades = first.mutant, first.conformance, first.validity
        edits = repr([edit.key for edit in mutant.edits])
        made = _digest("\n".join((result.parser, text, edits)))
        items.append(
            AnnotationItem(
                id=f"check-{made}",
                mutant=mutant.text,
                source=text,
                attributes=stratum[0],
                edits=mutant.edits,
                kept=conformance.kept,
                layer=conformance.layer.value if conformance.layer else "",
                reason=conformance.reason,
                validity=round(grades.fair, 3),
                soft=round(grades.soft, 3),
                unfair=round(grades.unfair, 3),
                across_people=result.plan.across_people(mutant.edits),
                verdicts={
                    name: one.verdict.value
                    for name, one in zip(result.outcomes, judged[place], strict=True)
                },
                stratum=_named(stratum),
                weight=represented[place],
                origin=origin,
            )
        )
    return items


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _outcome(by_model: Sequence[Outcome]) -> str:
    conformance = by_model[0].conformance
    if not conformance.kept:
        return f"discarded: {conformance.layer.value}" if conformance.layer else "discarded"
    verdicts = {judged.verdict.value for judged in by_model}
    return next((verdict for verdict in WORST if verdict in verdicts), NOT_ASKED)


def fill_invariant(store: AnnotationStore, parses: ParseStore) -> tuple[int, int]:
    """Run the invariant on the pairs of a project without verdict; count kept and discarded ones.

    Raises:
        AnnotationError: the file cannot be read or written.
    """
    kept = discarded = 0
    pairs = [item for item in store.items() if item.source and item.kept is None]
    for batch in chunks(conform_pairs(pairs, parses), _BATCH):
        store.replace_items(batch)
        kept += sum(item.kept is True for item in batch)
        discarded += sum(item.kept is False for item in batch)
    return kept, discarded


def conform_pairs(items: Iterable[AnnotationItem], parses: ParseStore) -> Iterator[AnnotationItem]:
    """Yield the items, with ``kept``, ``layer`` and ``reason`` if they have a source.

    Both texts are cleaned, split and, where they differ, parsed (HInter, Algorithm 3). Items
    without source, with a verdict, or with a text without letters are unchanged.
    """
    for batch in chunks(items, _BATCH):
        split = [_split(item) for item in batch]
        verdicts = iter(invariant.check_all([both for both in split if both], parses))
        for item, both in zip(batch, split, strict=True):
            if both:
                verdict = next(verdicts)
                layer = verdict.layer.value if verdict.layer else ""
                item = replace(item, kept=verdict.kept, layer=layer, reason=verdict.reason)
            yield item


def _split(item: AnnotationItem) -> tuple[list[Sentence], list[Sentence]] | None:
    if not item.source or item.kept is not None:
        return None
    try:
        source, mutant = clean(item.source)[0], clean(item.mutant)[0]
    except InputError:
        return None
    return split_sentences(source), split_sentences(mutant)
