"""Models by name."""

from __future__ import annotations

import pytest

from hinter_core.errors import ModelError
from hinter_core.models.registry import BACKENDS, load_model, split_names


def test_a_name_is_loaded_once_and_keeps_what_the_user_typed() -> None:
    assert load_model("vader") is load_model("vader")
    assert load_model("vader").name == "vader"
    assert load_model("scripted:a if gender; b otherwise").name == (
        "scripted:a if gender; b otherwise"
    )


@pytest.mark.parametrize("name", ["", "bert", "Vader", "vader:x", "embedded:x", ":"])
def test_unknown_names_list_the_known_ones(name: str) -> None:
    with pytest.raises(ModelError) as caught:
        load_model(name)
    message = str(caught.value)
    assert message.startswith(f"Unknown model '{name}'; use one of ")
    for kind, backend in BACKENDS.items():
        assert backend.usage(kind) in message


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("vader", ["vader"]),
        (" vader, embedded,", ["vader", "embedded"]),
        ("hf-zero-shot:M?labels=A,B,vader", ["hf-zero-shot:M?labels=A,B", "vader"]),
        ("hf-chat:M?labels=no,yes&question=no, or yes?,scripted:x",
         ["hf-chat:M?labels=no,yes&question=no, or yes?", "scripted:x"]),
        ("openai:m?labels=hf,openai,python", ["openai:m?labels=hf,openai,python"]),
        ("gpt-99,vader", ["gpt-99", "vader"]),
        ("vader,gpt-99", ["vader,gpt-99"]),
        ("", []),
    ],
)  # fmt: skip
def test_a_list_of_names_is_told_from_a_name_with_commas(names: str, expected: list[str]) -> None:
    assert split_names(names) == expected


def test_every_backend_names_a_loader_that_exists() -> None:
    from importlib import import_module

    for backend in BACKENDS.values():
        module, _, function = backend.loader.partition(":")
        assert callable(getattr(import_module(f"hinter_core.models.{module}"), function))


def test_lexicon_labels_follow_the_libraries_rules() -> None:
    texts = ["I love this lovely place.", "I hate this awful place.", "The table has four legs."]
    for name in ("vader", "textblob"):
        answers = load_model(name).predict(texts)
        assert [a.labels for a in answers] == [("positive",), ("negative",), ("neutral",)]
        for answer in answers:
            assert answer.scores["positive"] + answer.scores["negative"] == pytest.approx(1)
