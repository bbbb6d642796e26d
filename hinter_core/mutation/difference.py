"""Mutants by hand: a file of sources and mutants that a person wrote or changed, as rows to test.

Each row has a ``source`` and a ``mutant``; both are tested as they are given. ``edits`` says what
changed (``race: black -> white; gender: man -> woman``) and ``groups`` which groups these words
belong to; a mutant whose edits are subsets of another's is part of it, so that hidden bias can be
told. ``ask``: yes where a mutant is to be asked even if the invariant discards it.
"""

from __future__ import annotations

from collections.abc import Sequence

from hinter_core.language.sentences import split_sentences
from hinter_core.mutation.edits import apply_edits
from hinter_core.types import Edit, Mutant, Pair, Splice, Term

HANDWRITTEN = "by hand"  # the attribute of a change that no edit is named for
_SHOWN = 60  # characters of a change that is named by its words


def difference(source: str, mutant: str) -> Splice:
    """All that differs between two texts, as one replacement of whole words."""
    begin = _alike(source, mutant)
    end = _alike(source[begin:][::-1], mutant[begin:][::-1])
    while _inside(source, begin) or _inside(mutant, begin):
        begin -= 1
    while _inside(source, len(source) - end) or _inside(mutant, len(mutant) - end):
        end -= 1
    stop = len(source) - end
    return Splice(begin, stop, source[begin:stop], mutant[begin : len(mutant) - end], begin)


def _inside(text: str, place: int) -> bool:
    """Whether a place is within a word."""
    return 0 < place < len(text) and not any(map(str.isspace, text[place - 1 : place + 1]))


def _alike(first: str, second: str) -> int:
    """Characters from the beginning that are the same."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


def _unnamed(source: str, mutant: str) -> Edit:
    """An edit for a change that is not named: its own words."""
    made = difference(source, mutant)
    old, new = (" ".join(words.split())[:_SHOWN] or "nothing" for words in (made.old, made.new))
    return Edit(Pair(HANDWRITTEN, Term(old, HANDWRITTEN), Term(new, HANDWRITTEN)), ())


def handwritten_mutant(source: str, text: str, edits: Sequence[Edit]) -> Mutant:
    """The mutant of a text that a person wrote; its edits have no spans."""
    return Mutant(tuple(edits), text, (difference(source, text),))


def mutant_of(source: str, edits: Sequence[Edit], text: str | None = None) -> Mutant:
    """A mutant as a campaign keeps it: with a ``text`` of its own, or as its edits make it."""
    if text is not None:
        return handwritten_mutant(source, text, edits)
    return apply_edits(source, edits, split_sentences(source))
