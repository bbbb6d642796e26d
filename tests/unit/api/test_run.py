"""``hinter.run``, ``load`` and ``compare``: data and models as people have them, and results."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pytest

import hinter_core as hinter
from hinter_core.campaign.frames import COLUMNS
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.gate import decide
from hinter_core.terms.names import name_usage

from .conftest import TEXTS, leaning, planted
from .test_check import page_of

LABELS = ["good", "good", "bad"]
Run = Callable[..., hinter.CampaignResult]


@pytest.fixture(scope="module")
def run(words: list[str]) -> Run:
    def small(data: Any = TEXTS, models: Any = planted, **more: Any) -> hinter.CampaignResult:
        return hinter.run(data, models, (), **{"dictionaries": words, "limit": 6, **more})

    return small


@pytest.fixture(scope="module")
def result(run: Run) -> hinter.CampaignResult:
    return run(pd.DataFrame({"review": TEXTS, "label": LABELS}), text_column="review")


def of(result: hinter.CampaignResult) -> list[tuple[Any, ...]]:
    made = result.mutants()
    return sorted(made[["row", "text", "mutant", "verdict"]].itertuples(index=False, name=None))


def test_a_shift_of_scores_alone_is_hidden_beyond_a_tolerance(run: Run, tmp_path: Path) -> None:
    def even(texts: list[str]) -> list[dict[str, float]]:
        return [{"bad": 0.1, "good": 0.9} for _ in texts]

    for model, tolerance, hidden in (
        (leaning, 0.3, 1), (leaning, 0.35, 0), (leaning, None, 0), (even, 0.001, 0),
    ):  # fmt: skip
        made = run(TEXTS[::2], model, score_tolerance=tolerance).mutants()
        verdicts = made.verdict[made.kept]
        assert list(verdicts[verdicts != "benign"]) == ["hidden"] * hidden
    found = run(TEXTS[::2], leaning, score_tolerance=0.3, out=tmp_path / "out")
    assert hinter.load(tmp_path / "out").rates.equals(found.rates)
    assert "moves by more than 0.3" in found.report()
    assert "good \u2192 good (-0.35)" in found.report()
    assert "From answer to answer: good \u2192 still good 1." in found.report()
    change = hinter.compare(run(TEXTS[::2], even, score_tolerance=0.3), found)
    assert "good \u2192 good (-0.35)" in change.report()


def test_a_score_tolerance_needs_scores(run: Run) -> None:
    says = "planted gives no probabilities of labels, which the score tolerance compares. Leave it"
    with pytest.raises(hinter.HinterError, match=says):
        run(score_tolerance=0.2)

    def some(texts: list[str]) -> list[Any]:
        return ["good" if "black" in t else {"bad": 0.1, "good": 0.9} for t in texts]

    made = run(TEXTS, some, score_tolerance=0.2).mutants()
    lost = made[made.verdict == "unanswered"]
    assert len(lost) == made.mutant[made.kept].str.contains("black").sum() > 0
    assert set(lost.reason) == {"it has no probabilities, which the score tolerance compares"}


def test_data_come_in_many_shapes(run: Run, result: hinter.CampaignResult, tmp_path: Path) -> None:
    frame = pd.DataFrame({"text": TEXTS, "label": LABELS})
    frame.to_csv(tmp_path / "texts.csv", index=False)
    rows = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    labels = datasets.ClassLabel(names=["bad", "good"])
    features = datasets.Features({"text": datasets.Value("string"), "label": labels})
    given = {
        "a path": tmp_path / "texts.csv", "its name": str(tmp_path / "texts.csv"),
        "texts": TEXTS, "an iterator": iter(TEXTS), "a column": frame["text"],
        "pairs": list(zip(TEXTS, LABELS, strict=True)), "rows": rows,
        "a data set": datasets.Dataset.from_list(rows, features=features),
    }  # fmt: skip
    for name, data in given.items():
        found = run(data)
        assert of(found) == of(result), name
        if name in ("a path", "pairs", "rows", "a data set"):
            assert set(found.mutants()["label"]) == {"good"}, name


def test_the_index_of_a_table_gives_ids(run: Run) -> None:
    frame = pd.DataFrame({"review": TEXTS, "other": ["x", "x", "x"]}, index=["a", "b", "c"])
    assert set(run(frame, order=1).mutants()["id"]) == {"a", "b"}
    assert set(run(frame.reset_index(drop=True), order=1).mutants()["id"]) == {"1", "2"}
    assert set(run(frame.assign(id=[7, 8, 9]), order=1).mutants()["id"]) == {"7", "8"}
    assert set(run(frame.set_axis([4, 4, 4]), order=1).mutants()["id"]) == {"1", "2"}


def test_a_bad_row_of_a_list_ends_no_run(run: Run) -> None:
    found = run([*TEXTS, None, float("nan"), 3, ""], "vader")
    texts = found.content.texts
    assert (texts["unusable"], texts.total()) == (4, len(TEXTS) + 4)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"data": 5}, "The data are no path, table or texts"),
        ({"data": {"text": TEXTS}}, "The data are no path, table or texts"),
        ({"data": []}, "hold no row"),
        ({"data": [1, 2]}, "has no row that can be read; the first: a row cannot be 1; give texts"),
        ({"data": "no_such.csv"}, "no_such.csv"),
        ({"data": None}, "Name the data"),
        ({"data": pd.DataFrame({"text": TEXTS}), "text_column": "texts"}, "has no column 'texts'"),
        ({"data": pd.DataFrame({"n": [1, 2, 3]})}, "column"),
        (
            {"data": pd.DataFrame([TEXTS], columns=["text", "n", "text"])},
            "The column 'text' is there twice",
        ),
        ({"data": datasets.DatasetDict({"test": datasets.Dataset.from_dict({"text": TEXTS})})},
         "Choose one split of the data: test"),
        ({"models": []}, "Name a model"),
        ({"models": lambda texts: ["good"]}, "1 answers to 4 texts"),
        ({"models": ["vader", planted], "identity": "v1"}, "one model that is an object"),
        ({"workers": 2}, "in this process alone; leave out workers"),
        ({"engine": "spark"}, "No engine is called 'spark'; use local or ray."),
        ({"gpus": 1}, "workers on Ray"),
        ({"sampel": 2}, "unknown setting sampel"),
        ({"dictionaries": [], "attributes": ["race", "hat"]}, "hat"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(words: list[str], arguments: Any, says: str) -> None:
    given = {"data": TEXTS, "models": planted, "attributes": (), "dictionaries": words, **arguments}
    with pytest.raises(hinter.HinterError) as caught:
        hinter.run(**given)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_text_that_the_model_fails_on_ends_nothing(run: Run) -> None:
    def moody(texts: list[str]) -> list[str]:
        if any("black" in text for text in texts):
            raise RuntimeError("no black")
        return planted(texts)

    found = run(models=moody)
    assert found.unanswered > 0
    lost = found.mutants(verdict="unanswered")
    assert set(lost["reason"]) == {"RuntimeError: no black"}
    assert set(lost["answer"]) == {""}
    assert len(found.mutants()) > len(lost)


def test_search_finds_a_part_of_an_id_but_no_part_of_a_number(tmp_path: Path) -> None:
    texts = {"news-1": "The black man left.", "mail-12": "A white woman left."}
    rows = [{"id": ident, "text": text} for ident, text in texts.items()]
    result = hinter.run(rows, "scripted:bad otherwise", limit=3, out=tmp_path / "out")
    assert set(result.mutants(search="NEWS")["row"]) == {1}
    assert set(result.mutants(search="1")["row"]) == {1}


def test_results_are_tables(result: hinter.CampaignResult) -> None:
    every = result.mutants()
    groups = {f"{name}_{side}" for name in ("hue", "sex") for side in ("from", "to")}
    assert set(every.columns) == set(COLUMNS) | groups
    hidden = result.findings(verdict="hidden")
    assert list(hidden["mutant"]) == ["The black woman thanked the nurse."]
    assert list(hidden[["row", "label", "model", "answer"]].iloc[0]) == [
        1,
        "good",
        "planted",
        "bad",
    ]
    assert len(result.findings()) == sum(every["verdict"].isin(["hidden", "biased"]))
    assert set(result.mutants(attributes="hue")["attributes"]) == {"hue"}
    together = [
        result.mutants(attributes=one) for one in ("hue, sex", "hue \u00d7 sex", ["sex", "hue"])
    ]
    assert [len(one) for one in together] == [len(together[0])] * 3
    assert set(together[0]["attributes"]) == {"hue \u00d7 sex"}
    assert set(every["attributes"]) <= set(result.rates["attributes"]) | {"placebo", "placebo2"}
    named = result.rates[result.rates["mutants"] > 0]
    for name, number in zip(named["attributes"], named["mutants"], strict=True):
        assert len(result.mutants(attributes=name)) == number, name
    assert set(result.to_fairlearn("atomic")["sensitive_features"].columns) == {"hue", "sex"}
    assert result.mutants(search="no such word").empty
    assert list(result.mutants(search="no such word").columns) == list(every.columns)
    rates = result.rates.set_index("attributes")
    together = every[every["order"] == 2]
    assert rates.loc["intersectional", "mutants"] == len(together)
    assert rates.loc["intersectional", "hidden_hits"] == len(hidden)
    dark = result.groups[result.groups["group"] == "dark"].iloc[0]
    of_dark = every[(every["attributes"] == "hue") & (every["hue_to"] == "dark")]
    assert dark["errors_of"] == sum(of_dark["kept"])
    with pytest.raises(hinter.HinterError, match="changes 'hat'; it has hue, sex"):
        result.mutants(attributes=["hat"])
    with pytest.raises(hinter.HinterError, match="'vader' was not tested"):
        result.findings(model="vader")
    with pytest.raises(hinter.HinterError, match="no verdict 'bad'"):
        result.findings("bad")
    with pytest.raises(
        hinter.HinterError, match="findings: unknown setting verdicts; did you mean"
    ):
        result.findings(verdicts="hidden")


def test_reports_and_figures(result: hinter.CampaignResult) -> None:
    assert json.loads(result.report("json"))["models"][0]["model"] == "planted"
    assert result.report("markdown").startswith("# HInter report")
    assert result.report("html").startswith("<!doctype html>")
    assert "\\begin{table}" in result.report("latex")
    with pytest.raises(hinter.HinterError, match="no report as 'pdf'; use markdown, csv"):
        result.report("pdf")
    assert "errors" in result.figures
    for name in result.figures:
        figure = result.figure(name).to_dict()
        assert figure["data"]
        assert figure["layout"]["title"]["text"]
    with pytest.raises(hinter.HinterError, match="no figure 'pie'; use errors"):
        result.figure("pie")
    page = page_of(result._repr_html_())
    assert re.search("pass|fail|too few", page, re.IGNORECASE)
    assert "placebo" in page
    assert "<script" not in page
    assert "prefers-color-scheme" not in page
    assert "HInter report: texts from Python" in page
    assert len(repr(result.of_model("planted"))) < 1000
    assert "planted: " in repr(result)


def test_a_result_says_first_what_is_missing(run: Run, tmp_path: Path) -> None:
    run(TEXTS, shard=1, out=tmp_path / "out")
    next((tmp_path / "out" / "shards").glob("*.answers-*")).unlink()
    part = hinter.load(tmp_path / "out")
    said = "The campaign is incomplete: 1 of 3 shards is missing; resume it."
    assert repr(part).splitlines()[1] == said
    page = page_of(part._repr_html_())
    assert page.index(said) < page.index("intersectional")
    assert said in part.report("html").partition("Appendix")[0]


def test_a_result_without_combined_changes_says_what_was_measured(run: Run) -> None:
    single = run(TEXTS, lambda texts: ["bad" if "black" in text else "good" for text in texts],
                 order=1, identity="single")  # fmt: skip
    (line,) = [one for one in single.content.models[0].lines if one.errors.hits]
    said = f"atomic mutants, {line.errors.hits} errors in "
    assert said in repr(single)
    assert "hidden" not in repr(single)
    page = page_of(single._repr_html_())
    assert f"{line.errors.hits} of " in page
    assert "atomic mutants changed the answer" in page
    assert "0 of 0" not in page


def test_a_prioritised_result_says_that_its_rates_are_of_the_audit(run: Run) -> None:
    days = [f"The old man thanked the nurse on day {n}." for n in range(30)]
    first = run(days, prioritise="levenshtein", requests=90, limit=None)
    state = first.content.models[0].priority
    said = f"{state.asked} of {state.cases} cases were asked (levenshtein), and {state.faults} ch"
    assert "intersectional mutants of the audit, " in repr(first)
    cases = first.mutants().query("kept")
    assert len(cases) == state.cases
    assert set(cases.loc[cases["sequence"].isna(), "reason"]) == {"not asked"}
    audit = cases[cases["audit"] & (cases["order"] == 2)]
    errors = first.content.models[0].intersectional.errors
    flipped = audit["verdict"].isin(["hidden", "biased"])
    assert (sum(flipped), sum(audit["verdict"] != "")) == (errors.hits, errors.of)
    assert len(first.to_fairlearn("hue, sex")["y_true"]) == errors.of
    for shown in (repr(first), page_of(first._repr_html_())):
        assert said in shown


def test_the_frame_of_fairlearn_has_the_rates_of_the_groups(result: hinter.CampaignResult) -> None:
    frames = result.to_fairlearn("hue")
    assert set(frames) == {"y_true", "y_pred", "sensitive_features"}
    wrong = frames["y_true"] != frames["y_pred"]
    by_group = wrong.groupby(frames["sensitive_features"]["hue"]).mean()
    of_hue = result.groups[result.groups["attributes"] == "hue"].set_index("group")
    assert by_group.to_dict() == pytest.approx(of_hue["errors_share"].to_dict())
    both = result.to_fairlearn()["sensitive_features"]
    assert list(both.columns) == ["hue", "sex"]
    assert set(both["sex"]) == {"male", "female", "unchanged"}
    by_label = result.to_fairlearn("hue", truth="label")
    assert set(by_label["y_true"]) == {"good"}
    with pytest.raises(hinter.HinterError, match="'answer' or 'label', not 'gold'"):
        result.to_fairlearn(truth="gold")


def test_labels_that_are_not_there_are_told(run: Run) -> None:
    says = r"no label column found; use .*label_column=NAME in Python \(columns: text, shop\)"
    with pytest.warns(UserWarning, match=says) as caught:
        bare = run(pd.DataFrame({"text": TEXTS, "shop": [1, 2, 1]}))
    assert caught[0].filename == __file__
    with pytest.raises(hinter.HinterError, match="These texts have no labels in the data"):
        bare.to_fairlearn(truth="label")
    some = run([(TEXTS[0], "good"), (TEXTS[1], "")])
    every, labelled = some.to_fairlearn(), some.to_fairlearn(truth="label")
    assert set(labelled["y_true"]) == {"good"}
    sizes = {len(part) for part in labelled.values()}
    assert sizes == {sum(some.mutants(verdict=("benign", "biased", "hidden"))["label"] == "good")}
    assert sizes < {*sizes, len(every["y_true"])}


def test_columns_without_a_value_are_numbers(run: Run) -> None:
    found = run(order=1)
    for table, names in (
        (found.mutants(), ["shift", "interaction"]),
        (found.rates, ["hidden_hits", "hidden_share", "hidden_high", "false_share"]),
        (hinter.compare(found, run(TEXTS, leaning, order=1)).rates, ["hidden_difference"]),
        (hinter.check(TEXTS[0], planted, "gender", order=1).mutants(), ["shift", "interaction"]),
    ):
        assert set(table[names].dtypes) == {np.dtype(float)}
        assert table[names].isna().all(axis=None)
    assert found.mutants(search="no such word")["text"].dtype == np.dtype(object)


def test_settings_are_those_that_took_effect(run: Run) -> None:
    found = run(literal=True)
    settings = found.settings
    assert settings == json.loads(found.report("json"))["campaign"]
    assert (settings["coherent"], settings["invariant"]) == (False, "published")


def test_a_campaign_goes_on_only_with_a_model_that_is_known(run: Run, tmp_path: Path) -> None:
    asked: list[int] = []

    def counting(texts: list[str]) -> list[str]:
        asked.append(len(texts))
        return planted(texts)

    unnamed = tmp_path / "unnamed"
    run(models=counting, out=unnamed)
    with pytest.raises(hinter.HinterError, match="resume=True"):
        run(models=counting, out=unnamed)
    with pytest.raises(hinter.HinterError, match="'counting' has no identity"):
        run(models=counting, out=unnamed, resume=True)
    named = tmp_path / "named"
    first = run(models=counting, out=named, identity="counting-1")
    del asked[:]
    again = run(models=counting, out=named, identity="counting-1", resume=True)
    assert sum(asked) == 4  # the sentences that every model is tried on
    assert of(again) == of(first) == of(hinter.load(named))
    with pytest.raises(hinter.HinterError, match="holds another campaign"):
        run(TEXTS[:2], counting, out=named, identity="counting-1", resume=True)
    with pytest.warns(UserWarning, match="counting is another model than in the run before, so"):
        run(models=counting, out=named, identity="counting-2", resume=True)
    assert sum(asked) > 4


@pytest.mark.usefixtures("clean_seams")
def test_models_of_one_identity_keep_their_own_answers(run: Run, tmp_path: Path) -> None:
    def fair(texts: list[str]) -> list[str]:
        return ["good" for _ in texts]

    def errors(found: hinter.CampaignResult) -> dict[str, int]:
        return {name: len(found.findings(model=name)) for name in found.models}

    for model, name in ((planted, "first"), (fair, "second")):
        hinter.model(model, name=name, identity="1", labels=["good", "bad"])
    out = tmp_path / "out"
    apart = {**errors(run(models="first", out=out)), "second": 0}
    assert apart["first"]
    assert errors(run(models=["first", "second"])) == apart
    assert errors(run(models="second", out=out, resume=True)) == apart
    store = CampaignStore(out)  # before names were part of identities, all answers were in one file
    spec = store.read()
    (now, _), before = (
        (one["identity"] for one in spec["models"].values()),
        "1-('good', 'bad')-False",
    )
    store.answers(0, now).rename(store.answers(0, before))
    store.write_spec(
        {**spec, "models": {"second": {**spec["models"]["second"], "identity": before}}}
    )
    assert errors(hinter.load(out)) == {"second": apart["first"]}
    assert errors(run(models=["first", "second"], out=out, resume=True)) == apart


def test_one_model_of_two_names_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "all.rules").write_text("good otherwise")
    named = ["scripted:good otherwise", f"scripted:{tmp_path / 'all.rules'}"]
    with pytest.raises(hinter.HinterError, match=r"all\.rules are the same model; give only one"):
        run(models=named)


def test_without_a_directory_nothing_is_left(run: Run) -> None:
    found = run()
    folder = found.store.folder
    assert folder.is_dir()
    del found
    assert not folder.exists()


def test_progress_is_told(run: Run) -> None:
    seen = []
    run(shard=1, on_progress=lambda now: seen.append((now.shards, now.of)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert run(on_progress=None).texts == 3


def test_two_models_are_compared(run: Run, tmp_path: Path) -> None:
    def fair(texts: list[str]) -> list[str]:
        return ["good" for _ in texts]

    both = run(models=[planted, fair], out=tmp_path / "both")
    assert both.models == ["planted", "fair"]
    found = hinter.compare(both)
    assert (found.first, found.second, found.paired) == ("planted", "fair", True)
    together = found.rates.set_index("attributes").loc["intersectional"]
    assert together["errors_first"] > together["errors_second"] == 0
    assert together["errors_difference"] == pytest.approx(-together["errors_first"])
    assert json.loads(found.report("json"))["first"] == "planted"
    assert "planted" in found.report()
    alone = run(models=fair)
    assert hinter.compare(tmp_path / "both", alone, ["planted", "fair"]).paired
    with pytest.raises(hinter.HinterError, match="Name the models"):
        hinter.compare(both, run(models="vader"))


def test_bias_by_names_alone_is_told_from_none() -> None:
    def of_names(texts: list[str]) -> list[str]:
        foreign = (any(map(name_usage().country, re.findall(r"\w+", text))) for text in texts)
        return ["bad" if one else "good" for one in foreign]

    people = """Matthew Walsh he, Emily Walsh she, Frank Moore he, Anne Baker she, Brett Hill he,
        Todd Turner he, Jill Wood she, Neil Cooper he, Jane Clark she, Carrie Evans she"""
    texts = ["{} {} called, and {} was ill.".format(*one.split()) for one in people.split(",")]
    models = [of_names, lambda texts: ["good"] * len(texts)]
    found = hinter.run(texts, models, ("race", "gender"), origin_names=True)
    for model, outcome in zip(found.content.models, ("fail", "too few to say"), strict=True):
        decided = decide(model, 0.05)
        assert (decided.outcome, decided.excess and decided.excess.placebo.hits) == (outcome, 0)


def test_a_directory_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(hinter.HinterError, match="is no campaign"):
        hinter.load(tmp_path)
    with pytest.raises(hinter.HinterError, match="5 is no campaign; give its directory"):
        hinter.load(5)  # type: ignore[arg-type]


def test_the_command_line_reads_what_the_api_wrote(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from hinter_core.cli.main import cli

    out = tmp_path / "out"
    made = run(out=out)
    for command in (["report", str(out), "--json"], ["verify", str(out)]):
        with pytest.raises(SystemExit) as ended:
            cli(command, standalone_mode=True)
        assert not ended.value.code
    assert len(hinter.load(str(out)).mutants()) == len(made.mutants())
    assert CampaignStore(out).campaign().models == ("planted",)
