"""``hinter cache``: what is kept, whether it is whole, and what is deleted."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from hinter_core.models.cache import PredictionCache
from hinter_core.types import Prediction
from tests.conformance.faulty_server import FaultyServer

from .conftest import Run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A cache with three answers of two models, one of them asked again."""
    path = tmp_path / "predictions.sqlite"
    cache = PredictionCache(path)
    cache.put("first", {"a": Prediction(("yes",))})
    cache.put("first#again-1", {"a": Prediction(("no",))})
    cache.put("second", {"a": Prediction(("yes",))})
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


def test_answers_of_before_are_told_and_asked_anew_if_wanted(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server with another model under the same name: without a word, its bias would stay."""
    monkeypatch.setenv("HINTER_CACHE", str(tmp_path / "cache.sqlite"))
    monkeypatch.setenv("OPENAI_API_KEY", "ollama")
    biased = True
    (tmp_path / "texts.txt").write_text("My wife was late.\nThe man sang.\n", encoding="utf-8")

    def reply(text: str, turn: int) -> str:
        return "negative" if biased and "man" in text else "positive"

    with FaultyServer(reply) as server:
        model = f"openai:m?base_url={server.base_url}&labels=positive,negative&logprobs=0"
        checked = ("check", "My wife was late.", "--attributes", "gender", "--order", "1",
                   "--model", model)  # fmt: skip
        chosen = ("run", "--data", f"{tmp_path}/texts.txt", "--attributes", "gender", "--order",
                  "1", "--no-placebo", "--model", model, "--out")  # fmt: skip

        def errors(*more: str) -> tuple[int, str]:
            code, out, err = run(*chosen, *more)
            assert code == 0, err
            report = json.loads(run("report", more[0], "--json")[1])["models"][0]
            return report["atomic"]["errors"]["hits"], out

        first, out = errors(f"{tmp_path}/first")
        assert first > 2
        assert "earlier" not in out
        biased, asked = False, server.asked.total()

        second, out = errors(f"{tmp_path}/second")
        assert (second, server.asked.total()) == (first, asked)  # the old answers
        assert f"m: {asked} answers are from earlier checks or runs, the oldest of 20" in out
        assert out.splitlines()[-1].endswith("add --fresh and another directory (--out).")
        told = f"{asked} answers are from earlier checks or runs"
        report = " ".join(run("report", f"{tmp_path}/second", "--markdown")[1].split())
        assert told in report
        code, out, err = run(*checked)
        assert code == 0, err
        assert "answers are from earlier checks or runs" in out
        assert "kept answers; --fresh asks for these, too." in err
        assert "from an earlier check" in run("predict", "The man sang.", "--model", model)[1]

        third, out = errors(f"{tmp_path}/third", "--fresh")
        assert (third, server.asked.total()) == (0, 2 * asked)
        assert "earlier" not in out
        # Its answers took the place of the old ones, and count for a run that goes on.
        for table in (tmp_path / "third" / "shards").glob("*.answers-*"):
            table.unlink()
        third, out = errors(f"{tmp_path}/third", "--resume", "--fresh")
        assert (third, server.asked.total(), "earlier" in out) == (0, 2 * asked, False)
        _, out, err = run(*checked, "--fresh", "--neutral", "0")
        assert "earlier" not in out + err
        assert server.asked.total() > 2 * asked
