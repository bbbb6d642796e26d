"""What annotators say together, where they differ, and whether an item is valid."""

from __future__ import annotations

import pytest

from hinter_core.annotation.evaluation.answers import (
    disputed,
    majority,
    majority_judgements,
    majority_votes,
    valid_by,
    validity,
)
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.types import (
    FIRST,
    REPEAT,
    AnnotationItem,
    Judgement,
    Status,
)

QUESTIONS = default_questions("en", ("good", "bad"))[1]
SENSE = next(q for q in QUESTIONS if q.id == "sense")


def rating(item: str, who: str, question: str, value: str, showing: int = FIRST) -> Judgement:
    answers = {question: value}
    return Judgement(0, who, item, showing, Status.JUDGED, answers, "", 0.0, "")


def said(item: str, question: str, *values: str) -> list[Judgement]:
    """One answer of each annotator a, b, c ..."""
    return [rating(item, name, question, v) for name, v in zip("abcdef", values, strict=False)]


def test_most_wins_and_a_tie_does_not() -> None:
    assert majority({"yes": 2, "no": 1}) == "yes"
    assert majority({"yes": 1, "no": 1}) is None
    assert majority({"yes": 2, "no": 2, "unsure": 1}) is None
    assert majority({"yes": 2, "no": 1, "unsure": 1}) == "yes"
    assert majority({}) is None


def test_the_owner_stands_above_all() -> None:
    ratings = said("i", "sense", "yes", "yes", "no") + said("j", "sense", "yes", "no")
    found = majority_votes(ratings, {("i", "sense"): "no", ("k", "sense"): "yes"})
    assert found["i", "sense"].value == "no"
    assert found["i", "sense"].decided
    assert found["i", "sense"].counts == {"yes": 2, "no": 1}
    assert found["j", "sense"].value is None
    assert found["k", "sense"].value == "yes"  # nobody judged it, the owner did
    assert found["k", "sense"].counts == {}
    assert [one.item for one in disputed(found)] == ["j"]


def test_what_stands_is_said_as_one_judgement_with_its_votes() -> None:
    answers = [{"sense": "yes", "meaning": "no"}, {"sense": "no", "meaning": "no"}]
    given = [
        Judgement(n, name, "i", 1, Status.JUDGED, said, "", 1.0, f"2026-01-0{n}T00:00:00Z")
        for n, (name, said) in enumerate(zip("ab", answers, strict=True), 1)
    ]
    given.append(Judgement(3, "a", "tie", 1, Status.JUDGED, {"sense": "yes"}, "", 1.0, ""))
    given.append(Judgement(4, "b", "tie", 1, Status.JUDGED, {"sense": "no"}, "", 1.0, ""))
    (open_one,) = majority_judgements(given, {})
    assert (open_one.item, open_one.answers) == ("i", {"meaning": "no"})
    assert open_one.at == "2026-01-02T00:00:00Z"
    decided, other = majority_judgements(given, {("i", "sense"): "yes", ("k", "sense"): "no"})
    assert decided.answers == {"sense": "yes", "meaning": "no"}
    assert "sense: yes 1, no 1 (decided by the owner)" in decided.comment
    assert (other.item, other.comment) == ("k", "sense: not judged (decided by the owner)")


def test_hidden_repeats_have_no_second_vote() -> None:
    ratings = [*said("i", "sense", "yes", "no"), rating("i", "b", "sense", "yes", REPEAT)]
    assert majority_votes(ratings)["i", "sense"].counts == {"yes": 1, "no": 1}


def test_the_most_disputed_come_first() -> None:
    found = majority_votes(
        [
            *said("agreed", "sense", "yes", "yes", "yes"),
            *said("two of three", "sense", "yes", "yes", "no"),
            *said("tie of two", "sense", "yes", "no"),
            *said("tie of four", "sense", "yes", "no", "no", "yes"),
            *said("all differ", "sense", "yes", "no", "unsure"),
            *said("three of four", "sense", "no", "no", "no", "yes"),
        ]
    )
    assert [one.item for one in disputed(found)] == [
        "all differ", "tie of four", "tie of two", "two of three", "three of four",
    ]  # fmt: skip
    assert found["agreed", "sense"].dispute == 0
    assert found["three of four", "sense"].dispute == pytest.approx(0.25)


PAIR, ALONE = AnnotationItem("pair", "a", "b"), AnnotationItem("alone", "a")


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"sense": "yes", "same": "yes", "grammatical": "yes"}, True),
        ({"sense": "yes", "same": "no", "grammatical": "yes"}, False),
        ({"sense": "unsure", "same": "yes", "grammatical": "yes"}, None),
        ({"sense": "unsure", "same": "yes", "grammatical": "no"}, False),
        ({"sense": "yes", "grammatical": "yes"}, None),  # one is not answered
        ({"label": "good"}, None),  # a label says nothing for or against
        ({}, None),
    ],
)
def test_valid_is_what_all_judging_answers_say(
    answers: dict[str, str], expected: bool | None
) -> None:
    ratings = [rating("pair", "a", name, value) for name, value in answers.items()]
    assert validity([PAIR], QUESTIONS, majority_votes(ratings)) == {"pair": expected}
    assert valid_by(PAIR, QUESTIONS, answers) == expected


def test_a_text_alone_is_not_compared() -> None:
    ratings = said("alone", "sense", "yes") + said("alone", "grammatical", "yes")
    assert validity([ALONE], QUESTIONS, majority_votes(ratings)) == {"alone": True}


def test_a_tie_leaves_open_and_the_owner_closes() -> None:
    ratings = said("alone", "sense", "yes", "no")
    assert validity([ALONE], [SENSE], majority_votes(ratings)) == {"alone": None}
    decided = majority_votes(ratings, {("alone", "sense"): "no"})
    assert validity([ALONE], [SENSE], decided) == {"alone": False}


def test_questions_without_judgement_make_nothing_valid() -> None:
    label = [question for question in QUESTIONS if not question.judges]
    found = majority_votes(said("alone", "label", "good"))
    assert validity([ALONE], label, found) == {"alone": None}
