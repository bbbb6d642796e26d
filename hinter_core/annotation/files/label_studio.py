"""Tasks of Label Studio, to and from records: one record an annotation.

Format: "Label Studio Task Format" in its guide, as exported (JSON) and as imported. ``from_name``
is the id of a question. Label Studio accepts names of annotators (``completed_by``) of its own
users only, so ours stand in a text field ``annotator``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from hinter_core.annotation.files.columns import ANSWER
from hinter_core.annotation.project.types import FIRST, Project, Status
from hinter_core.data.tables import Record

_OWN = ("annotator", "comment")  # text fields beside the questions
_JUDGEMENT = ("annotator", "showing", "status", "comment", "seconds", "at")
_TO = "mutant"  # the text on the screen that answers are about


def is_task(values: Any) -> bool:
    """Whether a JSON object is a task."""
    return isinstance(values, Mapping) and isinstance(values.get("data"), Mapping)


def task_records(task: Mapping[str, Any]) -> Iterator[Record]:
    """A record for every annotation of a task, or one for a task without any."""
    data = dict(task["data"])
    # Older exports say "completions", for people who had judged before it was renamed.
    annotations = task.get("annotations") or task.get("completions") or []
    done = False
    for annotation in annotations:
        if isinstance(annotation, Mapping):
            done = True
            yield _annotation(data, annotation)
        else:
            yield data, "an annotation of it is no JSON object"
    if not done and not annotations:
        yield data, ""


def _annotation(data: Mapping[str, Any], annotation: Mapping[str, Any]) -> Record:
    values: dict[str, Any] = {
        **data,
        "annotator": _who(annotation.get("completed_by")),
        "status": Status.SKIPPED.value if annotation.get("was_cancelled") else "",
        "seconds": annotation.get("lead_time"),
        "at": annotation.get("created_at"),
    }
    fault = ""
    for result in annotation.get("result") or ():
        if not isinstance(result, Mapping) or not isinstance(result.get("value"), Mapping):
            continue
        name, value = str(result.get("from_name")), result["value"]
        if name in _OWN:
            values[name] = _text(value.get("text"))
        elif name == "showing":
            values[name] = value.get("number")
        elif "choices" in value:
            choices = value["choices"] or [""]
            if len(choices) > 1:
                fault = f"'{name}' has {len(choices)} answers; one is needed"
            values[f"{ANSWER}{name}"] = choices[0]
        else:
            kind = str(result.get("type"))
            values[f"{ANSWER}{name}"] = _text(value.get(kind, value.get("text")))
    return values, fault


def _who(completed_by: Any) -> str:
    if isinstance(completed_by, Mapping):
        full = " ".join(str(completed_by.get(k) or "") for k in ("first_name", "last_name")).strip()
        return full or str(completed_by.get("email") or completed_by.get("id") or "")
    return "" if completed_by is None else f"user {completed_by}"


def _text(value: Any) -> Any:
    return "\n".join(map(str, value)) if isinstance(value, list) else value


def tasks_of(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of items and judgements as tasks, one an item."""
    tasks: dict[str, dict[str, Any]] = {}
    for row in rows:
        ident = row["item"]
        if ident not in tasks:
            data = {
                name: value for name, value in row.items()
                if name not in _JUDGEMENT and not name.startswith(ANSWER)
            }  # fmt: skip
            tasks[ident] = {"id": len(tasks) + 1, "data": data, "annotations": []}
        if row.get("annotator"):
            number = len(tasks[ident]["annotations"]) + 1
            tasks[ident]["annotations"].append(_judged(row, f"{len(tasks)}-{number}"))
    return list(tasks.values())


def _judged(row: Mapping[str, Any], ident: str) -> dict[str, Any]:
    results: list[dict[str, Any]] = []

    def add(name: str, kind: str, value: Any) -> None:
        results.append(
            {
                "id": f"{ident}-{name}", "from_name": name, "to_name": _TO, "type": kind,
                "value": value,
            }
        )  # fmt: skip

    add("annotator", "textarea", {"text": [row["annotator"]]})
    for name, value in row.items():
        if name.startswith(ANSWER) and value:
            add(name.removeprefix(ANSWER), "choices", {"choices": [value]})
    if row["comment"]:
        add("comment", "textarea", {"text": [row["comment"]]})
    if row["showing"] != FIRST:
        add("showing", "number", {"number": row["showing"]})
    return {
        "result": results, "was_cancelled": row["status"] == Status.SKIPPED.value,
        "lead_time": row["seconds"], "created_at": row["at"],
    }  # fmt: skip


def labelling_config(project: Project) -> str:
    """The interface that Label Studio needs to show the tasks and to ask the same questions."""
    lines = ["<View>", '  <Text name="source" value="$source"/>', '  <Text name="mutant" '
             'value="$mutant"/>']  # fmt: skip
    for question in project.questions:
        lines.append(f"  <Header value={quoteattr(question.ask)}/>")
        lines.append(f'  <Choices name={quoteattr(question.id)} toName="{_TO}">')
        lines += [
            f"    <Choice value={quoteattr(a.label)} alias={quoteattr(a.value)}/>"
            for a in question.answers
        ]
        lines.append("  </Choices>")
    lines += _fields(_OWN)
    lines += [f'  <Number name="showing" toName="{_TO}" min="1" max="2"/>', "</View>", ""]
    return "\n".join(lines)


def _fields(names: Sequence[str]) -> list[str]:
    return [
        f'  <TextArea name="{name}" toName="{_TO}" placeholder="{escape(name)}"/>' for name in names
    ]
