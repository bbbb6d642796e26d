"""What each answer of the app says to the browser about itself, and how large it is."""

from __future__ import annotations

import gzip
import urllib.request
from http.client import HTTPResponse

import pytest

from tests.ui.conftest import App


def fetched(url: str) -> HTTPResponse:
    answer: HTTPResponse = urllib.request.urlopen(
        urllib.request.Request(url, headers={"Accept-Encoding": "gzip"}), timeout=20
    )
    return answer


@pytest.mark.parametrize("path", ["/", "/config", "/theme.css", "/gradio_api/info"])
def test_every_answer_says_what_it_may_load(app: App, path: str) -> None:
    headers = fetched(app.url + path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "strict-origin-when-cross-origin"
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == "'self'"
    assert policy["object-src"] == "'none'"


def test_the_page_is_sent_packed(app: App) -> None:
    answer = fetched(app.url)
    assert answer.headers["Content-Encoding"] == "gzip"
    packed = answer.read()
    assert 6 * len(packed) < len(gzip.decompress(packed))
