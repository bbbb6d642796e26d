"""Workers on a Ray cluster: an actor for each, wherever there is room.

A cluster that ``RAY_ADDRESS`` or this machine names is used; without one, Ray is started here for
the run. An actor that dies is replaced by another, and not restarted by Ray: what is asked of an
actor that restarts fails at once, what is asked of a new one waits until it lives. Tables go from
the actors to the campaign's directory, which all machines must share, and never to Ray.
"""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import count
from math import inf
from typing import Any, cast

from hinter_core import __version__
from hinter_core.campaign.running.worker import ShardDone
from hinter_core.campaign.running.workers import Engine, OpenEngine, RemoteWorker, SharedBudget
from hinter_core.campaign.spec import Campaign
from hinter_core.campaign.store import SPEC, CampaignStore
from hinter_core.data.rows import Row
from hinter_core.errors import HinterError, InputError
from hinter_core.models.budget import Budget

_ADDRESS = "RAY_ADDRESS"
_PATIENCE = 5.0  # seconds for which a cluster's answer is waited for
_FINISH = 15.0  # seconds for the answers under way when a run ends by an error
_LAST = 120.0  # seconds after which the actor of the budget counts as lost
_NO_BUDGET = (
    "The process that counts the budget has ended, or is out of reach. Finished work is kept, and "
    "the run can be resumed."
)
_OBJECTS = 80 * 2**20  # bytes, the least that Ray takes: rows and counts pass through it
# Of a cluster that is started here: reports nothing to Ray's makers, kills no process by its own
# estimate of the free memory, which errs in containers, and lets workers run as fast as others.
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_memory_monitor_refresh_ms": "0",
    "RAY_worker_niceness": "0",
}


class EngineName(StrEnum):
    """What runs the workers of a campaign."""

    LOCAL = "local"
    RAY = "ray"


def engine_named(name: str, gpus: float = 0.0) -> OpenEngine | None:
    """Return what opens the engine of that name; None: workers run on this machine.

    Raises:
        InputError: no engine has that name, or it is given what it cannot use.
    """
    if name not in tuple(EngineName):
        raise InputError(f"No engine is called '{name}'; use {' or '.join(EngineName)}.")
    if name == EngineName.RAY:
        return ray_engine(gpus)
    if gpus:
        raise InputError(
            "GPUs are given to workers on Ray; those here share this machine's. Leave out gpus, or "
            "choose the engine ray."
        )
    return None


def ray_engine(gpus: float = 0.0) -> OpenEngine:
    """Return what opens the engine; ``gpus``: those of each worker, also a part of one.

    Raises:
        InputError: Ray is not installed, or the number makes no sense.
    """
    if not (0 <= gpus < inf and (gpus <= 1 or gpus == int(gpus))):
        raise InputError("The GPUs of a worker are a part of one, such as 0.5, or a whole number.")
    try:
        import ray
    except ImportError as error:
        raise InputError(
            "The engine ray needs Ray; install it in a copy of HInter: pip install '.[ray]'"
        ) from error
    return partial(_opened, ray, gpus)


@contextmanager
def _opened(ray: Any, gpus: float, campaign: Campaign, store: CampaignStore) -> Iterator[Engine]:
    if campaign.prioritised:
        raise InputError("A prioritised run has one worker, in this process; leave out the engine.")
    with _connected(ray, gpus, campaign.workers):
        engine = _Actors(ray, gpus, campaign, store)
        try:
            yield engine
        except HinterError:
            engine.finish()
            raise
        finally:
            engine.close()


@contextmanager
def _connected(ray: Any, gpus: float, workers: int) -> Iterator[None]:
    """Use the cluster that there is; start one here if there is none."""
    if ray.is_initialized():
        yield
        return
    address = os.environ.get(_ADDRESS, "")
    if address.startswith("ray://"):
        raise InputError(
            f"{_ADDRESS} names the door for clients ({address}), from which no campaign is run. "
            "Send the command to the cluster: ray job submit -- hinter run ... --engine ray"
        )
    quiet = {"log_to_driver": False, "logging_level": "error"}
    if address or _is_node():
        _join(ray, address, quiet)
    else:
        _start_here(ray, gpus, workers, quiet)
    try:
        yield
    finally:
        ray.shutdown()


def _is_node() -> bool:
    """Whether this machine belongs to a cluster; Ray itself looks for minutes for a dead one."""
    import psutil

    every = (process.info for process in psutil.process_iter(["name", "status"]))
    # A container may have nobody who buries the dead.
    return any(one["name"] == "raylet" and one["status"] != psutil.STATUS_ZOMBIE for one in every)


def _join(ray: Any, address: str, quiet: dict[str, Any]) -> None:
    try:
        host, _, port = address.rpartition(":")
        if port.isdecimal():  # Ray would try for minutes
            socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
        ray.init(address="auto", **quiet)
    except (OSError, RuntimeError) as error:  # of OSError, ConnectionError is Ray's
        if "AuthenticationError" in str(error.__cause__):
            raise InputError(
                "The Ray cluster asks for its token. Set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN "
                "if the token is not in ~/.ray/auth_token."
            ) from error
        raise InputError(
            f"There is no Ray cluster at {address or 'this machine'} ({_ADDRESS}). Start it, "
            "correct the address, or unset it to start Ray on this machine."
        ) from error


def _start_here(ray: Any, gpus: float, workers: int, quiet: dict[str, Any]) -> None:
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    ray.init(
        address="local",
        num_cpus=max(workers, os.cpu_count() or 1),
        object_store_memory=_OBJECTS,
        include_dashboard=False,
        **quiet,
    )
    there = ray.cluster_resources().get("GPU", 0)
    if gpus > there:
        ray.shutdown()
        raise InputError(
            f"This machine has {there:.0f} GPUs for Ray, and a worker is to have {gpus:g}."
        )


class _Actors:
    """An engine of actors."""

    patience = 600.0  # a cluster may have to grow

    def __init__(self, ray: Any, gpus: float, campaign: Campaign, store: CampaignStore) -> None:
        self._ray, self._campaign, self._store = ray, campaign, store
        self._worker = ray.remote(
            num_cpus=1, num_gpus=gpus, max_restarts=0, max_task_retries=0,
            scheduling_strategy="SPREAD",
        )(_Worker)  # fmt: skip
        self._actors: dict[int, tuple[str, Any]] = {}
        self._names = map(str, count())
        self._at_work: set[Future[Any]] = set()
        self._budget: Any = None
        if Budget(campaign.requests, campaign.budget).limited:
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            here = NodeAffinitySchedulingStrategy(
                ray.get_runtime_context().get_node_id(), soft=False
            )
            made = ray.remote(num_cpus=0, scheduling_strategy=here)(SharedBudget)
            self._budget = made.remote(campaign.requests, campaign.budget)

    def start(self, worker: int) -> Future[HinterError | None]:
        """Start an actor; see :class:`Engine`."""
        self._end(worker)
        name, ask = next(self._names), self._budget and _Desk(self._budget)
        given = self._campaign, self._store, ask, name
        actor = self._worker.remote(__version__, os.getcwd(), *given)
        self._actors[worker] = name, actor
        return cast("Future[HinterError | None]", actor.load.remote().future())

    def submit(
        self, worker: int, number: int, rows: Sequence[Row]
    ) -> Future[ShardDone | HinterError]:
        """Hand a shard to an actor; see :class:`Engine`."""
        done = self._actors[worker][1].do.remote(number, rows).future()
        self._at_work = {one for one in self._at_work if not one.done()} | {done}
        return cast("Future[ShardDone | HinterError]", done)

    def is_loss(self, error: BaseException) -> bool:
        """Whether the actor is dead or out of reach; what it raised itself is a fault."""
        faults = self._ray.exceptions
        return isinstance(error, faults.RayError) and not isinstance(error, faults.RayTaskError)

    def _end(self, worker: int) -> None:
        name, actor = self._actors.pop(worker, ("", None))
        if actor:
            self._ray.kill(actor)  # one that is out of reach may still live
            if self._budget:
                self._budget.lose.remote(name)

    def finish(self) -> None:
        """Give workers that end for the same reason time to keep the answers under way."""
        wait(self._at_work, timeout=_FINISH)

    def close(self) -> None:
        """End the actors."""
        for worker in list(self._actors):
            self._end(worker)


@dataclass(frozen=True)
class _Desk:
    """Calls methods of the budget's actor."""

    actor: Any

    def __call__(self, method: str, *given: Any) -> Any:
        import ray

        try:
            return ray.get(getattr(self.actor, method).remote(*given), timeout=_LAST)
        except ray.exceptions.RayError as error:
            if method == "settle":  # what is not settled counts as spent
                return None
            raise HinterError(_NO_BUDGET) from error


class _Worker(RemoteWorker):
    """A worker on another machine, which must have the same HInter and the same directory."""

    def __init__(self, version: str, folder: str, *given: Any) -> None:
        super().__init__(*given)
        self._version = version
        with suppress(OSError):  # paths are relative to it; if there are none, none is missed
            os.chdir(folder)

    def load(self) -> HinterError | None:
        """Load parser and models; return what is wrong with them, or with this machine."""
        node = platform.node()
        if self._version != __version__:
            return InputError(
                f"{node} has HInter {__version__}, and the run was started by {self._version}; "
                "install the same one on all machines."
            )
        try:
            if not (self._store.folder / SPEC).exists():
                return InputError(
                    f"{node} does not see the campaign in {self._store.folder}; name a directory "
                    "that all machines share, or s3://BUCKET/FOLDER."
                )
        except HinterError as error:  # the place refuses it
            return error
        return super().load()
