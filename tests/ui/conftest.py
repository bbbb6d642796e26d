"""The app as a process of its own, looked at in a real Chromium."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    ViewportSize,
    expect,
)
from playwright.sync_api import Error as PlaywrightError

from hinter_core.annotation.project.types import AnnotationItem
from hinter_ui.html.wording import DEFAULT, speak
from hinter_ui.on_demand import PageOnDemand
from hinter_ui.shared.access import Access
from hinter_ui.shared.services import Services
from hinter_ui.shared.uploads import upload_folder
from hinter_ui.shell import build_app, launch
from tests.forked import Commands
from tests.ui.annotators import Judge, Made, pairs

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 45_000  # milliseconds; a busy two-core machine is slow
expect.set_options(timeout=PATIENCE)


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    """A test may speak another language; the next one begins in English."""
    yield
    speak(DEFAULT)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    kinds = ("chromium-headless-shell", "chromium", "chromium-browser")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, kinds)), None)
    if path is None:
        pytest.fail(
            "No Chromium found. Install it (apt-get install chromium) or name it in CHROMIUM.",
            pytrace=False,
        )
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {**browser_type_launch_args, "executable_path": path, "args": sandbox}


class Clock:
    """Seconds since 1970, which pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@dataclass(frozen=True)
class App:
    url: str
    port: int
    log: Path
    work_to_ready: float  # seconds of a processor, which a busy machine makes no longer
    cache: Path
    campaigns: Path
    annotations: Path
    uploads: Path


# Said where the environment is that of a Space and the package that every Space has is missing.
RELOADER = re.compile(
    r"Exception in thread (?:(?!Exception in ).)*?required to run hot-reloading in Spaces\n",
    re.DOTALL,
)

# Said by gradio where a page is left in the moment in which it asks for the stream of its events:
# the session is gone, and nobody waits for the answer.
LEFT = re.compile(
    r"ERROR: +Exception in ASGI application\n(?:(?!Exception in ASGI).)*?in sse_stream\n"
    r"(?:(?!Exception in ASGI).)*?HTTPException\n"
    r"(?:(?!Exception in ASGI).)*?RuntimeError\n",
    re.DOTALL,
)


# The app, whose campaigns start at once.
_START = """
import json, sys
import app
from hinter_ui.processes import command
command.COMMAND = tuple(json.loads(sys.argv.pop(1)))
app.main()
"""


def app_of(commands: Commands, *python: str) -> tuple[str, ...]:
    """A command line of the app: its campaigns start at once, and so does it, or in ``python``."""
    return (*(python or commands.app), "-c", _START, json.dumps(commands.program))


@contextmanager
def serving(
    factory: pytest.TempPathFactory, command: Sequence[str], **settings: str
) -> Iterator[App]:
    """An app with a log, a cache and a shelf of its own.

    Args:
        factory: Makes its folders.
        command: Its command line, such as that of :func:`app_of`, less the port.
        settings: Of its environment.
    """
    log = factory.mktemp("app") / "app.log"
    cache = factory.mktemp("cache") / "predictions.sqlite"
    shelf, projects = factory.mktemp("campaigns"), factory.mktemp("annotations")
    uploads = factory.mktemp("uploads")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    own = {
        "HINTER_CACHE": str(cache),
        "HINTER_CAMPAIGNS": str(shelf),
        "HINTER_ANNOTATIONS": str(projects),
        "HINTER_REPAIRS": str(cache.parent / "repairs"),
        "HINTER_CLASSES": str(cache.parent / "classes"),
        "GRADIO_TEMP_DIR": str(uploads),
    }
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--port", str(port)],
            cwd=ROOT,
            stdout=output,
            stderr=output,
            env={**os.environ, **own, **settings},
        )
        try:
            until_served(url, process, log)
            times = psutil.Process(process.pid).cpu_times()
            yield App(url, port, log, times.user + times.system, cache, shelf, projects, uploads)
        finally:
            process.terminate()
            process.wait(120)  # Python looks through all that models hold, on a busy machine long
    assert list(uploads.glob("hinter-*")) == []
    said = LEFT.sub("", RELOADER.sub("", log.read_text()))
    assert "Traceback" not in said, said


@contextmanager
def opened(access: Access) -> Iterator[tuple[Services, PageOnDemand]]:
    """The app in this process, on loopback: its services and its page."""
    with upload_folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", folder)
        services = Services(access)
        page = build_app(services)
        launch(page, services, "127.0.0.1", None)
        try:
            yield services, page
        finally:
            page.close(verbose=False)


@contextmanager
def launched(access: Access) -> Iterator[tuple[Services, str]]:
    """The app in this process, on loopback: its services and its address."""
    with opened(access) as (services, page):
        yield services, address(page)


def address(page: PageOnDemand) -> str:
    """The address of an app in this process."""
    return page.local_url.rstrip("/")


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory, commands: Commands) -> Iterator[App]:
    """The app as its owner has it, on their own machine."""
    with serving(tmp_path_factory, app_of(commands)) as served:
        yield served


def until_served(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait for an app to answer; it fails with what the app wrote."""
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            urllib.request.urlopen(url, timeout=2)
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"The app did not come up:\n{log.read_text()}")


def turn_to(page: Page, title: str) -> None:
    """Open a tab, from the menu at the end of the row where the page is too narrow for all."""
    tab = page.get_by_role("tab", name=title, exact=True)
    menu = page.locator(".main-tabs .overflow-menu > button").first
    expect(tab.or_(menu).first).to_be_visible()
    if not tab.is_visible():
        menu.click()
        page.locator(".main-tabs .overflow-dropdown").get_by_text(title, exact=True).click()
        return
    tab.click()


def open_list(page: Page, widget: str) -> None:
    """Open the list of a dropdown.

    The list has a fixed place, so it must have room although the page may still grow above it.
    """
    box = page.locator(f"#{widget} input")
    box.evaluate("box => box.scrollIntoView({block: 'center'})")
    box.click()


PLANTED = {
    "text": "The British waiter who served us remembered every order.",
    "models": "scripted:hidden-review",
    "edits": "race|British|Iranian\ngender|waiter|waitress",
    "soft": "0", "across": "0", "coherent": "1", "validity": "0.6", "invariant": "even-handed",
}  # fmt: skip


class Explore:
    """The Explore tab as a person uses it."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url

    def open(self, query: str = "") -> Explore:
        self.page.goto(f"{self.url}/{query}")
        expect(self.page.locator("#preview .preview, #preview .quiet")).not_to_have_count(0)
        expect(self.text_box).not_to_have_value("")
        return self

    def __getattr__(self, name: str) -> Locator:
        """``explore.row_order`` is the widget with the id ``row-order``."""
        return self.page.locator("#" + name.replace("_", "-"))

    @property
    def text_box(self) -> Locator:
        return self.page.get_by_role("textbox", name="Text about people")

    def planted(self) -> Explore:
        """Open a text whose model is biased by a rule."""
        return self.open("?" + urlencode(PLANTED))

    def unfold(self, part: str) -> None:
        """Open a folded part: ``all``, ``how``, ``why`` or ``people``."""
        self.page.locator(f"#{part} > button").click()

    def list_of(self, attribute: str) -> Locator:
        """The list in which a replacement of an attribute is chosen."""
        return self.pairs.get_by_label(attribute)

    def replace(self, attribute: str, words: str) -> None:
        """Choose a replacement, which is judged at once."""
        self.list_of(attribute).focus()
        self.list_of(attribute).select_option(label=words)

    def type(self, text: str) -> None:
        self.text_box.fill(text)

    def example(self, title: str) -> None:
        self.page.get_by_role("button", name=title, exact=True).click()
        expect(self.banner.locator(".banner")).not_to_have_count(0)

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def press_summary(self, name: str) -> None:
        self.page.locator("summary", has_text=name).click()

    def scan_to_end(self) -> None:
        self.press("Find hidden bias")
        expect(self.progress).to_contain_text("complete")

    @property
    def alert(self) -> Locator:
        return self.page.locator("#notice [role=alert]")

    @property
    def verdicts(self) -> Locator:
        return self.page.locator("#table tbody tr .badge")

    def choose_models(self, *names: str) -> None:
        """Replace the chosen models, by typing."""
        box = self.page.locator("#models input")
        for _ in range(self.page.locator("#models .token").count()):
            box.press("Backspace")
        for name in names:
            box.fill(name)
            box.press("Enter")
        box.press("Escape")

    def open_more(self) -> None:
        """Open "More settings", and wait as long as a hand takes to the first control.

        Gradio mounts what an accordion holds as it opens: within 0.3 s what is typed may be
        overwritten once by the initial value.
        """
        self.more.locator("button").first.click()
        expect(self.limit.locator("input")).to_be_visible()
        self.page.wait_for_timeout(600)

    def set_limit(self, value: str) -> None:
        box = self.limit.locator("input")
        box.fill(value)
        box.press("Tab")
        expect(box).to_have_value(value)

    def pick(self, widget: str, option: str) -> None:
        """Choose an option of a dropdown."""
        open_list(self.page, widget)
        self.page.get_by_role("option", name=option, exact=True).click()
        self.page.keyboard.press("Escape")


@pytest.fixture
def quick_campaigns(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """Campaigns that this process starts need not import first."""
    monkeypatch.setattr("hinter_ui.processes.command.COMMAND", commands.program)


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One browser window for all tests, so that gradio's own files are fetched once."""
    context = browser.new_context(viewport=SIZE)
    yield context
    context.close()


SIZE: ViewportSize = {"width": 1240, "height": 900}


class Tab:
    """One tab of a browser, which the tests use in turn: it loads a page in half the time that a
    new one takes. Each test finds it empty, and at its usual size and colours."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.page: Page | None = None

    def take(self) -> Page:
        self.page = self.page or self.context.new_page()
        self.page.set_viewport_size(SIZE)
        return self.page

    def leave(self) -> None:
        assert self.page is not None
        try:
            self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
            self.context.clear_cookies()
            self.page.goto("about:blank")
            self.page.emulate_media(color_scheme="null", reduced_motion="null", media="null")
        except PlaywrightError:  # it hangs or has crashed: the next test gets another
            self.page.close()
            self.page = None


@pytest.fixture(scope="session")
def browser_tab(context: BrowserContext) -> Tab:
    return Tab(context)


@pytest.fixture(scope="session")
def others_tabs(browser: Browser) -> Iterator[list[Tab]]:
    """The tabs of two more people, each in a browser of their own."""
    contexts = [browser.new_context(viewport=SIZE) for _ in range(2)]
    yield [Tab(context) for context in contexts]
    for context in contexts:
        context.close()


@pytest.fixture
def page(browser_tab: Tab) -> Iterator[Page]:
    yield browser_tab.take()
    browser_tab.leave()


# What gradio itself says when one leaves a page while its stream is open.
LEAVING = ("signal is aborted", "Connection errored out")
# The same where the stream is just being opened: its session has gone. Said at that moment alone.
UNOPENED = (
    "Unexpected error 404", "404 (Not Found)", "network error", "ERR_INCOMPLETE_CHUNKED_ENCODING",
)  # fmt: skip


@pytest.fixture
def explore(page: Page, app: App) -> Iterator[Explore]:
    """A fresh page; afterwards nothing may have gone wrong in its console."""
    faults: list[str] = []
    leaving = threading.Event()

    def leave(request: Request) -> None:
        if request.is_navigation_request():
            leaving.set()

    def arrive(_: Page) -> None:
        leaving.clear()

    def note(text: str) -> None:
        usual = LEAVING + (UNOPENED if leaving.is_set() else ())
        if not any(said in text for said in usual):
            faults.append(text)

    def told(message: ConsoleMessage) -> None:
        if message.type == "error":
            note(message.text)

    def broken(error: PlaywrightError) -> None:
        note(str(error))

    listeners: dict[Any, Any] = {
        "request": leave, "domcontentloaded": arrive, "console": told, "pageerror": broken,
    }  # fmt: skip
    for event, listener in listeners.items():
        page.on(event, listener)
    page.set_default_timeout(PATIENCE)
    yield Explore(page, app.url)
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    assert faults == []


@pytest.fixture
def project(app: App) -> Callable[..., Made]:
    """Projects in the app's folder, of given texts or of so many."""

    def make(items: int | list[AnnotationItem] = 6, **settings: object) -> Made:
        return Made(app.annotations, pairs(items) if isinstance(items, int) else items, **settings)

    return make


@pytest.fixture
def judges(others_tabs: list[Tab], app: App) -> Iterator[Callable[..., Judge]]:
    """Annotators, each with a browser of their own."""
    pages: list[Page] = []
    faults: list[str] = []

    def broken(error: PlaywrightError) -> None:
        faults.append(str(error))

    def make(url: str = app.url) -> Judge:
        page = others_tabs[len(pages)].take()
        pages.append(page)
        page.on("pageerror", broken)
        return Judge(page, url, PATIENCE)

    yield make
    for tab, page in zip(others_tabs, pages, strict=False):
        page.remove_listener("pageerror", broken)
        tab.leave()
    assert faults == []
