"""Columns of a campaign's tables, and rows to and from what they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hinter_core.export import edit_to_json
from hinter_core.models.store import PredictionStore
from hinter_core.planning import Plan
from hinter_core.probe import item_of
from hinter_core.rows import Row
from hinter_core.shards import NOTHING, TESTED, UNUSABLE
from hinter_core.trial import Item, Trial
from hinter_core.types import (
    Conformance,
    Edit,
    Form,
    Judged,
    Layer,
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
    form = Form(row["form"])
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


def mutant_row(item: Item) -> dict[str, Any]:
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
    }


def stored_item(row: Mapping[str, Any], trial: Trial) -> Item:
    """The mutant of a stored row, on trial; positions of a mismatch are not stored."""
    item = item_of(trial, tuple(edit_from_row(edit) for edit in row["edits"]))
    layer = Layer(row["layer"]) if row["layer"] else None
    item.conformance = Conformance(row["kept"], layer, row["sentence"], (), row["reason"])
    return item


def original_row(trial: Trial, asked: PredictionStore) -> dict[str, Any]:
    """A model's answer to the unchanged text."""
    return _answer(trial.number, -1, trial.originals[asked.model.name])


def judged_row(place: int, item: Item, judged: Judged) -> dict[str, Any]:
    """A model's answer to the mutant at ``place`` of its shard, with verdict and effect."""
    effect = judged.effect
    return {
        **_answer(item.trial.number, place, judged.prediction),
        "verdict": judged.verdict.value,
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
