"""The prediction store: each text once, longest first, and one bad text spoils no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.base import Capabilities, PredictionStore
from hinter_core.models.cache import PredictionCache
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
    store = PredictionStore(Echo(), capacity=2)
    store.predict(["a"])
    store.predict(["b"])
    store.predict(["a"])
    store.predict(["c"])
    store.predict(["a"])
    assert store.predicted == 3
    store.predict(["b"])
    assert store.predicted == 4


class Stream(Echo):
    """Hands over answers one by one and breaks once, after the second."""

    def __init__(self) -> None:
        super().__init__()
        self.answered: list[str] = []

    def stream(self, texts: Sequence[str]) -> Iterator[tuple[int, Prediction]]:
        for index, text in enumerate(texts):
            if len(self.answered) == 2 and len(texts) > 1:
                raise RuntimeError("the line broke")
            self.answered.append(text)
            yield index, Prediction((text,))


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
