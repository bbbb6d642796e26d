"""One extension of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import hinter_core as hinter


@hinter.model(labels=["calm", "loud"])
class Shouting:
    """Call a text loud that ends with a mark; ``shouting:?`` goes by another one."""

    def __init__(self, mark: str = "!") -> None:
        self._mark = mark

    def predict_proba(self, texts: list[str]) -> list[list[float]]:
        return [[0.1, 0.9] if text.endswith(self._mark) else [0.8, 0.2] for text in texts]


@hinter.relation
def please(text: str) -> Iterator[str]:
    """Say please."""
    yield f"{text} Please!"


@hinter.metric(title="Flips per text")
def flips_per_text(mutants: Any) -> float:
    """Flipped answers by text."""
    flips = mutants["verdict"].isin(["biased", "hidden"])
    return float(flips.sum() / mutants["row"].nunique())


@hinter.source
def greetings(name: str = "man") -> Iterator[dict[str, str]]:
    """Yield two greetings."""
    yield {"text": f"The old {name} said hello.", "label": "calm"}
    yield {"text": f"The old {name} shouted!", "label": "loud"}
