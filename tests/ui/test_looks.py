"""Dark, narrow, still: the page in other people's settings."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

_CONTRAST = """
(selector) => {
  const parse = c => c.match(/[\\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = c.slice(0, 3).map(x => { x /= 255;
    return x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { while (e) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > .99) return c; e = e.parentElement; } return [255, 255, 255]; };
  return [...document.querySelectorAll(selector)].filter(e => e.offsetParent).map(e => {
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
    return [e.className + ' ' + e.textContent.slice(0, 30),
            (Math.max(a, b) + .05) / (Math.min(a, b) + .05)]; });
}
"""
_TEXTS = (
    ".banner, .banner strong, .term, .term-label, .answer, .foot, .quiet, .badge, .pager, "
    ".reason, .count, .mutants td, .mutants th, h1 span:not(.sr-only), h2, h3, del, .chip, "
    "a.share, .attribute-chips label span, #check, #scan"
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough(explore: Any, scheme: Any) -> None:
    explore.page.emulate_media(color_scheme=scheme)
    explore.open().example("Planted bias")
    explore.scan_to_end()
    dark = explore.page.evaluate("document.body.classList.contains('dark')")
    assert dark is (scheme == "dark")
    measured = explore.page.evaluate(_CONTRAST, _TEXTS)
    assert len(measured) > 40
    weak = [(name, round(ratio, 2)) for name, ratio in measured if ratio < 4.5]
    assert not weak


def test_narrow_page_does_not_scroll_sideways(explore: Any) -> None:
    explore.page.set_viewport_size({"width": 360, "height": 780})
    explore.open().example("Three models")
    width = explore.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 360
    first, second = explore.square.evaluate(
        "e => [...e.querySelectorAll('article')].map(card => card.getBoundingClientRect().toJSON())"
    )[:2]
    assert second["top"] > first["bottom"] - 1


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
