"""``hinter mutants`` and ``hinter run --mutants`` as a person runs them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from hinter_core.campaign.sources.handwritten import how_to_test
from hinter_core.campaign.spec import Campaign

from .conftest import Run

RULES = "scripted:bad if race=white and gender=female; good otherwise"


@pytest.fixture
def done(run: Run, tmp_path: Path) -> Path:
    data = tmp_path / "texts.csv"
    data.write_text("text\nThe black man was kind.\nIt rained.\n")
    folder = tmp_path / "first"
    code, _, err = run("run", "--data", str(data), "--model", RULES, "--limit", "80",
                       "--no-placebo", "--out", str(folder))  # fmt: skip
    assert (code, err) == (0, "")
    return folder


@pytest.mark.slow
def test_mutants_are_written_changed_and_run_again(run: Run, done: Path, tmp_path: Path) -> None:
    out = tmp_path / "mutants.csv"
    code, said, _ = run("mutants", str(done), "--verdict", "hidden", "--out", str(out))
    assert code == 0
    with out.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert said.startswith(f"{out}: {len(rows)} mutants. To test these: hinter run --mutants {out}")
    assert "Verdicts may differ from the campaign's" in said
    hidden = [row for row in rows if row[f"verdict: {RULES}"] == "hidden"]
    assert hidden
    assert all(row["order"] == "1" for row in rows if row not in hidden)
    hidden[0]["mutant"] = "The white girl was kind."
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")  # as some spreadsheets do
        writer.writeheader()
        writer.writerows(rows)
    again = tmp_path / "again"
    code, said, _ = run("run", "--mutants", str(out), "--model", RULES, "--out", str(again))
    assert code == 0
    assert f"1 texts, {len(rows)} mutants, {len(hidden)} hidden" in said
    assert run("verify", str(again))[0] == 0
    code, said, _ = run("report", str(again))
    assert code == 0
    assert "mutants.csv, all texts, handwritten mutants" in said
    assert (
        run("run", "--mutants", str(out), "--model", "vader", "--out", str(again), "--resume")[0]
        == 0
    )


def test_a_log_is_printed_without_a_file(run: Run, done: Path) -> None:
    code, out, err = run("mutants", str(done))
    assert (code, err) == (0, "")
    legend, text, answer, *lines = out.splitlines()
    short = "scripted: bad if race=w…"
    assert legend == f"# {short} is {RULES}"
    assert text == "# row 1, id 1: The black man was kind."
    assert answer == f"# {short}: good"
    cells = [line.split("\t") for line in lines]
    assert {len(row) for row in cells} == {6}
    assert {tuple(row[:2]) for row in cells} == {("1", short)}
    hidden = [row for row in cells if row[2] == "hidden"]
    for _, _, _, answers, changes, mutant in hidden:
        new = [change.rpartition(" -> ")[2] for change in changes.split("; ")]
        assert (answers, mutant) == ("good -> bad", f"The {new[1]} {new[0]} was kind.")
    assert hidden
    lost = [row[3] for row in cells if row[2] == "discarded"]
    assert all(reason.startswith("discarded: ") for reason in lost)
    code, out, _ = run("mutants", str(done), "--verdict", "hidden", "--no-parts")
    assert out.splitlines() == [legend, text, answer, *("\t".join(row) for row in hidden)]
    code, out, _ = run("list", str(done.parent))
    assert code == 0
    assert "complete" in out
    assert "2 of 2" in out


def test_the_log_names_the_names_that_stand_in_the_text(run: Run, tmp_path: Path) -> None:
    data, folder = tmp_path / "names.csv", str(tmp_path / "named")
    data.write_text("text\nMaria Lopez lost.\n")
    run("run", "--data", str(data), "--model", "vader", "--origin-names", "--attributes",
        "race,gender", "--limit", "60", "--out", folder)  # fmt: skip
    _, out, _ = run("mutants", folder)
    pairs = [line.split("\t")[4:] for line in out.splitlines() if "; placebo-" in line]
    assert pairs
    for changes, mutant in pairs:
        new = {change.rpartition(" -> ")[2] for change in changes.split("; ")}
        assert new == {mutant.split()[0]}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--verdict", "guilty"), "no verdict 'guilty'; use benign"),
        (("--limit", "0"), "--limit is at least 1"),
        (("--attributes", "foo"), "No mutant of this campaign changes 'foo'; it has"),
        (("--model", "vader"), "'vader' was not tested"),
    ],
)
def test_bad_options_are_one_line(
    run: Run, done: Path, tmp_path: Path, options: tuple[str, str], words: str
) -> None:
    code, _, err = run("mutants", str(done), *options, "--out", str(tmp_path / "m.csv"))
    assert code == 2
    assert words in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "m.csv").exists()


def test_a_file_of_mutants_and_data_are_not_given_together(run: Run, tmp_path: Path) -> None:
    code, _, err = run(
        "run", "--mutants", "m.csv", "--data", "sample", "--out", str(tmp_path / "x")
    )
    assert code == 2
    assert "either data or mutants: each of them gives the texts" in err


def test_the_command_for_mutants_has_the_options_of_their_verdicts() -> None:
    def command(**settings: Any) -> str:
        return how_to_test(Campaign(data="sample", **settings), Path("a b.csv"))

    start = "To test these: hinter run --mutants 'a b.csv' "
    assert command(literal=True) == f"{start}--invariant published --model NAME"
    assert command(invariant="published", parser="en") == (
        f"{start}--invariant published --parser en --model NAME"
    )
    assert command(coherent=False).startswith(f"{start}--model NAME\nVerdicts may differ")
