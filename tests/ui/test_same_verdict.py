"""A finding of every kind of campaign has the same verdict in Explore, also through its link."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from hinter_core.campaign.reader import CampaignReader, MutantRecord
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_ui.explore.actions import ExploreActions
from hinter_ui.explore.state import ExploreState
from hinter_ui.shared.access import Access
from hinter_ui.shared.links import ExploreForm, explore_form
from hinter_ui.shared.services import Services
from hinter_ui.shared.session import Session

PLANTED = (
    "scripted:negative if gender=female and race=black; negative if race=white; positive otherwise"
)
TEXTS = [
    "The white man told a Black waiter about Nigeria, and his wife paid the Asian nun.",
    "A young Japanese actor from Tokyo met his father; the Danish queen smiled at the waitress.",
    "It was a black comedy about a white actress. She thanked the old steward and his son.",
]
KINDS: dict[str, dict[str, Any]] = {
    "usual": {},
    "published": {"invariant": "published"},
    "valid": {"validity": 0.8, "keep_soft": True},
    "less-valid": {"validity": 0.4},
    "literal": {"literal": True},
    "literal-before": {"literal": True, "verbatim": False},
    "one-word": {"coherent": False},
    "soft": {"keep_soft": True, "across_people": True},
    "window": {"window": 60},
    "added": {"relations": ("add", "substitute"), "seed": 5},
    "order-3": {"order": 3, "attributes": ("race", "gender", "age")},
    "templates": {"keep_soft": True},
    "templates-valid": {"validity": 0.7, "invariant": "published"},
    "grammar": {"validity": 0.5},
}
SLOTTED = '{"text": "«name:full» told us that «pronoun:subject» is «a» «occupation»."}\n'


def campaign_of(kind: str, folder: Path) -> Campaign:
    settings: dict[str, Any] = {"limit": 12, "placebo": False, "models": (PLANTED,), "shard": 2}
    if kind == "grammar":
        settings |= {"grammar": "feelings", "sentences": 3}
    elif kind.startswith("templates"):
        (folder / "t.jsonl").write_text(SLOTTED, encoding="utf-8")
        settings |= {"templates": str(folder / "t.jsonl"), "names_per_class": 3}
    else:
        (folder / "t.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in TEXTS))
        settings |= {"data": str(folder / "t.jsonl")}
    return Campaign(**settings | KINDS[kind])


def spread(records: list[MutantRecord], most: int) -> list[MutantRecord]:
    """Some of each verdict."""
    by_verdict: dict[str, list[MutantRecord]] = {}
    for record in records:
        by_verdict.setdefault(record.verdict, []).append(record)
    return [
        one for found in by_verdict.values() for one in found[:: max(1, len(found) // most)][:most]
    ]


@pytest.fixture(scope="module")
def services() -> Services:
    return Services(Access(local=True))


@pytest.mark.parametrize("kind", KINDS)
def test_a_finding_has_the_same_verdict_in_explore(
    kind: str, services: Services, tmp_path: Path
) -> None:
    store = CampaignStore(tmp_path / "out")
    run_campaign(campaign_of(kind, tmp_path), store)
    campaign = store.campaign()
    explore, known = ExploreActions(services), services.dictionaries()
    with CampaignReader(store, (PLANTED,)) as reader:
        records = list(reader.records())
    assert records
    for record in spread(records, 2):
        form = explore_form(campaign, known, record.row, record.text, record.edits, PLANTED)
        linked = ExploreForm.from_query(dict(parse_qsl(form.query(), keep_blank_values=True)))
        assert linked == form
        session = Session()
        check = explore.check(session, linked)
        place = session.of(ExploreState).selected
        assert place is not None
        assert check.mutants[place].text == record.mutant
        assert check.outcomes[PLANTED][place].verdict.value == record.verdict


def test_the_settings_make_a_difference_to_these_texts(tmp_path: Path) -> None:
    """Otherwise the test above would pass whatever a link forgets."""
    told = {}
    for kind in ("usual", "published", "valid", "soft", "one-word"):
        (tmp_path / kind).mkdir()
        store = CampaignStore(tmp_path / kind / "out")
        run_campaign(campaign_of(kind, tmp_path / kind), store)
        with CampaignReader(store, (PLANTED,)) as reader:
            told[kind] = {
                (one.text, frozenset((e.source.text, e.target.text) for e in one.edits)):
                (one.mutant, one.verdict) for one in reader.records()
            }  # fmt: skip
    usual = told.pop("usual")
    for kind, found in told.items():
        assert any(usual[key] != found[key] for key in usual.keys() & found.keys()), kind
