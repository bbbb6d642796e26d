"""The prediction store: each distinct text is asked once, within a budget, and the answer kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from hinter_core.errors import HinterError
from hinter_core.models.base import Generative, ModelUnderTest
from hinter_core.models.budget import Budget, Cost, total
from hinter_core.models.cache import AGAIN, PASSING, PredictionCache
from hinter_core.storage import LRU
from hinter_core.types import Failure, Prediction

_USED_UP = "the budget is used up; raise it and run again, what was answered is kept"

CHARACTERS = 50_000_000  # of texts whose answers are kept in memory
_ANSWER = 200  # characters that an answer itself counts for


class _Question(NamedTuple):
    """A text, and the how-manieth time it is asked on purpose (0: the answer that counts)."""

    text: str
    turn: int = 0


class PredictionStore:
    """Asks a model each distinct text once and keeps the answer, up to so many ``characters``.

    With a ``cache`` on disk, an answer is written there before it is used, and what another run
    paid for is not asked again. With a ``budget``, texts that do not fit it any more are not asked
    and end as *over budget*. ``predicted`` counts texts handed to the model, ``asked`` all texts
    asked for.
    """

    def __init__(
        self,
        model: ModelUnderTest,
        characters: int = CHARACTERS,
        cache: PredictionCache | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.model = model
        self.budget = budget
        self.predicted = 0
        self.asked = 0
        self._cache = cache
        self._kept: LRU[_Question, Prediction] = LRU(characters, lambda q: len(q.text) + _ANSWER)
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
        wanted = [_Question(text) for text in texts]
        with self._lock:
            self.asked += len(wanted)
            found = self._known(wanted)
            missing = sorted(set(wanted) - set(found), key=lambda q: (-len(q.text), q.text))
            for start in range(0, len(missing), chunk):
                found.update(self._within_budget(missing[start : start + chunk]))
                if after_chunk:
                    after_chunk(min(start + chunk, len(missing)))
            return {question.text: answer for question, answer in found.items()}

    def estimate(self, texts: Iterable[str]) -> Cost:
        """What asking these texts would cost at most; those already answered cost nothing.

        It does not wait for what is being asked now, but then takes nothing for known.
        """
        wanted = {_Question(text) for text in texts}
        known: dict[_Question, Prediction] = {}
        if self._lock.acquire(blocking=False):
            try:
                known = self._known(wanted)
            finally:
                self._lock.release()
        return total(self.cost_of(question.text) for question in wanted - set(known))

    def repeat(self, text: str, times: int) -> list[Prediction]:
        """Ask the same text so many times anew; these answers are kept apart from its first."""
        turns = [_Question(text, turn) for turn in range(1, times + 1)]
        with self._lock:
            found = self._known(turns)
            found.update(self._within_budget([turn for turn in turns if turn not in found]))
            return [found[turn] for turn in turns]

    def _known(self, wanted: Iterable[_Question]) -> dict[_Question, Prediction]:
        distinct = list(dict.fromkeys(wanted))
        found = self._kept.found(distinct)
        if self._cache is not None:
            raw: dict[_Question, Prediction] = {}
            left = [q for q in distinct if q not in found]
            for turn, questions in groupby(left, key=lambda q: q.turn):
                texts = [question.text for question in questions]
                stored = self._cache.get(self._identity(turn), texts)
                raw |= {_Question(text, turn): stored[text] for text in stored}
            found |= self._read(raw)
        return found

    def _identity(self, turn: int) -> str:
        model = self.model
        identity = model.reply_identity if isinstance(model, Generative) else model.identity
        return f"{identity}{AGAIN}{turn}" if turn else identity

    def cost_of(self, text: str) -> Cost:
        """What asking a text costs at most."""
        return self.model.estimate(text) if isinstance(self.model, Generative) else Cost(1)

    def _within_budget(self, questions: Sequence[_Question]) -> dict[_Question, Prediction]:
        """Ask what the budget allows; as answers cost less than was held back, more may fit."""
        found: dict[_Question, Prediction] = {}
        while left := [question for question in questions if question not in found]:
            held = self._hold(left)
            if not held:  # nothing is in flight, so the first one does not fit; others may
                found[left[0]] = Prediction(failure=Failure.OVER_BUDGET, detail=_USED_UP)
                continue
            try:
                found.update(self._ask(list(held), held))
            finally:
                for cost in held.values():  # what was not answered, and so not settled
                    if self.budget is not None:
                        self.budget.settle(cost, Cost())
        return found

    def _hold(self, questions: Sequence[_Question]) -> dict[_Question, Cost]:
        held: dict[_Question, Cost] = {}
        for question in questions:
            cost = self.cost_of(question.text) if self.budget is not None else Cost()
            if self.budget is not None and not self.budget.hold(cost):
                break
            held[question] = cost
        return held

    def _settle(self, question: _Question, held: dict[_Question, Cost], real: Cost) -> None:
        if self.budget is not None:
            self.budget.settle(held.pop(question, Cost()), real)

    def _ask(
        self, questions: list[_Question], held: dict[_Question, Cost]
    ) -> dict[_Question, Prediction]:
        self.predicted += len(questions)
        answers: dict[_Question, Prediction] = {}
        try:
            self._answer(questions, held, answers)
        except HinterError:
            raise
        except Exception as error:  # noqa: BLE001 -- any fault of a model is an outcome
            # What came before the fault is kept, and not asked (or paid for) again.
            left = [question for question in questions if question not in answers]
            if left and len(questions) == 1:
                self._settle(questions[0], held, Cost(1))
                return {questions[0]: _fault(error)}
            self.predicted -= len(left)
            for question in left:
                answers.update(self._ask([question], held))
        return answers

    def _answer(
        self,
        questions: list[_Question],
        held: dict[_Question, Cost],
        answers: dict[_Question, Prediction],
    ) -> None:
        """Fill ``answers``; what came before a fault is in it, too."""
        texts = [question.text for question in questions]
        if not isinstance(self.model, Generative):
            told = dict(zip(questions, self.model.predict(texts), strict=True))
            self._write(told)
            answers |= self._read(told)
            for question in questions:
                self._settle(question, held, Cost(1))
            return
        raw: dict[_Question, Prediction] = {}
        try:
            for index, reply, cost in self.model.reply(texts):
                # Written one by one: what cost money outlives whatever happens next.
                raw[questions[index]] = reply
                self._write({questions[index]: reply})
                self._settle(questions[index], held, cost)
        finally:
            answers |= self._read(raw)
        if len(answers) < len(questions):
            raise ValueError(f"{len(answers)} replies to {len(questions)} texts")

    def _write(self, answers: Mapping[_Question, Prediction]) -> None:
        if self._cache is not None:
            for turn, group in groupby(answers, key=lambda q: q.turn):
                self._cache.put(self._identity(turn), {q.text: answers[q] for q in group})

    def _read(self, raw: Mapping[_Question, Prediction]) -> dict[_Question, Prediction]:
        """The answers in raw replies; those that another try may mend are not kept."""
        if not raw:
            return {}
        values = list(raw.values())
        read = self.model.read(values) if isinstance(self.model, Generative) else values
        answers = dict(zip(raw, read, strict=True))
        self._kept.keep({q: a for q, a in answers.items() if a.failure not in PASSING})
        return answers


def _fault(error: Exception) -> Prediction:
    detail = f"{type(error).__name__}: {error}"[:300]
    return Prediction(failure=Failure.ERROR, detail=detail)
