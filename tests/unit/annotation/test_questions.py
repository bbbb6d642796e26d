"""Questions that cannot be read: each fault is an error that says what to do."""

from __future__ import annotations

import pytest

from hinter_core.annotation.project.questions import read_questions
from hinter_core.annotation.project.types import AnnotationError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("questions: [", "mine.yaml is no YAML"),
        ("questions: " + "[" * 5000, "mine.yaml is nested too deeply"),
        ("a: " + "{a: " * 5000, "mine.yaml is nested too deeply"),
        ("questions: yes", "mine.yaml has no list of questions"),
        ("questions: []", "mine.yaml asks nothing"),
    ],
)
def test_what_is_no_questionnaire_is_refused(text: str, message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        read_questions(text, "mine.yaml")
