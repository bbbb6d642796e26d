"""What the page costs its visitor before anything is done: events, and what they take with them."""

from __future__ import annotations

from typing import Any

import pytest

from hinter_ui.shared.access import Access
from hinter_ui.shared.services import Services
from hinter_ui.shell import build_app

BOXES = {"column", "row", "tabs", "tabitem", "form", "accordion"}


@pytest.fixture(scope="module")
def config() -> dict[str, Any]:
    return dict(build_app(Services(Access.at(None))).get_config_file())


def asks(event: dict[str, Any]) -> bool:
    return bool(event["backend_fn"])


def test_a_fresh_page_asks_for_the_first_text_and_the_models_alone(config: dict[str, Any]) -> None:
    fresh = [e for e in config["dependencies"] if any(name == "load" for _, name in e["targets"])]
    assert sum(map(asks, fresh)) == 2
    assert sum(len(event["outputs"]) for event in fresh if asks(event)) < 33


def test_no_progress_is_kept_that_is_not_shown_or_takes_a_box_along(config: dict[str, Any]) -> None:
    kinds = {one["id"]: one["type"] for one in config["components"]}
    events = [event for event in config["dependencies"] if asks(event) and event["targets"]]
    assert len(events) > 50
    for event in events:
        named = event["show_progress_on"]
        places = event["outputs"] if named is None else named
        hidden = event["show_progress"] == "hidden"
        assert not (places if hidden else BOXES & {kinds[p] for p in places}), event["targets"]
