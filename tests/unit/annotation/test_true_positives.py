"""True positives as in BiasFinder's Table 5."""

from __future__ import annotations

from hinter_core.annotation.evaluation.invariant import true_positives
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.types import AnnotationItem, Rating

QUESTIONS = default_questions("en", ("good", "bad"))[1]
COHERENT = [q for q in QUESTIONS if q.id in ("sense", "label")]


def say(who: str, item: str, **answers: str) -> list[Rating]:
    return [Rating(item, who, question, value) for question, value in answers.items()]


def of(
    items: list[AnnotationItem], ratings: list[Rating], questions=COHERENT
) -> dict[str, tuple[int, int]]:  # type: ignore[no-untyped-def]
    return {
        f"{one.annotator} {' '.join(one.attributes)}".strip(): (one.rate.hits, one.rate.of)
        for one in true_positives(items, questions, ratings)
    }


def test_all_texts_of_a_group_are_coherent_and_of_one_label() -> None:
    items = [
        AnnotationItem(f"{n}{kind}", f"text {n}{kind}", group=str(n))
        for n in range(4)
        for kind in "mf"
    ]
    ratings = [
        *say("Ann", "0m", sense="yes", label="good"), *say("Ann", "0f", sense="yes", label="good"),
        *say("Ann", "1m", sense="yes", label="good"), *say("Ann", "1f", sense="yes", label="bad"),
        *say("Ann", "2m", sense="yes", label="good"), *say("Ann", "2f", sense="no", label="good"),
        *say("Ann", "3m", sense="yes", label="bad"),  # the other one is not judged yet
        *say("Bob", "1m", sense="yes", label="bad"), *say("Bob", "1f", sense="yes", label="bad"),
        *say("Bob", "2m", sense="yes", label="bad"), *say("Bob", "2f", sense="unsure", label="bad"),
    ]  # fmt: skip
    assert of(items, ratings) == {"Ann": (1, 3), "Bob": (1, 2)}


def test_by_attributes() -> None:
    items = [
        AnnotationItem("a", "x", attributes=("race",)),
        AnnotationItem("b", "y", attributes=("race",)),
        AnnotationItem("c", "z", attributes=("race", "gender")),
    ]  # fmt: skip
    ratings = [r for i in "abc" for r in say("Ann", i, sense="no" if i == "b" else "yes")]
    assert of(items, ratings) == {"Ann": (2, 3), "Ann race": (1, 2), "Ann race gender": (1, 1)}


def test_only_biased_mutants_are_cases_where_models_gave_verdicts() -> None:
    verdicts = ["benign", "biased", "hidden", "discarded"]
    items = [AnnotationItem(v, f"text {v}", "source", verdicts={"m": v}) for v in verdicts]
    items.append(AnnotationItem("two", "other", "source", verdicts={"m": "benign", "n": "hidden"}))
    full = {"sense": "yes", "same": "yes", "grammatical": "yes", "label": "good"}
    ratings = [r for item in items for r in say("Ann", item.id, **full)]
    assert of(items, ratings, QUESTIONS) == {"Ann": (3, 3)}


def test_alone_a_text_that_nobody_compared_needs_its_own_label() -> None:
    items = [
        AnnotationItem("a", "x", label="good"),
        AnnotationItem("b", "y", label="good"),
        AnnotationItem("c", "z", label="something else"),
        AnnotationItem("d", "w", "source", label="good"),
    ]
    ratings = [r for i, label in zip("abc", ("good", "bad", "bad"), strict=True)
               for r in say("Ann", i, sense="yes", label=label)]  # fmt: skip
    assert of(items, ratings) == {"Ann": (2, 3)}
    compared = say("Ann", "d", sense="yes", same="yes", grammatical="yes", label="bad")
    assert of(items[3:], compared, QUESTIONS) == {"Ann": (1, 1)}


def test_nothing_judged_nothing_said() -> None:
    assert of([AnnotationItem("a", "x")], []) == {}
