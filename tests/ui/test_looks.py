"""A long text, and a page at rest (see accessibility for narrow, dark, still and by keyboard)."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from tests.ui.conftest import App, turn_to


def test_a_long_sentence_shows_the_phrase_around_the_change(explore: Any) -> None:
    explore.open()
    words = " and ".join(f"the {w} table" for w in "red blue green grey brown black pink".split())
    explore.type(f"The British waiter who served us brought {words} {words} to the garden at noon.")
    explore.choose_models("scripted:hidden-review")
    expect(explore.pairs).to_contain_text("British")  # the lists are of this text
    explore.press("Check this pair")
    expect(explore.square).to_contain_text("British")
    explore.unfold("why")
    scroll = explore.trees.locator(".tree-scroll")
    expect(scroll).to_have_count(1)
    inner, outer = scroll.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner <= outer
    drawing = scroll.locator("svg")
    assert drawing.bounding_box()["height"] < 320
    assert "noon" not in drawing.locator(".word").all_text_contents()
    # The whole sentence is wrapped.
    explore.press_summary("The whole sentence, word by word")
    expect(explore.trees.locator(".tree-words")).to_contain_text("noon")
    assert explore.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


COUNT = """
    const next = window.requestAnimationFrame;
    window.asked = 0;
    window.requestAnimationFrame = step => { window.asked++; return next.call(window, step); };
"""


def test_a_page_at_rest_draws_nothing(context: BrowserContext, app: App) -> None:
    page = context.new_page()
    page.add_init_script(COUNT)
    page.goto(app.url)
    expect(page.locator("#preview .preview")).to_be_visible()
    assert page.evaluate("window.asked") > 0
    # What moves while it loads ends within seconds.
    page.wait_for_function(
        "() => { const before = window.seen; return (window.seen = window.asked) === before; }",
        polling=1000,
    )
    page.close()


def test_what_is_wrong_comes_into_sight(page: Page, app: App) -> None:
    """The button keeps to the lower edge of the window, and what it says stands below."""
    page.set_viewport_size({"width": 1280, "height": 600})
    page.goto(app.url)
    page.get_by_role("tab", name="Annotate", exact=True).click()
    page.locator("#annotate-create").click()
    told = page.locator("#annotate-told .notice.error")
    expect(told).to_contain_text("Give the project a name")
    expect(told).to_be_in_viewport()


# What each tab is for, and the buttons that do it.
PRIMARY = {
    "batch": "#batch-start", "generate": "#generate-test", "models": "#ask",
    "repair": "#repair-start", "annotate": "#annotate-create", "learn": ".choice",
}  # fmt: skip


@pytest.mark.parametrize(
    ("size", "reach"),
    [({"width": 1440, "height": 900}, 900), ({"width": 390, "height": 844}, 2 * 844)],
    ids=["desktop", "phone"],
)
def test_what_a_tab_is_for_is_in_reach_without_scrolling_on(
    page: Page, app: App, size: ViewportSize, reach: int
) -> None:
    page.set_viewport_size(size)
    page.goto(app.url)
    for tab, button in PRIMARY.items():
        if size["width"] > 1000:
            page.goto(f"{app.url}/?tab={tab}")
        else:
            turn_to(page, tab.capitalize())
        first = page.locator(f"#room-{tab} {button}").first
        expect(first).to_be_visible()
        page.wait_for_timeout(500)
        page.evaluate("scrollTo(0, 0)")
        box = first.bounding_box()
        assert box
        assert box["y"] + box["height"] <= reach, tab
        # Where fields and buttons share a box, these stay in view from the start, and whole.
        for button in page.locator(f"#room-{tab} .start-row:has(> .primary) button:visible").all():
            expect(button).to_be_in_viewport(ratio=1)
