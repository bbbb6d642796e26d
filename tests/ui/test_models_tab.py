"""The Models tab: what a person sees of the models at hand, of adding one and of asking it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.conformance.faulty_server import FaultyServer
from tests.conformance.tiny import make_classifier
from tests.ui.conftest import turn_to

KEY = "sk-page-0123456789"
WRONG = "sk-wrong-987654321"
EVIL = "<img src=x onerror=window.pwned=1>"


class Models:
    """The tab as a person uses it."""

    def __init__(self, explore: Any) -> None:
        self.explore = explore
        self.page = explore.page

    def open(self) -> Models:
        self.explore.open()
        turn_to(self.page, "Models")
        expect(self.rows).not_to_have_count(0)
        return self

    def __getattr__(self, name: str) -> Locator:
        return self.page.locator("#" + name.replace("_", "-"))

    @property
    def rows(self) -> Locator:
        return self.model_table.locator("tbody tr")

    def row(self, name: str) -> Locator:
        return self.rows.filter(has=self.page.get_by_text(name, exact=True))

    def kind(self, label: str) -> None:
        self.page.get_by_label(label, exact=True).check()

    def fill(self, field: str, value: str) -> None:
        box = self.page.locator(f"#{field}").locator("input, textarea").first
        box.fill(value)
        expect(box).to_have_value(value)

    def load(self, kind: str, name: str) -> Locator:
        """Press Load once the name is told; the place where its outcome is said."""
        expect(self.page.locator(f"#name-{kind} .model-name")).to_have_text(name)
        self.page.locator(f"#load-{kind}").click()
        return self.page.locator(f"#status-{kind}")

    def ask(self, text: str) -> Locator:
        self.fill("try-text", text)
        self.page.locator("#ask").click()
        return self.try_answer.locator(".card")


@pytest.fixture
def models(explore: Any) -> Models:
    return Models(explore)


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    with FaultyServer() as running:
        yield running


def test_a_classifier_is_added_tried_and_used_in_explore(models: Models, tmp_path: Path) -> None:
    models.open()
    models.fill("source-hf", str(tmp_path))
    status = models.load("hf", f"hf:{tmp_path}")
    expect(status.get_by_role("alert")).to_contain_text("holds no config.json")
    name = "hf:" + make_classifier(tmp_path / "tiny", [EVIL, "good"])
    models.fill("source-hf", name)  # a whole name may be pasted
    expect(models.load("hf", name)).to_contain_text(f"{name} is ready")
    row = models.row(name)
    expect(row).to_contain_text("ready")
    expect(row).to_contain_text(f"one of 2 labels, with scores{EVIL}good")
    expect(row).to_contain_text("64 tokens")
    expect(row).to_contain_text("cpu \u00b7 float32")
    expect(models.try_model.locator("input")).to_have_value("tiny")  # its short name
    answer = models.ask("The waiter served us.")
    expect(answer.locator(".bar-label")).to_have_text([EVIL, "good"])
    # It is marked while the text is another one.
    marked = models.page.locator("#try-answer [data-changed]")
    for text, times in (("The waitress served us.", 1), ("The waiter served us.", 0)):
        models.fill("try-text", text)
        expect(marked).to_have_count(times)
    assert models.page.evaluate("window.pwned") is None
    models.page.get_by_role("tab", name="Explore").click()
    models.explore.pick("models", "tiny")
    expect(models.page.locator("#models .token")).to_have_count(2)
    models.explore.type("The British waiter served us.")
    models.explore.press("Check this pair")
    expect(models.explore.banner.locator(".originals li")).to_contain_text(["embedded", "tiny"])


def test_a_model_behind_an_api_is_asked_with_a_key_that_is_kept_nowhere(
    models: Models, server: FaultyServer, app: Any
) -> None:
    models.open()
    page = models.page
    models.kind("OpenAI-compatible API")
    models.fill("source-openai", "tiny?retries=0&base_url=http://127.0.0.1:1/v1")
    status = models.load("openai", "openai:tiny?retries=0&base_url=http://127.0.0.1:1/v1")
    expect(status.get_by_role("alert")).to_contain_text("cannot be reached")
    models.fill("source-openai", "tiny")
    models.openai_base_url.locator("input").fill(server.base_url)
    models.openai_base_url.locator("input").press("Enter")
    name = f"openai:tiny?base_url={server.base_url}"
    server.wrong_key = WRONG
    models.fill("key-openai", WRONG)
    expect(models.load("openai", name).get_by_role("alert")).to_contain_text("refused the key")
    expect(models.key_openai.locator("input")).to_have_value("")
    models.fill("key-openai", KEY)
    expect(models.load("openai", name)).to_contain_text(f"{name} is ready")
    expect(models.key_openai.locator("input")).to_have_value("")
    expect(models.row(name)).to_contain_text("kept on disk")
    answer = models.ask("Odd [fault:flip] text.")
    expect(answer.locator(".answer")).to_have_text("positive")
    expect(answer).to_contain_text("2 requests, 20 tokens asked and 2 answered")
    models.again.click()
    expect(answer).to_contain_text("The answer changed in 3 of 5 repetitions (noise floor 0.60)")
    expect(models.ask("A [fault:refusal] text.")).to_contain_text("No usable answer (refused)")
    assert f"Bearer {KEY}" in server.keys
    stored = "JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie"
    typed = "[...document.querySelectorAll('input, textarea')].map(e => e.value).join()"
    places = [page.content(), page.evaluate(stored), page.evaluate(typed), app.log.read_text()]
    files = [p for p in app.cache.parent.rglob("*") if p.is_file()]
    places += [p.read_bytes().decode("latin-1") for p in files]
    assert any("openai-2-" in place for place in places)
    for key in (KEY, WRONG):
        assert not [place[:80] for place in places if key in place]


def test_a_model_is_loaded_and_tried_by_keyboard_and_the_focus_stays(models: Models) -> None:
    models.open()
    button = models.row("textblob").get_by_role("button", name="textblob")
    button.focus()
    # All tests share one app, so another may have loaded it already.
    if button.inner_text().startswith("Load"):
        models.page.keyboard.press("Enter")
    expect(models.row("textblob")).to_contain_text("one of 3 labels")
    expect(button).to_contain_text("Try it")
    # A row that changes its state is drawn anew, and takes the focus with it.
    button.focus()
    models.row("textblob").evaluate("row => { row.innerHTML = row.innerHTML; }")
    expect(button).to_be_focused()
    models.page.keyboard.press("Enter")
    expect(models.try_model.locator("input")).to_have_value("TextBlob")
    expect(models.try_text.locator("textarea")).to_be_focused()
    expect(models.ask("A lovely, kind waiter.").locator(".answer")).to_have_text("positive")
    expect(models.ask(" ?").or_(models.try_answer.get_by_role("alert"))).to_contain_text(
        "There are no words"
    )


def test_forms_fit_a_narrow_dark_page(models: Models) -> None:
    models.page.set_viewport_size({"width": 360, "height": 780})
    models.page.emulate_media(color_scheme="dark")
    models.open()
    for label in ("Scripted", "Zero-shot (NLI)", "Local chat model", "OpenAI-compatible API"):
        models.kind(label)
        expect(models.page.locator(".kind-form:visible")).to_have_count(1)
        assert models.page.evaluate("document.documentElement.scrollWidth") <= 360
    models.fill("source-openai", "tiny")
    models.advanced_openai.locator("button").first.click()
    models.page.get_by_label("Concurrency").fill("999")
    told = models.name_openai.locator(".why")
    expect(told).to_have_text(re.compile("concurrency=999.*from 1 to 256"))
    expect(models.model_kinds.locator("dt")).to_have_count(13)
    expect(models.model_kinds).not_to_contain_text("python")
