"""Workers in processes of their own: local ones and, where it is installed, those of Ray.

The cases of Ray run where it can be imported: ``pip install -e ".[dev,ray]"`` in an environment of
its own, then ``python -m pytest tests/unit/campaign/test_workers.py`` there.
"""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import pytest

from hinter_core.campaign.running.journal import repeating
from hinter_core.campaign.running.on_ray import ray_engine
from hinter_core.campaign.running.run import RunProgress, run_campaign
from hinter_core.campaign.running.worker import ShardDone
from hinter_core.campaign.running.workers import OpenEngine, SharedBudget, processes, run_on
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import CampaignStore
from hinter_core.data.rows import Row
from hinter_core.errors import HinterError, InputError
from hinter_core.models.budget import Cost
from hinter_core.types import Failure
from tests.conformance.faulty_server import FaultyServer
from tests.examples import DEEP
from tests.unit.campaign.test_run import PLAIN, RULES, tables, write_texts

RAY = find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not RAY, reason="Ray is not installed here: see the first lines")
KILLS = int(os.environ.get("HINTER_KILLS", "2" if DEEP or RAY else "1"))


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return campaign_on(str(write_texts(tmp_path_factory.mktemp("data") / "texts.csv", 40)))


@pytest.fixture(scope="module")
def whole(campaign: Campaign, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The tables of a run without workers."""
    folder = tmp_path_factory.mktemp("reference") / "campaign"
    run_campaign(replace(campaign, workers=1), CampaignStore(folder))
    return tables(folder)


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """Ray with two nodes on this machine."""
    if not RAY:
        pytest.skip("Ray is not installed here: see the first lines")
    import ray
    from ray.cluster_utils import Cluster

    least = 80 * 2**20
    nodes = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": least}
    )
    nodes.add_node(num_cpus=1, object_store_memory=least)
    ray.init(address=nodes.address, log_to_driver=False, logging_level="error")
    yield
    ray.shutdown()
    nodes.shutdown()


@pytest.fixture(params=["processes", pytest.param("ray", marks=needs_ray)])
def engine(request: pytest.FixtureRequest) -> OpenEngine:
    if request.param == "processes":
        return processes
    request.getfixturevalue("cluster")
    return ray_engine()


def workers() -> list[psutil.Process]:
    """The processes of workers on this machine that this one has started."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # one of another's, or killed before, may end now
            words = " ".join(process.cmdline())
            if "spawn_main" in words or words.startswith("ray::_Worker"):
                found.append(process)
    return found


def kill_one(times: int, killed: list[int]) -> Callable[[RunProgress], None]:
    """Kill a worker after each of the first shards, and note it."""
    rng = random.Random(times)

    def kill(progress: RunProgress) -> None:
        if progress.shards <= times and (found := workers()):
            with suppress(psutil.NoSuchProcess):
                one = rng.choice(found)
                one.kill()
                killed.append(one.pid)

    return kill


@needs_ray
def test_a_cluster_that_is_gone_is_not_looked_for(
    campaign: Campaign, tmp_path: Path, head: Head
) -> None:
    """Ray remembers its address on the disk, and would try it for minutes.

    First of all, as the nodes of other tests are on this machine, too.
    """
    head.start()
    head.kill()
    began, store = time.monotonic(), CampaignStore(tmp_path / "campaign")
    done = subprocess.run(
        [sys.executable, "-c", RUN, campaign.data, str(store.folder)],
        env={**os.environ, "RAY_ADDRESS": ""}, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert time.monotonic() - began < 150


@needs_ray
def test_what_ray_does_not_serve_is_refused(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    store = CampaignStore(tmp_path / "campaign")
    first = replace(campaign, workers=1, prioritise="random")
    with pytest.raises(InputError, match="leave out the engine"):
        run_campaign(first, store, engine=ray_engine())
    assert not store.folder.exists()
    with pytest.raises(InputError, match="a part of one"):
        ray_engine(1.5)
    assert not ray.is_initialized()
    for address, words in (("127.0.0.1:1", "no Ray cluster at"), ("ray://h:1", "job submit")):
        monkeypatch.setenv("RAY_ADDRESS", address)
        with pytest.raises(InputError, match=words):
            run_campaign(campaign, store, engine=ray_engine())
    assert not store.folder.exists()


def test_workers_that_are_killed_are_replaced_and_keep_the_budget_that_they_share(
    campaign: Campaign, whole: dict[str, Any], tmp_path: Path, engine: OpenEngine
) -> None:
    store, killed = CampaignStore(tmp_path / "campaign"), list[int]()
    bounded = replace(campaign, requests=180)
    done = run_campaign(bounded, store, engine=engine, on_progress=kill_one(KILLS, killed))
    assert killed
    assert done.complete
    assert 0 < done.predictions <= 180
    assert store.verify() == []
    made = tables(store.folder)
    lost = {name for name, rows in made.items() if any(row.get("failure") for row in rows)}
    assert 0 < len(lost) < done.shards
    assert all("ans" in name for name in lost)
    # What the workers made is what one alone makes, but for what they could not ask.
    assert {name: made[name] for name in made if name not in lost} == {
        name: whole[name] for name in whole if name not in lost
    }
    for name in lost:
        for row, alone in zip(made[name], whole[name], strict=True):
            assert row["failure"] in {None, Failure.OVER_BUDGET.value}
            assert row["failure"] or row["scores"] == alone["scores"]
    # What the budget left out is asked alone, and nothing is lost.
    again = run_campaign(replace(campaign, workers=1), repeating(store, campaign.models))
    assert (again.complete, again.parses) == (True, 0)
    assert tables(store.folder) == whole


def test_what_a_lost_worker_had_reserved_counts_as_spent() -> None:
    budget = SharedBudget(3, None)
    assert budget.room_for("a", Cost(1))
    assert budget.room_for("a", Cost(1))
    assert budget.room_for("b", Cost(1))
    assert budget.room_for("b", Cost(1)) is None  # another may cost less than it reserved
    budget.settle("a", Cost(1), Cost())
    budget.lose("a")
    budget.settle("a", Cost(1), Cost())  # it comes late, and counts no more
    assert budget.room_for("a", Cost(1)) is False
    assert budget.room_for("b", Cost(1))
    assert budget.room_for("b", Cost(1)) is None
    budget.settle("b", Cost(2), Cost(2))
    assert budget.room_for("b", Cost(1)) is False


@needs_ray
def test_a_fault_of_a_model_on_ray_is_told_in_a_sentence(
    campaign: Campaign, tmp_path: Path, cluster: None
) -> None:
    store, wrong = CampaignStore(tmp_path / "campaign"), (f"hf:{tmp_path}/no-such",)
    with pytest.raises(HinterError, match="no-such") as caught:
        run_campaign(replace(campaign, models=wrong), store, engine=ray_engine())
    assert "\n" not in str(caught.value)
    assert not store.folder.exists()


@needs_ray
@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_budget_that_is_lost_on_ray_ends_the_run_in_a_sentence(
    campaign: Campaign, whole: dict[str, Any], tmp_path: Path, cluster: None, elsewhere: bool
) -> None:
    """It ends, and goes on with another budget; nothing that was paid is asked again."""
    store = CampaignStore(tmp_path / "campaign")
    if elsewhere:  # no two texts have a mutant in common, which two workers may ask about at once
        data = tmp_path / "texts.csv"
        lines = (f"The Irish waiter of table {i} left early." for i in range(40))
        data.write_text("\n".join(["text", *lines]), encoding="utf-8")
        campaign = campaign_on(str(data))
    kill = partial(_kill_budget, at=15 if elsewhere else 3)
    with FaultyServer(on_request=kill) as server:
        name = f"openai:tiny?base_url={server.base_url}&concurrency=4" if elsewhere else RULES
        bounded = replace(campaign, requests=10_000, models=(name,))
        with pytest.raises(HinterError, match="counts the budget") as caught:
            run_campaign(
                bounded, store, engine=ray_engine(),
                on_progress=lambda now: None if elsewhere else kill(now.shards),
            )  # fmt: skip
        assert "\n" not in str(caught.value)
        assert run_campaign(bounded, store, engine=ray_engine()).complete
        assert set(server.settled().values()) == ({1} if elsewhere else set())
    assert elsewhere or tables(store.folder) == whole


def _kill_budget(number: int, at: int) -> None:
    if number == at:
        for process in psutil.Process().children(recursive=True):
            if "ray::SharedBudget" in " ".join(process.cmdline()):
                process.kill()


def campaign_on(data: str) -> Campaign:
    return Campaign(data=data, limit=6, shard=2, models=(RULES,), workers=2, **PLAIN)


RUN = """
import sys
from pathlib import Path
from hinter_core.campaign.running.journal import repeating
from hinter_core.campaign.running.on_ray import ray_engine
from hinter_core.campaign.running.run import run_campaign
from hinter_core.campaign.store import CampaignStore
from tests.unit.campaign.test_workers import campaign_on
done = run_campaign(
    campaign_on(sys.argv[1]), CampaignStore(Path(sys.argv[2])), engine=ray_engine(),
    on_progress=lambda now: print(now.shards, flush=True),
)
sys.exit(0 if done.complete else 5)
"""


class Head:
    """The head of a cluster, in processes of its own; it asks for a token."""

    def __init__(self) -> None:
        self._process: psutil.Popen | None = None
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "b" * 64}
        self.environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", **token}

    def start(self) -> None:
        """Start it anew."""
        with closing(socket.create_server(("127.0.0.1", 0))) as free:
            port = free.getsockname()[1]
        command = ["start", "--head", "--block", f"--port={port}", "--node-ip-address=127.0.0.1"]
        more = ["--num-cpus=2", "--include-dashboard=false", "--object-store-memory=100000000"]
        self._process = psutil.Popen(
            [sys.executable, "-m", "ray.scripts.scripts", *command, *more],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.environment["RAY_ADDRESS"] = f"127.0.0.1:{port}"
        until = time.monotonic() + 180
        while True:  # it answers long before workers can be started
            told = [sys.executable, "-m", "ray.scripts.scripts", "health-check"]
            address = f"--address=127.0.0.1:{port}"
            if not subprocess.run([*told, address], env=self.environment, check=False).returncode:
                return
            assert time.monotonic() < until

    def kill(self) -> None:
        """Kill all of it at once, workers as well, which are among its children."""
        if self._process:
            every = [*self._process.children(recursive=True), self._process]
            for process in every:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(every, timeout=30)
            self._process = None


@pytest.fixture
def head() -> Iterator[Head]:
    head = Head()
    yield head
    head.kill()


@needs_ray
@pytest.mark.parametrize("victim", ["command", "head"])
def test_a_run_is_resumed_whose_command_or_head_was_killed(
    campaign: Campaign, whole: dict[str, Any], tmp_path: Path, head: Head, victim: str
) -> None:
    """The command ends when it has seen no head for a minute, after which Ray gives up."""
    head.start()
    rng, store = random.Random(KILLS), CampaignStore(tmp_path / "campaign")
    killed = 0

    def run(kill_after: int | None) -> int:
        nonlocal killed
        with subprocess.Popen(
            [sys.executable, "-c", RUN, campaign.data, str(store.folder)],
            env=head.environment, stdout=subprocess.PIPE, text=True,
        ) as command:  # fmt: skip
            assert command.stdout
            for line in command.stdout:
                if int(line) == kill_after:
                    killed += 1
                    command.kill() if victim == "command" else head.kill()
            return command.wait(180)

    for turn in range(KILLS):
        assert run(turn * 18 // KILLS + rng.randint(1, 2)) != 0  # of 20 units
        if victim == "head":
            head.start()
    assert run(None) == 0
    assert killed == KILLS
    assert tables(store.folder) == whole
    assert store.verify() == []


@needs_ray
def test_a_cluster_that_asks_for_its_token_says_so(
    campaign: Campaign, tmp_path: Path, head: Head
) -> None:
    head.start()
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
        del head.environment[name]
    done = subprocess.run(
        [sys.executable, "-c", RUN, campaign.data, str(tmp_path / "campaign")],
        env=head.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "asks for its token" in done.stderr.splitlines()[-1], done.stderr


class Deadly:
    """An engine whose workers start, and die of one shard, the first ``deaths`` times."""

    patience = 10.0

    def __init__(self, deaths: int) -> None:
        self.deaths = deaths
        self.log: list[tuple[int, int | None]] = []  # worker and shard, or None: it is started

    def start(self, worker: int) -> Future[Any]:
        self.log.append((worker, None))
        started: Future[Any] = Future()
        started.set_result(None)
        return started

    def submit(self, worker: int, number: int, rows: Sequence[Row]) -> Future[Any]:
        self.log.append((worker, number))
        done: Future[Any] = Future()
        if number == 1 and self.deaths:
            self.deaths -= 1
            done.set_exception(ConnectionError("gone"))
        else:
            done.set_result(ShardDone(number, 0, 0, 0, 0, {}))
        return done

    def is_loss(self, error: BaseException) -> bool:
        return isinstance(error, ConnectionError)


def test_a_shard_of_which_workers_always_die_ends_the_run() -> None:
    made = run_on(Deadly(99), 2, iter([(number, []) for number in range(4)]))
    with pytest.raises(HinterError, match="died 5 times over unit 1 "):
        list(made)


def test_the_shard_of_a_lost_worker_goes_to_the_one_in_its_place() -> None:
    """Others have not seen the tables that were written meanwhile, and would replace them."""
    engine = Deadly(3)
    assert len(list(run_on(engine, 3, iter([(number, []) for number in range(9)])))) == 9
    (lost,) = {worker for worker, number in engine.log if number == 1}
    assert engine.log.count((lost, None)) == 4
    own = [number for worker, number in engine.log if worker == lost]
    for at in [place for place, number in enumerate(own) if number is None][1:]:
        assert own[at + 1] == 1


@pytest.mark.skipif(RAY, reason="Ray is installed here")
def test_without_ray_a_sentence_says_what_to_install() -> None:
    with pytest.raises(InputError, match=r"pip install '.\[ray\]'"):
        ray_engine()
