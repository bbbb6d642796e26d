"""Campaigns as processes: started, stopped, resumed, queued, asked again, found after a restart."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from hinter_core.campaign.parquet import read_table
from hinter_core.campaign.progress import TOGETHER, CampaignProgress, ProgressReader
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign, load_campaign, write_campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.types import Verdict
from hinter_ui.batch.jobs import (
    JobRecord,
    Jobs,
    campaign_file,
    log_file,
    record_of,
    settings_of,
    write_record,
)
from hinter_ui.processes.record import RunState
from hinter_ui.shared.library import CampaignEntry, Campaigns
from hinter_ui.shared.session import Visitor
from tests.conformance.faulty_server import FaultyServer
from tests.forked import Commands

pytestmark = pytest.mark.usefixtures("quick_campaigns")
KEY = "sk-job-0123456789"
RACES = ("white", "latino", "middle-eastern", "south-asian", "east-asian", "indigenous")
RULES = "scripted:" + "; ".join(
    [*(f"negative 0.7 if race={race} and gender=female" for race in RACES), "positive otherwise"]
)
MINE, THEIRS = Visitor("192.0.2.1", "a"), Visitor("192.0.2.2", "b")
PEOPLE = ("black man", "white woman", "Syrian waiter", "old white man", "German nurse")
PATIENCE = 90.0
LONG = 80  # texts of a campaign that is still at work when it is looked at


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HINTER_CACHE", str(tmp_path / "shared.sqlite"))


@pytest.fixture
def shelf(tmp_path: Path) -> Campaigns:
    return Campaigns(tmp_path / "shelf", shared=True)


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


def put(shelf: Campaigns, number: int = LONG, **settings: Any) -> CampaignEntry:
    """A campaign on the shelf over a file of its own, not started."""
    entry = shelf.new()
    texts = [f"The {PEOPLE[i % len(PEOPLE)]} was kind, said guest {i}." for i in range(number)]
    (entry.folder / "texts.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    chosen: dict[str, Any] = {"limit": 6, "shard": 1, "models": (RULES,), "atomic": False}
    campaign = Campaign(data="texts.txt", placebo=False, **(chosen | settings))
    campaign_file(entry).write_text(write_campaign(campaign), encoding="utf-8")
    write_record(entry, JobRecord(title="texts.txt", created=time.time()))
    return entry


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def shards(entry: CampaignEntry) -> int:
    return len(entry.store.known())


def look(entry: CampaignEntry) -> CampaignProgress:
    return ProgressReader().look(entry.store, settings_of(entry).models, record_of(entry).started)


def tables(folder: Path) -> dict[str, list[dict[str, Any]]]:
    found = sorted(CampaignStore(folder).shards.glob("*.parquet"))
    return {path.name: read_table(path).to_pylist() for path in found}


def test_a_job_runs_to_its_end_and_says_what_it_found(shelf: Campaigns, jobs: Jobs) -> None:
    entry = put(shelf, 10)
    assert jobs.state(entry) is RunState.NEW
    jobs.start(entry, {})
    assert jobs.state(entry) is RunState.RUNNING
    with pytest.raises(InputError, match="already running or waiting"):
        jobs.start(entry, {})
    until(lambda: jobs.state(entry) is RunState.DONE)
    seen = look(entry)
    assert (seen.texts, seen.shards, seen.done, seen.shards_done) == (10, 10, 10, 10)
    assert seen.complete
    assert seen.since == (10, seen.mutants)
    rows = [row for name, table in tables(entry.store.folder).items() if "answers" in name
            for row in table if row["mutant"] >= 0]  # fmt: skip
    hidden = sum(row["verdict"] == Verdict.HIDDEN.value for row in rows)
    assert hidden == seen.hidden() == seen.verdicts[RULES][TOGETHER, Verdict.HIDDEN.value] > 0
    assert sum(seen.verdicts[RULES].values()) == seen.mutants == len(rows)
    assert seen.latest
    assert all({e.attribute for e in f.edits} == {"race", "gender"} for f in seen.latest)
    answers = {(f.original, f.labels) for f in seen.latest}
    assert answers == {(("positive",), ("negative",))}


def test_stopped_and_resumed_it_ends_as_one_that_was_not(shelf: Campaigns, jobs: Jobs) -> None:
    entry = put(shelf)
    jobs.start(entry, {})
    until(lambda: shards(entry) >= 2)
    jobs.cancel(entry)
    assert jobs.state(entry) in (RunState.STOPPING, RunState.STOPPED)
    until(lambda: jobs.state(entry) is RunState.STOPPED)
    assert 2 <= shards(entry) < LONG
    jobs.start(entry, {})
    until(lambda: jobs.state(entry) is RunState.DONE)
    straight = CampaignStore(shelf.folder / "straight")
    run_campaign(settings_of(entry), straight)
    assert tables(entry.store.folder) == tables(straight.folder)


def test_others_wait_and_start_by_themselves(shelf: Campaigns, jobs: Jobs) -> None:
    first, second, third = (put(shelf, number) for number in (LONG, 3, 3))
    for entry in (first, second, third):
        jobs.start(entry, {})
    states = [jobs.state(entry) for entry in (first, second, third)]
    assert states == [RunState.RUNNING, RunState.WAITING, RunState.WAITING]
    assert [jobs.ahead_of(entry) for entry in (first, second, third)] == [0, 1, 2]
    jobs.cancel(second)
    assert jobs.state(second) is RunState.STOPPED
    jobs.cancel(first)
    until(lambda: jobs.state(third) is RunState.DONE)
    assert jobs.state(first) is RunState.STOPPED
    assert shards(second) == 0
    jobs.start(second, {})
    until(lambda: jobs.state(second) is RunState.DONE)


def test_only_so_many_wait(shelf: Campaigns) -> None:
    idle = Jobs(at_once=0)
    entries = [put(shelf, 1) for _ in range(13)]
    for entry in entries[:-1]:
        idle.start(entry, {})
    with pytest.raises(InputError, match="Too many campaigns are waiting"):
        idle.start(entries[-1], {})
    assert idle.state(entries[-1]) is RunState.NEW


def test_owners_have_a_few_campaigns_each_and_take_turns(shelf: Campaigns) -> None:
    idle = Jobs(at_once=0)
    first, second, third, fourth = (put(shelf, 1) for _ in range(4))
    for entry in (first, second):
        idle.start(entry, {}, owner=MINE)
    with pytest.raises(InputError, match="2 of your campaigns run or wait already"):
        idle.start(third, {}, owner=MINE)
    assert idle.state(third) is RunState.NEW
    # Another browser of the network, and the same browser in another network.
    for same in (Visitor(MINE.network, "c"), Visitor(MINE.network), Visitor("192.0.2.9", "a")):
        with pytest.raises(InputError, match="2 of your campaigns run or wait already"):
            idle.start(third, {}, owner=same)
    for entry in (third, fourth):
        idle.start(entry, {}, owner=THEIRS)
    assert [idle.ahead_of(entry) for entry in (first, third, second, fourth)] == [0, 1, 2, 3]
    idle.cancel(second)
    fifth = put(shelf, 1)
    idle.start(fifth, {}, owner=MINE)
    assert [idle.ahead_of(entry) for entry in (first, third, fourth, fifth)] == [0, 1, 3, 2]


def test_turns_are_kept_as_campaigns_run(shelf: Campaigns, jobs: Jobs) -> None:
    mine, more, theirs = put(shelf, 2), put(shelf, 2), put(shelf, 2)
    for entry in (mine, more):
        jobs.start(entry, {}, owner=MINE)
    jobs.start(theirs, {}, owner=THEIRS)
    until(lambda: all(jobs.state(one) is RunState.DONE for one in (mine, more, theirs)))
    assert record_of(mine).started < record_of(theirs).started < record_of(more).started


def test_a_run_on_a_shared_machine_stands_back_and_ends_in_time(shelf: Campaigns) -> None:
    jobs, entry = Jobs(longest=0.1), put(shelf)
    jobs.start(entry, {})
    if os.name != "nt":
        pid = record_of(entry).pid
        assert psutil.Process(pid).nice() == 10
        group = Path(f"/proc/{pid}/autogroup")
        if group.exists() and os.getsid(pid) == pid:
            assert group.read_text().split()[-1] == "10"
    until(lambda: not jobs.state(entry).busy)
    assert jobs.state(entry) is RunState.STOPPED
    assert record_of(entry).late
    done = look(entry).done
    patient = Jobs()
    patient.start(entry, {})
    assert not record_of(entry).late
    until(lambda: patient.state(entry) is RunState.DONE)
    assert look(entry).done > done


def test_what_failed_is_asked_again_and_nothing_else(shelf: Campaigns, jobs: Jobs) -> None:
    with FaultyServer() as server:
        model = f"openai:tiny?base_url={server.base_url}&retries=0"
        entry, keys = put(shelf, 4, models=(model,), requests=30), {server.base_url: KEY}
        jobs.start(entry, keys)
        until(lambda: jobs.state(entry) is RunState.DONE)
        before, folder = look(entry), entry.store.shards
        assert before.failures == {"over budget": before.failed}
        assert min(before.failed, before.unanswered) > 0
        assert sum(server.asked.values()) == 30
        written = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.parquet")}
        faulty = {name for name, rows in tables(entry.store.folder).items()
                  if any(row.get("failure") for row in rows)}  # fmt: skip
        # Every run has its own bound; what was answered is on disk and asked no second time.
        while look(entry).failed:
            jobs.start(entry, keys, retry=True)
            until(lambda: jobs.state(entry) is RunState.DONE)
        after = look(entry)
        assert (after.unanswered, after.mutants) == (0, before.mutants)
        assert set(server.asked.values()) == {1}
        anew = {n for n, when in written.items() if (folder / n).stat().st_mtime_ns != when}
        assert anew == faulty
        assert 0 < len(faulty) < 4


def test_a_key_reaches_its_server_and_no_file(
    shelf: Campaigns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-machine")
    jobs = Jobs(own_cache=True)
    with FaultyServer() as one, FaultyServer() as other:
        names = [f"openai:tiny?base_url={s.base_url}&retries=0" for s in (one, other)]
        entry = put(shelf, 3, models=tuple(names))
        jobs.start(entry, {one.base_url: KEY, other.base_url: f"{KEY}-other"})
        until(lambda: not jobs.state(entry).busy)
        assert jobs.state(entry) is RunState.DONE, log_file(entry).read_text()
        assert one.keys == {f"Bearer {KEY}"}
        assert other.keys == {f"Bearer {KEY}-other"}
        missing = put(shelf, 2, models=(names[0],))
        jobs.start(missing, {})
        until(lambda: jobs.state(missing) is RunState.FAILED)
        assert "There is no key for" in log_file(missing).read_text()
        assert one.keys == {f"Bearer {KEY}"}
        wrong = put(shelf, 2, models=(names[0],))
        one.wrong_key = KEY
        jobs.start(wrong, {one.base_url: KEY})
        until(lambda: jobs.state(wrong) is RunState.FAILED)
        assert "refused the key" in log_file(wrong).read_text()
    files = [path for path in shelf.folder.rglob("*") if path.is_file()]
    assert any(path.name == "answers.sqlite" for path in files)
    assert [path for path in files if b"sk-" in path.read_bytes()] == []
    assert KEY not in json.dumps([str(path) for path in files])


def test_a_campaign_that_cannot_run_says_why(shelf: Campaigns, jobs: Jobs) -> None:
    entry = put(shelf, 2, models=("hf:no/such-model-anywhere-0",))
    (entry.folder / "texts.txt").unlink()
    jobs.start(entry, {})
    until(lambda: jobs.state(entry) is RunState.FAILED)
    assert log_file(entry).read_text().startswith("hinter: ")
    assert record_of(entry).code == 2


APP = """
import sys, time
from pathlib import Path
from hinter_ui.shared.library import Campaigns
from hinter_ui.batch import jobs
from hinter_ui.processes import command
command.COMMAND = tuple(sys.argv[3:])
running = jobs.Jobs()
running.start(Campaigns(Path(sys.argv[1]), shared=True).get(sys.argv[2]), {})
time.sleep(600)
"""


def app_with(
    commands: Commands, shelf: Campaigns, entry: CampaignEntry, *before: str
) -> subprocess.Popen[bytes]:
    """Another life of the app, which starts the campaign."""
    script = "\n".join((*before, APP))
    return subprocess.Popen(
        [*commands.app, "-c", script, str(shelf.folder), entry.id, *commands.program]
    )


def test_a_job_of_an_app_in_the_background_of_a_shell_stops_at_once(
    shelf: Campaigns, jobs: Jobs, commands: Commands
) -> None:
    entry = put(shelf)
    app = app_with(
        commands, shelf, entry, "import signal", "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    )
    until(lambda: shards(entry) >= 1)
    app.kill()
    app.wait()
    jobs.cancel(entry)
    until(lambda: jobs.state(entry) is RunState.STOPPED)
    assert shards(entry) < LONG


def test_a_job_outlives_an_app_that_was_killed(
    shelf: Campaigns, jobs: Jobs, commands: Commands
) -> None:
    entry = put(shelf)
    app = app_with(commands, shelf, entry)
    until(lambda: shards(entry) >= 1)
    app.kill()
    app.wait()
    assert jobs.state(entry) is RunState.RUNNING
    with pytest.raises(InputError, match="already running or waiting"):
        jobs.start(entry, {})
    jobs.cancel(entry)
    until(lambda: jobs.state(entry) is RunState.STOPPED)
    assert 1 <= shards(entry) < LONG
    jobs.start(entry, {})
    until(lambda: jobs.state(entry) is RunState.DONE)
    assert shards(entry) == LONG


def test_a_job_that_was_killed_with_its_app_is_interrupted(
    shelf: Campaigns, jobs: Jobs, commands: Commands
) -> None:
    entry = put(shelf)
    app = app_with(commands, shelf, entry)
    until(lambda: shards(entry) >= 1)
    app.kill()
    app.wait()
    os.killpg(record_of(entry).pid, signal.SIGKILL)
    until(lambda: jobs.state(entry) is RunState.INTERRUPTED)
    jobs.start(entry, {})
    until(lambda: jobs.state(entry) is RunState.DONE)
    assert look(entry).complete


def test_a_closing_app_stops_its_jobs_and_they_can_be_resumed(shelf: Campaigns) -> None:
    first, second = Jobs(), Jobs()
    entry, waiting = put(shelf), put(shelf, 2)
    first.start(entry, {})
    first.start(waiting, {})
    until(lambda: shards(entry) >= 1)
    first.close()
    until(lambda: first.state(entry) is RunState.INTERRUPTED)
    assert second.state(waiting) is RunState.NEW
    second.start(entry, {})
    until(lambda: second.state(entry) is RunState.DONE)


def test_tables_are_read_once_and_again_when_they_change(shelf: Campaigns) -> None:
    entry = put(shelf, 3)
    run_campaign(settings_of(entry), entry.store)
    watch, models = ProgressReader(), settings_of(entry).models
    first = watch.look(entry.store, models, 0.0)
    for path in entry.store.shards.glob("*.mutants.parquet"):
        path.rename(path.with_suffix(".aside"))
    assert watch.look(entry.store, models, 0.0) == replace(first)
    assert watch.look(entry.store, (*models, "vader"), 0.0).done == 0


def test_a_campaign_file_reads_as_it_was_written(tmp_path: Path) -> None:
    campaign = Campaign(
        data="texts.csv", attributes=("race", "body"), limit=7, sample=3, placebo=False,
        models=(RULES, "vader"), budget=1.5, text_column="caf\u00e9: #1",
    )  # fmt: skip
    path = tmp_path / "campaign.yaml"
    path.write_text(write_campaign(campaign), encoding="utf-8")
    assert load_campaign(path) == replace(campaign, data=str(tmp_path / "texts.csv"))
