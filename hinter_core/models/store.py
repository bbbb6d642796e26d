"""Prediction store: predict each distinct text once, within a budget, and keep the answer."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import NamedTuple

from hinter_core.errors import HinterError
from hinter_core.language.clean import whole
from hinter_core.models.base import Generative, ModelUnderTest
from hinter_core.models.budget import Budget, Cost, total
from hinter_core.models.cache import AGAIN, PASSING, PredictionCache
from hinter_core.storage import LRU
from hinter_core.types import Failure, Prediction

_USED_UP = "the budget is used up; raise it and run again, what was answered is kept"

CHARACTERS = 50_000_000  # of texts whose answers are kept in memory
_ANSWER = 200  # characters that an answer itself counts for


class _Question(NamedTuple):
    text: str
    turn: int = 0  # index of the repetition (0: the first answer)


class PredictionStore:
    """LRU cache of a model's answers, bounded by the ``characters`` of their texts.

    With a ``cache`` on disk, answers are stored there before they are used, so that another run
    does not pay for them again. With a ``budget``, texts that do not fit it are not sent and fail
    as *over budget*. ``predicted`` counts texts sent to the model, ``asked`` all texts requested.
    With ``ask_again``, stored replies without a usable answer are requested anew.
    """

    def __init__(
        self,
        model: ModelUnderTest,
        characters: int = CHARACTERS,
        cache: PredictionCache | None = None,
        budget: Budget | None = None,
        ask_again: bool = False,
    ) -> None:
        self.model = model
        self.predicted = 0
        self.asked = 0
        self.budget = budget or Budget()
        self._cache = cache
        self._ask_again = ask_again
        self._kept: LRU[_Question, Prediction] = LRU(characters, lambda q: len(q.text) + _ANSWER)
        self._lock = threading.RLock()

    def predict(
        self,
        texts: Iterable[str],
        *,
        chunk: int = 64,
        after_chunk: Callable[[int], None] | None = None,
    ) -> dict[str, Prediction]:
        """Return predictions by text; missing ones are computed in chunks, longest text first.

        ``after_chunk`` gets the number of new texts done; it may raise to stop, and answers up to
        then are kept. A chunk that fails is sent again text by text, so that one bad text does not
        spoil the others.
        """
        wanted = [_Question(text) for text in texts]
        with self._lock:
            self.asked += len(wanted)
            answers = self._known(wanted)
            missing = sorted(set(wanted) - set(answers), key=lambda q: (-len(q.text), q.text))
            for start in range(0, len(missing), chunk):
                answers.update(self._within_budget(missing[start : start + chunk]))
                if after_chunk:
                    after_chunk(min(start + chunk, len(missing)))
            return {question.text: answer for question, answer in answers.items()}

    def estimate(self, texts: Iterable[str]) -> Cost:
        """Estimate the cost of predicting these texts, from above; stored answers are free.

        While another thread predicts, no answer counts as stored, so that this does not wait.
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
        """Predict a text ``times`` more; repetitions are kept apart from its first answer."""
        turns = [_Question(text, turn) for turn in range(1, times + 1)]
        with self._lock:
            answers = self._known(turns)
            answers.update(self._within_budget([turn for turn in turns if turn not in answers]))
            return [answers[turn] for turn in turns]

    def cost_of(self, text: str) -> Cost:
        """Estimate the cost of predicting one text, from above."""
        return self.model.estimate(text) if isinstance(self.model, Generative) else Cost(1)

    def _known(self, wanted: Iterable[_Question]) -> dict[_Question, Prediction]:
        distinct = list(dict.fromkeys(wanted))
        answers = self._kept.found(distinct)
        if self._cache is not None:
            raw: dict[_Question, Prediction] = {}
            left = [q for q in distinct if q not in answers]
            for turn, questions in groupby(left, key=lambda q: q.turn):
                texts = [question.text for question in questions]
                stored = self._cache.get(self._identity(turn), texts)
                raw |= {_Question(text, turn): stored[text] for text in stored}
            answers |= self._read(raw, stored=True)
        return answers

    def _identity(self, turn: int) -> str:
        model = self.model
        identity = model.reply_identity if isinstance(model, Generative) else model.identity
        return f"{identity}{AGAIN}{turn}" if turn else identity

    def _within_budget(self, questions: Sequence[_Question]) -> dict[_Question, Prediction]:
        """Send what the budget allows; as answers cost less than their estimates, more may fit."""
        answers: dict[_Question, Prediction] = {}
        while left := [question for question in questions if question not in answers]:
            held: dict[_Question, Cost] = {}
            for question in left:
                cost = self.cost_of(question.text)
                if not self.budget.hold(cost):
                    break
                held[question] = cost
            if not held:  # nothing is in flight, so the first one does not fit; others may
                answers[left[0]] = Prediction(failure=Failure.OVER_BUDGET, detail=_USED_UP)
                continue
            try:
                answers.update(self._ask(list(held), held))
            finally:
                for cost in held.values():  # of texts without an answer
                    self.budget.settle(cost, Cost())
        return answers

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
            # Answers from before the fault are kept, and not paid for again.
            left = [question for question in questions if question not in answers]
            if left and len(questions) == 1:
                self.budget.settle(held.pop(questions[0], Cost()), Cost(1))
                detail = whole(f"{type(error).__name__}: {error}"[:300])
                return {questions[0]: Prediction(failure=Failure.ERROR, detail=detail)}
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
        """Fill ``answers``, also with those from before a fault."""
        raw: dict[_Question, Prediction] = {}
        try:
            for index, reply, cost in self._replies([question.text for question in questions]):
                # Stored one by one, so that a crash loses no paid answer.
                question = questions[index]
                raw[question] = reply
                if self._cache is not None:
                    self._cache.put(self._identity(question.turn), {question.text: reply})
                self.budget.settle(held.pop(question, Cost()), cost)
        finally:
            answers |= self._read(raw)
        if len(answers) < len(questions):
            raise ValueError(f"{len(answers)} replies to {len(questions)} texts")

    def _replies(self, texts: list[str]) -> Iterator[tuple[int, Prediction, Cost]]:
        if isinstance(self.model, Generative):
            for index, reply, cost in self.model.reply(texts):
                yield index, _whole(reply), cost
            return
        predictions = self.model.predict(texts)
        if len(predictions) != len(texts):
            raise ValueError(f"{len(predictions)} answers to {len(texts)} texts")
        for index, prediction in enumerate(predictions):
            yield index, _whole(prediction), Cost(1)

    def _read(
        self, raw: Mapping[_Question, Prediction], *, stored: bool = False
    ) -> dict[_Question, Prediction]:
        """Parse raw replies; answers other than temporary failures are kept in memory.

        Failures among ``stored`` replies are dropped with ``ask_again``.
        """
        if not raw:
            return {}
        values = list(raw.values())
        read = self.model.read(values) if isinstance(self.model, Generative) else values
        answers = dict(zip(raw, read, strict=True))
        if stored and self._ask_again:
            answers = {question: answer for question, answer in answers.items() if answer.answered}
        self._kept.keep({q: a for q, a in answers.items() if a.failure not in PASSING})
        return answers


def _whole(answer: Prediction) -> Prediction:
    """Return an answer that can be written: servers may send halves of characters."""
    words = (answer.detail, answer.reply, *answer.labels, *answer.scores, *chain(*answer.masks))
    written = "".join(words)
    if whole(written) is written:
        return answer
    return replace(
        answer,
        labels=tuple(map(whole, answer.labels)),
        scores={whole(label): score for label, score in answer.scores.items()},
        detail=whole(answer.detail),
        reply=whole(answer.reply),
        masks=tuple({whole(word): p for word, p in mask.items()} for mask in answer.masks),
    )
