"""What a person writes into a file comes out as it went in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hinter_core.data.handwritten import read_edits, write_edits
from hinter_core.data.tables import plain_cell, safe_cell
from hinter_core.mutation.difference import difference

TEXTS = st.text("ab .'=-\n\u00e9", max_size=12)
WORDS = st.text("ab '=\u00e9-", min_size=1, max_size=8).map(str.strip).filter(bool)


@given(TEXTS)
def test_a_neutral_cell_is_undone_exactly(cell: str) -> None:
    assert plain_cell(safe_cell(cell)) == cell
    assert not safe_cell(cell).startswith(("=", "-"))


@given(TEXTS, TEXTS)
def test_a_change_makes_the_mutant_of_the_source(source: str, mutant: str) -> None:
    made = difference(source, mutant)
    assert source[made.start : made.end] == made.old
    assert source[: made.start] + made.new + source[made.end :] == mutant
    assert mutant[made.at : made.at + len(made.new)] == made.new


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=3, unique=True))
def test_edits_are_read_as_they_were_written(changes: list[tuple[str, str, str]]) -> None:
    rows = [
        {"attribute": a, "source": old, "target": new, "source_group": "x", "target_group": "y"}
        for a, old, new in changes
    ]
    edits = read_edits(*write_edits(rows))
    found = {(e.attribute, e.pair.source.text, e.pair.target.text) for e in edits}
    assert found == set(changes)
    assert {e.pair.target.group for e in edits} == {"y"}
