"""An app that has just been started: what is asked of a page before it has read its address."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from hinter_ui.explore.examples import load_examples
from hinter_ui.explore.state import ExploreState
from hinter_ui.shared.access import Access
from hinter_ui.shared.services import Services
from tests.ui.conftest import Explore, launched

LINKED = "The British baker who served us remembered the old man."
TYPED = "The old British waiter slept."
LINK = "?" + urlencode({"text": LINKED, "models": "scripted:hidden-review"})


@pytest.fixture
def cold(page: Page) -> Iterator[tuple[Explore, threading.Lock, Services]]:
    """A page of an app that reads no text until the lock is released."""
    with launched(Access(local=True)) as (services, url):
        loading = held(services)
        yield Explore(page, url), loading, services
        page.goto("about:blank")


def held(services: Services) -> threading.Lock:
    loading = services._parses._locks["embedded"] = threading.Lock()
    loading.acquire()
    return loading


@pytest.mark.parametrize(
    ("query", "text"), [(LINK, LINKED), ("", load_examples()[0].form.text)], ids=["link", "fresh"]
)
def test_a_scan_asked_for_too_early_is_of_the_text_that_comes(
    cold: tuple[Explore, threading.Lock, Services], query: str, text: str
) -> None:
    explore, loading, _ = cold
    explore.page.goto(f"{explore.url}/{query}")
    explore.press("Find hidden bias")
    expect(explore.cancel).to_be_visible()
    expect(explore.text_box).to_have_value("")
    loading.release()
    expect(explore.text_box).to_have_value(text)
    expect(explore.progress).to_contain_text("complete")
    expect(explore.preview.locator(".preview")).to_be_visible()
    expect(explore.cancel).to_be_hidden()
    expect(explore.stale).to_be_empty()
    expect(explore.alert).to_have_count(0)
    explore.unfold("all")
    expect(explore.table.locator("tbody tr").nth(3)).to_be_visible()  # more than one check has


def test_what_is_typed_too_early_stays_and_is_told_from_what_the_link_shows(
    cold: tuple[Explore, threading.Lock, Services],
) -> None:
    explore, loading, services = cold
    explore.page.goto(f"{explore.url}/{LINK}")
    explore.text_box.press_sequentially(TYPED)
    for _ in range(600):  # until the page has told
        pages = list(services.sessions._kept.values())
        if TYPED in {session.of(ExploreState).controls.text for session in pages}:
            break
        explore.page.wait_for_timeout(50)
    loading.release()
    expect(explore.banner.locator(".banner")).to_be_visible()
    expect(explore.stale).to_contain_text("These results are for the previous text")
    expect(explore.text_box).to_have_value(TYPED)
    explore.stale.get_by_role("button", name="Go back to these results").click()
    expect(explore.text_box).to_have_value(LINKED)
    expect(explore.stale).to_be_empty()


def test_an_app_that_starts_writes_no_stubs_of_gradio() -> None:
    """They are for editors, and take a second of a processor at each start."""
    script = """if True:
        import sys
        opened = []
        sys.addaudithook(lambda event, about: event == "open" and opened.append(str(about[0])))
        from hinter_ui.__main__ import import_gradio
        import_gradio()
        import gradio as gr
        print(len(opened) > 100, [name for name in opened if name.endswith(".pyi")], gr.Textbox)
    """
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith("True [] <class")
