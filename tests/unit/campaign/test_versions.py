"""Directories of version 2, which knew substitutions alone, are gone on with."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign.running.engines import run_campaign
from hinter_core.campaign.spec import VERSION
from hinter_core.campaign.store import CampaignStore, read_table

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
