"""A mutant that is split by its source's sentences is split as if it were read anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hinter_core.language.sentences import _LOOK, SourceSplit, split_sentences
from hinter_core.types import Splice

WORDS = ["man", "The man", "Dr.", "e.g.", "U.S.", "5", "J.", "he", "I", "'", "word " * 30]
CITED = ["269 Va. 262", "(D. Conn. 2004)"]
ENDS = [
    ". ",
    "? ",
    "<br />",
    ".<br /><br />",
    "...",
    "\u2026 ",
    '." ',
    "!) ",
    "\n\n",
    "\n",
    " ",
    "  ",
    ", ",
]
PIECES = st.sampled_from([*WORDS, *CITED, *ENDS])
TEXTS = st.lists(PIECES, max_size=60).map("".join)


@st.composite
def changed(draw: st.DrawFn, source: str, new: st.SearchStrategy[str]) -> tuple[str, list[Splice]]:
    """A mutant of the source, and the splices that made it."""
    places = st.integers(0, len(source))
    edges = sorted(draw(st.lists(places, max_size=6).filter(lambda found: len(found) % 2 == 0)))
    splices, mutant, position = [], "", 0
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        end = min(end, start + 2 * _LOOK)
        mutant += source[position:start]
        splices.append(Splice(start, end, source[start:end], draw(new), len(mutant)))
        mutant += splices[-1].new
        position = end
    return mutant + source[position:], splices


@given(TEXTS, st.data())
def test_changes_anywhere(source: str, data: st.DataObject) -> None:
    mutant, splices = data.draw(changed(source, TEXTS))
    assert SourceSplit(source).of_mutant(mutant, splices) == split_sentences(mutant)


@given(st.text(alphabet="<br>. ?!\n\"'aA1(\u2026", max_size=600), st.data())
def test_texts_that_are_mostly_stops(source: str, data: st.DataObject) -> None:
    mutant, splices = data.draw(changed(source, st.text(max_size=5)))
    assert SourceSplit(source).of_mutant(mutant, splices) == split_sentences(mutant)
