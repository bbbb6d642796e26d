"""Campaigns with models on servers: texts are sent ahead, and tables are as in plain order."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from hinter_core.campaign.parquet import read_table
from hinter_core.campaign.running import worker
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.running.worker import _made_ahead
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.errors import HinterError
from tests.conformance.faulty_server import FaultyServer

LOCAL = "scripted:negative if gender=female; positive otherwise"
TEXTS = [
    "The black man was kind.", "The soup was warm.", "The German nurse laughed.",
    "A black waiter [fault:500] fell.", "The Korean boy won.", "The white woman paid.",
]  # fmt: skip


def reply(text: str, turn: int) -> str:
    return "negative" if crc32(text.encode()) % 3 == 0 else "positive"


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several batches in each shard."""
    monkeypatch.setattr(worker, "_CHUNK", 4)
    monkeypatch.setattr(worker, "_AHEAD", 9)


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    data = tmp_path / "texts.txt"
    data.write_text("\n".join(TEXTS), encoding="utf-8")
    return Campaign(data=str(data), limit=4, shard=2, atomic=False, placebo=False)


def named(server: FaultyServer, more: str = "") -> str:
    return f"openai:m?base_url={server.base_url}&logprobs=0&retries=0{more}"


def run(
    campaign: Campaign, folder: Path, monkeypatch: pytest.MonkeyPatch, **more: Any
) -> CampaignStore:
    """Run with a cache of answers beside the campaign's folder."""
    monkeypatch.setenv("HINTER_CACHE", str(folder.with_suffix(".sqlite")))
    run_campaign(campaign, store := CampaignStore(folder), **more)
    return store


def in_plain_order(
    campaign: Campaign, folder: Path, monkeypatch: pytest.MonkeyPatch, **more: Any
) -> CampaignStore:
    """Run without sending anything ahead."""
    with monkeypatch.context() as plain:
        plain.setattr(worker, "_AHEAD", 0)
        return run(campaign, folder, plain, **more)


def tables(store: CampaignStore) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(store.shards.iterdir())}


@pytest.mark.parametrize("more", [{}, {"discarded": True}, {"repeat": 2}])
def test_the_tables_are_those_of_plain_order(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    with FaultyServer(reply) as server:
        same = replace(campaign, models=(named(server), LOCAL), **more)
        plain = in_plain_order(same, tmp_path / "plain", monkeypatch)
        flow = run(same, tmp_path / "flow", monkeypatch)
    assert tables(flow) == tables(plain)
    assert len(tables(flow)) == 3 * 4


@pytest.mark.parametrize(
    "more", [{"requests": 25}, {"requests": 25, "repeat": 2}, {"budget": 0.002}]
)
def test_a_budget_is_spent_on_the_same_texts(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    with FaultyServer(reply) as server:
        same = replace(campaign, models=(named(server, "&price_in=3&price_out=15"),), **more)
        plain = in_plain_order(same, tmp_path / "plain", monkeypatch)
        flow = run(same, tmp_path / "flow", monkeypatch)
        assert len(server.asked) < 45
    assert tables(flow) == tables(plain)


def test_two_models_that_share_a_budget_are_asked_in_turn(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultyServer(reply) as server:
        names = (named(server, "&concurrency=1"), named(server, "&question=Well%3F"))
        same = replace(campaign, models=names, requests=40)
        plain = in_plain_order(same, tmp_path / "plain", monkeypatch)
        flow = run(same, tmp_path / "flow", monkeypatch)
    assert tables(flow) == tables(plain)


def test_a_later_model_is_asked_ahead_as_well(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultyServer(reply) as server:
        same = replace(campaign, models=(LOCAL,))
        run(same, tmp_path / "flow", monkeypatch)
        both = replace(campaign, models=(LOCAL, named(server)))
        flow = run(both, tmp_path / "flow", monkeypatch)
        plain = in_plain_order(both, tmp_path / "plain", monkeypatch)
    assert tables(flow) == tables(plain)


class Holding:
    """Holds back the answers to the first requests until ``number`` have come."""

    def __init__(self, number: int) -> None:
        self.number, self.come = number, threading.Event()
        self.in_time: list[bool] = []

    def __call__(self, number: int) -> None:
        if number == 1:  # no mutant is sent before a first text has an answer
            return
        if number >= self.number:
            self.come.set()
        self.in_time.append(self.come.wait(10))


def test_later_shards_are_made_while_a_server_answers_about_the_first(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In plain order no third shard is made before the first is answered."""
    monkeypatch.setattr(worker, "_AHEAD", 100)
    holding = Holding(6)
    with FaultyServer(reply, on_request=holding) as server:
        small = replace(campaign, models=(named(server),), limit=1, shard=1)
        run(small, tmp_path / "flow", monkeypatch)
    assert all(holding.in_time)


@pytest.mark.parametrize("most", [0, 1, 5, 40])
def test_no_more_is_made_ahead_than_the_bound(most: int) -> None:
    begun, taken = [0], [0]
    sizes = [3, 9, 1, 1, 7, 30, 2, 2, 2, 8]

    def pieces() -> Iterator[list[int]]:
        for size in sizes:
            begun[0] += size
            yield [0] * size

    for piece in _made_ahead(pieces(), most):  # type: ignore[arg-type]
        assert begun[0] - taken[0] - len(piece) <= most + max(sizes)
        taken[0] += len(piece)  # type: ignore[arg-type]
    assert taken[0] == sum(sizes)


def test_a_stopped_run_sends_no_more_keeps_what_comes_and_ends_the_same(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultyServer(reply) as server:
        same = replace(campaign, models=(named(server, "&concurrency=2"),), data=good(campaign))
        stop: list[object] = []
        run(
            same, tmp_path / "flow", monkeypatch,
            on_progress=stop.append, cancelled=lambda: bool(stop),
        )  # fmt: skip
        sent = len(server.bodies)
        assert server.settled().total() == sent  # nobody is left behind
        plain_requests = len(server.asked)
        flow = run(same, tmp_path / "flow", monkeypatch)
        assert len(server.bodies) > sent
        assert set(server.asked.values()) == {1}
        assert plain_requests == sent
    with FaultyServer(reply) as server:
        whole = replace(same, models=(named(server, "&concurrency=2"),))
        plain = in_plain_order(whole, tmp_path / "plain", monkeypatch)
        assert without_names(flow) == without_names(plain)


@pytest.mark.parametrize(
    ("status", "headers"),
    [(429, {"retry-after-ms": "300"}), (503, {}), (0, {})],
    ids=["refuses for a while", "is overloaded", "drops connections"],
)
def test_what_a_server_in_trouble_does_costs_no_answer(
    campaign: Campaign,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    headers: dict[str, str],
) -> None:
    """From the seventh request on, eight are refused, some of them more than once."""

    def busy(number: int) -> tuple[int, dict[str, str]] | None:
        return (status, headers) if 7 <= number < 15 else None

    with FaultyServer(reply, busy=busy) as server:
        same = replace(campaign, models=(named(server, "&retries=9"),), data=good(campaign))
        flow = run(same, tmp_path / "flow", monkeypatch)
        assert server.spent == (len(server.asked) * 10, len(server.asked))  # each answered once
        assert len(server.bodies) == len(server.asked) + 8
        monkeypatch.delenv("HINTER_CACHE")
        assert tables(in_plain_order(same, tmp_path / "plain", monkeypatch)) == tables(flow)


@pytest.mark.parametrize("fault", ["drip", "endless", "hang"])
def test_a_text_whose_answer_does_not_end_is_one_outcome(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    data = tmp_path / "endless.txt"
    whole = Path(good(campaign)).read_text(encoding="utf-8")
    data.write_text(f"{whole}\nThe white man sang. [fault:{fault}]", encoding="utf-8")
    with FaultyServer(reply) as server:
        same = replace(campaign, models=(named(server, "&timeout=1"),), data=str(data), limit=1)
        flow = run(same, tmp_path / "flow", monkeypatch)
        answers = [
            row
            for shard in flow.known()
            for row in read_table(flow.answers(shard, identity(flow))).to_pylist()
        ]
    failed = [row["failure"] for row in answers if row["failure"]]
    assert failed
    assert len(failed) >= sum(f"[fault:{fault}]" in text for text in server.asked)
    assert set(server.asked.values()) == {1}


@pytest.mark.parametrize("at", [1, 17])
def test_a_refused_key_ends_the_run_and_the_next_asks_only_what_is_left(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    refused = [at]

    def busy(number: int) -> tuple[int, dict[str, str]] | None:
        return (401, {}) if number == refused[0] else None

    with FaultyServer(reply, busy=busy) as server:
        same = replace(campaign, models=(named(server),), data=good(campaign))
        with pytest.raises(HinterError, match="refused the key"):
            run(same, tmp_path / "flow", monkeypatch)
        first = server.settled().total() - 1
        assert len(server.bodies) == first + 1
        refused[0] = 0
        flow = run(same, tmp_path / "flow", monkeypatch)
        assert server.settled().total() == len(server.asked) + 1
        monkeypatch.delenv("HINTER_CACHE")
        assert tables(in_plain_order(same, tmp_path / "plain", monkeypatch)) == tables(flow)


def identity(store: CampaignStore) -> str:
    (model,) = store.read()["models"].values()
    return str(model["identity"])


def good(campaign: Campaign) -> str:
    """The texts without the one that the server cannot answer."""
    path = Path(campaign.data).with_name("good.txt")
    path.write_text("\n".join(text for text in TEXTS if "fault" not in text), encoding="utf-8")
    return str(path)


def without_names(store: CampaignStore) -> list[bytes]:
    """The tables; those of answers are named by the server's address."""
    return sorted(tables(store).values())
