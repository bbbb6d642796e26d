"""Train a classifier further, in steps that can be stopped and resumed.

A step's batch, and what it draws at random, follow from the seed and its number; the state on disk
is the weights and the optimiser's sums, as safetensors. So an interrupted and resumed training ends
with the weights of an uninterrupted one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from hinter_core.models.huggingface.checkpoint import Checkpoint
from hinter_core.repair.examples import Example
from hinter_core.storage import write_whole

if TYPE_CHECKING:
    import torch

_LONGEST = 256  # tokens of a text; the rest is not learnt from
_SAVED_EVERY = 50  # steps
_WARM = 0.1  # of the steps
_DECAY = 0.01
_NORM = 1.0  # longest gradient


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model is trained.

    ``pairing``: weight of the squared distance between the logits of a text and of its variant
    (logit pairing: Kannan et al. 2018; Garg et al. 2019) beside the cross-entropy of both. Each
    epoch takes another variant.
    """

    epochs: int = 3
    rate: float = 1e-4
    batch: int = 16
    pairing: float = 1.0
    seed: int = 0


class Training:
    """A model in training; ``folder`` keeps its state between two runs."""

    def __init__(
        self, checkpoint: Checkpoint, examples: Sequence[Example], recipe: Recipe, folder: Path
    ) -> None:
        import torch

        self._examples, self._recipe, self._folder = examples, recipe, folder
        self._tokenizer, self._device = checkpoint.tokenizer, checkpoint.device
        self._longest = min(_LONGEST, checkpoint.window or _LONGEST)
        # A copy: the model under test stays as it is.
        self.model = checkpoint.load("float32")
        self._optimiser = torch.optim.AdamW(
            self.model.parameters(), lr=recipe.rate, weight_decay=_DECAY
        )
        self._each = -(-len(examples) // recipe.batch)
        self.steps = recipe.epochs * self._each
        self.done = self._resumed()

    def run(
        self,
        on_step: Callable[[int, float], None] = lambda _, __: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Take all steps that are left; return whether all are taken.

        ``on_step`` gets the number of steps taken and the loss of the last one. What was done is
        kept if ``cancelled`` returns true.
        """
        self.model.train()
        while self.done < self.steps:
            if cancelled():
                self._save()
                return False
            loss = self._step(self.done)
            self.done += 1
            on_step(self.done, loss)
            if self.done % _SAVED_EVERY == 0:
                self._save()
        self._save()
        self.model.eval()
        return True

    def _step(self, number: int) -> float:
        import torch
        from torch.nn.functional import cross_entropy

        torch.manual_seed(self._recipe.seed * 1_000_003 + number)  # of dropout
        batch = self._batch(number)
        paired = [i for i, example in enumerate(batch) if example.variants]
        epoch = number // self._each
        texts = [example.text for example in batch]
        texts += [batch[i].variants[epoch % len(batch[i].variants)] for i in paired]
        targets = torch.tensor([example.targets for example in batch], device=self._device)
        logits = self._logits(texts)
        loss = cross_entropy(logits, torch.cat([targets, targets[paired]]))
        if paired:
            apart = logits[len(batch) :] - logits[paired]
            apart = apart - apart.mean(-1, keepdim=True)  # a shift of all logits says nothing
            loss = loss + self._recipe.pairing * apart.square().mean()
        for group in self._optimiser.param_groups:
            group["lr"] = self._recipe.rate * self._share(number)
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), _NORM)
        self._optimiser.step()
        return float(loss.item())

    def _batch(self, number: int) -> list[Example]:
        epoch, place = divmod(number, self._each)
        order = Random(f"{self._recipe.seed} {epoch}").sample(
            range(len(self._examples)), len(self._examples)
        )
        start = place * self._recipe.batch
        return [self._examples[i] for i in order[start : start + self._recipe.batch]]

    def _share(self, number: int) -> float:
        """Return the share of the rate at a step: it rises, then falls to 0."""
        warm = max(1, round(_WARM * self.steps))
        if number < warm:
            return (number + 1) / warm
        return (self.steps - number) / max(1, self.steps - warm)

    def _logits(self, texts: list[str]) -> torch.Tensor:
        inputs: Any = self._tokenizer(
            texts, truncation=True, max_length=self._longest, padding=True, return_tensors="pt"
        )
        logits: torch.Tensor = self.model(**inputs.to(self._device)).logits
        return logits.float()

    def _save(self) -> None:
        from safetensors.torch import save_file

        self._folder.mkdir(parents=True, exist_ok=True)
        tensors = {f"model.{k}": v for k, v in self.model.state_dict().items()}
        for number, state in self._optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{number}.{key}": value for key, value in state.items()}
        # Tied weights share memory, and a file has each tensor once.
        apart = {key: value.detach().cpu().clone().contiguous() for key, value in tensors.items()}
        with write_whole(self._folder / "state.safetensors") as part:
            save_file(apart, part, {"steps": json.dumps([self.done, self.steps])})

    def _resumed(self) -> int:
        from safetensors import safe_open

        path = self._folder / "state.safetensors"
        if not path.exists():
            return 0
        with safe_open(path, framework="pt") as file:
            done, steps = json.loads(file.metadata()["steps"])
            if steps != self.steps:
                return 0  # of other examples
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        weights = {
            k.removeprefix("model."): v for k, v in tensors.items() if k.startswith("model.")
        }
        self.model.load_state_dict(weights)
        whole = self._optimiser.state_dict()
        for key, value in tensors.items():
            kind, _, rest = key.partition(".")
            if kind == "optimiser":
                number, _, name = rest.partition(".")
                whole["state"].setdefault(int(number), {})[name] = value
        self._optimiser.load_state_dict(whole)
        return int(done)
