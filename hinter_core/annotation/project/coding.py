"""Convert items and projects to JSON and back."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from hinter_core.annotation.project.types import AnnotationItem, Answer, Project, Question
from hinter_core.campaign.schema import edit_from_row, edit_to_row


def item_to_json(item: AnnotationItem) -> dict[str, Any]:
    """Convert an item to plain values."""
    plain = {field.name: getattr(item, field.name) for field in fields(item)}
    return plain | {
        "attributes": list(item.attributes),
        "edits": [edit_to_row(edit) for edit in item.edits],
        "verdicts": dict(item.verdicts),
        "origin": dict(item.origin),
    }


def item_from_json(raw: Mapping[str, Any]) -> AnnotationItem:
    """Convert the values of :func:`item_to_json` back."""
    edits = tuple(edit_from_row(edit) for edit in raw["edits"])
    return AnnotationItem(**{**raw, "attributes": tuple(raw["attributes"]), "edits": edits})


def project_to_json(project: Project) -> str:
    """Convert a project to JSON."""
    return json.dumps(asdict(project), ensure_ascii=False)


def project_from_json(text: str) -> Project:
    """Convert the JSON of :func:`project_to_json` back."""
    raw = json.loads(text)
    return Project(**{**raw, "questions": tuple(map(_question, raw["questions"]))})


def _question(raw: Mapping[str, Any]) -> Question:
    return Question(**{**raw, "answers": tuple(Answer(**answer) for answer in raw["answers"])})


def fingerprint(item: AnnotationItem) -> str:
    """Hash the texts of an item, regardless of white space and ids, to find duplicates."""
    parts = (" ".join(unicodedata.normalize("NFC", text).split()) for text in
             (item.source, item.mutant))  # fmt: skip
    return hashlib.sha256("\x1f".join((*parts, item.group)).encode("utf-8", "replace")).hexdigest()
