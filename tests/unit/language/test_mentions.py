"""Phrases that stand for people: which words are one phrase, and what they say."""

from __future__ import annotations

import json

import pytest

from hinter_core.language.coreference import parse_text, resolve
from hinter_core.language.mentions import Document, read_document, read_quotations
from hinter_core.language.parsing import ParseStore, load_parser
from tests.forked import Commands

PARSES = ParseStore(load_parser())


def document(text: str) -> Document:
    return read_document(text, parse_text(text, PARSES))


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Miss Keller laughed.", ["Miss Keller"]),
        ("Aunt Polly laughed.", ["Aunt Polly"]),
        ("A German landlord called.", ["A German landlord"]),
        ("A German farmer was at home.", ["A German farmer", "home"]),
        ("The German teacher was at home.", ["The German teacher", "home"]),
        ("We saw old Mr. Oduya.", ["We", "old Mr. Oduya"]),
    ],
)
def test_one_person_is_one_phrase(text: str, spans: list[str]) -> None:
    assert [text[slice(*p.span)] for p in document(text).phrases] == spans


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("Her looks were odd.", "poss"),
        ("Her eyes were odd.", "poss"),
        ("We met her.", "obj"),
        ("We gave her a book.", "obj"),
    ],
)
def test_her_is_an_object_or_a_possessive(text: str, case: str) -> None:
    phrases = document(text).phrases
    (form,) = (p.form for p in phrases if text[slice(*p.span)].lower() == "her")
    assert form is not None
    assert form.case == case


@pytest.mark.parametrize(
    ("text", "noun", "gender"),
    [
        ("That dude is lazy.", "dude", "male"),
        ("The dudes are lazy.", "dudes", "male"),
        ("A bro of mine called.", "bro", "male"),
        ("Those guys left.", "guys", ""),
        ("The actor left.", "actor", ""),
        ("Miss Keller left.", "Keller", "female"),
    ],
)
def test_gender_of_words(text: str, noun: str, gender: str) -> None:
    said = {text[slice(*e.mentions[0].head)]: e.gender for e in resolve(text, PARSES) if e.person}
    assert said[noun] == gender


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\u201c We are in luck. \u201d", False),
        ("\u201cWe are in luck.\u201d", False),
        ('"I won\'t!"', False),
        ('"You Have My Word"', True),
    ],
)
def test_a_quotation_that_ends_with_a_stop_is_speech(text: str, title: bool) -> None:
    assert [quotation.title for quotation in read_quotations(text)] == [title]


def test_old_pronouns_of_the_second_person_are_people() -> None:
    text = "Thou hast thy sword."
    people = [text[slice(*m.head)] for e in resolve(text, PARSES) if e.person for m in e.mentions]
    assert {word.lower() for word in people} == {"thou", "thy"}


@pytest.mark.slow
def test_the_resolver_loads_no_torch(commands: Commands) -> None:
    code = """
import json, sys
from hinter_core.language.coreference import resolve
from hinter_core.language.parsing import ParseStore, load_parser
entities = resolve("Ann met Eve. She waved.", ParseStore(load_parser()))
print(json.dumps([len(entities), "torch" in sys.modules]))
"""
    done = commands.run("-c", code)
    assert done.code == 0, done.err
    assert json.loads(done.out.splitlines()[-1]) == [2, False]


@pytest.mark.parametrize(
    "text",
    ["Robbie loves Christmas. I saw him.", "Buddhism came early. He was glad of it."],
)
def test_a_feast_or_a_faith_is_no_person(text: str) -> None:
    entities = resolve(text, ParseStore(load_parser("embedded")))
    named = ("Christmas", "Buddhism")
    found = [e for e in entities for m in e.mentions if text[slice(*m.span)] in named]
    assert [entity.person for entity in found] == [False]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("My brother-in-law fixed the roof himself.", "law"),
        ("Her sister-in-law painted the fence.", "law"),
        ("The commander-in-chief waved.", "chief"),
        ("A lady-in-waiting sang.", "waiting"),
    ],
)
def test_the_end_of_a_word_with_hyphens_is_no_phrase(text: str, end: str) -> None:
    assert text.index(end) not in {p.head_span[0] for p in document(text).phrases}
