"""Where HInter's own data and the user's cache lie; values kept in memory within a size."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "assets"
DICTIONARIES = ROOT / "dictionaries"


def user_cache() -> Path:
    """HInter's folder in the user's cache, there or not."""
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME")
    return Path(home or Path.home() / ".cache") / "hinter"


K = TypeVar("K")
V = TypeVar("V")


class LRU(Generic[K, V]):
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
