"""``hinter diagnose`` names the words that change answers, and only those."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.grammars import LEXICONS, SENTIMENT, valued
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.cli.analysis.diagnose import _section_of_pairs
from hinter_core.generators.grammars.reading import load_grammar
from hinter_core.report.metrics.diagnosis import diagnose
from hinter_core.report.metrics.interactions import Interactions
from tests.unit.cli.conftest import Run

GRAMMAR = """
about: A small one.
start: s
rules:
  s: ['The <occupation> was <mood>.', 'Somebody thanked the <occupation>; <he> was <mood>.']
  mood: [tired, late, early, ready]
sensitive:
  occupation: [nurse, pilot, baker, lawyer, waiter]
  gender: [{group: male, he: he}, {group: female, he: she}]
"""


@pytest.mark.slow
def test_planted_bias_is_named_and_its_absence_names_nothing(run: Run, tmp_path: Path) -> None:
    grammar, out, weights = tmp_path / "g.yaml", tmp_path / "campaign", tmp_path / "w.json"
    grammar.write_text(GRAMMAR, encoding="utf-8")
    planted, fair = "scripted:negative if occupation=healthcare; positive otherwise", "vader"
    made = ("run", "--grammar", str(grammar), "--order", "1", "--no-placebo")
    code, _, error = run(
        *made, "--out", str(out), "--sentences", "40", "--model", planted, "--model", fair
    )
    assert code == 0, error
    code, text, _ = run(
        "diagnose", str(out), "--model", planted, "--weights", str(weights), "--json"
    )
    assert code == 0
    found = {(one["attribute"], one["word"]): one for one in json.loads(text)["words"]}
    assert {key for key, one in found.items() if one["stands_out"]} == {("occupation", "nurse")}
    nurse = found["occupation", "nurse"]
    assert nurse["changed"] == nurse["cases"] == nurse["answers"]["negative"]
    # The others change answers with the nurse alone: once in four pairs.
    assert 0 < found["occupation", "pilot"]["changed"] < found["occupation", "pilot"]["cases"] / 2
    code, text, _ = run("diagnose", str(out), "--model", fair)
    assert f"for those of {fair}, add --model" in " ".join(run("diagnose", str(out))[1].split())
    assert text.count("none stands out") == len({attribute for attribute, _ in found})
    # PROB finds more than RAND, and smoothing leaves every word its chance.
    rates = json.loads(weights.read_text())
    assert rates["occupation"]["nurse"] == 1
    assert rates.keys() >= {"occupation"}
    code, _, error = run(
        *made, "--weights", str(weights), "--sentences", "20", "--model", planted,
        "--out", str(tmp_path / "second"),
    )  # fmt: skip
    assert code == 0, error
    code, text, _ = run("diagnose", str(tmp_path / "second"), "--json")
    again = {(one["attribute"], one["word"]): one for one in json.loads(text)["words"]}
    assert again["occupation", "nurse"]["cases"] / 20 > nurse["cases"] / 40


@pytest.mark.slow
@pytest.mark.parametrize("name", SENTIMENT)
def test_sensitive_words_named_are_those_of_the_lexicons(name: str, tmp_path: Path) -> None:
    grammar, store = load_grammar(name), CampaignStore(tmp_path / "campaign")
    campaign = Campaign(grammar=name, order=1, sentences=50, models=tuple(LEXICONS), placebo=False)
    run_campaign(campaign, store)
    with CampaignReader(store) as reader:
        for model in LEXICONS:
            found = diagnose(reader, model)
            assert {one.word for one in found if one.stands_out and not one.context} == valued(
                grammar, model
            )


def test_the_lexicons_give_some_sensitive_words_a_value() -> None:
    found = {model: set[str]() for model in LEXICONS}
    for name in SENTIMENT:
        for model in LEXICONS:
            found[model] |= valued(load_grammar(name), model)
    assert found["vader"] >= {"cleaner", "Tia", "who is blind"}
    assert found["textblob"] >= {"flight attendant", "Black", "Rose"}


def test_pairs_that_could_not_be_tested_are_not_said_to_change_nothing() -> None:
    def said(tested: int) -> str:
        pairs = Interactions(("age", "gender"), 162, tested, [])
        return _section_of_pairs(pairs, "vader").sentences[0]

    assert said(0).startswith("age and gender: too few texts to test any of 162 pairs of new words")
    assert "this takes 5 texts" in said(0)
    assert "none" not in said(0)
    assert "12 could be tested" in said(12)
    assert "none of these changes the answer of vader more often" in said(12)


def test_bad_input_is_told(run: Run, tmp_path: Path) -> None:
    code, _, error = run("diagnose", str(tmp_path))
    assert code == 2
    assert "is no campaign" in error


def test_a_pair_that_changes_answers_together_is_named(run: Run, tmp_path: Path) -> None:
    grammar, out = tmp_path / "g.yaml", str(tmp_path / "campaign")
    grammar.write_text(GRAMMAR, encoding="utf-8")
    model = "scripted:negative if gender=female and occupation=healthcare; positive otherwise"
    code, _, error = run(
        "run", "--grammar", str(grammar), "--sentences", "40", "--model", model, "--out", out
    )
    assert code == 0, error
    code, text, _ = run("diagnose", out)
    assert (code, "she + nurse: it changes the answer" in text, "none changes" in text) == (
        0,
        True,
        False,
    )
    code, text, _ = run("diagnose", out, "--json")
    (pair,) = [one for one in json.loads(text)["pairs"] if one["stands_out"]]
    assert (pair["words"], pair["answer"]) == (["she", "nurse"], "positive")
    assert (pair["both"], pair["first"], pair["second"]) == (pair["cases"], 0, 0)
    assert 0 < pair["low"] < pair["contrast"] == pair["high"] == 1


def test_words_around_the_changed_ones_are_listed_apart(run: Run, tmp_path: Path) -> None:
    grammar, out = tmp_path / "g.yaml", str(tmp_path / "campaign")
    grammar.write_text(GRAMMAR, encoding="utf-8")
    model = 'scripted:negative if "tired" and "she"; positive otherwise'
    code, _, error = run(
        "run", "--grammar", str(grammar), "--sentences", "40", "--order", "1", "--model", model,
        "--no-placebo", "--out", out,
    )  # fmt: skip
    assert code == 0, error
    _, text, _ = run("diagnose", out)
    flat = " ".join(text.split())
    assert "change more often where tired stands" in flat
    assert "tired stands out by changing" not in flat
    _, text, _ = run("diagnose", out, "--json")
    found = json.loads(text)
    assert {one["word"] for one in found["context"] if one["stands_out"]} == {"tired"}
    assert "mood" not in {one["attribute"] for one in found["words"]}
