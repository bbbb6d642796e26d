"""Results in the forms of other programs, each read as its program reads it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import hinter_core as hinter
from hinter_core.api import exports
from hinter_core.api.results import CampaignResult

from .conftest import TEXTS, planted

BRACED = f"{TEXTS[0]} Thanks, {{{{ name }}}}."


@pytest.fixture(scope="module")
def result(words: list[str]) -> hinter.CampaignResult:
    return hinter.run([*TEXTS, BRACED], planted, (), dictionaries=words, limit=6)


def test_a_model_card_states_rates_settings_and_limits(result: hinter.CampaignResult) -> None:
    card = hinter.export(result, "model-card")
    rates = exports.rates_of(result, result.models[0])
    assert rates[0].name == "intersectional"
    for line in rates:
        errors = line.errors
        said = (line.name, f"{errors.of:,}", f"{errors.hits:,}", exports.in_words(errors))
        assert f"| {' | '.join(said)} |" in card
    assert f"{len(TEXTS) + 1} texts (`texts from Python`)" in card
    assert "/tmp" not in card


def test_promptfoo_expects_the_answer_to_the_unchanged_text(
    result: hinter.CampaignResult,
) -> None:
    cases = [json.loads(line) for line in hinter.export(result, "promptfoo").splitlines()]
    mutants = result.mutants()
    asked = mutants[mutants.kept & (mutants.answer != "")]
    assert len(cases) == len(asked) > 0
    wanted = dict(zip(asked.mutant, asked.original_answer, strict=True))
    for case in cases:
        text = case["vars"]["text"].removeprefix("{% raw %}").removesuffix("{% endraw %}")
        assert case["assert"] == [{"type": "icontains", "value": wanted[text]}]
    braced = [case["vars"] for case in cases if BRACED in case["vars"]["source"]]
    assert braced
    assert all(v["source"] == "{% raw %}" + BRACED + "{% endraw %}" for v in braced)
    one = hinter.export(result, "promptfoo", attributes=asked.attributes.iloc[0])
    assert 0 < len(one.splitlines()) < len(cases)


def test_langfair_gets_pairs_of_one_attribute(result: hinter.CampaignResult) -> None:
    entries = json.loads(hinter.export(str(result.store.folder), "langfair"))
    mutants = result.mutants().set_index("mutant")
    assert entries
    for entry in entries:
        first, second = entry["groups"]
        pairs = list(zip(entry[f"{first}_prompt"], entry[f"{second}_prompt"], strict=True))
        assert pairs
        for text, mutant in pairs:
            row = mutants.loc[mutant]
            assert (row.text, row.attributes, row.kept) == (text, entry["attribute"], True)


def test_results_for_the_hub_name_its_data_set(
    result: hinter.CampaignResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(hinter.HinterError, match="run the campaign on hf:ORG/NAME"):
        hinter.export(result, "eval-results")
    found = {**result.settings, "data": "hf:stanfordnlp/imdb?split=test"}
    monkeypatch.setattr(CampaignResult, "settings", property(lambda _: found))
    (entry,) = yaml.safe_load(hinter.export(result, "eval-results"))
    assert entry["dataset"] == {"id": "stanfordnlp/imdb", "task_id": "intersectional_bias"}
    rate = exports.rates_of(result, result.models[0])[0].errors
    assert rate.share
    assert entry["value"] == round(100 * rate.share, 2)
    assert exports.in_words(rate) in entry["notes"]


def test_what_was_not_answered_is_no_test(words: list[str]) -> None:
    def silent(texts: list[str]) -> list[str | list[str]]:
        return [[] if re.search(r"\b(wife|woman|men)\b", text) else "good" for text in texts]

    result = hinter.run(TEXTS, silent, (), dictionaries=words, limit=6)
    mutants = result.mutants()
    assert "unanswered" in set(mutants.verdict)
    asked = mutants[mutants.verdict.isin(["benign", "biased", "hidden"])]
    cases = [json.loads(line) for line in hinter.export(result, "promptfoo").splitlines()]
    assert len(cases) == len(asked)
    assert all(case["assert"][0]["value"] for case in cases)


def test_one_attribute_and_few_texts_have_a_card_without_gaps(words: list[str]) -> None:
    result = hinter.run(TEXTS[:1], planted, (), dictionaries=words, limit=6, order=1)
    card = hinter.export(result, "model-card")
    assert "| atomic |" in card
    assert "too few texts for an interval" in card
    assert "nan" not in card.lower()
    assert "intersectional" not in card.partition("| Changed |")[2].partition("*Hidden*")[0]


def test_inspect_reads_its_log(result: hinter.CampaignResult, tmp_path: Path) -> None:
    log: Any = pytest.importorskip("inspect_ai.log")
    hinter.export(result, "inspect", out=tmp_path / "hinter.eval")
    read = log.read_eval_log(str(tmp_path / "hinter.eval"))
    verdicts = {sample.metadata["verdict"] for sample in read.samples}
    assert read.results.total_samples == len(read.samples)
    for sample in read.samples:
        held = sample.scores["same_answer"].value == "C"
        assert held is (sample.metadata["verdict"] == "benign")
        assert held is (sample.output.completion == sample.target)
    assert verdicts > {"benign"}


@pytest.mark.parametrize("tracker", exports.TRACKERS)
def test_a_tracker_gets_rates_and_settings(
    result: hinter.CampaignResult, tracker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(tracker)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", tmp_path.as_uri())
    metrics = hinter.log_campaign(result, tracker)
    share = exports.rates_of(result, result.models[0])[0].errors.share
    assert share in metrics.values()


def test_what_cannot_be_written_is_refused(
    result: hinter.CampaignResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("xml", {}, "use model-card, eval-results, promptfoo, langfair, inspect"),
        ("inspect", {}, "name it, such as hinter.eval"),
        ("inspect", {"out": tmp_path / "log.txt"}, "name the file log.eval"),
        ("promptfoo", {"validity": 2.0}, "no such mutant"),
        ("model-card", {"model": "nobody"}, "nobody"),
        ("model-card", {"out": tmp_path / "none" / "card.md"}, "Check the path"),
        ("model-card", {"verdict": "hidden"}, "The form 'model-card' is of all mutants; leave out"),
        (
            "langfair",
            {"verdict": "hidden"},
            "LangFair takes mutants that change one attribute alone",
        ),
        (
            "promptfoo",
            {"verdicts": "hidden"},
            "hinter.export: unknown setting verdicts; did you mean",
        ),
    ]
    for form, more, message in wrong:
        with pytest.raises(hinter.HinterError, match=message):
            hinter.export(result, form, **more)
    with pytest.raises(hinter.HinterError, match="use mlflow, trackio, wandb"):
        hinter.log_campaign(result, "paper")
    monkeypatch.setitem(__import__("sys").modules, "mlflow", None)
    with pytest.raises(hinter.HinterError, match="pip install mlflow"):
        hinter.log_campaign(result, "mlflow")
