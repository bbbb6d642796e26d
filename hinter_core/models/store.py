"""Prediction store: predict each distinct text once, within a budget, and keep the answer."""

from __future__ import annotations

import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, NamedTuple

from hinter_core.errors import HinterError
from hinter_core.language.clean import whole
from hinter_core.models.base import Generative, ModelUnderTest, Remote, Replies
from hinter_core.models.budget import USED_UP, Budget, Cost, total
from hinter_core.models.cache import AGAIN, PASSING, KeptAnswers, PredictionCache
from hinter_core.storage import LRU
from hinter_core.types import Failure, Prediction

CHARACTERS = 50_000_000  # of texts whose answers are kept in memory
_ANSWER = 200  # characters that an answer itself counts for


class PredictionStore:
    """LRU cache of a model's answers, bounded by the ``characters`` of their texts.

    With a ``cache`` on disk, answers are stored there before they are used, so that another run
    does not pay for them again. With a ``budget``, texts that do not fit it are not sent and fail
    as *over budget*. ``predicted`` counts texts sent to the model, ``asked`` all texts requested.
    With ``ask_again``, stored replies without a usable answer are requested anew; so is every
    answer that was stored before the Unix time ``since``.
    """

    def __init__(
        self,
        model: ModelUnderTest,
        characters: int = CHARACTERS,
        cache: PredictionCache | None = None,
        budget: Budget | None = None,
        ask_again: bool = False,
        since: float = 0.0,
    ) -> None:
        self.model = model
        self.predicted = 0
        self.asked = 0
        self.budget = budget or Budget()
        self._cache = cache
        self._ask_again = ask_again
        self._since = since
        self._kept: LRU[StoreQuestion, tuple[Prediction, float]] = LRU(  # with their times
            characters, lambda q: len(q.text) + _ANSWER
        )
        self._recalled: dict[int, Mapping[str, Prediction]] = {}
        self._lock = threading.RLock()
        self._flight = Flight(model, self) if isinstance(model, Remote) else None

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
        wanted = [StoreQuestion(text) for text in texts]
        with self._lock:
            self.asked += len(wanted)
            answers = self._known(wanted)
            missing = _missing(wanted, answers, anywhere=self._flight is not None)

            def done(number: int) -> None:
                if after_chunk and (number % chunk == 0 or number == len(missing)):
                    after_chunk(number)

            if self._flight is not None:
                answers |= self._answered_elsewhere(self._flight, missing, done)
            else:
                for start in range(0, len(missing), chunk):
                    answers.update(self._within_budget(missing[start : start + chunk]))
                    done(min(start + chunk, len(missing)))
            return {question.text: answer for question, answer in answers.items()}

    def begin(self, texts: Iterable[str]) -> None:
        """Send the texts without an answer to a model that answers elsewhere; do not wait for it.

        Other models are asked by :meth:`predict` alone.
        """
        if self._flight is None:
            return
        with self._lock:
            wanted = [StoreQuestion(text) for text in texts]
            known = self._known(wanted)
            self._flight.begin(_missing(wanted, known, anywhere=True), self.budget)

    def call_off(self) -> None:
        """Send no more of what was begun, and wait for the answers that are under way."""
        if self._flight is not None:
            self._flight.call_off(wait=True)

    def recall(self, shard: int, answers: Mapping[str, Prediction]) -> None:
        """Take the answers that a shard of a campaign has from before, until it is forgotten."""
        with self._lock:
            self._recalled[shard] = {
                text: answer
                for text, answer in answers.items()
                if answer.answered or not (self._ask_again or answer.failure in PASSING)
            }

    def forget(self, shard: int) -> None:
        """Let go of what was recalled for a shard."""
        with self._lock:
            self._recalled.pop(shard, None)

    def _answered_elsewhere(
        self, flight: Flight, questions: Sequence[StoreQuestion], done: Callable[[int], None]
    ) -> dict[StoreQuestion, Prediction]:
        flight.begin(questions, self.budget)
        replies = dict(zip(questions, flight.take(questions, done), strict=True))
        self.predicted += len(set(questions) - flight.unsent)
        flight.unsent.difference_update(questions)
        return self._read(replies)

    def estimate(self, texts: Iterable[str]) -> Cost:
        """Estimate the cost of predicting these texts, from above; stored answers are free.

        While another thread predicts, no answer counts as stored, so that this does not wait.
        """
        wanted = {StoreQuestion(text) for text in texts}
        known: dict[StoreQuestion, Prediction] = {}
        if self._lock.acquire(blocking=False):
            try:
                known = self._known(wanted)
            finally:
                self._lock.release()
        return total(self.cost_of(question.text) for question in wanted - set(known))

    def repeat(self, text: str, times: int) -> list[Prediction]:
        """Predict a text ``times`` more; repetitions are kept apart from its first answer."""
        turns = [StoreQuestion(text, turn) for turn in range(1, times + 1)]
        with self._lock:
            answers = self._known(turns)
            left = [turn for turn in turns if turn not in answers]
            if self._flight is not None:
                answers |= self._answered_elsewhere(self._flight, left, lambda _: None)
            else:
                answers |= self._within_budget(left)
            return [answers[turn] for turn in turns]

    def kept(self, texts: Iterable[str], before: float) -> KeptAnswers:
        """Count the answers in memory that are from ``before`` a Unix time.

        Of a steady model there are none: it would answer the same again.
        """
        if self.model.capabilities.steady:
            return KeptAnswers()
        with self._lock:
            known = self._kept.found(StoreQuestion(text) for text in set(texts))
        times = [asked for _, asked in known.values() if asked < before]
        return KeptAnswers(len(times), min(times)) if times else KeptAnswers()

    def cost_of(self, text: str) -> Cost:
        """Estimate the cost of predicting one text, from above."""
        return self.model.estimate(text) if isinstance(self.model, Generative) else Cost(1)

    def _known(self, wanted: Iterable[StoreQuestion]) -> dict[StoreQuestion, Prediction]:
        distinct = list(dict.fromkeys(wanted))
        answers = {question: kept for question, (kept, _) in self._kept.found(distinct).items()}
        flight = self._flight or ()
        left = [q for q in distinct if q not in answers and q not in flight]
        stored = self._stored(left)
        raw = {question: answer for question, (answer, _) in stored.items()}
        answers |= self._read(raw, {question: asked for question, (_, asked) in stored.items()})
        for recalled in self._recalled.values():  # last, as tables round the scores
            again = (q for q in left if q not in answers and not q.turn and q.text in recalled)
            answers |= {question: recalled[question.text] for question in again}
        return answers

    def _identity(self, turn: int) -> str:
        model = self.model
        identity = model.reply_identity if isinstance(model, Generative) else model.identity
        return f"{identity}{AGAIN}{turn}" if turn else identity

    def _within_budget(self, questions: Sequence[StoreQuestion]) -> dict[StoreQuestion, Prediction]:
        """Send what the budget allows; as answers cost less than their estimates, more may fit."""
        answers: dict[StoreQuestion, Prediction] = {}
        while left := [question for question in questions if question not in answers]:
            held: dict[StoreQuestion, Cost] = {}
            for question in left:
                cost = self.cost_of(question.text)
                if not self.budget.hold(cost, wait=not held):
                    break
                held[question] = cost
            if not held:  # nothing is in flight, so the first one does not fit; others may
                answers[left[0]] = OVER_BUDGET
                continue
            try:
                answers.update(self._ask(list(held), held))
            finally:
                for cost in held.values():  # of texts without an answer
                    self.budget.settle(cost, Cost())
        return answers

    def _ask(
        self, questions: list[StoreQuestion], held: dict[StoreQuestion, Cost]
    ) -> dict[StoreQuestion, Prediction]:
        self.predicted += len(questions)
        raw: dict[StoreQuestion, Prediction] = {}
        answers: dict[StoreQuestion, Prediction] = {}
        try:
            try:
                for index, reply, cost in self._replies([question.text for question in questions]):
                    # Stored one by one, so that a crash loses no paid answer.
                    question = questions[index]
                    raw[question] = reply
                    self.keep({question: reply})
                    self.budget.settle(held.pop(question, Cost()), cost)
            finally:
                answers |= self._read(raw)
            if len(answers) < len(questions):
                raise ValueError(f"{len(answers)} replies to {len(questions)} texts")
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

    def _stored(
        self, questions: Iterable[StoreQuestion]
    ) -> dict[StoreQuestion, tuple[Prediction, float]]:
        """Return the answers on disk, with their times."""
        stored: dict[StoreQuestion, tuple[Prediction, float]] = {}
        if self._cache is None:
            return stored
        for turn, of_turn in groupby(questions, key=lambda q: q.turn):
            texts = [question.text for question in of_turn]
            kept = self._cache.get(self._identity(turn), texts, self._since)
            stored |= {StoreQuestion(text, turn): answer for text, answer in kept.items()}
        return stored

    def stored(self, question: StoreQuestion) -> Prediction | None:
        """Return a reply that another process has stored; None if there is no usable one."""
        with suppress(HinterError):  # the reply is asked for then
            kept = {} if self._ask_again else self._stored([question])
            return next((reply for reply, _ in kept.values()), None)
        return None

    def keep(self, replies: Mapping[StoreQuestion, Prediction]) -> None:
        """Store replies on disk."""
        if self._cache is None:
            return
        for turn, questions in groupby(replies, key=lambda q: q.turn):
            stored = {question.text: _whole(replies[question]) for question in questions}
            self._cache.put(self._identity(turn), stored)

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
        self, raw: Mapping[StoreQuestion, Prediction], times: Mapping[StoreQuestion, float] = {}
    ) -> dict[StoreQuestion, Prediction]:
        """Parse raw replies; answers other than temporary failures are kept in memory.

        ``times``: when stored replies were given; failures among them are dropped with
        ``ask_again``.
        """
        if not raw:
            return {}
        values = list(map(_whole, raw.values()))
        read = self.model.read(values) if isinstance(self.model, Generative) else values
        answers = dict(zip(raw, read, strict=True))
        if times and self._ask_again:
            answers = {question: answer for question, answer in answers.items() if answer.answered}
        kept, now = {q: a for q, a in answers.items() if a.failure not in PASSING}, time.time()
        self._kept.keep({q: (answer, times.get(q, now)) for q, answer in kept.items()})
        return answers


def _missing(
    wanted: Sequence[StoreQuestion],
    known: Mapping[StoreQuestion, Prediction],
    *,
    anywhere: bool,
) -> list[StoreQuestion]:
    """Return the questions without an answer, longest text first.

    ``anywhere``: begin at a place that the first text of all decides, the same when it is asked
    about again; workers that share texts would otherwise all send the same one at the same time.
    """
    ordered = sorted(set(wanted), key=lambda q: (-len(q.text), q.text))
    start = zlib.crc32(whole(wanted[0].text).encode()) % len(ordered) if anywhere and wanted else 0
    return [question for question in ordered[start:] + ordered[:start] if question not in known]


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


_LOOK = 0.05  # seconds between two looks whether another model has left room in the budget


class StoreQuestion(NamedTuple):
    """A text to ask about; ``turn``: index of the repetition (0: the first answer)."""

    text: str
    turn: int = 0


OVER_BUDGET = Prediction(failure=Failure.OVER_BUDGET, detail=USED_UP)


class Flight:
    """Questions under way to a model that answers elsewhere: each is sent once, within its budget.

    ``store`` keeps replies before they are handed on, and knows those that another process got; it
    is asked in the thread of the requests. ``unsent``: questions that have a reply all the same.
    """

    def __init__(self, model: Remote, store: PredictionStore) -> None:
        self._model, self._store = model, store
        self.unsent: set[StoreQuestion] = set()
        self._arrived = threading.Condition()
        self._waiting: deque[tuple[StoreQuestion, Budget]] = deque()  # for room in the budget
        self._held: dict[StoreQuestion, tuple[Budget, Cost]] = {}
        self._replies: dict[StoreQuestion, Prediction] = {}
        self._begun: set[StoreQuestion] = set()
        self._awaited: StoreQuestion | None = None
        self._fault: BaseException | None = None
        self._receiver = self._new_receiver()
        self._off: list[Callable[[Replies[Any]], None]] = []  # called off, and not waited for

    def __contains__(self, question: StoreQuestion) -> bool:
        with self._arrived:
            return question in self._begun

    def begin(self, questions: Sequence[StoreQuestion], budget: Budget) -> None:
        """Send questions that are not under way; those that the budget has no room for yet wait."""
        with self._arrived:
            new = [question for question in questions if question not in self._begun]
            self._begun.update(new)
            self.unsent.difference_update(new)  # of those that were called off
            self._waiting.extend((question, budget) for question in new)
            self._fill()

    def take(
        self, questions: Sequence[StoreQuestion], done: Callable[[int], None]
    ) -> list[Prediction]:
        """Wait for the replies; ``done`` gets the number of those that have come, in order.

        All that is not sent yet is called off if this is interrupted.

        Raises:
            HinterError: no request can succeed, or a reply cannot be stored.
        """
        replies = []
        try:
            for number, question in enumerate(questions, start=1):
                replies.append(self._wait_for(question))
                done(number)
        except BaseException:
            self.call_off()
            raise
        return replies

    def _wait_for(self, question: StoreQuestion) -> Prediction:
        with self._arrived:
            self._awaited = question
            while question not in self._replies:
                if self._fault is not None:
                    fault, self._fault = self._fault, None
                    raise fault
                self._arrived.wait(_LOOK if self._waiting else None)
                self._fill()
            self._begun.discard(question)
            return self._replies.pop(question)

    def _fill(self) -> None:
        """Send what the budget has room for; what will never fit gets a reply that says so."""
        batch: list[tuple[tuple[StoreQuestion, Budget], str]] = []
        while self._waiting:
            question, budget = self._waiting[0]
            cost = self._model.estimate(question.text)
            room = budget.room_for(cost)
            if room is None:
                break
            self._waiting.popleft()
            if room:
                self._held[question] = budget, cost
                batch.append(((question, budget), question.text))
            else:
                self._replies[question] = OVER_BUDGET
                self.unsent.add(question)
        if batch:
            self._model.send(batch, self._receiver, self._stored)

    def _stored(self, key: tuple[StoreQuestion, Budget]) -> tuple[Prediction, Cost] | None:
        reply = self._store.stored(key[0])
        if reply is None:
            return None
        self.unsent.add(key[0])
        return reply, Cost()

    def _new_receiver(self) -> Callable[[Replies[tuple[StoreQuestion, Budget]]], None]:
        """Make what receives replies until they are called off.

        A fault of a question that was called off is none of those that were asked since.
        """

        def receive(replies: Replies[tuple[StoreQuestion, Budget]]) -> None:
            if receive is self._receiver or not isinstance(replies, BaseException):
                self._receive(replies)

        return receive

    def _receive(self, receipt: Replies[tuple[StoreQuestion, Budget]]) -> None:
        fault = receipt if isinstance(receipt, BaseException) else None
        replies = [] if isinstance(receipt, BaseException) else receipt
        try:
            new = {q: reply for (q, _), (reply, _) in replies if q not in self.unsent}
            self._store.keep(new)
        except Exception as error:  # noqa: BLE001 -- raised in the thread that waits
            fault = error
        with self._arrived:
            for (question, budget), (reply, cost) in replies:
                held = self._held.pop(question, None)
                budget.settle(held[1] if held else Cost(), cost)
                if held:  # it is still wanted
                    self._replies[question] = reply
            if fault is None and self._waiting:
                try:
                    self._fill()
                except HinterError as error:  # of a budget that is kept elsewhere
                    fault = error
            if fault is not None:
                self._fault = fault
                self._forget()
            if fault is not None or self._awaited in self._replies:
                self._arrived.notify_all()

    def _forget(self) -> None:
        """Give up the questions without a reply; a reply that still comes is kept all the same."""
        for budget, cost in self._held.values():
            budget.settle(cost, Cost())
        self._held.clear()
        self._waiting.clear()
        self._begun = set(self._replies)

    def call_off(self, *, wait: bool = False) -> None:
        """Send no more; ``wait`` for replies that are under way, which are kept."""
        with self._arrived:
            self._waiting.clear()  # a reply makes room in the budget, for which these waited
            self._off.append(self._receiver)
            self._receiver = self._new_receiver()
            self._fault = None  # of what is called off
            off = list(self._off)
            if wait:
                self._off.clear()
        for receive in off:
            self._model.call_off(receive, wait=wait)
        with self._arrived:
            self._forget()
