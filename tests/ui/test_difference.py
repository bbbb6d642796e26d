"""What two versions of a text have in common and what differs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hinter_ui.html.difference import Piece, differences
from tests.examples import examples


def changed(pieces: list[Piece]) -> list[str]:
    return [piece.text for piece in pieces if piece.changed]


def test_words_that_differ_are_marked_whole() -> None:
    old, new = differences("He is a waiter, isn't he?", "She is an old waiter, isn't she?")
    assert changed(old) == ["He", "a", "he"]
    assert changed(new) == ["She", "an old", "she"]


def test_equal_texts_have_no_mark_and_new_ones_are_one() -> None:
    assert differences("The same.", "The same.") == ([Piece("The same.")], [Piece("The same.")])
    assert differences("", "All new.")[1] == [Piece("All new.", changed=True)]


def test_long_texts_are_compared_by_what_surrounds_the_change() -> None:
    middle = [f"w{n}" for n in range(2000)]
    old, new = differences(" ".join(["a", *middle, "z"]), " ".join(["a", *reversed(middle), "z"]))
    assert len(changed(old)) == len(changed(new)) == 1


@examples(60)
@given(st.text("ab ,.'\n", max_size=40), st.text("ab ,.'\n", max_size=40))
def test_pieces_make_up_the_texts(source: str, mutant: str) -> None:
    old, new = differences(source, mutant)
    assert "".join(piece.text for piece in old) == source
    assert "".join(piece.text for piece in new) == mutant
    if source == mutant:
        assert changed(old) == changed(new) == []
