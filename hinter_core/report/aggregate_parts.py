"""Mutants of several edits beside each of their edits alone, counted piece by piece.

MutaInt's truth table (Table 6) for pairs, and HInter's Figure 10 for all orders. Of the edits alone
only those of the text in hand are remembered.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hinter_core.campaign.reader import Attributes, Codebook, ColumnBlock

if TYPE_CHECKING:
    import numpy


_ROOM = 2**24  # more than there are word pairs: (row, swap) becomes one number

# Slices of the pie of intersectional errors (HInter, Figure 10a) ...
PART_ERRS = "a part errs too"
NO_PART_ERRS = "every part is benign"
PART_UNKNOWN = "no part errs, but one has no verdict"
# ... and of that of atomic errors (Figure 10b).
WHOLE_ERRS = "a whole errs too"
NO_WHOLE_ERRS = "every whole is benign"
NO_WHOLE = "in no whole with a verdict"
_OF_WHOLES = (PART_ERRS, NO_PART_ERRS, PART_UNKNOWN)
_OF_PARTS = (WHOLE_ERRS, NO_WHOLE_ERRS, NO_WHOLE)


@dataclass
class AtomicOutcomes:
    """Cases of one edit: sorted keys of row and swap; did they flip; were they in a whole.

    ``met``: part of a case of several edits; ``joined``: part of one that errs.
    """

    keys: numpy.ndarray
    flips: numpy.ndarray
    met: numpy.ndarray
    joined: numpy.ndarray


@dataclass
class LatticeCounts:
    """Sums by attributes.

    ``truth``: for order 2, counts of (whole flips, first part flips, second part flips), where all
    three are cases. ``wholes``: errors of several edits by what their edits do alone. ``atoms``:
    errors of one edit by what the wholes do that hold it.
    """

    truth: dict[Attributes, Counter[tuple[bool, bool, bool]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    wholes: dict[Attributes, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    atoms: dict[Attributes, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _alone: AtomicOutcomes | None = field(default=None, compare=False, repr=False)

    def remember(self, rows: numpy.ndarray, swaps: numpy.ndarray, flips: numpy.ndarray) -> None:
        """Take in cases of one edit."""
        import numpy

        new = numpy.zeros(len(rows), dtype=bool)
        found = AtomicOutcomes(rows * _ROOM + swaps, flips, new, new)
        if self._alone is not None:
            old = self._alone
            found = AtomicOutcomes(
                numpy.concatenate([old.keys, found.keys]),
                numpy.concatenate([old.flips, found.flips]),
                numpy.concatenate([old.met, found.met]),
                numpy.concatenate([old.joined, found.joined]),
            )
        self._alone = _chosen(found, numpy.argsort(found.keys, kind="stable"))

    def compare(self, block: ColumnBlock, cases: numpy.ndarray, errors: numpy.ndarray) -> None:
        """Take in mutants of several edits; ``cases`` and ``errors`` say which of them are."""
        import numpy

        places, found = self._places(block)
        flips = numpy.zeros(found.shape, dtype=bool)
        if self._alone is not None and len(self._alone.keys):
            flips = found & self._alone.flips[places]
            self._alone.met[places[found & cases[:, None]]] = True
            self._alone.joined[places[found & errors[:, None]]] = True
        state = numpy.where(flips.any(axis=1), 0, numpy.where(found.all(axis=1), 1, 2))
        for (number, which), many in _pairs(block.sets[errors], state[errors]):
            self.wholes[block.set_names[number]][_OF_WHOLES[which]] += many
        if block.order == 2:
            full = cases & found.all(axis=1)
            code = errors * 4 + flips[:, 0] * 2 + flips[:, 1]
            for (number, which), many in _pairs(block.sets[full], code[full]):
                key = bool(which & 4), bool(which & 2), bool(which & 1)
                self.truth[block.set_names[number]][key] += many

    def _places(self, block: ColumnBlock) -> tuple[numpy.ndarray, numpy.ndarray]:
        """For each edit of each mutant its place among those alone, and whether it is there."""
        import numpy

        wanted = block.rows[:, None] * _ROOM + block.swaps
        if self._alone is None or not len(self._alone.keys):
            return numpy.zeros(wanted.shape, numpy.int64), numpy.zeros(wanted.shape, bool)
        keys = self._alone.keys
        places = numpy.minimum(numpy.searchsorted(keys, wanted), len(keys) - 1)
        return places, keys[places] == wanted

    def forget(self, book: Codebook, row: int | None = None) -> None:
        """Count what was remembered of all rows, or of all but ``row``, and let go of it."""
        import numpy

        if self._alone is None:
            return
        rows = self._alone.keys // _ROOM
        left = rows != rows if row is None else rows == row
        done = _chosen(self._alone, ~left & self._alone.flips)
        state = numpy.where(done.joined, 0, numpy.where(done.met, 1, 2))
        attributes = numpy.array(book.attribute_of, dtype=numpy.int64)[done.keys % _ROOM]
        for (number, which), many in _pairs(attributes, state):
            self.atoms[(book.attributes[number],)][_OF_PARTS[which]] += many
        self._alone = _chosen(self._alone, left)


def _chosen(alone: AtomicOutcomes, which: numpy.ndarray) -> AtomicOutcomes:
    return AtomicOutcomes(
        alone.keys[which], alone.flips[which], alone.met[which], alone.joined[which]
    )


def _pairs(first: numpy.ndarray, second: numpy.ndarray) -> list[tuple[tuple[int, int], int]]:
    """Distinct pairs of two columns (the second below 8), and how often each occurs."""
    import numpy

    codes, counts = numpy.unique(first * 8 + second, return_counts=True)
    pairs = [divmod(int(code), 8) for code in codes]
    return list(zip(pairs, map(int, counts), strict=True))
