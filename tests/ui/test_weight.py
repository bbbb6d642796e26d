"""What a browser fetches and is told of before the page can be used, and what comes later."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from playwright.sync_api import Browser, Request, Route, expect

from hinter_ui.frontend import Frontend
from hinter_ui.on_demand import PageOnDemand
from hinter_ui.shared.access import Access
from hinter_ui.shared.services import Services
from hinter_ui.shell import TABS, build_app
from tests.ui.conftest import App, turn_to

TITLES = ("Batch", "Results", "Generate", "Repair", "Annotate", "Models", "Learn")


@pytest.fixture(scope="module")
def page() -> PageOnDemand:
    return build_app(Services(Access.at(None)))


@pytest.fixture(scope="module")
def later(page: PageOnDemand) -> list[dict[str, Any]]:
    assert page.config
    return list(page._told["en"][1].values())


def test_a_page_answers_after_few_requests_and_a_tab_after_few_more(
    app: App, browser: Browser
) -> None:
    context = browser.new_context()  # nothing is kept from before
    page, asked, faults = context.new_page(), list[str](), list[str]()

    def note(request: Request) -> None:
        if request.url.startswith("http"):
            asked.append(request.url)

    page.on("request", note)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(app.url)
    expect(page.locator("#preview .preview")).to_be_visible()
    assert len(asked) <= 20, asked
    modules = Counter(url for url in asked if url.endswith(".js"))
    assert max(modules.values()) == 1  # a module that is there twice would be two
    for title in TITLES:
        turn_to(page, title)
        expect(page.locator(f"#room-{title.lower()} h2").first).to_be_visible()
    turn_to(page, "Explore")  # a tab that was left can be opened again
    turn_to(page, "Batch")
    expect(page.locator("#batch-start")).to_be_visible()
    assert len(asked) <= 90, asked
    assert faults == []
    context.close()


def test_a_tab_whose_answer_is_lost_is_asked_for_again(app: App, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(app.url)
    expect(page.locator("#preview .preview")).to_be_visible()
    lost = list[str]()

    def lose(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.request.post_data or "")
        route.fulfill(json={"event_id": "0" * 32})

    page.route("**/queue/join*", lose)
    turn_to(page, "Generate")
    expect(page.locator("#room-generate h2").first).to_be_visible()
    assert len(lost) == 1
    page.close()


def test_what_is_told_at_first_is_a_part(page: PageOnDemand) -> None:
    first, whole = page.config, gr.Blocks.get_config_file(page)
    assert len(first["components"]) < 0.3 * len(whole["components"])
    assert len(json.dumps(first, default=str)) < 0.4 * len(json.dumps(whole, default=str))


def test_each_widget_and_event_is_told_once(
    page: PageOnDemand, later: list[dict[str, Any]]
) -> None:
    first, whole = page.config, gr.Blocks.get_config_file(page)
    tabs = set(page.openers)
    assert len(later) == len(tabs) == len(TABS) - 1
    for part, again in (("components", tabs), ("dependencies", set(page.openers.values()))):
        told = Counter(one["id"] for config in (first, *later) for one in config[part])
        assert {one["id"] for one in whole[part]} == set(told)
        assert {number for number, times in told.items() if times > 1} == again


def test_a_step_that_follows_another_comes_with_it(
    page: PageOnDemand, later: list[dict[str, Any]]
) -> None:
    for config in (page.config, *later):
        there = {one["id"] for one in config["dependencies"]}
        after = {one["trigger_after"] for one in config["dependencies"]}
        assert after - {None} <= there


def test_an_event_of_a_tab_reads_nothing_that_the_browser_does_not_know(
    page: PageOnDemand, later: list[dict[str, Any]]
) -> None:
    at_first = {one["id"] for one in page.config["components"]}
    for config in later:
        known = at_first | {one["id"] for one in config["components"]}
        for event in config["dependencies"]:
            assert set(event["inputs"]) <= known


def test_a_tab_is_told_as_events_have_changed_it(app: App, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(f"{app.url}/?tab=generate")
    page.get_by_role("button", name="Test these sentences in Batch").click()
    # The fields of a grammar are hidden in Batch until it is the source.
    expect(page.locator("#batch-grammar")).to_be_visible()
    expect(page.locator("#batch-upload")).to_have_count(0)
    page.close()


def test_a_frontend_that_is_built_in_another_way_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<script src='main.js'></script>")
    assert Frontend({"html"}, tmp_path).files() == []


def test_the_entry_of_the_frontend_is_not_there_twice(page: PageOnDemand) -> None:
    frontend = Frontend(page.kinds())
    files = frontend.files()
    assert len(files) > 40
    assert not {name for name in files if name.startswith("index-")}
    assert "import.meta" not in frontend.script()


def test_a_widget_that_knows_of_the_end_of_its_event_is_not_told_again(page: PageOnDemand) -> None:
    """Otherwise each event would cost a browser as much as all that were before it."""
    assert Frontend(page.kinds()).script().count("this.told_stati ??= {}") == 1
