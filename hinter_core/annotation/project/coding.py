"""Items and projects as JSON, to and from."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from hinter_core.annotation.project.questions import question_from_json, question_to_json
from hinter_core.annotation.project.types import AnnotationItem, Project
from hinter_core.campaign.schema import edit_from_row, edit_to_row


def item_to_json(item: AnnotationItem) -> dict[str, Any]:
    """An item as plain values."""
    plain = {field.name: getattr(item, field.name) for field in fields(item)}
    return plain | {
        "attributes": list(item.attributes),
        "edits": [edit_to_row(edit) for edit in item.edits],
        "verdicts": dict(item.verdicts),
        "origin": dict(item.origin),
    }


def item_from_json(raw: Mapping[str, Any]) -> AnnotationItem:
    """The item of plain values that :func:`item_to_json` made."""
    edits = tuple(edit_from_row(edit) for edit in raw["edits"])
    return AnnotationItem(**{**raw, "attributes": tuple(raw["attributes"]), "edits": edits})


def project_to_json(project: Project) -> str:
    """A project as JSON."""
    plain = asdict(project) | {"questions": [question_to_json(q) for q in project.questions]}
    return json.dumps(plain, ensure_ascii=False)


def project_from_json(text: str) -> Project:
    """The project of a JSON that :func:`project_to_json` made."""
    raw = json.loads(text)
    return Project(**{**raw, "questions": tuple(question_from_json(q) for q in raw["questions"])})


def fingerprint(item: AnnotationItem) -> str:
    """Equal for items that show the same two texts, whatever their blanks and ids."""
    parts = (" ".join(unicodedata.normalize("NFC", text).split()) for text in
             (item.source, item.mutant))  # fmt: skip
    return hashlib.sha256("\x1f".join((*parts, item.group)).encode("utf-8", "replace")).hexdigest()
