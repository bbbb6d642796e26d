"""Agreement by question and attributes, of pairs, and of each annotator."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hinter_core.annotation.evaluation.agreement import agreements, qualities
from hinter_core.annotation.evaluation.answers import answers_of, by_item
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.types import (
    FIRST,
    REPEAT,
    AnnotationItem,
    Judgement,
    Status,
)

SENSE, _, SAME = default_questions()[1]


def table(question: str, **said: str) -> list[Judgement]:
    """One letter an item and annotator: y, n, u; a dot is a gap."""
    words = {"y": "yes", "n": "no", "u": "unsure"}
    return [
        judgement(0, name, f"i{n}", words[letter], question)
        for name, letters in said.items()
        for n, letter in enumerate(letters)
        if letter != "."
    ]


def test_a_question_by_hand() -> None:
    """Ann and Bob on 8 items: yes-yes 3, no-no 3, one of either kind apart: 6/8, chance 1/2."""
    (found,) = agreements(table("sense", Ann="yyyynnnn", Bob="yyynnnny"), [SENSE])
    (pair,) = found.pairs
    assert (pair.first, pair.second) == ("Ann", "Bob")
    assert (pair.same.hits, pair.same.of) == (6, 8)
    assert pair.kappa.value == pytest.approx(0.5)
    assert pair.values == ["yes", "no", "unsure"]
    assert pair.table == [[3, 1, 0], [1, 3, 0], [0, 0, 0]]
    assert (found.same.hits, found.same.of) == (6, 8)
    assert (found.items, found.judged, found.raters) == (8, 8, 2)
    assert found.fleiss.value == pytest.approx(0.5)  # both say yes four times


def test_gaps_leave_items_to_alpha_that_fleiss_cannot_take() -> None:
    judgements = table("sense", Ann="yyynnn..y", Bob="yynnnny..", Cyd="yyyn..ny.")
    (found,) = agreements(judgements, [SENSE])
    assert found.judged == 9
    assert found.items == 7  # items 7 and 8 have one answer each
    assert (found.raters, found.fleiss.items) == (3, 4)
    assert found.alpha.items == 7
    assert [(pair.first, pair.second, pair.same.of) for pair in found.pairs] == [
        ("Ann", "Bob", 6), ("Ann", "Cyd", 4), ("Bob", "Cyd", 5),
    ]  # fmt: skip


def test_each_set_of_attributes_has_its_own() -> None:
    """On race they agree, on gender never; items without attributes are in the sum only."""
    judgements = table("sense", Ann="ynynyyn", Bob="ynynnny")
    sets: list[tuple[str, ...]] = [("race",)] * 4 + [("gender",)] * 2 + [()]
    items = [AnnotationItem(f"i{n}", "text", attributes=own) for n, own in enumerate(sets)]
    found = {one.attributes: one for one in agreements(judgements, [SENSE], items)}
    assert set(found) == {(), ("race",), ("gender",)}
    assert found["race",].same.share == 1
    assert found["gender",].same.share == 0
    assert (found[()].same.hits, found[()].items) == (4, 7)
    assert found["race",].alpha.value == 1.0


def test_pairs_of_many_annotators_are_of_all_items_only() -> None:
    items = [
        AnnotationItem(f"i{n}", "text", attributes=("race",) if n else ("age",)) for n in range(4)
    ]
    for many, pairs in ((6, 15), (7, 0)):
        said = {f"P{n}": "ynyn" for n in range(many)}
        whole, *parts = agreements(table("sense", **said), [SENSE], items)
        assert len(whole.pairs) == many * (many - 1) // 2
        assert [len(part.pairs) for part in parts] == [pairs, pairs]


def test_one_set_of_attributes_is_not_said_twice() -> None:
    items = [AnnotationItem(f"i{n}", "text", attributes=("race",)) for n in range(3)]
    found = agreements(table("sense", Ann="yny", Bob="ynn"), [SENSE, SAME], items)
    assert [(one.question, one.attributes) for one in found] == [("sense", ()), ("same", ())]


def test_texts_of_one_template_are_drawn_together() -> None:
    judgements = table("sense", Ann="yyyynnyynnyy", Bob="yynnnnyynnnn")
    apart, together = (
        agreements(judgements, [SENSE], items)[0]
        for items in ([], [AnnotationItem(f"i{n}", f"{n}", group=f"g{n // 2}") for n in range(12)])
    )
    assert apart.alpha.value == together.alpha.value
    for one, other in (
        (apart.alpha, together.alpha), (apart.same, together.same),
        (apart.pairs[0].kappa, together.pairs[0].kappa),
        (apart.pairs[0].same, together.pairs[0].same),
    ):  # fmt: skip
        assert (one.high or 0) - (one.low or 0) < (other.high or 0) - (other.low or 0)


def test_nobody_one_and_strangers() -> None:
    nobody, one, strangers = (
        agreements(judgements, [SENSE])[0]
        for judgements in ([], table("sense", Ann="yny"), table("sense", Ann="yn..", Bob="..yn"))
    )
    assert "nobody answered" in nobody.alpha.why
    assert "only one person answered" in one.alpha.why
    assert "no item was judged by two" in strangers.alpha.why
    for found in (nobody, one, strangers):
        assert (found.alpha.value, found.fleiss.value, found.pairs) == (None, None, [])
        assert found.same.share is None


def test_answers_beyond_the_question_are_categories_too() -> None:
    given = [judgement(1, "Ann", "i", "perhaps"), judgement(2, "Bob", "i", "yes")]
    (found,) = agreements(given, [SENSE])
    assert found.pairs[0].values == ["yes", "no", "unsure", "perhaps"]


def judgement(
    number: int, who: str, item: str, value: str = "", question: str = "sense", *,
    showing: int = FIRST, status: Status = Status.JUDGED, seconds: float = 0.0,
) -> Judgement:  # fmt: skip
    answers = {question: value} if value else {}
    return Judgement(number, who, item, showing, status, answers, "", seconds, "")


def test_answers_are_of_what_was_judged() -> None:
    made = [
        judgement(1, "Ann", "i", "yes"),
        judgement(2, "Ann", "j", status=Status.SKIPPED),
        judgement(3, "Ann", "i", "no", showing=REPEAT),
    ]
    assert answers_of(made) == {"i": {"Ann": {"sense": "yes"}}}
    assert by_item(made, "sense") == {"i": {"Ann": "yes"}}
    assert by_item(made, "sense", REPEAT) == {"i": {"Ann": "no"}}


def test_quality_by_hand() -> None:
    others = [
        judgement(n, who, f"i{n % 10}", value)
        for who, value in (("Bob", "yes"), ("Cyd", "yes"))
        for n in range(4)
    ]
    ann = [
        judgement(20, "Ann", "i0", "yes", seconds=2),
        judgement(21, "Ann", "i1", "yes", seconds=4),
        judgement(22, "Ann", "i2", "no", seconds=9),
        judgement(23, "Ann", "i9", "yes", seconds=0),  # nobody else judged it; not timed
        judgement(24, "Ann", "i3", status=Status.SKIPPED),
        judgement(25, "Ann", "i0", "yes", showing=REPEAT, seconds=5),
        judgement(26, "Ann", "i2", "yes", showing=REPEAT, seconds=1),
    ]
    found = qualities([*others, *ann], [SENSE])
    assert [one.annotator for one in found] == ["Ann", "Bob", "Cyd"]
    own = found[0]
    assert own.judged == 6
    assert (own.skipped.hits, own.skipped.of) == (1, 7)
    assert own.seconds == 4
    (on,) = own.questions
    assert (on.others.hits, on.others.of) == (2, 3)
    assert (on.repeats.hits, on.repeats.of) == (1, 2)
    assert (on.commonest, on.share.hits, on.share.of) == ("yes", 3, 4)
    # Bob: on i2 Ann says no and Cyd yes, so that there is no most of the others.
    assert (found[1].questions[0].others.hits, found[1].questions[0].others.of) == (3, 3)
    assert found[1].seconds is None


def test_intervals_of_a_person_count_texts_not_answers() -> None:
    """What is made from one text is judged alike; of one text alone, there is no interval."""
    said = table("sense", Ann="yyyynnyynnyy", Bob="yynnnnyynnnn")
    again = [judgement(0, "Ann", f"i{n}", "yes", showing=REPEAT, seconds=0.1) for n in range(12)]
    said = [replace(one, seconds=0.1 if n % 4 < 2 else 60) for n, one in enumerate(said)] + again
    widths = []
    for size in (1, 2, 12):
        items = [AnnotationItem(f"i{n}", "a text", f"source {n // size}") for n in range(12)]
        ann = qualities(said, [SENSE], items)[0]
        (on,) = ann.questions
        assert (ann.others.hits, ann.others.of) == (8, 12)
        for rate in (ann.others, on.others, on.repeats, on.share, ann.fast):
            assert (rate.low is None) == (size == 12), rate
        widths.append((on.others.high or 0) - (on.others.low or 0))
    assert 0 < widths[0] < widths[1]


def test_who_only_skips_has_no_shares() -> None:
    (found,) = qualities([judgement(1, "Ann", "i", status=Status.SKIPPED)], [SENSE])
    assert (found.judged, found.skipped.share, found.seconds) == (0, 1.0, None)
    assert found.questions[0].share.share is None
    assert found.questions[0].commonest == ""
