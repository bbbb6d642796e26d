"""``hinter models`` and ``hinter predict``; estimates and budgets of ``hinter check``."""

from __future__ import annotations

import json

import pytest

from hinter_core.models.registry import BACKENDS
from tests.conformance.faulty_server import FaultyServer
from tests.conformance.tiny import make_classifier

from .conftest import Run

TEXT = "The British waiter was kind. A woman thanked him."


def test_models_are_listed_with_their_options(run: Run) -> None:
    code, out, _ = run("models")
    assert code == 0
    assert run("models", "list") == (0, out, "")
    for kind, backend in BACKENDS.items():
        assert backend.usage(kind) in out
        for option in backend.options:
            assert option.help in out


def test_models_as_json(run: Run) -> None:
    _, out, _ = run("models", "--json")
    made = json.loads(out)
    assert [kind["kind"] for kind in made["kinds"]] == list(BACKENDS)
    by_kind = {kind["kind"]: kind for kind in made["kinds"]}
    assert by_kind["python"]["command_line_only"] is True
    assert by_kind["openai"]["command_line_only"] is False
    assert {"name", "default", "help", "choices"} <= set(by_kind["hf"]["options"][0])


@pytest.mark.slow
def test_a_model_says_what_it_can_do(run: Run) -> None:
    _, out, _ = run("models", "embedded", "vader", "--json")
    first, second = json.loads(out)
    assert first["name"] == "embedded"
    assert first["capabilities"]["labels"] == ["negative", "positive"]
    assert first["capabilities"]["window"] == 512
    assert "float32" in first["identity"]
    assert second["capabilities"]["window"] is None
    _, words, _ = run("models", "vader")
    assert "labels: negative, neutral, positive" in words


@pytest.mark.parametrize("name", ["gpt-99", "hf:", "openai:x?colour=red", "python:nope"])
def test_an_unknown_model_is_one_line(run: Run, name: str) -> None:
    for arguments in (("models", name), ("predict", "--model", name, "--text", "x")):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert err.startswith("hinter: ")
        assert len(err.splitlines()) == 1


@pytest.mark.slow
def test_an_answer_as_json(run: Run) -> None:
    code, out, _ = run("predict", "A lovely day.", "--model", "vader", "--json")
    made = json.loads(out)
    assert code == 0
    assert (made["text"], made["model"], made["labels"]) == ("A lovely day.", "vader", ["positive"])
    code, out, _ = run("predict", "--model", "masked", "--text", "A man left.", "--json")
    assert (code, json.loads(out)["failure"]) == (1, "no mask")


@pytest.fixture(scope="module")
def unnamed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A checkpoint whose labels have no names, with a window of 16 tokens."""
    folder = tmp_path_factory.mktemp("unnamed")
    return "hf:" + make_classifier(folder, ["LABEL_0", "LABEL_1"], window=16)


@pytest.mark.slow
def test_what_is_to_say_of_a_model_is_said_everywhere(run: Run, unnamed: str) -> None:
    note = "the checkpoint does not name its labels"
    asked = ("--model", unnamed, "--text", TEXT)
    for arguments in (("models", unnamed), ("predict", *asked), ("check", *asked, "--limit", "2")):
        assert f": {note}" in run(*arguments)[1]
    for command in ("predict", "check"):
        assert note in json.loads(run(command, *asked, "--json")[1])["note"]


@pytest.mark.slow
def test_a_text_longer_than_the_window_is_told(run: Run, unnamed: str) -> None:
    _, out, _ = run("predict", "--model", unnamed, "--text", "a man " * 20)
    assert "Note: the model sees the first 41 of 120 characters." in out


def test_a_threshold_is_told_where_there_is_one(run: Run) -> None:
    assert "threshold" not in run("models", "vader")[1]
    assert "multi label: no" in run("models", "vader")[1]


def test_what_a_model_said_is_told_where_it_is_more_than_a_label(run: Run) -> None:
    with FaultyServer(reply=lambda text, turn: "Label: positive") as server:
        name = f"openai:tiny?base_url={server.base_url}"
        _, out, _ = run("predict", "--model", name, "--text", "A new text.")
    assert out.splitlines()[-2:] == ["positive", "Reply: Label: positive"]


def test_an_estimate_asks_nothing(run: Run) -> None:
    code, out, _ = run("check", "--text", TEXT, "--model", "vader", "--limit", "5", "--estimate")
    assert code == 0
    assert out.startswith("vader: at most ")
    assert out.strip().endswith("requests.")


def test_a_budget_of_requests_leaves_the_rest_unanswered(run: Run) -> None:
    code, out, _ = run("check", "--text", TEXT, "--model", "vader", "--limit", "5",
                       "--requests", "3", "--json")  # fmt: skip
    assert code == 0
    made = json.loads(out)
    assert made["counts"]["unanswered"] > 0
    _, words, _ = run("check", "--text", TEXT, "--model", "vader", "--limit", "5",
                      "--requests", "3")  # fmt: skip
    assert f"  {made['counts']['unanswered']} unanswered: over budget (" in words
    assert {m["failure"] for m in made["mutants"] if m["verdict"] == "unanswered"} == {
        "over budget"
    }


def test_the_noise_floor_is_told(run: Run) -> None:
    code, out, _ = run("check", "--text", TEXT, "--model", "vader", "--limit", "2", "--repeat", "3")
    assert code == 0
    assert "Noise floor: of 3 further answers to the original, 0 differ." in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--requests", "0"), "requests is a whole number from 1"),
        (("--budget", "-1"), "budget is a number from 0"),
        (("--budget", "nan"), "budget is a number from 0"),
        (("--budget", "0"), "above zero"),
        (("--budget", "1"), "price_in"),
        (("--repeat", "101"), "0 to 100"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused(
    run: Run, options: tuple[str, str], words: str
) -> None:
    code, _, err = run("check", "--text", TEXT, "--model", "vader", *options)
    assert code == 2
    assert words in err
