"""The cache on disk: what is kept, what is not, and what a damaged file does."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

import pytest

from hinter_core.models.cache import CacheError, PredictionCache
from hinter_core.types import Failure, Prediction

FULL = Prediction(("b", "a"), {"a": 0.25, "b": 0.75}, reply="B, I think.")
REFUSED = Prediction(failure=Failure.REFUSED, detail="no", reply="No.")


@pytest.fixture
def cache(tmp_path: Path) -> PredictionCache:
    return PredictionCache(tmp_path / "deep" / "cache.sqlite")


def test_an_answer_comes_back_as_it_was(cache: PredictionCache) -> None:
    cut = Prediction(reply="It is", cut=True)
    other = Prediction(masks=({"his": 0.5, "her": 0.25},), clusters=(((0, 4), (9, 12)), ((5, 8),)))
    answers = {"one": FULL, "two": Prediction(()), "\ud800": REFUSED, "four": other, "five": cut}
    cache.put("model", answers)
    kept = cache.get("model", [*answers, "three"])
    assert {text: answer for text, (answer, _) in kept.items()} == answers
    assert cache.get("other", answers) == {}
    again = PredictionCache(cache.path)
    assert again.get("model", ["one"]) == {"one": (FULL, kept["one"][1])}
    assert again.get("model", answers, time.time() + 1) == {}  # all are from before


@pytest.mark.parametrize("failure", Failure)
def test_failures_that_may_pass_are_not_kept(cache: PredictionCache, failure: Failure) -> None:
    answers = {
        said: Prediction(failure=failure, detail="why", reply=said) for said in ("", "I won't.")
    }
    cache.put("model", answers)
    kept = {
        Failure.REFUSED: {"I won't."},  # without a reply, a filter refused
        Failure.UNPARSABLE: {"", "I won't."},
    }
    assert cache.get("model", answers).keys() == kept.get(failure, set())


def test_a_damaged_answer_is_as_good_as_none_and_is_named(cache: PredictionCache) -> None:
    cache.put("model", {"one": FULL, "two": FULL})
    with sqlite3.connect(cache.path) as db:
        first = db.execute("SELECT key FROM predictions LIMIT 1").fetchone()[0]
        for damage in ("{", "[]", '{"labels": 5, "scores": {}}', '{"labels": [], "scores": []}'):
            db.execute("UPDATE predictions SET answer = ? WHERE key = ?", (damage, first))
            db.commit()
            assert len(cache.get("model", ["one", "two"])) == 1
            assert cache.verify() == [f"answer {first.hex()[:12]} cannot be read"]
    cache.put("model", {"one": FULL, "two": FULL})
    assert cache.verify() == []


def test_a_file_that_is_no_cache_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("milk, eggs, bread, " * 100)
    with pytest.raises(CacheError, match="set HINTER_CACHE to another file"):
        PredictionCache(path)


def test_what_was_asked_again_belongs_to_its_model(cache: PredictionCache) -> None:
    for identity in ("model", "model#again-1", "model#again-2", "model-2"):
        cache.put(identity, {"one": FULL})
    assert cache.stats().answers == {"model": 3, "model-2": 1}
    assert cache.prune(model="model") == 3
    assert cache.stats().answers == {"model-2": 1}


def test_threads_and_connections_share_it(cache: PredictionCache) -> None:
    others = [cache, PredictionCache(cache.path)]

    def work(number: int) -> None:
        for turn in range(20):
            others[number % 2].put("model", {f"{number} {turn}": FULL})

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.stats().answers == {"model": 120}
    assert cache.prune(model="other") == 0
    assert cache.prune(older_than_days=1) == 0
    assert cache.prune(model="model") == 120
    assert cache.stats().answers == {}
