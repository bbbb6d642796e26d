"""Splitter, matcher and mutation on random text."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from hinter_core.language.sentences import split_sentences
from hinter_core.mutation.edits import apply_edits, edits_for, splices_of, splices_overlap
from hinter_core.mutation.lattice import subsets
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import Matcher
from hinter_core.types import Edit, GrammaticalForm, Term
from tests.conftest import undo
from tests.examples import examples

ALPHABET = "abAB. .!?\u2026\"'\u2019()\u201c\u201d\n\t1-,\u00e9\u0301\u05d0\u200b\U0001f600"
rough = st.text(alphabet=ALPHABET, max_size=60) | st.text(max_size=40)
prose = st.lists(
    st.sampled_from(
        ["Mr.", "U.S.", "No.", "etc.", "362", "v.", "J.", "said", "The", "man", "left.", "What?",
         "\u201cYes.\u201d", "...", "Wait\u2026", "\n\n", "(so)", "e.g.", "5", "p.m.", "He"]
    ),
    max_size=20,
).map(" ".join)  # fmt: skip


BREAK = re.compile(r"</?(?:br|p)\s{0,2}/?>", re.IGNORECASE)  # of HTML, in no sentence


@examples(1000)
@given(rough | prose)
@example("x<BR>")
def test_every_visible_character_is_in_exactly_one_sentence(text: str) -> None:
    sentences = split_sentences(text)
    position = 0
    for sentence in sentences:
        assert not BREAK.sub("", text[position : sentence.start]).strip()
        assert sentence.text == text[sentence.start : sentence.end]
        assert sentence.text
        assert sentence.text == sentence.text.strip()
        position = sentence.end
    assert not BREAK.sub("", text[position:]).strip()


@examples(1000)
@given(rough | prose)
def test_a_sentence_alone_is_not_split_further_at_its_start(text: str) -> None:
    """The splitter is stable: what precedes a sentence does not decide where it ends."""
    for sentence in split_sentences(text):
        assert split_sentences(sentence.text)[0].text == sentence.text


TERMS = ("man", "old man", "old", "woman", "old-timer", "Mr.", "don", "a b", "man old")
made = Dictionary("x", tuple(Term(t, t) for t in TERMS))
tokens = st.lists(
    st.sampled_from(
        ["man", "old", "woman", "Man", "OLD", "timer", "-", " ", " ", "  ", ".", "mr", "Mr.", "don",
         "a", "b", "\n", ",", "mans", "1"]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@examples(1500)
@given(tokens)
def test_matcher_is_leftmost_longest_whole_word_search(text: str) -> None:
    found, refused = Matcher([made]).find(text)
    got = sorted([o.span for o in found] + [r.occurrence.span for r in refused])

    # Blanks within a term may be any blanks, but no blank line.
    patterns = [
        re.escape(t).replace(r"\ ", r"(?:(?!\n\n)\s)+") for t in sorted(TERMS, key=len)[::-1]
    ]
    # A stop belongs to "Mr." even where a letter follows ("Mr.Hill").
    ends = [p if p.endswith(".") else rf"{p}(?![^\W_])" for p in patterns]
    naive = re.compile(rf"(?<![^\W_])(?:{'|'.join(ends)})", re.IGNORECASE)
    assert got == [m.span() for m in naive.finditer(text)]
    for occurrence in found:
        start, end = occurrence.span
        assert re.search(r"[^\W_]-\Z", text[:start]) is None
        assert re.match(r"-[^\W_]", text[end:]) is None


RACE = Dictionary(
    "race",
    tuple(
        Term(w, w, GrammaticalForm.ADJECTIVE, "r")
        for w in ("black", "white", "Asian", "African American", "Italian")
    ),
)
GENDER = Dictionary(
    "gender",
    tuple(
        Term(w, w, GrammaticalForm.NOUN_SG, "g")
        for w in ("man", "woman", "heir", "university wife")
    ),
)
AGE = Dictionary(
    "age", tuple(Term(w, w, GrammaticalForm.ADJECTIVE, "a") for w in ("old", "young", "aged"))
)
DICTIONARIES = (RACE, GENDER, AGE)

mixed = st.lists(
    st.sampled_from(
        ["a", "an", "A", "An", "AN", "the", "black", "Black", "WHITE", "white", "Asian", "asian",
         "African American", "man", "Man", "WOMAN", "heir", "old", "Old", "young", "left", ".",
         "so", "\n", "man's", "\u201c", "e\u0301", "\u200b"]
    ),
    min_size=1,
    max_size=14,
).map(" ".join)  # fmt: skip


def random_edits(text: str, data: st.DataObject) -> list[Edit]:
    found, _ = Matcher(DICTIONARIES).find(text)
    by_attribute = edits_for(found, {d.attribute: dict(d.pairs_from) for d in DICTIONARIES})
    return [data.draw(st.sampled_from(edits)) for edits in by_attribute.values()]


@examples(1000)
@given(mixed, st.data())
def test_undo_restores_the_source_and_splices_tell_the_truth(
    text: str, data: st.DataObject
) -> None:
    edits = random_edits(text, data)
    mutant = apply_edits(text, edits)
    assert undo(mutant) == text
    for splice in mutant.splices:
        assert text[splice.start : splice.end] == splice.old
        assert mutant.text[splice.at : splice.at + len(splice.new)] == splice.new
    covered = sum(s.end - s.start for s in mutant.splices)
    added = sum(len(s.new) for s in mutant.splices)
    assert len(mutant.text) == len(text) - covered + added


@examples(500)
@given(mixed, st.data())
def test_a_mutant_is_its_edits_and_nothing_more(text: str, data: st.DataObject) -> None:
    """Each subset's text is the source with exactly the splices of its own edits."""
    for part in subsets(random_edits(text, data)):
        splices = [s for edit in part for s in splices_of(text, edit)]
        assert not splices_overlap(splices)
        expected = text
        for splice in sorted(splices, key=lambda s: -s.start):
            expected = expected[: splice.start] + splice.new + expected[splice.end :]
        assert apply_edits(text, part).text == expected
