"""Mutation: case, articles, overlap, and exact undo."""

from __future__ import annotations

import re

import pytest

from hinter_core.mutation.edits import (
    OverlapError,
    along_in_words,
    apply_edits,
    article_for,
    carry_case,
    edits_for,
)
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import Matcher
from hinter_core.types import Change, Edit, EditKind, GrammaticalForm, Mutant, Pair, Term
from tests.conftest import undo


def edit(text: str, source: str, target: str, attribute: str = "a") -> Edit:
    """The edit that replaces every occurrence of ``source`` (found by the real matcher)."""
    terms = (Term(source, "s"), Term(target, "t"))
    found, _ = Matcher([Dictionary(attribute, terms)]).find(text)
    spans = tuple(o.span for o in found if o.terms[0].text == source)
    return Edit(Pair(attribute, *terms), spans)


def mutate(text: str, *swaps: tuple[str, str]) -> Mutant:
    edits = [edit(text, s, t, f"attribute{i}") for i, (s, t) in enumerate(swaps)]
    mutant = apply_edits(text, edits)
    assert undo(mutant) == text
    return mutant


@pytest.mark.parametrize(
    ("text", "swap", "expected"),
    [
        ("the man left", ("man", "woman"), "the woman left"),
        ("The Man left", ("man", "woman"), "The Woman left"),
        ("THE MAN LEFT", ("man", "woman"), "THE WOMAN LEFT"),
        ("Man overboard.", ("man", "woman"), "Woman overboard."),
        ("Black men came.", ("Black", "white"), "White men came."),
        ("The Black man came.", ("Black", "white"), "The white man came."),
        ("The black man came.", ("Black", "Asian"), "The Asian man came."),
        ("the black man came.", ("Black", "Asian"), "the asian man came."),
        ("He said hi. \u201cBlack men came.\u201d", ("Black", "white"),
         "He said hi. \u201cWhite men came.\u201d"),
        ("The Old Man came", ("old man", "young woman"), "The Young Woman came"),
        ("The white man", ("white", "African American"), "The African American man"),
        ("A man and a man", ("man", "woman"), "A woman and a woman"),
        ("the woman's hat", ("woman", "man"), "the man's hat"),
        ("I AM A GAY MAN", ("gay", "straight"), "I AM A STRAIGHT MAN"),
    ],
)  # fmt: skip
def test_case_is_carried_over(text: str, swap: tuple[str, str], expected: str) -> None:
    assert mutate(text, swap).text == expected


@pytest.mark.parametrize(
    ("text", "swap", "expected"),
    [
        ("He is an old man.", ("old", "young"), "He is a young man."),
        ("He is a young man.", ("young", "old"), "He is an old man."),
        ("An old man.", ("old", "young"), "A young man."),
        ("A young man.", ("young", "old"), "An old man."),
        ("AN OLD MAN", ("old", "young"), "A YOUNG MAN"),
        ("A TALL MAN", ("tall", "short"), "A SHORT MAN"),
        ("A WOMAN LEFT", ("woman", "man"), "A MAN LEFT"),
        ("a  young man", ("young", "old"), "an  old man"),
        ("a\nyoung man", ("young", "old"), "an\nold man"),
        ("the young man", ("young", "old"), "the old man"),
        ("a very young man", ("young", "old"), "a very old man"),
        ("banana           young", ("young", "old"), "banana           old"),
        # An article that was wrong before is not ours to mend.
        ("a old man", ("old", "elderly"), "a elderly man"),
        ("an young man", ("young", "tall"), "an tall man"),
        ("an young man", ("young", "old"), "an old man"),
    ],
)
def test_articles_are_mended_where_the_sound_changes(
    text: str, swap: tuple[str, str], expected: str
) -> None:
    assert mutate(text, swap).text == expected


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("hour", "an"), ("university", "a"), ("European", "a"), ("honest", "an"), ("FBI", "an"),
        ("heir", "an"), ("house", "a"), ("uninvited", "an"), ("unidentified", "an"),
        ("unicorn", "a"), ("Ukrainian", "a"), ("Ugandan", "a"), ("Uruguayan", "a"), ("one", "a"),
        ("only", "an"), ("user", "a"), ("uncle", "an"), ("usher", "an"), ("US", "a"),
        ("LGBT", "an"), ("8", "an"), ("80", "an"), ("11", "an"), ("18th", "an"), ("110", "a"),
        ("60", "a"), ("", "a"), ("Asian", "an"), ("honorable", "an"), ("Hindu", "a"),
    ],
)  # fmt: skip
def test_article_follows_the_sound(word: str, article: str) -> None:
    assert article_for(word) == article


def test_an_article_in_capitals_stays_in_them() -> None:
    assert mutate("HE IS A 30 YEAR OLD.", ("30", "80")).text == "HE IS AN 80 YEAR OLD."
    assert mutate("A mad cook left.", ("mad", "odd")).text == "An odd cook left."
    text = "He works for the BBC. A mad cook left."
    assert mutate(text, ("mad", "odd")).text == "He works for the BBC. An odd cook left."


def test_edits_of_two_attributes_apply_at_once() -> None:
    text = "A white waiter met a Pakistani waiter."
    both = mutate(text, ("white", "Pakistani"), ("Pakistani", "white"))
    # Replacing one after the other would give the same word twice.
    assert both.text == "A Pakistani waiter met a white waiter."
    assert both.order == 2


def test_splices_say_what_was_replaced_and_where_it_stands_now() -> None:
    mutant = mutate("An old man met an old friend.", ("old", "young"), ("man", "woman"))
    assert mutant.text == "A young woman met a young friend."
    for splice in mutant.splices:
        assert mutant.text[splice.at : splice.at + len(splice.new)] == splice.new
    assert [(s.old, s.new, s.attribute) for s in mutant.splices] == [
        ("An", "A", ""), ("old", "young", "attribute0"), ("man", "woman", "attribute1"),
        ("an", "a", ""), ("old", "young", "attribute0"),
    ]  # fmt: skip


def test_overlapping_edits_make_no_mutant() -> None:
    text = "An African American man."
    edits = [edit(text, "African American", "white", "race"), edit(text, "American", "Finn", "x")]
    with pytest.raises(OverlapError):
        apply_edits(text, edits)


def test_equality_is_by_edits_whatever_their_order() -> None:
    text = "the old man"
    edits = [edit(text, "old", "young", "age"), edit(text, "man", "woman", "gender")]
    forth, back = apply_edits(text, edits), apply_edits(text, edits[::-1])
    assert forth == back
    assert hash(forth) == hash(back)


def test_carry_case_keeps_inner_capitals() -> None:
    assert carry_case("white", "white", "Afro-Caribbean", False) == "Afro-Caribbean"
    assert carry_case("White", "white", "Afro-Caribbean", True) == "Afro-Caribbean"
    assert carry_case("LGBT", "LGBT", "straight", False) == "straight"


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("black moms sing. they give u a B lol", "asian"),
        ("I know black moms. They sing.", "Asian"),
        ("black and Danish moms sing", "Asian"),
    ],
)
def test_a_text_in_small_letters_gets_them_whatever_letter_is_a_capital(
    text: str, new: str
) -> None:
    black, asian = (Term(word, word, GrammaticalForm.ADJECTIVE) for word in ("Black", "Asian"))
    start = text.index("black")
    edit = Edit(Pair("race", black, asian), ((start, start + 5),))
    assert apply_edits(text, [edit]).text == text.replace("black", new)


def test_a_people_in_lower_case_stays_so_but_a_colour_says_nothing() -> None:
    assert carry_case("chinese", "Chinese", "Maldivian", False) == "maldivian"
    assert carry_case("black", "Black", "Asian", False) == "Asian"
    assert carry_case("lgbt", "LGBT", "straight", False) == "straight"


def test_edits_for_groups_occurrences_by_reading(gender: Dictionary) -> None:
    text = "A man, a woman and a man."
    found, _ = Matcher([gender]).find(text)
    edits = edits_for(found, {"gender": dict(gender.pairs_from)})["gender"]
    by_pair = {(e.source.text, e.target.text): len(e.spans) for e in edits}
    assert by_pair == {
        ("man", "woman"): 2, ("man", "person"): 2, ("woman", "man"): 1, ("woman", "person"): 1,
    }  # fmt: skip


def test_two_readings_with_one_replacement_make_one_edit() -> None:
    forms = (GrammaticalForm.PRONOUN_OBJECT, GrammaticalForm.PRONOUN_POSSESSIVE)
    terms = [Term("her", "f", f, "p") for f in forms] + [Term("hir", "n", f, "p") for f in forms]
    made = Dictionary("gender", (*terms, Term("him", "m", forms[0], "p")))
    found, _ = Matcher([made]).find("I saw her.")
    edits = edits_for(found, {"gender": dict(made.pairs_from)})["gender"]
    assert sorted(e.target.text for e in edits) == ["him", "hir"]


def test_words_that_change_along_are_listed_once() -> None:
    text = "An old bride hates her dress. She hates it; her mother hates it."
    words = {"bride": "newlywed", "hates": "hate", "her": "xyr", "She": "Xe"}
    spans = [(m.start(), m.end()) for m in re.finditer(r"\w+", text) if m.group() in words]
    texts = tuple(words[text[slice(*span)]] for span in spans)
    her = (Term("her", "female"), Term("xyr", "neutral"))
    change = Edit(Change(EditKind.SUBSTITUTE, "gender", *her, texts), tuple(spans))
    mutant = apply_edits(text, [change])
    assert along_in_words(mutant) == "bride \u2192 newlywed, hates \u2192 hate, She \u2192 Xe"
    assert along_in_words(mutate("An old man left.", ("old", "young"))) == ""
