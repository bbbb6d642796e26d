"""Records of Argilla 2, to and from records: one record a person's responses.

As its ``to_list`` exports them (nested or flat) and as its data sets hold them (flat), a JSON
object a line. Argilla knows people by UUIDs and has no place for showings, comments and seconds;
ours stand in the metadata ``hinter``, under these UUIDs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID, uuid5

from hinter_core.annotation.files.columns import ANSWER
from hinter_core.annotation.project.types import Status
from hinter_core.data.tables import Record

_PEOPLE = UUID("5f4f2ad2-7d4c-5ac4-9d6c-6b4c6d1f9a10")  # the space of our UUIDs
_OWN = "hinter"
_FIELDS = ("source", "mutant")
_JUDGEMENT = ("annotator", "showing", "status", "comment", "seconds", "at")
_OF_SERVER = ("id", "_server_id", "status", "vectors", "score", "inserted_at", "updated_at")
_STATUS = {"submitted": Status.JUDGED.value, "discarded": Status.SKIPPED.value}


def is_record(values: Any) -> bool:
    """Whether a JSON object is a record, nested or flat."""
    if not isinstance(values, Mapping):
        return False
    nested = isinstance(values.get("fields"), Mapping)
    return nested or any(name.endswith(".responses.users") for name in values)


def argilla_records(record: Mapping[str, Any]) -> Iterator[Record]:
    """A record for every person who responded, or one where nobody did."""
    if isinstance(record.get("fields"), Mapping):
        data = {**dict(record.get("metadata") or {}), **record["fields"]}
        people = _nested(record.get("responses"))
    else:
        data = {k: v for k, v in record.items() if "." not in k and k not in _OF_SERVER}
        people = _flat(record)
    own = _own(data.pop(_OWN, None))
    for name, value in own.get("item", {}).items():
        data.setdefault(name, value)
    if record.get("id") is not None:
        data.setdefault("item", record["id"])
    if not people:
        yield data, ""
    known = own.get("people", {})
    for person, answers in people.items():
        yield {**data, "annotator": person, **known.get(person, {}), **answers}, ""


def _own(text: Any) -> Mapping[str, Any]:
    try:
        found = json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}


def _nested(responses: Any) -> dict[str, dict[str, Any]]:
    """Answers by person."""
    people: dict[str, dict[str, Any]] = {}
    if isinstance(responses, Mapping):
        for question, given in responses.items():
            for response in given or ():
                if isinstance(response, Mapping):
                    who = str(response.get("user_id") or "")
                    _answer(people, who, question, response.get("value"), response.get("status"))
    return people


def _flat(record: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    people: dict[str, dict[str, Any]] = {}
    for column, users in record.items():
        if not column.endswith(".responses.users") or not users:
            continue
        question = column.removesuffix(".responses.users")
        given = record.get(f"{question}.responses") or []
        states = record.get(f"{question}.responses.status") or [None] * len(given)
        for who, value, status in zip(users, given, states, strict=False):
            _answer(people, str(who), question, value, status)
    return people


def _answer(
    people: dict[str, dict[str, Any]], who: str, question: str, value: Any, status: Any
) -> None:
    name = "comment" if question == "comment" else f"{ANSWER}{question}"
    one = value[0] if isinstance(value, list) and len(value) == 1 else value
    person = people.setdefault(who, {})
    person[name] = one
    if status:
        person["status"] = _STATUS.get(str(status), "")


def argilla_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows of items and judgements as nested records, one an item."""
    found: dict[str, dict[str, Any]] = {}
    own: dict[str, dict[str, Any]] = {}
    for row in rows:
        ident = row["item"]
        if ident not in found:
            found[ident] = {
                "id": ident, "fields": {name: row[name] for name in _FIELDS},
                "metadata": {}, "suggestions": {}, "responses": {}, "vectors": {},
                "status": "pending",
            }  # fmt: skip
            rest = {
                name: value for name, value in row.items()
                if name not in (*_FIELDS, *_JUDGEMENT, "item") and not name.startswith(ANSWER)
            }  # fmt: skip
            own[ident] = {"item": rest, "people": {}}
        if row.get("annotator"):
            _respond(found[ident], own[ident]["people"], row)
    for ident, record in found.items():
        record["metadata"] = {_OWN: json.dumps(own[ident], ensure_ascii=False)}
        yield record


def _respond(record: dict[str, Any], people: dict[str, Any], row: Mapping[str, Any]) -> None:
    # A hidden repeat would be a second answer of the same person, which Argilla does not know.
    person = str(uuid5(_PEOPLE, f"{row['annotator']}\n{row['showing']}"))
    people[person] = {name: row[name] for name in _JUDGEMENT if name != "comment"}
    skipped = row["status"] == Status.SKIPPED.value
    record["status"] = "completed"
    given = {
        name.removeprefix(ANSWER): value for name, value in row.items() if name.startswith(ANSWER)
    }
    for question, value in {**given, "comment": row["comment"]}.items():
        # A skip has no answers; its comment, empty or not, says who skipped.
        if value or (question == "comment" and skipped):
            status = "discarded" if skipped else "submitted"
            record["responses"].setdefault(question, []).append(
                {"value": value, "user_id": person, "status": status}
            )
