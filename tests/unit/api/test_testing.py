"""``hinter.testing``: an assertion for the suites of others."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import hinter_core as hinter

from .conftest import TEXTS, leaning, planted


def assert_fair(texts: Any, words: list[str], model: Any = planted, **more: Any) -> None:
    hinter.testing.assert_no_hidden_bias(model, texts, (), dictionaries=words, **more)


def test_hidden_bias_fails_with_text_change_and_verdict(words: list[str]) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_fair(TEXTS, words)
    first, second = str(caught.value).splitlines()
    assert first.startswith("1 of ")
    assert first.endswith(f"flip the answer of planted: \u201c{TEXTS[0]}\u201d")
    assert second == (
        "  hidden: old \u2192 black, man \u2192 woman: good \u2192 bad: "
        "The black woman thanked the nurse."
    )


def test_flips_by_one_change_count_where_they_are_asked_for(words: list[str]) -> None:
    assert_fair(TEXTS[1], words)
    with pytest.raises(AssertionError, match="biased: white \u2192 black"):
        assert_fair(TEXTS[1], words, verdicts=iter(("hidden", "biased")))


def test_a_flip_by_a_change_in_no_combination_is_found() -> None:
    """*man* is in no intersection, as nothing else of him can change."""

    def sexist(texts: list[str]) -> list[str]:
        return ["bad" if "woman" in text else "good" for text in texts]

    text, both = "A young British baker met the man.", ("hidden", "biased")
    hinter.testing.assert_no_hidden_bias(sexist, text, ["race", "gender", "age"])
    for attributes in (["race", "gender", "age"], ["gender"]):
        with pytest.raises(AssertionError, match="biased: man \u2192 woman: good \u2192 bad"):
            hinter.testing.assert_no_hidden_bias(sexist, text, attributes, verdicts=both)
    with pytest.raises(hinter.HinterError, match="Choose at least two attributes"):
        hinter.testing.assert_no_hidden_bias(sexist, text, ["gender"])
    with pytest.raises(hinter.HinterError, match="no verdict 'hiden'"):
        hinter.testing.assert_no_hidden_bias(sexist, text, verdicts="hiden")


def test_a_shift_of_a_score_is_told_where_the_label_stays(words: list[str]) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_fair(TEXTS, words, leaning, score_tolerance=0.3)
    assert "man \u2192 woman: good \u2192 good (-0.35): The black woman" in str(caught.value)
    assert_fair(TEXTS, words, leaning)


def test_a_fair_model_passes(words: list[str]) -> None:
    assert_fair(TEXTS, words, lambda texts: ["good" for _ in texts])


def test_texts_that_cannot_be_tested_are_told(words: list[str]) -> None:
    texts = [TEXTS[0], TEXTS[2], TEXTS[2]]
    with pytest.warns(UserWarning, match="2 of 3 texts cannot be tested; the first: No term of"):
        assert_fair(texts, words, lambda given: ["good" for _ in given])


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (TEXTS[2:], "Nothing was tested: No term of hue or sex"),
        ([], "Nothing was tested: give texts."),
        (["  "], "Nothing was tested: There is no text"),
        ([TEXTS[2]] * 3, "None of the 3 texts was tested; the first: No term of hue or sex"),
        (pd.DataFrame({"text": TEXTS}), r"takes texts, not a table; give a column, such as df\["),
        ({"text": TEXTS[0]}, "a text or a list of texts, not {'text'"),
        ([TEXTS[0], None], "a text or a list of texts, not None"),
        (5, "a text or a list of texts, not 5"),
    ],
)
def test_nothing_to_test_is_no_success(texts: Any, says: str, words: list[str]) -> None:
    with pytest.raises(hinter.HinterError, match=says):
        assert_fair(texts, words)


def test_what_is_not_answered_is_no_success(words: list[str]) -> None:
    def silent(texts: list[str]) -> list[str]:
        if any("woman" in text for text in texts):
            raise ValueError("out of memory")
        return ["good" for _ in texts]

    with pytest.raises(AssertionError) as caught:
        assert_fair(TEXTS[:1], words, silent)
    assert "variants have no answer of silent" in str(caught.value)
    assert f"(ValueError: out of memory): \u201c{TEXTS[0]}\u201d" in str(caught.value)


def test_a_wrong_setting_is_no_success(words: list[str]) -> None:
    with pytest.raises(hinter.HinterError, match="unknown setting ordr"):
        assert_fair(TEXTS, words, ordr=3)
    with pytest.raises(hinter.HinterError, match="unknown setting sample"):
        assert_fair(TEXTS, words, sample=3)
    with pytest.raises(hinter.HinterError, match="A budget of money needs prices"):
        assert_fair(TEXTS, words, budget=1.0)
    with pytest.raises(hinter.HinterError, match="1 answers to 4 texts"):
        assert_fair(TEXTS, words, lambda texts: ["good"])


def test_a_few_variants_without_an_answer_are_told_with_the_reason() -> None:
    def silent(texts: list[str]) -> list[str]:
        if any("Punjabi" in text for text in texts):
            raise ValueError("out of memory")
        return ["good" for _ in texts]

    text = "The British nurse was kind."
    with pytest.warns(UserWarning, match=r"of silent, so .*ValueError: out of memory") as caught:
        hinter.testing.assert_no_hidden_bias(silent, text, ["race", "gender"], order=1)
    (warning,) = [one for one in caught if one.category is UserWarning]
    assert str(warning.message).startswith("1 variant has no answer")
    assert warning.filename == __file__
