"""``hinter.check`` and ``hinter.mutants``: what a newcomer types, and types wrongly."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser
from typing import Any

import pandas as pd
import pytest

import hinter_core as hinter

from .conftest import TEXTS, planted

TEXT = TEXTS[1]


@pytest.fixture(scope="module")
def result(words: list[str]) -> hinter.CheckResult:
    return hinter.check(TEXT, planted, (), dictionaries=words)


def test_importing_is_quick_and_shows_only_what_is_public() -> None:
    code = (
        "import sys, hinter_core as hinter\n"
        "print(len([name for name in sys.modules if name.startswith('hinter_core')]))\n"
        "print(*dir(hinter))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, names = done.stdout.splitlines()
    assert int(count) == 1
    assert set(hinter.__all__) < set(names.split())
    assert all(getattr(hinter, name).__doc__ for name in hinter.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'chek'"):
        hinter.chek  # type: ignore[attr-defined]  # noqa: B018


def test_a_function_is_checked(result: hinter.CheckResult) -> None:
    assert (result.text, result.model, result.answer, result.scores) == (
        TEXT, "planted", ("good",), {},
    )  # fmt: skip
    assert sum(result.counts.values()) == len(result.mutants())
    wrong = result.findings()
    assert set(wrong["mutant"]) == {"A black woman sold the house."}
    assert list(wrong["verdict"]) == ["biased"]
    row = wrong.iloc[0]
    assert (row["change"], row["hue_from"], row["hue_to"]) == (
        "white \u2192 black",
        "light",
        "dark",
    )
    assert (row["sex_from"], row["sex_to"], row["order"]) == ("", "", 1)
    assert (row["original_answer"], row["answer"], row["model"]) == ("good", "bad", "planted")
    assert result.findings("hidden").empty


def test_hidden_bias_is_found_and_named(words: list[str]) -> None:
    found = hinter.check(TEXTS[0], planted, (), dictionaries=words, limit=10)
    assert list(found.findings("hidden")["mutant"]) == ["The black woman thanked the nurse."]
    assert "hidden" in repr(found)


def test_the_columns_are_those_that_are_documented(result: hinter.CheckResult) -> None:
    from hinter_core.campaign.frames import COLUMNS

    groups = {f"{name}_{side}" for name in ("hue", "sex") for side in ("from", "to")}
    assert set(result.mutants().columns) - groups == set(COLUMNS) - {
        "row",
        "id",
        "label",
        "audit",
        "sequence",
    }


def test_reports_are_those_of_the_command_line(result: hinter.CheckResult) -> None:
    assert json.loads(result.report("json"))["counts"] == result.counts
    assert result.report("text").splitlines()[0] == "Model planted, parser embedded"
    with pytest.raises(hinter.HinterError, match="as 'html'; use text or json"):
        result.report("html")


class _Frames(HTMLParser):
    page = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "iframe":
            self.page = dict(attrs)["srcdoc"] or ""


def page_of(shown: str) -> str:
    frames = _Frames()
    frames.feed(shown)
    return frames.page


def test_a_notebook_shows_the_square(words: list[str]) -> None:
    evil = "A white woman sold the <script>house</script>."
    page = page_of(hinter.check(evil, planted, (), dictionaries=words)._repr_html_())
    assert 'class="square order-' in page
    assert "<script>" not in page
    assert "&lt;script&gt;" in page or "house" in page


def test_a_limit_that_leaves_out_combinations_is_told() -> None:
    text, pair = "The British waiter was kind.", ["race", "gender"]
    every = hinter.check(text, planted, pair, limit=10_000)
    assert "combinations were tested" not in every.report() + every._repr_html_()
    told = f"3 of {sum(every.mutants()['order'] == 2)} combinations were tested (limit 3)."
    found = hinter.check(text, planted, pair, limit=3)
    assert f"Note: {told}" in found.report().splitlines()
    assert json.loads(found.report("json"))["notices"] == [told] == found.notices
    assert told in page_of(found._repr_html_())


def test_what_is_in_no_combination_is_told() -> None:
    text = "The Indian waiter thanked the woman."
    (told,) = hinter.check(text, planted, ["race", "gender"], limit=10_000).notices
    assert told.startswith("In no combination: \u201cwoman\u201d. HInter can change no other")
    text = "A wheelchair stood by the blind Indian waiter."
    (told,) = hinter.check(text, planted, ["race", "disability"], limit=10_000).notices[:1]
    assert told.startswith("In no combination: \u201cwheelchair\u201d. HInter does not see of whom")
    assert not hinter.check(text, planted, ["gender"], order=1).notices
    assert not hinter.check(text, planted, ["race", "gender"], across_people=True).notices


def test_single_changes_are_all_tested_where_they_are_asked_for() -> None:
    text, pair = "The Indian waiter thanked the woman.", ["race", "gender"]
    usual, every = (hinter.mutants(text, pair, atomic=atomic) for atomic in (False, True))
    assert not usual["change"].str.contains("woman").any()
    alone = every[every["change"].str.startswith("woman")]
    assert len(alone)
    assert set(alone["order"]) == {1}
    assert len(every) == len(usual) + len(alone)
    found = hinter.check(text, planted, pair, limit=1, atomic=True)
    assert set(every[every["order"] == 1]["mutant"]) < set(found.mutants()["mutant"])
    assert not [told for told in found.notices if "In no combination" in told]


def test_mutants_are_those_of_a_check_also_without_an_intersection() -> None:
    for text in ("The Indian waiter spoke.", "The Indian waiter thanked the woman."):
        made = hinter.mutants(text, ["gender"])
        assert list(made["mutant"]) == list(
            hinter.check(text, planted, ["gender"]).mutants()["mutant"]
        )
        with pytest.raises(hinter.HinterError, match="Choose at least two attributes"):
            hinter.mutants(text, ["gender"], order=2)


def test_scores_have_a_figure() -> None:
    found = hinter.check("The British waiter was kind.", attributes="race,gender", limit=2)
    page = page_of(found._repr_html_())  # light in any notebook, without links into the app
    assert "Interaction: " in page
    assert "<a " not in page
    assert "prefers-color-scheme" not in page
    assert found.scores
    assert found.figure().to_dict()["data"]  # type: ignore[union-attr]


def test_without_scores_there_is_no_figure(result: hinter.CheckResult) -> None:
    assert result.figure() is None


def test_mutants_need_no_model(words: list[str]) -> None:
    made = hinter.mutants(TEXTS[0], (), dictionaries=words)
    assert "The black woman thanked the nurse." in set(made["mutant"])
    assert "verdict" not in made.columns
    assert made["kept"].any()
    assert set(made["order"]) == {1, 2}
    for asked in ({"requests": 1}, {"models": "vader"}, {"repeat": 1}):
        with pytest.raises(
            hinter.HinterError, match=r"mutants: unknown setting .*; use attributes"
        ):
            hinter.mutants(TEXTS[0], (), dictionaries=words, **asked)


def one_answer(texts: list[str]) -> list[str]:
    return ["good"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"model": "vadar"}, "Unknown model 'vadar'; did you mean 'vader'?"),
        ({"attributes": ["rcae"]}, "Unknown attribute 'rcae'; did you mean 'race'?"),
        ({"text": None}, "hinter.check takes one text, not None;"),
        ({"text": float("nan")}, "hinter.check takes one text, not nan;"),
        ({"model": 7}, "7 is no model"),
        ({"model": one_answer}, "1 answers to 4 texts"),
        ({"model": ["vader", planted]}, "one model; call it once for each"),
        ({"model": "vader", "labels": ["a", "b"]}, "describe one model that is an object"),
        ({"attributes": ["race", "shoe size"]}, "shoe size"),
        ({"attributes": 5}, "attributes is a list of names"),
        ({"ordr": 2}, "unknown setting ordr; did you mean 'order'?"),
        ({"grammar": "x"}, "hinter.check: unknown setting grammar; use attributes, order, limit"),
        ({"neutral": "x"}, "hinter.check: neutral is a whole number from 0 to 1000, not 'x'."),
        ({"neutral": 1.5}, "neutral is a whole number"),
        ({"neutral": -1}, "neutral is a whole number"),
        ({"neutral": 1_000_000}, "neutral is a whole number"),
        ({"text": pd.DataFrame({"text": [TEXT]})}, "takes one text, not a table; hinter.run tests"),
        ({"order": "two"}, "order is a whole number"),
        ({"text": ""}, "There is no text to check"),
        ({"text": "Nothing is here."}, "No term of race or gender"),
        ({"text": ["a", "b"]}, "takes one text, not ['a', 'b']; hinter.run tests many"),
        ({"parser": "no_such"}, "no_such"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: dict[str, Any], says: str) -> None:
    given = {"text": "The British waiter was kind.", "model": planted, "limit": 2, **arguments}
    with pytest.raises(hinter.HinterError) as caught:
        hinter.check(**given)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_verdicts_are_refused(result: hinter.CheckResult) -> None:
    with pytest.raises(hinter.HinterError, match="no verdict 'hiden'; use benign, biased, hidden"):
        result.findings("hiden")
