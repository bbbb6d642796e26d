"""Measures of an order: how soon it finds faults.

The fault detection rate (FDR) of texts is the share of source texts with a fault found so far,
cumulative; the area under its curve is its mean over all numbers of pairs. Time to first failure
(TTFF) counts pairs, the failing one included. APFD is the average percentage of faults detected
(Rothermel et al. 2001).

Departures: of the paper's formulas of FDR and TTFF only the sentences around them are left. It
calls FDR the share of *pairs* that detect faults; arms are ranked with that share
(:class:`~hinter_core.replays.arms.RankedArm`). Curves of orders count texts, as the mutants of one
text are alike, and the paper's fault-based order counts unique faults; the share of faults found is
the curve of pairs, which is FDR by pairs up to a factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import ndarray

MOST_FAULTS = 0.8  # share of the faults whose cost in pairs is measured


@dataclass(frozen=True)
class OrderMeasures:
    """Measures of one replay of so many pairs; None if the replay ended before.

    ``first``: pairs to the first fault. ``most``: pairs to 80 % of all faults. ``apfd``: of faults.
    ``apfd_sources``: of source texts with a fault. ``area``: mean FDR by source. ``found`` and
    ``sources``: shares of all faults, and of all source texts (FDR), at the end.
    """

    first: float | None
    most: float | None
    apfd: float | None
    apfd_sources: float | None
    area: float
    found: float
    sources: float


@dataclass(frozen=True)
class Population:
    """Verdicts on all cases, in any order: ``faults``, and the number of the source ``texts``."""

    faults: ndarray
    texts: ndarray

    @property
    def needed(self) -> int:
        """Number of faults that are :data:`MOST_FAULTS` of all."""
        return ceil(MOST_FAULTS * int(self.faults.sum()) - 1e-9)

    def failures(self) -> ndarray:
        """Return the number of faults of each source text with cases."""
        import numpy

        _, places = numpy.unique(self.texts, return_inverse=True)
        return numpy.bincount(places, self.faults).astype(int)

    def cumulated(self, order: Sequence[int]) -> tuple[ndarray, ndarray]:
        """Return the shares of faults and of source texts with one, after each pair asked."""
        import numpy

        of = int(self.faults.sum()), len(numpy.unique(self.texts))
        faults, sources = (
            numpy.cumsum(numpy.bincount(hits - 1, minlength=len(order))) / number
            for hits, number in zip(self._hits(order), of, strict=True)
        )
        return faults, sources

    def _hits(self, order: Sequence[int]) -> tuple[ndarray, ndarray]:
        """Return the places from 1 of faults, and of those that are the first of their text."""
        import numpy

        places = numpy.asarray(order, dtype=int)
        hit = numpy.flatnonzero(self.faults[places])
        _, first = numpy.unique(self.texts[places[hit]], return_index=True)
        return hit + 1, hit[numpy.sort(first)] + 1

    def measure(self, order: Sequence[int]) -> OrderMeasures:
        """Measure a replay; ``order``: all or the first cases of an order.

        APFD needs all cases.
        """
        (faults, sources), (hit, first) = self.cumulated(order), self._hits(order)
        number = len(self.faults)
        whole = len(faults) == number
        return OrderMeasures(
            first=float(hit[0]) if len(hit) else None,
            most=float(hit[self.needed - 1]) if len(hit) >= self.needed else None,
            apfd=_apfd(hit, number) if whole else None,
            apfd_sources=_apfd(first, number) if whole else None,
            area=float(sources.mean()),
            found=float(faults[-1]),
            sources=float(sources[-1]),
        )

    def expected(self) -> OrderMeasures:
        """Return the expectation of a random order of all cases, in closed form.

        The j-th of F faults among n cases is expected at place j (n + 1) / (F + 1).
        """
        import numpy

        number, total = len(self.faults), int(self.faults.sum())
        failures = self.failures()
        failing = failures[failures > 0]
        step = (number + 1) / (total + 1)
        firsts = (number + 1) / (failing + 1)
        # A source whose first fault is at place p counts in n + 1 - p of the n numbers of pairs.
        area = float(((number + 1 - firsts) / number).sum() / len(failures))
        return OrderMeasures(
            first=step,
            most=self.needed * step,
            apfd=_apfd(step * (1 + numpy.arange(total, dtype=float)), number),
            apfd_sources=_apfd(firsts, number),
            area=area,
            found=1.0,
            sources=len(failing) / len(failures),
        )

    def expected_curve(self, pairs: ndarray) -> tuple[ndarray, ndarray]:
        """Return the expectation of :meth:`cumulated` after these numbers of pairs, at random."""
        import numpy
        from scipy.special import gammaln

        number, failures = len(self.faults), self.failures()
        sources = numpy.zeros(len(pairs))
        kinds, texts = numpy.unique(failures[failures > 0], return_counts=True)
        left = number - pairs.astype(float)
        for faults, size in zip(kinds, texts, strict=True):
            # None of a source's f faults among k of n: C(n - k, f) / C(n, f).
            open_ = left >= faults
            rest = numpy.where(open_, left, faults)
            none = gammaln(rest + 1) - gammaln(rest - faults + 1)
            none -= gammaln(number + 1) - gammaln(number - faults + 1)
            sources += size * (1 - numpy.where(open_, numpy.exp(none), 0.0))
        return pairs / number, sources / len(failures)


def _apfd(places: ndarray, number: int) -> float:
    """Return 1 - mean place / n + 1 / 2n of faults first detected at these places (from 1)."""
    return float(1 - places.mean() / number + 1 / (2 * number))


MEASURES = tuple(field.name for field in fields(OrderMeasures))
