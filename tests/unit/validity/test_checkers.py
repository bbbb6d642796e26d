"""The checkers themselves: the embedded one, a LanguageTool server, Link Grammar where it is."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import pytest

from hinter_core.validity.checkers import CheckerError, load_checker

GOOD = "She gave him the keys."
BAD = "She gave his the keys."


@pytest.mark.slow
def test_the_embedded_checker_judges_alike_alone_and_in_a_batch() -> None:
    checker = load_checker("acceptability")
    texts = [GOOD, BAD, "The tall man opened the window and looked at the garden.", "!", GOOD]
    together = checker.check(texts)
    assert [one.acceptable for one in checker.check([GOOD, BAD])] == [True, False]
    for text, one in zip(texts, together, strict=True):
        (alone,) = checker.check([text])
        assert alone.acceptable is one.acceptable
        assert one.score is not None
        assert alone.score == pytest.approx(one.score, abs=1e-4)
        assert 0 <= one.score <= 1
    assert together[1].reason.startswith("unusual around \u201c")
    assert together[0].reason == ""
    assert checker.check([]) == []
    assert checker.identity == load_checker("acceptability").identity
    assert checker.check(["word " * 900])[0].acceptable is not None  # past its window


class Server:
    """Speaks version 2 of LanguageTool's interface, with one rule for each word of its book."""

    def __init__(self) -> None:
        self.rules = {"his the": "GRAMMAR", "teh": "TYPOS", "very very": "STYLE"}
        self.asked: list[dict[str, list[str]]] = []
        self.status, self.body = 200, ""
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, text: str) -> dict[str, Any]:
        matches = [
            {
                "message": f"\u201c{words}\u201d is unusual",
                "offset": text.index(words),
                "length": len(words),
                "rule": {"id": words.upper().replace(" ", "_"), "category": {"id": category}},
            }
            for words, category in self.rules.items()
            if words in text
        ]
        return {"software": {"name": "LanguageTool", "version": "6.5"}, "matches": matches}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"])).decode()
                form = parse_qs(raw)
                server.asked.append({"path": [self.path], **form})
                body = server.body or json.dumps(server.answer(form["text"][0]))
                self.send_response(server.status)
                self.end_headers()
                self.wfile.write(body.encode())

        return Handler


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


@pytest.mark.parametrize("path", ["", "/", "/v2", "/v2/check"])
def test_a_languagetool_server_is_asked_sentence_by_sentence(server: Server, path: str) -> None:
    checker = load_checker(f"languagetool:{server.address}{path}")
    assert checker.identity == "languagetool-1-6.5-en-US"
    server.asked.clear()
    texts = [GOOD, BAD, "She saw teh & \u201cvery very\u201d old man + 1."]
    found = checker.check(texts)
    assert [one.acceptable for one in found] == [True, False, True]  # spelling is no grammar
    assert found[1].reason == "HIS_THE: \u201chis the\u201d is unusual"
    assert [form["text"] for form in server.asked] == [[text] for text in texts]
    assert {tuple(form["path"] + form["language"]) for form in server.asked} == {
        ("/v2/check", "en-US")
    }


def test_a_server_that_fails_is_named(server: Server) -> None:
    checker = load_checker(f"languagetool:{server.address}")
    server.status, server.body = 400, "Error: text too long"
    with pytest.raises(CheckerError, match="status 400: Error: text too long"):
        checker.check([GOOD])
    for body in ("<html>", "{}", "[]", '{"matches": 3}'):
        server.status, server.body = 200, body
        with pytest.raises(CheckerError, match="is no LanguageTool server"):
            load_checker(f"languagetool:{server.address}")
    server.stop()
    with pytest.raises(CheckerError, match="No LanguageTool server answers"):
        checker.check([GOOD])


@pytest.mark.parametrize("address", ["", "localhost:8081", "ftp://a.org", "http://"])
def test_an_address_is_a_server(address: str) -> None:
    with pytest.raises(CheckerError, match="Name a server"):
        load_checker(f"languagetool:{address}")


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(CheckerError) as told:
        load_checker("languagetool:http://me:secret@localhost:8081")
    assert "secret" not in str(told.value)


@pytest.mark.skipif(shutil.which("link-parser") is None, reason="Link Grammar is not installed")
def test_link_grammar_judges_every_line_in_order() -> None:
    checker = load_checker("link-grammar")
    assert checker.identity.startswith("link-grammar-1-5")
    # A command of the parser's own, an empty line and two lines in one must not shift the others.
    texts = ["She saw his dog.", "Him saw the dog.", "!help", "", "They was\nlate.",
             "The waiter\tpaid for the soup.", "*** Found 3 linkages"]  # fmt: skip
    wanted = [True, False, False, False, True]
    found = [one.acceptable for one in checker.check(texts * 9)]
    assert len(found) == 63
    for start in range(0, 63, 7):
        own = found[start : start + 6]
        assert own[:2] + own[3:] == wanted
    assert checker.check(["Him saw the dog."])[0].reason == "no complete linkage"
    # Of this one the parser prints two verdicts.
    long = (
        "He admires his own youth, he distrusts slim women and tall men alike, and he drops the "
        "name of a Swedish poet on every other page."
    )
    found = [one.acceptable for one in checker.check([long, "She saw his dog.", long, "Him saw."])]
    assert found == [False, True, False, False]


def test_link_grammar_that_is_missing_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CheckerError, match="apt install link-grammar"):
        load_checker("link-grammar")
