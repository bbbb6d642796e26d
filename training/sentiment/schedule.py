"""Learning-rate schedule and averaged weights."""

from __future__ import annotations

import copy
import math
from typing import Generic, TypeVar

import torch

Module = TypeVar("Module", bound=torch.nn.Module)


def rate_at(progress: float, peak: float, warmup: float, final_fraction: float) -> float:
    """Linear warm-up, then a cosine down to a fraction of the peak."""
    if progress < warmup:
        return peak * max(progress, 1e-3) / warmup
    rest = min(1.0, (progress - warmup) / (1.0 - warmup))
    cosine = 0.5 * (1.0 + math.cos(math.pi * rest))
    return peak * (final_fraction + (1.0 - final_fraction) * cosine)


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Use one learning rate for all parameter groups."""
    for group in optimiser.param_groups:
        group["lr"] = rate


class Average(Generic[Module]):
    """Exponential moving average of a model's weights."""

    def __init__(self, model: Module, decay: float) -> None:
        self.model: Module = copy.deepcopy(model).eval()
        self.decay = decay
        self.steps = 0

    def update(self, model: Module) -> None:
        """Move the average towards the model; early on it follows more closely."""
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        ours = list(self.model.parameters())
        theirs = [parameter.detach() for parameter in model.parameters()]
        with torch.no_grad():
            torch._foreach_lerp_(ours, theirs, 1.0 - decay)
