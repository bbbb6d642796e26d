"""What programs are told: advice that a caller can follow."""

from __future__ import annotations

import json

from hinter_core.endpoints.tools import check, run, schema_of
from hinter_ui.batch.form import PUBLIC_LIMIT, PUBLIC_SAMPLE
from hinter_ui.shared.access import Access
from tests.ui.conftest import launched
from tests.ui.test_gate import ask


def told(url: str, attributes: list[str], model: str, **headers: str) -> str:
    data = json.dumps({"data": ["She is a nurse.", attributes, model, 1, [], ""]}).encode()
    event = json.loads(ask(f"{url}/gradio_api/call/check", data, **headers)[2])["event_id"]
    return str(ask(f"{url}/gradio_api/call/check/{event}", **headers)[2])


def test_advice_is_for_the_caller() -> None:
    both = ["race", "gender"]
    with launched(Access()) as (_, url):
        words = told(url, both, "openai:m?base_url=http://10.0.0.1/v1")
        assert "may not ask http://10.0.0.1/v1" in words
        assert "key" not in words
        assert "X-Model-Key" in told(url, both, "openai:m")
        words = told(url, ["race"], "embedded")
        assert "Choose at least two attributes to test an intersection." in words
        headers = 'openai:m?headers={"Authorization": "x"}'
        assert "the command line reads" in told(url, both, headers, x_model_key="sk-x")


def test_the_limits_of_a_public_host_are_told() -> None:
    told = schema_of(run)["properties"]
    assert f"public host {PUBLIC_LIMIT}" in told["limit"]["description"]
    assert f"{PUBLIC_SAMPLE} on a public host" in told["sample"]["description"]
    assert "public" not in schema_of(check)["properties"]["limit"]["description"]
