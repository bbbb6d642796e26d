"""Read and write tasks of Label Studio and records of Argilla 2.

Label Studio: the "Label Studio Task Format" of its guide, as exported (JSON) and as imported.
``from_name`` is the id of a question. It accepts names of annotators (``completed_by``) of its own
users only, so ours stand in a text field ``annotator``. The owner's decisions are annotations of
nobody that are its ground truth.

Argilla: records as ``to_list`` exports them (nested or flat) and as its data sets hold them (flat),
a JSON object a line. It knows annotators by UUIDs and has no place for showings, comments and
seconds, so these stand in the metadata ``hinter``, by the UUID made of annotator and showing.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID, uuid5
from xml.sax.saxutils import quoteattr

from hinter_core.annotation.files.columns import ANSWER
from hinter_core.annotation.files.rows import DECIDED
from hinter_core.annotation.project.types import FIRST, Project, Status, as_json
from hinter_core.files.containers import Record

_JUDGEMENT = (
    "annotator", "showing", "status", "comment", "seconds", "at", "annotator_excluded",
    "annotator_entry",
)  # fmt: skip
_Row = Mapping[str, Any]


def platform_records(values: _Row) -> Iterator[Record]:
    """Yield the records of a JSON object: of a task or record by judgement, else the object."""
    if isinstance(values.get("data"), Mapping):
        yield from _task_records(values)
    elif isinstance(values.get("fields"), Mapping) or any(
        name.endswith(".responses.users") for name in values
    ):
        yield from _argilla_records(values)
    else:
        yield values, ""


def _by_item(rows: Iterable[_Row]) -> Iterator[tuple[dict[str, Any], list[_Row]]]:
    """Yield the values of each item, and its rows with a judgement or the owner's decisions."""
    for _, group in groupby(rows, itemgetter("item")):
        of_item = list(group)
        values = {
            name: value
            for name, value in of_item[0].items()
            if name not in _JUDGEMENT and not name.startswith(ANSWER)
        }
        yield values, [row for row in of_item if row.get("status")]


def _answers(row: _Row) -> dict[str, Any]:
    return {
        name.removeprefix(ANSWER): value
        for name, value in row.items()
        if name.startswith(ANSWER) and value
    }


# -- Label Studio -------------------------------------------------------------------------------

_OF_PERSON = ("annotator_excluded", "annotator_entry")
_TEXT_FIELDS = ("annotator", "comment")  # beside the questions
_TO = "mutant"  # the text on the screen that answers are about


def _task_records(task: _Row) -> Iterator[Record]:
    data = dict(task["data"])
    # Older exports call the annotations completions.
    annotations = task.get("annotations") or task.get("completions") or []
    for annotation in annotations:
        if isinstance(annotation, Mapping):
            yield _annotation(data, annotation)
        else:
            yield data, "an annotation of it is no JSON object"
    if not annotations:
        yield data, ""


def _annotation(data: _Row, annotation: _Row) -> Record:
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
        if name in _TEXT_FIELDS:
            values[name] = _text(value.get("text"))
            if isinstance(meta := result.get("meta"), Mapping):
                values |= {name: meta[name] for name in _OF_PERSON if name in meta}
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
    if annotation.get("ground_truth") and not values["annotator"]:
        values["status"] = DECIDED
    return values, fault


def _who(completed_by: Any) -> str:
    if isinstance(completed_by, Mapping):
        full = " ".join(str(completed_by.get(k) or "") for k in ("first_name", "last_name")).strip()
        return full or str(completed_by.get("email") or completed_by.get("id") or "")
    return "" if completed_by is None else f"user {completed_by}"


def _text(value: Any) -> Any:
    return "\n".join(map(str, value)) if isinstance(value, list) else value


def tasks_of(rows: Iterable[_Row]) -> list[dict[str, Any]]:
    """Return the rows of a project as Label Studio's tasks, one per item."""
    return [
        {
            "id": number,
            "data": values,
            "annotations": [
                _annotation_of(row, f"{number}-{n}") for n, row in enumerate(judged, 1)
            ],
        }
        for number, (values, judged) in enumerate(_by_item(rows), 1)
    ]


def _annotation_of(row: _Row, ident: str) -> dict[str, Any]:
    who = row["annotator"]
    given = [("annotator", "textarea", {"text": [who]})] if who else []
    given += [(name, "choices", {"choices": [value]}) for name, value in _answers(row).items()]
    if row["comment"]:
        given.append(("comment", "textarea", {"text": [row["comment"]]}))
    if row["showing"] not in (FIRST, None):
        given.append(("showing", "number", {"number": row["showing"]}))
    results = [
        {"id": f"{ident}-{name}", "from_name": name, "to_name": _TO, "type": kind, "value": value}
        for name, kind, value in given
    ]
    if known := {name: row[name] for name in _OF_PERSON if row[name]}:
        results[0]["meta"] = known
    return {
        "result": results, "ground_truth": row["status"] == DECIDED,
        "was_cancelled": row["status"] == Status.SKIPPED.value,
        "lead_time": row["seconds"], "created_at": row["at"],
    }  # fmt: skip


def labelling_config(project: Project) -> str:
    """Return the interface with which Label Studio shows the tasks and asks the same questions."""
    lines = ["<View>"]
    lines += [f'  <Text name="{name}" value="${name}"/>' for name in ("source", "mutant")]
    for question in project.questions:
        lines.append(f"  <Header value={quoteattr(question.ask)}/>")
        lines.append(f'  <Choices name={quoteattr(question.id)} toName="{_TO}">')
        lines += [
            f"    <Choice value={quoteattr(a.label)} alias={quoteattr(a.value)}/>"
            for a in question.answers
        ]
        lines.append("  </Choices>")
    lines += [f'  <TextArea name="{n}" toName="{_TO}" placeholder="{n}"/>' for n in _TEXT_FIELDS]
    lines += [f'  <Number name="showing" toName="{_TO}" min="1" max="2"/>', "</View>", ""]
    return "\n".join(lines)


# -- Argilla ------------------------------------------------------------------------------------

_PEOPLE = UUID("5f4f2ad2-7d4c-5ac4-9d6c-6b4c6d1f9a10")  # the space of our UUIDs
_OWN = "hinter"
_FIELDS = ("source", "mutant")
_OF_SERVER = ("id", "_server_id", "status", "vectors", "score", "inserted_at", "updated_at")
_STATUS = {"submitted": Status.JUDGED.value, "discarded": Status.SKIPPED.value}


def _argilla_records(record: _Row) -> Iterator[Record]:
    if isinstance(record.get("fields"), Mapping):
        data = {**dict(record.get("metadata") or {}), **record["fields"]}
        responses = _nested(record.get("responses"))
    else:
        data = {k: v for k, v in record.items() if "." not in k and k not in _OF_SERVER}
        responses = _flat(record)
    people: dict[str, dict[str, Any]] = {}
    for who, question, value, status in responses:
        name = "comment" if question == "comment" else f"{ANSWER}{question}"
        person = people.setdefault(who, {})
        person[name] = value[0] if isinstance(value, list) and len(value) == 1 else value
        if status:
            person["status"] = _STATUS.get(str(status), "")
    stored = _own(data.pop(_OWN, None))
    data = {**data, **stored.get("item", {}), **data}
    if record.get("id") is not None:
        data.setdefault("item", record["id"])
    if not people:
        yield data, ""
    for who, answers in people.items():
        known = stored.get("people", {}).get(who, {})
        if known.get("status") == DECIDED:
            answers["status"] = DECIDED
        yield {**data, "annotator": who, **known, **answers}, ""


def _own(text: Any) -> _Row:
    try:
        stored = json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        stored = {}
    return stored if isinstance(stored, dict) else {}


def _nested(responses: Any) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield annotator, question, value and status of each response."""
    if isinstance(responses, Mapping):
        for question, given in responses.items():
            for response in given or ():
                if isinstance(response, Mapping):
                    who = str(response.get("user_id") or "")
                    yield who, question, response.get("value"), response.get("status")


def _flat(record: _Row) -> Iterator[tuple[str, str, Any, Any]]:
    for column, users in record.items():
        if column.endswith(".responses.users") and users:
            question = column.removesuffix(".responses.users")
            given = record.get(f"{question}.responses") or []
            states = record.get(f"{question}.responses.status") or [None] * len(given)
            for who, value, status in zip(users, given, states, strict=False):
                yield str(who), question, value, status


def argilla_of(rows: Iterable[_Row]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a project as nested records of Argilla, one per item."""
    for values, judged in _by_item(rows):
        ident, fields = values.pop("item"), {name: values.pop(name) for name in _FIELDS}
        people: dict[str, Any] = {}
        responses: dict[str, list[dict[str, Any]]] = {}
        for row in judged:
            # A hidden repeat would be a second answer of one person, which Argilla does not know.
            person = str(uuid5(_PEOPLE, f"{row['annotator']}\n{row['showing']}"))
            people[person] = {name: row[name] for name in _JUDGEMENT if name != "comment"}
            skipped = row["status"] == Status.SKIPPED.value
            given = _answers(row)
            # A skip has no answers; its comment, empty or not, says who skipped.
            if row["comment"] or skipped:
                given["comment"] = row["comment"]
            for question, value in given.items():
                status = "discarded" if skipped else "submitted"
                response = {"value": value, "user_id": person, "status": status}
                responses.setdefault(question, []).append(response)
        stored = as_json({"item": values, "people": people})
        yield {
            "id": ident, "fields": fields, "metadata": {_OWN: stored},
            "suggestions": {}, "responses": responses, "vectors": {},
            "status": "completed" if judged else "pending",
        }  # fmt: skip
