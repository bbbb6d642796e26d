"""Explore on one screen: how high it is, and what a stranger needs to come to a finding."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.ui.conftest import PATIENCE, Explore
from tests.ui.test_accessibility import _LOST

DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
HIGHEST = 1_500  # pixels of the page after a scan, folded
HIGHEST_LONG = 2_000  # the same of a long text
HIGHEST_ON_A_PHONE = 2_000
LONG = " ".join(
    f"The young German waiter of house {i} brought her the soup, and he was kind."
    for i in range(12)
)
HEIGHT = "document.documentElement.scrollHeight"
# The verdict, the square and the hidden pairs lie beside the text, above the fold.
SEEN = """
() => ['#text', '#scan', '#banner', '#found', '#square .square'].map(part => {
  const box = document.querySelector(part).getBoundingClientRect();
  return [part, box.top >= 0 && box.bottom <= innerHeight];
}).filter(([, seen]) => !seen)
"""


def scanned(explore: Explore) -> Explore:
    explore.scan_to_end()
    expect(explore.found.locator(".chip").first).to_be_visible()
    return explore


def test_a_scan_fits_one_screen(explore: Any) -> None:
    explore.page.set_viewport_size(DESK)
    explore.open()
    assert explore.page.evaluate(HEIGHT) <= HIGHEST
    scanned(explore)
    assert explore.page.evaluate(HEIGHT) <= HIGHEST
    assert explore.page.evaluate(SEEN) == []
    explore.page.set_viewport_size(PHONE)
    assert explore.page.evaluate(HEIGHT) <= HIGHEST_ON_A_PHONE
    for title, part in (("Attributes, models", explore.attributes), ("Threshold", explore.link)):
        expect(part).to_be_hidden()
        explore.press_summary(title)
        expect(part).to_be_visible()
    explore.unfold("all")
    expect(explore.table.locator("tbody tr").first).to_be_visible()
    assert explore.page.evaluate(_LOST) == []
    wide, own = explore.table.locator(".table-scroll").evaluate(
        "e => [e.scrollWidth, e.clientWidth]"
    )
    assert wide <= own  # cards: nothing scrolls sideways
    # A long text.
    explore.page.set_viewport_size(DESK)
    for summary in explore.page.locator(".narrow-fold").all():
        expect(summary).to_be_hidden()
    for note in explore.page.locator("#page-footer p").all()[:2]:
        expect(note).to_be_visible()
    explore.unfold("all")
    explore.type(LONG)
    expect(explore.preview).to_contain_text("race: 12 terms")
    explore.scan_to_end()
    expect(explore.square.locator(".mutant").first).to_contain_text("more places")
    assert explore.page.evaluate(HEIGHT) <= HIGHEST_LONG


def test_a_visitor_comes_to_a_hidden_square_without_a_click_and_to_others_with_two(
    explore: Any,
) -> None:
    explore.page.goto(explore.url)
    # The example is checked as the page opens.
    expect(explore.banner).to_contain_text("Hidden intersectional bias")
    whole = explore.square.locator("article").nth(3)
    expect(whole).to_contain_text("the answer flips")
    first = whole.inner_text()
    explore.press("Find hidden bias")
    expect(explore.progress).to_contain_text("complete")
    chips = explore.found.locator(".found-chips .chip")
    assert chips.count() == int(re.findall(r"(\d+) hidden", explore.found.inner_text())[0])
    asked = requests_of(explore.page)
    chip = chips.nth(1)
    words = chip.inner_text().split(" ")[0]
    chip.click()
    expect(whole).to_contain_text(words)
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(explore.banner).to_contain_text("Hidden intersectional bias")
    assert len(asked) == 1  # one question to the server, which asks no model
    assert whole.inner_text() != first


def requests_of(page: Page) -> list[str]:
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url) if "queue/join" in one.url else None)
    return asked


def test_the_keyboard_alone_goes_through_scan_row_and_tree(explore: Any) -> None:
    explore.open()
    page = explore.page

    def tab_to(name: str, role: str = "button") -> None:
        """Press Tab until this control has the focus."""
        wanted = page.get_by_role(role, name=name)
        for _ in range(80):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement !== document.body")
            if wanted.first.evaluate("e => e === document.activeElement"):
                return
        pytest.fail(f"The Tab key never comes to '{name}'.")

    page.evaluate("document.activeElement.blur()")
    explore.text_box.focus()
    tab_to("Find hidden bias")
    page.keyboard.press("Enter")
    expect(explore.progress).to_contain_text("complete")
    expect(explore.scan).to_be_focused()
    tab_to(re.compile("landlady"))  # type: ignore[arg-type]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    chip = explore.found.locator(".chip:focus")
    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(explore.square.locator("article").nth(3)).to_contain_text(
        chip.inner_text().split(" ")[0]
    )
    tab_to("All variants")
    page.keyboard.press("Enter")
    expect(explore.verdicts.first).to_contain_text("hidden")
    tab_to(re.compile(": show$"))  # type: ignore[arg-type]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    row = explore.table.locator("tr.selected")
    word = row.locator("td").nth(1).inner_text().split()[-1]
    expect(explore.square.locator("article").nth(3)).to_contain_text(word)
    tab_to("Why does this variant count?")
    page.keyboard.press("Enter")
    expect(explore.trees.locator("svg title")).to_contain_text(word)
    page.keyboard.press("Tab")
    while not page.evaluate("document.activeElement.matches('#trees summary')"):
        assert page.evaluate("!!document.activeElement.closest('#trees')")
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(explore.trees.locator(".tree-words")).to_be_visible()


def test_the_threshold_judges_all_anew_and_goes_with_the_link(explore: Any) -> None:
    scanned(explore.planted())
    counted = explore.progress.inner_text()
    slider = explore.threshold.locator("input[type=range]")
    expect(explore.threshold).to_contain_text("positive")
    asked = requests_of(explore.page)
    slider.focus()
    # At 0.70 the answer flips for race alone: nothing is hidden any more.
    for _ in range(20):
        slider.press("ArrowRight")
    expect(explore.progress).to_contain_text(re.compile(r"\b0 hidden"))
    assert explore.progress.inner_text() != counted
    expect(explore.banner).to_contain_text("Biased, but not hidden.")
    expect(explore.found.locator(".smallest")).to_contain_text("1 word")
    expect(slider).to_be_focused()
    assert asked
    expect(explore.page).to_have_url(re.compile(r"threshold=0\.7"))
    explore.page.reload()
    expect(explore.banner).to_contain_text("Biased, but not hidden.")
    expect(slider).to_have_value("0.7")
    # The smallest change is pressed like any other.
    explore.scan_to_end()
    expect(explore.progress).to_contain_text(re.compile(r"[1-9]\d* hidden"))
    smallest = explore.found.locator(".smallest .chip")
    smallest.click()
    expect(smallest).to_have_attribute("aria-pressed", "true")


def test_a_long_scan_shows_its_first_finding_before_it_ends(explore: Any) -> None:
    explore.open()
    filler = "The rain fell on the market and the trams were late that day. " * 60
    explore.type(f"The young British man served us. {filler}")
    explore.choose_models("scripted:hidden-review")
    explore.page.get_by_label("age", exact=True).check()
    explore.page.get_by_label("nationality", exact=True).check()
    explore.open_more()
    explore.set_limit("5000")
    expect(explore.preview).to_contain_text("age: 1 term")
    explore.press("Find hidden bias")
    explore.found.locator(".found-chips .chip").first.wait_for(timeout=PATIENCE)
    expect(explore.progress).to_contain_text("scanning")
    expect(explore.square.locator("article")).to_have_count(4)
    expect(explore.banner).to_contain_text("Hidden intersectional bias")
    explore.cancel.dispatch_event("click")
    expect(explore.progress).to_contain_text("stopped; the results so far are kept")
    expect(explore.found.locator(".chip").first).to_be_visible()


def test_where_all_is_discarded_the_fairest_are_tested_by_a_press(explore: Explore) -> None:
    explore.open()
    explore.type("The Catholic schoolboys were beaten 3-1 by the girls' team from Ohio.")
    explore.page.get_by_label("religion", exact=True).check()
    # Gradio writes the chosen ones back; a click before that would meet the old ones.
    expect(explore.preview).to_contain_text("religion: 1 term")
    explore.page.get_by_label("race", exact=True).uncheck()
    explore.press("Find hidden bias")
    expect(explore.found).to_contain_text("No combination was tested")
    expect(explore.banner).to_contain_text("Benign alone; no combination was tested.")
    explore.progress.get_by_role("button", name="Test the fairest of them").click()
    expect(explore.found).not_to_contain_text("No combination was tested")
    expect(explore.progress).to_contain_text("complete")
    expect(explore.progress.get_by_role("button")).to_have_count(0)


def test_a_printed_check_shows_its_bars_marks_and_whole_text(explore: Any) -> None:
    explore.open()
    expect(explore.square.locator(".fill").first).to_be_visible()
    explore.page.emulate_media(media="print")
    explore.page.set_viewport_size({"width": 700, "height": 900})  # of paper, so that lines break
    kept = "e => getComputedStyle(e).printColorAdjust"
    for part in (explore.square.locator(".fill"), explore.attributes.locator("input")):
        assert part.first.evaluate(kept) == "exact"
    text = explore.page.locator("#text textarea")
    assert text.evaluate("e => e.scrollHeight - e.clientHeight") <= 1
