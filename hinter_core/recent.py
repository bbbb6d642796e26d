"""What was used last, by text, within so many characters; the least recently used goes first.

What is kept of a text (a parse, an answer, the text itself) grows with its length. A number of
texts would let a few long ones take all the memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Values by key; ``length`` tells how many characters a key counts for. Not thread-safe."""

    def __init__(self, characters: int, length: Callable[[K], int]) -> None:
        self._most = characters
        self._length = length
        self._held = 0
        self._kept: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def found(self, keys: Iterable[K]) -> dict[K, V]:
        """Those of the keys that are kept; they count as just used."""
        there = {key: self._kept[key] for key in keys if key in self._kept}
        for key in there:
            self._kept.move_to_end(key)
        return there

    def keep(self, values: Mapping[K, V]) -> None:
        """Add values; :meth:`trim` lets go of the oldest."""
        for key, value in values.items():
            if key not in self._kept:
                self._held += self._length(key)
            self._kept[key] = value

    def trim(self) -> None:
        """Let go of the least recently used until the rest fits."""
        while self._held > self._most and self._kept:
            key, _ = self._kept.popitem(last=False)
            self._held -= self._length(key)
