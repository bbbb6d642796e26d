"""Answers that are none, and models that contradict themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count

import hinter_core as hinter
from hinter_core.campaign.progress import Reason
from hinter_core.pipeline.case import UNSCORED
from hinter_core.report.metrics.unanswered import failures_section, remedy
from hinter_ui.html.wording import in_visitors_words

TEXTS = ["The black man left.", "A white woman smiled."]


def test_a_report_says_how_often_a_model_contradicts_itself() -> None:
    turns = count()

    def model(texts: Sequence[str]) -> list[str]:
        turn = [next(turns) % 2 for _ in texts]
        return ["no" if "man left" in t and n else "yes" for t, n in zip(texts, turn, strict=True)]

    done = hinter.run(TEXTS, model, ["race", "gender"], identity="flaky-1", repeat=4, limit=2)
    (of_model,) = json.loads(done.report("json"))["models"]
    found = of_model["repetitions"]
    assert (found["texts"], found["inconsistent"], found["answers"]) == (2, 1, 8)
    assert 0 < found["differing"] < 8
    assert "1 of them got another answer" in done.report("markdown")
    assert "contradicts itself" in done.report("markdown")


def test_without_repetitions_nothing_is_said_of_them() -> None:
    done = hinter.run(TEXTS, "vader", ["race", "gender"], limit=2)
    (of_model,) = json.loads(done.report("json"))["models"]
    assert of_model["repetitions"] is None
    assert "asked again" not in done.report("markdown")


def test_mutants_without_an_answer_to_their_text_are_told_apart() -> None:
    def model(texts: Sequence[str]) -> list[str | None]:
        return [None if text == TEXTS[0] else "yes" for text in texts]

    done = hinter.run(TEXTS, model, ["race", "gender"], identity="none-1", limit=2)
    report = done.report("markdown")
    (of_model,) = json.loads(done.report("json"))["models"]
    (reason,) = of_model["reasons"]
    assert reason["originals"] == 1
    assert reason["compared"] == reason["mutants"] > 1
    assert "as one unchanged text got no answer" in report


def test_what_helps_is_said_of_replies_that_hold_no_label() -> None:
    words = " ".join(remedy(["unparsable"]).split())
    assert "Kept replies are read again with --retry-failed" in words
    assert "again by \u201cRetry missing answers\u201d" in in_visitors_words(words)
    unscored = failures_section([Reason("chat", "unparsable", UNSCORED, 3)])
    assert "Kept replies" not in str(unscored)
