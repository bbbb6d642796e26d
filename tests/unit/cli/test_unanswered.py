"""A run whose server fails says so: number, reason, exit code, state, and how to ask again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from hinter_core.campaign.progress import ANSWERED, ProgressReader, unanswered
from hinter_core.campaign.store import CampaignStore
from hinter_core.models.cache import PredictionCache
from hinter_core.types import Verdict
from tests.conformance.faulty_server import FaultyServer

from .conftest import Run

pytestmark = pytest.mark.slow


def tables(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables by the name of their file."""
    return {
        path.name: pq.read_table(path).to_pylist()
        for path in sorted((folder / "shards").glob("*.parquet"))
    }


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache.sqlite"
    monkeypatch.setenv("HINTER_CACHE", str(path))
    monkeypatch.setenv("OPENAI_API_KEY", "ollama")
    return path


def options(server: FaultyServer, tmp_path: Path, fault: str) -> tuple[str, ...]:
    data = tmp_path / "texts.csv"
    data.write_text(f"text\nMy wife was late. [fault:{fault}]\nThe man sang. [fault:{fault}]\n")
    model = f"openai:m?base_url={server.base_url}&retries=0&timeout=2&labels=positive,negative"
    return ("run", "--data", str(data), "--attributes", "gender", "--order", "1",
            "--no-placebo", "--model", model, "--out", str(tmp_path / "out"))  # fmt: skip


@pytest.mark.parametrize(
    ("fault", "failure", "words"),
    [
        ("rate", "error", "429: Rate limit reached. Try again in 9 s. (Retry-After: 900)"),
        ("500", "error", "500: 500"),
        ("bad-gateway", "error", "502: 502 Bad Gateway nginx"),
        ("hang", "timed out", "no answer in time (2 s"),
        ("filter", "refused", "content filter: 400: blocked by our content policy"),
        ("filtered", "refused", "the server's content filter cut the answer"),
        ("error-in-200", "error", "the server says: 429: Too many requests for today"),
        ("silent", "unparsable", "the answer is empty"),
    ],
)
def test_a_server_that_fails_throughout_is_told(
    run: Run, tmp_path: Path, cache: Path, fault: str, failure: str, words: str
) -> None:
    with FaultyServer() as server:
        code, out, _ = run(*options(server, tmp_path, fault))
    number = sum(reason.mutants for reason in unanswered(CampaignStore(tmp_path / "out")))
    assert number > 5
    assert code == 3
    assert f"{number} mutants are unanswered and count in no rate:" in out
    assert f"{failure} ({words}" in out
    assert out.splitlines()[-1].startswith("To ask only these again, repeat the command with --re")
    kept = sum(PredictionCache(cache).stats().answers.values())
    assert bool(kept) is (failure == "unparsable")  # a reply was paid, no failure is an answer
    report = " ".join(run("report", str(tmp_path / "out"), "--markdown")[1].split())
    assert f"{number} mutants are unanswered, most often because of: {failure} ({words}" in report
    assert report.index("mutants are unanswered") < report.index("No atomic mutant was kept")
    listed = json.loads(run("list", str(tmp_path), "--json")[1])
    assert [(one["state"], one["unanswered"]) for one in listed] == [("complete", number)]
    assert f"complete, {number} unanswered" in run("list", str(tmp_path))[1]


def test_only_the_unanswered_are_asked_again_and_the_tables_are_those_of_a_good_run(
    run: Run, tmp_path: Path
) -> None:
    def reply(text: str, turn: int) -> str:
        return "positive" if "wife" in text else "negative"

    class Server(FaultyServer):
        broken: Callable[[str], bool] = staticmethod(lambda text: False)

        def answer(self, body: Any, text: str, turn: int) -> tuple[int, Any, dict[str, str]]:
            if self.broken(text):
                return 503, {"error": {"message": "overloaded"}}, {}
            return super().answer(body, text, turn)

    with Server(reply) as server:
        chosen = options(server, tmp_path, "none")
        server.broken = lambda text: "sang" in text
        code, out, _ = run(*chosen)
        assert code == 3
        assert "503: overloaded" in out
        asked = dict(server.asked)
        assert run(*chosen, "--resume")[0] == 3  # what is done stays, and is told again
        assert server.asked == asked
        server.broken = lambda text: False
        code, out, _ = run(*chosen, "--retry-failed")
        assert (code, "unanswered" in out) == (0, False)
        again = {text for text in asked if server.asked[text] > asked[text]}
        assert again == {text for text in asked if "sang" in text}
        good = CampaignStore(tmp_path / "out")
        assert unanswered(good) == []
        other = [str(tmp_path / "good") if part == str(tmp_path / "out") else part
                 for part in chosen]  # fmt: skip
        assert run(*other)[0] == 0
        assert tables(tmp_path / "good") == tables(tmp_path / "out")


def test_a_single_mutant_is_one(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "texts.csv"
    data.write_text("text\nThe man sang.\n")
    asked = ("run", "--data", str(data), "--attributes", "gender", "--order", "1",
             "--no-placebo", "--model", "scripted:good otherwise")  # fmt: skip
    _, out, _ = run(*asked, "--out", str(tmp_path / "all"))
    requests = int(out.split(" predictions")[0].split()[-1])
    folder = str(tmp_path / "out")
    code, out, _ = run(*asked, "--requests", str(requests - 1), "--out", folder)
    assert code == 3
    assert "\n1 mutant is unanswered and counts in no rate:\n" in out
    assert "one mutant is unanswered, most often because of: over budget" in run(
        "report", folder, "--markdown"
    )[1]  # fmt: skip


def test_a_gate_comes_before_what_is_unanswered(run: Run, tmp_path: Path) -> None:
    with FaultyServer() as server:
        chosen = options(server, tmp_path, "500")
        assert run(*chosen)[0] == 3
        chosen = (*chosen, "--resume")
        assert run(*chosen, "--fail-over", "0.5", "--gate-on", "rate")[0] == 1
    assert "3 mutants are unanswered" in run("run", "--help")[1]


@pytest.mark.parametrize(("fault", "status"), [("401", 401), ("403", 403), ("quota", 429)])
def test_what_no_request_survives_ends_the_run_with_the_sentence_of_the_server(
    run: Run, tmp_path: Path, fault: str, status: int
) -> None:
    with FaultyServer() as server:
        code, _, err = run(*options(server, tmp_path, fault))
    assert code == 2
    assert f"({status}: " in err
    assert not (tmp_path / "out").exists()


def test_the_reason_of_a_mutant_may_be_the_unchanged_text(run: Run, tmp_path: Path) -> None:
    class Server(FaultyServer):
        def answer(self, body: Any, text: str, turn: int) -> tuple[int, Any, dict[str, str]]:
            if text == "The man sang. [fault:none]":
                return 503, {"error": {"message": "overloaded"}}, {}
            if text.startswith("My wife"):
                return 503, {"error": {"message": "at rest"}}, {}
            return super().answer(body, text, turn)

    with Server() as server:
        assert run(*options(server, tmp_path, "none"))[0] == 3
    store = CampaignStore(tmp_path / "out")
    reasons = {reason.said: reason for reason in unanswered(store)}
    assert set(reasons) == {"503: overloaded", "503: at rest"}
    reason = reasons["503: overloaded"]
    # The app counts each cause, too.
    seen = ProgressReader().look(store, list(store.read()["models"]), 0.0)
    assert {seen.said[lost] for lost in seen.lost} == set(reasons)
    assert seen.failures == {"error": seen.failed}
    rows = [row for name, part in tables(tmp_path / "out").items() if "answers" in name
            for row in part]  # fmt: skip
    lost = sum(row["verdict"] == Verdict.UNANSWERED for row in rows)
    assert sum(one.mutants for one in reasons.values()) == lost > reason.mutants > 0


def wide(server: FaultyServer, tmp_path: Path, *more: str) -> tuple[str, ...]:
    data = tmp_path / "wide.csv"
    data.write_text("text\nMy wife was late.\nThe man sang.\nHis son fell.\nA woman won.\n")
    model = f"openai:m?base_url={server.base_url}&retries=0&labels=positive,negative"
    return ("run", "--data", str(data), "--attributes", "gender", "--order", "1", "--shard", "2",
            "--no-placebo", "--model", model, "--out", str(tmp_path / "out"), *more)  # fmt: skip


@pytest.mark.parametrize("again", ["--retry-failed", "--resume"])
def test_what_a_budget_left_is_asked_later_and_nothing_else_also_without_the_cache(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: str
) -> None:
    """Answers stand in the campaign's tables, and another machine has no other ones."""
    with FaultyServer() as server:
        said = run(*wide(server, tmp_path, "--requests", "5"))[1]
        assert server.asked.total() == 5
        assert "repeat the command with --resume." in said
        counts = [sum(one.mutants for one in unanswered(CampaignStore(tmp_path / "out")))]
        for number in (1, 2):
            monkeypatch.setenv("HINTER_CACHE", str(tmp_path / f"other{number}.sqlite"))
            assert run(*wide(server, tmp_path, "--requests", "3", again))[0] == 3
            assert server.asked.total() == 5 + 3 * number
            counts.append(sum(one.mutants for one in unanswered(CampaignStore(tmp_path / "out"))))
        assert counts[0] > counts[1] > counts[2]
        monkeypatch.setenv("HINTER_CACHE", str(tmp_path / "last.sqlite"))
        assert run(*wide(server, tmp_path, again))[0] == 0
        assert set(server.asked.values()) == {1}


@pytest.mark.parametrize("more", [(), ("--prioritise", "random"), ("--requests", "900")])
def test_a_server_that_fails_is_asked_about_unchanged_texts_alone(
    run: Run, tmp_path: Path, more: tuple[str, ...]
) -> None:
    texts = {"My wife was late.", "The man sang.", "His son fell.", "A woman won."}
    with FaultyServer(busy=lambda _: (500, {})) as server:
        assert run(*wide(server, tmp_path, *more))[0] == 3
        assert (set(server.asked), server.asked.total()) == (texts, 4)
        (reason,) = unanswered(CampaignStore(tmp_path / "out"))
        assert reason.mutants == reason.compared > 8
        options = wide(server, tmp_path)
        model = options[options.index("--model") + 1]
        said = run("check", "--text", "The black man sang.", "--model", model)[1]
        assert "too much to do" in said
        assert server.asked.total() == 5


def test_a_server_that_breaks_is_left_alone_soon(run: Run, tmp_path: Path) -> None:
    with FaultyServer(busy=lambda number: (500, {}) if number > 1 else None) as server:
        assert run(*wide(server, tmp_path))[0] == 3
        assert server.asked.total() < 30


def test_a_run_tells_its_answers_before_its_first_texts_are_done(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hinter_core.cli.run._EVERY", 0.05)
    with FaultyServer(on_request=lambda _: time.sleep(0.2)) as server:
        _, _, err = run(*wide(server, tmp_path))
    assert "0 of 2 shards, 0 texts" in err
    assert f"; {ANSWERED}2\n" in err  # the texts of the first shard
    assert ANSWERED not in err.splitlines()[-1]


def test_an_estimate_is_a_maximum(run: Run, tmp_path: Path) -> None:
    with FaultyServer() as server:
        chosen = wide(server, tmp_path, "--estimate")
        assert ": at most " in run(*chosen)[1]
        data = tmp_path / "wide.csv"
        data.write_text("text\n" + "".join(f"The man sang {n} songs.\n" for n in range(100)))
        assert ": at most about " in run(*chosen)[1]
