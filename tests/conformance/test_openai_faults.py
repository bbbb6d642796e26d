"""The OpenAI back-end against a server that fails: each fault ends in its named outcome."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.budget import Budget
from hinter_core.models.cache import PredictionCache
from hinter_core.models.registry import build_model, parse_name
from hinter_core.models.server.http import request_loop
from hinter_core.models.store import PredictionStore
from hinter_core.types import Failure, Prediction
from tests.conformance.faulty_server import FaultyServer

GOOD = [f"Text number {i}." for i in range(20)]


def load(rest: str) -> Any:
    return build_model(parse_name(f"openai:{rest}", trusted=True))


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    with FaultyServer() as running:
        yield running


def store(server: FaultyServer, path: Path, **settings: object) -> PredictionStore:
    query = "&".join(f"{k}={v}" for k, v in {"timeout": 5, "retries": 2, **settings}.items())
    model = load(f"tiny?base_url={server.base_url}&{query}")
    return PredictionStore(model, cache=PredictionCache(path / "cache.sqlite"))


@pytest.mark.parametrize(
    ("fault", "failure", "requests"),
    [
        ("500", Failure.ERROR, 3),
        ("400", Failure.ERROR, 1),
        ("drop", Failure.ERROR, 3),
        ("malformed", Failure.ERROR, 1),
        ("page", Failure.ERROR, 1),
        ("no-choices", Failure.ERROR, 1),
        ("no-message", Failure.ERROR, 1),
        ("no-text-parts", Failure.UNPARSABLE, 1),
        ("error-in-200", Failure.ERROR, 1),
        ("error-as-text", Failure.ERROR, 1),
        ("detail-in-200", Failure.ERROR, 1),
        ("broken-off", Failure.ERROR, 1),
        ("broken-choice", Failure.ERROR, 1),
        ("filtered-half", Failure.REFUSED, 1),
        ("flagged", Failure.REFUSED, 1),
        ("declined-part", Failure.REFUSED, 1),
        ("cut-text", Failure.UNPARSABLE, 1),
        ("only-thoughts", Failure.UNPARSABLE, 1),
        ("tool", Failure.UNPARSABLE, 1),
        ("refusal", Failure.REFUSED, 1),
        ("filter", Failure.REFUSED, 1),
        ("filtered", Failure.REFUSED, 1),
        ("unknown-label", Failure.UNPARSABLE, 1),
        ("silent", Failure.UNPARSABLE, 1),
        ("cut", Failure.UNPARSABLE, 1),
        ("too-long", Failure.TOO_LONG, 1),
        ("too-large", Failure.TOO_LONG, 1),
    ],
)
def test_a_fault_has_a_name_and_spoils_no_other_text(
    server: FaultyServer, tmp_path: Path, fault: str, failure: Failure, requests: int
) -> None:
    asked = store(server, tmp_path)
    bad = f"Bad [fault:{fault}] text."
    answers = asked.predict([*GOOD, bad])
    assert answers[bad].failure is failure
    assert answers[bad].detail
    assert server.asked[bad] == requests
    assert {server.asked[text] for text in GOOD} == {1}
    assert all(answers[text].labels == ("positive",) for text in GOOD)


def test_a_failure_says_what_the_server_said(tmp_path: Path) -> None:
    refuses = ("max_tokens", "max_completion_tokens")
    with FaultyServer(refuses=refuses, terse=True) as server:
        detail = store(server, tmp_path).predict(["a"])["a"].detail
    assert "Extra inputs are not permitted" in detail
    assert "max_completion_tokens" in detail


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("error-in-200", "429: Too many requests for today"),
        ("error-as-text", "the engine is out of order"),
        ("detail-in-200", "no such tenant"),
        ("broken-off", "502: upstream is gone"),
        ("broken-choice", "finish_reason is error"),
        ("filtered-half", "content filter"),
        ("filter", "content filter: 400: blocked by our content policy"),
        ("flagged", "content filter: 403: your input was flagged"),
        ("declined-part", "I would rather not"),
        ("only-thoughts", "only reasoning"),
        ("tool", "called a tool"),
        ("cut", "max_tokens was used up before an answer"),
        ("cut-text", "cut off before an answer"),
        ("page", "Welcome"),
        ("rate", "429: Rate limit reached. Try again in 9 s. (Retry-After: 900)"),
        ("bad-gateway", "502: 502 Bad Gateway nginx"),
        ("colours", "500: red alert [0m"),
        ("500", "500: 500"),
    ],
)
def test_a_failure_has_the_sentence_of_the_server(
    server: FaultyServer, tmp_path: Path, fault: str, words: str
) -> None:
    text = f"Bad [fault:{fault}] text."
    detail = store(server, tmp_path, retries=0).predict([text])[text].detail
    assert words in detail
    assert detail.isprintable()


@pytest.mark.parametrize("fault", ["echo-prompt", "echo-prompt-200"])
def test_a_failure_does_not_repeat_what_was_sent(
    server: FaultyServer, tmp_path: Path, fault: str
) -> None:
    text = f"Ada is ill [fault:{fault}]."
    answer = store(server, tmp_path, retries=0).predict([text])[text]
    assert answer.failure is Failure.ERROR
    assert "Cannot read [{" in answer.detail
    assert answer.detail.endswith("\u2026")
    assert "Ada" not in answer.detail


@pytest.mark.parametrize(
    "fault", ["parts", "parts-with-thoughts", "wrapped-part", "reasoned", "tool-and-text"]
)
def test_a_reply_in_another_form_is_read(server: FaultyServer, tmp_path: Path, fault: str) -> None:
    text = f"Good [fault:{fault}] text."
    answer = store(server, tmp_path).predict([text])[text]
    assert (answer.labels, answer.reply) == (("positive",), "positive")


@pytest.mark.parametrize("fault", ["absurd-usage", "negative-usage"])
def test_a_server_that_counts_wrongly_uses_up_no_budget(
    server: FaultyServer, tmp_path: Path, fault: str
) -> None:
    asked, text = store(server, tmp_path), f"Good [fault:{fault}] text."
    assert asked.predict([text])[text].labels == ("positive",)
    assert asked.model.usage.spent == asked.cost_of(text)  # type: ignore[attr-defined]


def test_a_server_that_hangs_is_a_time_out(server: FaultyServer, tmp_path: Path) -> None:
    asked, bad = store(server, tmp_path, retries=0, timeout=3), "Bad [fault:hang] text."
    answers = asked.predict([*GOOD, bad])
    assert answers[bad].failure is Failure.TIMED_OUT
    assert all(answers[text].labels == ("positive",) for text in GOOD)
    # Whether the server counts it we cannot know, so the budget counts its estimate.
    estimate = asked.cost_of(bad).prompt_tokens
    assert asked.model.usage.spent.prompt_tokens == 200 + estimate  # type: ignore[attr-defined]


def test_an_answer_that_drips_is_a_time_out(server: FaultyServer, tmp_path: Path) -> None:
    asked, bad = store(server, tmp_path, retries=1, timeout=2), "Bad [fault:drip] text."
    answers = asked.predict([*GOOD, bad])
    assert answers[bad].failure is Failure.TIMED_OUT
    assert server.asked[bad] == 2
    assert server.poured < 1_000  # a byte in a tenth of a second
    assert all(answers[text].labels == ("positive",) for text in GOOD)


@pytest.mark.parametrize(
    ("fault", "words", "most"),
    [("endless", "more than 16,000,000 bytes", 40e6), ("packed", "packed", 1e6)],
)
def test_an_answer_without_end_is_cut_off(
    server: FaultyServer, tmp_path: Path, fault: str, words: str, most: float
) -> None:
    asked, bad = store(server, tmp_path, retries=0, timeout=60), f"Bad [fault:{fault}] text."
    answers = asked.predict([*GOOD, bad])
    assert answers[bad].failure is Failure.ERROR
    assert words in answers[bad].detail
    assert server.poured < most
    assert all(answers[text].labels == ("positive",) for text in GOOD)


@pytest.mark.parametrize("fault", ["429-once", "500-once", "408-once", "503-once"])
def test_a_passing_fault_is_retried(server: FaultyServer, tmp_path: Path, fault: str) -> None:
    text = f"Once [fault:{fault}]."
    assert store(server, tmp_path).predict([text])[text].labels == ("positive",)
    assert server.asked[text] == 2


def test_the_server_says_how_long_to_wait(server: FaultyServer, tmp_path: Path) -> None:
    text = "Once [fault:wait-once]."
    assert store(server, tmp_path).predict([text])[text].labels == ("positive",)
    assert server.asked[text] == 2
    assert server.times[1] - server.times[0] >= 1  # without the header it is half of that at most


def test_a_date_says_how_long_to_wait_too(server: FaultyServer, tmp_path: Path) -> None:
    text = "Once [fault:date-once]."
    assert store(server, tmp_path).predict([text])[text].labels == ("positive",)
    assert server.asked[text] == 2
    assert server.times[1] - server.times[0] >= 1


def test_a_server_that_wants_too_long_a_wait_is_not_asked_again(
    server: FaultyServer, tmp_path: Path
) -> None:
    text = "Never [fault:rate]."
    assert store(server, tmp_path, retries=4).predict([text])[text].failure is Failure.ERROR
    assert server.asked[text] == 1


def test_nothing_is_asked_twice_after_success(server: FaultyServer, tmp_path: Path) -> None:
    store(server, tmp_path).predict(GOOD)
    again = store(server, tmp_path)
    answers = again.predict([*GOOD, "A new text."])
    assert again.predicted == 1
    assert set(server.asked.values()) == {1}
    assert len(answers) == 21


@pytest.mark.parametrize(
    "fault", ["400", "too-long", "429", "filter", "filtered", "filtered-half", "flagged",
              "error-in-200", "broken-off", "no-choices"],
)  # fmt: skip
def test_a_failure_that_may_pass_is_asked_again(
    server: FaultyServer, tmp_path: Path, fault: str
) -> None:
    text = f"Bad [fault:{fault}]."
    for _ in range(2):
        assert store(server, tmp_path, retries=0).predict([text])[text].failure
    assert server.asked[text] == 2
    assert not PredictionCache(tmp_path / "cache.sqlite").stats().answers


@pytest.mark.parametrize("fault", ["refusal", "unknown-label"])
def test_a_refusal_is_an_answer_that_was_paid(
    server: FaultyServer, tmp_path: Path, fault: str
) -> None:
    text = f"Bad [fault:{fault}]."
    for _ in range(2):
        assert store(server, tmp_path).predict([text])[text].failure
    assert server.asked[text] == 1


@pytest.mark.parametrize(
    ("fault", "hint"),
    [
        ("401", "OPENAI_API_KEY"),
        ("403", "OPENAI_API_KEY"),
        ("404", "no model 'tiny'"),
        ("402", "credit"),
        ("quota", "credit"),
    ],
)
def test_what_no_other_text_survives_stops_the_run_and_keeps_what_was_paid(
    server: FaultyServer, tmp_path: Path, fault: str, hint: str
) -> None:
    bad = f"x [fault:{fault}]"
    asked = store(server, tmp_path, concurrency=1, retries=0)
    with pytest.raises(ModelError, match=hint) as caught:
        asked.predict([*GOOD, bad], chunk=7)
    assert "\n" not in str(caught.value)
    assert server.asked[bad] == 1
    store(server, tmp_path).predict(GOOD)
    assert {server.asked[text] for text in GOOD} == {1}


def test_usage_is_counted_and_what_is_not_told_is_estimated(
    server: FaultyServer, tmp_path: Path
) -> None:
    model, silent = load(f"tiny?base_url={server.base_url}"), "x [fault:no-usage]"
    assert all(p.labels == ("positive",) for p in model.predict([*GOOD, silent]))
    assert model.usage.spent.requests == 21
    most = model.estimate(silent)
    assert model.usage.spent.prompt_tokens == server.spent[0] + most.prompt_tokens
    assert model.usage.spent.completion_tokens == server.spent[1] + most.completion_tokens


def test_money_spent_is_what_the_server_counted_times_the_price(
    server: FaultyServer, tmp_path: Path
) -> None:
    asked = store(server, tmp_path, price_in=3, price_out=15, concurrency=4)
    first = asked.estimate(GOOD[:1])
    # Enough for seven answers, as far as anyone can know before they come.
    asked.budget = Budget(money=7 * first.money)
    answers = asked.predict([*GOOD, "x [fault:400]"])
    told = (server.spent[0] * 3 + server.spent[1] * 15) / 1e6
    spent = asked.budget.spent
    assert spent.money == pytest.approx(told) == pytest.approx(asked.model.usage.spent.money)  # type: ignore[attr-defined]
    assert spent.money <= asked.budget.money  # type: ignore[operator]
    assert spent.requests == len(server.bodies)
    # Answers cost less than was held back for them, so all fit in the end.
    assert sum(p.answered for p in answers.values()) == 20
    assert 7 * first.money < 21 * first.money


def test_a_budget_of_requests_is_kept(server: FaultyServer, tmp_path: Path) -> None:
    asked = store(server, tmp_path)
    asked.budget = Budget(requests=5)
    answers = asked.predict(GOOD)
    assert len(server.bodies) == sum(p.answered for p in answers.values()) == 5
    over = [p for p in answers.values() if not p.answered]
    assert {p.failure for p in over} == {Failure.OVER_BUDGET}


class TestRefusedParameters:
    """Newer servers refuse some parameters: they are dropped, and no text is lost."""

    @pytest.mark.parametrize("terse", [False, True])
    @pytest.mark.parametrize(
        "refuses", [("max_tokens",), ("temperature",), ("seed",), ("logprobs", "top_logprobs")]
    )
    def test_what_is_refused_is_left_out_from_then_on(
        self, refuses: tuple[str, ...], terse: bool, tmp_path: Path
    ) -> None:
        with FaultyServer(refuses=refuses, terse=terse) as server:
            answers = store(server, tmp_path, concurrency=1).predict(GOOD)
        assert all(p.labels == ("positive",) for p in answers.values())
        # The first text is asked once more; the others are asked as the server wants it.
        assert sorted(server.asked.values()) == [1] * 19 + [2]
        assert not set(refuses) & set(server.bodies[-1])
        kept = {"max_tokens", "temperature", "seed", "logprobs"} - set(refuses)
        assert kept <= set(server.bodies[-1])
        if refuses == ("max_tokens",):
            assert server.bodies[-1]["max_completion_tokens"] == 64

    def test_all_at_once_and_many_at_a_time(self, tmp_path: Path) -> None:
        refuses = ("max_tokens", "temperature", "logprobs", "seed")
        with FaultyServer(refuses=refuses) as server:
            asked = store(server, tmp_path, concurrency=8)
            answers = asked.predict(GOOD)
            assert all(p.labels == ("positive",) for p in answers.values())
            asked.predict(["One more."])
        assert server.asked["One more."] == 1
        assert max(server.asked.values()) <= 1 + len(refuses)
        assert set(server.bodies[-1]) == {"model", "messages", "max_completion_tokens"}
        assert asked.model.usage.spent.requests == 21  # type: ignore[attr-defined]

    def test_an_answer_without_end_is_never_asked_for(self, tmp_path: Path) -> None:
        with FaultyServer(refuses=("max_tokens", "max_completion_tokens")) as server:
            answer = store(server, tmp_path).predict(["a"])["a"]
        assert answer.failure is Failure.ERROR
        assert server.asked["a"] == 2

    def test_what_helped_nothing_is_not_remembered(
        self, server: FaultyServer, tmp_path: Path
    ) -> None:
        # These refusals name parameters, but not because they are refused.
        asked, fertile = store(server, tmp_path), "x [fault:names-seed]"
        asked.predict(["x [fault:too-long]", fertile])
        assert server.asked[fertile] == 2
        asked.predict(["a"])
        assert {"max_tokens", "seed", "logprobs"} <= set(server.bodies[-1])


@pytest.mark.parametrize(
    ("tokens", "scores"),
    [
        ("positive=0.7,negative=0.2,The=0.1", {"positive": 7 / 9, "negative": 2 / 9}),
        (" pos=0.6, Neg=0.3", {"positive": 2 / 3, "negative": 1 / 3}),
        ("positive=1,negative=0", {"positive": 1, "negative": 0}),
        ("The=0.9,positive=0.1", {}),
        ("negative=0.8,positive=0.2", {}),  # it said "positive" all the same
    ],
)
def test_scores_come_from_tokens_that_tell_labels_apart(
    server: FaultyServer, tmp_path: Path, tokens: str, scores: dict[str, float]
) -> None:
    text = f"x [tokens:{tokens}]"
    answer = store(server, tmp_path).predict([text])[text]
    assert answer.labels == ("positive",)
    assert dict(answer.scores) == pytest.approx(scores)
    assert sum(answer.scores.values()) == pytest.approx(1 if scores else 0)
    # They are kept with the reply, and read from there.
    assert store(server, tmp_path).predict([text])[text] == answer
    assert server.asked[text] == 1


def test_labels_that_begin_alike_get_no_scores(tmp_path: Path) -> None:
    with FaultyServer(reply=lambda text, turn: "Article 10") as server:
        text = "x [tokens:Article=1]"
        asked = store(server, tmp_path, labels="Article 1,Article 10")
        answer = asked.predict([text])[text]
    assert answer.labels == ("Article 10",)
    assert not answer.scores


@pytest.mark.parametrize("logprobs", [0, 1])
def test_logprobs_are_asked_for_when_wanted(
    server: FaultyServer, tmp_path: Path, logprobs: int
) -> None:
    answer = store(server, tmp_path, logprobs=logprobs).predict(["a"])["a"]
    assert answer.labels == ("positive",)
    assert not answer.scores  # this server has none
    assert ("logprobs" in server.bodies[-1]) is bool(logprobs)


def test_scores_are_declared_once_an_answer_has_shown_them(
    server: FaultyServer, tmp_path: Path
) -> None:
    asked = store(server, tmp_path)
    assert asked.model.capabilities.scores is None
    asked.predict(["Bad [fault:400] text."])
    assert asked.model.capabilities.scores is None
    asked.predict(["a"])
    assert asked.model.capabilities.scores is False
    other = store(server, tmp_path)
    answer = other.predict(["b [tokens:positive=0.9,negative=0.1]"])
    assert all(one.scores for one in answer.values())
    assert other.model.capabilities.scores is True
    assert store(server, tmp_path, logprobs=0).model.capabilities.scores is False


def test_a_useless_reply_is_requested_anew_if_asked_for(tmp_path: Path) -> None:
    def reply(text: str, turn: int) -> str:
        return "well ..." if turn == 1 else "positive"

    with FaultyServer(reply=reply) as server:
        first = store(server, tmp_path)
        assert first.predict(["a"])["a"].failure is Failure.UNPARSABLE
        assert store(server, tmp_path).predict(["a"])["a"].failure is Failure.UNPARSABLE
        assert server.asked["a"] == 1
        again = PredictionStore(first.model, cache=first._cache, ask_again=True)
        assert again.predict(["a"])["a"].labels == ("positive",)
        assert again.predict(["a"])["a"].labels == ("positive",)
        assert server.asked["a"] == 2
        assert store(server, tmp_path).predict(["a"])["a"].labels == ("positive",)
    assert server.asked["a"] == 2


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_server_that_is_not_there_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, tried = request_loop(), list[object]()
    connect = loop.sock_connect

    def counted(socket: Any, address: Any) -> Any:
        tried.append(address)
        return connect(socket, address)

    monkeypatch.setattr(loop, "sock_connect", counted)
    model = load(f"tiny?base_url=http://127.0.0.1:{free_port()}/v1&retries=3")
    cache = PredictionCache(tmp_path / "cache.sqlite")
    with pytest.raises(ModelError, match=r"cannot be reached .*check base_url"):
        PredictionStore(model, cache=cache).predict(GOOD)
    assert model.usage.spent.requests == 0
    assert len(tried) == 1  # and no retries


def test_a_server_that_dies_stops_the_run_and_keeps_what_was_paid(tmp_path: Path) -> None:
    with FaultyServer() as server:
        asked = store(server, tmp_path, retries=0)
        asked.predict(GOOD)
    with pytest.raises(ModelError, match="cannot be reached"):
        asked.predict([*GOOD, "new"])
    assert store(server, tmp_path).predict(GOOD)[GOOD[0]].labels == ("positive",)


@pytest.mark.parametrize(
    "base_url",
    ["localhost:8000/v1", "ftp://host/v1", "http://", "http://[bad/v1", "http://h:port/v1", "host"],
)
def test_a_base_url_that_is_no_address_is_refused_before_anything_is_asked(base_url: str) -> None:
    with pytest.raises(ModelError, match="base_url is no address"):
        load(f"tiny?base_url={base_url}")


def test_a_password_does_not_belong_into_a_name() -> None:
    with pytest.raises(ModelError, match="password") as caught:
        load("tiny?base_url=http://me:sesame@host/v1")
    assert "sesame" not in str(caught.value)


def test_a_model_has_a_name() -> None:
    with pytest.raises(ModelError, match="Name a model"):
        load("?base_url=http://localhost/v1")


class TestKey:
    """The key goes to the server and nowhere else."""

    @pytest.fixture(autouse=True)
    def key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-5f0e3c9a7b")

    def test_it_is_in_no_answer_log_name_or_file(
        self, server: FaultyServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        asked = store(server, tmp_path)
        faults = [f"x [fault:{fault}]" for fault in ("400", "echo", "echo-error", "drop")]
        answers = asked.predict([*faults, "good"])
        assert server.keys == {"Bearer sk-secret-5f0e3c9a7b"}
        model: Any = asked.model
        shown = (answers, model.name, model.identity, vars(model), model._endpoint)
        assert "sk-secret-5f0e3c9a7b" not in repr(shown)
        echo = answers["x [fault:echo]"]  # neither altered nor kept
        assert (echo.failure, echo.reply) == (Failure.ERROR, "")
        assert "repeats the API key" in echo.detail
        assert "[key]" in answers["x [fault:echo-error]"].detail
        assert "sk-secret-5f0e3c9a7b" not in caplog.text
        kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"sk-secret-5f0e3c9a7b" not in kept
        assert b"good" not in kept

    @pytest.mark.parametrize("fault", ["401", "404", "quota", "wrong-key"])
    def test_it_is_in_no_error(self, server: FaultyServer, tmp_path: Path, fault: str) -> None:
        server.wrong_key = "sk-secret-5f0e3c9a7b" if fault == "wrong-key" else ""
        with pytest.raises(ModelError) as caught:
            store(server, tmp_path, retries=0).predict([f"x [fault:{fault}]"])
        error: BaseException | None = caught.value
        while error is not None:
            assert "sk-secret-5f0e3c9a7b" not in f"{error!r} {error}"
            error = error.__cause__ or error.__context__

    def test_a_broken_one_is_refused_and_not_shown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-se\ncret-5f0e3c9a7b")
        with pytest.raises(ModelError, match="copy it again") as caught:
            load("tiny")
        assert "cret" not in str(caught.value)

    @pytest.mark.parametrize("key", ["good", "x", "test", "ollama", "positive", "lm-studio"])
    def test_a_short_one_alters_no_reply(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
        said = f"None of this is {key}. Label: positive"
        with FaultyServer(reply=lambda text, turn: said) as server:
            text = f"none of this is {key} [fault:none]"
            asked: Any = store(server, tmp_path)
            answer = asked.predict([text])[text]
            assert (answer.labels, answer.reply) == (("positive",), said)
            assert asked._cache.get(asked.model.reply_identity, [text])[text][0].reply == said
            refused = store(server, tmp_path).predict([f"{key} [fault:echo-bearer]"])
        (failed,) = refused.values()
        assert failed.detail == "400: none of this works with Authorization: Bearer [key]"

    def test_blanks_around_it_are_cut(
        self, server: FaultyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", " sk-secret-5f0e3c9a7b\n")
        store(server, tmp_path).predict(["a"])
        assert server.keys == {"Bearer sk-secret-5f0e3c9a7b"}

    def test_the_machine_s_own_is_not_for_strangers(self) -> None:
        model: Any = build_model(parse_name("openai:tiny", key="sk-visitor"))
        assert model._endpoint.key == "sk-visitor"
        with pytest.raises(ModelError, match="command line only"):
            parse_name("openai:tiny")


def test_a_fickle_server_flips_and_each_repeat_is_one_request(tmp_path: Path) -> None:
    said = ("positive", "negative", "negative")
    with FaultyServer(reply=lambda text, turn: said[turn % 3]) as server:
        asked = store(server, tmp_path, concurrency=3)
        first = asked.predict(["a"])["a"]
        repeats = asked.repeat("a", 9)
        assert server.asked["a"] == 10
        # Both are kept apart, on disk too.
        again = store(server, tmp_path)
        assert again.predict(["a"])["a"] == first
        assert [p.labels for p in again.repeat("a", 9)] == [p.labels for p in repeats]
        assert again.predicted == 0
        assert len(again.repeat("a", 11)) == 11
        assert server.asked["a"] == 12
    assert first.labels == ("negative",)
    flips = [p for p in repeats if p.labels != first.labels]
    assert len(flips) == 3


def test_a_repeat_that_fails_is_asked_again_and_a_budget_holds(
    server: FaultyServer, tmp_path: Path
) -> None:
    bad = "x [fault:400]"
    assert [p.failure for p in store(server, tmp_path).repeat(bad, 2)] == [Failure.ERROR] * 2
    store(server, tmp_path).repeat(bad, 2)
    assert server.asked[bad] == 4
    asked = store(server, tmp_path)
    asked.budget = Budget(requests=3)
    answers = asked.repeat("a", 5)
    assert [p.failure for p in answers] == [None] * 3 + [Failure.OVER_BUDGET] * 2
    assert server.asked["a"] == 3


def test_it_can_be_asked_from_within_an_event_loop(server: FaultyServer) -> None:
    model = load(f"tiny?base_url={server.base_url}")

    async def notebook() -> list[Prediction]:
        return list(model.predict(["a", "b"]))

    # In a thread: a browser's tests leave a loop running in the main one.
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(lambda: asyncio.run(notebook())).result()
    assert [p.labels for p in found] == [("positive",)] * 2
