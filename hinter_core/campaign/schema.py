"""Define the columns of a campaign's tables, and convert rows to and from objects."""

from collections.abc import Mapping, Sequence
from typing import Any

from hinter_core.campaign.store import NOTHING, TESTED, UNUSABLE
from hinter_core.data.rows import Row
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.plan import Plan, Settings
from hinter_core.pipeline.case import FollowUp, TestCase, follow_up_of, handwritten_follow_up
from hinter_core.pipeline.export import edit_to_json, origin_to_json
from hinter_core.types import (
    ROW,
    Change,
    Conformance,
    Edit,
    EditKind,
    GrammaticalForm,
    Layer,
    Origin,
    OriginKind,
    Outcome,
    Pair,
    Prediction,
    Slot,
    Span,
    Term,
)


def text_schema() -> Any:
    """Return the columns of the table of texts."""
    import pyarrow as pa

    return pa.schema(
        [
            ("row", pa.int64()),
            ("id", pa.string()),
            ("label", pa.string()),
            ("text", pa.string()),
            ("outcome", pa.string()),
            ("detail", pa.string()),
            ("possible", pa.list_(pa.int64())),  # mutants of order 2 and up, before any limit
            ("mutants", pa.int64()),
            # Of texts from a template or grammar; null for texts of rows.
            ("origin", pa.struct([("kind", pa.string()), ("name", pa.string())])),
            ("slots", pa.list_(pa.struct([("name", pa.string()), ("span", pa.list_(pa.int32()))]))),
        ]
    )


def mutant_schema() -> Any:
    """Return the columns of the table of mutants."""
    import pyarrow as pa

    edit = pa.struct(
        [
            ("attribute", pa.string()),
            ("source", pa.string()),
            ("target", pa.string()),
            ("source_group", pa.string()),
            ("target_group", pa.string()),
            ("form", pa.string()),
            ("spans", pa.list_(pa.int32())),
            ("kind", pa.string()),  # null in version 2, which had only substitutions
            ("texts", pa.list_(pa.string())),  # of other kinds: the new text at each span
        ]
    )
    return pa.schema(
        [
            ("row", pa.int64()),
            ("order", pa.int8()),
            ("edits", pa.list_(edit)),
            ("kept", pa.bool_()),
            ("layer", pa.string()),
            ("sentence", pa.int32()),
            ("reason", pa.string()),
            ("text", pa.string()),  # of a handwritten mutant; others follow from their edits
            ("ask", pa.bool_()),
        ]
    )


def answer_schema() -> Any:
    """Return the columns of the table of a model's answers; ``mutant`` is -1 for originals."""
    import pyarrow as pa

    return pa.schema(
        [
            ("row", pa.int64()),
            ("mutant", pa.int64()),
            ("verdict", pa.string()),
            ("changed", pa.bool_()),  # relative to the answer to the original; null without one
            ("labels", pa.list_(pa.string())),
            ("scores", pa.map_(pa.string(), pa.float32())),
            ("shift", pa.float32()),
            ("margin", pa.float32()),
            ("interaction", pa.float32()),
            ("failure", pa.string()),
            ("detail", pa.string()),
            ("reply", pa.string()),
            ("masks", pa.list_(pa.map_(pa.string(), pa.float32()))),  # probabilities by word
            ("clusters", pa.list_(pa.list_(pa.int32()))),  # offsets of mentions, flattened
        ]
    )


def edit_to_row(edit: Edit) -> dict[str, Any]:
    """Convert an edit to plain values with flat spans."""
    form = edit.source.form.value
    return {**edit_to_json(edit), "form": form, "spans": _flat(edit.spans)}


def edit_from_row(row: Mapping[str, Any]) -> Edit:
    """Read an edit from a stored row; without a kind it is a substitution (version 2)."""
    form = GrammaticalForm(row["form"])
    source = Term(row["source"], row["source_group"], form)
    target = Term(row["target"], row["target_group"], form)
    flat = row["spans"]
    spans = tuple(zip(flat[::2], flat[1::2], strict=True))
    kind = EditKind(row.get("kind") or EditKind.SUBSTITUTE)
    if kind is EditKind.SUBSTITUTE:
        return Edit(Pair(row["attribute"], source, target), spans)
    texts = tuple(row.get("texts") or ())
    return Edit(Change(kind, row["attribute"], source, target, texts), spans)


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
    return {
        "row": follow_up.case.number,
        "order": mutant.order,
        "edits": [edit_to_row(edit) for edit in mutant.edits],
        "kept": conformance.kept,
        "layer": conformance.layer.value if conformance.layer else None,
        "sentence": conformance.sentence,
        "reason": conformance.reason,
        "text": mutant.text if follow_up.handwritten else None,
        "ask": follow_up.ask,
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
    return follow_up


def original_row(case: TestCase, asked: PredictionStore) -> dict[str, Any]:
    """Return a model's answer to the unchanged text."""
    return _answer(case.number, -1, case.originals[asked.model.name])


def outcome_row(place: int, follow_up: FollowUp, outcome: Outcome, model: str) -> dict[str, Any]:
    """Return a model's answer to the mutant at ``place`` of its shard, with verdict and effect."""
    case, effect, own = follow_up.case, outcome.effect, outcome.prediction
    original, same = case.originals[model], case.relation.same_answer
    answered = own is not None and own.answered and original.answered
    return {
        **_answer(case.number, place, own),
        "verdict": outcome.verdict.value,
        "changed": not same(original, own) if own is not None and answered else None,
        "shift": effect.shift if effect else None,
        "margin": effect.margin if effect else None,
        "interaction": effect.interaction if effect else None,
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
        "clusters": [_flat(cluster) for cluster in answer.clusters] or None,
    }


def _flat(spans: Sequence[Span]) -> list[int]:
    return [offset for span in spans for offset in span]
