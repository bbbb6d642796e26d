"""Texts, mutants and answers as rows of a campaign's tables, and back."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from hinter_core.campaign.store import NOTHING, TESTED, UNUSABLE
from hinter_core.campaign.tables import edit_from_row, edits_to_rows, is_placebo
from hinter_core.data.rows import Row
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import FollowUp, TestCase, follow_up_of, handwritten_follow_up
from hinter_core.pipeline.export import origin_to_json
from hinter_core.relations.family import relation_name
from hinter_core.types import (
    ROW,
    Conformance,
    Effect,
    Failure,
    Grades,
    Layer,
    Origin,
    OriginKind,
    Outcome,
    Prediction,
    Slot,
)


def text_row(
    row: Row, plan: Plan | None, why: str, mutants: int, *, tested: bool
) -> dict[str, Any]:
    """Return a text with its outcome; ``why`` it is unusable or has no intersection."""
    return {
        "row": row.number,
        "id": row.id,
        "label": row.label,
        "text": plan.text if plan is not None else row.text,
        "outcome": UNUSABLE if plan is None else TESTED if tested else NOTHING,
        "detail": why,
        "possible": plan.totals if plan is not None else [],
        "mutants": mutants,
        **(origin_to_json(plan) if plan is not None else {}),
    }


def plan_from_row(row: Mapping[str, Any], settings: Settings, *attributes: str) -> Plan:
    """Return the plan of a stored text, without edits."""
    origin, slots = row.get("origin"), row.get("slots") or ()
    return Plan.of_text(
        row["text"],
        settings,
        attributes,
        origin=Origin(OriginKind(origin["kind"]), origin["name"]) if origin else ROW,
        slots=tuple(Slot(slot["name"], (slot["span"][0], slot["span"][1])) for slot in slots),
    )


def mutant_row(follow_up: FollowUp) -> dict[str, Any]:
    """Return a mutant as its edits and the result of the invariant."""
    conformance, mutant = follow_up.conformance, follow_up.mutant
    grades = follow_up.validity
    neutral = is_placebo(tuple(edit.attribute for edit in mutant.edits))
    return {
        "row": follow_up.case.number,
        "order": mutant.order,
        "edits": edits_to_rows(mutant.edits),
        "kept": conformance.kept,
        "layer": conformance.layer.value if conformance.layer else None,
        "sentence": conformance.sentence,
        "reason": conformance.reason,
        "text": mutant.text if follow_up.handwritten else None,
        "ask": follow_up.ask,
        "validity": grades.fair,
        "soft": grades.soft,
        "unfair": grades.unfair,
        "relation": relation_name(mutant.edits, follow_up.case.plan.together),
        "across_people": None if neutral else follow_up.case.plan.across_people(mutant.edits),
    }


def stored_follow_up(row: Mapping[str, Any], case: TestCase) -> FollowUp:
    """Return the follow-up of a stored row; positions of a mismatch are not stored."""
    edits = tuple(edit_from_row(edit) for edit in row["edits"])
    handwritten = row.get("text") is not None
    follow_up = (
        handwritten_follow_up(case, row["text"], edits, ask=row["ask"])
        if handwritten
        else follow_up_of(case, edits)
    )
    layer = Layer(row["layer"]) if row["layer"] else None
    follow_up.conformance = Conformance(row["kept"], layer, row["sentence"], (), row["reason"])
    if row.get("unfair") is not None:
        follow_up.graded = Grades(row["validity"], row["soft"], row["unfair"])
    return follow_up


def original_row(case: TestCase, store: PredictionStore) -> dict[str, Any]:
    """Return a model's answer to the unchanged text, and how its repetitions answered."""
    noise = case.noise.get(store.model.name)
    return {
        **_answer(case.number, -1, case.originals[store.model.name]),
        "repeated": noise.answered if noise else None,
        "differing": noise.flips if noise else None,
    }


def answer_from_row(row: Mapping[str, Any]) -> Prediction | None:
    """Return the answer or the reply of a stored row, which may be old; None if it has none."""
    failure = Failure(row["failure"]) if row["failure"] else None
    told = any(row.get(part) for part in ("labels", "scores", "reply", "masks", "clusters"))
    # What was not asked has no failure either; several labels may be none of them.
    if not told and (failure or (row["mutant"] >= 0 and row["changed"] is None)):
        return None
    return Prediction(
        tuple(row["labels"]),
        dict(row["scores"]),
        failure,
        row["detail"] or "",
        row["reply"] or "",
        tuple(map(dict, row.get("masks") or ())),
        tuple(tuple(zip(one[::2], one[1::2], strict=True)) for one in row.get("clusters") or ()),
    )


def not_asked_row(row: int, mutant: int) -> dict[str, Any]:
    """Return the row of what a prioritised run did not ask; it has no verdict."""
    return {**_answer(row, mutant, Prediction(failure=Failure.NOT_ASKED)), "verdict": None}


def outcome_row(place: int, follow_up: FollowUp, outcome: Outcome) -> dict[str, Any]:
    """Return a model's answer to the mutant at ``place`` of its shard, with verdict and effect."""
    effect = outcome.effect or Effect("")
    return {
        **_answer(follow_up.case.number, place, outcome.prediction),
        "verdict": outcome.verdict.value,
        "changed": outcome.changed,
        "shift": effect.shift,
        "distance": effect.distance,
        "interaction": effect.interaction,
    }


def _answer(row: int, mutant: int, prediction: Prediction | None) -> dict[str, Any]:
    answer = prediction or Prediction()
    return {
        "row": row,
        "mutant": mutant,
        "labels": list(answer.labels),
        "scores": list(answer.scores.items()),
        "failure": answer.failure.value if answer.failure else None,
        "detail": answer.detail or None,
        "reply": answer.reply or None,
        "masks": [list(mask.items()) for mask in answer.masks] or None,
        "clusters": [list(chain(*cluster)) for cluster in answer.clusters] or None,
    }
