"""Intersections of one person and of two people: told apart in tables, reports and exports."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from hinter_core.campaign.findings import (
    ExportFilter,
    FindingFilter,
    Side,
    choose_sides,
    write_findings,
    write_mutants,
)
from hinter_core.campaign.progress import APART, ProgressReader
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.compared.comparison import compare
from hinter_core.report.metrics.examples import example_row
from hinter_core.report.model import Report, make_report
from hinter_core.report.page.opening import opening
from hinter_core.report.sections import sections
from hinter_ui.results.html import cards, comparison, examples

# Flips where a woman is named and somebody is white: of one person, or of two.
MODEL = "scripted:negative if race=white and gender=female; positive otherwise"
TEXTS = [
    "A Black man thanked the clerk.",
    "The Black tenant met a man.",
    "A Black man and his wife bought a house.",
    "It rained all day.",
    "The waiter met a Black man.",
]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, CampaignStore]:
    folder = tmp_path_factory.mktemp("people")
    (folder / "texts.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    campaign = Campaign(
        data=str(folder / "texts.txt"), attributes=("race", "gender"), models=(MODEL,),
        placebo=True,
    )  # fmt: skip
    made = {}
    for across in (False, True):
        made[across] = CampaignStore(folder / str(across))
        run_campaign(replace(campaign, across_people=across), made[across])
    return made


def told(store: CampaignStore) -> list[tuple[int, int, bool | None, bool]]:
    """Row, changes, whether of two people, whether neutral."""
    with CampaignReader(store) as reader:
        return [
            (one.row, one.order, one.across_people, one.attributes[0].startswith("placebo"))
            for one in reader.records()
        ]


def test_by_default_all_intersections_are_of_one_person(stores: dict[bool, CampaignStore]) -> None:
    found = told(stores[False])
    assert {row for row, order, *_ in found if order == 2} == {1, 3, 5}
    assert {across for *_, across, neutral in found if not neutral} == {False}
    assert {across for *_, across, neutral in found if neutral} <= {None}


def test_across_people_adds_mutants_and_takes_none(stores: dict[bool, CampaignStore]) -> None:
    one, every = (told(stores[way]) for way in (False, True))
    pairs = [(row, across) for row, order, across, neutral in every if order == 2 and not neutral]
    assert set(pairs) == {(row, row == 2) for row in (1, 2, 3, 5)} | {(3, True), (5, True)}
    alone = sum(order == 2 and not neutral for _, order, _, neutral in one)
    assert sum(not across for _, across in pairs) == alone


def rates(report: Report) -> dict[bool, tuple[int, int, int]]:
    (model,) = report.models
    return {one.across: (one.mutants, one.errors.hits, one.hidden.hits) for one in model.by_people}


def test_a_report_has_rates_of_one_person_and_of_two_apart(
    stores: dict[bool, CampaignStore],
) -> None:
    assert rates(make_report(stores[False])) == {}
    report = make_report(stores[True])
    (model,) = report.models
    found = rates(report)
    assert set(found) == {False, True}
    line = model.intersectional
    assert sum(own[0] for own in found.values()) == line.mutants
    assert sum(own[1] for own in found.values()) == line.errors.hits
    assert all(hidden > 0 for _, _, hidden in found.values())
    (section,) = (one for one in sections(report) if one.key == "across-people")
    assert [row[0] for row in section.cells] == ["one person", "two people"]


def test_examples_are_of_one_person_first_and_say_which_are_of_two(
    stores: dict[bool, CampaignStore], tmp_path: Path
) -> None:
    report = make_report(stores[True])
    (model,) = report.models
    apart = [bool(example["across_people"]) for example in model.examples]
    # Of each text one; the fifth has hidden bias of two people, and later of one.
    assert apart == [False, False, True]
    assert [example["row"] for example in model.examples] == [1, 5, 2]
    rows = [example_row(example)["hidden"] for example in model.examples]
    assert ["two people" in row for row in rows] == apart
    assert examples(opening(report)).count("two people") == 1
    assert "two people" not in examples(opening(make_report(stores[False])))
    never = CampaignStore(tmp_path)
    campaign = replace(stores[True].campaign(), models=(MODEL, "scripted:positive otherwise"))
    run_campaign(campaign, never)
    found = compare(*choose_sides(never, None, list(campaign.models)))
    assert {change["across_people"] for change in found.changes} == {False, True}
    assert "two people" in comparison(found)


def test_exports_say_of_how_many_people_a_mutant_is(
    stores: dict[bool, CampaignStore], tmp_path: Path
) -> None:
    store = stores[True]
    with (tmp_path / "findings.csv").open("w", newline="") as stream:
        write_findings(Side(store, MODEL), FindingFilter(("hidden",)), stream)
    with (tmp_path / "findings.csv").open(newline="") as stream:
        found = {(row["row"], row["across people"]) for row in csv.DictReader(stream)}
    assert ("1", "no") in found
    assert ("2", "yes") in found
    write_mutants(store, tmp_path / "mutants.jsonl", ExportFilter())
    lines = [json.loads(line) for line in (tmp_path / "mutants.jsonl").open()]
    assert {row["across people"] for row in lines if row["order"] == 2 and row["row"] == 2} >= {
        "yes"
    }


def test_a_directory_from_before_goes_on_with_all_pairs(
    stores: dict[bool, CampaignStore], tmp_path: Path
) -> None:
    campaign = replace(stores[True].campaign(), data=stores[True].campaign().data)
    store = CampaignStore(tmp_path / "old")
    run_campaign(campaign, store)
    noted = json.loads((store.folder / "campaign.json").read_text())
    del noted["campaign"]["across_people"]
    (store.folder / "campaign.json").write_text(json.dumps(noted))
    assert store.campaign().across_people is True
    before = told(store)
    run_campaign(replace(campaign, across_people=False), store)  # the default of today
    assert told(store) == before


def test_progress_and_cards_count_two_people_apart(stores: dict[bool, CampaignStore]) -> None:
    for across, store in stores.items():
        hidden = [verdict for *_, verdict in _hidden(store)]
        seen = ProgressReader().look(store, (MODEL,), 0.0)
        assert (seen.hidden(), seen.hidden(APART)) == (hidden.count(False), hidden.count(True))
        assert bool(seen.hidden(APART)) == across
        shown = cards(opening(make_report(store)))
        assert ("Two people:" in shown) == ("One person:" in shown) == across


def _hidden(store: CampaignStore) -> list[tuple[int, bool | None]]:
    with CampaignReader(store) as reader:
        return [
            (one.row, one.across_people)
            for one in reader.records()
            if one.answers[MODEL].verdict == "hidden"
            and not one.attributes[0].startswith("placebo")
        ]
