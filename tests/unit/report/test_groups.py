"""Groups above the mean: what a page says of them, and when a gate stops for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hinter_core.campaign.store import CampaignStore
from hinter_core.report.gate import GateOn, gate, passed
from hinter_core.report.metrics.excess import FEWEST_PLACEBO
from hinter_core.report.metrics.groups import GroupRate
from hinter_core.report.model import Report, make_report
from hinter_core.report.page.opening import opening
from hinter_core.report.sections import sections
from hinter_core.statistics.rates import Rate
from tests.unit.report.test_page import HIDDEN, TEXTS, with_excess


@pytest.fixture(scope="module")
def report(make: Callable[..., CampaignStore]) -> Report:
    return make_report(make(TEXTS, ["race", "gender"], 2, HIDDEN))


def test_a_pass_names_the_groups_that_lie_significantly_above_the_others(report: Report) -> None:
    def rate(
        groups: tuple[str, ...], errors: int, p_value: float, texts: int = 50, **more: Any
    ) -> GroupRate:
        names = ("gender", "race")[: len(groups)]
        rate = Rate(errors, 100)
        return GroupRate(names, groups, rate, texts, 0.05, errors > 5, p_value, **more)

    groups = [rate(("male", "white"), 0, 1.0), rate(("female",), 9, 1e-3)]
    cause = " significantly more errors than the mean of all groups "
    hidden = {"hidden": Rate(12, 100), "hidden_p_value": 0.01}
    even = with_excess(report, -0.3, 0.04, 100)
    black = "Group found: female \u00d7 black"
    for more, head, said in [
        ([], "Pass", f"Changes to female (9.0\u00a0%) cause{cause}(50 texts)."),
        # One of its parts explains a group: both are named.
        ([rate(("female", "old"), 19, 1e-9, explained=14)], "Pass",
         f"Changes to female (9.0\u00a0%) cause{cause}(50 texts). Changes to female \u00d7 old "
         "(19/100) cause significantly more errors because one of these changes alone does."),
        # Hidden bias comes first, and its group once.
        ([rate(("female", "black"), 19, 1e-9, **hidden), rate(("female", "asian"), 12, 0.01)],
         black,
         "Changes to female \u00d7 black (12.0\u00a0%) show significantly more hidden bias than "
         "the mean of all groups (50 texts). "
         f"Changes to female \u00d7 asian (12.0\u00a0%) cause{cause}(50 texts)."),
        ([rate(("female", "asian"), 12, 0.01, 20), rate(("female", "black"), 19, 1e-9)],
         black, "Changes to female \u00d7 black (19.0\u00a0%), female \u00d7 asian (12.0\u00a0%) "
         f"cause{cause}(at least 20 texts each)."),
        ([rate(("female", one), 12, 0.01) for one in "abcde"],
         "Group found: female \u00d7 a",
         "Changes to female \u00d7 a (12.0\u00a0%), female \u00d7 b (12.0\u00a0%), "
         f"female \u00d7 c (12.0\u00a0%) and 2 more cause{cause}(at least 50 texts each)."),
    ]:  # fmt: skip
        model = even.models[0].with_metrics(groups=[*groups, *more])
        one = replace(even, models=[model])
        told = opening(one)
        assert told.cards[0].head == head
        assert said in told.cards[0].words
        assert any("about all groups together" in words for words in told.caveats)
        assert said in sections(one)[0].sentences[-1]
        assert passed(one, 0.05)[0].endswith(f"passed. {said}")
    fair = opening(replace(even, models=[even.models[0].with_metrics(groups=groups[:1])]))
    assert "significantly" not in str((fair.cards, fair.caveats))


@pytest.mark.parametrize("of", ["errors", "hidden"])
@pytest.mark.parametrize("cases", [1, 100])
def test_a_group_far_above_the_others_stops_the_gate_whatever_all_of_them_do(
    of: str, cases: int, report: Report
) -> None:
    """Undecided over all groups, a model that denied 23 of 25 of one group passed."""
    high, low = Rate(23, 25, 0.75, 0.98), Rate(2, 25, 0.02, 0.25)
    more: dict[str, Any] = {"hidden": low, "hidden_p_value": 1.0, "hidden_mean": 0.04}
    if of == "hidden":
        more = {"hidden": high, "hidden_p_value": 1e-30, "hidden_mean": 0.04}
    found = GroupRate(
        ("gender", "race"), ("female", "black"), high if of == "errors" else low, 19, 0.1, True,
        1e-30 if of == "errors" else 0.7, **more,
    )  # fmt: skip
    unsure = with_excess(report, -0.02, 0.3, cases)
    whole = replace(unsure, models=[unsure.models[0].with_metrics(groups=[found])])
    assert bool(gate(unsure, 0.05)) is (cases < FEWEST_PLACEBO)
    (why,) = gate(whole, 0.05)
    assert "in 23 of 25 (92.0 %, 95 % interval 75.0 to 98.0) changes to female \u00d7 black" in why
    (card,) = opening(whole, 0.05).cards
    assert (card.head, card.key) == ("Group found: female \u00d7 black", "fail")
    assert bool(gate(whole, 0.9)) is (cases < FEWEST_PLACEBO)  # less far than that
    assert opening(whole, 0.9).cards[0].head == card.head
    all_fail = with_excess(whole, 0.2, 0.3, 100)
    assert opening(all_fail, 0.05).cards[0].head == "Fail"
    assert passed(whole, 0.99, GateOn.RATE)  # limits the rate of all groups alone


def test_the_head_says_to_which_answer_a_group_leads(report: Report) -> None:
    """A group that got invited where the disabled were not read as the one that is harmed."""
    for answers, arrow in (((("invite", 40), ("reject", 3)), " \u2192 invite"),
                           ((("invite", 20), ("reject", 20)), "")):  # fmt: skip
        found = GroupRate(
            ("disability",), ("healthy",), Rate(43, 62, 0.57, 0.79), 55, 0.28, True, 1e-9, answers
        )
        unsure = with_excess(report, -0.05, 0.2, 100)
        whole = replace(unsure, models=[unsure.models[0].with_metrics(groups=[found])])
        (card,) = opening(whole, 0.05).cards
        assert card.head == f"Group found: healthy{arrow}"
        assert any("that were replaced are treated worse" in one for one in card.words) is bool(
            arrow
        )


def test_a_group_of_one_attribute_is_named_and_stops_a_gate_on_groups(report: Report) -> None:
    """Of all Black applicants a server denied two thirds, and the page said: too few to say."""
    black = GroupRate(("race",), ("black",), Rate(160, 240, 0.6, 0.73), 40, 0.11, True, 1e-90)
    older = GroupRate(
        ("age", "race"), ("older", "black"), Rate(22, 40, 0.39, 0.7), 32, 0.08, True, 1e-12,
        explained=22,
    )  # fmt: skip
    for groups, name in (([older, black], "black"), ([older], "older \u00d7 black")):
        unsure = with_excess(report, -0.05, 0.2, 100)
        whole = replace(unsure, models=[unsure.models[0].with_metrics(groups=groups)])
        assert gate(whole, 0.05) == []
        (card,) = opening(whole, 0.05).cards
        assert (card.head, card.key) == (f"Group found: {name}", "few")
        assert any("older \u00d7 black (22/40) cause" in words for words in card.words)
        apart = next(words for words in card.words if "--gate-on group" in words)
        assert f"changes to {name}, while the mean of all groups is " in apart
        assert apart.endswith("explains it (--gate-on group counts it).")
        (line,) = passed(whole, 0.05)
        assert line.endswith(apart)
        (why,) = gate(whole, 0.05, GateOn.GROUP)
        assert f"changes to {name}, while" in why
        (card,) = opening(whole, 0.05, on=GateOn.GROUP).cards
        assert (card.head, card.key) == (f"Group found: {name}", "fail")
        assert gate(whole, 0.6, GateOn.GROUP) == []
        assert opening(whole, 0.6).cards[0].head == "Pass"


def test_a_tie_of_answers_names_both_or_none() -> None:
    def to(*answers: tuple[str, int]) -> str:
        number = sum(n for _, n in answers)
        return GroupRate(("race",), ("asia",), Rate(number, 9), 5, 0.1, True, 1.0, answers).to

    assert to(("no", 3)) == "no"
    assert to(("no", 2), ("yes", 1)) == "no 2/3"
    assert to(("no", 1), ("yes", 1)) == "no, yes 1/2 each"
    assert to(("no", 1), ("yes", 1), ("perhaps", 1)) == ""
