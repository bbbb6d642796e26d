"""The one named endpoint, and the privacy of all others."""

from __future__ import annotations

from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError


@pytest.fixture(scope="module")
def client(app: Any) -> Client:
    return Client(app.url, verbose=False)


def test_only_check_is_public(client: Client) -> None:
    described = client.view_api(return_format="dict", print_info=False)
    assert list(described["named_endpoints"]) == ["/check"]
    assert not described["unnamed_endpoints"]


def test_check_answers_with_the_json_of_the_command_line(client: Client) -> None:
    text = "The British waiter who served us remembered every order."
    value = client.predict(text, ["race", "gender"], "scripted:hidden-review", api_name="/check")
    assert value["text"] == text
    assert value["counts"]["hidden"] > 0
    assert sum(value["counts"].values()) == len(value["mutants"])
    assert {m["verdict"] for m in value["mutants"]} >= {"hidden", "benign"}


def test_bad_input_is_a_message(client: Client) -> None:
    with pytest.raises(AppError, match="There is no text to check"):
        client.predict(" ", ["race", "gender"], "vader", api_name="/check")
