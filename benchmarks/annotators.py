"""Annotators at once against a running app, by the calls that their pages make.

Each joins, and then judges text after text as fast as the app acknowledges, which no person does.
What is timed is one call: a judgement on disk and the next texts back.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from hinter_core.annotation.project.questions import default_questions
from hinter_core.annotation.project.store import AnnotationStore, opened
from hinter_core.annotation.project.types import AnnotationItem, Project

ANSWERS = {"sense": "yes", "same": "no", "grammatical": "unsure"}
_PATIENCE = 60.0  # seconds for one call
_AGAIN = 0.2  # seconds before a call that got no answer is made again


@dataclass
class Load:
    """What was acknowledged (by the sender's name), and how long each call took, in seconds."""

    acknowledged: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def make_project(folder: Path, items: int) -> tuple[str, Path]:
    """A project whose texts everybody judges; its name and file."""
    name = uuid4().hex
    path = folder / f"{name}.sqlite"
    project = Project("Load", default_questions()[1], share=1.0, repeats=0.05)
    store, _ = AnnotationStore.create(path, project)
    words = "The Syrian waiter brought the soup to table {}, and nobody complained about it. "
    store.add(
        AnnotationItem(
            f"i{n}", words.format(n) * 4, words.format(n).replace("Syrian", "British") * 4
        )
        for n in range(items)
    )
    store.close()
    return name, path


def judge_all(url: str, project: str, people: int, judgements: int) -> Load:
    """So many people at once, each with so many judgements; a call without answer is repeated."""
    load = Load()
    threads = [
        threading.Thread(target=_person, args=(url, project, n, judgements, load))
        for n in range(people)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return load


def _person(url: str, project: str, number: int, judgements: int, load: Load) -> None:
    import httpx

    with httpx.Client(base_url=url, timeout=_PATIENCE) as client:

        def call(act: str, /, **told: Any) -> dict[str, Any]:
            while True:
                begun = time.perf_counter()
                try:
                    reply = client.post(f"/judge/{act}", json={"project": project, **told})
                    reply.raise_for_status()
                except httpx.HTTPError:
                    time.sleep(_AGAIN)
                    continue
                if act == "work":
                    load.seconds.append(time.perf_counter() - begun)
                answer: dict[str, Any] = reply.json()
                return answer

        key = call("join", name=f"Annotator {number}", phrase="a long enough phrase")["key"]
        items = call("work", key=key, sent=[])["items"]
        for _ in range(judgements):
            if not items:
                return
            said = {"id": uuid4().hex, "kind": "judged", "item": items[0]["item"],
                    "showing": items[0]["showing"], "answers": ANSWERS, "seconds": 1.0}  # fmt: skip
            answer = call("work", key=key, sent=[said])
            done = {one["id"]: one.get("error") for one in answer.get("done", ())}
            if said["id"] in done and done[said["id"]] is None:
                load.acknowledged.append(said["id"])
            else:
                load.faults.append(str(answer.get("error") or done))
            items = answer["items"]


def kept(path: Path) -> Counter[str]:
    """How often each judgement is in a project's file, by the sender's name for it."""
    with opened(path) as store, store.read() as connection:
        return Counter(row[0] for row in connection.execute("SELECT key FROM judgements"))


def percentile(seconds: Sequence[float], share: float) -> float:
    """The time within which that share of the calls was answered."""
    return sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))]


def table(people: int = 20, judgements: int = 100) -> None:
    """Start an app, let people judge, and print how long they waited and what was kept."""
    import os
    import socket
    import subprocess
    import sys
    import tempfile
    import urllib.request

    root = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as place, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        folder = Path(place) / "projects"
        environment = {**os.environ, "HINTER_ANNOTATIONS": str(folder)}
        app = subprocess.Popen(
            [sys.executable, str(root / "app.py"), "--port", str(port)], cwd=root,
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        url = f"http://127.0.0.1:{port}"
        try:
            while True:
                try:
                    urllib.request.urlopen(url, timeout=2)
                    break
                except OSError:
                    time.sleep(0.2)
            name, path = make_project(folder, judgements)
            begun = time.perf_counter()
            load = judge_all(url, name, people, judgements)
            took = time.perf_counter() - begun
            found = kept(path)
        finally:
            app.terminate()
            app.wait(10)
    once = sum(found[key] == 1 for key in load.acknowledged)
    print(
        f"{people} annotators x {judgements} judgements: {len(load.acknowledged)} acknowledged, "
        f"{once} of them kept exactly once, {len(load.faults)} refused, {took:.1f} s in all"
    )
    print(
        f"one call: median {percentile(load.seconds, 0.5) * 1000:.0f} ms, 95 % within "
        f"{percentile(load.seconds, 0.95) * 1000:.0f} ms (target 1000), longest "
        f"{max(load.seconds) * 1000:.0f} ms"
    )
