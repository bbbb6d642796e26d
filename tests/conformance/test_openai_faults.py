"""The OpenAI back-end against a server that fails: each fault ends in its named outcome."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.cache import PredictionCache
from hinter_core.models.registry import build_model, parse_name
from hinter_core.models.store import PredictionStore
from hinter_core.types import Failure
from tests.conformance.faulty_server import FaultyServer

GOOD = [f"Text number {i}." for i in range(20)]


def load(rest: str) -> Any:
    return build_model(parse_name(f"openai:{rest}", trusted=True))


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    with FaultyServer() as running:
        yield running


def store(server: FaultyServer, path: Path, **settings: object) -> PredictionStore:
    query = "&".join(f"{k}={v}" for k, v in {"timeout": 5, "retries": 2, **settings}.items())
    model = load(f"tiny?base_url={server.base_url}&{query}")
    return PredictionStore(model, cache=PredictionCache(path / "cache.sqlite"))


@pytest.mark.parametrize(
    ("fault", "failure", "requests"),
    [
        ("500", Failure.ERROR, 3),
        ("400", Failure.ERROR, 1),
        ("hang", Failure.TIMED_OUT, 1),
        ("drop", Failure.ERROR, 3),
        ("malformed", Failure.ERROR, 1),
        ("no-choices", Failure.ERROR, 1),
        ("refusal", Failure.REFUSED, 1),
        ("unknown-label", Failure.UNPARSABLE, 1),
    ],
)
def test_a_fault_has_a_name_and_spoils_no_other_text(
    server: FaultyServer, tmp_path: Path, fault: str, failure: Failure, requests: int
) -> None:
    retries = 0 if fault == "hang" else 2
    asked = store(server, tmp_path, retries=retries)
    bad = f"Bad [fault:{fault}] text."
    answers = asked.predict([*GOOD, bad])
    assert answers[bad].failure is failure
    assert answers[bad].detail
    assert server.asked[bad] == requests
    assert all(answers[text].labels == ("positive",) for text in GOOD)


@pytest.mark.parametrize("fault", ["429-once", "500-once"])
def test_a_passing_fault_is_retried(server: FaultyServer, tmp_path: Path, fault: str) -> None:
    text = f"Once [fault:{fault}]."
    assert store(server, tmp_path).predict([text])[text].labels == ("positive",)
    assert server.asked[text] == 2


def test_nothing_is_asked_twice_after_success(server: FaultyServer, tmp_path: Path) -> None:
    store(server, tmp_path).predict(GOOD)
    again = store(server, tmp_path)
    answers = again.predict([*GOOD, "A new text."])
    assert again.predicted == 1
    assert set(server.asked.values()) == {1}
    assert len(answers) == 21


def test_a_failure_that_may_pass_is_asked_again(server: FaultyServer, tmp_path: Path) -> None:
    text = "Bad [fault:400]."
    for _ in range(2):
        assert store(server, tmp_path).predict([text])[text].failure is Failure.ERROR
    assert server.asked[text] == 2


@pytest.mark.parametrize("fault", ["401", "404"])
def test_a_wrong_key_or_model_stops_the_run_and_keeps_what_was_paid(
    server: FaultyServer, tmp_path: Path, fault: str
) -> None:
    asked = store(server, tmp_path, concurrency=1)
    with pytest.raises(ModelError, match=r"OPENAI_API_KEY|base_url"):
        asked.predict([*GOOD, f"x [fault:{fault}]"])
    again = store(server, tmp_path)
    again.predict(GOOD)
    assert {server.asked[text] for text in GOOD} == {1}


def test_usage_is_counted_and_no_usage_is_no_error(server: FaultyServer, tmp_path: Path) -> None:
    model = load(f"tiny?base_url={server.base_url}")
    assert all(p.labels == ("positive",) for p in model.predict([*GOOD, "x [fault:no-usage]"]))
    assert (model.usage.spent.requests, model.usage.spent.prompt_tokens) == (21, 200)


def test_the_key_goes_to_the_server_and_nowhere_else(
    server: FaultyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    asked = store(server, tmp_path)
    answers = asked.predict(["x [fault:400]", "good"])
    assert server.keys == {"Bearer sk-secret"}
    assert "sk-secret" not in repr(answers) + asked.model.name + asked.model.identity
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"sk-secret" not in kept
    assert b"good" not in kept
