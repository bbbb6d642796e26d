"""``hinter cache``: what is kept, whether it is whole, and what is deleted."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from hinter_core.models.cache import PredictionCache
from hinter_core.types import Prediction

from .conftest import Run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A cache with three answers of two models, one of them asked again."""
    path = tmp_path / "predictions.sqlite"
    cache = PredictionCache(path)
    cache.put("first", {"a": Prediction(("yes",))})
    cache.put("first#again-1", {"a": Prediction(("no",))})
    cache.put("second", {"a": Prediction(("yes",))})
    cache.close()
    return path


def test_answers_are_counted_by_model(run: Run, file: Path) -> None:
    code, out, _ = run("cache", "stats", "--file", str(file))
    assert code == 0
    assert ": 3 answers" in out
    assert [line.split() for line in out.splitlines()[1:]] == [["2", "first"], ["1", "second"]]


def test_a_whole_file_and_a_damaged_one(run: Run, file: Path) -> None:
    assert "no fault" in run("cache", "verify", "--file", str(file))[1]
    with sqlite3.connect(file) as db:
        db.execute("UPDATE predictions SET answer = '{' WHERE model = 'second'")
    code, _, err = run("cache", "verify", "--file", str(file))
    assert (code, len(err.splitlines())) == (2, 1)
    assert "cannot be read" in err


def test_one_models_answers_are_deleted(run: Run, file: Path) -> None:
    assert run("cache", "prune", "--model", "first", "--file", str(file))[1] == (
        "2 answers deleted.\n"
    )
    assert ": 1 answers" in run("cache", "stats", "--file", str(file))[1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "Choose what to delete"),
        (("--older-than", "-3"), "from 0"),
        (("--older-than", "nan"), "from 0"),
    ],
)
def test_nothing_is_deleted_by_mistake(
    run: Run, file: Path, options: tuple[str, ...], says: str
) -> None:
    code, _, err = run("cache", "prune", *options, "--file", str(file))
    assert code == 2
    assert says in err
    assert ": 3 answers" in run("cache", "stats", "--file", str(file))[1]


def test_no_cache_is_told(run: Run, tmp_path: Path) -> None:
    assert "no answer has been stored yet" in run("cache", "stats", "--file", f"{tmp_path}/none")[2]
    (tmp_path / "notes.txt").write_text("milk, eggs, bread, " * 100)
    _, _, err = run("cache", "stats", "--file", f"{tmp_path}/notes.txt")
    assert "is not a database" in err
    assert "delete" not in err  # it is no cache, and may be dear to its owner
