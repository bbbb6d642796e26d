"""Tables that contradict their own answers are found, and no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hinter_core.campaign.parquet import read_table, write_table
from hinter_core.campaign.running.rejudged import contradictions
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.campaign.tables import answer_schema

HIDDEN = "scripted:negative 0.7 if race=white and gender=female; positive otherwise"
NEAR = "scripted:positive 0.7 if race=white; positive 0.6 otherwise"  # 0.1 as rounded by tables
TEXTS = ("The black man met a cook.", "A white nurse left early.", "The Syrian man saw a guest.",
         "A bearded Syrian man saw his wife.")  # fmt: skip
Row = dict[str, Any]


def run(folder: Path, *models: str, **settings: Any) -> CampaignStore:
    data = folder / "texts.txt"
    data.write_text("\n".join(TEXTS) + "\n")
    store = CampaignStore(folder / "out")
    run_campaign(Campaign(data=str(data), limit=9, models=models, **settings), store)
    return store


def forge(store: CampaignStore, change: Callable[[Row], Row | None]) -> None:
    (path,) = store.shards.glob("*.answers-*.parquet")
    rows = read_table(path).to_pylist()
    write_table(path, [{**row, **(change(row) or {})} for row in rows], answer_schema())
    assert store.verify() == []


FORGED: dict[str, Callable[[Row], Row | None]] = {
    "cleaned": lambda row: (
        {"verdict": "benign", "changed": False} if row["verdict"] in ("biased", "hidden") else None
    ),
    "no longer hidden": lambda row: {"verdict": "biased"} if row["verdict"] == "hidden" else None,
    "discarded": lambda row: {"verdict": "discarded"} if row["verdict"] == "benign" else None,
    "unanswered": lambda row: (
        {"verdict": "unanswered", "changed": None} if row["verdict"] == "hidden" else None
    ),
    "counted": lambda row: {"verdict": "benign"} if row["verdict"] == "discarded" else None,
}


@pytest.mark.parametrize("how", FORGED)
def test_verdicts_that_do_not_follow_from_the_answers_are_named(how: str, tmp_path: Path) -> None:
    store = run(tmp_path, HIDDEN)
    assert list(contradictions(store)) == []
    (path,) = store.shards.glob("*.answers-*.parquet")
    before = read_table(path).to_pylist()
    forge(store, FORGED[how])
    after = read_table(path).to_pylist()
    wrong = [b for a, b in zip(before, after, strict=True) if a["verdict"] != b["verdict"]]
    assert wrong
    named = [
        f"{path.name}: mutant {b['mutant']} (row {b['row']}) is {b['verdict']}," for b in wrong
    ]
    said = list(contradictions(store))
    assert [any(one.startswith(name) for one in said) for name in named] == [True] * len(named)


def test_an_exchanged_answer_contradicts_its_verdict(tmp_path: Path) -> None:
    store = run(tmp_path, HIDDEN)
    forge(store, lambda row: {"labels": ["positive"]} if row["changed"] else None)
    assert "its answers make it benign, changed: False" in next(contradictions(store))


def test_answers_of_other_rows_are_told_from_those_of_the_mutants(tmp_path: Path) -> None:
    store = run(tmp_path, HIDDEN)
    (path,) = store.shards.glob("*.answers-*.parquet")
    *rows, last, first = read_table(path).to_pylist()
    write_table(path, [*rows, first, last], answer_schema())
    (said,) = contradictions(store)
    assert said == f"{path.name} has its answers in another order than their mutants"


@pytest.mark.parametrize(
    "settings",
    [
        {"score_tolerance": 0.1},
        {"score_tolerance": 0.05},
        {"discarded": True, "validity": 0.99},
        {"prioritise": "adaptive", "requests": 20},
        {"relations": ("add", "substitute"), "repeat": 2},
        {"invariant": "published", "order": 3, "attributes": ("race", "gender", "age")},
        {"atomic": False, "placebo": False},
    ],
    ids=lambda one: " ".join(one),
)
def test_what_a_run_writes_is_never_a_contradiction(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    models = (NEAR,) if "score_tolerance" in settings else (HIDDEN, "vader")
    store = run(tmp_path, *models, **settings)
    assert list(contradictions(store)) == []
