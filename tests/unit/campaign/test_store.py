"""A campaign's directory: what is noted in it."""

from __future__ import annotations

import errno
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign.parquet import StoreError, checked_rows, table_writer
from hinter_core.campaign.running.run import plan_run
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import edits_to_rows, mutant_schema
from hinter_core.types import Edit, GrammaticalForm, Pair, Term

RULES = "scripted:negative if race=white; positive otherwise"


def test_the_size_is_noted_for_others_and_written_only_when_it_is_new(tmp_path: Path) -> None:
    data = tmp_path / "texts.txt"
    data.write_text("".join(f"Man {number} left.\n" for number in range(10)))
    campaign = Campaign(data=str(data), shard=4, models=(RULES,))
    store = CampaignStore(tmp_path / "out")
    work = plan_run(campaign, store)
    assert (work.texts, work.shards) == (10, 3)
    assert store.read()["size"] == {"texts": 10, "shards": 3}
    spec = tmp_path / "out" / "campaign.json"
    identity, written = store.read()["identity"], spec.stat().st_mtime_ns
    plan_run(campaign, store)
    store.note(size={"texts": 10, "shards": 3})
    assert spec.stat().st_mtime_ns == written
    store.note(models={"m": {"identity": "m-1", "labels": ["a", "b"]}})
    store.note(size={"texts": 12, "shards": 4})
    assert store.read()["size"] == {"texts": 12, "shards": 4}
    assert store.read()["models"] == {"m": {"identity": "m-1", "labels": ["a", "b"]}}
    assert store.read()["identity"] == identity
    # A sample is what there is to do.
    sample = CampaignStore(tmp_path / "sample")
    plan_run(replace(campaign, sample=5), sample)
    assert sample.read()["size"] == {"texts": 5, "shards": 2, "rows": 10}


def test_a_file_that_only_moved_is_no_reason_against_a_campaign(tmp_path: Path) -> None:
    data, moved, other = (tmp_path / name for name in ("a.txt", "b.txt", "c.txt"))
    data.write_text("A man left.\n")
    moved.write_text("A man left.\n")
    other.write_text("A man came.\n")
    campaign, store = Campaign(data=str(data), models=(RULES,)), CampaignStore(tmp_path / "out")
    store.open(campaign)
    store.open(replace(campaign, data=str(moved)))
    with pytest.raises(StoreError, match=r"campaign \(order: 2 there, 1 here\);"):
        store.open(replace(campaign, data=str(moved), order=1))
    with pytest.raises(StoreError, match=r"campaign \(data: .*a\.txt there, .*c\.txt here\);"):
        store.open(replace(campaign, data=str(other)))


@pytest.mark.parametrize(
    ("number", "advice"), [(errno.ENOSPC, "Free some space"), (errno.ENOENT, "Check the path")]
)
def test_a_directory_that_cannot_be_written_says_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, advice: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "mkdir", fail)
    with pytest.raises(StoreError, match=rf"Cannot write .*: {os.strerror(number)}\. {advice}"):
        CampaignStore(tmp_path / "out").open(Campaign(data="sample", models=(RULES,)))


def test_shards_are_numbered_beyond_five_digits(tmp_path: Path) -> None:
    store = CampaignStore(tmp_path)
    store.shards.mkdir()
    for shard in (99_999, 100_000, 1_234_567):
        store.texts(shard).touch()
    assert store.known() == [99_999, 100_000, 1_234_567]


def test_asking_whether_a_campaign_runs_never_stops_one_from_starting(tmp_path: Path) -> None:
    store, done = CampaignStore(tmp_path), threading.Event()
    with store.alone():
        assert store.running()
    assert not store.running()

    def ask() -> None:
        while not done.is_set():
            store.running()

    asking = [threading.Thread(target=ask) for _ in range(3)]
    for thread in asking:
        thread.start()
    try:
        for _ in range(30):
            with store.alone():
                assert store.running()
    finally:
        done.set()
        for thread in asking:
            thread.join()


def test_a_table_that_was_written_in_several_pieces_is_verified(tmp_path: Path) -> None:
    store = CampaignStore(tmp_path)
    store.shards.mkdir()
    with table_writer(store.mutants(0), mutant_schema()) as write:
        for row, target in enumerate(("white", "asian", "latina")):
            words = (Term(word, word, GrammaticalForm.ADJECTIVE) for word in ("black", target))
            (edit,) = edits_to_rows([Edit(Pair("race", *words), ((0, 5),))])
            write([{"row": row, "order": 1, "edits": [edit], "kept": True}] * 2)
    assert checked_rows(store.mutants(0)) == 6
    assert checked_rows(store.mutants(0), ("row", "edits", "kept", "text")) == 6
