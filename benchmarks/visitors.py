"""Visitors of a public host at once, by the calls that their pages make.

The app runs as a process of its own, open to all addresses but asked on this machine alone. Each
visitor types a text (the page looks at it), checks it, reads for a while, and goes on. No two texts
are alike, so that nothing is answered from a cache. Beside them pages scan without a pause, and a
campaign runs.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import numpy
import psutil

from hinter_core.storage import ROOT

READING = (1.0, 5.0)  # seconds between two checks of a visitor
_PATIENCE = 300.0
_PEOPLE = {
    "waiter": "waitress", "landlord": "landlady", "actress": "actor", "king": "queen",
    "policeman": "policewoman", "grandmother": "grandfather", "salesman": "saleswoman",
}  # fmt: skip
_GROUPS = ("British", "Nigerian", "Mexican", "Korean", "Iranian", "Polish", "Haitian", "Syrian")
_BUSY = ("busy", "queue", "room for another", "Too many", "wait already")


@dataclass
class Visited:
    """Seconds of each kind of call, what was refused politely, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    busy: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[int, float]] = field(default_factory=list)  # checks, MB


class Page:
    """One open page: its events are called by the ids of their widgets."""

    def __init__(self, client: httpx.AsyncClient, config: dict[str, Any]) -> None:
        self._client = client
        self._hash = uuid4().hex[:11]
        self._named: dict[Any, int] = {}
        self._widgets: dict[int, Any] = {}
        self._events: dict[tuple[int, str], Any] = {}
        self.values: dict[str, Any] = {}
        self._learn(config)

    def _learn(self, config: dict[str, Any]) -> None:
        self._widgets |= {c["id"]: c for c in config["components"]}
        self._named = {c["props"].get("elem_id"): i for i, c in self._widgets.items()}
        self._events |= {
            (target, event): one
            for one in config["dependencies"]
            for target, event in one["targets"]
            if one["backend_fn"]
        }

    async def open(self, tab: str) -> None:
        """Open a tab, which the page learns of then."""
        [*_, answer] = await self.tell(tab, "select")
        self._learn(answer["output"]["render_config"])

    async def tell(self, widget: str, event: str, **about: Any) -> list[dict[str, Any]]:
        """Tell of an event, and what it is about; return what each of its steps answered."""
        target = self._named[widget]
        called = self._events[target, event]
        data = [self._value(number) for number in called["inputs"]]
        job = {
            "data": data, "fn_index": called["id"], "session_hash": self._hash,
            "event_data": about, "trigger_id": target,
        }  # fmt: skip
        asked = await self._client.post("/gradio_api/queue/join", json=job)
        asked.raise_for_status()
        wanted, steps = asked.json()["event_id"], list[dict[str, Any]]()
        place = f"/gradio_api/queue/data?session_hash={self._hash}"
        async with self._client.stream("GET", place) as stream:
            async for line in stream.aiter_lines():
                said = json.loads(line[5:]) if line.startswith("data:") else {}
                if said.get("event_id") != wanted:
                    continue
                if said["msg"] in ("process_generating", "process_completed"):
                    steps.append(said)
                if said["msg"] == "process_completed":
                    break
        return steps

    def type(self, rng: random.Random, sentences: int = 1) -> list[str]:
        """Type a text; return a change of the person in its last sentence."""
        said = []
        for _ in range(sentences):
            group, other = rng.sample(_GROUPS, 2)
            person = rng.choice(list(_PEOPLE))
            said.append(
                f"The {group} {person} of house {rng.randrange(10**9)} "
                f"{rng.choice(('praised', 'thanked', 'missed'))} the tour on day "
                f"{rng.randrange(10**6)}."
            )
        self.values["text"] = " ".join(said)
        return [f"race|{group}|{other}", f"gender|{person}|{_PEOPLE[person]}"]

    def _value(self, number: int) -> Any:
        props = self._widgets[number]["props"]
        name = props.get("elem_id")
        return self.values[name] if name in self.values else props.get("value")


def visit(people: int, seconds: float, scans: int, checks: int) -> Visited:
    """Let so many people visit for so long, or until there were so many checks; 0: no limit."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        own = {
            "HINTER_CACHE": f"{folder}/answers.sqlite", "HINTER_CAMPAIGNS": f"{folder}/campaigns",
            "HINTER_ANNOTATIONS": f"{folder}/annotations", "HINTER_CLASSES": f"{folder}/classes",
        }  # fmt: skip
        log = Path(folder) / "app.log"
        with log.open("w") as output:
            app = subprocess.Popen(
                [sys.executable, "app.py", "--host", "0.0.0.0", "--port", str(port)],
                cwd=ROOT, env={**os.environ, **own}, stdout=output, stderr=output,
            )  # fmt: skip
            try:
                url = f"http://127.0.0.1:{port}"
                found = asyncio.run(_visit(url, app.pid, people, seconds, scans, checks))
            finally:
                app.terminate()
                app.wait(30)
        found.faults["tracebacks in the log"] += log.read_text().count("Traceback")
    return found


async def _visit(
    url: str, pid: int, people: int, seconds: float, scans: int, checks: int
) -> Visited:
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=_PATIENCE, limits=limits) as client:
        config = await _config(client)
        found, app, done = Visited(), psutil.Process(pid), 0
        await _first_check(client, config, found)
        end = time.monotonic() + seconds

        def on() -> bool:
            return time.monotonic() < end and (not checks or done < checks)

        async def person(number: int) -> None:
            nonlocal done
            page, rng = Page(client, config), random.Random(number)
            await asyncio.sleep(rng.uniform(0, READING[1]))
            while on():
                edits = page.type(rng)
                await _timed(found, "look", page.tell("preview", "select"))
                await _timed(found, "check", page.tell("pairs", "select", choice=1, edits=edits))
                done += 1
                if done % 250 == 0:
                    found.memory.append((done, app.memory_info().rss / 1e6))
                await asyncio.sleep(rng.uniform(*READING))

        async def scanner(number: int) -> None:
            page, rng = Page(client, config), random.Random(-number)
            while on():
                page.type(rng, 3)
                await _timed(found, "scan", page.tell("scan", "click"))

        found.memory.append((0, app.memory_info().rss / 1e6))
        before = app.cpu_times()
        begun = time.monotonic()
        campaign = Page(client, config)
        await campaign.open("room-batch")
        campaign.values |= {"batch-sample": 200, "batch-limit": 100}
        await _timed(found, "start of a campaign", campaign.tell("batch-start", "click"))
        await asyncio.gather(
            *(person(number) for number in range(people)),
            *(scanner(number) for number in range(1, scans + 1)),
        )
        after, spent = app.cpu_times(), time.monotonic() - begun
        busy = after.user + after.system - before.user - before.system
        found.memory.append((done, app.memory_info().rss / 1e6))
        found.seconds["processor seconds of the app in a second"] = [busy / spent]
    return found


async def _first_check(client: httpx.AsyncClient, config: dict[str, Any], found: Visited) -> None:
    """Let the models be loaded."""
    page = Page(client, config)
    edits = page.type(random.Random(0))
    await _timed(found, "first check", page.tell("pairs", "select", choice=1, edits=edits))


async def _config(client: httpx.AsyncClient) -> dict[str, Any]:
    for _ in range(240):
        try:
            # Where programs ask, only events for programs are told.
            begun = (await client.get("/")).text.split("window.gradio_config = ", 1)[1]
            return dict(json.JSONDecoder().raw_decode(begun)[0])
        except httpx.TransportError:
            await asyncio.sleep(0.25)
    raise TimeoutError("The app did not come up.")


async def _timed(found: Visited, kind: str, call: Coroutine[Any, Any, list[Any]]) -> None:
    begun = time.monotonic()
    try:
        steps = await call
    except (httpx.HTTPError, KeyError) as error:
        found.faults[f"{kind}: {type(error).__name__} {error}"] += 1
        return
    found.seconds[kind].append(time.monotonic() - begun)
    last = json.dumps(steps[-1]) if steps else ""
    if not steps or not steps[-1]["success"]:
        found.faults[f"{kind}: {last[:200]}"] += 1
    elif "notice error" in last:
        told = any(word in last for word in _BUSY)
        found.busy += told
        found.faults[f"{kind}: {last[last.index('notice error') :][:160]}"] += not told


def print_visits(people: int, seconds: float, checks: int, write: Callable[[str], None]) -> None:
    """Measure, and print medians and 95th percentiles."""
    found = visit(people, seconds, scans=2, checks=checks)
    write(f"{people} visitors, 2 scans and a campaign for {seconds:.0f} s")
    for kind, times in found.seconds.items():
        half, most = numpy.percentile(times, [50, 95])
        write(f"  {kind}: {len(times):,}; median {half:.2f}, 95 % {most:.2f}")
    write("  memory, MB: " + ", ".join(f"{mb:.0f} after {n:,}" for n, mb in found.memory))
    write(f"  told to come back later: {found.busy}")
    for fault, number in found.faults.items():
        if number:
            write(f"  {number} x {fault}")
