"""A host that is not the visitor's own machine: whose campaigns one sees, and what one may name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from hinter_core.campaign.store import CampaignStore
from hinter_ui.processes.command import COMMAND
from tests.conformance.hub import LocalHub, parquet
from tests.forked import Commands
from tests.ui.conftest import App, Tab, app_of, serving
from tests.ui.test_jobs import PEOPLE, RULES


@pytest.fixture(scope="module")
def hub() -> Iterator[LocalHub]:
    made = LocalHub()
    yield made
    made.close()


@pytest.fixture(scope="module")
def public(
    tmp_path_factory: pytest.TempPathFactory, hub: LocalHub, commands: Commands
) -> Iterator[App]:
    home = str(tmp_path_factory.mktemp("hf"))
    settings = {"GRADIO_SERVER_NAME": "0.0.0.0", "HF_ENDPOINT": hub.address, "HF_HOME": home}
    settings["HF_TOKEN"] = "hf_of-this-machine"
    # Its settings of the Hub are read as it is imported.
    with serving(tmp_path_factory, app_of(commands, sys.executable), **settings) as app:
        yield app


@pytest.fixture
def visitors(others_tabs: list[Tab], public: App) -> Iterator[tuple[Page, Page]]:
    """Two people, each with a browser of their own."""
    mine, other = (tab.take() for tab in others_tabs)
    for page in (mine, other):
        page.set_default_timeout(60_000)
    yield mine, other
    for tab in others_tabs:
        tab.leave()


def batch(page: Page, url: str) -> Page:
    page.goto(url)
    page.get_by_role("tab", name="Batch").click()
    expect(page.locator("#batch-preview")).to_contain_text("282 usable texts")
    return page


def ask(page: Page, model: str) -> None:
    box = page.locator("#batch-models input")
    box.press("Backspace")
    box.fill(model)
    box.press("Enter")
    box.press("Escape")


def results(page: Page) -> None:
    page.get_by_role("tab", name="Results").click()
    expect(page.locator("#results-open")).to_be_visible()


def offered(page: Page, number: int) -> None:
    """So many campaigns are what Results offers, once it has asked."""
    for _ in range(20):
        page.locator("#results-campaign input").click()
        page.wait_for_timeout(500)
        found = page.get_by_role("option").count()
        page.keyboard.press("Escape")
        if found == number:
            return
        page.locator("#results-campaign input").blur()  # or the list would stay folded
    pytest.fail(f"Results offers {found} campaigns, not {number}.")


def test_it_starts_with_little_work(public: App) -> None:
    assert public.work_to_ready < 15


def test_what_starts_campaigns_where_nothing_starts_them_at_once(tmp_path: Path) -> None:
    data, out = tmp_path / "people.csv", tmp_path / "out"
    data.write_text("text\nThe black man was kind.\n", encoding="utf-8")
    command = [*COMMAND, "run", "--data", str(data), "--model", RULES, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert CampaignStore(out).verify() == []


def test_a_campaign_is_seen_by_whose_it_is_and_by_whom_they_send_the_link(
    visitors: tuple[Page, Page], public: App
) -> None:
    mine, other = visitors
    batch(mine, public.url)
    expect(mine.locator("#batch-source")).not_to_contain_text("on this machine")
    ask(mine, RULES)
    mine.locator("#batch-sample input").fill("2")
    mine.locator("#batch-start").click()
    expect(mine.locator("#job-title .badge")).to_have_text("done", timeout=120_000)
    link = mine.url
    assert re.search("campaign=[A-Za-z0-9_-]{16,}$", link)
    # The other visitor sees none, in either tab.
    batch(other, public.url)
    expect(other.locator("#campaigns")).to_contain_text("No campaigns yet")
    results(other)
    offered(other, 0)
    # The first sees it after a reload, also without the link.
    batch(mine, public.url)
    expect(mine.locator("#campaigns tbody tr")).to_have_count(1)
    results(mine)
    offered(mine, 1)
    # The link of the report opens it, and the browser keeps it.
    other.goto(link.replace("?campaign=", "?results="))
    expect(other.locator("#results-cards .card")).to_have_count(1)
    other.get_by_role("tab", name="Batch").click()
    expect(other.locator("#campaigns tbody tr")).to_have_count(1)
    # So does the link of the campaign.
    other.evaluate("localStorage.clear()")
    other.goto(link)
    expect(other.locator("#job-title .badge")).to_have_text("done")
    other.locator("#job-results").click()
    expect(other.locator("#results-cards .card")).to_have_count(1)
    batch(other, public.url)
    expect(other.locator("#campaigns tbody tr")).to_have_count(1)
    # Who has the link reads it, and offers no button that changes it.
    other.locator("#campaigns tbody tr button").click()
    expect(other.locator("#job-title")).to_contain_text("reading a shared campaign")
    expect(other.locator("#job-file")).to_be_visible()
    expect(other.locator("#job-delete")).to_be_hidden()
    expect(other.locator("#job-again")).to_be_hidden()
    if shots := os.environ.get("SHOTS"):
        other.locator("#job").screenshot(path=f"{shots}/reader.png")
    # Deleted by whose it is, also after a reload, it is gone for both.
    batch(mine, public.url)
    mine.locator("#campaigns tbody tr button").click()
    expect(mine.locator("#job-title")).not_to_contain_text("reading a shared campaign")
    mine.locator("#job-delete").click()
    mine.locator("#job-really").click()
    expect(mine.locator("#campaigns")).to_contain_text("No campaigns yet")
    batch(other, public.url)
    expect(other.locator("#campaigns")).to_contain_text("No campaigns yet")


def test_a_data_set_of_the_hub_is_read_without_this_machines_own_key(
    visitors: tuple[Page, Page], public: App, hub: LocalHub
) -> None:
    texts = [f"The {PEOPLE[i % 5]} was kind." for i in range(5)]
    card = (
        b"---\ndataset_info:\n  splits:\n  - name: train\n    num_examples: 5\n"
        b"    num_bytes: 1\n---\n"
    )
    hub.commit("some/people", {"README.md": card, "train.parquet": parquet(remark=texts)})
    page, _ = visitors
    batch(page, public.url)
    page.locator("#batch-source").get_by_label("Data set on the Hub").check()
    box = page.locator("#batch-hub input")
    box.fill("/etc")
    box.press("Enter")
    expect(page.locator("#batch-preview")).to_contain_text("as hf:ORG/NAME")
    box.fill("hf:some/people")
    box.press("Enter")
    expect(page.locator("#batch-preview")).to_contain_text("5 usable texts")
    expect(page.locator("#batch-preview")).to_contain_text("The black man was kind.")
    ask(page, RULES)
    page.locator("#batch-start").click()
    expect(page.locator("#job-title .badge")).to_have_text("done", timeout=120_000)
    expect(page.locator("#job-title")).to_contain_text("hf:some/people")
    expect(page.locator("#job-progress")).to_contain_text("5 of 5 texts")
    assert hub.asked
    assert hub.keys == set()
