"""``hinter report``: forms, files, exit codes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hinter_core.campaign.store import CampaignStore
from tests.forked import Commands

MODEL = 'scripted:negative if "white" and "woman"; positive otherwise'


@pytest.fixture(scope="module")
def folder(make: Callable[..., CampaignStore]) -> str:
    return str(make(["The black man was kind."], ["race", "gender"], 2, MODEL).folder)


def test_the_terminal_reads_it(run: Callable[..., tuple[int, str, str]], folder: str) -> None:
    code, out, err = run("report", folder)
    assert (code, err) == (0, "")
    assert "1 of 2 (50.0 %) intersectional mutants changed the answer" in " ".join(out.split())


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("--markdown", "# HInter report"),
        ("--csv", "model,attributes,"),
        ("--html", "<!doctype html>"),
        ("--latex", "% Needs: "),
    ],
)
def test_forms_on_standard_output_and_in_a_file(
    run: Callable[..., tuple[int, str, str]], folder: str, tmp_path: Path, form: str, start: str
) -> None:
    code, out, _ = run("report", folder, form)
    assert code == 0
    assert out.startswith(start)
    file = tmp_path / "report"
    assert run("report", folder, form, "--out", str(file)) == (0, "", "")
    assert file.read_text(encoding="utf-8") == out


def test_the_ending_of_a_file_tells_its_form_unless_an_option_does(
    run: Callable[..., tuple[int, str, str]], folder: str, tmp_path: Path
) -> None:
    starts = {".html": "<!doctype", ".JSON": "{", ".md": "# HInter report", ".csv": "\ufeffmodel,",
              ".tex": "% Needs: ", ".txt": "Overview", "": "Overview"}  # fmt: skip
    for ending, start in starts.items():
        file = tmp_path / f"report{ending}"
        assert run("report", folder, "--out", str(file)) == (0, "", "")
        assert file.read_text(encoding="utf-8").startswith(start), ending
    file = tmp_path / "report.html"
    assert run("report", folder, "--markdown", "--out", str(file)) == (0, "", "")
    assert file.read_text(encoding="utf-8").startswith("# HInter report")


@pytest.mark.parametrize("ending", [".pdf", ".docx"])
def test_a_report_is_not_written_under_a_name_that_it_is_not(
    run: Callable[..., tuple[int, str, str]], folder: str, tmp_path: Path, ending: str
) -> None:
    file = tmp_path / f"report{ending}"
    code, _, err = run("report", folder, "--out", str(file))
    assert (code, file.exists()) == (2, False)
    assert f"cannot be written as {ending}; choose an ending of .md, .csv" in err
    assert "For a PDF, open the .html page in a browser and print it" in err


def test_json_is_read_back(run: Callable[..., tuple[int, str, str]], folder: str) -> None:
    values = json.loads(run("report", folder, "--json")[1])
    assert [model["model"] for model in values["models"]] == [MODEL]


@pytest.fixture(scope="module")
def other(make: Callable[..., CampaignStore]) -> str:
    return str(make(["The white man was kind."], ["race", "gender"], 2, MODEL).folder)


def test_several_campaigns_have_totals(
    run: Callable[..., tuple[int, str, str]], folder: str, other: str
) -> None:
    code, out, err = run("report", folder, other)
    assert (code, err) == (0, "")
    assert "All data and models: 1 of 4 (25.0 %) intersectional" in " ".join(out.split())
    assert run("report", folder, other, "--markdown")[1].startswith("# HInter campaigns")
    assert run("report", folder, other, "--latex")[1].count(r"\begin{tabular}") == 3
    assert run("report", folder, other, "--csv")[1].startswith("data,model,metric,hits,of,")
    totals = json.loads(run("report", folder, other, "--json")[1])["totals"]
    assert {"data": "(all)", "model": MODEL, "metric": "I", "hits": 1, "of": 4} in [
        {key: one[key] for key in ("data", "model", "metric", "hits", "of")} for one in totals
    ]


def test_tables_go_to_a_folder(
    run: Callable[..., tuple[int, str, str]], folder: str, other: str, tmp_path: Path
) -> None:
    code, out, err = run("report", folder, "--tables", str(tmp_path / "one"))
    assert (code, err) == (0, "")
    number = len(list((tmp_path / "one").glob("*.tex")))
    assert out == f"{tmp_path / 'one'}: {number} tables, each as CSV and LaTeX.\n"
    code, out, err = run("report", folder, other, "--csv", "--tables", str(tmp_path / "two"))
    assert (code, out[:11]) == (0, "data,model,")  # the note is not in the table
    assert "3 tables" in err
    names = {path.stem for path in (tmp_path / "two").iterdir()}
    assert names == {"campaigns", "campaigns-tested", "models"}


def test_only_some_attributes(run: Callable[..., tuple[int, str, str]], folder: str) -> None:
    found = json.loads(run("report", folder, "--attributes", "race", "--json")[1])
    assert [line["name"] for line in found["models"][0]["lines"]] == ["race"]
    assert found["only"] == ["race"]


def test_a_gate_decides_by_the_exit_code(
    run: Callable[..., tuple[int, str, str]], folder: str, tmp_path: Path
) -> None:
    file = tmp_path / "junit.xml"
    rate = ("--gate-on", "rate")
    code, out, err = run("report", folder, "--fail-over", "0.05", *rate, "--junit", str(file))
    assert code == 1
    assert "Error rates" in out  # the report is there all the same
    assert (
        err == f"hinter: {MODEL}: intersectional errors 1 of 2 (50.0 %), more than 5 % allowed.\n"
    )
    assert len(list(ElementTree.parse(file).iter("failure"))) == 1
    assert run("report", folder, "--fail-over", "0.5", *rate)[0] == 0
    code, _, err = run("report", folder, "--fail-over", "0.5")
    assert code == 1
    assert "no placebo mutants of order 2 to tell bias from brittleness: 100 are needed" in err
    assert "neutral words of two kinds (a day and a meal) or given names" in err
    hidden = ("--fail-over", "0", "--gate-on", "hidden")
    code, _, err = run("report", folder, *hidden, "--junit", str(file))
    first, finding = err.splitlines()
    assert (code, "1 of 2 intersectional mutants is a hidden finding (50.0 %)" in first) == (
        1,
        True,
    )
    assert finding.startswith("  row 1: ")
    assert len(list(ElementTree.parse(file).iter("failure"))) == 2  # all of them, and this one
    # Writing for another program leaves the gate on.
    code, out, err = run("report", folder, "--for", "model-card", "--fail-over", "0.05", *rate)
    assert (code, "more than 5 % allowed" in err) == (1, True)
    assert out.startswith("## Intersectional bias")
    assert "Error rates" not in out


def test_bad_input_is_one_line(
    run: Callable[..., tuple[int, str, str]], folder: str, tmp_path: Path
) -> None:
    for arguments, said in (
        ((folder, "--csv", "--json"), "Choose one of --csv and --json."),
        ((folder, "--csv", "--for", "model-card"), "--for writes one form; leave out other"),
        ((folder, folder, "--for", "model-card"), "are for one campaign; give one directory"),
        ((folder, "--for", "xml"), "use model-card, eval-results"),
        ((str(tmp_path),), "is no campaign"),
        ((folder, "--fail-over", "7"), "between 0 and 1"),
        ((folder, folder), "would count twice; give one of them"),
        ((folder, str(tmp_path)), "is no campaign"),
        ((folder, folder, "--html"), "are for one campaign; give one directory"),
        ((folder, folder, "--fail-over", "0.1"), "are for one campaign; give one directory"),
        ((folder, "--model", "vader"), "was not tested in this campaign; its models: scripted:"),
        ((folder, "--attributes", "age"), "changes 'age'; it has gender, race."),
        ((folder, "--csv", "--out", str(tmp_path / "none" / "x.csv")), "Cannot write"),
    ):
        code, out, err = run("report", *arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err


@pytest.mark.parametrize("lines", [1, 0])  # the reader goes after a line; before a word
@pytest.mark.parametrize(
    ("options", "code"), [((), 0), (("--json",), 0), (("--fail-over", "0.05"), 1)]
)
def test_a_reader_that_goes_leaves_quietly(
    folder: str,
    options: tuple[str, ...],
    code: int,
    lines: int,
    commands: Commands,
    tmp_path: Path,
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = commands.start("report", folder, *options, out=pipe)
    with pipe.open() as reader:
        for _ in range(lines):
            assert reader.readline()
    done = commands.wait(process)
    assert done.code == code
    assert "Broken" not in done.err
    assert "Exception" not in done.err
    assert bool(done.err) is (code == 1)
