"""A model in a process of its own answers as it does here, and leaves no process behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from hinter_core.models.process import ProcessModel
from hinter_core.models.registry import load_model
from hinter_core.models.store import PredictionStore
from hinter_core.types import Failure

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
TEXTS = ["What a lovely day.", "The worst soup I ever had.", "The waiter was late.", ""]


@pytest.fixture
def model() -> Iterator[ProcessModel]:
    made = ProcessModel(load_model("vader"))
    yield made
    made.close()


def process_of(model: ProcessModel) -> psutil.Process:
    (pid,) = model._pool._processes  # type: ignore[union-attr]
    return psutil.Process(pid)


def test_answers_are_those_of_the_model_itself(model: ProcessModel) -> None:
    own = load_model("vader")
    assert model.predict(TEXTS) == own.predict(TEXTS)
    assert (model.name, model.identity, model.capabilities) == (
        own.name, own.identity, own.capabilities
    )  # fmt: skip
    assert model.visible("abc") == own.visible("abc")
    process = process_of(model)
    assert process.pid != os.getpid()
    assert process.nice() > psutil.Process().nice()
    assert model.predict(["Again."]) == own.predict(["Again."])
    assert process_of(model).pid == process.pid
    model.close()
    process.wait(30)


def test_a_process_that_dies_costs_one_answer_at_most(model: ProcessModel) -> None:
    store = PredictionStore(model)
    store.predict(TEXTS[:1])
    first = process_of(model)
    first.kill()
    first.wait(30)
    found = store.predict(TEXTS[1:])
    failed = [text for text, answer in found.items() if answer.failure is Failure.ERROR]
    assert len(failed) <= 1
    again = store.predict(TEXTS[1:])
    assert all(answer.answered for answer in again.values())
    assert process_of(model).pid != first.pid


ASKING = """
import os, signal
from hinter_core.models.process import ProcessModel
from hinter_core.models.registry import load_model

if __name__ == "__main__":
    model = ProcessModel(load_model("vader"))
    model.predict(["Good."])
    print(*model._pool._processes, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_it_ends_with_the_process_that_asks(tmp_path: Path) -> None:
    script = tmp_path / "asking.py"
    script.write_text(ASKING)
    paths = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = subprocess.run([sys.executable, script], env=paths, capture_output=True, text=True)
    if psutil.pid_exists(pid := int(told.stdout)):
        psutil.Process(pid).wait(30)
