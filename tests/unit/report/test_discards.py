"""Shares of discarded mutants by group, and what is said where they differ."""

from __future__ import annotations

from pathlib import Path

import pytest

import hinter_core as hinter
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.formats import to_html
from hinter_core.report.model import make_report
from hinter_core.report.mutants.discards import (
    GroupDiscards,
    Untested,
    discards_sections,
    uneven_discards,
    untested_in_words,
)
from hinter_core.report.page.opening import opening
from hinter_core.report.sections import sections
from hinter_core.types import Verdict
from hinter_ui.results.html import overlaps

HIDDEN = 'scripted:negative if "white" and "woman"; positive otherwise'
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


def test_an_attribute_without_a_kept_mutant_is_not_tested_at_all(tmp_path: Path) -> None:
    text = "The Catholic black man met a cook."
    found = hinter.mutants(text, attributes=["race", "religion"], order=1, validity=0.0)
    by_attribute = found.groupby("attributes")["validity"].max()
    least = (by_attribute.min() + by_attribute.max()) / 2
    lost, other = by_attribute.sort_values().index
    made = hinter.run([text], HIDDEN, attributes=["race", "religion"], validity=least,
                      out=tmp_path / "out", placebo=False)  # fmt: skip
    report = make_report(made.store)
    assert [one.attribute for one in report.untested] == [lost]
    assert lost != other
    words = f"Not tested at all: {lost}. All "
    assert any(one.startswith(words) for one in opening(report).caveats)
    assert any(one.startswith(words) for one in sections(report)[0].sentences)
    (told,) = untested_in_words(report.untested)
    assert told.endswith("too low; a lower least score keeps more (--validity).")


def test_attributes_that_were_never_changed_together_are_named(tmp_path: Path) -> None:
    """Each was tested alone, so that nothing said that no combination of them was."""
    made = hinter.run(["The Catholic black man met a cook."], HIDDEN, validity=0.67,
                      attributes=["race", "religion"], out=tmp_path / "out")  # fmt: skip
    report = make_report(made.store)
    verdicts = {line.name: line.verdicts for line in report.models[0].lines}
    lost = verdicts["race \u00d7 religion"][Verdict.DISCARDED]
    (said,) = untested_in_words(report.untested)
    assert said == (
        f"Never tested together: race \u00d7 religion. All {lost:,} mutants were discarded, "
        f"{lost:,} of them because their validity score is too low; a lower least score keeps more "
        "(--validity)."
    )
    caveats = opening(report).caveats
    assert said in caveats
    assert report.lost == {"their validity score is too low": lost}
    (share,) = (one for one in caveats if "of intersectional mutants were discarded" in one)
    assert f"discarded, {lost:,} of them because their validity score is too low" in share
    assert [one.texts for one in report.models[0].overlaps] == [0]
    assert 'class="venn"' not in to_html(report) + overlaps(report.models[0])  # of no text
    names = ("gender \u00d7 race", "age \u00d7 race")
    (both,) = untested_in_words([Untested(name, {"": 4}) for name in names])
    assert both == f"Never tested together: {', '.join(names)}. All 8 mutants were discarded."
    uneven = [Untested(names[0], {"a": 6, "b": 4}), Untested(names[1], {"b": 5, "a": 1})]
    assert "All 16 mutants were discarded, 9 of them because b" in "".join(
        untested_in_words(uneven)
    )
