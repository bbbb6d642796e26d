"""Cases of a stored campaign, and orders replayed on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy
import pytest

from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import InputError
from hinter_core.prioritisation.cases import EditWords
from hinter_core.prioritisation.metrics import COSINE, LEXICAL, TextScorer
from hinter_core.replays.answered import read_cases
from hinter_core.replays.arms import ARMS
from hinter_core.replays.replays import ORDERS, ReplaySettings, replay_orders
from hinter_core.replays.report import (
    FORMS,
    figures_of,
    replay_sections,
    replay_values,
)

Make = Callable[..., CampaignStore]
TEXTS = [f"The {word} black man was old." for word in ("tall", "kind", "poor", "calm")]
BIASED = 'scripted:negative if "Syrian"; positive otherwise'
FAIR = "scripted:positive otherwise"


@pytest.fixture(scope="module")
def store(make: Make) -> CampaignStore:
    return make(TEXTS, ["race", "gender", "age"], 3, BIASED, FAIR)


def test_cases_are_the_kept_mutants(store: CampaignStore) -> None:
    found = read_cases(store)
    assert found.model == BIASED
    assert set(found.sources.values()) == set(TEXTS)
    assert {len(case.edits) for case in found.cases} >= {2, 3}
    for case, fault, text in zip(found.cases, found.faults, found.follow_ups(), strict=True):
        assert case.relation == "substitute"
        assert fault == ("Syrian" in text)
        assert fault == any(edit.target == "Syrian" for edit in case.edits)
    edits = {edit for case in found.cases for edit in case.edits}
    assert EditWords("race", "black", "Syrian", "dark", "syrian") in edits
    assert found.texts.tolist() == [case.text for case in found.cases]


def test_what_cannot_be_compared_is_refused(
    store: CampaignStore, make: Make, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="every order is as good as another"):
        read_cases(store, FAIR)
    with pytest.raises(InputError, match="has no answers of 'vader'"):
        read_cases(store, "vader")
    with pytest.raises(InputError, match="two texts or more"):
        read_cases(make(TEXTS[:1], ["race", "gender"], 2, BIASED))
    with pytest.raises(InputError, match="'nothing' is no order"):
        ReplaySettings(("nothing",))
    for bad in ({"seeds": 0}, {"budget": 0}, {"level": "x"}, {"below": 2.0}):
        with pytest.raises(InputError, match=r"\.$"):
            ReplaySettings(**bad)  # type: ignore[arg-type]


def test_an_unfinished_campaign_is_refused(make: Make) -> None:
    store = make(TEXTS, ["race", "gender"], 2, BIASED)
    path = next(iter(store.shards.glob("00001.answers-*.parquet")))
    path.unlink()
    with pytest.raises(InputError, match=r"unfinished \(1 of 2 shards .* --resume"):
        read_cases(store)


def test_orders_are_replayed_and_written(store: CampaignStore) -> None:
    answered = read_cases(store)
    found = replay_orders(
        answered, ReplaySettings(seeds=4, below=0.02), lambda: [COSINE, LEXICAL], {"cosine": 2}
    )
    assert [one.name for one in found.orders] == list(ORDERS)
    by_name = {one.name: one for one in found.orders}
    assert by_name["fault-based"].measures["first"].value == 1
    assert by_name["fault-based"].measures["most"].value == found.population.needed
    for one in found.orders:
        assert one.faults[:, -1].tolist() == [1, 1, 1]
        assert (numpy.diff(one.faults[0]) >= 0).all()
        assert one.certainty is not None
        assert one.certainty.below == 0
    sections = replay_sections(found)
    assert [section.key for section in sections] == ["orders", "certainty", "diversity"]
    assert [row[0] for row in sections[0].rows] == ["random (expected)", *ORDERS]
    assert len(figures_of(found)) == 2
    values = json.loads(json.dumps(replay_values(found)))
    assert values["orders"]["adaptive"]["most"]["value"] > 0
    page = FORMS[".html"](found)
    assert page.count('role="img"') == 2
    assert "random (expected)" in page


def test_arms_and_budgets(store: CampaignStore) -> None:
    answered = read_cases(store)
    found = replay_orders(
        answered, ReplaySettings(seeds=2, level="arm", arm="words"), lambda: [COSINE]
    )
    assert found.expected is None
    assert len(found.ranking) > 5
    assert [one.name for one in found.orders] == [n for n in ORDERS if n != "adaptive-texts"]
    for one in found.orders:
        assert one.by_arm is not None
        assert one.by_arm.shape == (3, len(found.ranking))
    best = {one.name: one.by_arm[0, 0] for one in found.orders if one.by_arm is not None}
    assert best["fault-based"] == max(best.values())
    assert len(figures_of(found)) == 3
    rows = {row[0]: row for row in replay_sections(found)[1].cells}
    assert list(rows) == [arm.name for arm in found.ranking][:100]
    short = replay_orders(answered, ReplaySettings(("random", "adaptive"), 2, budget=3))
    assert short.pairs.tolist() == [1, 2, 3]
    for one in short.orders:
        assert one.measures["apfd"].value is None
    assert "stops after 3 pairs" in " ".join(replay_sections(short)[0].sentences)


def test_arms_are_ranked_by_their_mean_score(store: CampaignStore) -> None:
    answered = read_cases(store)
    settings = ReplaySettings(
        ("random", "levenshtein", "diversity", "fault-based"), 2, level="arm", arm="attributes"
    )
    found = replay_orders(answered, settings, lambda: [COSINE])
    cosine = COSINE.score(
        [answered.sources[case.text] for case in answered.cases], answered.follow_ups()
    )
    names = [ARMS["attributes"](case) for case in answered.cases]
    means = {
        arm: numpy.mean(cosine[[name == arm for name in names]]).round(9)
        for arm in sorted(set(names))
    }
    assert [one.name for one in found.ranking] == sorted(means, key=lambda arm: -means[arm])
    for one in found.ranking:
        cases = [i for i, name in enumerate(names) if name == one.name]
        assert one.scores["diversity"] == pytest.approx(means[one.name])
        assert list(one.places) == ["diversity", "levenshtein", "fault-based"]
        assert one.places["diversity"] == 1 + sum(m > means[one.name] for m in means.values())
        assert (one.pairs, one.faults) == (len(cases), answered.faults[cases].sum())
        assert one.texts == len({answered.cases[i].text for i in cases if answered.faults[i]})
    section = next(one for one in replay_sections(found) if one.key == "ranking")
    assert section.columns[3:6] == ["FDR", "Texts with a fault", "FDS"]
    assert [row[0] for row in section.cells] == [one.name for one in found.ranking]
    assert found.ranking[0].name in FORMS[".html"](found)
    values = json.loads(FORMS[".json"](found))
    assert values["arms"] == len(values["ranking"]) == len(means)
    first = values["ranking"][0]
    assert first["fdr"] == first["faults"] / first["pairs"]
    curves = values["orders"]["diversity"]
    assert curves["ranks"] == curves["sources by arm"]
    # A budget cuts the replays short, not the scores.
    short = replay_orders(answered, replace(settings, budget=3), lambda: [COSINE])
    assert [one.name for one in short.ranking] == [one.name for one in found.ranking]
    assert list(short.ranking[0].places) == ["diversity", "levenshtein"]


def test_equal_scores_are_no_order(store: CampaignStore) -> None:
    flat = TextScorer("flat", lambda texts, first, second: numpy.zeros(len(first)))
    with pytest.raises(InputError, match="same diversity by flat"):
        replay_orders(read_cases(store), ReplaySettings(("diversity",), 1), lambda: [flat])
