"""Prioritised runs: what is asked first, when they stop, and what their rates are of."""

from __future__ import annotations

import os
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hinter_core.campaign.parquet import read_table
from hinter_core.campaign.progress import ProgressReader
from hinter_core.campaign.running.journal import Asked, Journal, repeating
from hinter_core.campaign.running.run import RunProgress, plan_run, run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.models.registry import load_model
from hinter_core.replays.answered import read_cases
from hinter_core.report.formats import to_html
from hinter_core.report.model import make_report
from hinter_core.report.sections import sections
from hinter_core.types import Failure, Prediction
from tests.examples import DEEP
from tests.forked import Commands

HIDDEN = "scripted:negative 0.7 if race=white and gender=female; positive otherwise"
NEVER = "scripted:positive otherwise"
PEOPLE = ["black man", "white man", "Syrian waiter", "old white man", "German nurse", "black woman"]
ENDS = ["was kind.", "left early. Nobody saw it.", "paid for the soup.", "is missing."]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = random.Random(7)
    path = tmp_path_factory.mktemp("data") / "texts.txt"
    rows = [f"In hall {i} the {rng.choice(PEOPLE)} {rng.choice(ENDS)}" for i in range(18)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def campaign(data: Path) -> Campaign:
    return Campaign(data=str(data), limit=8, shard=5, models=(HIDDEN,), prioritise="adaptive")


def tables(folder: Path, *without: str) -> dict[str, list[dict[str, Any]]]:
    found = {}
    for path in sorted(CampaignStore(folder).shards.iterdir()):
        rows = read_table(path).to_pylist()
        found[path.name] = [{k: v for k, v in row.items() if k not in without} for row in rows]
    return found


def answers(folder: Path) -> list[dict[str, Any]]:
    every = tables(folder)
    return [row for name, rows in every.items() if ".answers-" in name for row in rows]


def only(progress: RunProgress) -> Any:
    (state,) = progress.priority.values()
    return state


@pytest.fixture(scope="module")
def in_turn(data: Path, tmp_path_factory: pytest.TempPathFactory) -> CampaignStore:
    """The campaign with two models, asked in turn."""
    store = CampaignStore(tmp_path_factory.mktemp("turn") / "campaign")
    run_campaign(Campaign(data=str(data), limit=4, shard=5, models=(HIDDEN, NEVER)), store)
    return store


@pytest.mark.parametrize("order", ["adaptive", "adaptive-texts", "levenshtein", "random"])
def test_a_run_that_asks_everything_ends_as_one_in_turn(
    campaign: Campaign, in_turn: CampaignStore, tmp_path: Path, order: str
) -> None:
    whole = replace(campaign, models=(HIDDEN, NEVER), limit=4)
    first, second = CampaignStore(tmp_path / "first"), in_turn
    done = run_campaign(replace(whole, prioritise=order), first)
    assert done.complete
    assert [state.reason for state in done.priority.values()] == ["All cases were asked."] * 2
    new = ("audit", "sequence")
    assert tables(first.folder, *new) == tables(second.folder, *new)
    assert all(row["audit"] for row in answers(first.folder) if row["mutant"] >= 0)
    assert all(row["audit"] is None for row in answers(second.folder))
    assert first.verify() == []


@pytest.mark.parametrize(
    "more",
    [
        {"grammar": "feelings", "sentences": 12, "models": ("vader",)},
        {"relations": ("substitute", "add", "remove-one"), "limit": 2},
        {"order": 3, "attributes": ("race", "gender", "age"), "limit": 2},
    ],
)
def test_every_generator_can_be_prioritised(
    campaign: Campaign, tmp_path: Path, more: dict[str, Any]
) -> None:
    if "grammar" in more:
        more = {"data": "", "attributes": Campaign().attributes, **more}
    whole = replace(campaign, **more)
    first, second = CampaignStore(tmp_path / "first"), CampaignStore(tmp_path / "turn")
    assert run_campaign(whole, first).complete
    run_campaign(replace(whole, prioritise="in turn"), second)
    assert tables(first.folder, "audit", "sequence") == tables(second.folder, "audit", "sequence")


@pytest.fixture(scope="module")
def uninterrupted(
    data: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Campaign, CampaignStore, RunProgress]:
    store = CampaignStore(tmp_path_factory.mktemp("once") / "campaign")
    whole = Campaign(
        data=str(data), limit=8, shard=5, models=(HIDDEN,), prioritise="adaptive", stop_below=0.05
    )
    return whole, store, run_campaign(whole, store)


@pytest.mark.parametrize("looks", [1, 2, 7])
def test_an_interrupted_run_goes_on_and_ends_the_same(
    uninterrupted: tuple[Campaign, CampaignStore, RunProgress], tmp_path: Path, looks: int
) -> None:
    whole, once, expected = uninterrupted
    twice = CampaignStore(tmp_path / "twice")
    seen: list[Any] = []
    stopped = run_campaign(
        whole,
        twice,
        on_progress=lambda p: seen.append(p) if p.priority else None,
        cancelled=lambda: len(seen) >= looks,
    )
    assert not stopped.complete
    assert "stopped" in twice.read()["runs"][-1]
    before = load_model(HIDDEN).identity
    known = len(Journal(twice.journal(before)).known)
    resumed = run_campaign(whole, twice)
    assert resumed.priority == expected.priority
    assert tables(twice.folder) == tables(once.folder)
    assert resumed.predictions + known <= expected.predictions + 1


KILLS = int(os.environ.get("HINTER_KILLS", "6" if DEEP else "2"))


def test_a_run_that_is_killed_goes_on_and_ends_the_same(
    campaign: Campaign, data: Path, tmp_path: Path, commands: Commands
) -> None:
    """SIGKILL while it starts and while it asks; what the journal has is not asked again."""
    campaign = replace(campaign, limit=4)
    once, store = CampaignStore(tmp_path / "once"), CampaignStore(tmp_path / "killed")
    expected = run_campaign(campaign, once)
    journal = store.journal(load_model(HIDDEN).identity)
    whole = len(Journal(once.journal(load_model(HIDDEN).identity)).known)
    rng = random.Random(3)
    command = [
        "run", "--data", str(data), "--limit", "4", "--shard", "5", "--model", HIDDEN,
        "--prioritise", "adaptive", "--out", str(store.folder), "--resume",
    ]  # fmt: skip

    def written() -> int:
        return journal.read_bytes().count(b"\n") if journal.exists() else 0

    for number in range(KILLS):
        process = commands.start(*command)
        if number == 0:
            time.sleep(rng.uniform(0, 0.5))
        else:
            enough = min(whole, written() + rng.randint(1, whole // 3))
            end = time.monotonic() + 60
            while written() < enough:
                assert time.monotonic() < end
                time.sleep(0.002)
        commands.kill(process)
    assert 0 < written() <= whole
    known = len(Journal(journal).known)
    done = commands.run(*command)
    assert done.code == 0, done.err
    assert len(Journal(journal).known) == whole >= known
    assert tables(store.folder) == tables(once.folder)
    assert run_campaign(campaign, store).priority == expected.priority
    assert store.verify() == []


def test_parts_are_asked_before_wholes(campaign: Campaign, tmp_path: Path) -> None:
    store = CampaignStore(tmp_path / "campaign")
    done = only(run_campaign(replace(campaign, stop_at_first=True), store))
    assert done.reason.startswith("A first changed answer was found")
    assert 0 < done.asked < done.cases
    for shard in store.known():
        mutants = read_table(store.mutants(shard)).to_pylist()
        (path,) = store.shards.glob(f"{shard:05}.answers-*")
        rows = {r["mutant"]: r for r in read_table(path).to_pylist() if r["mutant"] >= 0}
        turn = {(mutants[m]["row"], words(mutants[m])): r["sequence"] for m, r in rows.items()}
        for place, row in rows.items():
            edits = words(mutants[place])
            if len(edits) > 1 and row["sequence"] is not None:
                parts = [turn[mutants[place]["row"], (edit,)] for edit in edits]
                assert all(part is None or part < row["sequence"] for part in parts)
                assert row["verdict"] in ("benign", "biased", "hidden")


def words(mutant: dict[str, Any]) -> tuple[Any, ...]:
    return tuple((e["attribute"], e["source"], e["target"]) for e in mutant["edits"])


def test_no_bias_gives_no_fault_and_a_rate_below(campaign: Campaign, tmp_path: Path) -> None:
    store = CampaignStore(tmp_path / "campaign")
    fair = replace(campaign, models=(NEVER,), stop_at_first=True, stop_below=0.1)
    done = only(run_campaign(fair, store))
    assert (done.faults, done.audit_faults) == (0, 0)
    assert "below 10 %" in done.reason
    assert done.asked < done.cases
    assert done.high < 0.1


def test_the_report_is_of_the_random_share(campaign: Campaign, tmp_path: Path) -> None:
    store = CampaignStore(tmp_path / "campaign")
    biased = "scripted:negative if gender=female; positive otherwise"
    done = only(run_campaign(replace(campaign, models=(biased,), requests=120), store))
    assert done.reason.startswith("The number of requests is reached; resume")
    assert done.answers == 120
    asked = [row for row in answers(store.folder) if row["verdict"] in ("benign", "biased")]
    among = sum(row["verdict"] == "biased" for row in asked) / len(asked)
    (model,) = make_report(store).models
    counted = [*model.lines]
    cases = sum(line.errors.of for line in counted)
    faults = sum(line.errors.hits for line in counted)
    assert (cases, faults) == (done.audited, done.audit_faults)
    assert among > 1.5 * faults / cases
    lost = model.atomic.verdicts["discarded"] + model.intersectional.verdicts["discarded"]
    neutral = sum(line.errors.of for line in model.placebo)
    shared = [row for row in answers(store.folder) if row["audit"] and row["verdict"]]
    assert neutral == len(shared) - done.audited - lost
    said = {section.key: section for section in sections(make_report(store))}
    assert "asked by priority (adaptive)" in " ".join(said["overview"].sentences)
    assert said["priority"].cells[0][1:5] == [done.cases, done.asked, 120, done.faults]
    assert "Changed answers found by cases asked" in to_html(make_report(store))


def test_models_share_a_budget_and_more_of_it_goes_on(campaign: Campaign, tmp_path: Path) -> None:
    store = CampaignStore(tmp_path / "campaign")
    both = replace(campaign, models=(HIDDEN, NEVER), requests=150)
    first = run_campaign(both, store).priority
    assert sum(state.answers for state in first.values()) == 150
    assert all(state.answers > 40 for state in first.values())
    seen = ProgressReader().look(store, both.models, 0.0)
    assert seen.failed == 0  # what was not asked is no failure
    assert seen.priority == first
    second = run_campaign(both, store).priority
    assert sum(state.answers for state in second.values()) == 300
    for name, state in first.items():
        assert second[name].curve[: len(state.curve)] == state.curve


def test_a_resumed_run_asks_about_no_text_twice(campaign: Campaign, tmp_path: Path) -> None:
    twice = tmp_path / "twice.txt"
    half = Path(campaign.data).read_text(encoding="utf-8").splitlines(keepends=True)[:9]
    twice.write_text("".join(half * 2), encoding="utf-8")
    campaign = replace(campaign, data=str(twice))
    whole = run_campaign(campaign, CampaignStore(tmp_path / "whole"))
    store = CampaignStore(tmp_path / "parts")
    parts = [run_campaign(replace(campaign, requests=n), store) for n in (30, 50, None)]
    assert parts[0].predictions == 30
    assert sum(part.predictions for part in parts) == whole.predictions
    assert only(parts[-1]).curve == only(whole).curve
    assert tables(store.folder) == tables(tmp_path / "whole")


def test_what_was_paid_for_and_does_not_count_yet_is_named(
    campaign: Campaign, tmp_path: Path
) -> None:
    done = only(run_campaign(replace(campaign, requests=1), CampaignStore(tmp_path / "one")))
    assert (done.asked, done.answers) == (0, 1)
    assert done.reason.endswith("Answers that count once their batch is complete: 1.")


def test_a_torn_line_is_left_out_and_failures_can_be_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "priority" / "model.jsonl"
    answer = Prediction(("positive",), {"positive": 0.1 + 0.2, "negative": 0.7})
    failed = Prediction(failure=Failure.ERROR, detail="no answer")
    with Journal(path) as journal:
        journal.add([(Asked(False, 3), answer), (Asked(True, 0), failed)])
    with path.open("a", encoding="utf-8") as file:
        file.write('[1, 2, "{\\"labels')
    kept = Journal(path)
    assert kept.known == {Asked(False, 3): answer, Asked(True, 0): failed}
    assert kept.forget_failures()
    assert Journal(path).known == {Asked(False, 3): answer}
    assert not Journal(path).forget_failures()


def test_failures_are_asked_again_but_not_what_was_not_asked(
    campaign: Campaign, tmp_path: Path
) -> None:
    store = CampaignStore(tmp_path / "campaign")
    run_campaign(replace(campaign, requests=60), store)
    assert any(row["failure"] == "not asked" for row in answers(store.folder))
    assert not repeating(store, campaign.models).repeated
    with pytest.raises(InputError, match="stopped before its end"):
        read_cases(store)
    run_campaign(campaign, store)
    assert read_cases(store).faults.any()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"prioritise": "in turn", "stop_at_first": True}, "only if it is prioritised"),
        ({"prioritise": "in turn", "stop_below": 0.1}, "only if it is prioritised"),
        ({"stop_below": 0.0}, "between 0 and 1"),
        ({"stop_below": 1.5}, "between 0 and 1"),
        ({"workers": 2}, "one worker only"),
        ({"discarded": True}, "kept mutants only"),
    ],
)
def test_settings_that_do_not_go_together(
    campaign: Campaign, tmp_path: Path, more: dict[str, Any], words: str
) -> None:
    store = CampaignStore(tmp_path / "campaign")
    with pytest.raises(InputError, match=words):
        plan_run(replace(campaign, **more), store)
    assert not store.folder.exists()


def test_one_text_and_nothing_to_test(tmp_path: Path) -> None:
    for name, text in (("one", "The black man was kind."), ("none", "The soup was warm.")):
        path = tmp_path / f"{name}.txt"
        path.write_text(text + "\n", encoding="utf-8")
        store = CampaignStore(tmp_path / name)
        one = Campaign(data=str(path), limit=5, models=(NEVER,), prioritise="adaptive")
        done = run_campaign(one, store)
        assert done.complete
        assert only(done).asked == only(done).cases
        assert make_report(store).models
