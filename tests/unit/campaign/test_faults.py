"""What goes wrong around a campaign: each has its sentence, and nothing good is lost."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from hinter_core.campaign.parquet import StoreError, read_table
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.tables import plain_cell, safe_cell
from hinter_core.report.model import make_report
from hinter_core.report.sections import sections
from tests.forked import Commands

RULES = "scripted:bad if race=white and gender=female; good otherwise"
GOOD = "The black man met a woman."


def command(data: Path, out: Path, *more: str) -> list[str]:
    return [
        "run", "--data", str(data), "--limit", "3", "--model", RULES, "--shard", "2",
        "--no-atomic", "--no-placebo", "--out", str(out), *more,
    ]  # fmt: skip


def campaign(data: Path) -> Campaign:
    return Campaign(data=str(data), limit=3, models=(RULES,), shard=2, atomic=False, placebo=False)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    path.write_text("text\n" + f"{GOOD}\n" * 6)
    return path


def rows_of(store: CampaignStore) -> list[dict[str, object]]:
    return [row for path in sorted(store.shards.iterdir()) for row in read_table(path).to_pylist()]


def test_a_model_of_other_weights_adds_no_answers(
    data: Path, tmp_path: Path, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code of a function does not tell that the file with its weights has changed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weighted.py").write_text(
        "import json\nfrom pathlib import Path\n"
        "def predict(texts):\n    kind = json.loads(Path('weights.json').read_text())\n"
        "    return [{'good': kind, 'bad': 1 - kind} for _ in texts]\n"
    )
    weights = tmp_path / "weights.json"
    weights.write_text("0.75")
    run = command(data, tmp_path / "out")
    run[run.index(RULES)] = "python:weighted:predict"
    assert commands.run(*run).code == 0
    resumed = commands.run(*run, "--resume")
    assert " 0 predictions" in resumed.out
    assert "another model" not in resumed.err
    with (tmp_path / "weighted.py").open("a") as code:
        code.write("# edited\n")
    resumed = commands.run(*run, "--resume")
    assert " 0 predictions" not in resumed.out
    assert "is another model than in the run before (its file, or one beside it" in resumed.err
    weights.write_text("0.7")
    before = rows_of(CampaignStore(tmp_path / "out"))
    refused = commands.run(*run, "--resume")
    assert refused.code == 2
    assert "answers otherwise than when this campaign was made" in refused.err
    assert rows_of(CampaignStore(tmp_path / "out")) == before
    run[run.index("python:weighted:predict")] += "?identity=2"
    assert " 0 predictions" not in commands.run(*run, "--resume").out


def test_every_fault_of_a_file_leaves_the_other_rows_and_is_in_the_report(tmp_path: Path) -> None:
    path = tmp_path / "rough.csv"
    path.write_bytes(
        b"id,text,label\n"
        + f"1,{GOOD},x\n".encode()
        + b"1,The black man met a caf\xe9 woman.,x\n"  # the id of another row, and Windows-1252
        + b'\xff\xfe\x81,"The b\x00lack man met a woman.",\x81\n'  # not to be read but for its text
        + b"4," + b"y" * 5_000_000 + b",x\n"
        + b"5,broken \x81\x8d man,x\n"
        + b"6\n7,a,b,c\n8,...,x\n"
        + b'=1+1,"=A1, said the black man, a woman left.",=2\n'
        + b'10,"The white woman left.\n11,never closed,x\n'
    )  # fmt: skip
    store = CampaignStore(tmp_path / "out")
    run_campaign(campaign(path), store)
    assert store.verify() == []
    texts = [t for n in store.known() for t in read_table(store.texts(n)).to_pylist()]
    tested = {t["row"]: t["text"] for t in texts if t["outcome"] == "tested"}
    assert tested == {
        1: GOOD,
        2: "The black man met a caf\xe9 woman.",
        3: GOOD,
        9: "=A1, said the black man, a woman left.",
    }
    assert [t["id"] for t in texts if t["row"] in (1, 2, 9)] == ["1", "1", "=1+1"]
    report = make_report(store)
    assert report.repeated == {"1": 2}
    (rows,) = [section for section in sections(report) if section.key == "unused"]
    assert rows.sentences[1].startswith("One id is not unique: 1 (2 times). All these rows count")
    assert {fault.row: fault.reason for fault in report.faults} == {
        4: "it has 2,000,000 characters or more; a quotation mark in it may not be closed",
        5: "the text is neither UTF-8 nor Windows-1252",
        6: "it has 1 cells where the header has 3",
        7: "it has 4 cells where the header has 3",
        8: "the text has no word",
        10: "a quotation mark in it is not closed, or stands within a quoted cell",
    }


def test_odd_values_in_json_are_texts_or_faults(tmp_path: Path) -> None:
    path = tmp_path / "rough.jsonl"
    lines = [
        json.dumps({"id": "\ud800", "text": f"\ud800 {GOOD}", "label": "\udfff"}),
        "[" * 100_000,
        '{"text": {"a": 1}}',
        '{"text": 5}',
        json.dumps({"text": f"\0\1{GOOD}"}),
    ]
    path.write_text("\n".join(lines) + "\n")
    store = CampaignStore(tmp_path / "out")
    run_campaign(campaign(path), store)
    texts = [t for n in store.known() for t in read_table(store.texts(n)).to_pylist()]
    assert [t["outcome"] for t in texts] == [
        "tested", "unusable", "unusable", "nothing to test", "tested",
    ]  # fmt: skip
    assert texts[4]["text"] == GOOD
    assert texts[2]["detail"] == "the text is an object with parts of its own"


def test_a_full_disk_is_said_and_the_run_goes_on_when_there_is_room(
    data: Path, tmp_path: Path, commands: Commands
) -> None:
    """The kernel refuses the bytes past a limit, as it does on a full disk."""
    data.write_text("text\nIt rained.\nIt rained.\n" + f"{GOOD}\n" * 4)
    out = tmp_path / "out"
    done = commands.run(*command(data, out), room=4800)
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert "Cannot write" in done.err
    assert "Free some space" in done.err
    assert not list(out.rglob("*.part"))
    assert CampaignStore(out).known() == [0]
    assert commands.run(*command(data, out, "--resume")).code == 0
    whole = CampaignStore(tmp_path / "whole")
    run_campaign(campaign(data), whole)
    assert rows_of(CampaignStore(out)) == rows_of(whole)


def test_two_processes_cannot_run_one_directory(
    data: Path, tmp_path: Path, commands: Commands
) -> None:
    store = CampaignStore(tmp_path / "out")
    run_campaign(replace(campaign(data), requests=1), store)  # so that there are failures to retry
    before = rows_of(store)
    with store.alone():
        for more in ("--resume", "--retry-failed"):
            other = commands.run(*command(data, store.folder, more))
            assert other.code == 2
            assert "Another process runs the campaign" in other.err
    assert rows_of(store) == before


PRIORITY = (
    '{"version": 3, "identity": "x", "campaign": {}, "models": {}, "priority": {"vader": %s}}'
)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("{", "is damaged"),
        ('{"version": 2, "identity": "x", "campaign": [], "models": {}}', "is damaged"),
        ('{"version": 2, "identity": "x", "campaign": {}, "models": {"a": 1}}', "is damaged"),
        (PRIORITY % '{"order": "random", "cases": 9, "curve": [1]}', "is damaged"),
        (PRIORITY % '{"order": "random", "cases": 9, "curve": [], "other": 1}', "is damaged"),
        ('{"version": 99}', r"another version \(99; this is 3\)"),
        ("[]", "is damaged"),
    ],
)
def test_a_directory_that_cannot_be_read_says_so(
    data: Path, tmp_path: Path, written: str, words: str
) -> None:
    store = CampaignStore(tmp_path / "out")
    store.open(campaign(data))
    (store.folder / "campaign.json").write_text(written)
    again = partial(store.note, size={"texts": 1, "shards": 1})  # of one that has just started
    for act in (store.read, store.verify, lambda: store.open(campaign(data)), again):
        with pytest.raises(StoreError, match=words):
            act()


def test_a_file_is_no_directory(data: Path) -> None:
    with pytest.raises(StoreError, match="is a file; name a directory"):
        run_campaign(campaign(data), CampaignStore(data))
    with pytest.raises(StoreError, match="is no campaign"):
        make_report(CampaignStore(data))


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "'=1+1", "''-x", "+1", "@a", "\tx", "'quoted", "-", "a=b", " =1+1", "' =1", "\uff1d1"],
)  # fmt: skip
def test_a_neutral_cell_can_be_made_whole_again(cell: str) -> None:
    assert not re.match(r"\s*[=+\-@\t\uff1d\uff0b\uff0d\uff20]", safe_cell(cell))
    assert plain_cell(safe_cell(cell)) == cell
