"""Prioritise mutants of order 3 and higher, if there are too many to test all.

A search predicts lower orders with one model, its *guide*, and extrapolates: the scores of a mutant
are predicted from those of its parts, without an interaction of the whole. Mutants predicted to lie
closest to the decision boundary come first. Mutants with a part that is not benign are left out, as
they cannot be hidden. The result is no random sample: its rates are those of the likeliest mutants.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from math import log

from hinter_core.errors import InputError
from hinter_core.language.parsing import ParseStore
from hinter_core.models.base import Capabilities
from hinter_core.models.store import PredictionStore
from hinter_core.mutation.lattice import EditSet, proper_subsets
from hinter_core.mutation.plan import Plan
from hinter_core.mutation.settings import Settings
from hinter_core.pipeline.case import TestCase, ask_originals, conform, follow_up_of, judge
from hinter_core.pipeline.pipeline import chunks, closure
from hinter_core.types import Edit, Prediction, Verdict

_CHUNK = 256
_CANDIDATES = 20_000  # combinations considered per order; if there are more, a seeded sample
_EPSILON = 1e-6

Levels = dict[str, float]  # by label: log-odds (several labels at once) or log probability


@dataclass
class _Known:
    """Verdicts of the guide on one text, and the interaction of each edit set beyond its parts.

    The empty set has the levels of the unchanged text.
    """

    interactions: dict[EditSet, Levels] = field(default_factory=dict)
    verdicts: dict[EditSet, Verdict] = field(default_factory=dict)

    def add(self, edits: Sequence[Edit], levels: Levels) -> None:
        """Add the levels of an edit set; its parts must have been added before."""
        below = self.predicted(edits)
        self.interactions[frozenset(edits)] = {x: y - below.get(x, 0.0) for x, y in levels.items()}

    def predicted(self, edits: Sequence[Edit]) -> Levels:
        """Predict the levels of a mutant from its parts (inclusion-exclusion)."""
        total: Levels = dict(self.interactions.get(frozenset(), {}))
        for part in proper_subsets(edits):
            for label, value in self.interactions.get(frozenset(part), {}).items():
                total[label] = total.get(label, 0.0) + value
        return total

    def may_hide(self, edits: Sequence[Edit]) -> bool:
        """Whether no part is known to be anything but benign."""
        parts = (self.verdicts.get(frozenset(part)) for part in proper_subsets(edits))
        return all(verdict in (None, Verdict.BENIGN) for verdict in parts)


class Search:
    """Chooses mutants by the scores of a guide; the settings' ``limit`` applies to each order.

    Raises:
        InputError: no limit, an order below 3, or a guide that has no scores or costs money.
    """

    def __init__(self, parses: ParseStore, guide: PredictionStore, settings: Settings) -> None:
        capabilities, name = guide.model.capabilities, guide.model.name
        if settings.limit is None or settings.order < 3:
            raise InputError("A guide needs an order of 3 or more, and a limit (of each order).")
        if not capabilities.scores:
            raise InputError(f"{name} gives no scores, so it is no guide; name another model.")
        if capabilities.costs:
            raise InputError(f"{name} costs, and a guide is asked a lot; name one that runs here.")
        self._parses = parses
        self._guide = guide
        self._limit = settings.limit

    def chosen(self, plan: Plan) -> list[tuple[Edit, ...]]:
        """Choose edit sets: a seeded sample of order 2, and the likeliest of every higher order.

        At most ``limit`` of each order, their sub-mutants not counted.
        """
        settings, edits = plan.settings, plan.lattice.edits
        sample = plan.sample(self._limit, order=2)
        case = TestCase(plan)
        ask_originals([case], self._guide)
        known = _Known()
        original = case.originals[self._guide.model.name]
        if not original.scores:
            return sample
        known.add((), self._levels(original))
        self._ask(case, [*plan.atomic(), *sample], known)
        selected = list(sample)
        for order in range(3, min(settings.order, len(edits)) + 1):
            nearest = self._nearest(plan, order, original, known)
            if order < settings.order:
                self._ask(case, nearest, known)
            selected += nearest
        return selected

    def _ask(self, case: TestCase, chosen: Iterable[tuple[Edit, ...]], known: _Known) -> None:
        fresh = (part for part in closure(chosen) if frozenset(part) not in known.verdicts)
        for batch in chunks((follow_up_of(case, part) for part in fresh), _CHUNK):
            conform(batch, self._parses)
            for outcome in judge(batch, self._guide):
                edits, prediction = outcome.mutant.edits, outcome.prediction
                known.verdicts[frozenset(edits)] = outcome.verdict
                if prediction is not None and prediction.scores:
                    known.add(edits, self._levels(prediction))

    def _nearest(
        self, plan: Plan, order: int, original: Prediction, known: _Known
    ) -> list[tuple[Edit, ...]]:
        """Combinations of an order that are predicted to lie closest to the decision boundary."""
        lattice, capabilities = plan.lattice, self._guide.model.capabilities

        def distance(edits: tuple[Edit, ...]) -> float:
            return _distance(original, known.predicted(edits), capabilities)

        likely = (
            edits
            for edits in lattice.drawn(order, _CANDIDATES, plan.settings.seed)
            if plan.possible(edits) and known.may_hide(edits)
        )
        return nsmallest(self._limit, likely, key=distance)

    def _levels(self, prediction: Prediction) -> Levels:
        several = self._guide.model.capabilities.multi_label
        return {x: _level(p, several) for x, p in prediction.scores.items()}


def _level(probability: float, several: bool) -> float:
    p = min(max(probability, _EPSILON), 1 - _EPSILON)
    return log(p / (1 - p)) if several else log(p)


def _distance(original: Prediction, levels: Levels, capabilities: Capabilities) -> float:
    """Distance from the decision boundary; negative: another answer than the original's."""
    if capabilities.multi_label:
        threshold = _level(capabilities.threshold, True)
        signs = {x: 1 if x in original.labels else -1 for x in levels}
        return min(signs[x] * (level - threshold) for x, level in levels.items())
    (label,) = original.labels[:1] or ("",)
    others = [level for x, level in levels.items() if x != label]
    return levels[label] - max(others) if label in levels and others else 0.0
