"""``hinter validity``: from a run to a sentence in the report; bad input in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run

NEVER = 'scripted:negative if "unicorn"; positive otherwise'


@pytest.mark.slow
def test_from_a_run_to_the_report(run: Run, tmp_path: Path) -> None:
    data, folder = tmp_path / "texts.csv", str(tmp_path / "out")
    data.write_text("text\nThe black man was kind.\nHe gave her his old coat.\n")
    options = ("--data", str(data), "--limit", "10", "--model", NEVER, "--discarded")
    assert run("run", *options, "--out", folder)[0] == 0
    code, out, err = run("validity", folder, "--sample", "20")
    assert (code, err) == (0, "")
    assert out.startswith("acceptability: ")
    assert "originals are valid, and " in out
    assert "Sample: 20 of each kind, seed 0." in out
    assert "hinter report shows it." in out
    assert "Grammatical validity" in run("report", folder, "--markdown")[1]
    assert run("verify", folder)[1].strip() == f"{folder}: no fault."
    (path,) = Path(folder).glob("validity-*.parquet")
    path.write_bytes(b"broken")
    code, _, err = run("verify", folder)
    assert code == 2
    assert path.name in err


def test_bad_input_ends_in_one_line(run: Run, tmp_path: Path) -> None:
    for arguments, said in (
        (("validity", str(tmp_path)), "is no campaign"),
        (("validity", str(tmp_path / "none")), "is no campaign"),
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert said in err
        assert len(err.splitlines()) == 1
    data = tmp_path / "texts.csv"
    data.write_text("text\nThe black man was kind.\n")
    assert run("run", "--data", str(data), "--limit", "4", "--model", NEVER,
               "--out", str(tmp_path / "out"))[0] == 0  # fmt: skip
    for checker, said in (
        ("grammarly", "use acceptability"),
        ("languagetool", "Name a server"),
        ("languagetool:http://127.0.0.1:9", "No LanguageTool server"),
    ):
        code, _, err = run("validity", str(tmp_path / "out"), "--checker", checker)
        assert code == 2
        assert said in err
    code, _, err = run("validity", str(tmp_path / "out"), "--sample", "0")
    assert (code, "at least 1" in err) == (2, True)
