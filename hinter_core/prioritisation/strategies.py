"""Strategies: orders that can be followed while models are tested, without known verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hinter_core.prioritisation.adaptive import AdaptiveOrder
from hinter_core.prioritisation.cases import PairCase
from hinter_core.prioritisation.features import design_of
from hinter_core.prioritisation.metrics import LEVENSHTEIN
from hinter_core.prioritisation.orders import CaseOrder, by_score, random_order

_ADAPTIVE, _BY_TEXTS, _LEVENSHTEIN, _RANDOM = "adaptive", "adaptive-texts", "levenshtein", "random"
STRATEGIES = (_ADAPTIVE, _BY_TEXTS, _LEVENSHTEIN, _RANDOM)


def strategy(
    name: str,
    cases: Sequence[PairCase],
    texts: Callable[[], tuple[list[str], list[str]]],
    seed: int,
) -> CaseOrder:
    """Return the order of this name; ``texts`` gives the sources and follow-ups, if it reads them.

    Raises:
        KeyError: no such strategy.
    """
    import numpy

    if name == _LEVENSHTEIN:
        return by_score(LEVENSHTEIN.score(*texts()), seed)
    if name == _RANDOM:
        return random_order(len(cases), seed)
    numbers = numpy.array([case.text for case in cases], dtype=numpy.int64)
    beside = {_ADAPTIVE: None, _BY_TEXTS: numbers}[name]
    return AdaptiveOrder(design_of(cases), seed, beside)
