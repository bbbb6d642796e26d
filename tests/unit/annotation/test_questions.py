"""Questions: which of them ask for a label; each fault is an error that says what to do."""

from __future__ import annotations

import json

import pytest

from hinter_core.annotation.project.questions import default_questions, read_questions
from hinter_core.annotation.project.types import AnnotationError, Project


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("questions: [", "mine.yaml is no YAML"),
        ("questions: " + "[" * 5000, "mine.yaml is no YAML: nested too deeply"),
        ("a: " + "{a: " * 5000, "mine.yaml is no YAML: nested too deeply"),
        ("questions: yes", "mine.yaml has no list of questions"),
        ("questions: []", "mine.yaml asks nothing"),
    ],
)
def test_what_is_no_questionnaire_is_refused(text: str, message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        read_questions(text, "mine.yaml")


ASKED = """
questions:
  - {id: sense, ask: Sense, answers: [{value: y, valid: true}, {value: n, valid: false}]}
  - {id: tone, ask: How offensive, scale: true, answers: [{value: mild}, {value: harsh}]}
  - {id: sentiment, ask: Sentiment, labels: true, answers: [{value: good}, {value: bad}]}
  - {id: label, ask: Label, answers: labels}
  - {id: other, ask: No label, labels: false, answers: labels}
"""


def asking_labels(project: Project) -> list[str]:
    return [question.id for question in project.questions if question.labels]


def test_a_question_asks_for_a_label_if_it_says_so_or_has_the_labels_as_answers() -> None:
    project = Project("Trial", read_questions(ASKED, "mine.yaml", ["good", "bad"])[1])
    assert asking_labels(project) == ["sentiment", "label"]
    assert Project.from_json(project.to_json()) == project
    for language in ("en", "de"):
        shipped = Project("Trial", default_questions(language, ["good", "bad"])[1])
        assert asking_labels(shipped) == ["label"]


def test_in_older_projects_all_that_do_not_judge_ask_for_a_label() -> None:
    project = Project("Trial", read_questions(ASKED, "mine.yaml", ["good", "bad"])[1])
    stored = json.loads(project.to_json())
    for question in stored["questions"]:
        del question["labels"]
    old = Project.from_json(json.dumps(stored))
    assert asking_labels(old) == ["tone", "sentiment", "label", "other"]


def test_a_question_either_judges_or_asks_for_a_label() -> None:
    both = ASKED.replace("Sense,", "Sense, labels: true,")
    with pytest.raises(AnnotationError, match="question 1 cannot ask for a label and judge"):
        read_questions(both, "mine.yaml")
