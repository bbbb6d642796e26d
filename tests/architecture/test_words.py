"""A room that a language has holds every text of it, with the same placeholders, translated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from string import Formatter
from time import process_time

import pytest

from hinter_core.relations.registry import RELATIONS
from hinter_core.storage import ASSETS
from hinter_core.terms import dictionary
from hinter_core.terms.dictionary import load_shipped
from hinter_ui.explore.examples import load_examples
from hinter_ui.html.notice import in_app_words
from hinter_ui.html.wording import (
    DEFAULT,
    FOLDER,
    _core_texts,
    _laid,
    languages,
    leaves,
    speak,
    translated,
    written,
)

ROOMS = sorted(path.stem for path in (FOLDER / DEFAULT).glob("*.yaml"))
CORE = Path(dictionary.__file__).parents[1]
OTHERS = [code for code in languages() if code != DEFAULT]
TRANSLATED = [(code, room) for room in ROOMS for code in languages(room) if code != DEFAULT]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def strings(path: Path) -> Iterator[str]:
    """The texts in a file of code: those of an f-string between its braces."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    yield
    speak(DEFAULT)


def test_there_is_another_language() -> None:
    assert {"annotate", "learn", "projects"} <= {room for _, room in TRANSLATED}


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_only_rooms_that_exist(language: str) -> None:
    assert {path.stem for path in (FOLDER / language).glob("*.yaml")} <= set(ROOMS)


@pytest.mark.parametrize(("language", "room"), TRANSLATED)
def test_a_language_is_complete(language: str, room: str) -> None:
    ours, theirs = dict(leaves(written(DEFAULT, room))), dict(leaves(written(language, room)))
    assert list(theirs) == list(ours)
    for key, text in ours.items():
        assert bool(theirs[key].strip()) == bool(text.strip()), key
        assert placeholders(theirs[key]) == placeholders(text), key


@pytest.mark.parametrize(("language", "room"), TRANSLATED)
def test_a_language_is_translated(language: str, room: str) -> None:
    ours, theirs = dict(leaves(written(DEFAULT, room))), dict(leaves(written(language, room)))
    same = [
        key
        for key, text in ours.items()
        if theirs[key] == text and len(re.findall(r"\w+", text)) > 3
    ]
    assert not same


def test_a_text_that_a_language_lacks_is_shown_in_english() -> None:
    """A room may be translated text by text; what is not yet, or of another kind, shows through."""
    english = {"title": "Text", "form": {"start": "Start", "stop": "Stop"}, "steps": ["one", "two"]}
    begun = {"form": {"start": "Commencer", "stop": None}, "steps": ["un"], "odd": "x", "title": {}}
    shown = {"title": "Text", "form": {"start": "Commencer", "stop": "Stop"}}
    assert _laid(english, begun) == {**shown, "steps": ["one", "two"]}
    assert _laid(english, {}) == english


@pytest.mark.parametrize("language", languages("check"))
def test_every_relation_has_a_title(language: str) -> None:
    assert set(written(language, "check")["relations"]) == set(RELATIONS)


@pytest.mark.parametrize("language", languages("groups"))
def test_every_group_of_a_dictionary_has_a_name(language: str) -> None:
    groups = {g for one in load_shipped().values() if not one.placebo for g in one.groups or ()}
    assert set(written(language, "groups")["names"]) == groups


@pytest.mark.parametrize("language", languages("projects"))
def test_every_download_and_source_of_annotations_has_a_word(language: str) -> None:
    from hinter_ui.annotate.actions import KINDS, SOURCES  # gradio takes seconds

    words = written(language, "projects")
    assert set(KINDS) <= set(words["buttons"])
    assert set(words["sources"]) == set(SOURCES)


@pytest.mark.parametrize("language", OTHERS)
def test_texts_of_the_core_are_translated_with_what_varies_in_them(language: str) -> None:
    for text, other in _core_texts(language).items():
        assert placeholders(other) == placeholders(text), text
        values = {name: "7" if name == "line" else f"<{name}>" for name in placeholders(text)}
        speak(language)
        assert translated(text.format(**values)) == other.format(**values)
        missing = values | dict.fromkeys(re.findall(r"[a-z).]\{(\w+)\}", text), "")
        if missing != values:  # what is missing from a sentence leaves the rest in the language
            assert translated(text.format(**missing)) != text.format(**missing)
        assert not re.search(r"(?<!\w)--[a-z]|\((?:order|Ordnung) 1\)", in_app_words(other)), text


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_of_a_visitor_keeps_the_catalogue_busy(language: str) -> None:
    """Tried with what each pattern repeats; a second try for each placeholder took minutes."""
    speak(language)
    pieces = [part for text in _core_texts(language) for part, *_ in Formatter().parse(text)]
    before = process_time()
    for piece in sorted(set(pieces), key=pieces.count)[-40:]:
        assert translated(f"x{piece}" * (1_900 // (len(piece) + 1)))
    for text in ("x of " * 60 + "x (" * 60 + "x %, 95 % interval " * 12 + "x to " * 60,):
        assert translated(text) == text
    assert process_time() - before < 20  # 0.1 s each at most, where it took 50 s


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_of_the_core_is_translated_that_is_not_there(language: str) -> None:
    """Its words stand side by side in the code or in data; some join texts of several places."""
    there = [string for path in CORE.rglob("*.py") for string in strings(path)]
    there += [example.title for example in load_examples()]
    there += [text for _, text in leaves(written(DEFAULT, "batch"))]  # stored as titles
    there.append((ASSETS / "hub_datasets.toml").read_text(encoding="utf-8"))
    known = {pair for text in there for pair in neighbours(text)}
    code = " ".join(path.read_text(encoding="utf-8") for path in CORE.rglob("*.py"))
    known |= {("", word) for word in re.findall(r"[a-z]+", code.lower())}  # names of settings
    for text in _core_texts(language):
        pairs = [pair for part, _, _, _ in Formatter().parse(text) for pair in neighbours(part)]
        assert sum(pair in known for pair in pairs) >= 0.7 * len(pairs), text


def neighbours(text: str) -> list[tuple[str, str]]:
    """Pairs of words that stand side by side; a word with nothing before it has a pair, too."""
    words = re.findall(r"[a-z]+", text.lower())
    return list(pairwise(["", *words])) if len(words) == 1 else list(pairwise(words))
