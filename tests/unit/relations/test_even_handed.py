"""The even-handed invariant: entries say a term's form, the parses decide where they do not."""

from __future__ import annotations

import pytest

from benchmarks.even_handed import wrong_discarded
from hinter_core.language.parsing import ParseStore
from hinter_core.language.sentences import split_sentences
from hinter_core.mutation.edits import apply_edits, handwritten_mutant
from hinter_core.mutation.settings import EVEN_HANDED, PUBLISHED
from hinter_core.relations.base import Compared
from hinter_core.relations.even_handed import check_all
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import (
    Change,
    Conformance,
    Edit,
    EditKind,
    GrammaticalForm,
    Layer,
    Pair,
    Term,
)

FORM = GrammaticalForm


def judged(
    parses: ParseStore, text: str, source: str, target: str, form: FORM = FORM.ANY
) -> Conformance:
    start = text.index(source)
    terms = (Term(word, word, form) for word in (source, target))
    edit = Edit(Pair("own", *terms), ((start, start + len(source)),))
    split = split_sentences(text)
    mutant = apply_edits(text, [edit])
    return check_all([Compared(text, split, mutant, split_sentences(mutant.text))], parses)[0]


def test_shipped_terms_of_one_form_are_kept_without_a_parse(
    shipped: dict[str, Dictionary], fresh_parses: ParseStore
) -> None:
    text = "A Danish clerk met us."
    pairs_of = shipped["nationality"].pairs_from
    (danish,) = (t for t in pairs_of if t.text == "Danish" and t.form is FORM.ADJECTIVE)
    for pair in pairs_of[danish]:
        split = split_sentences(text)
        mutant = apply_edits(text, [Edit(pair, ((2, 8),))])
        pairs = [Compared(text, split, mutant, split_sentences(mutant.text))]
        assert check_all(pairs, fresh_parses)[0].kept
    assert fresh_parses.parsed == 0


# text, source, target, kept: as a file of pairs has them, which gives no forms
PAIRS = [
    ("I saw her yesterday.", "her", "him", True),
    ("I saw her yesterday.", "her", "his", False),
    ("I saw her dog.", "her", "his", True),
    ("I saw her dog.", "her", "him", False),
    ("The woman left.", "woman", "men", False),
    ("The woman left.", "woman", "man", True),
    ("A Danish clerk met us.", "Danish", "Dane", False),
    ("A Danish clerk met us.", "Danish", "Bengali", True),
    ("He walks to work.", "He", "They", False),
    ("He walked to work.", "He", "They", True),
    ("A wealthy man sat down.", "wealthy", "wealthily", False),
    ("Rabbi Stern spoke.", "Rabbi", "Jew", False),
    ("The nun prays at noon.", "prays", "praying", False),
]


@pytest.mark.parametrize(("text", "source", "target", "kept"), PAIRS)
def test_pairs_without_forms(
    parses: ParseStore, text: str, source: str, target: str, kept: bool
) -> None:
    found = judged(parses, text, source, target)
    assert found.kept is kept, found
    assert kept or found.reason


def test_a_form_that_the_entry_claims_does_not_outweigh_what_is_known(parses: ParseStore) -> None:
    text = "I saw her yesterday."
    found = judged(parses, text, "her", "his", FORM.PRONOUN_POSSESSIVE)
    assert not found.kept
    assert found.layer is Layer.POS
    assert not judged(parses, "The woman left.", "woman", "men", FORM.NOUN_SG).kept


@pytest.mark.parametrize(
    ("target", "form", "kept"),
    [
        ("Klingon", FORM.ADJECTIVE, True),  # which parsers take for a name
        ("quickly", FORM.ADJECTIVE, False),
        ("under", FORM.ADJECTIVE, False),
    ],
)
def test_an_unknown_word_has_the_form_of_its_entry_unless_its_tag_contradicts(
    parses: ParseStore, target: str, form: FORM, kept: bool
) -> None:
    text = "The young Danish clerk left early."
    assert judged(parses, text, "Danish", target, form).kept is kept


@pytest.mark.parametrize(
    ("text", "source", "target", "form", "kept"),
    [
        # A people's name of one form for all numbers: a tagger guesses, the entry knows.
        ("I met Alex, the Lakota in the picture, at a fair.", "Lakota", "Scot", FORM.NOUN_SG, True),
        ("I met Kim, the Chinese in the hat, at noon.", "Chinese", "Pole", FORM.NOUN_SG, True),
        ("Our neighbours, Yoruba with a dog, left.", "Yoruba", "Pakistanis", FORM.NOUN_PL, True),
        ("The survey asked offspring and pupils.", "offspring", "daughters", FORM.NOUN_PL, True),
        ("I met Alex, the newlywed in the hat.", "newlywed", "bridegroom", FORM.NOUN_SG, True),
        # Its determiner, its verb or a noun contradict the entry.
        ("The Lakota are proud of the town.", "Lakota", "Scot", FORM.NOUN_SG, False),
        ("Two Lakota met us at a fair.", "Lakota", "Scot", FORM.NOUN_SG, False),
        ("I met a Lakota at the fair.", "Lakota", "Scots", FORM.NOUN_PL, False),
        ("The Lakota chief met us.", "Lakota", "Scot", FORM.NOUN_SG, False),
    ],
)
def test_a_word_of_several_forms_may_be_what_its_entry_says(
    text: str, source: str, target: str, form: FORM, kept: bool, parses: ParseStore
) -> None:
    assert judged(parses, text, source, target, form).kept is kept


def test_only_the_edits_in_doubt_are_compared(parses: ParseStore) -> None:
    text = "A Danish clerk writes long letters."
    edits = [
        Edit(Pair("a", Term("Danish", "x", FORM.ADJECTIVE), Term("Lakota", "y", FORM.ADJECTIVE)),
             ((2, 8),)),
        Edit(Pair("b", Term("writes", "x"), Term("reads", "y")), ((15, 21),)),
    ]  # fmt: skip
    split = split_sentences(text)
    mutant = apply_edits(text, edits)
    assert mutant.text == "A Lakota clerk reads long letters."
    assert check_all([Compared(text, split, mutant, split_sentences(mutant.text))], parses)[0].kept


def test_a_text_by_hand_is_judged_by_its_words(parses: ParseStore) -> None:
    text = "An old Danish woman thanked her son."
    change = Change(EditKind.REWRITE, "by hand", Term("", "x"), Term("", "y"))
    for new, kept in {
        "A young Māori man thanked her son.": True,
        "A young Māori man thanked him son.": False,
        "A young African American man thanked her son.": True,
        "A young Danish men thanked her son.": False,
    }.items():
        mutant = handwritten_mutant(text, new, [Edit(change, ())])
        pair = Compared(text, split_sentences(text), mutant, split_sentences(new))
        assert check_all([pair], parses)[0].kept is kept, new


@pytest.mark.slow
def test_pairs_that_are_wrong_on_purpose_are_discarded(parses: ParseStore) -> None:
    """The aim is 95 %; the published invariant reaches 75 %."""
    for claimed in (False, True):
        found = wrong_discarded(EVEN_HANDED, parses, claimed=claimed)
        every = [one for some in found.values() for one in some]
        assert sum(every) >= 0.96 * len(every)
        assert min(sum(some) / len(some) for some in found.values()) >= 0.7
    before = wrong_discarded(PUBLISHED, parses, claimed=False)
    assert sum(map(sum, before.values())) < sum(every)
