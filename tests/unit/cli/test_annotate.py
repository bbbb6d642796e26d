"""``hinter annotate`` as a person runs it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hinter_core.annotation.project.store import opened
from hinter_core.annotation.project.types import AccessError
from hinter_core.campaign.store import CampaignStore
from tests.conformance.hub import LocalHub, ask_there

from .conftest import Run

CAMPAIGN = ["A tall old black man ate soup.", "The old white woman slept."]


@pytest.fixture
def project(run: Run, tmp_path: Path) -> str:
    path = str(tmp_path / "p.sqlite")
    assert run("annotate", "create", path, "--labels", "good,bad", "--name", "Cafes")[0] == 0
    return path


@pytest.fixture
def judged(run: Run, project: str, tmp_path: Path) -> str:
    file = tmp_path / "judged.csv"
    rows = [["id", "text", "original", "coder", "sense", "answer.label", "comment"],
            ["a", "=cmd()", "He ate.", "Ann", "Yes", "good", "<script>alert(1)</script>"],
            ["a", "=cmd()", "He ate.", "Bo", "no", "bad", "=1+1"],
            ["b", "She slept.", "He slept.", "Ann", "Perhaps", "good", "''=quoted"]]  # fmt: skip
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(rows)
    code, said, err = run("annotate", "import", project, str(file), "--errors",
                          str(tmp_path / "errors.csv"))  # fmt: skip
    assert code == 0
    assert "items added                2" in said
    assert "judgements added           3" in said
    # One answer is left out, and no row and no judgement.
    left_out = [line.split() for line in said.splitlines() if "left out" in line]
    assert [(line[0], line[-1]) for line in left_out] == [
        ("rows", "0"), ("judgements", "0"), ("answers", "1"),
    ]  # fmt: skip
    assert "new annotators: Ann, Bo" in said
    assert err.startswith("row 3: 'Perhaps' is no answer to 'sense' (yes, no, unsure)")
    return project


def test_a_project_of_a_campaign_tells_what_was_drawn(
    run: Run, make: Callable[..., CampaignStore], tmp_path: Path
) -> None:
    store = make(CAMPAIGN, ["race", "gender"], 2, "scripted:screening")
    path = tmp_path / "p.sqlite"
    options = ("--many", "6", "--seed", "3", "--share", "0.5", "--not-blind", "--language", "de")
    code, said, err = run("annotate", "create", str(path), "--from", str(store.folder), *options)
    assert (code, err) == (0, "")
    drawn = re.findall(r"^  (\S+: .+): (\d+) of (\d+)$", said, re.MULTILINE)
    assert sum(int(many) for _, many, _ in drawn) == 6
    with opened(path) as made:
        settings = made.project()
        assert len(list(made.items())) == 6
        key = said.rstrip().rpartition(" ")[2]
        made.admit_owner(key)
    assert said.count(key) == 1
    assert (settings.share, settings.blind, settings.language, settings.seed) == (
        0.5, False, "de", 3,
    )  # fmt: skip
    code, _, err = run("annotate", "create", str(path))
    assert (code, "already exists" in err) == (2, True)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--many", "0"), "at least 1"),
        (("--share", "2"), "from 0 to 1"),
        (("--language", "fr"), "no questions in 'fr'"),
        (("--outcome", "guilty"), "no outcome 'guilty'; use hidden, biased"),
        (("--labels", "one"), "at least two"),
        (("--from", "nowhere"), "nowhere"),
        (("--questions", "none.yaml"), "cannot be read"),
    ],
)
def test_settings_that_cannot_be(
    run: Run, tmp_path: Path, options: tuple[str, ...], why: str
) -> None:
    path = tmp_path / "p.sqlite"
    code, _, err = run("annotate", "create", str(path), *options)
    assert code == 2
    assert why in err
    assert not path.exists()


def test_an_invitation_leads_to_a_project_that_the_app_shows(
    run: Run, project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HINTER_ANNOTATIONS", str(tmp_path / "shown"))
    monkeypatch.setattr("hinter_core.cli.annotate.machine_address", lambda: "192.168.0.7")
    created = run("annotate", "create", str(tmp_path / "other one.sqlite"))[1]
    assert f"hinter annotate invite '{tmp_path}/other one.sqlite'" in created
    code, _, err = run("annotate", "invite", project)
    assert (code, "Add --move" in err, Path(project).exists()) == (2, True, True)
    code, said, _ = run("annotate", "invite", project, "--move")
    moved, link = said.splitlines()[0].removeprefix("Moved to ").rstrip("."), said.splitlines()[1]
    assert (code, Path(project).exists(), Path(moved).parent) == (0, False, tmp_path / "shown")
    assert link == f"http://192.168.0.7:7860/?annotate={Path(moved).stem}"
    assert len(Path(moved).stem) >= 16
    assert "Cafes: open" in run("annotate", "status", moved)[1]
    # Elsewhere, and on an address that leads nowhere.
    code, said, err = run("annotate", "invite", moved, "--address", "https://x.hf.space/")
    assert (code, said.startswith("https://x.hf.space/?annotate="), err) == (0, True, "")
    err = run("annotate", "invite", moved, "--address", "http://127.0.0.1:7860")[2]
    assert "leads back to the machine that opens it" in err
    code, _, err = run("annotate", "invite", moved, "--address", "x")
    assert (code, "--address http://" in err) == (2, True)
    monkeypatch.setattr("hinter_core.cli.annotate.machine_address", lambda: "")
    assert run("annotate", "invite", moved)[0] == 2
    run("annotate", "close", moved)
    assert "reopen opens it" in run("annotate", "invite", moved, "--address", "http://a.b")[2]


def test_status_close_reopen_remove_and_restore(run: Run, judged: str) -> None:
    assert run("annotate", "status", judged)[1].splitlines() == [
        "Cafes: open, 2 items, 2 of them judged", "  Ann: 2 judged, 0 skipped, at most 0 to come",
        "  Bo: 1 judged, 0 skipped, at most 0 to come",
    ]  # fmt: skip
    assert run("annotate", "close", judged)[0] == 0
    assert "Cafes: closed" in run("annotate", "status", judged)[1]
    code, _, err = run("annotate", "import", judged, "anything.csv")
    assert (code, "is closed" in err) == (2, True)
    assert run("annotate", "reopen", judged)[0] == 0
    code, said, _ = run("annotate", "remove", judged, "b")
    assert (code, "annotate restore" in said) == (0, True)
    assert "1 items, 1 of them judged" in run("annotate", "status", judged)[1]
    code, _, err = run("annotate", "remove", judged, "b")
    assert (code, "any more" in err) == (2, True)
    # It comes back with what was judged of it.
    assert run("annotate", "restore", judged, "b")[0] == 0
    assert "Cafes: open, 2 items, 2 of them judged" in run("annotate", "status", judged)[1]
    code, _, err = run("annotate", "restore", judged, "b")
    assert (code, "was removed, so none is restored" in err) == (2, True)


@pytest.mark.parametrize(
    "command", ["status", "close", "reopen", "import", "export", "remove", "restore", "invite"]
)
def test_what_is_no_project(run: Run, tmp_path: Path, command: str) -> None:
    more = ("x.csv",) if command in ("import", "export", "remove", "restore") else ()
    code, _, err = run("annotate", command, str(tmp_path / "none.sqlite"), *more)
    assert (code, "does not exist" in err) == (2, True)
    (tmp_path / "text.sqlite").write_text("no database" * 100)
    code, _, err = run("annotate", command, str(tmp_path / "text.sqlite"), *more)
    assert (code, "project" in err, err.count("\n")) == (2, True, 1)


def test_an_export_for_spreadsheets_runs_nothing_and_names_nobody(
    run: Run, judged: str, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    code, said, _ = run("annotate", "export", judged, str(out), "--anonymous")
    assert (code, said) == (0, f"{out}: 3 rows\n")
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["annotator"] for row in rows] == ["annotator 1", "annotator 2", "annotator 1"]
    assert [row["comment"] for row in rows] == ["<script>alert(1)</script>", "'=1+1", "''=quoted"]
    assert {row["mutant"] for row in rows} == {"'=cmd()", "She slept."}
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    back = str(tmp_path / "back.sqlite")
    run("annotate", "create", back, "--labels", "good,bad")
    assert run("annotate", "import", back, str(out))[0] == 0
    with opened(Path(back)) as one, opened(Path(judged)) as other:
        assert list(one.items()) == list(other.items())
        assert [j.comment for j in one.judgements()] == ["<script>alert(1)</script>", "=1+1",
                                                         "'=quoted"]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "Name either a file, or a data set"),
        (("out.xlsx",), "no known format"),
        (("out.csv", "--format", "excel"), "no format 'excel'; use csv"),
        (("out.json", "--history"), "holds no history"),
        (("taken.csv",), "already exists"),
        (("out.csv", "--consensus", "--history"), "has no history and needs judgements"),
        (("out.csv", "--consensus", "--items-only"), "has no history and needs judgements"),
        (("--push", "a/b", "--format", "csv"), "leave --format out"),
    ],
)
def test_exports_that_cannot_be(
    run: Run, judged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...], why: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("taken.csv").touch()
    before = sorted(tmp_path.glob("*.csv*"))
    code, _, err = run("annotate", "export", judged, *arguments)
    assert (code, why in err) == (2, True)
    assert sorted(tmp_path.glob("*.csv*")) == before


def test_history_and_items_alone(run: Run, judged: str, tmp_path: Path) -> None:
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps({"item": "a", "annotator": "Bo", "sense": "yes"}))
    assert run("annotate", "import", judged, str(file))[0] == 0
    many = {}
    for name, options in {"all": ("--history",), "latest": (), "items": ("--items-only",)}.items():
        out = tmp_path / f"{name}.jsonl"
        assert run("annotate", "export", judged, "--out", str(out), *options)[0] == 0
        many[name] = [json.loads(line) for line in out.read_text().splitlines()]
    assert {name: len(rows) for name, rows in many.items()} == {"all": 4, "latest": 3, "items": 2}
    assert "annotator" not in many["items"][0]
    assert [row["answer.sense"] for row in many["latest"] if row["annotator"] == "Bo"] == ["yes"]


def test_a_consensus_is_one_judgement_an_item_and_no_vote(
    run: Run, judged: str, tmp_path: Path
) -> None:
    out = tmp_path / "gold.csv"
    assert run("annotate", "export", judged, str(out), "--consensus", "--anonymous")[0] == 0
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2
    assert {row["annotator"] for row in rows} <= {"consensus", ""}
    assert any(row["annotator"] for row in rows)
    with opened(Path(judged)) as store:
        before = len(list(store.judgements()))
        _, _, err = run("annotate", "import", judged, str(out))
        assert "one more vote" in err
        assert len(list(store.judgements())) == before
        with pytest.raises(AccessError, match="is reserved"):
            store.join("Consensus", "a long pass-phrase")


@pytest.mark.slow
def test_a_folder_that_datasets_reads_and_a_push(
    run: Run, judged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datasets

    folder = tmp_path / "folder"
    assert run("annotate", "export", judged, str(folder))[0] == 0
    found = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))["train"]
    assert found.num_rows == 3
    assert found["annotator"] == ["Ann", "Bo", "Ann"]
    monkeypatch.delenv("HF_TOKEN", raising=False)
    hub = LocalHub()
    ask_there(hub.address, monkeypatch, str(tmp_path / "hub"))
    try:
        code, _, err = run("annotate", "export", judged, "--push", "some/words")
        assert (code, "Set HF_TOKEN" in err) == (2, True)
        monkeypatch.setenv("HF_TOKEN", "hf_of_the_test")
        code, said, err = run("annotate", "export", judged, "--push", "some/words")
        assert (code, said.startswith("some/words: 3 rows")) == (0, True), err
        assert "some/words" in hub.private
        assert sorted(hub.files("some/words")) == ["README.md", "data/train.parquet"]
        back = str(tmp_path / "back.sqlite")
        run("annotate", "create", back, "--labels", "good,bad")
        assert "judgements added           3" in run("annotate", "import", back, "hf:some/words")[1]
        hub.private.clear()
        code, _, err = run("annotate", "export", judged, "--push", "some/words")
        assert (code, "is public" in err) == (2, True)
        assert run("annotate", "export", judged, "--push", "some/words", "--public")[0] == 0
    finally:
        hub.close()


def test_the_invariant_on_pairs_that_are_imported(run: Run, project: str, tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text("source\tmutant\nHe thanked his guests.\tHe thanked him guests.\n"
                    "He slept.\tShe slept.\n")  # fmt: skip
    code, said, _ = run("annotate", "import", project, str(file), "--invariant")
    assert code == 0
    assert "invariant: 1 pairs kept, 1 discarded" in said
    assert "No column of answers is known" in said


def test_a_file_without_one_good_row(run: Run, project: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("text,label\n,good\n,bad\n")
    code, _, err = run("annotate", "import", project, str(file))
    assert code == 2
    assert "rows 1, 2: there is no text to judge" in err
    assert "no row that can be used" in err


@pytest.mark.parametrize("name", ["whole.hinter-project", "rows.parquet"])
def test_an_export_becomes_the_same_project(
    run: Run, judged: str, tmp_path: Path, name: str
) -> None:
    with opened(Path(judged)) as store:
        store.adjudicate("a", "sense", "no")
        settings = store.project()
    export, copy = str(tmp_path / name), tmp_path / "copy.sqlite"
    assert run("annotate", "export", judged, export)[0] == 0
    assert run("annotate", "create", str(copy), "--from", export)[0] == 0
    with opened(copy) as again, opened(Path(judged)) as store:
        assert again.project() == settings
        assert again.adjudications() == store.adjudications() == {("a", "sense"): "no"}
        assert list(again.items()) == list(store.items())
    assert (run("annotate", "agreement", str(copy), "--json")
            == run("annotate", "agreement", judged, "--json"))  # fmt: skip
    code, _, err = run("annotate", "export", judged, str(tmp_path / "x.hinter-project"),
                       "--consensus")  # fmt: skip
    assert (code, "holds the whole project" in err) == (2, True)
    (tmp_path / "bad.hinter-project").write_bytes(b"PK")
    code, _, err = run("annotate", "create", str(tmp_path / "n.sqlite"), "--from",
                       str(tmp_path / "bad.hinter-project"))  # fmt: skip
    assert (code, "no archive that hinter" in err) == (2, True)
    assert not (tmp_path / "n.sqlite").exists()


def test_people_and_decisions_on_the_command_line(run: Run, judged: str) -> None:
    assert run("annotate", "exclude", judged, "Bo", "--reason", "a robot")[0] == 0
    assert "Bo is excluded: a robot." in run("annotate", "agreement", judged)[1]
    assert run("annotate", "include", judged, "bo")[0] == 0
    assert "excluded" not in run("annotate", "agreement", judged)[1]
    phrase = run("annotate", "reset", judged, "Bo")[1].split()[-1]
    with opened(Path(judged)) as store:
        assert store.join("Bo", phrase)[0].name == "Bo"
    assert run("annotate", "decide", judged, "a", "sense", "no")[0] == 0
    assert run("annotate", "decisions", judged)[1] == "a\tsense\tno\n"
    assert run("annotate", "decide", judged, "a", "sense", "yes")[0] == 0
    assert run("annotate", "decisions", judged)[1] == "a\tsense\tyes\n"
    assert run("annotate", "decide", judged, "a", "sense")[0] == 0
    assert run("annotate", "decisions", judged)[1] == ""
    assert run("annotate", "merge", judged, "Bo", "--into", "Ann")[0] == 0
    code, said, _ = run("annotate", "erase", judged, "Ann", "--keep-answers")
    assert (code, "3 judgements are anonymous" in said) == (0, True)
    code, _, err = run("annotate", "erase", judged, "Ann")
    assert (code, "Nobody in this project" in err) == (2, True)
