"""``hinter run``, ``verify`` and ``report`` as a person, or a build, runs them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from hinter_core.campaign.running.run import RunProgress
from hinter_core.campaign.settings import CAMPAIGN_OPTIONS
from hinter_core.campaign.store import CampaignStore
from hinter_core.cli.run import _Pace

from .conftest import Run

ROOT = Path(__file__).parents[3]
RULES = "scripted:negative 0.7 if race=white and gender=female; positive otherwise"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    path.write_text("text\nThe black man was kind.\nOn Tuesday a white man left.\nIt rained.\n")
    return path


@pytest.mark.slow
def test_a_model_passes_or_fails_a_build(run: Run, data: Path, tmp_path: Path) -> None:
    options = ("--data", str(data), "--limit", "40", "--out", str(tmp_path / "out"))
    junit = tmp_path / "junit.xml"
    code, out, err = run("run", *options, "--model", RULES, "--fail-over", "0.01",
                         "--junit", str(junit))  # fmt: skip
    assert code == 1
    assert "1 of 1 shards, 3 texts" in out
    assert "models together" not in out
    assert RULES in err
    assert "<testsuite" in junit.read_text()
    assert run("run", *options, "--model", RULES, "--resume", "--fail-over", "0.9",
               "--gate-on", "rate")[0] == 0  # fmt: skip
    code, out, _ = run("verify", str(tmp_path / "out"))
    assert (code, out.strip()) == (0, f"{tmp_path / 'out'}: no fault.")


@pytest.mark.slow
def test_what_is_incomplete_passes_no_gate(run: Run, data: Path, tmp_path: Path) -> None:
    whole, part = str(tmp_path / "whole"), str(tmp_path / "part")
    run("run", "--data", str(data), "--model", RULES, "--shard", "1", "--out", whole)
    shutil.copytree(whole, part)
    for table in (tmp_path / "part" / "shards").glob("00001.*"):
        table.unlink()
    limit, said = ("--fail-over", "1"), "The campaign is incomplete: 1 of 3 shards is missing"
    code, _, err = run("report", part, *limit, "--gate-on", "rate")
    assert (code, said in err) == (1, True)
    assert run("report", whole, *limit, "--gate-on", "rate")[0] == 0
    code, _, err = run("compare", whole, part, *limit)
    assert (code, f"hinter: {part}: {said}" in err) == (1, True)
    code, _, err = run("compare", part, whole)
    assert (code, f"{part}: {said}" in err) == (0, True)


def test_a_budget_of_money_needs_prices(run: Run, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, _, err = run("run", "--data", str(data), "--model", RULES, "--budget", "1",
                       "--out", str(out))  # fmt: skip
    assert (code, out.exists()) == (2, False)
    assert "A budget of money needs prices: add price_in=" in err


@pytest.mark.slow
def test_a_large_campaign_has_its_report_when_it_ends(
    run: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("run", "--data", str(data), "--model", RULES, "--limit", "9", "--shard", "1")
    kept = tmp_path / "parts" / "report.json.gz"
    code, _, err = run(*options, "--out", str(tmp_path / "small"))
    assert (code, "report" in err) == (0, False)
    assert not (tmp_path / "small" / "report.json.gz").exists()
    monkeypatch.setattr("hinter_core.cli.run._LARGE", 1)
    assert run(*options, "--out", str(tmp_path / "parts"), "--part", "1/2")[0] == 0
    assert not kept.exists()
    code, _, err = run(*options, "--out", str(tmp_path / "parts"), "--part", "2/2")
    assert code == 0
    assert "The report is made" in err
    assert kept.exists()


@pytest.mark.parametrize(
    ("cores", "long", "others", "told"),
    [(4, 0, (), True), (4, 3, (), False), (1, 0, (), False), (4, 0, ("--part", "1/1"), False)],
)
def test_a_long_run_by_one_worker_says_that_several_may_be_faster(
    run: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    cores: int, long: float, others: tuple[str, ...], told: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr("hinter_core.cli.run._MEASURED", 0)
    monkeypatch.setattr("hinter_core.cli.run._LONG", long)
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    out = str(tmp_path / "out")
    code, _, err = run("run", "--data", str(data), "--model", RULES, "--limit", "9", "--shard",
                       "1", "--out", out, *others)  # fmt: skip
    assert code == 0
    assert err.count("then add --resume --workers 2.") == told


def test_shards_of_earlier_runs_do_not_hide_how_long_the_rest_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace, clock = _Pace(2), iter((0.0, 0.0, 30.0))
    monkeypatch.setattr("hinter_core.cli.run.time.monotonic", lambda: next(clock))
    assert pace.advice(RunProgress(1, 1000)) == ""
    assert pace.advice(RunProgress(900, 1000)) == ""
    told = pace.advice(RunProgress(901, 1000, parses=5))
    assert told.startswith("About 50 minutes are left")


def test_the_last_lines_say_what_was_not_tested(run: Run, tmp_path: Path) -> None:
    data, blank = tmp_path / "texts.csv", "x" * 100_001
    data.write_text(f"text\nIt rained.\nIt snowed.\nThe black man was kind.\n{blank}\n")
    code, out, _ = run("run", "--data", str(data), "--model", RULES, "--limit", "3",
                       "--out", str(tmp_path / "out"))  # fmt: skip
    assert code == 0
    assert "2 of 4 texts: nothing to test, most often because: No term of race or gender" in out
    assert "1 of 4 texts: unusable, most often because: " in out


def test_an_unknown_slot_is_named_beside_more_frequent_faults(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "templates.jsonl"
    texts = [
        "\u00abname\u00bb smiled.",
        "No slot.",
        "None.",
        "\u00abname\u00bb is \u00abfaith\u00bb.",
    ]
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    code, out, _ = run("run", "--templates", str(file), "--model", RULES, "--order", "1",
                       "--attributes", "gender", "--names-per-class", "1", "--no-placebo",
                       "--out", str(tmp_path / "out"))  # fmt: skip
    assert code == 0
    assert "3 of 4 texts: unusable, most often because: the text has no slot" in out
    assert "  1 because: unknown slot \u00abfaith\u00bb; use name, " in out


def test_labels_that_differ_in_capitals_alone_are_told_at_the_start(
    run: Run, tmp_path: Path
) -> None:
    data = tmp_path / "texts.csv"
    data.write_text("text,label\nIt rained.,pos\nThe black man was kind.,POS\n")
    _, _, err = run("run", "--data", str(data), "--model", RULES, "--limit", "3",
                    "--out", str(tmp_path / "out"))  # fmt: skip
    told = "The labels 'pos', 'POS' differ in capitals alone; each is a label."
    assert err.splitlines()[0] == told


def test_a_small_grammar_gives_all_its_sentences(run: Run, tmp_path: Path) -> None:
    grammar = tmp_path / "small.yaml"
    grammar.write_text(
        "start: sentence\nrules:\n  sentence: [<A> <occupation> said that <he> was here.]\n"
        "sensitive:\n  occupation: [nurse, pilot]\n"
        "  gender: [{group: male, he: he}, {group: female, he: she}]\n"
    )
    code, out, err = run("run", "--grammar", str(grammar), "--model", RULES,
                         "--out", str(tmp_path / "out"))  # fmt: skip
    assert code == 0
    assert "4 texts" in out
    assert "small.yaml has 4 different sentences; all are tested." in err
    _, out, err = run("run", "--grammar", str(grammar), "--model", RULES, "--sentences", "4",
                      "--sample", "2", "--out", str(tmp_path / "some"))  # fmt: skip
    assert "2 texts" in out
    assert "different sentences" not in err
    code, out, err = run("grammar", "sample", str(grammar))
    assert (code, len(out.splitlines()), err) == (0, 4, "small has only 4 different sentences.\n")


def test_what_does_not_exist_is_named(run: Run) -> None:
    assert run("mcp", "--folder", "nope")[::2] == (
        2, "hinter: There is no folder nope; check the path.\n",
    )  # fmt: skip
    assert run("verfy")[2].endswith("Did you mean 'verify'? Try --help.\n")


def test_verify_names_what_is_missing_or_damaged(run: Run, data: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    options = ("run", "--data", str(data), "--model", RULES, "--limit", "9", "--shard", "1")
    assert run(*options, "--out", out)[0] == 0
    shards = tmp_path / "out" / "shards"
    for path in shards.glob("00001.*"):
        path.unlink()
    code, said, _ = run("verify", out)
    assert code == 0
    assert said.endswith(
        "no fault. The campaign is incomplete: 1 of 3 shards is missing; resume it.\n"
    )
    (shards / "00000.texts.parquet").unlink()
    code, _, said = run("verify", out)
    assert code == 2
    assert "00000.texts.parquet is missing. Continue with hinter run --resume" in said
    assert run(*options, "--out", out, "--resume")[0] == 0
    assert run("verify", out)[1].endswith("no fault.\n")


@pytest.mark.slow
def test_the_example_of_a_build_decides(run: Run, tmp_path: Path) -> None:
    """Its texts have placebo mutants of two changes, so that planted bias alone fails it."""
    biased = "scripted:negative 0.7 if gender=female; positive otherwise"
    example, out = str(ROOT / "examples/ci/bias.yaml"), str(tmp_path / "out")
    both = ("--model", "embedded", "--model", biased)
    code, told, err = run("run", example, *both, "--out", out, "--fail-over", "0.05")
    assert code == 1
    assert " hidden (of 2 models together); " in told
    assert f"hinter: {biased}: errors of order 2 " in err
    assert "embedded: errors of order 2 " in err
    assert "5 points allowed: not decided, and passed" in err
    code, out, _ = run("run", example, "--sample", "8", "--estimate")
    assert code == 0
    assert re.search(r"and about \d\d are made; add texts \(roughly \d\d texts like these", out)


def test_an_estimate_writes_nothing(run: Run, data: Path, tmp_path: Path) -> None:
    code, out, _ = run("run", "--data", str(data), "--model", "vader", "--estimate",
                       "--part", "1/4", "--out", str(tmp_path / "out"))  # fmt: skip
    assert code == 0
    assert out.startswith("3 texts; 2 of the 3 (67 %) have something to test\nabout ")
    assert "--fail-over may fail: it needs 100 placebo mutants of order 2 in texts with " in out
    assert "of the whole campaign; this run, part 1 of 4, does about 25 % of it.\n" in out
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "Name the data (--data"),
        (("--data", "none.csv"), "no file none.csv"),
        (("--data", "DATA", "--text-column", "body"), "no column 'body'"),
        (("--data", "DATA", "--model", "gpt-99"), "Unknown model 'gpt-99'"),
        (("--data", "DATA", "--model", "vader,gpt-99"), "Unknown model 'vader,gpt-99'"),
        (("--data", "DATA", "--attributes", "shoes"), "shoes"),
        (("--data", "DATA", "--workers", "0"), "workers is a whole number from 1"),
        (("--data", "DATA", "--gpus", "1"), "workers on Ray"),
        (("none.yaml",), "Cannot read none.yaml"),
        (("--data", "DATA", "--junit", "no/x.xml"), "Cannot write no/x.xml"),
        (("--data", "DATA", "--sarif", "no/x.sarif"), "Cannot write no/x.sarif"),
        (("--data", "DATA", "--gate-on", "rate"), "add --fail-over"),
        (("--mutants", "DATA", "--attributes", "race"), "leave out --attributes"),
        (("--grammar", "masked-pronouns", "--model", "embedded"), "leave out --model, or name"),
    ],
)
def test_what_cannot_be_run_is_one_line(
    run: Run, data: Path, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    given = [str(data) if option == "DATA" else option for option in options]
    code, _, err = run("run", *given, "--out", str(tmp_path / "out"))
    assert code == 2
    assert words in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_directory_is_not_run_over_unasked(run: Run, data: Path, tmp_path: Path) -> None:
    options = ("run", "--data", str(data), "--model", RULES, "--limit", "2",
               "--out", str(tmp_path / "out"))  # fmt: skip
    assert run(*options)[0] == 0
    code, _, err = run(*options)
    assert code == 2
    assert "add --resume" in err
    assert run(*options, "--retry-failed")[0] == 0


def test_what_is_not_given_to_resume_is_as_it_was(run: Run, data: Path, tmp_path: Path) -> None:
    folder = str(tmp_path / "out")
    given = ("--data", str(data), "--limit", "2", "--attributes", "race,gender", "--out", folder)
    assert run("run", *given, "--model", RULES)[0] == 0
    assert run("run", *given, "--model", "vader", "--resume")[0] == 0
    for again in ("--resume", "--retry-failed"):
        code, out, err = run("run", "--out", folder, again)
        assert (code, "0 parses and 0 predictions" in out) == (0, True), err
    code, _, err = run("run", "--out", folder, "--resume", "--limit", "3")
    assert code == 2
    assert "(limit: 2 there, 3 here); leave out what differs to continue it, or name" in err
    assert run("run", "--out", str(tmp_path / "none"), "--resume")[0] == 2


def test_no_campaign_is_verified(run: Run, tmp_path: Path) -> None:
    assert run("verify", str(tmp_path / "none"))[0] == 2


def test_every_setting_is_an_option_and_can_be_given(run: Run, data: Path, tmp_path: Path) -> None:
    code, out, _ = run("run", "--help")
    assert code == 0
    for option in CAMPAIGN_OPTIONS.values():
        assert f"--{(option.each or option.name).replace('_', '-')} " in out
    assert out.index("\nAdvanced settings:") < out.index("--seed")
    given = ("--no-placebo", "--literal", "--repeat", "1", "--seed", "7", "--attributes", "race",
             "--attributes", "gender", "--model", RULES, "--model", "vader,textblob")  # fmt: skip
    assert run("run", "--data", str(data), *given, "--out", str(tmp_path / "out"))[0] == 0
    campaign = CampaignStore(tmp_path / "out").campaign()
    assert (campaign.placebo, campaign.literal, campaign.atomic) == (False, True, True)
    assert (campaign.repeat, campaign.seed, campaign.attributes) == (1, 7, ("race", "gender"))
    assert campaign.models == (RULES, "vader", "textblob")
