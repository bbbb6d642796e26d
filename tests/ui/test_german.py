"""The app in German: chosen in the header, kept, and without an English label."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect

from hinter_ui.html.wording import DEFAULT, FOLDER, languages, leaves, written
from hinter_ui.shell import TABS
from tests.ui.conftest import App

ROOMS = sorted(path.stem for path in (FOLDER / DEFAULT).glob("*.yaml"))
_TEXTS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.parentElement.checkVisibility()) found.push(node.data.trim());
  // gradio calls a box that is ticked by its value in a title, which nobody sees.
  for (const one of document.querySelectorAll('[placeholder], [aria-label], [title]:not(input)'))
    found.push(one.placeholder, one.ariaLabel, one.title);
  return found;
}"""


def texts(language: str) -> set[str]:
    return {text.strip() for room in ROOMS for _, text in leaves(written(language, room))}


def test_every_tab_is_german_once_it_is_chosen(app: App, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(app.url)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("#scan")).to_have_text("Find hidden bias")
    page.get_by_role("link", name="Deutsch").press("Enter")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#scan")).to_have_text("Verborgene Verzerrung suchen")
    english = texts("en") - texts("de") - {*languages().values()}
    for room in TABS:
        tab = page.locator(f".main-tabs [role=tab][aria-controls=room-{room}]")
        tab.click()
        shown = page.locator(f"#room-{room}")
        expect(shown.locator("h2, #text").first).to_be_visible()
        assert english.isdisjoint(found := page.evaluate(_TEXTS)), english.intersection(found)
        assert "lang=de" in page.url
    # The choice lasts: after a reload, in a copied link elsewhere, and where an address has none.
    page.goto(app.url)
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page).to_have_url(re.compile("lang=de"))  # the page writes it as it begins
    linked = browser.new_context().new_page()
    linked.goto(page.url)
    expect(linked.locator("#scan")).to_have_text("Verborgene Verzerrung suchen")
    page.get_by_role("link", name="English").click()
    expect(page.locator("#scan")).to_have_text("Find hidden bias")
    assert "lang" not in page.url
    linked.context.close()
    context.close()
