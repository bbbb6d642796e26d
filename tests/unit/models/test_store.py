"""The prediction store: each text once, longest first, and one bad text spoils no other."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities
from hinter_core.models.budget import Budget, Cost, Usage
from hinter_core.models.cache import PredictionCache
from hinter_core.models.store import PredictionStore
from hinter_core.types import Failure, Prediction


class Echo:
    """Answers with the text itself and writes down how it was asked."""

    name = identity = "echo"
    capabilities = Capabilities()

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.error: Exception | None = None

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        self.calls.append(list(texts))
        if self.error and any("bad" in text for text in texts):
            raise self.error
        if "short" in texts[0]:
            return []
        return [Prediction((text,)) for text in texts]

    def visible(self, text: str) -> int:
        return len(text)


def test_distinct_texts_are_asked_once_longest_first() -> None:
    store = PredictionStore(Echo())
    found = store.predict(["a", "ccc", "bb", "a"])
    assert {t: p.labels for t, p in found.items()} == {"a": ("a",), "bb": ("bb",), "ccc": ("ccc",)}
    assert store.model.calls == [["ccc", "bb", "a"]]  # type: ignore[attr-defined]
    store.predict(["bb", "d"])
    assert store.model.calls[1:] == [["d"]]  # type: ignore[attr-defined]
    assert (store.predicted, store.asked) == (4, 6)


def test_chunks_and_progress() -> None:
    store, done = PredictionStore(Echo()), []
    store.predict([f"{i:02}" for i in range(10)], chunk=4, after_chunk=done.append)
    assert [len(c) for c in store.model.calls] == [4, 4, 2]  # type: ignore[attr-defined]
    assert done == [4, 8, 10]


def test_stopping_keeps_what_was_answered() -> None:
    store = PredictionStore(Echo())

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.predict(["a1", "a2", "a3"], chunk=2, after_chunk=stop)
    store.predict(["a1", "a2", "a3"])
    assert store.model.calls == [["a1", "a2"], ["a3"]]  # type: ignore[attr-defined]


def test_a_bad_text_becomes_an_error_and_is_asked_again_later() -> None:
    store = PredictionStore(Echo())
    store.model.error = RuntimeError("too hot")  # type: ignore[attr-defined]
    found = store.predict(["good", "bad", "fine"])
    assert found["good"].labels == ("good",)
    assert found["fine"].labels == ("fine",)
    assert found["bad"].failure is Failure.ERROR
    assert found["bad"].detail == "RuntimeError: too hot"
    assert store.predicted == 3
    store.model.error = None  # type: ignore[attr-defined]
    assert store.predict(["good", "bad"])["bad"].labels == ("bad",)
    assert store.predicted == 4


def test_too_few_answers_are_an_error_of_the_model() -> None:
    found = PredictionStore(Echo()).predict(["short"])
    assert found["short"].failure is Failure.ERROR


def test_an_error_for_the_user_is_passed_on() -> None:
    store = PredictionStore(Echo())
    store.model.error = ModelError("No key. Give one.")  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match="No key"):
        store.predict(["bad"])


def test_a_full_store_forgets_what_was_asked_longest_ago() -> None:
    store = PredictionStore(Echo(), characters=402)
    store.predict(["a"])
    store.predict(["b"])
    store.predict(["a"])
    store.predict(["c"])
    store.predict(["a"])
    assert store.predicted == 3
    store.predict(["b"])
    assert store.predicted == 4


class Stream(Echo):
    """Hands over replies one by one and breaks once, after the second."""

    reply_identity = "echo"
    usage = Usage()

    def __init__(self) -> None:
        super().__init__()
        self.answered: list[str] = []

    def estimate(self, text: str) -> Cost:
        return Cost(1, money=2.0)

    def reply(self, texts: Sequence[str]) -> Iterator[tuple[int, Prediction, Cost]]:
        for index, text in enumerate(texts):
            if len(self.answered) == 2 and len(texts) > 1:
                raise RuntimeError("the line broke")
            self.answered.append(text)
            yield index, Prediction(reply=text), Cost(1, money=1.0)

    def read(self, replies: Sequence[Prediction]) -> list[Prediction]:
        return [r if r.failure else Prediction((r.reply,)) for r in replies]


class Counting(PredictionCache):
    """The real cache, counting what is written."""

    def put(self, identity: str, answers: Mapping[str, Prediction]) -> None:
        self.written = [*getattr(self, "written", []), *answers]
        super().put(identity, answers)


def test_what_a_broken_stream_answered_is_neither_asked_nor_written_again(tmp_path: Path) -> None:
    model, cache = Stream(), Counting(tmp_path / "cache.sqlite")
    store = PredictionStore(model, cache=cache)
    found = store.predict(["a", "b", "c", "d"])
    assert {t: p.labels for t, p in found.items()} == {t: (t,) for t in "abcd"}
    assert model.answered == ["a", "b", "c", "d"]
    assert cache.written == ["a", "b", "c", "d"]
    assert store.predicted == 4


def test_a_budget_is_used_up_but_not_passed() -> None:
    model = Stream()
    model.answered = ["x", "y", "z"]  # it does not break any more
    budget = Budget(money=5.5)
    store = PredictionStore(model, budget=budget)
    found = store.predict(list("abcdefgh"))
    # Two units are held back for each text and one is spent: two, one and one more, then 1.5 left.
    assert sum(p.answered for p in found.values()) == 4
    assert budget.spent.money == 4.0
    over = [p for p in found.values() if not p.answered]
    assert {p.failure for p in over} == {Failure.OVER_BUDGET}
    assert len(over) == 4
    store.budget = Budget()
    assert all(p.answered for p in store.predict(list("abcdefgh")).values())
    assert len(model.answered) == 3 + 8


def test_a_budget_of_requests_counts_for_any_model() -> None:
    store = PredictionStore(Echo(), budget=Budget(requests=3))
    found = store.predict(["a", "b", "c", "d", "e"])
    assert sum(p.answered for p in found.values()) == 3
    assert store.predict(["a", "b"]).keys() == {"a", "b"}
    assert store.predicted == 3


def test_an_estimate_counts_what_is_not_known_yet() -> None:
    store = PredictionStore(Stream())
    store.predict(["a"])
    assert store.estimate(["a", "b", "b", "c"]) == Cost(2, money=4.0)


def test_a_repeated_question_is_asked_anew_and_kept(tmp_path: Path) -> None:
    cache, model = PredictionCache(tmp_path / "cache.sqlite"), Echo()
    for turn in range(2):
        store = PredictionStore(model, cache=cache)
        assert [p.labels for p in store.repeat("a", 2 + turn)] == [("a",)] * (2 + turn)
    assert model.calls == [["a", "a"], ["a"]]
    PredictionStore(model, cache=cache).predict(["a"])
    assert model.calls[2:] == [["a"]]


class Late(Stream):
    """Breaks after its last reply, as when a connection is closed."""

    def reply(self, texts: Sequence[str]) -> Iterator[tuple[int, Prediction, Cost]]:
        yield from super().reply(texts)
        raise RuntimeError("the line broke")


def test_a_reply_before_a_fault_counts_even_if_it_is_the_only_one() -> None:
    model, budget = Late(), Budget(money=10)
    answer = PredictionStore(model, budget=budget).predict(["a"])["a"]
    assert answer.labels == ("a",)
    assert model.answered == ["a"]
    assert budget.spent == Cost(1, money=1.0)


class Slow(Echo):
    """Answers once it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.go = threading.Event(), threading.Event()

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        self.asked.set()
        assert self.go.wait(30)
        return super().predict(texts)


def test_an_estimate_does_not_wait_for_an_answer_under_way() -> None:
    model = Slow()
    store = PredictionStore(model)
    worker = threading.Thread(target=store.predict, args=(["a"],))
    worker.start()
    assert model.asked.wait(30)
    assert store.estimate(["a", "b"]) == Cost(2)
    model.go.set()
    worker.join(30)
    assert store.estimate(["a", "b"]) == Cost(1)
