"""Results of a text as JSON and as table rows, for the command line and for downloads."""

from typing import Any

from hinter_core.mutation.edits import as_written
from hinter_core.mutation.plan import Plan
from hinter_core.pipeline.case import TestResult
from hinter_core.types import ROW, Edit, EditKind, Effect, Outcome, Prediction


def check_to_json(result: TestResult, model: str) -> dict[str, Any]:
    """Return one model's results as plain values.

    ``spans`` are ``[start, end]`` character offsets on the top-level ``text`` and cover the words
    replaced; ``reason`` says why a mutant was discarded or unanswered.
    """
    noise, neutral = result.noise.get(model), result.neutral.get(model)
    return {
        "text": result.plan.text,
        **origin_to_json(result.plan),
        "model": model,
        "identity": result.identities[model],
        "parser": result.parser,
        "noise": noise
        and {
            "asked": noise.asked,
            "answered": noise.answered,
            "flips": noise.flips,
            "answers": [{"labels": list(labels), "times": n} for labels, n in noise.answers],
        },
        "neutral": neutral
        and {"order": neutral.order, "answered": neutral.answered, "flips": neutral.flips},
        "original": prediction_to_json(result.originals[model]),
        "mutants": [_outcome_to_json(result.plan, outcome) for outcome in result.outcomes[model]],
        "counts": result.counts(model),
        "counts_across_people": result.counts(model, across_people=True),
        "notices": result.notices,
        "rejected": [
            {
                "attribute": r.occurrence.attribute,
                "surface": r.occurrence.surface,
                "span": list(r.occurrence.span),
                "reason": r.reason,
            }
            for r in result.plan.rejected
        ],
        "refused": [
            {
                "attribute": r.edit.attribute,
                "source": r.edit.source.text,
                "target": r.edit.target.text,
                "reason": r.reason,
            }
            for r in result.plan.refused
        ],
    }


def prediction_to_json(prediction: Prediction | None) -> dict[str, Any]:
    """Return the fields that the task fills, and of a failure ``failure`` and ``detail``."""
    prediction = prediction or Prediction()
    values: dict[str, Any] = {
        "labels": list(prediction.labels),
        "scores": {label: round(score, 6) for label, score in prediction.scores.items()},
    }
    if prediction.failure:
        values |= {"failure": prediction.failure.value, "detail": prediction.detail}
    if prediction.reply:
        values["reply"] = prediction.reply
    if prediction.masks:
        values["masks"] = [
            {word: round(score, 6) for word, score in mask.items()} for mask in prediction.masks
        ]
    if prediction.clusters:
        values["clusters"] = [[list(span) for span in cluster] for cluster in prediction.clusters]
    return values


def origin_to_json(plan: Plan) -> dict[str, Any]:
    """Return origin and slots of a text; nothing for the text of a row."""
    if plan.origin == ROW:
        return {}
    return {
        "origin": {"kind": plan.origin.kind.value, "name": plan.origin.name},
        "slots": [{"name": slot.name, "span": list(slot.span)} for slot in plan.slots],
    }


def edit_to_json(edit: Edit) -> dict[str, Any]:
    """Return kind, words, groups and spans of an edit; unless it is a pair, also its texts."""
    change = edit.change
    source, target = change.source, change.target
    values: dict[str, Any] = {
        "attribute": change.attribute,
        "source": source.text,
        "target": target.text,
        "source_group": source.group,
        "target_group": target.group,
        "spans": [list(span) for span in edit.spans],
        "kind": change.kind.value,
    }
    if change.texts or change.kind is not EditKind.SUBSTITUTE:
        values["texts"] = list(change.texts)
    return values


def _outcome_to_json(plan: Plan, outcome: Outcome) -> dict[str, Any]:
    effect = outcome.effect or Effect("")
    return {
        "edits": [edit_to_json(edit) for edit in outcome.mutant.edits],
        "order": outcome.mutant.order,
        "across_people": plan.across_people(outcome.mutant.edits),
        "text": outcome.mutant.text,
        "valid": outcome.conformance.kept,
        "validity": round(outcome.validity.fair, 3),
        "validity_parts": {
            name: round(part, 3) for name, part in outcome.validity._asdict().items()
        },
        "reason": reason(outcome),
        **prediction_to_json(outcome.prediction),
        "verdict": outcome.verdict.value,
        "grade": outcome.grade,
        "shift": _rounded(effect.shift),
        "distance": _rounded(effect.distance),
        "interaction": _rounded(effect.interaction),
    }


def reason(outcome: Outcome) -> str:
    """Explain why a mutant was discarded or unanswered; "" otherwise."""
    if not outcome.conformance.kept:
        return outcome.conformance.reason
    if outcome.prediction is not None and outcome.prediction.failure:
        return outcome.prediction.detail or outcome.prediction.failure.value
    return ""


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def check_to_rows(result: TestResult) -> list[dict[str, Any]]:
    """Return one flat row per mutant and model, with three columns per attribute."""
    rows = []
    for model, outcomes in result.outcomes.items():
        for outcome in outcomes:
            mutant, answer = outcome.mutant, outcome.prediction
            effect = outcome.effect or Effect("")
            row: dict[str, Any] = {
                "model": model,
                "verdict": outcome.verdict.value,
                "grade": outcome.grade or "",
                "order": mutant.order,
            }
            by_attribute = {edit.attribute: edit for edit in as_written(mutant.edits)}
            for attribute in result.plan.attributes:
                edit = by_attribute.get(attribute)
                row[attribute] = edit.in_words if edit else ""
                row[f"{attribute} from"] = edit.source.group if edit else ""
                row[f"{attribute} to"] = edit.target.group if edit else ""
            rows.append(
                row
                | {
                    "answer": ", ".join(answer.labels) if answer else "",
                    "reply": answer.reply if answer else "",
                    "shift": _rounded(effect.shift),
                    "interaction": _rounded(effect.interaction),
                    "valid": outcome.conformance.kept,
                    "validity": round(outcome.validity.fair, 3),
                    "soft": round(outcome.validity.soft, 3),
                    "unfair": round(outcome.validity.unfair, 3),
                    "across people": result.plan.across_people(mutant.edits),
                    "reason": reason(outcome),
                    "text": mutant.text,
                }
            )
    return rows
