"""Batches: none lost, none too large, and what happens when memory runs out."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from hinter_core.models.huggingface.inputs import Batches, out_of_memory
from tests.conformance.tiny import make_classifier

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module", autouse=True)
def _others_stay() -> None:
    """A batch that does not fit looks for garbage, which is not among what others have loaded."""
    gc.freeze()


class Machine:
    """Gives back each index as its row; has room for so many tokens, padded."""

    def __init__(self, lengths: list[int], room: int = 10**9, error: Exception | None = None):
        self.lengths = lengths
        self.room = room
        self.error = error or torch.OutOfMemoryError("CUDA out of memory.")
        self.asked: list[list[int]] = []

    def __call__(self, chosen: list[int]) -> torch.Tensor:
        self.asked.append(chosen)
        if len(chosen) * max(self.lengths[i] for i in chosen) > self.room:
            raise self.error
        return torch.tensor(chosen, dtype=torch.bfloat16)[:, None]


def values(rows: list[torch.Tensor | None]) -> list[int | None]:
    return [None if row is None else int(row) for row in rows]


def test_batches_hold_all_longest_first_within_the_budget() -> None:
    lengths = [3, 9, 1, 5, 5, 2]
    machine = Machine(lengths)
    rows = Batches(10).run(lengths, machine)
    assert values(rows) == list(range(6))
    assert rows[0] is not None
    assert rows[0].dtype == torch.float32
    assert machine.asked[0] == [1]
    for batch in machine.asked:
        assert len(batch) * max(lengths[i] for i in batch) <= 10
    assert values(Batches(10).run([50], Machine([50]))) == [0]
    assert Batches(10).run([], Machine([])) == []


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("[enforce fail at alloc_cpu.cpp:124] DefaultCPUAllocator: can't allocate mem"
                     "ory: you tried to allocate 65536 bytes."),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 1 bytes."),
        RuntimeError("MPS backend out of memory (MPS allocated: 8.00 GB)"),
        MemoryError(),
    ],
    ids=["cuda", "linux", "windows", "mps", "python"],
)  # fmt: skip
def test_what_does_not_fit_is_halved_and_the_smaller_budget_kept(error: Exception) -> None:
    lengths = [10] * 40
    batches, machine = Batches(400), Machine(lengths, room=60, error=error)
    assert values(batches.run(lengths, machine)) == list(range(40))
    sizes = [len(chosen) for chosen in machine.asked]
    assert sizes[:4] == [40, 20, 10, 5]
    assert set(sizes[3:]) == {5}
    again = Machine(lengths, room=60, error=error)
    batches.run(lengths, again)
    assert {len(chosen) for chosen in again.asked} == {5}


def test_what_does_not_fit_alone_is_left_out_and_nothing_else() -> None:
    lengths = [5, 100, 5, 120, 8]
    rows = Batches(200).run(lengths, Machine(lengths, room=50))
    assert values(rows) == [0, None, 2, None, 4]


def test_batches_are_larger_on_a_gpu() -> None:
    assert 0 < Batches.on("cpu").budget < Batches.on("cuda").budget


def test_another_error_is_not_taken_for_it() -> None:
    with pytest.raises(RuntimeError, match="shapes"):
        Batches(10).run([1, 1], Machine([1, 1], room=0, error=RuntimeError("shapes differ")))
    assert not out_of_memory(ValueError("out of memory"))


SHORT_OF_MEMORY = """
import resource, sys
from hinter_core.models.registry import load_model
model = load_model("hf:" + sys.argv[1])
texts = ["the good man " * 600, *(f"{'the good man ' * (n % 7 + 1)}." for n in range(100))]
before = model.predict(texts)
assert all(p.answered for p in before)
usual = model._batches.budget
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 20 * 2**20, -1))
after = model.predict(texts)
assert [p.labels for p in after[1:]] == [p.labels for p in before[1:]]
assert model._batches.budget < usual
print(after[0].failure.value, "|", after[0].detail)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits a process's memory as Linux does")
def test_a_model_that_runs_out_of_memory_goes_on(tmp_path: Path) -> None:
    """Real allocations that fail: a batch is halved, and a long text fails alone, with reason."""
    folder = make_classifier(tmp_path / "wide", ["no", "yes"], window=2048, intermediate=4096)
    done = subprocess.run(
        [sys.executable, "-c", SHORT_OF_MEMORY, folder],
        capture_output=True, text=True, cwd=ROOT,
        # Freed memory goes back at once, so that the limit leaves what it says.
        env={"OMP_NUM_THREADS": "1", "MALLOC_MMAP_THRESHOLD_": "65536", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    failure, _, detail = done.stdout.strip().partition(" | ")
    assert failure == "error"
    assert "does not fit into memory" in detail
    assert "shorten it" in detail
