"""A room that a language has holds every text of it, with the same placeholders, translated."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from hinter_core.relations.registry import RELATIONS
from hinter_ui.annotate.actions import KINDS, SOURCES
from hinter_ui.html.wording import DEFAULT, FOLDER, _laid, languages, leaves, written

ROOMS = sorted(path.stem for path in (FOLDER / DEFAULT).glob("*.yaml"))
OTHERS = [code for code in languages() if code != DEFAULT]
TRANSLATED = [(code, room) for room in ROOMS for code in languages(room) if code != DEFAULT]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


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
        assert theirs[key].strip(), key
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


@pytest.mark.parametrize("language", languages("projects"))
def test_every_download_and_source_of_annotations_has_a_word(language: str) -> None:
    words = written(language, "projects")
    assert set(KINDS) <= set(words["buttons"])
    assert set(words["sources"]) == set(SOURCES)
