"""A run killed in the middle is taken up again: what was answered and kept is not asked twice."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path

from hinter_core.models.base import Generative
from hinter_core.models.cache import PredictionCache
from hinter_core.models.registry import build_model, parse_name
from hinter_core.types import Prediction
from tests.conformance.faulty_server import FaultyServer
from tests.forked import Commands

ROOT = Path(__file__).resolve().parents[2]
CONCURRENCY = 4
TEXTS = [f"Text number {i}." for i in range(200)]
RUN = """
import sys
from pathlib import Path
from hinter_core.models.cache import PredictionCache
from hinter_core.models.registry import build_model, parse_name
from hinter_core.models.store import PredictionStore

name, cache = sys.argv[1:]
model = build_model(parse_name(name, trusted=True))
store = PredictionStore(model, cache=PredictionCache(Path(cache)))
texts = [f"Text number {i}." for i in range(200)]
store.predict(texts, chunk=10, after_chunk=lambda done: print(done, flush=True))
print("answered", sum(p.answered for p in store.predict(texts).values()))
"""


class Killer:
    """Kills a process when the server sees its request of a given number."""

    def __init__(self, commands: Commands) -> None:
        self._python = commands.program
        self.at = 0
        self.process: subprocess.Popen[str] | None = None
        self._started = threading.Event()

    def __call__(self, number: int) -> None:
        if number == self.at:
            self._started.wait(30)
            assert self.process
            os.kill(self.process.pid, signal.SIGKILL)

    def run(self, at: int, *arguments: str) -> tuple[int, list[str]]:
        """Run until the end, or until the kill: return code, and lines printed."""
        self.at = at
        self._started.clear()
        with subprocess.Popen(
            [*self._python, "-c", RUN, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
        ) as self.process:
            self._started.set()
            out, _ = self.process.communicate(timeout=120)
        return self.process.returncode, out.splitlines()


def kept(name: str, cache: Path) -> dict[str, Prediction]:
    """What a run wrote down, read as the next run would."""
    store = PredictionCache(cache)
    model = build_model(parse_name(name, trusted=True))
    assert isinstance(model, Generative)
    return store.get(model.reply_identity, TEXTS)


def test_a_killed_run_asks_again_only_what_was_in_flight(
    tmp_path: Path, commands: Commands
) -> None:
    killer, cache = Killer(commands), tmp_path / "cache.sqlite"
    saved: set[str] = set()
    asked_once: list[dict[str, int]] = []
    with FaultyServer(on_request=killer) as server:
        name = f"openai:tiny?base_url={server.base_url}&concurrency={CONCURRENCY}"
        for moment in (20, 90, 150):
            code, lines = killer.run(moment, name, str(cache))
            assert code == -signal.SIGKILL
            before, saved = saved, set(kept(name, cache))
            assert before < saved < set(TEXTS)
            # What the run said was done is written down, and so is all but what was in flight.
            assert len(saved) >= len(before) + (int(lines[-1]) if lines else 0)
            assert len(set(server.answered) - saved) <= CONCURRENCY
            assert len(set(server.asked) - saved) <= CONCURRENCY
            asked_once.append({text: server.asked[text] for text in saved})
        code, lines = killer.run(0, name, str(cache))
        assert (code, lines[-1]) == (0, "answered 200")
    assert set(server.asked) == set(TEXTS)
    assert sum(server.asked.values()) <= len(TEXTS) + 3 * CONCURRENCY
    for counts in asked_once:  # nothing that was written down was ever asked again
        assert {text: server.asked[text] for text in counts} == counts
