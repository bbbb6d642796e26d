"""Hostile calls of the app's address, and hostile markup in a real browser."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from hinter_ui.shared.access import Access
from tests.hostile.corpus import MARKUP, TRAVERSAL
from tests.ui.conftest import (
    browser_tab,
    browser_type_launch_args,
    context,
    launched,
    page,
)

__all__ = ["browser_tab", "browser_type_launch_args", "context", "page"]  # fixtures


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with launched(Access()) as (_, url):
        yield url


def ask(url: str, data: Any = None) -> tuple[int, str]:
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read(100_000).decode("utf-8", "replace")
    except HTTPError as error:
        return error.code, error.read().decode("utf-8", "replace")
    except URLError as error:  # refused by its length, before all of it was sent
        if isinstance(error.reason, BrokenPipeError | ConnectionResetError):
            return 413, ""
        raise


@pytest.mark.parametrize("case", [case for case in TRAVERSAL if case != "surrogate"])
@pytest.mark.parametrize("door", ["gradio_api/file=", "gradio_api/proxy=", "static/", "assets/"])
def test_a_path_of_the_server(url: str, case: str, door: str) -> None:
    status, said = ask(f"{url}/{door}{quote(TRAVERSAL[case])}")
    assert "root:x:" not in said
    assert "Traceback" not in said
    assert 400 <= status < 500


@pytest.fixture(scope="module")
def check(url: str) -> str:
    return f"{url}/gradio_api/call/check"


ODD: dict[str, Any] = {
    "nothing": [], "null": [None] * 4, "numbers": [1, 2, 3, 4], "lists": [[[]]] * 4,
    "objects": [{"a": {}}] * 4, "long": ["x" * 1_000_000] * 2, "many": ["x"] * 1_000,
    "model": ["The black man was kind.", ["race"], "python:os:system"],
    "folder": ["The black man was kind.", ["race"], "hf:/etc"],
    "server": ["The black man was kind.", ["race"], "openai:x?base_url=http://169.254.169.254"],
    **{f"markup-{name}": [words, [words], words] for name, words in MARKUP.items()},
    **{f"path-{name}": [path, [path], path] for name, path in TRAVERSAL.items()},
    "half": ["The black man \ud800 was kind.", ["race"], "scripted:bad\udfff if race; x otherwise"],
    "half-attribute": ["The black man was kind.", ["race\ud800"], "vader"],
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_the_api(check: str, case: str, capfd: pytest.CaptureFixture[str]) -> None:
    status, said = ask(check, {"data": ODD[case]})
    if status == 200:
        status, said = ask(f"{check}/{json.loads(said)['event_id']}")
        assert status == 200
        assert "event: error" in said or "event: complete" in said
    assert status < 500
    assert "Traceback" not in said
    assert "Traceback" not in capfd.readouterr().err


def test_no_markup_becomes_part_of_the_page(page: Page, url: str, tmp_path: Path) -> None:
    asked: set[str] = set()
    dialogs: list[str] = []
    page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    every = " ".join(MARKUP.values())
    page.goto(f"{url}/?text={quote(f'The black man {every} was kind.')}&models={quote(every)}")
    expect(page.locator("#preview")).to_contain_text("window.pwned=1")
    page.get_by_role("button", name="Find hidden bias", exact=True).click()
    expect(page.locator("#notice [role=alert]")).to_contain_text("pwned")
    page.goto(f"{url}/?results={quote(every)}&campaign={quote(every)}&class={quote(every)}")
    page.get_by_role("tab", name="Batch").click()
    page.locator("#batch-source").get_by_label("upload").first.check()
    own = tmp_path / "<img src=x onerror=window.pwned=1>.csv"
    own.write_text("text,label\n" + "".join(
        f'"A man {words}","{words}"\n' for words in MARKUP.values() if '"' not in words
    ))  # fmt: skip
    page.locator("#batch-upload input[type=file]").set_input_files(own)
    expect(page.locator("#batch-preview")).to_contain_text("window.pwned=1")
    page.wait_for_timeout(1_000)
    assert page.evaluate("window.pwned") is None
    assert dialogs == []
    assert asked <= {urlsplit(url).netloc, ""}


def test_no_case_is_lost() -> None:
    assert len(ODD) + 4 * (len(TRAVERSAL) - 1) == 115
