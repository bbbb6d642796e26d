"""What a campaign was made with, and tables that are cut off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign import spec
from hinter_core.campaign.parquet import StoreError, read_table
from hinter_core.campaign.record import build_content, file_content, parser_content, words_content
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.mutation.settings import EVEN_HANDED, PUBLISHED

Make = Callable[..., CampaignStore]
RULES = "scripted:bad if race=white; good otherwise"
TEXTS = ["The black man was kind.", "A white woman left.", "An old black man ate.", "It rained."]


@pytest.fixture
def store(make: Make) -> CampaignStore:
    return make(TEXTS, ["race", "gender"], 2, RULES)


def tables(store: CampaignStore) -> dict[str, list[object]]:
    return {path.name: read_table(path).to_pylist() for path in sorted(store.shards.iterdir())}


def test_the_identity_holds_the_content_of_word_lists_and_parser(
    store: CampaignStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = store.campaign()
    before = campaign.identity()
    monkeypatch.setattr(spec, "words_content", lambda: "other")
    assert campaign.identity() != before
    with pytest.raises(StoreError, match="word lists or parser, with the same"):
        store.open(campaign)
    monkeypatch.undo()
    monkeypatch.setattr(spec, "parser_content", lambda name: "other")
    assert campaign.identity() != before
    monkeypatch.undo()
    assert campaign.identity() == before
    other = replace(campaign, seed=campaign.seed + 1, attributes=("age",))
    with pytest.raises(
        StoreError, match=r"seed: 0 there, 1 here; attributes: race, gender there, age"
    ):
        store.open(other)


def test_contents_are_hashed_by_file(tmp_path: Path) -> None:
    assert build_content() != words_content()
    assert len(words_content()) == len(parser_content("embedded")) == 16
    (tmp_path / "meta.json").write_text("{}")
    before = parser_content(str(tmp_path))
    parser_content.cache_clear()
    (tmp_path / "meta.json").write_text("{ }")
    assert parser_content(str(tmp_path)) != before
    assert parser_content("pytest").startswith("pytest-")
    assert parser_content("no_such_parser") == "no_such_parser"


def test_a_run_is_noted_with_times_and_versions(store: CampaignStore) -> None:
    (run,) = store.read()["runs"]
    assert run["started"] <= run["finished"]
    assert {"hinter", "python", "platform", "libraries"} <= set(run)
    assert "spacy" in run["libraries"]
    assert run["build"] == build_content()
    assert run["data"] == file_content(Path(store.campaign().data))
    run_campaign(store.campaign(), store)
    assert len(store.read()["runs"]) == 2


def test_tables_that_are_cut_off_are_made_again(store: CampaignStore) -> None:
    before = tables(store)
    mutants, answers = store.mutants(0), next(iter(sorted(store.shards.glob("00001.answers-*"))))
    for path in (mutants, answers):
        path.write_bytes(path.read_bytes()[:700])
    done = run_campaign(store.campaign(), store)
    assert done.repaired == 4  # all three of the first shard, and the answers of the second
    assert tables(store) == before
    assert store.verify() == []
    assert run_campaign(store.campaign(), store).repaired == 0


def test_a_directory_of_before_keeps_the_invariant_of_before(store: CampaignStore) -> None:
    noted = store.read()
    campaign = Campaign(**{**noted["campaign"], **{
        name: tuple(noted["campaign"][name]) for name in ("attributes", "dictionaries", "models")
    }})  # fmt: skip
    older = {k: v for k, v in noted["campaign"].items() if k != "invariant"}
    identity = spec.replace(campaign, invariant=PUBLISHED).identity(2)
    store.write_spec({**noted, "campaign": older, "identity": identity, "identity_version": 2})
    assert store.campaign().invariant == PUBLISHED
    assert campaign.invariant == EVEN_HANDED
    store.open(campaign)  # the default of today is no other campaign
