"""Prompts: shipped ones, a user's labels and questions, files; and errors that say where."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.prompting import Prompt, load_prompt, prompt_for, shipped_prompts
from hinter_core.models.registry import ModelName, parse_name

GOOD = """
title = "Tone"
system = " You judge tone. "
question = "Which of {labels}?"
labels = ["rude", "polite"]

[[examples]]
text = "Sit down."
answer = "rude"
"""


def name(query: str) -> ModelName:
    return parse_name(f"hf-chat:any?{query}")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tone.toml"
    path.write_text(GOOD)
    return path


def test_a_conversation_is_task_examples_and_question(file: Path) -> None:
    prompt = prompt_for(name(f"prompt={file}"))
    assert (prompt.name, prompt.title) == ("tone", "Tone")
    assert prompt.messages("Please sit.") == [
        {"role": "system", "content": "You judge tone."},
        {"role": "user", "content": "Text:\nSit down.\n\nWhich of rude, polite?"},
        {"role": "assistant", "content": "rude"},
        {"role": "user", "content": "Text:\nPlease sit.\n\nWhich of rude, polite?"},
    ]


def test_braces_in_a_text_are_left_alone(file: Path) -> None:
    said = prompt_for(name(f"prompt={file}")).messages("A {labels} and {0}.")[-1]["content"]
    assert said.startswith("Text:\nA {labels} and {0}.\n\n")


def test_the_default_is_sentiment_and_own_labels_have_prompts_of_their_own() -> None:
    assert prompt_for(name("")).name == "sentiment"
    assert prompt_for(name(""), free=True).name == "respond"
    one, several = (prompt_for(name(f"labels=a,b{q}")) for q in ("", "&multi=1"))
    assert (one.name, one.labels, one.multi_label) == ("own-labels", ("a", "b"), False)
    assert (several.name, several.labels, several.multi_label) == (
        "own-labels-several", ("a", "b"), True,
    )  # fmt: skip
    assert several.none_label == "None"
    assert one.none_label == ""
    assert "a, b" in one.messages("x")[-1]["content"]
    assert "None" in several.messages("x")[-1]["content"]


def test_own_labels_and_question_take_the_place_of_a_prompts_own(file: Path) -> None:
    prompt = prompt_for(name(f"prompt={file}&labels=warm, cold ,warm&question=Is it {{labels}}?"))
    assert prompt.labels == ("warm", "cold")
    assert prompt.system == "You judge tone."
    assert prompt.examples == ()
    assert prompt.messages("x")[-1]["content"] == "Text:\nx\n\nIs it warm, cold?"
    asked = prompt_for(name(f"prompt={file}&question=Rude?"))
    assert [e.answer for e in asked.examples] == ["rude"]
    assert asked.labels == ("rude", "polite")


def test_what_is_asked_and_what_is_read_have_identities() -> None:
    def both(query: str) -> tuple[str, str]:
        prompt: Prompt = prompt_for(name(query))
        return prompt.request_identity, prompt.identity

    assert both("labels=a,b") == both("labels=a,b")
    assert len({both(q) for q in ("labels=a,b", "labels=b,a", "labels=a,b&question=Q?")}) == 3
    # The same words to the model, read in two ways: asked once.
    one, two = both("labels=a,b&question=Q?"), both("labels=a,c&question=Q?")
    assert one[0] == two[0]
    assert one[1] != two[1]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("prompt=nothing", "No prompt 'nothing'; use one of .*sentiment.*, or a TOML file"),
        ("labels=a", "at least two labels"),
        ("labels=Good,good", "capitals"),
        ("prompt=own-labels", "labels=complaint,praise"),
        ("multi=1", "labels=complaint,praise"),
        ("prompt=a\x00b", "No prompt"),
    ],
)
def test_a_name_that_asks_for_nothing_is_a_clear_error(query: str, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        prompt_for(name(query))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("question =", "query ="), "unknown field query"),
        (('question = "Which of {labels}?"', ""), "'question'"),
        (('"Which of {labels}?"', "5"), "question is no text"),
        (('["rude", "polite"]', '"rude"'), "labels is no list"),
        (('["rude", "polite"]', '["rude"]'), "at least two labels"),
        (('["rude", "polite"]', '["rude", 5]'), "at least two labels"),
        (('["rude", "polite"]', '["rude", " "]'), "at least two labels"),
        (('["rude", "polite"]', '["rude", "Rude"]'), "capitals"),
        (('answer = "rude"', ""), "'answer'"),
        (('answer = "rude"', "answer = 1"), "answer is no text"),
        (("[[examples]]", "[examples"), "cannot be read"),
    ],
)
def test_a_broken_file_is_a_clear_error(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    assert change[0] in GOOD
    path = tmp_path / "broken.toml"
    path.write_text(GOOD.replace(*change))
    with pytest.raises(ModelError, match=says) as caught:
        load_prompt(str(path))
    assert "broken" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "photo.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelError, match="cannot be read"):
        load_prompt(str(path))
    with pytest.raises(ModelError, match="No prompt"):
        load_prompt(str(tmp_path))


@pytest.mark.parametrize("shipped", shipped_prompts())
def test_a_shipped_prompt_says_which_labels_there_are(shipped: str) -> None:
    prompt = load_prompt(shipped)
    asked = prompt.messages("A text.")[-1]["content"]
    assert "{labels}" not in asked
    assert all(label in asked for label in prompt.labels)
    assert not prompt.multi_label or prompt.none_label
