"""Columns of a campaign's tables, and rows to and from what they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hinter_core.campaign.store import NOTHING, TESTED, UNUSABLE
from hinter_core.data.rows import Row
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.difference import handwritten_mutant
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import FollowUp, TestCase
from hinter_core.pipeline.export import edit_to_json
from hinter_core.pipeline.pipeline import follow_up_of
from hinter_core.relations.oracle import same_answer
from hinter_core.types import (
    Conformance,
    Edit,
    GrammaticalForm,
    Layer,
    Outcome,
    Pair,
    Prediction,
    Term,
)


def text_schema() -> Any:
    """Columns of the table of texts."""
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
        ]
    )


def mutant_schema() -> Any:
    """Columns of the table of mutants."""
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
            ("text", pa.string()),  # of a mutant by hand; all others follow from their edits
            ("ask", pa.bool_()),
        ]
    )


def answer_schema() -> Any:
    """Columns of the table of one model's answers; ``mutant`` is -1 for the original."""
    import pyarrow as pa

    return pa.schema(
        [
            ("row", pa.int64()),
            ("mutant", pa.int64()),
            ("verdict", pa.string()),
            ("changed", pa.bool_()),  # against the original's answer; null where there is none
            ("labels", pa.list_(pa.string())),
            ("scores", pa.map_(pa.string(), pa.float32())),
            ("shift", pa.float32()),
            ("margin", pa.float32()),
            ("interaction", pa.float32()),
            ("failure", pa.string()),
            ("detail", pa.string()),
            ("reply", pa.string()),
        ]
    )


def edit_to_row(edit: Edit) -> dict[str, Any]:
    """An edit as plain values; spans are flattened."""
    flat = [offset for span in edit.spans for offset in span]
    return {**edit_to_json(edit), "form": edit.pair.source.form.value, "spans": flat}


def edit_from_row(row: Mapping[str, Any]) -> Edit:
    """The edit of a stored row."""
    form = GrammaticalForm(row["form"])
    source = Term(row["source"], row["source_group"], form)
    target = Term(row["target"], row["target_group"], form)
    flat = row["spans"]
    spans = tuple(zip(flat[::2], flat[1::2], strict=True))
    return Edit(Pair(row["attribute"], source, target), spans)


def text_row(
    row: Row, plan: Plan | None, why: str, mutants: int, *, tested: bool
) -> dict[str, Any]:
    """A text with its named outcome; ``why`` it is not usable, or has no intersection."""
    return {
        "row": row.number,
        "id": row.id,
        "label": row.label,
        "text": plan.text if plan is not None else row.text,
        "outcome": UNUSABLE if plan is None else TESTED if tested else NOTHING,
        "detail": why,
        "possible": plan.totals if plan is not None else [],
        "mutants": mutants,
    }


def mutant_row(item: FollowUp) -> dict[str, Any]:
    """A mutant as its edits, and what the invariant says of it."""
    conformance = item.conformance
    return {
        "row": item.trial.number,
        "order": item.mutant.order,
        "edits": [edit_to_row(edit) for edit in item.mutant.edits],
        "kept": conformance.kept,
        "layer": conformance.layer.value if conformance.layer else None,
        "sentence": conformance.sentence,
        "reason": conformance.reason,
        "text": item.mutant.text if item.by_hand else None,
        "ask": item.ask,
    }


def stored_follow_up(row: Mapping[str, Any], trial: TestCase) -> FollowUp:
    """The mutant of a stored row, on trial; positions of a mismatch are not stored."""
    edits = tuple(edit_from_row(edit) for edit in row["edits"])
    by_hand = row.get("text") is not None
    item = (
        handwritten_follow_up(trial, row["text"], edits, ask=row["ask"])
        if by_hand
        else follow_up_of(trial, edits)
    )
    layer = Layer(row["layer"]) if row["layer"] else None
    item.conformance = Conformance(row["kept"], layer, row["sentence"], (), row["reason"])
    return item


def handwritten_follow_up(
    trial: TestCase, text: str, edits: tuple[Edit, ...], *, ask: bool
) -> FollowUp:
    """A mutant by hand, on trial."""
    mutant = handwritten_mutant(trial.plan.text, text, edits)
    return FollowUp(trial, mutant, frozenset(edits), by_hand=True, ask=ask)


def original_row(trial: TestCase, asked: PredictionStore) -> dict[str, Any]:
    """A model's answer to the unchanged text."""
    return _answer(trial.number, -1, trial.originals[asked.model.name])


def judged_row(place: int, item: FollowUp, judged: Outcome, model: str) -> dict[str, Any]:
    """A model's answer to the mutant at ``place`` of its shard, with verdict and effect."""
    effect, original, own = judged.effect, item.trial.originals[model], judged.prediction
    answered = own is not None and own.answered and original.answered
    return {
        **_answer(item.trial.number, place, judged.prediction),
        "verdict": judged.verdict.value,
        "changed": not same_answer(original, own) if own is not None and answered else None,
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
    }
