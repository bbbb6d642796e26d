"""The adaptive order: ask first what is likeliest to fail, given the verdicts so far.

A Bayesian logistic regression over :mod:`hinter_core.prioritisation.features` predicts faults; its
effects have independent normal priors around 0 (:data:`PRIOR`), and a case whose effects are all 0
fails with probability :data:`BASE`. The posterior is approximated by a normal distribution with
diagonal covariance around its mode (Laplace), reached by damped Newton steps from the last mode.
Cases are ranked by one draw of all effects with a fraction of their posterior deviation (Thompson
sampling, tempered: Chapelle and Li 2011, section 3). What was not asked about in vain keeps a
higher mean than what was, so the order turns to other texts and words by itself.

It is refitted when a share of new verdicts has come in, so that its cost grows with their number
and not with its square; a budget of n calls takes about log(n) / :data:`SHARE` fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

from hinter_core.prioritisation.features import Design
from hinter_core.prioritisation.orders import CaseOrder

if TYPE_CHECKING:
    from numpy import ndarray

BASE = 0.018  # probability of a fault before anything is known: log-odds of -4
TEMPER = 0.1  # fraction of the posterior deviation in a draw
SHARE = 0.05  # new verdicts, relative to the old ones, after which it is fitted again
_STEPS, _DAMPING = 6, 0.2  # of a fit; as good as the exact mode, at a third of its cost
_LAST = 1e6  # log-odds less for what comes after all others
_TIE = 1e-9  # log-odds, by which equal cases are shuffled


class FaultModel:
    """The posterior of the effects: ``mean`` and ``precision`` by feature."""

    def __init__(self, design: Design) -> None:
        import numpy

        self._design = design
        self._prior = 1 / design.spread**2
        self._base = log(BASE / (1 - BASE))
        self.mean = numpy.zeros(len(self._prior))
        self.precision = self._prior.copy()

    def fit(self, places: ndarray, faults: ndarray) -> None:
        """Update the posterior to these verdicts, which are all that are known."""
        from scipy.special import expit

        rows = self._design.matrix[places]
        turned = rows.T.tocsr()
        for _ in range(_STEPS):
            expected = expit(self._base + rows @ self.mean)
            slope = turned @ (faults - expected) - self._prior * self.mean
            self.precision = self._prior + turned @ (expected * (1 - expected))
            # Effects of one case overlap, so that a full step by the diagonal overshoots.
            self.mean = self.mean + _DAMPING * slope / self.precision

    def probabilities(self) -> ndarray:
        """Return the probability of a fault of each case, at the mode."""
        from scipy.special import expit

        chances: ndarray = expit(self._base + self._design.matrix @ self.mean)
        return chances

    def drawn(self, normal: ndarray) -> ndarray:
        """Return the log-odds of each case for a standard normal draw of each effect."""
        import numpy

        effects = self.mean + TEMPER * normal / numpy.sqrt(self.precision)
        logits: ndarray = self._design.matrix @ effects
        return logits


class AdaptiveOrder(CaseOrder):
    """Cases by their drawn log-odds of a fault; see the module.

    It stays with a text that fails, since its other cases are likely to. With ``texts`` (the number
    of each case's source text), cases of texts that have not failed come first: sooner a fault of
    each text, later all faults.
    """

    def __init__(self, design: Design, seed: int, texts: ndarray | None = None) -> None:
        import numpy

        self._model = FaultModel(design)
        self._rng = numpy.random.default_rng(seed)
        self._open = numpy.ones(design.matrix.shape[0], dtype=bool)  # not yet given
        self._asked: list[int] = []
        self._faults: list[bool] = []
        self._fitted = 0  # verdicts that the model knows
        self._ranking: list[int] = []  # up to the next fit, the best last
        self._failed = numpy.zeros(len(self._open), dtype=bool)  # cases of texts with a fault
        self._beside: dict[int, list[int]] = {}  # by text
        for place, text in enumerate([] if texts is None else texts.tolist()):
            self._beside.setdefault(text, []).append(place)
        self._texts = texts

    def next(self, number: int) -> list[int]:
        """Return the likeliest cases, at most up to the next fit."""
        chosen = self._taken(number)
        if not chosen and number > 0 and self._open.any():
            self._rank()
            chosen = self._taken(number)
        return chosen

    def learn(self, chosen: Sequence[int], faults: Sequence[bool]) -> None:
        """Remember verdicts for the next fit, also on cases that this order did not give."""
        self._open[list(chosen)] = False
        self._asked += map(int, chosen)
        self._faults += map(bool, faults)
        if self._texts is not None:
            for place, fault in zip(chosen, faults, strict=True):
                if fault and not self._failed[place]:
                    self._failed[self._beside[int(self._texts[place])]] = True
                    self._ranking = [one for one in self._ranking if not self._failed[one]]

    def _taken(self, number: int) -> list[int]:
        chosen: list[int] = []
        while self._ranking and len(chosen) < number:
            place = self._ranking.pop()
            if self._open[place]:
                chosen.append(place)
        self._open[chosen] = False
        return chosen

    def _rank(self) -> None:
        """Fit the model to the verdicts so far, and rank as many cases as it may stay unfitted."""
        import numpy

        if len(self._asked) > self._fitted:
            faults = numpy.array(self._faults, dtype=numpy.float64)
            self._model.fit(numpy.array(self._asked), faults)
            self._fitted = len(self._asked)
        left = numpy.flatnonzero(self._open)
        odds = self._model.drawn(self._rng.standard_normal(len(self._model.mean)))[left]
        odds += _TIE * self._rng.random(len(left)) - _LAST * self._failed[left]
        most = min(max(1, int(SHARE * (len(self._open) - len(left)))), len(left))
        best = numpy.argpartition(odds, len(left) - most)[len(left) - most :]
        self._ranking = left[best[numpy.argsort(odds[best])]].tolist()
