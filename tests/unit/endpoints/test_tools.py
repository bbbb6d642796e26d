"""What programs are told: also why a model gave no answer, and what counts leave out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hinter_core.campaign.progress import ATOMIC, PLACEBO, CampaignProgress
from hinter_core.endpoints.stdio import OwnMachine
from hinter_core.endpoints.tools import CampaignState, check, scan, status
from hinter_core.errors import InputError
from tests.conformance.faulty_server import FaultyServer


def test_a_model_that_fails_is_told_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HINTER_CACHE", str(tmp_path / "cache.sqlite"))
    monkeypatch.setenv("OPENAI_API_KEY", "ollama")
    place = OwnMachine(tmp_path, lambda *_: None)
    with FaultyServer(busy=lambda _: (500, {})) as server:
        model = f"openai:m?base_url={server.base_url}&retries=0&labels=good,bad"
        said = check(place, "The black man sang.", model=model, limit=5)
        (row,) = scan(place, ["The black man sang."], model=model, limit=5)["texts"]
    number = said["counts"]["unanswered"]
    assert number > 5
    assert said["unanswered"] == {"error (500: too much to do)": number} == row["unanswered"]
    assert server.asked.total() == 2  # the unchanged text, once for each call


def test_an_agent_asks_named_servers_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("HINTER_ENDPOINTS", "https://one.example/v1")
    for refused in ("openai:m", "openai:m?base_url=https://two.example/v1"):
        with pytest.raises(InputError, match="is not one that agents may use"):
            check(OwnMachine(tmp_path, lambda *_: None), "The black man sang.", model=refused)


def test_neutral_swaps_are_counted_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = CampaignProgress(("m",), mutants=5)
    seen.verdicts = {"m": Counter({(ATOMIC, "benign"): 3, (PLACEBO, "benign"): 2})}
    place = OwnMachine(tmp_path, lambda *_: None)
    monkeypatch.setattr(place, "state", lambda _: CampaignState("done", seen))
    said = status(place, "c")
    assert sum(said["counts"]["m"].values()) + said["neutral_swaps"]["m"] == said["mutants"]
