"""Options of a server's requests: fields, headers, effort, Azure; what does not belong there."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.registry import build_model, parse_name
from tests.conformance.faulty_server import FaultyServer

KEY = "sk-2718281828"


def load(rest: str) -> Any:
    return build_model(parse_name(f"openai:{rest}", trusted=True))


def asked(server: FaultyServer, query: str) -> tuple[dict[str, Any], dict[str, str], str]:
    """Body, headers and path of one request."""
    (answer,) = load(f"tiny?base_url={server.base_url}&{query}").predict(["a"])
    assert answer.labels == ("positive",)
    headers = {name.lower(): value for name, value in server.headers[-1].items()}
    return server.bodies[-1], headers, server.paths[-1]


def test_further_fields_headers_and_effort_are_sent() -> None:
    body = quote('{"top_k": 1, "chat_template_kwargs": {"enable_thinking": false}}')
    with FaultyServer() as server:
        sent, headers, _ = asked(
            server,
            f'extra_body={body}&headers={{"X-Title": "audit"}}&reasoning_effort=low',
        )
        assert (sent["top_k"], sent["reasoning_effort"]) == (1, "low")
        assert sent["chat_template_kwargs"] == {"enable_thinking": False}
        assert headers["x-title"] == "audit"
        plain, headers, _ = asked(server, "")
        assert "x-title" not in headers
        assert not {"top_k", "reasoning_effort"} & plain.keys()


@pytest.mark.parametrize(
    ("tail", "path"),
    [
        ("", "/openai/deployments/tiny/chat/completions?api-version=2024-10-21"),
        ("/openai", "/openai/deployments/tiny/chat/completions?api-version=2024-10-21"),
        ("/openai/v1", "/openai/v1/chat/completions?api-version=2024-10-21"),
    ],
)
def test_azure_has_deployments_a_version_and_a_header_for_the_key(
    tail: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "azure-key")
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "of the machine")
    with FaultyServer() as server:
        where = server.base_url.removesuffix("/v1") + tail
        (answer,) = load(f"tiny?base_url={where}&api_version=2024-10-21").predict(["a"])
    assert answer.labels == ("positive",)
    assert server.paths[-1] == path
    assert server.headers[-1]["api-key"] == "azure-key"
    assert "of the machine" not in str(server.headers[-1])


def test_an_effort_that_is_refused_is_told_and_not_left_out() -> None:
    with FaultyServer(refuses=("reasoning_effort",)) as server:
        model = load(f"tiny?base_url={server.base_url}&reasoning_effort=high")
        (answer,) = model.predict(["a"])
    assert "'reasoning_effort' is not supported" in answer.detail


def test_options_belong_to_the_identity_of_a_reply() -> None:
    names = ["", "&reasoning_effort=low", '&extra_body={"top_k":1}', '&headers={"X-A":"b"}',
             "&api_version=2024-10-21", '&extra_body={"top_k":2}']  # fmt: skip
    found = {load(f"tiny?base_url=http://localhost:1/v1{name}").reply_identity for name in names}
    assert len(found) == len(names)
    assert load("tiny?base_url=http://localhost:1/v1").reply_identity in found


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("extra_body=top_k", "extra_body is no JSON object"),
        ("extra_body=[1]", "extra_body is no JSON object"),
        ("extra_body=" + '{"a":' * 1500, "extra_body is no JSON object"),
        ('extra_body={"messages":[]}', "Leave messages out of extra_body"),
        ('extra_body={"max_tokens":9,"n":5}', "Leave max_tokens, n out of extra_body"),
        ("headers=X-A: b", "headers is no JSON object"),
        ('headers={"X-A": 1}', "needs names and texts"),
        ('headers={"X A": "b"}', "needs names and texts"),
        ('headers={"X-A": "b%0d%0aX-B: c"}', "no JSON object|needs names and texts"),
        ('headers={"Authorization": "Bearer x"}', "Leave Authorization out of headers"),
        ('headers={"x-api-key": "x"}', "Leave x-api-key out of headers"),
        ('headers={"Cookie": "x"}', "Leave Cookie out of headers"),
        ('extra_body={"api_key":"x"}', "Leave api_key out of extra_body"),
        ('extra_body={"max_tokens_seen":1,"a":[{"x":{"Api-Key":"x"}}]}', "Leave Api-Key out of"),
        (f'extra_body={{"user":"{KEY}"}}', "Leave the API key out of the model's name"),
        (f'headers={{"X-Title":"{KEY}"}}', "Leave the API key out of the model's name"),
        (f"question=Is {KEY} good?", "Leave the API key out of the model's name"),
        ("reasoning_effort=much", "reasoning_effort=much in .*: use default or none"),
        ("api_version=2024-10-21&base_url=", "api_version is for Azure: add base_url"),
    ],
)
def test_what_cannot_be_sent_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, query: str, words: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ModelError, match=words) as caught:
        load(f"tiny?{query}" if "base_url" in query else f"tiny?base_url=http://h:1/v1&{query}")
    assert "\n" not in str(caught.value)
