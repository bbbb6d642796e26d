"""Models behind an API: whose key is sent where."""

from __future__ import annotations

import json

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.registry import parse_name
from hinter_core.models.server.endpoint import KEYS, endpoint_for

HERE, THERE = "http://localhost:1/v1", "http://localhost:2/v1"


def test_a_lent_key_goes_to_its_own_server_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-machine")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    here = parse_name(f"openai:m?base_url={HERE}", trusted=True)
    there = parse_name(f"openai:m?base_url={THERE}", trusted=True)
    own = endpoint_for(here)
    assert (own.key, own.redirects) == ("sk-of-this-machine", True)
    monkeypatch.setenv(KEYS, json.dumps({HERE: "sk-lent"}))
    lent = endpoint_for(here)
    assert (lent.key, lent.redirects) == ("sk-lent", False)
    assert "sk-lent" not in repr(lent)
    with pytest.raises(ModelError, match="no key for 'openai:m") as caught:
        endpoint_for(there)
    assert "sk-" not in str(caught.value)
    # An empty loan is none of this machine's own key either.
    monkeypatch.setenv(KEYS, "{}")
    with pytest.raises(ModelError, match="no key for"):
        endpoint_for(here)


def test_a_lent_key_for_the_default_server_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEYS, json.dumps({"": "sk-lent"}))
    assert endpoint_for(parse_name("openai:m", trusted=True)).key == "sk-lent"
    monkeypatch.setenv(KEYS, json.dumps({"": "sk lent \u20ac"}))
    with pytest.raises(ModelError, match="characters that no key has"):
        endpoint_for(parse_name("openai:m", trusted=True))
