"""The invariant against people: planted truths, layers, thresholds, weights; true positives."""

from __future__ import annotations

from dataclasses import replace

import numpy
import pytest

from hinter_core.annotation.evaluation.answers import majority_votes
from hinter_core.annotation.evaluation.evaluation import _scores
from hinter_core.annotation.evaluation.invariant import (
    Part,
    Score,
    against_people,
    score,
    true_positives,
    weights_of,
)
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.types import (
    FIRST,
    AnnotationItem,
    Answer,
    Judgement,
    Question,
    Status,
)
from hinter_core.statistics.rates import Rate, wilson
from hinter_core.types import Layer

SENSE, _, SAME = default_questions()[1]


def rating(item: str, who: str, question: str, value: str, showing: int = FIRST) -> Judgement:
    answers = {question: value}
    return Judgement(0, who, item, showing, Status.JUDGED, answers, "", 0.0, "")


def items_of(
    kept: int, lost: int, *, weight: float = 1.0, layer: str = Layer.POS.value, start: int = 0
) -> list[AnnotationItem]:
    """So many kept and discarded items, of a stratum each."""
    kept_ids, lost_ids = ([f"{letter}{start + n}" for n in range(many)]
                          for letter, many in (("k", kept), ("d", lost)))  # fmt: skip
    return [AnnotationItem(i, "m", f"of {i}", kept=True, stratum="kept") for i in kept_ids] + [
        AnnotationItem(i, "m", f"of {i}", kept=False, layer=layer, stratum="lost", weight=weight)
        for i in lost_ids
    ]


def valid_where(items: list[AnnotationItem], *ids: str) -> dict[str, bool | None]:
    return {item.id: item.id in ids for item in items}


def test_a_score_by_hand() -> None:
    """Kept: 3 of 4 valid; discarded: 1 of 6. Precision 3/4, recall 3/4, F1 3/4."""
    items = items_of(4, 6)
    found = score("all", "all", items, valid_where(items, "k0", "k1", "k2", "d0"))
    assert (found.kept_valid, found.kept_broken, found.lost_valid, found.lost_broken) == (
        3, 1, 1, 5,
    )  # fmt: skip
    assert (found.precision.hits, found.precision.of) == (3, 4)
    assert (found.recall.hits, found.recall.of) == (3, 4)
    for one in (found.f1, found.weighted_f1, found.weighted_precision, found.weighted_recall):
        assert one.value == pytest.approx(0.75)
        assert one.low is not None
        assert one.high is not None
        assert 0 < one.low < 0.75 < one.high < 1


def test_weights_by_hand() -> None:
    """Each discarded item stands for 10: 10 valid ones are lost beside 3 kept ones.

    Recall 3/13; precision stays 3/4; F1 2*3 / (2*3 + 1 + 10) = 6/17.
    """
    items = items_of(4, 6, weight=10.0)
    found = score("all", "all", items, valid_where(items, "k0", "k1", "k2", "d0"))
    assert found.weighted_precision.value == pytest.approx(3 / 4)
    assert found.weighted_recall.value == pytest.approx(3 / 13)
    assert found.weighted_f1.value == pytest.approx(6 / 17)
    assert found.recall.share == pytest.approx(3 / 4)


def test_what_strata_without_a_decision_leave_out_is_said_and_limited() -> None:
    """Of 1,534 kept mutants, 995 are of the strata judged; of 396 discarded ones, 79."""

    def some(ident: str, stratum: str, weight: float, *, kept: bool) -> AnnotationItem:
        return AnnotationItem(
            ident, "m", ident, kept=kept, layer="" if kept else Layer.POS.value, stratum=stratum,
            weight=weight,
        )  # fmt: skip

    items = [
        some("k", "race: benign", 995.0, kept=True), some("l", "age: benign", 539.0, kept=True),
        some("d", "race: parts", 79.0, kept=False), some("e", "age: parts", 317.0, kept=False),
    ]  # fmt: skip
    found = score("all", "all", items, {"k": True, "d": False})
    assert (found.kept_part, found.lost_part) == (Part(995, 1534), Part(79, 396))
    assert found.precision.share == 1.0  # of what was judged
    why = "only 995 of 1,534 kept mutants are of a stratum with a decided item"
    assert (found.weighted_precision.value, found.weighted_precision.why) == (None, why)
    assert found.weighted_recall.value is found.weighted_f1.value is None
    assert "only 79 of 396 discarded mutants" in found.weighted_f1.why
    # Precision needs the kept ones only.
    found = score("all", "all", items, {"k": True, "l": True, "d": False})
    assert found.weighted_precision.value == 1.0
    assert found.weighted_recall.value is None
    found = score("all", "all", items, {"k": True, "l": True, "d": False, "e": True})
    assert found.weighted_recall.value == pytest.approx(1534 / (1534 + 317))
    # In words, with a part that is enough.
    said = against_people(
        [*items, some("m", "body: benign", 100.0, kept=True)], [SENSE], [],
        majority_votes(ratings_of_votes({"k": "y", "l": "y", "d": "n", "e": "y"})),
    )  # fmt: skip
    (section,) = (one for one in _scores(said) if one.key == "against")
    assert "have 1,534 of 1,634 (94 %) kept mutants and 396 of 396 (100 %)" in section.sentences[0]


def test_undecided_items_hand_on_their_weight() -> None:
    items = items_of(2, 4, weight=3.0)
    valid: dict[str, bool | None] = {"k0": True, "k1": True, "d0": False, "d1": None, "d2": None}
    assert weights_of(items, valid) == {"k0": 1.0, "k1": 1.0, "d0": 12.0}


def test_a_perfect_invariant_and_a_useless_one() -> None:
    items = items_of(20, 20)
    right = score("all", "all", items, {item.id: bool(item.kept) for item in items})
    assert (right.precision.share, right.recall.share, right.f1.value) == (1.0, 1.0, 1.0)
    assert right.f1.low is not None
    assert right.f1.low < 1  # forty items leave something open
    wrong = score("all", "all", items, {item.id: not item.kept for item in items})
    assert (wrong.precision.share, wrong.recall.share, wrong.f1.value) == (0.0, 0.0, 0.0)


def test_what_nobody_judged_has_no_score() -> None:
    kept, lost = items_of(3, 0), items_of(0, 3)
    found = score("all", "all", kept, {item.id: True for item in kept})
    assert found.precision.share == 1.0
    assert found.recall == Rate(0, 0)
    assert found.weighted_recall.value is None
    assert "no discarded mutant" in found.f1.why
    found = score("all", "all", lost, {item.id: True for item in lost})
    assert found.precision.share is None
    assert "no kept mutant" in found.weighted_precision.why
    assert found.recall == Rate(0, 0)
    found = score("all", "all", kept, {})
    assert found.precision == found.recall == Rate(0, 0)
    both = items_of(2, 2)
    nothing_valid = score("all", "all", both, {item.id: False for item in both})
    assert nothing_valid.recall.share is None
    assert nothing_valid.weighted_recall.why == "there is no case"


def ratings_of_votes(votes: dict[str, str], question: str = "sense") -> list[Judgement]:
    """By item, a letter for each annotator: y, n or u."""
    words = {"y": "yes", "n": "no", "u": "unsure"}
    return [
        rating(item, f"a{n}", question, words[letter])
        for item, letters in votes.items()
        for n, letter in enumerate(letters)
        if letter != "."
    ]


def found_by(
    items: list[AnnotationItem], ratings: list[Judgement], *questions
) -> dict[tuple[str, str], Score]:  # type: ignore[no-untyped-def]
    every = against_people(items, questions or (SENSE,), ratings, majority_votes(ratings))
    return {(one.kind, one.name): one for one in every}


def test_layer_alone() -> None:
    """Part of speech discards two broken ones and one good; the other layer only good ones."""
    items = [
        *items_of(2, 3),
        *items_of(0, 2, layer=Layer.DEPENDENCY.value, start=3),
    ]
    votes = {"k0": "y", "k1": "y", "d0": "n", "d1": "n", "d2": "y", "d3": "y", "d4": "y"}
    found = found_by(items, ratings_of_votes(votes))
    assert {name for kind, name in found if kind == "layer"} == {
        Layer.POS.value, Layer.DEPENDENCY.value,
    }  # fmt: skip
    pos, dependency = found["layer", Layer.POS.value], found["layer", Layer.DEPENDENCY.value]
    assert (pos.kept_valid, pos.kept_broken, pos.lost_valid, pos.lost_broken) == (4, 0, 1, 2)
    assert (dependency.kept_valid, dependency.kept_broken) == (3, 2)
    assert (dependency.lost_valid, dependency.lost_broken) == (2, 0)
    whole = found["all", "all"]
    assert (whole.kept_valid, whole.kept_broken, whole.lost_valid, whole.lost_broken) == (
        2, 0, 3, 2,
    )  # fmt: skip


def test_thresholds() -> None:
    """Three judged by three, one by two, one by one who is not sure and one who is."""
    items = items_of(3, 2)
    votes = {"k0": "yyy", "k1": "yyn", "k2": "ynn", "d0": "yn.", "d1": "un."}
    found = found_by(items, ratings_of_votes(votes))
    tally = {
        name: (one.kept_valid, one.kept_broken, one.lost_valid, one.lost_broken)
        for (kind, name), one in found.items()
        if kind == "threshold"
    }
    assert tally == {
        "at least one annotator": (3, 0, 1, 1),
        "half of them or more": (2, 1, 1, 1),
        "more than half": (2, 1, 0, 2),
        "two thirds or more": (2, 1, 0, 2),
        "every annotator": (1, 2, 0, 2),
        "1 of 2": (0, 0, 1, 0), "2 of 2": (0, 0, 0, 1),
        "1 of 3": (3, 0, 0, 0), "2 of 3": (2, 1, 0, 0), "3 of 3": (1, 2, 0, 0),
    }  # fmt: skip


def test_one_voice_has_no_thresholds() -> None:
    items = items_of(1, 1)
    found = found_by(items, ratings_of_votes({"k0": "y", "d0": "n"}))
    assert {kind for kind, _ in found} == {"all", "layer"}


def test_by_question_and_attributes() -> None:
    items = [
        AnnotationItem("a", "m", "s", kept=True, attributes=("race",)),
        AnnotationItem("b", "m", "s", kept=True, attributes=("gender",)),
        AnnotationItem("c", "m", "s", kept=False, layer=Layer.POS.value, attributes=("race",)),
    ]
    ratings = [
        *ratings_of_votes({"a": "y", "b": "y", "c": "n"}),
        *ratings_of_votes({"a": "y", "b": "n", "c": "y"}, "same"),
    ]
    found = found_by(items, ratings, SENSE, SAME)
    assert found["question", "sense"].precision.hits == 2
    assert found["question", "same"].precision.hits == 1
    assert found["question", "same"].lost_valid == 1
    assert found["all", "all"].precision.hits == 1
    assert found["attributes", "race"].precision.share == 1.0
    assert found["attributes", "gender"].precision.share == 0.0
    assert found["attributes", "gender"].recall.share is None


def test_the_owner_decides_here_too_but_has_no_vote() -> None:
    items, ratings = items_of(1, 1), ratings_of_votes({"k0": "yn", "d0": "nn"})
    decided = majority_votes(ratings, {("k0", "sense"): "yes"})
    found = {(s.kind, s.name): s for s in against_people(items, [SENSE], ratings, decided)}
    assert found["all", "all"].kept_valid == 1
    assert found["threshold", "every annotator"].kept_valid == 0


def test_items_that_the_invariant_never_saw_are_left_out() -> None:
    items = [AnnotationItem("a", "m"), AnnotationItem("b", "m")]
    assert against_people(items, [SENSE], ratings_of_votes({"a": "yy", "b": "nn"}), {}) == []


def test_weighted_intervals_hold_the_truth() -> None:
    """1,800 kept with 85 % valid, 600 discarded with 30 %: precision 0.85, recall 1530/1710.

    40 of each are judged.
    """
    recall = 1530 / 1710
    f1 = 2 * 1530 / (2 * 1530 + 270 + 180)
    covered = numpy.zeros(3, dtype=int)
    for seed in range(100):
        rng = numpy.random.default_rng(seed)
        items = [
            AnnotationItem(f"k{n}", "m", kept=True, stratum="k", weight=45.0) for n in range(40)
        ]
        items += [
            AnnotationItem(f"d{n}", "m", kept=False, stratum="d", weight=15.0) for n in range(40)
        ]
        valid: dict[str, bool | None] = {
            item.id: bool(rng.random() < (0.85 if item.kept else 0.3)) for item in items
        }
        found = score("all", "all", items, valid)
        three = (found.weighted_precision, found.weighted_recall, found.weighted_f1)
        for n, (one, truth) in enumerate(zip(three, (0.85, recall, f1), strict=True)):
            covered[n] += (one.low or 0) <= truth <= (one.high or 0)
    assert (covered >= 88).all(), covered


def test_items_of_one_text_are_taken_for_alike() -> None:
    """The same judgements; where four items each are of one text, they say less."""
    apart = items_of(40, 40)
    alike = [replace(item, source=f"text {n // 4}") for n, item in enumerate(apart)]
    valid: dict[str, bool | None] = {item.id: n % 40 < 28 for n, item in enumerate(apart)}
    one, other = (score("all", "all", items, valid) for items in (apart, alike))
    for name in ("precision", "f1", "weighted_precision", "weighted_recall", "weighted_f1"):
        narrow, wide = getattr(one, name), getattr(other, name)
        assert wide.high - wide.low > 1.4 * (narrow.high - narrow.low), name
    assert (one.precision.hits, one.precision.of) == (other.precision.hits, other.precision.of)
    assert one.precision == wilson(28, 40)


# True positives as in BiasFinder's Table 5.

QUESTIONS = default_questions("en", ("good", "bad"))[1]
COHERENT = [q for q in QUESTIONS if q.id in ("sense", "label")]


def say(who: str, item: str, **answers: str) -> list[Judgement]:
    return [rating(item, who, question, value) for question, value in answers.items()]


def true_of(
    items: list[AnnotationItem], ratings: list[Judgement], questions=COHERENT
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
    assert true_of(items, ratings) == {"Ann": (1, 3), "Bob": (1, 2)}


def test_by_attributes() -> None:
    items = [
        AnnotationItem("a", "x", attributes=("race",)),
        AnnotationItem("b", "y", attributes=("race",)),
        AnnotationItem("c", "z", attributes=("race", "gender")),
    ]  # fmt: skip
    ratings = [r for i in "abc" for r in say("Ann", i, sense="no" if i == "b" else "yes")]
    assert true_of(items, ratings) == {"Ann": (2, 3), "Ann race": (1, 2), "Ann race gender": (1, 1)}


def test_only_biased_mutants_are_cases_where_models_gave_verdicts() -> None:
    verdicts = ["benign", "biased", "hidden", "discarded"]
    items = [AnnotationItem(v, f"text {v}", "source", verdicts={"m": v}) for v in verdicts]
    items.append(AnnotationItem("two", "other", "source", verdicts={"m": "benign", "n": "hidden"}))
    full = {"sense": "yes", "same": "yes", "grammatical": "yes", "label": "good"}
    ratings = [r for item in items for r in say("Ann", item.id, **full)]
    assert true_of(items, ratings, QUESTIONS) == {"Ann": (3, 3)}


def test_alone_a_text_that_nobody_compared_needs_its_own_label() -> None:
    items = [
        AnnotationItem("a", "x", label="good"),
        AnnotationItem("b", "y", label="good"),
        AnnotationItem("c", "z", label="something else"),
        AnnotationItem("d", "w", "source", label="good"),
    ]
    ratings = [r for i, label in zip("abc", ("good", "bad", "bad"), strict=True)
               for r in say("Ann", i, sense="yes", label=label)]  # fmt: skip
    assert true_of(items, ratings) == {"Ann": (2, 3)}
    compared = say("Ann", "d", sense="yes", same="yes", grammatical="yes", label="bad")
    assert true_of(items[3:], compared, QUESTIONS) == {"Ann": (1, 1)}


def test_only_labels_must_be_the_same() -> None:
    tone = Question("tone", "How offensive?", (Answer("0", "no", "0"), Answer("1", "yes", "1")))
    items = [AnnotationItem(f"{n}{kind}", f"{n}{kind}", group=n) for n in "ab" for kind in "mf"]
    ratings = [
        *say("Ann", "am", sense="yes", label="good", tone="0"),
        *say("Ann", "af", sense="yes", label="good", tone="1"),
        *say("Ann", "bm", sense="yes", label="good", tone="0"),
        *say("Ann", "bf", sense="yes", label="bad", tone="0"),
    ]
    assert true_of(items, ratings, [*COHERENT, tone]) == {"Ann": (1, 2)}
    labels = replace(tone, labels=True)
    assert true_of(items, ratings, [*COHERENT, labels]) == {"Ann": (0, 2)}


def test_nothing_judged_nothing_said() -> None:
    assert true_of([AnnotationItem("a", "x")], []) == {}
