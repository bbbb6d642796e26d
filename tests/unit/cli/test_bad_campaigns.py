"""Directories that are no sound campaign: every command says so in one line, and leaves nothing."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from hinter_core.campaign.running.run import plan_run
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore

from .conftest import Run

MODEL = 'scripted:=bad if "white" and "woman"; good otherwise'
OTHER = 'scripted:=bad if "woman"; good otherwise'
TEXTS = ["The black man was kind.", "The black man left.", "It rained.", "A man left."]
COMMANDS = [
    ("report",),
    ("report", "--html"),
    ("compare",),
    ("validity",),
    ("mutants", "--out", "out.csv"),
    ("verify",),
]


@pytest.fixture(scope="module")
def sound(make: Callable[..., CampaignStore]) -> Path:
    return make(TEXTS, ["race", "gender"], 2, MODEL, OTHER).folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "copy"))


def missing(folder: Path) -> str:
    shutil.rmtree(folder)
    return "is no campaign"


def a_file(folder: Path) -> str:
    shutil.rmtree(folder)
    folder.write_text("text\n")
    return "is no campaign"


def another_version(folder: Path) -> str:
    spec = json.loads((folder / "campaign.json").read_text())
    (folder / "campaign.json").write_text(json.dumps({**spec, "version": 1}))
    return "written by another version"


def odd_notes(folder: Path) -> str:
    spec = json.loads((folder / "campaign.json").read_text())
    (folder / "campaign.json").write_text(json.dumps({**spec, "scope": {"race": "many"}}))
    return "is damaged"


def torn(kind: str) -> Callable[[Path], str]:
    def tear(folder: Path) -> str:
        path = next(folder.glob(f"shards/00000.{kind}*"))
        content = bytearray(path.read_bytes())
        for place in range(40, len(content) // 2):
            content[place] ^= 1  # a bit of each byte
        path.write_bytes(content)
        return f"{path.name} is missing or damaged"

    return tear


def cut(kind: str) -> Callable[[Path], str]:
    def shorten(folder: Path) -> str:
        path = next(folder.glob(f"shards/00000.{kind}*"))
        path.write_bytes(path.read_bytes()[:300])
        return f"{path.name} is missing or damaged"

    return shorten


def swapped(kind: str, by: str) -> Callable[[Path], str]:
    def swap(folder: Path) -> str:
        path = next(folder.glob(f"shards/00000.{kind}*"))
        shutil.copy(next(folder.glob(f"shards/00000.{by}*")), path)
        return f"{path.name} is missing or damaged"

    return swap


FAULTS = {
    "missing": missing,
    "a file": a_file,
    "another version": another_version,
    "odd notes": odd_notes,
    **{f"torn {kind}": torn(kind) for kind in ("texts", "mutants", "answers")},
    **{f"cut {kind}": cut(kind) for kind in ("texts", "mutants", "answers")},
    "mutants for texts": swapped("texts", "mutants"),
    "texts for mutants": swapped("mutants", "texts"),
    "mutants for answers": swapped("answers", "mutants"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_says_what_is_wrong_in_one_line(
    run: Run,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    command: tuple[str, ...],
) -> None:
    monkeypatch.chdir(folder.parent)
    words = FAULTS[fault](folder)
    code, out, err = run(command[0], str(folder), *command[1:])
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
    assert ".." not in err
    assert [path.name for path in folder.parent.iterdir() if path != folder] == []


def test_a_second_campaign_that_is_unsound_is_named(run: Run, folder: Path, sound: Path) -> None:
    words = cut("texts")(folder)
    for pair in ((str(sound), str(folder)), (str(folder), str(sound))):
        code, _, err = run("compare", *pair, "--model", MODEL)
        assert (code, len(err.splitlines())) == (2, 1)
        assert words in err


def test_a_report_needs_neither_data_nor_dictionaries(
    run: Run, make: Callable[..., CampaignStore], tmp_path: Path
) -> None:
    store = make(TEXTS, ["race", "gender"], 2, MODEL, OTHER)
    before = run("report", str(store.folder), "--json")
    assert json.loads(before[1])["coverage"][0]["groups"][1] > 0
    for path in store.folder.parent.glob("*.csv"):
        path.unlink()
    assert run("report", str(store.folder), "--json") == before
    for command in (("verify",), ("compare",), ("mutants", "--out", str(tmp_path / "m.csv"))):
        assert run(command[0], str(store.folder), *command[1:])[0] == 0


def test_a_campaign_with_nothing_done_yet_says_so(run: Run, tmp_path: Path) -> None:
    data, folder = tmp_path / "texts.csv", tmp_path / "out"
    data.write_text("text\nThe black man was kind.\n")
    plan_run(Campaign(data=str(data), models=("vader",)), CampaignStore(folder))
    code, out, _ = run("report", str(folder))
    assert code == 0
    assert "No text has been tested yet: run or resume the campaign." in out
    assert "No row has been read yet." in out
    assert run("report", str(folder), "--fail-over", "0.5")[0] == 1
    for command in (("mutants", "--out", str(tmp_path / "m.csv")), ("validity",)):
        code, _, err = run(command[0], str(folder), *command[1:])
        assert code == 2
        assert "has no mutants yet; run the campaign first" in err
    assert not (tmp_path / "m.csv").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--attributes", "race,height"), "Unknown attribute 'height'"),
        (("--attributes", "race"), "at least two attributes"),
        (("--dictionary", "none.csv"), "none.csv"),
    ],
)
def test_settings_that_are_refused_leave_no_directory_in_the_way(
    run: Run, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    data, folder = tmp_path / "texts.csv", tmp_path / "out"
    data.write_text("text\nThe black man was kind.\n")
    code, _, err = run("run", "--data", str(data), *options, "--out", str(folder))
    assert (code, len(err.splitlines())) == (2, 1)
    assert words in err
    assert not folder.exists()


def test_a_run_whose_model_was_misspelt_is_simply_run_again(run: Run, tmp_path: Path) -> None:
    data, folder = tmp_path / "texts.csv", tmp_path / "out"
    data.write_text("text\nIt rained.\n")
    again = ("run", "--data", str(data), "--out", str(folder), "--model")
    assert run(*again, "vadre")[0] == 2
    assert run(*again, "vader")[0] == 0
    code, _, err = run(*again, "vader")
    assert code == 2
    assert "already holds a campaign; add --resume" in err


def test_no_file_for_a_spreadsheet_has_a_cell_that_runs(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    changes, written = tmp_path / "changes.csv", tmp_path / "mutants.csv"
    both = ("--model", MODEL, "--model", OTHER)
    assert run("compare", str(folder), *both, "--changes", str(changes))[0] == 0
    assert run("mutants", str(folder), "--out", str(written))[0] == 0
    lines = run("report", str(folder), "--csv")[1]
    for text in (changes.read_text("utf-8"), written.read_text("utf-8-sig"), lines):
        cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
        assert len(cells) > 20
        assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t")]
    assert "'=bad" in changes.read_text("utf-8")
    assert "'=bad" in written.read_text("utf-8-sig")
