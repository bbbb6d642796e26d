"""The page of a report in a real Chromium, without a network."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader
from playwright.sync_api import Browser, Page, expect

from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.report.formats import to_html
from hinter_core.report.model import make_report
from hinter_core.report.page.html import page_of, style
from hinter_core.report.page.opening import LABELS, Card
from hinter_core.report.section import Section, short_names
from hinter_core.storage import ASSETS

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
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    places = page.locator("figure.drawing")
    assert places.count() >= 5  # bars; for each model a flow and a heat map
    for place in range(places.count()):
        assert (places.nth(place).bounding_box() or {})["height"] > 40
    assert page.locator(".rate-bar .fill").first.bounding_box() is not None
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("img").count() == 0
    assert faults == []
    page.context.close()


def pages(page: Page) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


def test_paper_has_two_pages_then_the_appendix(browser: Browser, file: Path) -> None:
    page, faults = opened(browser, file, 1240, "light")
    whole = pages(page)
    assert 3 <= whole <= 16
    expect(page.locator("details.part[open]")).to_have_count(0)  # as before it was printed
    page.evaluate("window.print = () => {}")
    page.get_by_role("button", name="Print two pages").click()
    assert pages(page) == 2
    page.get_by_role("button", name="Print two pages").click()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 695, "height": 1016})  # A4, less its margins
    expect(page.locator(".part").first).to_be_hidden()
    first, second = page.locator(".beside"), page.locator(".second")
    box, chart = first.bounding_box(), second.bounding_box()
    assert box is not None
    assert chart is not None
    assert box["y"] + box["height"] < 1016  # the first page has room for what it says
    assert box["y"] + box["height"] > 400  # and is no half-empty one
    assert chart["height"] < 1016
    assert faults == []
    page.context.close()


def test_paper_has_room_for_the_intervals_of_many_models(browser: Browser) -> None:
    bars = [{"name": "placebo mutants, same texts", "width": "9%", "low": "2%", "rest": "80%",
             "written": "12.2\u00a0% [10.5,\u00a0100.0]", "bad": False}]  # fmt: skip
    cards = [Card(f"model-{n}", "few", "Too few to say", "", "+5", bars, []) for n in range(4)]
    parts = Environment(loader=FileSystemLoader(ASSETS / "html")).get_template("parts.html").module
    page = browser.new_page(viewport={"width": 695, "height": 900})  # A4, less its margins
    page.set_content(f"<style>{style()}</style><main>{parts.decisions(cards, LABELS, 2)}</main>")  # type: ignore[attr-defined]
    page.emulate_media(media="print")
    beyond = page.locator(".decision").evaluate_all(
        "cards => cards.filter(card => card.scrollWidth > card.clientWidth).length"
    )
    assert beyond == 0
    page.context.close()


def test_paper_has_the_title_of_each_section(browser: Browser) -> None:
    """A key of a section that names something else, too, is no reason to leave its title out."""
    page = browser.new_page()
    section = Section(
        "words", "Pairs of words", ["One.", "Two.", "Three.", "Four."], ["A"], [["1"]]
    )
    page.set_content(page_of("HInter report", [section], {}))
    page.emulate_media(media="print")
    expect(page.get_by_text("Pairs of words").first).to_be_visible()
    expect(page.get_by_text("In words")).to_be_hidden()  # the table says the same
    page.context.close()


def test_a_section_has_an_address(browser: Browser, file: Path) -> None:
    page, faults = opened(browser, file, 1240, "light")
    shut, open_one = page.locator("#main"), page.locator("#groups-2")
    expect(shut).not_to_have_attribute("open", "")
    page.goto(f"{file.as_uri()}#groups-2")
    expect(open_one).to_have_attribute("open", "")
    expect(open_one).to_be_in_viewport()
    page.goto(f"{file.as_uri()}#%3Cb%3E")
    assert faults == []
    page.context.close()


def test_what_users_wrote_is_shown_as_they_wrote_it(browser: Browser, file: Path) -> None:
    page, faults = opened(browser, file, 1240, "light")
    expect(page.locator(".model .name").first).to_have_text(short_names([MODEL])[MODEL])
    expect(page.locator("#models td").nth(1)).to_have_text(MODEL)
    expect(page.locator(".keys li").first).to_contain_text("scripted: negative")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert faults == []
    page.context.close()
