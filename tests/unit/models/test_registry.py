"""Models by name: names are read, written, refused with what to do, and loaded."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.errors import ModelError
from hinter_core.models.registry import (
    BACKENDS,
    ModelName,
    load_model,
    parse_name,
    read_name,
    split_names,
    write_name,
)
from hinter_core.options import Option, Value

OPTIONS = (
    Option("labels", "", "words"),
    Option("mode", "soft", "a choice", choices=("soft", "hard")),
    Option("multi", False, "a flag"),
    Option("top", 4, "a whole number", low=1, high=9),
    Option("price", 0.5, "a number", low=0),
)


@pytest.mark.parametrize("name", ["tox.joblib", "models/tox.pkl", "http://localhost:9000/predict"])
def test_a_file_or_an_address_is_told_what_loads_it(name: str) -> None:
    with pytest.raises(ModelError, match=r"no name of a model.*then name it python:mymodel:model"):
        parse_name(name, trusted=True)
    with pytest.raises(ModelError, match="use one of"):
        parse_name(name)


def test_defaults_are_filled_in_and_types_are_those_of_the_defaults() -> None:
    name = read_name("kind:org/name@v2?multi=yes&top=7", OPTIONS)
    assert (name.kind, name.source) == ("kind", "org/name@v2")
    assert name.settings == {
        "labels": "", "mode": "soft", "multi": True, "top": 7, "price": 0.5,
    }  # fmt: skip
    assert (name.settings["multi"], name.settings["top"], name.settings["price"]) == (True, 7, 0.5)


def test_a_source_may_hold_colons_and_drive_letters() -> None:
    assert read_name(r"kind:C:\models\tiny?top=2", OPTIONS).source == r"C:\models\tiny"
    assert read_name("python:package.module:function?multi=1", OPTIONS).source == (
        "package.module:function"
    )


def test_without_options_everything_after_the_colon_is_the_source() -> None:
    assert read_name("scripted:a if 'why?'; b otherwise", ()).source == "a if 'why?'; b otherwise"


def test_a_plus_is_a_plus() -> None:
    name = read_name("kind:x?labels=C++, LGBTQ+,a%20b", OPTIONS)
    assert name.listed("labels") == ("C++", "LGBTQ+", "a b")


def test_lists_are_cut_at_commas_each_once() -> None:
    assert read_name("kind:x?labels= a, b ,a,,c d", OPTIONS).listed("labels") == ("a", "b", "c d")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("colour=red", "Unknown setting colour"),
        ("mode=loud", "use soft or hard"),
        ("multi=perhaps", "use 1 or 0"),
        ("top=0", "a whole number from 1 to 9"),
        ("top=2.5", "a whole number from 1 to 9"),
        ("top=", "a whole number from 1 to 9"),
        ("price=-1", "a number from 0"),
        ("price=nan", "a number from 0"),
    ],
)
def test_a_value_that_cannot_be_taken_is_refused_in_one_line(query: str, words: str) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        read_name(f"kind:x?{query}", OPTIONS)
    assert "\n" not in str(caught.value)


texts = st.text(alphabet=string.printable.replace("\r", "") + "\u00e9\u2192\u4f60", max_size=20)


@given(
    labels=texts.map(str.strip),
    mode=st.sampled_from(["soft", "hard"]),
    multi=st.booleans(),
    top=st.integers(1, 9),
    price=st.floats(0, 1e6),
)
def test_what_is_written_reads_as_it_was(
    labels: str, mode: str, multi: bool, top: int, price: float
) -> None:
    values: dict[str, Value] = {
        "labels": labels, "mode": mode, "multi": multi, "top": top, "price": price,
    }  # fmt: skip
    written = write_name("kind", "org/name", values, OPTIONS)
    assert read_name(written, OPTIONS).settings == values


def test_defaults_are_not_written() -> None:
    assert write_name("kind", "x", {"top": 4, "mode": "soft"}, OPTIONS) == "kind:x"
    assert write_name("kind", "", {}, OPTIONS) == "kind"


def test_a_key_is_never_printed() -> None:
    name = ModelName("openai:x", "openai", "x", {}, key="sk-secret")
    assert "sk-secret" not in repr(name) + str(name)


@pytest.mark.parametrize("kind", [k for k, b in BACKENDS.items() if b.options])
def test_every_kind_has_sound_options(kind: str) -> None:
    options = BACKENDS[kind].options
    assert len({o.name for o in options}) == len(options)
    for option in options:
        assert option.help.endswith(".")
        if option.choices:
            assert option.default in option.choices
    name = parse_name(f"{kind}:some/model", trusted=True)
    assert name.settings == {o.name: o.default for o in options}


def test_what_reaches_code_or_keys_is_closed_to_strangers() -> None:
    for name in ("python:os:getcwd", "openai:gpt"):
        with pytest.raises(ModelError, match="command line only"):
            parse_name(name)
        assert parse_name(name, trusted=True).trusted


def test_a_name_is_loaded_once_and_keeps_what_the_user_typed() -> None:
    assert load_model("vader") is load_model("vader")
    assert load_model("vader").name == "vader"
    assert load_model("scripted:a if gender; b otherwise").name == (
        "scripted:a if gender; b otherwise"
    )


@pytest.mark.parametrize("name", ["", "bert", ":"])
def test_unknown_names_list_the_known_ones(name: str) -> None:
    with pytest.raises(ModelError) as caught:
        load_model(name)
    message = str(caught.value)
    assert message.startswith(f"Unknown model '{name}'; use one of ")
    for kind, backend in BACKENDS.items():
        assert backend.usage(kind) in message


@pytest.mark.parametrize("name", ["Vader", "vader:x", "vadre"])
def test_a_name_that_is_like_a_known_one_means_that(name: str) -> None:
    with pytest.raises(ModelError, match=f"Unknown model '{name}'; did you mean 'vader'"):
        load_model(name)


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
    from operator import attrgetter

    for backend in BACKENDS.values():
        module, _, function = backend.loader.partition(":")
        assert callable(attrgetter(function)(import_module(f"hinter_core.models.{module}")))


def test_lexicon_labels_follow_the_libraries_rules() -> None:
    texts = ["I love this lovely place.", "I hate this awful place.", "The table has four legs."]
    for name in ("vader", "textblob"):
        answers = load_model(name).predict(texts)
        assert [a.labels for a in answers] == [("positive",), ("negative",), ("neutral",)]
        for answer in answers:
            assert answer.scores["positive"] + answer.scores["negative"] == pytest.approx(1)
