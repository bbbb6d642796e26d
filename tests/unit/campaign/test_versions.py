"""Directories of earlier versions are gone on with as they began."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign.parquet import read_table
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import VERSION, Campaign
from hinter_core.campaign.store import CampaignStore

BEFORE = Path(__file__).resolve().parents[2] / "data" / "before"


def edit_fields(store: CampaignStore, shard: int) -> set[str]:
    kind = read_table(store.mutants(shard)).schema.field("edits").type.value_type
    return {kind.field(place).name for place in range(kind.num_fields)}


@pytest.mark.parametrize("name", ["campaign", "by-hand"])
def test_another_model_is_asked_about_the_same_mutants(name: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(BEFORE, tmp_path / "before"))
    store = CampaignStore(folder / name)
    assert store.read()["version"] == 2
    campaign = store.campaign()
    file = "data" if campaign.data else "mutants"
    campaign = replace(campaign, **{file: str(folder / Path(getattr(campaign, file)).name)})
    before = {path.name: path.read_bytes() for path in store.shards.iterdir()}
    run_campaign(replace(campaign, models=(*campaign.models, "textblob")), store)
    assert store.read()["version"] == VERSION
    assert store.verify() == []
    after = {path.name: path.read_bytes() for path in store.shards.iterdir()}
    assert before.items() < after.items()
    assert len(store.read()["models"]) == len(campaign.models) + 1
    assert "kind" not in edit_fields(store, 0)


def test_new_shards_beside_old_ones_say_the_kind_of_edit(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(BEFORE, tmp_path / "before"))
    store = CampaignStore(folder / "partial")
    campaign = replace(store.campaign(), data=str(folder / "texts.csv"))
    run_campaign(campaign, store)
    assert ["kind" in edit_fields(store, shard) for shard in store.known()] == [
        False, False, True, False, True,
    ]  # fmt: skip


def test_a_literal_campaign_of_before_goes_on_mending_articles(tmp_path: Path) -> None:
    texts = [
        "A Dutch man came.",
        "An old man left.",
        "The old-school man sang.",
        "A young man ran.",
    ]
    data = tmp_path / "texts.csv"
    data.write_text("text\n" + "\n".join(texts) + "\n", encoding="utf-8")
    today = Campaign(
        data=str(data), attributes=("age", "gender"), order=1, literal=True, placebo=False, shard=1
    )
    whole, before = CampaignStore(tmp_path / "whole"), CampaignStore(tmp_path / "before")
    for store in (whole, before):
        run_campaign(replace(today, verbatim=False), store)
        spec = store.read()
        del spec["campaign"]["verbatim"]  # as a directory of before does not know the setting
        store.write_spec(spec)
    for shard in (1, 2):
        for path in before.shards.glob(f"{shard:05}.*"):
            path.unlink()
    run_campaign(today, before)
    assert mutants(before) == mutants(whole)
    assert "A young man left." in mutants(before)
    assert not any(text.startswith("The young-school") for text in mutants(before))
    published = CampaignStore(tmp_path / "published")
    run_campaign(today, published)
    assert "An young man left." in mutants(published)
    assert "The young-school man sang." in mutants(published)


def mutants(store: CampaignStore) -> list[str]:
    with CampaignReader(store) as reader:
        return sorted(record.mutant for record in reader.records())
