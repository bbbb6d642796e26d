"""A pasted text stays between the page and its own server, and is kept by neither."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

TEXT = "A quite private British waiter wrote this."


def test_no_other_machine_is_asked_and_no_text_is_stored(explore: Any, app: Any) -> None:
    asked: set[str] = set()
    explore.page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    explore.open()
    explore.type(TEXT)
    explore.choose_models("scripted:hidden-review")
    explore.scan_to_end()
    assert asked <= {f"127.0.0.1:{app.port}", ""}
    stored = explore.page.evaluate("JSON.stringify(localStorage) + JSON.stringify(sessionStorage)")
    assert "private" not in stored
    assert "private" not in app.log.read_text()
