"""Long, still, by keyboard: the page in other people's settings (see also accessibility)."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect


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


def test_reduced_motion_stops_animation(explore: Any) -> None:
    explore.page.emulate_media(reduced_motion="reduce")
    explore.open()
    seconds = explore.scan.evaluate("e => getComputedStyle(e).transitionDuration")
    assert all(float(part.strip().removesuffix("s")) < 0.01 for part in seconds.split(","))


def test_focus_is_visible_on_every_control(explore: Any) -> None:
    explore.open()
    explore.page.keyboard.press("Tab")
    bare = []
    for _ in range(25):
        bare += explore.page.evaluate(
            """() => { const e = document.activeElement; if (!e || e === document.body) return [];
              const seen = [e, e.closest('label, .wrap, .container')].filter(Boolean).some(x => {
                const c = getComputedStyle(x);
                return c.outlineStyle !== 'none' || c.boxShadow !== 'none'; });
              return seen ? [] : [e.tagName + ' ' + e.className]; }"""
        )
        explore.page.keyboard.press("Tab")
    assert not bare
