"""The focus of the keyboard after clicks that hide, replace or switch off what had it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.ui.conftest import App, turn_to

# What had it is gone, and what has it now can be used, or is the open tab.
KEPT = """
() => { const here = document.activeElement;
  return here && here !== document.body && here.checkVisibility() && !here.disabled; }
"""


def press(page: Page, selector: str) -> None:
    """Press a button by keyboard, as its user does."""
    button = page.locator(selector).first
    expect(button).to_be_enabled()
    button.focus()
    page.keyboard.press("Enter")


def kept(page: Page, wanted: str = "") -> None:
    page.wait_for_function(KEPT)
    if wanted:
        page.wait_for_function("one => document.activeElement.closest(one)", arg=wanted)


@pytest.mark.parametrize(
    "tabs",
    [
        # On one page, but for what leads to another tab.
        {
            "Batch": [("#batch-estimate", "#batch-estimate")],
            "Repair": [("#repair-show", "#room-repair")],
            "Annotate": [("#annotate-defaults", "#room-annotate"), ("#annotate-create", "")],
            "Models": [("#model-table button[data-act=load], #model-table button", "#room-models"),
                       ("#ask", "#ask")],
            "Learn": [(".choice", "#learn"), (".turn.next", "#learn"),
                      ("[data-section=glossary]", "#learn"), ("[data-section=teach]", "#learn"),
                      ("[data-act=open-class]", "#learn"), ("[data-act=close]", "[data-act=keep]"),
                      ("[data-act=keep]", "#learn-class h3"),
                      ("[data-section=lesson]", "#learn")],
        },
        {"Generate": [("#generate-again", "#generate-again"), ("#generate-changed", ""),
                      ("#generate-test", "#room-batch")]},
        {"Generate": [("#generate-repair", "#room-repair")]},
    ],
    ids=["each", "batch", "repair"],
)  # fmt: skip
def test_the_focus_stays_with_what_was_done(
    page: Page, app: App, tabs: dict[str, list[tuple[str, str]]]
) -> None:
    page.goto(app.url)
    for tab, steps in tabs.items():
        turn_to(page, tab)
        for selector, wanted in steps:
            press(page, f"#room-{tab.lower()} :is({selector})")
            page.wait_for_timeout(1200)  # until the answer is painted
            kept(page, wanted)


def test_the_focus_goes_on_where_a_campaign_is_stopped_and_deleted(explore: Any) -> None:
    page = explore.page
    page.goto(f"{explore.url}/?tab=batch")
    # A button may be drawn before gradio has wired it; the preview comes by an event.
    expect(page.locator("#batch-preview")).to_contain_text("282 usable texts")
    told = page.locator("#page-told")
    press(page, "#batch-start")
    expect(page.locator("#job-name")).to_be_focused()
    expect(told).to_have_text("Sample texts: running.")
    expect(page).to_have_title(re.compile(r"^\d+ % - HInter$"))
    expect(page.locator("#job-title .badge")).to_have_text("done", timeout=120_000)
    expect(told).to_contain_text("Sample texts: done.")
    expect(page).to_have_title("HInter")
    kept(page)
    # The click hides one button and shows others in its place; the next one destroys nothing.
    press(page, "#job-delete")
    expect(page.locator("#job-really")).to_be_visible()
    kept(page, "#job-keep")
    expect(told).to_contain_text("would be deleted")
    page.keyboard.press("Enter")
    kept(page, "#job-delete")
    expect(page.locator("#job-really")).to_be_hidden()
    press(page, "#job-delete")
    press(page, "#job-really")
    expect(page.locator("#job")).to_be_hidden()
    expect(told).to_have_text("The campaign is deleted.")
    kept(page, "#room-batch")


def test_a_click_beside_everything_takes_the_focus_nowhere(page: Page, app: App) -> None:
    page.goto(app.url)
    page.get_by_role("button", name="Find hidden bias").focus()
    page.mouse.click(5, 300)
    page.wait_for_timeout(500)
    assert page.evaluate("document.activeElement === document.body")
