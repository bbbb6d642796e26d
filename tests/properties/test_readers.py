"""Readers of what strangers write: a value or a clear error, in time that grows with the input."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hinter_core.annotation.project.questions import read_questions
from hinter_core.campaign.spec import load_campaign
from hinter_core.data.handwritten import read_edits
from hinter_core.errors import HinterError
from hinter_core.generators.grammars.cases import load_weights
from hinter_core.generators.grammars.reading import read_grammar
from hinter_core.generators.grammars.sampling import Sentences
from hinter_core.generators.templates.template import is_template, open_templates, read_template
from hinter_core.language.clean import printable, whole, whole_values
from hinter_core.models.prompting import load_prompt
from hinter_core.models.registry import parse_name, split_names
from hinter_core.models.scripted import ScriptedModel
from hinter_core.terms.dictionary import load_file
from hinter_core.terms.names import load_names
from tests.examples import examples, within

_SECONDS = 10.0  # for what takes some thousandths
_ODD = ["\0", "\x1b[31m", "\ud800", "\udfff", "\u202e", "\u2028", "\ufeff", "\U0001f600", "e\u0301"]
_BLANKS = [" ", "\t", "\n", "\r", "\u3000", "\x0b", "\x85"]


def soup(*words: str) -> st.SearchStrategy[str]:
    """Words of a language in any order, each up to 3,000 times, with others' among them."""
    piece = st.sampled_from([*words, *words, *_BLANKS, *_ODD]) | st.text(max_size=4)
    times = st.sampled_from([1, 1, 1, 1, 2, 40, 3_000])
    repeated = st.tuples(piece, times).map(lambda pair: pair[0] * pair[1])
    return st.lists(repeated, max_size=12).map("".join)


deep = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def knock(read: Callable[[], object]) -> None:
    with within(_SECONDS), suppress(HinterError):
        read()


def file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


@examples(400, deep)
@given(
    text=soup(
        "if ",
        " if ",
        "otherwise",
        " and ",
        "not ",
        "race",
        "=",
        "gender=female",
        "'",
        '"',
        ";",
        "0.8",
        "1",
        ".5",
        "a",
        "#",
    )
)
def test_scripted_rules(text: str) -> None:
    knock(lambda: ScriptedModel("s", text).predict(["A black woman.", text[:2_000]]))
    knock(lambda: ScriptedModel("s", f"{text}; x otherwise").predict(["A man."]))


@examples(400, deep)
@given(soup(":", "->", "~>", "=>", ";", "race", "man", " -> ", ": "), soup(":", "->", "race"))
def test_edits_by_hand(edits: str, groups: str) -> None:
    knock(lambda: read_edits(edits, groups))
    knock(lambda: read_edits(f"race: {edits}"))


@examples(300, deep)
@given(
    text=soup("\u00ab", "\u00bb", "\u00abname\u00bb", "name", "pronoun:subject", ":", "noun:man")
)
def test_templates(text: str) -> None:
    knock(lambda: read_template(text))
    is_template(text)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | soup("\u00abname\u00bb", "male", "x"),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["text", "id", "label", "words", "gender", "attributes"]),
                      inner, max_size=6),
    max_leaves=8,
)  # fmt: skip


@examples(300, deep)
@given(lines=st.lists(values, max_size=3))
def test_files_of_templates(lines: list[Any], tmp_path: Path) -> None:
    path = file(tmp_path, "mine.jsonl", "".join(json.dumps(one) + "\n" for one in lines))

    def read() -> None:
        for row in open_templates(path).rows():
            f"{row.id}{row.text}{row.label}{row.fault}".encode()

    knock(read)


_YAML = (": ", "- ", "\n", "\n  ", "[", "]", "{", "}", "&a ", "*a", "<<: ", "!!python/name:x", "'",
         '"', "|", ">", "#", "%", "?", "~", "1e400", "\\ud800", "---\n")  # fmt: skip


@examples(300, deep)
@given(
    text=soup(
        "start: s\n",
        "rules:\n",
        "sensitive:\n",
        "  s: [x <job>]\n",
        "  job: [nurse, pilot]\n",
        "<",
        ">",
        "<job>",
        "<s>",
        *_YAML,
    )
)
def test_grammars(text: str) -> None:
    knock(lambda: list(islice(Sentences(read_grammar(text)).draw(1), 3)))


@examples(200, deep)
@given(st.lists(soup("<job>", "<s>", "<t>", "<a>", "<", ">", "x "), max_size=4))
def test_rules_of_grammars(alternatives: list[str]) -> None:
    rules = json.dumps({"s": alternatives, "t": ["<job>", "y"]})
    text = f"start: s\nsensitive: {{job: [nurse, pilot]}}\nrules: {rules}"
    knock(lambda: list(islice(Sentences(read_grammar(text)).draw(1), 3)))


@examples(300, deep)
@given(
    text=soup("term", ",", "group", "form", "\n", "term,group\n", "black,dark\n", '"', "adj", "x")
)
def test_dictionaries_and_names(text: str, tmp_path: Path) -> None:
    knock(lambda: load_file(file(tmp_path, "own.csv", text)))
    knock(lambda: load_file(file(tmp_path, "own.csv", f"term,group,form\n{text}")))
    knock(lambda: load_names(file(tmp_path, "names.csv", f"name,part,gender,country\n{text}")))


@examples(400, deep)
@given(
    text=soup(
        "hf:",
        "vader",
        ",",
        "?",
        "&",
        "=",
        "labels=",
        "%2C",
        "%",
        "openai:",
        "base_url=",
        ":",
        "scripted:",
        "threshold=",
        "1e999",
        "nan",
        "multi=1",
    )
)
def test_names_of_models(text: str) -> None:
    knock(lambda: parse_name(text, trusted=True).text.encode())
    knock(lambda: [parse_name(name, trusted=True) for name in split_names(text)])


@examples(300, deep)
@given(text=soup("data", "order", "models", "attributes", "limit", "seed", "a.csv", "race", *_YAML))
def test_campaign_files(text: str, tmp_path: Path) -> None:
    knock(lambda: load_campaign(file(tmp_path, "run.yaml", text)))
    knock(lambda: load_campaign(file(tmp_path, "run.yaml", f"order: {text}")))


@examples(300, deep)
@given(text=soup("questions:\n", "- id: q\n", "  ask: x\n", "  answers: ", "[yes, no]\n", *_YAML))
def test_questions(text: str) -> None:
    knock(lambda: read_questions(text, "mine.yaml", ("a", "b")))


@examples(200, deep)
@given(
    text=soup(
        "system",
        "question",
        "labels",
        "=",
        '"',
        '"""',
        "[",
        "]",
        "{",
        "}",
        "\n",
        "a.",
        "1",
        "2026-01-01",
        "'''",
    )
)
def test_files_of_prompts(text: str, tmp_path: Path) -> None:
    load_prompt.cache_clear()
    knock(lambda: load_prompt(str(file(tmp_path, "mine.toml", text))))


@examples(200, deep)
@given(text=soup('{"', '": ', "}", "[", "]", ",", "1", "1e999", "NaN", '"x"'))
def test_weights(text: str, tmp_path: Path) -> None:
    knock(lambda: load_weights(file(tmp_path, "weights.json", text)))


@examples(300, deep)
@given(text=soup("a"), tree=values)
def test_what_is_written_can_be_written(text: str, tree: Any) -> None:
    whole(text).encode()
    json.dumps(whole_values(tree), ensure_ascii=False).encode()
    shown = printable(text, keep="\n")
    assert len(shown) == len(text)
    assert all(c.isprintable() or c in "\n\u200c\u200d" for c in shown)
    assert printable(shown, keep="\n") == shown


PATTERNS: Iterable[str] = ["[" * 20_000, "{a: " * 20_000, "- " * 20_000, "? " * 20_000, "a: " * 9]


@pytest.mark.parametrize("text", PATTERNS, ids=range(5))
def test_nested_yaml_is_refused_at_once(text: str, tmp_path: Path) -> None:
    knock(lambda: read_grammar(text))
    knock(lambda: read_questions(text, "mine.yaml"))
    knock(lambda: load_campaign(file(tmp_path, "run.yaml", text)))
