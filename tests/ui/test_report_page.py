"""The page of a report in a real Chromium, without a network."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from hinter_core.campaign.running.engines import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.formats import to_html
from hinter_core.report.model import make_report
from hinter_core.report.section import short_names

MODEL = (
    'scripted:negative if race=white and gender=female; <img src="x" onerror="alert(1)"> if '
    '"unicorn"; positive otherwise'
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    data = folder / "texts.csv"
    data.write_text("text\nThe black man was kind.\nThe German nurse left <b>early</b>.\n")
    campaign = Campaign(data=str(data), limit=40, models=(MODEL, "scripted:screening"))
    store = CampaignStore(folder / "out")
    run_campaign(campaign, store)
    page = folder / "report.html"
    page.write_text(to_html(make_report(store)), encoding="utf-8")
    return page


def opened(browser: Browser, file: Path, width: int, scheme: str) -> tuple[Page, list[str]]:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
        offline=True,
    )
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.on("dialog", lambda dialog: (faults.append("a dialog"), dialog.dismiss()))
    page.goto(file.as_uri())
    return page, faults


@pytest.mark.parametrize(("width", "scheme"), [(1240, "light"), (400, "dark")])
def test_charts_are_drawn_and_fit(browser: Browser, file: Path, width: int, scheme: str) -> None:
    page, faults = opened(browser, file, width, scheme)
    places = page.locator(".chart")
    assert places.count() >= 5  # bars; for each model a flow and a heat map
    expect(page.locator(".chart .main-svg").nth(places.count() - 1)).to_be_attached()
    expect(page.locator(".chart:not(:has(.main-svg))")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    tick = page.locator(".ytick text").first
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert tick.evaluate("e => getComputedStyle(e).fill") == ink
    assert page.locator("img").count() == 0
    assert faults == []
    page.context.close()


def test_what_users_wrote_is_shown_as_they_wrote_it(browser: Browser, file: Path) -> None:
    page, faults = opened(browser, file, 1240, "light")
    expect(page.locator(".model .name").first).to_have_text(short_names([MODEL])[MODEL])
    expect(page.locator("section.models td").nth(1)).to_have_text(MODEL)
    expect(page.locator(".legendtext").first).to_contain_text("scripted: negative")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert faults == []
    page.context.close()
