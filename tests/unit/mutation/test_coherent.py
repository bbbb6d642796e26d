"""Coherent swaps: all words about one person change together, other people stay."""

from __future__ import annotations

import pytest

from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences
from hinter_core.mutation.plan import Plan, Settings, make_plan
from hinter_core.relations import even_handed
from hinter_core.relations.base import Compared
from hinter_core.relations.soft import clashes
from hinter_core.terms.dictionary import choose, load_shipped


def plan_of(text: str, parses: ParseStore, coherent: bool = True) -> Plan:
    words = choose(["race", "gender"], load_shipped())
    return make_plan(text, words, Settings(coherent=coherent), parses)


def variant(text: str, change: str, parses: ParseStore) -> str:
    source, _, target = change.partition(" > ")
    plan = plan_of(text, parses)
    (edit,) = (
        edit
        for edit in plan.edits["gender"]
        if (edit.source.text, edit.target.text) == (source, target)
    )
    return plan.mutant([edit]).text


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        (
            "The man lost his hat. He was sad, and his wife laughed at him.",
            "man > woman",
            "The woman lost her hat. She was sad, and her wife laughed at her.",
        ),
        (
            "The man lost his hat. He was sad, and his wife laughed at him.",
            "wife > husband",
            "The man lost his hat. He was sad, and his husband laughed at him.",
        ),
        (
            "The actress forgot her lines, but she smiled.",
            "actress > actor",
            "The actor forgot his lines, but he smiled.",
        ),
        ("He hurt himself.", "he > she", "She hurt herself."),
        ("He hurt himself.", "he > xe", "Xe hurt xemself."),
        ("He hurt himself.", "he > ze", "Ze hurt hirself."),
        (
            "Mr. Smith met Mrs. Jones. He liked her.",
            "Mr. > Ms.",
            "Ms. Smith met Mrs. Jones. She liked her.",
        ),
        (
            "Mr. Smith met Mrs. Jones. He liked her.",
            "Mrs. > Mr.",
            "Mr. Smith met Mr. Jones. He liked him.",
        ),
        (
            "The boys love their father. He is a kind man.",
            "father > mother",
            "The boys love their mother. She is a kind woman.",
        ),
        (
            "The boys love their father. He is a kind man.",
            "boys > girls",
            "The girls love their father. He is a kind man.",
        ),
        (
            "The woman said that the success was hers.",
            "woman > man",
            "The man said that the success was his.",
        ),
        (
            '"I lost my hat," said the man. "It was new." He sighed.',
            "man > woman",
            '"I lost my hat," said the woman. "It was new." She sighed.',
        ),
        (
            "A man and a woman came in. He smiled, and she waved.",
            "man > woman",
            "A woman and a woman came in. She smiled, and she waved.",
        ),
        # A trans woman is "she"; a trans man stays "he".
        ("The man lost his hat.", "man > trans woman", "The trans woman lost her hat."),
        ("The man lost his hat.", "man > trans man", "The trans man lost his hat."),
        # A neutral noun contradicts no pronoun.
        ("The man lost his hat.", "man > person", "The person lost his hat."),
    ],
)
def test_one_person_changes(text: str, change: str, expected: str, parses: ParseStore) -> None:
    assert variant(text, change, parses) == expected


def test_equal_changes_are_one(parses: ParseStore) -> None:
    text = "The man lost his hat."
    texts = [plan_of(text, parses).mutant([e]).text for e in plan_of(text, parses).edits["gender"]]
    assert len(set(texts)) == len(texts)
    assert texts.count("The woman lost her hat.") == 1


def test_a_change_that_would_contradict_itself_is_not_made(parses: ParseStore) -> None:
    # "Their" has no subject form in the dictionary: "The man lost their hat. He was sad."
    plan = plan_of("He was sad about his hat.", parses)
    assert "their" not in {edit.target.text for edit in plan.edits["gender"]}
    assert "their" in {
        edit.target.text
        for edit in plan_of("He was sad about his hat.", parses, coherent=False).edits["gender"]
    }


def test_a_word_that_the_dictionary_lacks_stops_the_change(parses: ParseStore) -> None:
    # "Grand-daughter" is no word of the dictionary, and would stay.
    text = "The girl sang. She is the grand-daughter of a singer."
    for coherent in (True, False):
        edits = plan_of(text, parses, coherent).edits["gender"]
        boys = [e for e in edits if e.source.text == "girl" and e.target.text == "boy"]
        assert bool(boys) is not coherent


def test_it_is_off_by_default_and_in_the_paper_s_mode(parses: ParseStore) -> None:
    text = "The man lost his hat."
    words = choose(["race", "gender"], load_shipped())
    for settings in (Settings(), Settings(literal=True, coherent=True)):
        edits = make_plan(text, words, settings, parses).edits["gender"]
        assert {len(edit.spans) for edit in edits} == {1}


def test_mutants_conform_and_do_not_clash(parses: ParseStore) -> None:
    plan = plan_of("The black man lost his hat, so he bought himself another.", parses)
    mutants = [plan.mutant(edits) for edits in plan.each()]
    pairs = [Compared(plan.text, plan.sentences, m, split_sentences(m.text)) for m in mutants]
    kept = [
        mutant
        for mutant, one in zip(mutants, even_handed.check_all(pairs, parses), strict=True)
        if one.kept
    ]
    woman = [mutant for mutant in kept if "woman" in mutant.text and "trans" not in mutant.text]
    assert woman
    assert not any(clashes(plan.text, mutant) for mutant in woman)
    assert all("her hat" in m.text and "bought herself" in m.text for m in woman)


def test_other_attributes_are_as_they_were(parses: ParseStore) -> None:
    text = "The black man lost his hat."
    plain, coherent = (plan_of(text, parses, way) for way in (False, True))
    assert plain.edits["race"] == coherent.edits["race"]
