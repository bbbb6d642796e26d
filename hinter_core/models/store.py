"""The prediction store: each distinct text is asked once, within a budget, and the answer kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence

from hinter_core.errors import HinterError
from hinter_core.models.base import Generative, ModelUnderTest
from hinter_core.models.budget import Budget, Cost, total
from hinter_core.models.cache import PASSING, PredictionCache
from hinter_core.types import Failure, Prediction

_USED_UP = "the budget is used up; raise it and run again, what was answered is kept"

CAPACITY = 200_000  # answers kept in memory


class PredictionStore:
    """Asks a model each distinct text once and keeps the answer (least recently used go first).

    With a ``cache`` on disk, an answer is written there before it is used, and what another run
    paid for is not asked again. With a ``budget``, texts that do not fit it any more are not asked
    and end as *over budget*. ``predicted`` counts texts handed to the model, ``asked`` all texts
    asked for.
    """

    def __init__(
        self,
        model: ModelUnderTest,
        capacity: int = CAPACITY,
        cache: PredictionCache | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.model = model
        self.budget = budget
        self.predicted = 0
        self.asked = 0
        self._cache = cache
        self._capacity = capacity
        self._kept: OrderedDict[str, Prediction] = OrderedDict()
        self._lock = threading.RLock()

    def predict(
        self,
        texts: Iterable[str],
        *,
        chunk: int = 64,
        after_chunk: Callable[[int], None] | None = None,
    ) -> dict[str, Prediction]:
        """Predictions by text. What is not kept is asked in chunks, longest first.

        ``after_chunk`` is told how many new texts are done; it may raise to stop, and what was
        answered until then is kept. A chunk that fails as a whole is asked one by one, so that
        one bad text does not spoil the others.
        """
        wanted = list(texts)
        with self._lock:
            self.asked += len(wanted)
            found = self._known(wanted)
            missing = sorted({t for t in wanted if t not in found}, key=lambda t: (-len(t), t))
            for start in range(0, len(missing), chunk):
                found.update(self._within_budget(missing[start : start + chunk]))
                if after_chunk:
                    after_chunk(min(start + chunk, len(missing)))
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)
            return found

    def estimate(self, texts: Iterable[str]) -> Cost:
        """What asking these texts would cost at most; those already answered cost nothing."""
        wanted = set(texts)
        with self._lock:
            known = self._known(wanted)
        return total(self.cost_of(text) for text in wanted if text not in known)

    def repeat(self, text: str, times: int) -> list[Prediction]:
        """Ask the same text so many times anew; these answers are kept apart from its first."""
        model = self.model
        with self._lock:
            answers: list[Prediction] = []
            for turn in range(times):
                identity = f"{model.identity}#again-{turn}"
                kept = self._cache.get(identity, [text]) if self._cache else {}
                raw = kept.get(text) or self._once_more(text)
                if self._cache is not None:
                    self._cache.put(identity, {text: raw})
                answers.append(raw)
            return self._read(answers)

    def _once_more(self, text: str) -> Prediction:
        estimate = self.cost_of(text)
        if self.budget is not None and not self.budget.hold(estimate):
            return Prediction(failure=Failure.OVER_BUDGET, detail=_USED_UP)
        self.predicted += 1
        model, real = self.model, estimate
        try:
            if isinstance(model, Generative):
                _, raw, real = next(iter(model.reply([text])))
                return raw
            return model.predict([text])[0]
        except HinterError:
            raise
        except Exception as error:  # noqa: BLE001 -- any fault of a model is an outcome
            return _fault(error)
        finally:
            if self.budget is not None:
                self.budget.settle(estimate, real)

    def _known(self, wanted: Iterable[str]) -> dict[str, Prediction]:
        distinct = dict.fromkeys(wanted)
        found = {t: self._kept[t] for t in distinct if t in self._kept}
        for text in found:
            self._kept.move_to_end(text)
        if self._cache is not None:
            stored = self._cache.get(self.model.identity, [t for t in distinct if t not in found])
            fresh = dict(zip(stored, self._read(list(stored.values())), strict=True))
            self._kept.update(fresh)
            found.update(fresh)
        return found

    def cost_of(self, text: str) -> Cost:
        """What asking a text costs at most."""
        return self.model.estimate(text) if isinstance(self.model, Generative) else Cost(1)

    def _within_budget(self, texts: list[str]) -> dict[str, Prediction]:
        """Ask what the budget allows; as answers cost less than was held back, more may fit."""
        if self.budget is None:
            return self._ask(texts, {})
        found: dict[str, Prediction] = {}
        while len(found) < len(texts):
            held = self._hold(self.budget, texts[len(found) :])
            if not held:
                over = Prediction(failure=Failure.OVER_BUDGET, detail=_USED_UP)
                return found | {text: over for text in texts if text not in found}
            try:
                found.update(self._ask(list(held), held))
            finally:
                for cost in held.values():  # what was not answered, and so not settled
                    self.budget.settle(cost, Cost())
        return found

    def _hold(self, budget: Budget, texts: Sequence[str]) -> dict[str, Cost]:
        held: dict[str, Cost] = {}
        for text in texts:
            cost = self.cost_of(text)
            if not budget.hold(cost):
                break
            held[text] = cost
        return held

    def _settle(self, text: str, held: dict[str, Cost], real: Cost) -> None:
        if self.budget is not None and text in held:
            self.budget.settle(held.pop(text), real)

    def _ask(self, texts: list[str], held: dict[str, Cost]) -> dict[str, Prediction]:
        self.predicted += len(texts)
        try:
            return self._answers(texts, held)
        except HinterError:
            raise
        except Exception as error:  # noqa: BLE001 -- any fault of a model is an outcome
            if len(texts) == 1:
                self._settle(texts[0], held, Cost(1))
                return {texts[0]: _fault(error)}
            # What came before the fault is kept, and not asked (or paid for) again.
            fresh = {text: self._kept[text] for text in texts if text in self._kept}
            left = [text for text in texts if text not in fresh]
            self.predicted -= len(left)
            for text in left:
                fresh.update(self._ask([text], held))
            return fresh

    def _answers(self, texts: list[str], held: dict[str, Cost]) -> dict[str, Prediction]:
        if not isinstance(self.model, Generative):
            answers = dict(zip(texts, self.model.predict(texts), strict=True))
            if self._cache is not None:
                self._cache.put(self.model.identity, answers)
            self._remember(answers)
            for text in texts:
                self._settle(text, held, Cost(1))
            return answers
        raw: dict[str, Prediction] = {}
        try:
            for index, reply, cost in self.model.reply(texts):
                # Written one by one: what cost money outlives whatever happens next.
                raw[texts[index]] = reply
                if self._cache is not None:
                    self._cache.put(self.model.identity, {texts[index]: reply})
                self._settle(texts[index], held, cost)
        finally:
            answers = dict(zip(raw, self._read(list(raw.values())), strict=True))
            self._remember(answers)
        return answers

    def _read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        if replies and isinstance(self.model, Generative):
            return self.model.read(replies)
        return list(replies)

    def _remember(self, answers: Mapping[str, Prediction]) -> None:
        self._kept.update((t, a) for t, a in answers.items() if a.failure not in PASSING)


def _fault(error: Exception) -> Prediction:
    detail = f"{type(error).__name__}: {error}"[:300]
    return Prediction(failure=Failure.ERROR, detail=detail)
