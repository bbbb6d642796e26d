"""Running campaigns: the tables say what the pipeline says, whatever way they came about."""

from __future__ import annotations

import os
import random
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hinter_core.campaign.parquet import StoreError, read_table
from hinter_core.campaign.preview import forecast
from hinter_core.campaign.running.journal import repeating
from hinter_core.campaign.running.run import plan_run, run_campaign, shard_size
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import HinterError
from hinter_core.language.parsing import ParseStore
from hinter_core.models.registry import load_model, open_store
from hinter_core.pipeline.pipeline import Pipeline
from hinter_core.report.model import make_report
from hinter_core.types import Verdict
from tests.conformance.tiny import make_classifier
from tests.examples import DEEP
from tests.forked import Commands
from tests.unit.campaign.pickled import pickled

RULES = "scripted:negative 0.7 if race=white and gender=female; positive otherwise"
OTHER = "scripted:negative if gender=female; positive otherwise"
PLAIN: Any = {"atomic": False, "placebo": False}  # what a pipeline tests of a single text
PEOPLE = ["black man", "white woman", "Syrian waiter", "old white man", "German nurse", "woman"]
ENDS = ["was kind.", "left early. Nobody saw it.", "paid for the soup.", "is missing"]


def write_texts(path: Path, number: int = 21) -> Path:
    rng = random.Random(4)
    rows = [f"The {rng.choice(PEOPLE)} {rng.choice(ENDS)}" for _ in range(number)]
    rows[3] = ""
    rows[5] = "The soup was warm."
    lines = [f'{i},"{text}",{i % 3}' for i, text in enumerate(rows)]
    path.write_text("id,text,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_texts(tmp_path_factory.mktemp("data") / "texts.csv")


@pytest.fixture
def campaign(data: Path) -> Campaign:
    return Campaign(data=str(data), limit=6, shard=4, models=(RULES,), **PLAIN)


def tables(folder: Path) -> dict[str, list[dict[str, Any]]]:
    shards = CampaignStore(folder).shards
    return {path.name: read_table(path).to_pylist() for path in sorted(shards.iterdir())}


@pytest.fixture(scope="module")
def reference(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reference") / "campaign"
    whole = Campaign(data=str(data), limit=6, shard=4, models=(RULES,), **PLAIN)
    done = run_campaign(whole, CampaignStore(folder))
    assert (done.shards, done.of, done.texts) == (6, 6, 21)
    assert done.hidden > 0
    return folder


def test_the_tables_say_what_the_probe_says(
    campaign: Campaign, reference: Path, parses: ParseStore
) -> None:
    store = CampaignStore(reference)
    pipeline = Pipeline(campaign.vocabulary(), parses, [open_store(RULES)], campaign.settings)
    texts = [row for n in store.known() for row in read_table(store.texts(n)).to_pylist()]
    assert [row["row"] for row in texts] == list(range(1, 22))
    outcomes = {row["row"]: row["outcome"] for row in texts}
    assert outcomes[4] == "unusable"
    assert outcomes[6] == "nothing to test"
    every = tables(reference)
    for shard in store.known():
        mutants = every[store.mutants(shard).name]
        answers = every[store.answers(shard, pipeline.models[0].model.identity).name]
        of_mutants = [a for a in answers if a["mutant"] >= 0]
        assert [a["mutant"] for a in of_mutants] == list(range(len(mutants)))
        for row in (t for t in texts if outcomes[t["row"]] == "tested"):
            check = pipeline.check(row["text"])
            judged = check.outcomes[pipeline.models[0].model.name]
            mine = [i for i, m in enumerate(mutants) if m["row"] == row["row"]]
            if not mine:
                continue
            assert row["mutants"] == len(mine) == len(judged)
            for i, expected in zip(mine, judged, strict=True):
                assert mutants[i]["kept"] is expected.conformance.kept
                assert [e["target"] for e in mutants[i]["edits"]] == [
                    e.target.text for e in expected.mutant.edits
                ]
                assert of_mutants[i]["verdict"] == expected.verdict.value


def test_an_interrupted_run_goes_on_and_ends_the_same(
    campaign: Campaign, reference: Path, tmp_path: Path
) -> None:
    store = CampaignStore(tmp_path / "campaign")
    seen: list[int] = []
    first = run_campaign(
        campaign,
        store,
        on_progress=lambda p: seen.append(p.shards),
        cancelled=lambda: len(seen) == 2,
    )
    assert (first.shards, first.of) == (2, 6)
    assert run_campaign(campaign, store).shards == 6
    assert tables(store.folder) == tables(reference)
    assert store.verify() == []


def test_another_model_is_asked_without_parsing_again(
    campaign: Campaign, reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = CampaignStore(tmp_path / "campaign")
    first = run_campaign(campaign, store)
    assert 0 < first.parses < first.mutants
    monkeypatch.setattr(ParseStore, "parse", lambda *_: pytest.fail("it parses again"))
    both = replace(campaign, models=(RULES, OTHER))
    second = run_campaign(both, store)
    assert (second.parses, second.mutants) == (0, first.mutants)
    # A text is predicted once for all the mutants that read the same.
    assert 0 < second.predictions <= first.predictions <= first.mutants + first.texts
    assert store.verify() == []
    monkeypatch.undo()
    together = CampaignStore(tmp_path / "together")
    run_campaign(both, together)
    assert tables(store.folder) == tables(together.folder)


def test_a_sample_is_drawn_by_seed_and_alike_from_labels(
    campaign: Campaign, tmp_path: Path
) -> None:
    def drawn(folder: str, **settings: Any) -> list[dict[str, Any]]:
        store = CampaignStore(tmp_path / folder)
        run_campaign(replace(campaign, **settings), store)
        return [row for n in store.known() for row in read_table(store.texts(n)).to_pylist()]

    first = drawn("a", sample=6, stratify=True)
    assert sorted(row["label"] for row in first) == ["0", "0", "1", "1", "2", "2"]
    assert first == drawn("b", sample=6, stratify=True)
    assert {r["row"] for r in drawn("c", sample=6, seed=1)} != {r["row"] for r in first}


def test_a_directory_that_does_not_fit_is_refused(
    campaign: Campaign, reference: Path, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match="another campaign"):
        run_campaign(replace(campaign, order=1), CampaignStore(reference))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("Dear all,")
    with pytest.raises(StoreError, match="not empty and no campaign"):
        run_campaign(campaign, CampaignStore(tmp_path / "full"))
    with pytest.raises(StoreError, match="is no campaign"):
        CampaignStore(tmp_path / "none").read()


@pytest.mark.parametrize("kind", ["texts", "mutants", "answers"])
def test_a_damaged_table_is_found_and_made_again(
    campaign: Campaign, reference: Path, tmp_path: Path, kind: str
) -> None:
    store = CampaignStore(tmp_path / "campaign")
    run_campaign(campaign, store)
    (path,) = store.shards.glob(f"00002.{kind}*")
    whole = path.read_bytes()
    middle = len(whole) // 3
    inside = bytes(byte ^ 0xFF for byte in whole[4:middle])
    for damaged in (whole[:100], whole[:4] + inside + whole[middle:]):
        path.write_bytes(damaged)
        assert [path.name in fault for fault in store.verify()] == [True]
        assert run_campaign(campaign, store).repaired == (1 if kind == "answers" else 3)
    assert tables(store.folder) == tables(reference)


def test_answers_without_their_texts_are_a_fault_and_mutants_made_ahead_are_none(
    campaign: Campaign, tmp_path: Path
) -> None:
    store = CampaignStore(tmp_path / "campaign")
    run_campaign(campaign, store)
    store.texts(2).unlink()
    assert store.verify() == ["00002.texts.parquet is missing"]
    for path in store.shards.glob("00002.answers*"):
        path.unlink()
    assert store.verify() == []


def test_what_failed_is_asked_again_and_nothing_else(
    campaign: Campaign, reference: Path, tmp_path: Path
) -> None:
    store = CampaignStore(tmp_path / "campaign")
    run_campaign(replace(campaign, requests=9), store)
    every = [
        row for name, rows in tables(store.folder).items() if "answers" in name for row in rows
    ]
    assert {row["failure"] for row in every} == {None, "over budget"}
    assert any(row["verdict"] == Verdict.UNANSWERED for row in every)
    before = tables(store.folder)
    again = repeating(store, campaign.models)
    assert len(again.repeated) == sum("answers" in name for name in before)
    with pytest.raises(HinterError):  # a model that cannot be used costs no answer
        run_campaign(replace(campaign, models=("python:no_such_module:model",)), again)
    assert tables(store.folder) == before
    assert repeating(store, ["another model"]).repeated == frozenset()
    run_campaign(campaign, again)
    assert tables(store.folder) == tables(reference)


def test_every_atomic_mutant_and_as_many_neutral_ones_are_tested(
    campaign: Campaign, tmp_path: Path, parses: ParseStore
) -> None:
    path = tmp_path / "texts.csv"
    path.write_text(
        "text\nOn Tuesday the black man ate an apple and a potato.\nA woman left on Monday.\n"
        "The soup was warm.\n"
    )
    wide = replace(campaign, data=str(path), limit=5, atomic=True, placebo=True)
    store = CampaignStore(tmp_path / "campaign")
    run_campaign(wide, store)
    assert store.verify() == []
    texts = read_table(store.texts(0)).to_pylist()
    assert [t["outcome"] for t in texts] == ["tested", "tested", "nothing to test"]
    assert "there is no intersection" in texts[1]["detail"]
    mutants = read_table(store.mutants(0)).to_pylist()
    pipeline = Pipeline(campaign.vocabulary(), parses, [open_store(RULES)], wide.settings)
    for text in texts[:2]:
        mine = [m for m in mutants if m["row"] == text["row"]]
        neutral = [m for m in mine if m["edits"][0]["attribute"].startswith("placebo-")]
        plan = pipeline.plan(text["text"])
        atomic = [m for m in mine if m["order"] == 1 and m not in neutral]
        assert len(atomic) == sum(map(len, plan.edits.values()))
        assert sum(m["order"] == 2 for m in mine if m not in neutral) == len(plan.chosen())
        concepts = {m["edits"][0]["attribute"] for m in neutral if m["order"] == 1}
        if text is texts[0]:
            assert concepts == {"placebo-weekday", "placebo-apple", "placebo-potato"}
            assert 1 <= sum(m["order"] == 2 for m in neutral) <= 5
        else:
            assert concepts == {"placebo-weekday"}
        for mutant in neutral:
            assert all(e["attribute"].startswith("placebo-") for e in mutant["edits"])
    both = replace(wide, models=(RULES, OTHER))
    run_campaign(both, store)
    together = CampaignStore(tmp_path / "together")
    run_campaign(both, together)
    assert tables(store.folder) == tables(together.folder)


def test_hidden_placebo_mutants_are_not_counted_as_reports_do_not(
    campaign: Campaign, tmp_path: Path
) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("text\nOn Tuesday the black man ate an apple.\n")
    brittle = 'scripted:positive if "Tuesday"; positive if "apple"; negative otherwise'
    wide = replace(campaign, data=str(path), limit=None, placebo=True, models=(brittle, RULES))
    store = CampaignStore(tmp_path / "campaign")
    done = run_campaign(wide, store)
    hidden = [row for path in store.shards.glob("*answers*") for row in read_table(path).to_pylist()
              if row["verdict"] == "hidden"]  # fmt: skip
    report = make_report(store)
    assert done.hidden == sum(one.intersectional.verdicts["hidden"] for one in report.models) > 0
    assert len(hidden) > done.hidden


def test_a_later_model_is_not_asked_about_what_it_does_not_see(
    campaign: Campaign, tmp_path: Path
) -> None:
    far = " ".join(["The soup was warm and the bread was fresh."] * 12)
    path = tmp_path / "texts.csv"
    path.write_text(f'text\n"The black man was kind."\n"{far} The black man was kind."\n')
    wide = replace(campaign, data=str(path), limit=None)
    store = CampaignStore(tmp_path / "campaign")
    run_campaign(wide, store)
    short = "hf:" + make_classifier(tmp_path / "tiny", ["no", "yes"], window=16)
    run_campaign(replace(wide, models=(RULES, short)), store)
    answers = read_table(store.answers(0, load_model(short).identity)).to_pylist()
    mutants = read_table(store.mutants(0)).to_pylist()
    judged = [(mutants[a["mutant"]], a) for a in answers if a["mutant"] >= 0]
    kept = {n: [a for m, a in judged if m["kept"] and m["row"] == n] for n in (1, 2)}
    assert {a["failure"] for a in kept[1]} == {None}
    assert {(a["verdict"], a["failure"]) for a in kept[2]} == {("unanswered", "too long")}


def test_what_models_read_does_not_change_the_mutants(campaign: Campaign, tmp_path: Path) -> None:
    far = " ".join(["The soup was warm and the bread was fresh."] * 12)
    path = tmp_path / "texts.csv"
    path.write_text(f'text\n"The black man and the woman left. {far} The black waiter saw her."\n')
    short = "hf:" + make_classifier(tmp_path / "tiny", ["no", "yes"], window=16)
    whole = replace(campaign, data=str(path), limit=None, placebo=True)
    stores = []
    for name, models in {"far": (RULES,), "short": (short,), "both": (short, RULES)}.items():
        store = CampaignStore(tmp_path / name)
        run_campaign(replace(whole, models=models), store)
        stores.append(store)
    made = [read_table(store.mutants(0)).to_pylist() for store in stores]
    assert made[0] == made[1] == made[2]
    # Both places change, and the model reads the first one.
    answers = read_table(stores[1].answers(0, load_model(short).identity)).to_pylist()
    kept = [a for a in answers if a["mutant"] >= 0 and made[1][a["mutant"]]["kept"]]
    visible = load_model(short).visible(read_table(stores[1].texts(0))["text"][0].as_py())
    reads = {
        place: all(min(edit["spans"][1::2]) <= visible for edit in mutant["edits"])
        for place, mutant in enumerate(made[1])
    }
    assert set(reads.values()) == {True, False}
    twice = next(m for m in made[1] if m["edits"][0]["source"] == "Black" and m["order"] == 1)
    assert len(twice["edits"][0]["spans"]) == 4
    assert reads[made[1].index(twice)]
    assert all((a["failure"] is None) is reads[a["mutant"]] for a in kept)

    seen = forecast(plan_run(replace(whole, models=(short,))))
    assert seen.unseen[short] == pytest.approx(1 - sum(reads.values()) / len(reads))
    near = replace(whole, models=(short,), window=40)
    store = CampaignStore(tmp_path / "near")
    run_campaign(near, store)
    ends = {max(e["spans"]) for m in read_table(store.mutants(0)).to_pylist() for e in m["edits"]}
    assert 0 < max(ends) <= 40
    assert forecast(plan_run(near)).unseen == {short: 0.0}


def test_a_renamed_model_is_the_same_and_asked_nothing(campaign: Campaign, tmp_path: Path) -> None:
    first = make_classifier(tmp_path / "tiny", ["no", "yes"])
    store = CampaignStore(tmp_path / "campaign")
    run_campaign(replace(campaign, models=(RULES, f"hf:{first}")), store)
    before = tables(store.folder)
    renamed = Path(first).rename(tmp_path / "renamed")
    done = run_campaign(replace(campaign, models=(f"hf:{renamed}",)), store)
    assert (done.predictions, done.parses) == (0, 0)
    assert set(store.read()["models"]) == {RULES, f"hf:{renamed}"}
    assert tables(store.folder) == before


@pytest.mark.parametrize(
    ("texts", "at_once", "size"),
    [(0, 1, 4), (399, 1, 4), (1_600, 1, 16), (1_600, 10, 16), (1_600, 16, 10), (50_000, 2, 64)],
)
def test_a_shard_is_small_enough_to_share_and_large_enough_to_read(
    texts: int, at_once: int, size: int
) -> None:
    assert shard_size(texts, at_once) == size


def test_a_directory_keeps_its_size_of_shards(data: Path, tmp_path: Path) -> None:
    chosen, store = Campaign(data=str(data), models=(RULES,), **PLAIN), CampaignStore(tmp_path)
    assert plan_run(chosen).size == 4
    assert plan_run(replace(chosen, shard=7), store).shards == 3
    assert plan_run(chosen, store).size == 7
    assert store.campaign().shard == 7
    with pytest.raises(StoreError, match="holds another campaign"):
        plan_run(replace(chosen, shard=8), store)


def test_one_run_at_a_time(campaign: Campaign, tmp_path: Path) -> None:
    store = CampaignStore(tmp_path / "campaign")
    store.open(campaign)
    with store.alone(), pytest.raises(StoreError, match="Another process"):
        run_campaign(campaign, store)


KILLS = int(os.environ.get("HINTER_KILLS", "4" if DEEP else "2"))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_is_killed_goes_on_and_ends_the_same(
    data: Path, reference: Path, tmp_path: Path, workers: int, commands: Commands
) -> None:
    """SIGKILL while it starts and while it writes; every file is whole or not there."""
    folder, rng = tmp_path / "campaign", random.Random(workers)
    shards, whole = folder / "shards", len(tables(reference))
    command = [
        "run", "--data", str(data), "--limit", "6", "--model", RULES, "--workers", str(workers),
        "--shard", "4", "--out", str(folder), "--resume", "--no-atomic", "--no-placebo",
    ]  # fmt: skip

    def written() -> int:
        return len(list(shards.glob("*.parquet")))

    for number in range(KILLS):
        process = commands.start(*command)
        if number == 0:
            time.sleep(rng.uniform(0, 0.5))
        else:
            enough = min(whole, written() + rng.randint(1, 4))
            end = time.monotonic() + 60
            while written() < enough:
                assert time.monotonic() < end
                time.sleep(0.002)
        commands.kill(process)
    assert 0 < written() <= whole
    done = commands.run(*command)
    assert done.code == 0, done.err
    assert tables(folder) == tables(reference)
    assert CampaignStore(folder).verify() == []


def test_a_forecast_counts_what_the_run_then_makes(campaign: Campaign, tmp_path: Path) -> None:
    small = replace(campaign, sample=12, shard=12)
    work = plan_run(small)
    seen = forecast(work)
    assert list(tmp_path.iterdir()) == []
    store = CampaignStore(tmp_path / "campaign")
    done = run_campaign(small, store)
    assert (seen.texts, seen.looked_at) == (12, 12)
    assert sum(seen.mutants.values()) == done.mutants
    outcomes = read_table(store.texts(0))["outcome"].to_pylist()
    assert outcomes.count("tested") == seen.tested
    assert seen.seconds > 0
    assert seen.costs == {}
    assert seen.power.startswith("no text has placebo mutants of order 2, so bias cannot be told")
    assert "add texts with two of these: a day, a number, a given name" in seen.power
    pairs = [one for one in read_table(store.mutants(0)).to_pylist() if one["order"] == 2]
    kept = sum(one["kept"] for one in pairs) / len(pairs)
    assert abs(seen.kept / seen.compared - kept) < 0.15
    assert bool(seen.discard) is (seen.kept < seen.compared)
    every = read_table(store.mutants(0)).to_pylist()
    for name, share in seen.by_attributes.items():
        of_set = [
            one["kept"] for one in every
            if sorted(edit["attribute"] for edit in one["edits"]) == name.split(" + ")
        ]  # fmt: skip
        assert abs(share - sum(of_set) / len(of_set)) < 0.15, name
    assert len(seen.by_attributes) == 3
    assert list(seen.by_attributes.values()) == sorted(seen.by_attributes.values())


def test_workers_of_a_forecast_share_the_cores(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hinter_core.campaign.preview.os.cpu_count", lambda: 2)
    monkeypatch.setattr("hinter_core.campaign.preview._seconds_each", lambda *_: (1e6, 1))
    work = plan_run(replace(campaign, sample=3, workers=8))
    here, elsewhere = (forecast(work, elsewhere=apart).seconds for apart in (False, True))
    assert here / elsewhere == pytest.approx(4, rel=0.01)


def test_a_forecast_says_that_nothing_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "faith.csv"
    path.write_text("text\nThe old Catholic monk was born in 1931. He read the Bible in church.\n")
    seen = forecast(plan_run(Campaign(data=str(path), attributes=("age", "religion"))))
    assert seen.compared > 10
    assert (seen.kept, seen.discard) == (0, "the text contradicts the change elsewhere")


def test_a_forecast_counts_the_rows_that_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    rows = ["The black man left." if n % 15 else '""' for n in range(150)]
    path.write_text("text\n" + "\n".join(rows), encoding="utf-8")
    campaign = Campaign(data=str(path), attributes=("race", "gender"), models=(RULES,), limit=4)
    seen = forecast(plan_run(campaign))
    assert (seen.texts, seen.unusable, seen.usable, seen.counted) == (150, 10, 140, True)
    assert seen.looked_at == seen.tested == 80
    assert seen.mutants[2] == 4 * 140


def test_a_forecast_draws_its_texts_and_counts_repetitions(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"  # what can be changed stands at the end
    late = ["The black man left.", "A white woman smiled."] * 40
    path.write_text("text\n" + "\n".join(["It rained."] * 60 + late), encoding="utf-8")
    campaign = Campaign(data=str(path), attributes=("race", "gender"), models=(RULES,), limit=4)
    seen = forecast(plan_run(campaign))
    assert (seen.texts, seen.looked_at, seen.whole) == (140, 80, False)
    made = run_campaign(campaign, CampaignStore(tmp_path / "campaign")).mutants
    assert made / 2 < sum(seen.mutants.values()) < made * 2
    again = forecast(plan_run(replace(campaign, repeat=3)))
    scaled = round(seen.tested * 140 / 80)
    assert again.predictions == pytest.approx(seen.predictions + 3 * scaled, abs=3)


def test_a_forecast_says_how_many_texts_an_excess_needs(campaign: Campaign) -> None:
    sample = replace(campaign, data="sample", text_column="", label_column="", id_column="")
    sample = replace(sample, attributes=("gender",), order=1)
    sample = replace(sample, sample=30)
    one = forecast(plan_run(replace(sample, placebo=True)))
    found = re.search(
        r"to tell 10 % errors of order 1 from 5 % .* roughly ([\d,]+) texts", one.power
    )
    assert found, one.power
    assert 100 < int(found[1].replace(",", "")) < 5000
    assert forecast(plan_run(replace(sample, placebo=False))).power.startswith("no ")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_refused_model_leaves_no_directory(
    campaign: Campaign, tmp_path: Path, workers: int
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    refused = replace(campaign, models=(f"hf:{empty}",), workers=workers, sample=2)
    with pytest.raises(HinterError, match="empty"):
        run_campaign(
            refused,
            CampaignStore(tmp_path / "campaign"),
            engine=pickled if workers > 1 else None,
        )
    assert list(tmp_path.iterdir()) == [empty]
    if workers > 1:
        return
    # One with tables stays.
    store = CampaignStore(tmp_path / "second")
    run_campaign(replace(campaign, sample=2), store)
    with pytest.raises(HinterError, match="empty"):
        run_campaign(refused, store)
    assert store.known()
