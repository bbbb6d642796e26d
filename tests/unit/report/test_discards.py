"""Shares of discarded mutants by group, and what is said where they differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.model import make_report
from hinter_core.report.mutants.discards import GroupDiscards, discards_sections, uneven_discards

TEXTS = ["An Irish clerk met us.", "The young Irish teacher smiled.", "An Irish boy left."]


def of(*found: tuple[str, int, int]) -> list[GroupDiscards]:
    return [GroupDiscards("race", group, made, lost) for group, made, lost in found]


def test_groups_far_apart_are_named() -> None:
    (pair,) = uneven_discards(of(("a", 200, 104), ("b", 200, 24), ("c", 200, 60)))
    assert [one.group for one in pair] == ["a", "b"]
    (section,) = discards_sections(of(("a", 200, 104), ("b", 200, 24)))
    assert (
        "words of a are discarded in 52\u00a0% of mutants, those of b in 12\u00a0%"
        in section.sentences[1]
    )
    assert section.rows[0] == ["race", "a", "200", "104", "0", "52.0\u00a0%"]


@pytest.mark.parametrize(
    "found",
    [
        of(("a", 200, 30), ("b", 200, 20)),  # less than twice
        of(("a", 5, 3), ("b", 5, 1)),  # by chance
        of(("a", 2000, 80), ("b", 2000, 0)),  # seldom
        of(("a", 10, 0), ("b", 10, 0)),
    ],
)
def test_groups_close_together_are_not(found: list[GroupDiscards]) -> None:
    assert not uneven_discards(found)


def test_nothing_is_reported_without_a_discarded_mutant() -> None:
    assert not discards_sections(of(("a", 10, 0)))


def test_a_campaign_counts_them(tmp_path: Path) -> None:
    data = tmp_path / "texts.csv"
    data.write_text("text\n" + "\n".join(f'"{text}"' for text in TEXTS) + "\n", encoding="utf-8")

    def found(invariant: str) -> dict[str, tuple[int, int]]:
        store = CampaignStore(tmp_path / invariant)
        campaign = Campaign(
            data=str(data), attributes=("race",), order=1, invariant=invariant,
            models=("vader",),
        )  # fmt: skip
        run_campaign(campaign, store)
        return {
            f"{d.attribute} {d.group}": (d.made, d.discarded) for d in make_report(store).discards
        }

    published, even = found("published"), found("even-handed")
    assert len(published) > 5
    assert not any(name.startswith("placebo") for name in published)
    assert sum(lost for _, lost in published.values()) > 0
    assert sum(lost for _, lost in even.values()) == 0
    assert {name: made for name, (made, _) in published.items()} == {
        name: made for name, (made, _) in even.items()
    }


def test_soft_mutants_are_counted_apart(tmp_path: Path) -> None:
    data = tmp_path / "texts.csv"
    data.write_text(
        "text\nThe Irish girl came from Ireland.\nAn Irish boy left.\n", encoding="utf-8"
    )

    def lost(*, keep: bool) -> tuple[int, int]:
        store = CampaignStore(tmp_path / str(keep))
        campaign = Campaign(
            data=str(data), attributes=("race",), order=1, models=("vader",), keep_soft=keep
        )
        run_campaign(campaign, store)
        own = make_report(store).discards
        return sum(one.discarded for one in own), sum(one.soft for one in own)

    discarded, soft = lost(keep=False)
    assert discarded == soft > 0
    assert lost(keep=True) == (0, 0)
