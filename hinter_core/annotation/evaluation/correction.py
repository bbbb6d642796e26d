"""Restrict a campaign's rates to mutants judged valid, and correct them for invalid ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinter_core.annotation.evaluation.answers import (
    Valid,
    clustered,
    majority_votes,
    validity,
)
from hinter_core.annotation.evaluation.invariant import Part, parts_of, weights_of
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import AnnotationError, AnnotationItem, Status
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import Attributes, is_placebo
from hinter_core.report.model import Report, ReportRow
from hinter_core.report.mutants.validity import CorrectedRow, JudgedByPeople, verdicts_of
from hinter_core.statistics.rates import Estimate, WeightedShare, estimate, weighted_share, wilson
from hinter_core.types import Verdict
from hinter_core.validity.survey import kept_at

if TYPE_CHECKING:
    from numpy import ndarray

# Verdicts of test cases; the errors last.
_CASES = (Verdict.BENIGN.value, Verdict.BIASED.value, Verdict.HIDDEN.value)
_ERRORS = _CASES[1:]


@dataclass(frozen=True, slots=True)
class Case:
    """A judged mutant with a model's verdict; ``row`` of its source; ``weight`` in the sample."""

    row: int
    attributes: Attributes
    verdict: str
    valid: bool
    weight: float


def judged_by_people(
    store: CampaignStore, report: Report, project: AnnotationStore
) -> JudgedByPeople:
    """Correct a campaign's rates by a project with a sample of its mutants.

    Raises:
        AnnotationError: the project was not drawn from this campaign, or nothing is decided.
        HinterError: campaign or project cannot be read.
    """
    settings, every = project.project(), list(project.items())
    items = [item for item in every if item.origin.get("campaign") == report.identity]
    if not items:
        raise AnnotationError(
            f"Project \u201c{settings.name}\u201d was not drawn from this campaign "
            f"({report.identity}); give the project whose mutants are of it."
        )
    _require_fit(store, items)
    judgements = [one for one in project.judgements() if one.status is Status.JUDGED]
    valid = validity(items, settings.questions, majority_votes(judgements, project.adjudications()))
    decided = [item for item in items if valid[item.id] is not None]
    if not decided:
        raise AnnotationError(
            f"Nothing is decided in project \u201c{settings.name}\u201d yet: no mutant was judged "
            "by a question whose answers say whether it is valid."
        )
    kept = [bool(valid[item.id]) for item in decided if item.kept]
    discarded = [bool(valid[item.id]) for item in decided if not item.kept]
    part, _ = parts_of(items, {i.id for i in decided}, {i.id: bool(i.kept) for i in items})
    return JudgedByPeople(
        settings.name,
        len({one.annotator for one in judgements}),
        len(items),
        wilson(sum(kept), len(kept)),
        wilson(sum(discarded), len(discarded)),
        len(items) - len(decided),
        len(every) - len(items),
        round(part.decided),
        round(part.of),
        list(_lines(store, report, decided, valid, weights_of(items, valid), part)),
    )


def _require_fit(store: CampaignStore, items: Sequence[AnnotationItem]) -> None:
    """Check that each item matches the mutant at its place in the campaign."""
    places = {}
    for item in items:
        shard, place = item.origin.get("shard"), item.origin.get("place")
        if isinstance(shard, int) and isinstance(place, int):
            places[item.id] = (shard, place)
    known = kept_at(store, places.values())
    for item in items:
        if item.id not in places or known.get(places[item.id]) is not item.kept:
            raise AnnotationError(
                f"Item \u201c{item.id[:60]}\u201d does not fit the campaign's mutants; run hinter "
                "verify, or draw a new project."
            )


def _lines(
    store: CampaignStore,
    report: Report,
    items: Iterable[AnnotationItem],
    valid: Valid,
    weights: Mapping[str, float],
    part: Part,
) -> Iterator[CorrectedRow]:
    """Yield a row per model and set of attributes, and the atomic and intersectional totals.

    ``part``: what the decided items stand for; if that is too little, no rate is corrected.
    """
    places = {(item.origin["shard"], item.origin["place"]): item for item in items}
    verdicts = verdicts_of(store, places)
    for model in report.models:
        cases = []
        for place, verdict in verdicts[model.model].items():
            item = places[place]
            if verdict in _CASES:
                row, weight = int(item.origin.get("row", -1)), weights.get(item.id, 0.0)
                cases.append(Case(row, item.attributes, verdict, bool(valid[item.id]), weight))
        for line in [*model.lines, model.atomic, model.intersectional]:
            if line.errors.of:
                judged = [case for case in cases if _belongs(case, line)]
                yield _corrected(model.model, line, judged, part)


def _belongs(case: Case, line: ReportRow) -> bool:
    if line.attributes:
        return frozenset(case.attributes) == frozenset(line.attributes)
    return not is_placebo(case.attributes) and (len(case.attributes) == 1) == (line.order == 1)


def _corrected(model: str, line: ReportRow, judged: Sequence[Case], part: Part) -> CorrectedRow:
    good = [case for case in judged if case.valid]
    errors = [case for case in good if case.verdict in _ERRORS]
    hidden = line.hidden is not None
    corrected, corrected_hidden = corrected_rates(line.verdicts, judged)
    if not part.enough:
        corrected = corrected_hidden = Estimate(None, why=part.too_few("kept"))
    return CorrectedRow(
        model,
        line.name,
        line.errors,
        line.hidden,
        wilson(len(good), len(judged)),
        clustered((case.row, case.verdict in _ERRORS, 1) for case in good),
        clustered((case.row, case.verdict == _CASES[2], 1) for case in errors) if hidden else None,
        corrected,
        corrected_hidden if hidden else None,
    )


def corrected_rates(
    verdicts: Mapping[str, int], cases: Sequence[Case], seed: int = 0
) -> tuple[Estimate, Estimate]:
    """Estimate the error rate of valid mutants, and the share of hidden ones among their errors.

    ``verdicts``: numbers of the campaign's mutants by verdict. The estimator is post-stratified by
    verdict: the share of valid mutants in each comes from its judged ``cases`` and their weights.
    """
    cells = {
        name: weighted_share(
            ((case.valid, case.weight, str(case.row)) for case in cases if case.verdict == name),
            verdicts[name],
        )
        for name in _CASES
        if verdicts.get(name)
    }
    return _rate(cells, _ERRORS, _CASES, seed), _rate(cells, _ERRORS[1:], _ERRORS, seed)


def _rate(
    cells: Mapping[str, WeightedShare], hits: Sequence[str], of: Sequence[str], seed: int
) -> Estimate:
    """Estimate the share of verdicts ``hits`` among valid mutants with verdicts ``of``."""
    import numpy

    names = [name for name in of if name in cells]
    unseen = [name for name in names if cells[name].share is None]
    if unseen:
        return Estimate(None, why=f"no {unseen[0]} mutant of these was judged")
    if names and not set(hits) & set(names):
        return Estimate(0.0, why="no mutant has such a verdict")

    def figure(shares: Sequence[ndarray]) -> ndarray:
        good = {name: cells[name].total * share for name, share in zip(names, shares, strict=True)}
        top = sum(good[name] for name in names if name in hits)
        return numpy.asarray(top / sum(good.values()))

    return estimate([cells[name] for name in names], figure, seed)
