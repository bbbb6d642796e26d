"""A campaign in parts: in any order, at a time or not, interrupted or not, it is one campaign."""

from __future__ import annotations

import random
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hinter_core.campaign.parquet import StoreError, read_table
from hinter_core.campaign.progress import missing_in_words, missing_shards, unanswered
from hinter_core.campaign.running.parts import RunPart, read_part
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.report.model import make_report
from tests.forked import Commands
from tests.unit.campaign.test_run import OTHER, PLAIN, RULES, tables, write_texts

SHARDS = 6


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    data = write_texts(tmp_path_factory.mktemp("data") / "texts.csv")
    return Campaign(data=str(data), limit=6, shard=4, models=(RULES,), **PLAIN)


def part_of(folder: Path, number: int, of: int) -> CampaignStore:
    return CampaignStore(folder, RunPart(number, of))


def same_campaign(one: Path, other: Path) -> None:
    assert tables(one) == tables(other)
    first, second = CampaignStore(one).read(), CampaignStore(other).read()
    for spec in (first, second):
        spec.pop("runs")
    assert first == second
    assert CampaignStore(one).verify() == []


def test_a_part_without_texts_ends_first(campaign: Campaign, tmp_path: Path) -> None:
    store = part_of(tmp_path / "campaign", 9, 9)  # of six units
    assert run_campaign(campaign, store).complete
    assert unanswered(store, campaign.models) == []


@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(of=st.integers(1, 9), order=st.randoms(use_true_random=False), stops=st.booleans())
def test_parts_in_any_order_stopped_or_not_are_one_run(
    campaign: Campaign,
    reference: Path,
    tmp_path_factory: pytest.TempPathFactory,
    of: int,
    order: random.Random,
    stops: bool,
) -> None:
    folder = tmp_path_factory.mktemp("parts") / "campaign"
    numbers = list(range(1, of + 1))
    order.shuffle(numbers)
    for number in numbers:
        store = part_of(folder, number, of)
        if stops:
            seen: list[int] = []
            run_campaign(
                campaign,
                store,
                on_progress=lambda now, seen=seen: seen.append(now.shards),  # type: ignore[misc]
                cancelled=lambda seen=seen: len(seen) == 1,  # type: ignore[misc]
            )
        done = run_campaign(campaign, store)
        assert done.complete
        assert done.of == RunPart(number, of).shards(SHARDS)
    same_campaign(folder, reference)
    assert missing_shards(CampaignStore(folder)) == []
    again = run_campaign(campaign, CampaignStore(folder))
    assert (again.parses, again.predictions, again.shards) == (0, 0, SHARDS)


def test_parts_at_a_time_in_processes_of_their_own_are_one_run(
    campaign: Campaign, reference: Path, tmp_path: Path, commands: Commands
) -> None:
    folder = tmp_path / "campaign"
    command = [
        "run", "--data", campaign.data, "--limit", "6", "--shard", "4", "--model", RULES,
        "--no-atomic", "--no-placebo", "--out", str(folder), "--part",
    ]  # fmt: skip
    written = [(tmp_path / f"{n}.out", tmp_path / f"{n}.err") for n in (1, 2, 3)]
    processes = [
        commands.start(*command, f"{n}/3", out=out, err=err)
        for n, (out, err) in enumerate(written, start=1)
    ]
    codes = [commands.wait(process).code for process in processes]
    # A slow machine makes it say how far it is, every half minute.
    lines = [line for _, err in written for line in err.read_text().splitlines()]
    said = [line for line in lines if not re.match(r"\d\d:\d\d:\d\d ", line)]
    assert (codes, said) == ([0] * 3, [])
    same_campaign(folder, reference)
    assert len(CampaignStore(folder).read()["runs"]) == 3
    assert sum("campaign is complete" in out.read_text() for out, _ in written) >= 1


def test_parts_of_folders_of_their_own_are_put_together_by_copying(
    campaign: Campaign, reference: Path, tmp_path: Path
) -> None:
    for number in (2, 1):
        run_campaign(campaign, part_of(tmp_path / f"node-{number}", number, 2))
        shutil.copytree(tmp_path / f"node-{number}", tmp_path / "all", dirs_exist_ok=True)
    same_campaign(tmp_path / "all", reference)
    assert len(CampaignStore(tmp_path / "all").read()["runs"]) == 2


def test_a_part_does_and_repairs_its_own_shards_alone(campaign: Campaign, tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    one, two = part_of(folder, 1, 2), part_of(folder, 2, 2)
    run_campaign(campaign, one)
    assert one.known() == [0, 2, 4]
    assert missing_shards(one) == [1, 3, 5]
    words = "The campaign is incomplete: 3 of 6 shards are missing, of the parts 2/2; run these"
    assert missing_in_words(CampaignStore(folder)).startswith(words)
    assert make_report(CampaignStore(folder)).missing == missing_in_words(one)
    run_campaign(campaign, two)
    for shard in (0, 1):
        path = one.mutants(shard)
        path.write_bytes(path.read_bytes()[:50])
    left = [
        one.shards / "00002.texts.parquet.1-1.part",
        one.shards / "00003.texts.parquet.1-1.part",
    ]
    for path in left:
        path.touch()
    assert run_campaign(campaign, two).repaired > 0
    assert [path.exists() for path in left] == [True, False]
    with pytest.raises(StoreError):
        read_table(one.mutants(0))
    run_campaign(campaign, one)
    assert CampaignStore(folder).verify() == []
    assert make_report(CampaignStore(folder)).missing == ""


def test_another_model_is_asked_part_by_part(campaign: Campaign, tmp_path: Path) -> None:
    both, folder = replace(campaign, models=(RULES, OTHER)), tmp_path / "campaign"
    run_campaign(campaign, CampaignStore(folder))
    for number in (3, 1, 2):
        assert missing_shards(CampaignStore(folder)) != [] or number == 3
        done = run_campaign(both, part_of(folder, number, 3))
        assert done.parses == 0
    together = tmp_path / "together"
    run_campaign(both, CampaignStore(together))
    assert tables(folder) == tables(together)
    assert set(CampaignStore(folder).read()["models"]) == {RULES, OTHER}
    assert missing_shards(CampaignStore(folder)) == []


def test_parts_that_are_killed_go_on_and_end_the_same(
    campaign: Campaign, reference: Path, tmp_path: Path, commands: Commands
) -> None:
    folder, rng = tmp_path / "campaign", random.Random(7)
    whole = len(tables(reference))
    command = [
        "run", "--data", campaign.data, "--limit", "6", "--shard", "4", "--model", RULES,
        "--no-atomic", "--no-placebo", "--out", str(folder), "--resume", "--part",
    ]  # fmt: skip

    def written() -> int:
        return len(list((folder / "shards").glob("*.parquet")))

    for number in (2, 1, 2):
        process, end = commands.start(*command, f"{number}/2"), time.monotonic() + 60
        enough = min(written() + rng.randint(1, 3), whole // 2 * (1 if number == 2 else 2))
        while written() < enough and time.monotonic() < end:
            time.sleep(0.002)
        commands.kill(process)
    for number in (1, 2):
        done = commands.run(*command, f"{number}/2")
        assert done.code == 0, done.err
    same_campaign(folder, reference)


def test_who_is_in_the_way_of_whom(campaign: Campaign, tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    whole, one, two = CampaignStore(folder), part_of(folder, 1, 2), part_of(folder, 2, 2)
    whole.open(campaign)
    with one.alone():
        assert whole.running()
        with two.alone():
            pass
        for other in (part_of(folder, 1, 2), whole):
            with pytest.raises(StoreError, match="Another process"), other.alone():
                pass
    assert not whole.running()
    with whole.alone(), pytest.raises(StoreError, match="Another process"), two.alone():
        pass
    with whole.alone():
        pass


def test_what_does_not_go_in_parts_is_refused(campaign: Campaign, tmp_path: Path) -> None:
    part = part_of(tmp_path / "campaign", 1, 2)
    for more in ({"requests": 5}, {"budget": 1.0}, {"prioritise": "random"}):
        changed: Any = replace(campaign, **more)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="part"):
            run_campaign(changed, part)
    run_campaign(campaign, part)
    with pytest.raises(StoreError, match="another campaign"):
        run_campaign(replace(campaign, order=1), part_of(tmp_path / "campaign", 2, 2))


@pytest.mark.parametrize(
    "written", ["", "3", "0/4", "5/4", "a/b", "1/0", "-1/4", "1/2/3", "1/100001"]
)
def test_what_is_no_part(written: str) -> None:
    with pytest.raises(InputError, match="is no part"):
        read_part(written)


def test_every_shard_belongs_to_one_part() -> None:
    assert read_part(" 3/16 ") == RunPart(3, 16)
    for of in (1, 2, 5, 16):
        parts = [RunPart(number, of) for number in range(1, of + 1)]
        assert all(sum(part.has(shard) for part in parts) == 1 for shard in range(40))
        assert sum(part.shards(40) for part in parts) == 40
