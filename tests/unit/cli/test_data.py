"""``hinter data`` as a person runs it."""

from __future__ import annotations

from pathlib import Path

from hinter_core.data.hub import PRESETS

from .conftest import Run


def test_data_sets_with_a_name_are_listed(run: Run) -> None:
    code, out, _ = run("data", "list")
    assert code == 0
    assert [line.partition(":")[0] for line in out.splitlines()] == ["sample", *PRESETS]
    assert "lex_glue/ecthr_a" in PRESETS


def test_a_preview_shows_columns_faults_and_rows(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("review,label\nA man left.,1\n,0\n" + f"{'long ' * 100},1\n,1\n")
    code, out, _ = run("data", "preview", str(path), "--rows", "3")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == f"{path}: 4 rows; UTF-8"
    assert "  rows 2, 4: there is no text" in lines
    assert "1 [1] A man left." in lines
    assert lines[-1].endswith(" \u2026")
    assert len(lines[-1]) < 320


def test_bad_input_is_one_line(run: Run, tmp_path: Path) -> None:
    for options in (("none.csv",), ("hf:",), ("sample", "--rows", "-1")):
        code, _, err = run("data", "preview", *options)
        assert code == 2
        assert len(err.splitlines()) == 1
