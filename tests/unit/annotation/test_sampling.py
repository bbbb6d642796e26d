"""Drawing a campaign's mutants for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from hinter_core.annotation.items import Draw, sample_campaign
from hinter_core.annotation.project.types import AnnotationError
from hinter_core.campaign.findings import FindingFilter, Side, count_findings, find
from hinter_core.campaign.store import CampaignStore

TEXTS = [
    "A tall old black man ate soup.", "The old white woman slept.", "A young black man sang.",
    "The young Syrian woman and the old man met.",
]  # fmt: skip


@pytest.fixture(scope="module")
def store(make: Callable[..., CampaignStore]) -> CampaignStore:
    return make(TEXTS, ["race", "gender", "age"], 2, "vader", "scripted:screening")


def side_of(store: CampaignStore, model: str) -> Side:
    return Side(store, model, store.read()["models"][model]["identity"])


def test_all_of_a_small_campaign(store: CampaignStore) -> None:
    items = sample_campaign(store, Draw(10_000))
    side = side_of(store, "vader")
    assert len(items) == sum(many for _, many in count_findings(side, FindingFilter()))
    for item in items:
        found = find(side, item.origin["shard"], item.origin["place"])
        assert found is not None
        assert (item.mutant, item.source, item.edits) == (found.mutant, found.text, found.edits)
        assert item.verdicts["vader"] == found.verdict
        assert item.kept == (found.verdict != "discarded")
        assert item.weight == 1.0
    assert len({item.id for item in items}) == len(items)


def test_a_sample_is_balanced_and_weighs_what_it_stands_for(store: CampaignStore) -> None:
    whole = Counter(item.stratum for item in sample_campaign(store, Draw(10_000)))
    many = 2 * len(whole)
    items = sample_campaign(store, Draw(many, seed=3))
    drawn = Counter(item.stratum for item in items)
    assert len(items) == min(many, sum(whole.values()))
    assert drawn.keys() == whole.keys()
    most = max(drawn.values())
    assert all(drawn[name] in (most, most - 1, whole[name]) for name in whole)
    assert sum(item.weight for item in items) == pytest.approx(sum(whole.values()))
    assert items == sample_campaign(store, Draw(many, seed=3))
    assert any(not item.kept for item in items)


def test_only_what_is_asked_for(store: CampaignStore) -> None:
    items = sample_campaign(store, Draw(50, attributes=(("race", "gender"),)))
    assert {frozenset(item.attributes) for item in items} == {frozenset({"race", "gender"})}
    kinds = ("discarded: part of speech", "discarded: dependency relation")
    gone = sample_campaign(store, Draw(50, outcomes=kinds))
    assert {item.layer for item in gone} <= {"part of speech", "dependency relation"}
    assert not any(item.kept for item in gone)
    with pytest.raises(AnnotationError, match="no mutants of that kind"):
        sample_campaign(store, Draw(5, attributes=(("size",),)))
