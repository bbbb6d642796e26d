"""Questions: which of them ask for a label; each fault is an error that says what to do."""

from __future__ import annotations

import json

import pytest

from hinter_core.annotation.evaluation.answers import valid_by
from hinter_core.annotation.evaluation.invariant import true_positives
from hinter_core.annotation.project.questions import (
    LONGEST,
    default_questions,
    faults,
    read_opening,
    read_questions,
)
from hinter_core.annotation.project.types import (
    AnnotationError,
    AnnotationItem,
    Judgement,
    Project,
    Status,
)


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


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_makes_no_sense_is_asked_nothing_else(language: str) -> None:
    asked = default_questions(language, ["good", "bad"])[1]
    assert [one.id for one in asked] == ["sense", "grammatical", "same", "label"]
    assert faults(asked, {"sense": "no"}, pair=True) == []
    assert faults(asked, {"sense": "yes", "grammatical": "no"}, pair=True) == [
        "'same' is not answered",
        "'label' is not answered",
    ]
    assert (
        faults(asked, {"sense": "unsure", "grammatical": "no", "label": "good"}, pair=False) == []
    )
    # An older page, or a file, answers what is not asked; that is no fault.
    assert faults(asked, {"sense": "no", "grammatical": "yes"}, pair=True) == []
    assert faults(asked, {"sense": "no", "colour": "red"}, pair=True) != []
    assert valid_by(AnnotationItem("i", "A text", "Text"), asked, {"sense": "no"}) is False
    assert [one.fine for one in asked] == ["yes", "yes", "yes", ""]


@pytest.mark.parametrize(
    "ask_if",
    [
        "{tone: mild}",
        "{sense: maybe}",
        "{sense: [y, maybe]}",
        "{nothing: y}",
        "sense",
        "{sense: []}",
    ],
)
def test_a_condition_names_an_earlier_question_and_its_answers(ask_if: str) -> None:
    wrong = ASKED.replace("ask: How offensive", f"ask: How offensive, ask_if: {ask_if}")
    with pytest.raises(AnnotationError, match="ask_if"):
        read_questions(wrong, "mine.yaml")


def test_conditions_are_stored_and_older_projects_show_pairs_at_once() -> None:
    asked = ASKED.replace("ask: How offensive", "ask: How offensive, ask_if: {sense: [y]}")
    project = Project("Trial", read_questions(asked, "mine.yaml")[1])
    assert project.questions[1].ask_if == (("sense", ("y",)),)
    assert Project.from_json(project.to_json()) == project
    stored = json.loads(project.to_json())
    del stored["alone"]
    assert not Project.from_json(json.dumps(stored)).alone


def test_every_question_may_be_answered_with_not_sure_which_is_no_label() -> None:
    for language in ("en", "de"):
        asked = default_questions(language, ["good", "bad"])[1]
        assert all("unsure" in one.values for one in asked)
    items = [AnnotationItem(name, f"Text {name}", group="g") for name in "ab"]
    label = [one for one in asked if one.id == "label"]

    def hits(value: str) -> int:
        given = [
            Judgement(n, "Ann", item.id, 1, Status.JUDGED, {"label": value}, "", 1.0, "")
            for n, item in enumerate(items)
        ]
        return true_positives(items, label, given)[0].rate.hits

    assert (hits("good"), hits("unsure")) == (1, 0)


OPENING = """
instructions: Read closely.
opening: |
  ## Your task
  Judge *waiters*.
consent: I agree.
completion: C0DE
questions:
  - {id: sense, ask: Sense, answers: [{value: y, valid: true}, {value: n, valid: false}]}
  - {id: tone, ask: Tone, ask_if: {sense: y}, answers: [{value: mild}, {value: harsh}]}
practice:
  - {text: Cats the dogs., answers: {sense: n}, why: It has no verb.}
  - {text: A cat sleeps., source: A dog sleeps., answers: {sense: y, tone: mild}}
"""


def test_what_people_see_before_they_judge_stands_beside_the_questions() -> None:
    asked = read_questions(OPENING, "mine.yaml")[1]
    project = Project("Trial", asked, **read_opening(OPENING, "mine.yaml", asked))
    assert (project.consent, project.completion, project.note) == ("I agree.", "C0DE", "")
    assert project.opening.startswith("## Your task")
    first, second = project.practice
    assert (first.text, dict(first.answers)) == ("Cats the dogs.", {"sense": "n"})
    assert (second.source, second.why) == ("A dog sleeps.", "")
    assert Project.from_json(project.to_json()) == project


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{sense: n}", "{sense: maybe}"), ("{sense: n}", "{}"), ("{sense: n}", "yes"),
        ("{sense: y, tone: mild}", "{sense: y}"), ("text: Cats the dogs.", "text: ' '"),
        ("why: It", "reason: It"),
    ],
)  # fmt: skip
def test_practice_that_does_not_answer_the_questions_is_refused(before: str, after: str) -> None:
    wrong = OPENING.replace(before, after)
    asked = read_questions(wrong, "mine.yaml")[1]
    with pytest.raises(AnnotationError, match=r"practice [12]"):
        read_opening(wrong, "mine.yaml", asked)


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("consent: I agree.", "consent:\n  I agree: yes", "mine.yaml: consent"),
        ("completion: C0DE", "completion: [C0DE]", "mine.yaml: completion"),
        ("completion: C0DE", "note: []", "mine.yaml: note"),
        ("text: Cats the dogs.", "text: [Cats, dogs]", "practice 1: text"),
        ("why: It has no verb.", "why: {It: has no verb}", "practice 1: why"),
    ],
)
def test_lists_and_mappings_are_no_texts_to_read_first(before: str, after: str, field: str) -> None:
    wrong = OPENING.replace(before, after)
    asked = read_questions(wrong, "mine.yaml")[1]
    with pytest.raises(AnnotationError, match=f"{field} is a text; quote it, or begin it with"):
        read_opening(wrong, "mine.yaml", asked)


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("instructions: Read closely.", "instructions: [Read]", "mine.yaml: instructions"),
        ("ask: Sense", "ask: {Does it: make sense}", "question 1: ask"),
        ("ask: Tone", "ask: Tone, help: [a, b]", "question 2: help"),
        ("value: mild", "value: [mild]", "question 2: value"),
        ("value: mild", "value: mild, label: {a: b}", "question 2: label"),
    ],
)
def test_lists_and_mappings_are_no_texts_of_questions(before: str, after: str, field: str) -> None:
    with pytest.raises(AnnotationError, match=f"{field} is a text; quote it, or begin it with"):
        read_questions(OPENING.replace(before, after), "mine.yaml")


@pytest.mark.parametrize("field", ["opening", "consent", "contact", "note", "completion"])
def test_texts_are_as_long_as_the_app_allows(field: str) -> None:
    asked = read_questions(OPENING, "mine.yaml")[1]
    questions = OPENING[OPENING.index("questions:") :]
    long = f"{field}: {'x' * LONGEST}\n{questions}"
    assert len(read_opening(long, "mine.yaml", asked)[field]) == 20_000
    with pytest.raises(AnnotationError, match=f"{field} has 20,001 characters; shorten it"):
        read_opening(long.replace("xx", "xxx", 1), "mine.yaml", asked)


@pytest.mark.parametrize("place", ["sense", "tone", "sentiment"])
def test_a_condition_on_a_question_about_labels_needs_labels(place: str) -> None:
    """A question without labels is left out, wherever it stands."""
    ask = next(line for line in ASKED.splitlines() if f"id: {place}," in line)
    asking = ask.replace("ask:", "ask_if: {label: good}, ask:")
    conditional = ASKED.replace(f"{ask}\n", "") + f"  {asking.strip()}\n"
    assert len(read_questions(conditional, "mine.yaml", ["good", "bad"])[1]) == 5
    with pytest.raises(AnnotationError, match=r"'label', which is left out .* \(--labels\)"):
        read_questions(conditional, "mine.yaml")


def test_practice_with_a_label_needs_labels() -> None:
    practice = "practice:\n  - {text: Fine., answers: {sense: y, label: good}}\n"
    asked = read_questions(ASKED + practice, "mine.yaml")[1]
    with pytest.raises(AnnotationError, match=r"practice 1 answers .*'label'.* \(--labels\)"):
        read_opening(ASKED + practice, "mine.yaml", asked)
