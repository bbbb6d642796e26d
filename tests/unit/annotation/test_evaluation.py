"""A project's judgements as one value and as sections."""

from __future__ import annotations

import json

import pytest

from hinter_core.annotation.evaluation.evaluation import Evaluation, evaluation, evaluation_sections
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.types import (
    REPEAT,
    AnnotationError,
    AnnotationItem,
    Judgement,
    Project,
    Status,
)
from hinter_core.report.formats import markdown_of, plain
from hinter_core.types import Layer

PROJECT = Project("A <b>trial</b>", default_questions("en", ("good", "bad"))[1])
BAD = "<script>Eve|</script>"


def judged(who: str, item: str, sense: str, *, showing: int = 1) -> Judgement:
    answers = {"sense": sense, "same": "yes", "grammatical": "yes", "label": "good"}
    return Judgement(0, who, item, showing, Status.JUDGED, answers, "", 3.0, "")


def items(weight: float = 1.0) -> list[AnnotationItem]:
    """Three kept, three discarded; two sets of attributes."""
    return [
        AnnotationItem(
            f"i{n}", f"mutant {n}", "source", ("race",) if n % 2 else ("gender",), kept=n < 3,
            layer="" if n < 3 else Layer.POS.value, stratum="k" if n < 3 else "d",
            weight=1.0 if n < 3 else weight, verdicts={"m": "biased"} if n < 3 else {},
        )
        for n in range(6)
    ]  # fmt: skip


def trial(weight: float = 1.0, question: str = "") -> Evaluation:
    judgements = [judged(who, f"i{n}", "yes" if n < 3 else "no") for who in ("Ann", BAD)
                  for n in range(6)]  # fmt: skip
    judgements += [judged("Cyd", "i0", "no"), judged("Cyd", "i0", "yes", showing=REPEAT)]
    judgements += [judged("Cyd", "i1", "no"), Judgement(
        0, "Cyd", "i5", 1, Status.SKIPPED, {}, "", 1.0, "")]  # fmt: skip
    return evaluation(PROJECT, items(weight), judgements, {("i1", "sense"): "no"}, question)


def test_everything_in_one() -> None:
    found = trial()
    assert (found.items, found.judgements, found.annotators) == (6, 15, [BAD, "Ann", "Cyd"])
    assert (found.valid, found.broken, found.undecided, found.decided) == (2, 4, 0, 1)
    assert [(one.item, one.question) for one in found.disputed] == [("i0", "sense")]
    whole = found.scores[0]
    assert (whole.kept_valid, whole.kept_broken, whole.lost_valid, whole.lost_broken) == (
        2, 1, 0, 3,
    )  # fmt: skip
    rates = {(t.annotator, t.attributes): t.rate for t in found.true_positives}
    assert (rates["Ann", ()].hits, rates["Ann", ()].of) == (3, 3)
    assert (rates["Cyd", ()].hits, rates["Cyd", ()].of) == (0, 2)


def of_true(found: Evaluation) -> str:
    """What the section of true positives says of labels."""
    (section,) = (s for s in evaluation_sections(found) if s.key == "true-positives")
    _, _, rest = section.sentences[-1].partition("calls each of its texts ")
    return rest.partition("Shares")[0]


def test_one_question_as_if_nothing_else_was_asked() -> None:
    found = trial(question="same")
    assert found.questions == ["same"]
    assert (found.valid, found.broken, found.decided) == (6, 0, 0)
    assert found.disputed == []
    assert {one.question for one in found.agreements} == {"same"}
    assert {on.question for one in found.qualities for on in one.questions} == {"same"}
    assert [of_true(found), of_true(trial())] == [
        "valid (BiasFinder, Table 5, but for the label: no question asks for one). ",
        "valid and gives them the same label (label; BiasFinder, Table 5). ",
    ]
    with pytest.raises(
        AnnotationError, match=r"no question 'colour'.*one of: sense, grammatical, same"
    ):
        trial(question="colour")


def test_sections_say_all_of_it_in_words() -> None:
    found = evaluation_sections(trial())
    assert [one.key for one in found if one.key != "confusion"] == [
        "overview", "agreement", "pairs", "annotators", "disputed", "against", "true-positives",
    ]  # fmt: skip
    by_key = {one.key: one for one in found}
    words = " ".join(by_key["agreement"].sentences)
    assert "sense: 6 of 6 items have two answers or more" in words
    assert "not defined, as all answers are the same one" in words  # everybody says same: yes
    assert "Landis and Koch" in words
    assert "weighted" not in " ".join(by_key["against"].columns)
    assert sum(one.key == "confusion" for one in found) == 4 * 3
    for section in found:
        for row in section.rows:
            assert len(row) == len(section.columns)
            assert not any("nan" in cell.lower() for cell in row)


def test_weights_are_shown_where_they_matter() -> None:
    broken = [judged("Ann", f"i{n}", "yes" if n in (0, 1, 3) else "no") for n in range(6)]
    found = evaluation(PROJECT, items(9.0), broken, {})
    (section,) = (one for one in evaluation_sections(found) if one.key == "against")
    assert section.columns[-1] == "F1, weighted"
    assert section.rows[0][8].startswith("18.2")  # 2 of 2 + 9


def test_of_many_pairs_the_least_alike_are_shown() -> None:
    people = [f"P{n}" for n in range(10)]
    judgements = [judged(who, f"i{n}", "yes" if n < 3 or (who == "P7" and n == 4) else "no")
                  for who in people for n in range(6)]  # fmt: skip
    found = evaluation(PROJECT, items(), judgements, {})
    (section,) = (one for one in evaluation_sections(found) if one.key == "pairs")
    assert len(section.rows) == 30
    assert all("P7" in row for row in section.rows[:9])
    assert "the other 150" in section.sentences[-1]  # 4 questions of 45 pairs each
    assert not [one for one in evaluation_sections(found) if one.key == "confusion"]


def test_nothing_judged_is_said() -> None:
    (only,) = evaluation_sections(evaluation(PROJECT, items(), [], {}))
    assert "Nothing was judged yet" in only.sentences[-1]


def test_values_are_json_without_nan_and_markdown_is_escaped() -> None:
    found = trial()
    text = json.dumps(plain(found), allow_nan=False)
    assert json.loads(text)["agreements"][0]["pairs"][0]["table"]
    written = markdown_of("Judgements", evaluation_sections(found))
    assert BAD not in written
    assert "\\<script\\>Eve\\|" in written


def test_questions_that_nobody_answered_are_named() -> None:
    answers = [Judgement(0, "Ann", f"i{n}", 1, Status.JUDGED, {"sense": "yes"}, "", 3.0, "")
               for n in range(6)]  # fmt: skip
    found = evaluation(PROJECT, items(), answers, {})
    assert (found.valid, found.undecided) == (0, 6)
    assert found.unanswered == ["grammatical", "same"]
    assert "Nobody answered grammatical, same. " in " ".join(
        evaluation_sections(found)[0].sentences
    )
    assert trial().unanswered == []
