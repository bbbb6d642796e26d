"""Errors by the groups a text was turned into, as sums over texts, counted piece by piece.

The cases of one text resemble each other, so what is summed are squares over texts as well. Of
single texts only the one in hand is remembered: memory depends on groups, not on mutants or texts.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hinter_core.statistics import Clusters
from hinter_core.tally_columns import Attributes, Block, distinct

if TYPE_CHECKING:
    import numpy

Groups = tuple[str, ...]


@dataclass
class ByGroup:
    """Sums by attributes and, one of each attribute, the groups that a text was turned into."""

    sums: dict[Attributes, dict[Groups, Clusters]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Clusters))
    )
    # By attributes, groups and row: errors and cases of texts that may go on.
    _open: dict[tuple[Attributes, Groups, int], tuple[int, int]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def add(self, block: Block, cases: numpy.ndarray, errors: numpy.ndarray) -> None:
        """Take in mutants of one order; ``cases`` are places, ``errors`` a flag for each."""
        import numpy

        texts, lines = distinct(numpy.stack([block.groups[cases], block.rows[cases]], axis=1))
        many = numpy.bincount(texts, minlength=len(lines))
        hits = numpy.bincount(texts[errors], minlength=len(lines))
        for (number, row), n, e in zip(lines.tolist(), many.tolist(), hits.tolist(), strict=True):
            key = (*block.group_names[number], row)
            before = self._open.get(key, (0, 0))
            self._open[key] = before[0] + e, before[1] + n

    def close(self, row: int | None = None) -> None:
        """Sum up all texts, or all but that of ``row``, and let go of them."""
        left = {}
        for key, (errors, cases) in self._open.items():
            attributes, groups, of = key
            if of == row:
                left[key] = errors, cases
            else:
                self.sums[attributes][groups].add(errors, cases)
        self._open = left
