"""``hinter templates`` and ``hinter run --templates``."""

from __future__ import annotations

from pathlib import Path

from tests.unit.cli.conftest import Run


def test_mine_show_and_run(run: Run, tmp_path: Path) -> None:
    corpus, out = tmp_path / "texts.txt", tmp_path / "T.jsonl"
    corpus.write_text(
        "Paul lost his wallet.\nIt rained.\nRuth is a young lawyer. She works a lot.\n",
        encoding="utf-8",
    )
    code, text, _ = run("templates", "mine", str(corpus), "--out", str(out))
    assert code == 0
    assert "gender: 2 of 3 texts; refused: nobody is named or has a gender 1" in text
    code, text, _ = run("templates", "show", str(out), "--filled")
    assert code == 0
    assert "«name» is «a» «occupation». «Pronoun:subject» works a lot." in text
    code, text, _ = run(
        "run", "--templates", str(out), "--attributes", "gender,country", "--names-per-class", "2",
        "--model", "scripted:even-handed", "--out", str(tmp_path / "campaign"),
    )  # fmt: skip
    assert code == 0
    assert ", 0 hidden" in text
    code, text, _ = run("report", str(tmp_path / "campaign"))
    assert code == 0
    assert "Bias-uncovering test cases" in text
    code, text, error = run("templates", "show", str(out), "--json", "--first", "1")
    assert error == "and 1 more; --first 2 shows all\n"
    assert text.startswith('{\n"id": "1"') or '"id": "1"' in text


def test_a_corpus_without_a_person_says_so(run: Run, tmp_path: Path) -> None:
    corpus = tmp_path / "texts.txt"
    corpus.write_text("It rained.\n", encoding="utf-8")
    code, text, error = run("templates", "mine", str(corpus), "--out", str(tmp_path / "T.jsonl"))
    assert code == 2
    assert "nobody is named or has a gender 1" in text
    assert error.startswith("hinter: No text of")


def test_bad_files_are_refused_in_one_sentence(run: Run, tmp_path: Path) -> None:
    path, names = tmp_path / "T.jsonl", tmp_path / "names.csv"
    path.write_text('{"text": "«nam» smiled."}\n', encoding="utf-8")
    out = str(tmp_path / "campaign")
    code, _, error = run("run", "--templates", str(path), "--out", out)
    assert code == 2
    assert "unknown slot «nam»" in error
    path.write_text('{"text": "«name» smiled."}\n', encoding="utf-8")
    names.write_text("name,gender\nBen,male\n", encoding="utf-8")
    code, _, error = run("run", "--templates", str(path), "--names", str(names), "--out", out)
    assert code == 2
    assert "male given names only" in error
    assert not Path(out).exists()
