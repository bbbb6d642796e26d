"""A long text, and a page at rest (see accessibility for narrow, dark, still and by keyboard)."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import BrowserContext, expect

from tests.ui.conftest import App


def test_long_sentence_scrolls_inside_its_card(explore: Any) -> None:
    explore.open()
    words = " and ".join(f"the {w} table" for w in "red blue green grey brown black pink".split())
    explore.type(f"The British waiter who served us brought {words} {words} to the garden at noon.")
    explore.choose_models("scripted:hidden-review")
    explore.press("Check")
    scroll = explore.trees.locator(".tree-scroll")
    expect(scroll).to_have_count(2)
    inner, outer = scroll.first.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert inner > outer
    height = explore.trees.locator("svg").first.bounding_box()["height"]
    assert height < 520
    scroll.first.evaluate("e => { e.scrollLeft = 400 }")
    explore.page.wait_for_function(
        "document.querySelectorAll('.tree-scroll')[1].scrollLeft === 400"
    )
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
