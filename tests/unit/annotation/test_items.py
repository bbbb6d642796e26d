"""Items drawn from a campaign or a check, and the invariant on imported pairs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from hinter_core.annotation.items import (
    OUTCOMES,
    conform_pairs,
    fill_invariant,
    items_of_check,
    labels_of_campaign,
    labels_of_file,
    sample_campaign,
)
from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.store import AnnotationStore
from hinter_core.annotation.project.types import AnnotationError, AnnotationItem, Project
from hinter_core.campaign.findings import FindingFilter, Side, find
from hinter_core.campaign.reader import CampaignReader
from hinter_core.campaign.store import CampaignStore
from hinter_core.language.parsing import ParseStore
from hinter_core.pipeline.case import TestResult
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import GrammaticalForm, Layer, Sense, Term, Verdict
from hinter_core.validity.draw import strata
from tests.conftest import MakePipeline
from tests.findings import many

SOURCE = "The waiter thanked his guests. It rained."
PAIRS = [
    AnnotationItem("same", "The cook thanked his guests. It rained.", SOURCE),
    AnnotationItem("tag", "The waiter thanked him guests. It rained.", SOURCE),
    AnnotationItem("count", "The waiter thanked his guests. It rained. It snowed.", SOURCE),
    AnnotationItem("alone", "The waiter slept."),
    AnnotationItem("asked", "The waiter thanked him guests. It rained.", SOURCE, kept=True),
    AnnotationItem("nothing", "...", SOURCE),
]


def test_pairs_are_held_against_each_other(fresh_parses: ParseStore) -> None:
    found = {item.id: item for item in conform_pairs(PAIRS, fresh_parses)}
    assert list(found) == [item.id for item in PAIRS]
    assert {name: (item.kept, item.layer) for name, item in found.items()} == {
        "same": (True, ""), "tag": (False, Layer.POS.value), "count": (False, "sentence count"),
        "alone": (None, ""), "asked": (True, ""), "nothing": (None, ""),
    }  # fmt: skip
    assert "him" in found["tag"].reason
    assert fresh_parses.parsed == 3  # what differs, each sentence once


def test_a_project_is_filled_once(tmp_path: Path, fresh_parses: ParseStore) -> None:
    project = Project("Trial", default_questions()[1])
    store, _ = AnnotationStore.create(tmp_path / "p.sqlite", project)
    store.add([item for item in PAIRS if item.id != "asked"])
    store.remove("count")
    assert fill_invariant(store, fresh_parses) == (1, 1)
    assert [(item.id, item.kept) for item in store.items()] == [
        ("same", True), ("tag", False), ("alone", None), ("nothing", None),
    ]  # fmt: skip
    asked = fresh_parses.asked
    assert fill_invariant(store, fresh_parses) == (0, 0)
    assert fresh_parses.asked == asked


@pytest.fixture
def check(race: Dictionary, gender: Dictionary, make_pipeline: MakePipeline) -> TestResult:
    # "whom" fits no sentence here, so that the invariant has something to discard.
    words = {"old": "older", "young": "young", "whom": "none"}
    odd = Dictionary(
        "age",
        tuple(Term(w, g, GrammaticalForm.ADJECTIVE, "a", Sense.ASK) for w, g in words.items()),
    )
    pipeline = make_pipeline(
        [race, gender, odd], "scripted:bad if race=white and gender=female; good otherwise", order=2
    )
    return pipeline.check("The old black man was kind.")


def test_items_of_a_check_are_balanced_over_what_became_of_them(check: TestResult) -> None:
    (model,) = check.outcomes
    whole = items_of_check(check, 10_000)
    assert len(whole) == len(check.mutants)
    assert Counter(item.verdicts[model] for item in whole) == Counter(
        judged.verdict.value for judged in check.outcomes[model]
    )
    assert all(item.weight == 1.0 for item in whole)
    assert len({item.id for item in whole}) == len(whole)
    judged = {tuple(j.mutant.edits): j for j in check.outcomes[model]}
    for item in whole:
        one = judged[item.edits]
        assert (item.mutant, item.kept) == (one.mutant.text, one.conformance.kept)
        assert item.source == check.plan.text
    strata = Counter(item.stratum for item in whole)
    assert any("discarded: " in stratum for stratum in strata)
    assert "gender+race: hidden" in strata
    drawn = items_of_check(check, len(strata), seed=1)
    assert Counter(item.stratum for item in drawn) == dict.fromkeys(strata, 1)
    assert sum(item.weight for item in drawn) == pytest.approx(len(whole))
    assert drawn == items_of_check(check, len(strata), seed=1)


def test_items_have_the_grades_of_the_validity_score(
    check: TestResult, store: CampaignStore
) -> None:
    for items in (items_of_check(check, 10_000), sample_campaign(store, 10_000)):
        for item in items:
            grades = (item.validity, item.soft, item.unfair)
            assert sum(grades) == pytest.approx(1, abs=0.002)  # type: ignore[arg-type]
            assert json.loads(item.to_json())["unfair"] == item.unfair
        assert len({item.soft for item in items}) > 1
    assert {item.across_people for item in sample_campaign(store, 10_000)} == {False, True}


def test_items_of_projects_before_the_grades_are_read() -> None:
    stored = json.loads(AnnotationItem("a", "She ate.", "He ate.", validity=0.9).to_json())
    for name in ("soft", "unfair", "across_people"):
        del stored[name]
    item = AnnotationItem.from_json(json.dumps(stored))
    assert (item.validity, item.soft, item.unfair) == (0.9, None, None)


def test_only_the_outcomes_that_are_wanted(check: TestResult) -> None:
    hidden = items_of_check(check, outcomes=("hidden",))
    assert {name for item in hidden for name in item.verdicts.values()} == {Verdict.HIDDEN}
    assert {item.stratum.partition(": ")[2] for item in items_of_check(check)} <= set(OUTCOMES)
    with pytest.raises(AnnotationError, match="no such mutants"):
        items_of_check(check, outcomes=("unanswered",))


def test_only_mutants_of_the_validity_that_is_wanted(
    check: TestResult, store: CampaignStore
) -> None:
    for draw in (
        lambda least: items_of_check(check, 10_000, validity=least),
        lambda least: sample_campaign(store, 10_000, validity=least),
    ):
        every = draw(0.0)
        scores = sorted({item.validity for item in every})
        assert 0 < scores[0] < scores[-1] < 1
        least = (scores[0] + scores[-1]) / 2
        assert [item.id for item in draw(least)] == [i.id for i in every if i.validity >= least]


TEXTS = [
    "A tall old black man ate soup.", "The old white woman slept.", "A young black man sang.",
    "The young Syrian woman and the old man met.",
]  # fmt: skip


@pytest.fixture(scope="module")
def store(make: Callable[..., CampaignStore]) -> CampaignStore:
    return make(TEXTS, ["race", "gender", "age"], 2, "vader", "scripted:screening")


def side_of(store: CampaignStore, model: str) -> Side:
    return Side(store, model)


@pytest.mark.slow
def test_all_of_a_small_campaign(store: CampaignStore) -> None:
    items = sample_campaign(store, 10_000)
    side = side_of(store, "vader")
    assert len(items) == many(side, FindingFilter())
    for item in items:
        found = find(side, item.origin["shard"], item.origin["place"])
        assert found is not None
        assert (item.mutant, item.source, item.edits) == (found.mutant, found.text, found.edits)
        assert item.verdicts["vader"] == found.verdict
        assert item.kept == (found.verdict != "discarded")
        assert item.weight == 1.0
    assert len({item.id for item in items}) == len(items)


def test_a_sample_is_balanced_and_weighs_what_it_stands_for(store: CampaignStore) -> None:
    whole = Counter(item.stratum for item in sample_campaign(store, 10_000))
    many = 2 * len(whole)
    items = sample_campaign(store, many, seed=3)
    drawn = Counter(item.stratum for item in items)
    assert len(items) == min(many, sum(whole.values()))
    assert drawn.keys() == whole.keys()
    assert sum(item.weight for item in items) == pytest.approx(sum(whole.values()))
    assert items == sample_campaign(store, many, seed=3)
    assert any(not item.kept for item in items)


def test_a_stratum_names_a_mutant_of_each_text_before_a_second_one(store: CampaignStore) -> None:
    with CampaignReader(store) as reader:
        every = strata(reader, 10_000, seed=2)
        few = strata(reader, 2, seed=2)
    for name, stratum in every.items():
        texts = Counter(one.text for one in stratum.best)
        assert {one.text for one in stratum.best[: len(texts)]} == texts.keys()
        assert all(one.of_text == texts[one.text] for one in stratum.best)
        assert few[name].best == stratum.best[:2]


def test_only_what_is_asked_for(store: CampaignStore) -> None:
    items = sample_campaign(store, 50, attributes=(("race", "gender"),))
    assert {frozenset(item.attributes) for item in items} == {frozenset({"race", "gender"})}
    kinds = ("discarded: part of speech", "discarded: dependency relation")
    gone = sample_campaign(store, 50, outcomes=kinds)
    assert {item.layer for item in gone} <= {"part of speech", "dependency relation"}
    assert not any(item.kept for item in gone)
    with pytest.raises(AnnotationError, match="no mutants of that kind"):
        sample_campaign(store, 5, attributes=(("size",),))


def test_the_labels_of_the_data_are_offered(
    make: Callable[..., CampaignStore], store: CampaignStore, tmp_path: Path
) -> None:
    labelled = make(
        dict(zip(TEXTS, ("good", "bad", "good", ""), strict=True)), ["race"], 1, "vader"
    )
    assert labels_of_campaign(labelled) == ["bad", "good"]
    assert labels_of_campaign(store) == []
    path = tmp_path / "rows.csv"
    path.write_text("text,Label\nHe left.,left\nShe came.,came\n", encoding="utf-8")
    assert labels_of_file(path) == ["came", "left"]
    path.write_text("text,label\n" + "".join(f"He left.,{n}\n" for n in range(10)), "utf-8")
    assert labels_of_file(path) == []  # no labels, but numbers
