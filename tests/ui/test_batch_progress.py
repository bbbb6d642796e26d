"""How far a campaign is, in the words of Batch."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign.preview import Forecast
from hinter_core.campaign.progress import ANSWERED, PLACEBO, TOGETHER, CampaignProgress
from hinter_core.campaign.spec import Campaign
from hinter_core.models.budget import Cost
from hinter_ui.batch import html
from hinter_ui.batch.jobs import CampaignStatus, JobRecord, answers_so_far, log_file
from hinter_ui.processes.record import RunState
from hinter_ui.shared.library import CampaignEntry


def test_answers_are_told_before_the_first_texts_are_done(tmp_path: Path) -> None:
    entry = CampaignEntry("c", tmp_path)
    assert answers_so_far(entry) == 0
    log_file(entry).write_text(f"0 of 2 shards, 0 texts; {ANSWERED}1,088\n")
    assert answers_so_far(entry) == 1_088
    record = JobRecord(created=0.0, started=1.0, title="t")
    status = CampaignStatus(
        "c", RunState.RUNNING, record, Campaign(), CampaignProgress(texts=20), answers=1_088
    )
    assert "1,088 requests answered" in str(html.progress(status))
    log_file(entry).write_text("1 of 2 shards, 10 texts\n")
    assert answers_so_far(entry) == 0


@pytest.mark.parametrize(
    ("state", "done", "told"),
    [
        (RunState.WAITING, 0, "A &amp; B: waiting."),
        (RunState.RUNNING, 9, "A &amp; B: running."),
        (RunState.RUNNING, 19, "A &amp; B: 25 % are tested."),
        (RunState.RUNNING, 20, "A &amp; B: 50 % are tested."),
        (RunState.RUNNING, 40, "A &amp; B: 75 % are tested."),
        (RunState.DONE, 40, "A &amp; B: done. 2 hidden."),
    ],
)
def test_what_is_read_out_changes_at_each_quarter(state: RunState, done: int, told: str) -> None:
    verdicts = {"m": Counter({(TOGETHER, "hidden"): 2})}
    seen = CampaignProgress(("m",), texts=40, done=done, verdicts=verdicts)
    record = JobRecord(created=0.0, started=1.0, title="A & B")
    shown = str(html.progress(CampaignStatus("c", state, record, Campaign(), seen)))
    assert f'data-told="{told}"' in shown
    assert (f'data-share="{100 * done // 40}"' in shown) is (state is RunState.RUNNING)


def test_a_neutral_swap_that_flips_is_not_called_biased() -> None:
    verdicts = {"m": Counter({(PLACEBO, "biased"): 2, (PLACEBO, "hidden"): 1})}
    seen = CampaignProgress(("m",), texts=40, done=12, verdicts=verdicts, runs=2)
    record = JobRecord(created=0.0, started=1.0, ended=54.0, title="t")
    state = CampaignStatus("c", RunState.DONE, record, Campaign(), seen)
    shown = str(html.progress(state))
    assert "1 flipped only together, 2 flipped" in shown
    assert "the last run took 53 s" in shown
    assert "Discarded variants" not in shown
    busy = str(html.progress(replace(state, state=RunState.RUNNING)))
    assert "working on the next texts" in busy


def test_each_cause_of_missing_answers_is_counted_for_itself() -> None:
    lost = Counter({("error", "busy"): 4, ("error", "leak"): 3})
    said = {("error", "busy"): "500: busy", ("error", "leak"): "a leak"}
    seen = CampaignProgress(("m",), texts=2, done=2, lost=lost, said=said)
    record = JobRecord(created=0.0, started=1.0, ended=2.0, title="t")
    shown = str(html.progress(CampaignStatus("c", RunState.DONE, record, Campaign(), seen)))
    assert "error (4: 500: busy) and error (3: a leak)" in shown


@pytest.mark.parametrize(("looked", "bound"), [(20, "at most "), (10, "at most about ")])
def test_a_cost_is_a_maximum_as_on_the_command_line(looked: int, bound: str) -> None:
    seen = Forecast(20, looked, 9, {1: 30}, 40, 50, 1.0, {"m": Cost(2_865)})
    assert f"{bound}2,865 requests" in str(html.estimate(seen))
    assert f"{bound}50" in str(html.estimate(seen))
