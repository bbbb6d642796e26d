"""Campaigns in a folder: complete, incomplete, running and damaged ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from hinter_core.campaign.listing import campaigns_in
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError

RULES = 'scripted:negative if "white" and "woman"; positive otherwise'


@pytest.fixture
def folder(make: Callable[..., CampaignStore], tmp_path: Path) -> Path:
    texts = [f"The black man was kind on day {n}." for n in range(4)]  # a shard has three
    store = make(texts, ["race", "gender"], 2, RULES)
    for name in ("whole", "deep/er/part", "broken"):
        shutil.copytree(store.folder, tmp_path / name)
    next((tmp_path / "deep/er/part/shards").glob("00001.answers*")).unlink()
    (tmp_path / "broken" / "campaign.json").write_text("{")
    (tmp_path / "other").mkdir()
    return tmp_path


def test_each_campaign_is_found_with_its_state(folder: Path) -> None:
    found = {Path(one.path).name: one for one in campaigns_in(folder)}
    assert list(found) == ["broken", "part", "whole"]
    assert {name: one.state for name, one in found.items()} == {
        "broken": "damaged", "part": "incomplete", "whole": "complete",
    }  # fmt: skip
    assert "campaign.json is damaged" in found["broken"].fault
    whole, part = found["whole"], found["part"]
    assert (whole.done, whole.texts, whole.mutants) == (4, 4, 20)
    assert (part.done, part.texts, part.mutants) == (3, 4, 20)
    assert (whole.title, whole.models, whole.attributes) == (
        "texts.csv", (RULES,), ("race", "gender"),
    )  # fmt: skip
    assert whole.identity == CampaignStore(folder / "whole").read()["identity"]
    assert whole.last_run.startswith("20")


@pytest.mark.parametrize("name", ["whole", "deep/er/part"])
def test_a_campaign_with_a_table_that_is_cut_off_is_damaged(folder: Path, name: str) -> None:
    path = CampaignStore(folder / name).mutants(1)
    path.write_bytes(path.read_bytes()[:1000])
    (one,) = campaigns_in(folder / name)
    assert one.state == "damaged"
    assert one.fault.startswith("00001.")
    assert one.fault.endswith("resume the campaign, which makes it again.")


def test_a_running_campaign_is_one(folder: Path) -> None:
    with CampaignStore(folder / "whole").alone():
        (one,) = campaigns_in(folder / "whole")
    assert one.state == "running"


def test_a_folder_without_any(tmp_path: Path) -> None:
    assert list(campaigns_in(tmp_path)) == []
    with pytest.raises(InputError, match="is no folder; name one that holds campaigns"):
        list(campaigns_in(tmp_path / "none"))
