"""The page of a report and the app have the same cards, tables and circles of texts with errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import acos, pi, sqrt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hinter_core.campaign.store import CampaignStore
from hinter_core.report.figures import venn
from hinter_core.report.formats import to_html
from hinter_core.report.metrics.lattice import Overlap, circles, overlap_kinds
from hinter_core.report.model import make_report
from hinter_core.report.page.opening import opening
from hinter_ui.results.html import cards, details, overlaps

NUMBERS = st.integers(0, 500)
ATTRIBUTES = ("race", "gender")
ALONE = 'scripted:negative if "white"; negative if "Thai" and "woman"; positive otherwise'
NEVER = "scripted:positive otherwise"
TEXTS = ["The black man had soup.", "The Dane, a man, had soup.", "A black nun met a Thai man."]


def lens(first: float, second: float, apart: float) -> float:
    """The area that two circles share, by the textbook."""
    if apart >= first + second:
        return 0.0
    if apart <= abs(first - second):
        return pi * min(first, second) ** 2
    x = (apart**2 + first**2 - second**2) / (2 * apart)
    high = sqrt(max(0.0, first**2 - x**2))
    parts = ((first, x), (second, apart - x))
    return sum(r * r * acos(max(-1.0, min(1.0, a / r))) - a * high for r, a in parts)


@given(alone=NUMBERS, both=NUMBERS, together=NUMBERS)
@example(alone=0, both=5, together=5)
@example(alone=3, both=0, together=3)
@example(alone=0, both=1, together=0)
def test_areas_are_in_the_ratio_of_the_numbers(alone: int, both: int, together: int) -> None:
    found = circles(Overlap(ATTRIBUTES, alone, both, together, 7))
    sizes = {"alone": alone + both, "together": together + both}
    assert [kind for kind, *_ in found] == [kind for kind, size in sizes.items() if size]
    if not found:
        return
    largest = max(sizes.values())
    for kind, _, radius in found:
        assert radius**2 == pytest.approx(sizes[kind] / largest)
    ends = [at + side * radius for _, at, radius in found for side in (-1, 1)]
    assert min(ends) == pytest.approx(-max(ends))  # the middle of the drawing
    if len(found) == 2:
        (_, x, r), (_, y, s) = found
        assert lens(r, s, y - x) == pytest.approx(pi * both / largest, abs=1e-6)


def drawings(page: str) -> list[list[str]]:
    """Return the circles and numbers of each drawing of a page."""
    parts = re.findall(r'<div class="venn">.*?</ul></div>', page, re.DOTALL)
    return [re.findall(r"<circle[^>]*>|<strong>[^<]*", part) for part in parts]


def test_the_report_and_the_app_draw_the_same(make: Callable[..., CampaignStore]) -> None:
    report = make_report(make(TEXTS, ["race", "gender"], 2, ALONE))
    (model,) = report.models
    shown = drawings(to_html(report))
    assert shown == drawings(overlaps(model))
    assert len(shown) == len(model.overlaps) > 0
    assert any("<circle" in part for part in shown[0])
    for drawn, one in zip(shown, model.overlaps, strict=True):
        numbers = [part for part in drawn if part.startswith("<strong>")]
        assert numbers == [f"<strong>{number:,}" for _, number, _ in overlap_kinds(one)]
    for one in model.overlaps:
        layout = venn(one)["layout"]
        assert len(layout["shapes"]) == len(circles(one))
        legend = layout["annotations"][0]["text"]
        assert legend.count("\u25cf") == sum(number > 0 for _, number, _ in overlap_kinds(one))


def test_the_report_and_the_app_have_the_same_cards_and_tables(
    make: Callable[..., CampaignStore],
) -> None:
    report = make_report(make(TEXTS, ["race", "gender"], 2, ALONE, NEVER))
    page, app = to_html(report, in_words=False), cards(opening(report))
    figures = re.compile(r'class="(?:rate-value|outcome|big)">([^<]*)|<span class="fill[^>]*>')
    first = page.partition('<section class="examples"')[0]
    assert figures.findall(app) == figures.findall(first.partition("<main>")[2])
    assert len(figures.findall(app)) >= 6  # of two models: the outcome, a rate, and its bar
    for model in report.models:
        rows = re.findall(r"<tr><td.*?</tr>", details(report, model))
        assert len(rows) > 10
        # The app calls some rows otherwise.
        ours = re.compile("single changes|combined changes|neutral swaps|variants", re.I)
        same = [row for row in rows if not ours.search(row)]
        assert len(same) > 5
        assert [row for row in same if row not in page] == []
        assert "mutant" not in details(report, model).lower()
