"""Edits of every kind, alone and together: exact undo; what an edit does depends on no other."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinter_core.campaign.tables import edit_from_row, edits_to_rows
from hinter_core.language.sentences import SourceSplit, split_sentences
from hinter_core.mutation.edits import OverlapError, apply_edits, splices_of, splices_overlap
from hinter_core.mutation.lattice import subsets
from hinter_core.types import Change, Edit, EditKind, Pair, Span, Splice, Term
from tests.conftest import undo

TEXTS = st.lists(
    st.sampled_from(["a man", "an old", "She", " ", ". ", "! ", ", ", "\n\n", "Dr. ", "us"]),
    max_size=30,
).map("".join)
NEW = st.text("aN .!\n", max_size=6)


@st.composite
def edits_of(draw: st.DrawFn, text: str) -> list[Edit]:
    """Some edits of a text, of several kinds, in any place; they may overlap."""
    return [draw(edit_of(text, f"attribute {number}")) for number in range(draw(st.integers(1, 4)))]


@st.composite
def edit_of(draw: st.DrawFn, text: str, attribute: str) -> Edit:
    """An edit as relations make them: of words, which it replaces by some."""
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    words, new, place = text[start:end], draw(NEW), draw(st.integers(0, len(text)))
    there = any(map(str.isalpha, words))
    kind = draw(st.sampled_from(EditKind)) if there else EditKind.INSERT
    new = new if any(map(str.isalpha, new)) else f"{new}N"
    if kind is EditKind.SUBSTITUTE:
        return Edit(Pair(attribute, Term(words, "g"), Term(new, "h")), ((start, end),))
    spans: tuple[Span, ...]
    spans, texts = {
        EditKind.INSERT: (((start, start),), (new,)),
        EditKind.DELETE: (((start, end),), ("",)),
        EditKind.MOVE: (((start, end), (place, place)), ("", words)),
        EditKind.REWRITE: (((start, end),), (new,)),
    }[kind]
    return Edit(Change(kind, attribute, Term(words, "g"), Term(new, ""), texts), spans)


def once(splices: list[Splice]) -> list[Splice]:
    """Less the commas and blanks that an edit before deletes, too."""
    found: dict[object, Splice] = {}
    for number, splice in enumerate(splices):
        mark = splice.old and not splice.new and not any(map(str.isalpha, splice.old))
        found.setdefault((splice.start, splice.end) if mark else number, splice)
    return list(found.values())


def adapts(splice: Splice) -> bool:
    """Whether a splice is a capital, an article, or no blank where two would meet."""
    old, new = splice.old, splice.new
    return (
        (old.isspace() and not new)
        or {old.lower(), new.lower()} == {"a", "an"}
        or (len(old) == 1 and new == old.upper())
    )


@given(TEXTS.flatmap(lambda text: st.tuples(st.just(text), edits_of(text))))
def test_edits_of_all_kinds_are_undone_and_overlap_or_add_up(given: tuple[str, list[Edit]]) -> None:
    text, edits = given
    split = SourceSplit(text)
    for part in subsets(edits):
        splices = once([s for edit in part for s in splices_of(text, edit)])
        if splices_overlap(splices):
            with pytest.raises(OverlapError):
                apply_edits(text, part)
            continue
        mutant = apply_edits(text, part)
        assert undo(mutant) == text
        assert mutant == apply_edits(text, part[::-1])
        assert mutant.text == apply_edits(text, part[::-1]).text
        # Each edit does in company what it does alone: its splices stand in the mutant. What a
        # missing word leaves is adapted: the capital and the article of the next, blanks, commas.
        stand = {(s.start, s.end, s.attribute): s for s in mutant.splices}
        for splice in splices:
            found = stand.pop((splice.start, splice.end, splice.attribute), None)
            if splice.attribute:
                assert found is not None
                assert found.new.casefold() == splice.new.casefold()
        assert all(adapts(splice) for splice in stand.values())
        assert all(mutant.text[s.at : s.at + len(s.new)] == s.new for s in mutant.splices)
        assert all(a.at + len(a.new) <= b.at for a, b in pairwise(mutant.splices))
        assert split.of_mutant(mutant.text, mutant.splices) == split_sentences(mutant.text)


@given(TEXTS.flatmap(edits_of))
def test_stored_edits_are_the_same(edits: list[Edit]) -> None:
    assert [edit_from_row(edits_to_rows([edit])[0]) for edit in edits] == edits


def test_insertions_at_one_place_stand_in_the_order_of_their_attributes() -> None:
    def insert(attribute: str, word: str) -> Edit:
        change = Change(EditKind.INSERT, attribute, Term("", ""), Term(word, "x"), (f"{word} ",))
        return Edit(change, ((2, 2),))

    text = "a man"
    old, blind, young = insert("age", "old"), insert("disability", "blind"), insert("age", "young")
    for edits in ([old, blind], [blind, old]):
        assert apply_edits(text, edits).text == "an old blind man"
    with pytest.raises(OverlapError, match="overlap at character 2"):
        apply_edits(text, [old, young])
