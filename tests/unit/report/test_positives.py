"""True and false positives, and what single changes miss: planted truths, counted exactly."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from hinter_core.campaign.parquet import read_table
from hinter_core.campaign.preview import forecast
from hinter_core.campaign.running.run import plan_run, run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.tables import rows_to_csv
from hinter_core.report.counts import (
    NO_PART_ERRS,
    NO_WHOLE,
    NO_WHOLE_ERRS,
    PART_ERRS,
    PART_UNKNOWN,
    WHOLE_ERRS,
)
from hinter_core.report.formats import flat_rows, plain, to_html, to_markdown
from hinter_core.report.metrics.lattice import Pie
from hinter_core.report.metrics.positives import Positives
from hinter_core.report.model import ModelReport, make_report
from hinter_core.report.section import short_names
from hinter_core.report.sections import sections

FAKE = 'scripted:negative if "whom"; positive otherwise'  # stands in discarded mutants only
WOMAN = 'scripted:negative if "woman"; positive otherwise'
NEVER = 'scripted:negative if "unicorn"; positive otherwise'
HIDDEN = 'scripted:negative if "white" and "woman"; positive otherwise'
MODELS = (FAKE, WOMAN, NEVER)
# In these, the parser reads "whom" as a pronoun: the invariant discards it.
TEXTS = ["The man is very old.", "The woman was too old to drive.", "The man was young and kind."]

Make = Callable[..., CampaignStore]


@pytest.fixture(scope="module")
def without(make: Make) -> CampaignStore:
    return make(TEXTS, ["age", "gender"], 2, *MODELS)


@pytest.fixture(scope="module")
def asked(without: CampaignStore, tmp_path_factory: pytest.TempPathFactory) -> CampaignStore:
    store = CampaignStore(tmp_path_factory.mktemp("asked") / "out")
    run_campaign(replace(without.campaign(), discarded=True), store)
    return store


def rows(store: CampaignStore, model: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each mutant as it is stored, with the model's answer."""
    identity = store.read()["models"][model]["identity"]
    for shard in store.known():
        mutants = read_table(store.mutants(shard)).to_pylist()
        for answer in read_table(store.answers(shard, identity)).to_pylist():
            if answer["mutant"] >= 0:
                yield mutants[answer["mutant"]], answer


def of(store: CampaignStore, name: str) -> ModelReport:
    (model,) = [model for model in make_report(store).models if model.model == name]
    return model


def line(model: ModelReport, name: str) -> Positives:
    (found,) = [p for p in model.positives if p.name == name]
    return found


def test_errors_planted_in_discarded_mutants_are_all_false_positives(asked: CampaignStore) -> None:
    with_it = [
        (mutant, answer)
        for mutant, answer in rows(asked, FAKE)
        if any(edit["target"] == "whom" for edit in mutant["edits"])
    ]
    assert with_it
    assert not any(mutant["kept"] for mutant, _ in with_it)
    model = of(asked, FAKE)
    for name, orders in (("all", {1, 2}), ("atomic", {1}), ("intersectional", {2})):
        planted = sum(len(mutant["edits"]) in orders for mutant, _ in with_it)
        found = line(model, name)
        assert (found.true.hits, found.false.hits) == (0, planted)
        assert (found.fake.hits, found.fake.of) == (planted, planted)
        assert found.without.hits == planted
        assert found.without.of == found.kept + found.discarded  # all were answered
    assert (model.atomic.errors.hits, model.intersectional.errors.hits) == (0, 0)


def test_counts_by_hand(asked: CampaignStore) -> None:
    """Each text turns with its gender, whatever becomes of the age."""
    found = line(of(asked, WOMAN), "gender")
    assert (found.kept, found.discarded, found.true.hits, found.false.hits) == (3, 0, 3, 0)
    both = line(of(asked, WOMAN), "age \u00d7 gender")
    lost = [mutant for mutant, _ in rows(asked, WOMAN) if not mutant["kept"]]
    assert both.discarded == sum(len(mutant["edits"]) == 2 for mutant in lost) > 0
    assert both.false.hits == both.discarded  # each of them changes the gender too
    assert both.true.hits == both.kept
    assert (both.fake.hits, both.fake.of) == (both.discarded, both.discarded + both.kept)


def test_none_planted_none_found(asked: CampaignStore) -> None:
    model = of(asked, NEVER)
    assert all(p.true.hits == p.false.hits == p.fake.of == 0 for p in model.positives)
    assert all(p.asked for p in model.positives if p.discarded)
    assert model.pies == []


def test_a_discarded_mutant_is_no_evidence(without: CampaignStore, asked: CampaignStore) -> None:
    """Verdicts and effects are the same whether discarded mutants are asked or not."""
    for model in MODELS:
        plainly, more = list(rows(without, model)), list(rows(asked, model))
        assert len(plainly) == len(more)
        for (mutant, before), (same, after) in zip(plainly, more, strict=True):
            assert mutant == same
            if mutant["kept"]:
                assert before == after
                assert after["changed"] is (after["verdict"] in ("biased", "hidden"))
            else:
                assert (before["changed"], before["labels"]) == (None, [])
                assert after["changed"] is not None
                assert after["labels"]
                assert before["verdict"] == after["verdict"] == "discarded"
                assert after["shift"] is after["interaction"] is None
        left, right = of(without, model), of(asked, model)
        assert (left.lines, left.truths, left.pies) == (right.lines, right.truths, right.pies)
        assert left.failures == right.failures
        assert not any(p.asked for p in left.positives)


def test_the_switch_makes_another_campaign_and_older_ones_stay(without: CampaignStore) -> None:
    campaign = without.campaign()
    assert campaign.identity() != replace(campaign, discarded=True).identity()
    written = json.dumps(without.read()["campaign"])
    older = {k: v for k, v in json.loads(written).items() if k != "discarded"}
    assert Campaign(**{**older, **lists(older)}).identity() == campaign.identity()


def test_a_model_asked_later_answers_the_same(
    asked: CampaignStore, tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = CampaignStore(tmp_path_factory.mktemp("later") / "out")
    campaign = asked.campaign()
    for model in MODELS:
        run_campaign(replace(campaign, models=(model,)), store)
    assert store.verify() == []
    for model in MODELS:
        assert list(rows(store, model)) == list(rows(asked, model))


def lists(values: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) for name, value in values.items() if isinstance(value, list)}


def test_every_form_says_it(asked: CampaignStore, without: CampaignStore) -> None:
    report = make_report(asked)
    short = short_names(model.model for model in report.models)[FAKE]
    (section,) = [s for s in sections(report) if (s.key, s.model) == ("invariant", short)]
    found = line(of(asked, FAKE), "intersectional")
    (row,) = [row for row in section.rows if row[0] == "intersectional"]
    assert row[1:3] == [f"{found.kept:,}", f"{found.discarded:,}"]
    assert row[5] == f"{found.false.hits} of {found.false.of}"
    assert row[6].startswith("100.0")
    for text in (to_markdown(report), to_html(report)):
        assert "With and without the invariant" in text
        assert "errors would be false" in text
    table = list(csv.DictReader(rows_to_csv(flat_rows(report)).splitlines()))
    (own,) = [r for r in table if (r["model"], r["attributes"]) == (FAKE, "intersectional")]
    assert (int(own["false positives"]), int(own["true positives"])) == (found.false.hits, 0)
    assert plain(report)["models"][0]["positives"][0]["name"] == "all"
    (quiet,) = [
        s for s in sections(make_report(without)) if (s.key, s.model) == ("invariant", short)
    ]
    assert len(quiet.columns) == 4
    assert "--discarded" in quiet.sentences[-1]


def test_the_pies_of_a_hidden_bias(make: Make) -> None:
    """Black man: only both together flip. White man: woman flips, alone and with another race."""
    store = make(["The black man was kind.", "The white man was kind."], ["race", "gender"], 2,
                 HIDDEN)  # fmt: skip
    pies = {(pie.kind, pie.name): pie.slices for pie in of(store, HIDDEN).pies}
    assert pies == {
        ("intersectional", "intersectional"): {NO_PART_ERRS: 1},
        ("atomic", "atomic"): {NO_WHOLE_ERRS: 1},
        ("intersectional", "gender \u00d7 race"): {NO_PART_ERRS: 1},
        ("atomic", "gender"): {NO_WHOLE_ERRS: 1},
    }


def test_the_pies_count_each_error_once(asked: CampaignStore) -> None:
    model = of(asked, WOMAN)
    whole, single = (p for p in model.pies if not p.attributes)
    assert isinstance(whole, Pie)
    assert sum(whole.slices.values()) == model.intersectional.errors.hits
    assert sum(single.slices.values()) == model.atomic.errors.hits
    assert whole.slices == {PART_ERRS: model.intersectional.errors.hits}
    assert single.slices == {WHOLE_ERRS: model.atomic.errors.hits}
    assert PART_UNKNOWN not in whole.slices
    assert NO_WHOLE not in single.slices


def test_a_part_without_a_verdict_is_not_taken_for_benign(make: Make) -> None:
    """A whole whose atomic part was never tested alone: shown as unknown, not as missed."""
    store = make(["The old man was kind."], ["age", "gender"], 2, WOMAN)
    identity = store.read()["models"][WOMAN]["identity"]
    path = store.answers(0, identity)
    import pyarrow
    import pyarrow.parquet as parquet

    table = read_table(path)
    mutants = read_table(store.mutants(0)).to_pylist()
    lost = {
        place for place, mutant in enumerate(mutants)
        if [edit["target"] for edit in mutant["edits"]] == ["woman"]
    }  # fmt: skip
    assert len(lost) == 1
    verdicts = [
        "unanswered" if row["mutant"] in lost else row["verdict"] for row in table.to_pylist()
    ]
    place = table.schema.get_field_index("verdict")
    parquet.write_table(table.set_column(place, "verdict", pyarrow.array(verdicts)), path)
    (pie,) = [p for p in of(store, WOMAN).pies if not p.attributes]
    assert (pie.kind, set(pie.slices)) == ("intersectional", {PART_UNKNOWN})


def test_an_estimate_times_the_discarded_too(without: CampaignStore) -> None:
    campaign = replace(without.campaign(), models=(NEVER,), discarded=True)
    seen = forecast(plan_run(campaign))
    mutants = sum(1 for _ in rows(without, NEVER))
    assert sum(seen.mutants.values()) == mutants
