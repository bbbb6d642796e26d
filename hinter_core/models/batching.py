"""Run inputs in batches of similar length; when memory runs short, in smaller ones.

What is run is none of this module's business: a function gets the indices of a batch and returns a
row for each.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

Forward = Callable[[list[int]], "torch.Tensor"]

# Tokens of a batch. On one CPU core, 1,024 were the fastest (twice as fast as single texts; 8,192
# were 1.5 times as fast, since what a layer computes leaves the caches).
_TOKENS_CPU = 1024
_TOKENS = 8192
# How torch's allocators for CPU (Linux and Windows, oneDNN's too) and MPS say it; CUDA's has a
# class of its own.
_SIGNS = (
    "can't allocate memory",
    "not enough memory",
    "out of memory",
    "could not create a memory object",
)


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out."""
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(s in str(error).lower() for s in _SIGNS)


class Batches:
    """Batches of at most ``budget`` tokens, padded; an input that is longer goes alone.

    A batch that does not fit into memory is halved, and so are all that follow: what did not fit
    once would not fit again.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget

    @classmethod
    def on(cls, device: str) -> Batches:
        """Batches as large as is fast on a device."""
        return cls(_TOKENS_CPU if device == "cpu" else _TOKENS)

    def run(self, lengths: Sequence[int], forward: Forward) -> list[torch.Tensor | None]:
        """A row for each input (on the CPU, fp32), or None where it does not fit even alone."""
        rows: list[torch.Tensor | None] = [None] * len(lengths)
        # Longest first, so that memory runs short at once or not at all.
        order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
        start = 0
        while start < len(order):
            longest = max(1, lengths[order[start]])
            chosen = order[start : start + max(1, self.budget // longest)]
            found = _attempt(forward, chosen)
            if found is None and len(chosen) > 1:
                self.budget = len(chosen) // 2 * longest
                continue
            for row, i in enumerate(chosen):
                rows[i] = None if found is None else found[row]
            start += len(chosen)
        return rows


def _attempt(forward: Forward, chosen: list[int]) -> Any:
    try:
        return forward(chosen).float().cpu()
    except Exception as error:
        if not out_of_memory(error):
            raise
    # Only here, past the error, has its traceback let go of the tensors of the failed batch.
    _give_back()
    return None


def _give_back() -> None:
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
