"""What a person writes into a file comes out as it went in."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hinter_core.campaign.tables import edit_from_row, edits_to_rows
from hinter_core.data.handwritten import read_edits, write_edits
from hinter_core.data.tables import plain_cell, safe_cell
from hinter_core.mutation.edits import difference

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


SIDES = st.one_of(
    st.tuples(WORDS, WORDS), st.tuples(WORDS, st.just("")), st.tuples(st.just(""), WORDS)
)
KINDS = st.sampled_from(["substitute", "move", "rewrite"])
CHANGES = st.tuples(WORDS, SIDES, st.tuples(WORDS, WORDS), KINDS)


@given(st.lists(CHANGES, min_size=1, max_size=3, unique_by=lambda change: (change[0], change[1])))
def test_edits_are_read_as_they_were_written(changes: list[tuple[Any, ...]]) -> None:
    rows = [
        {"attribute": attribute, "source": old, "target": new, "kind": kind_of(kind, old, new),
         "source_group": before if old else "", "target_group": after if new else ""}
        for attribute, (old, new), (before, after), kind in changes
    ]  # fmt: skip
    edits = read_edits(*write_edits(rows))
    found = [edits_to_rows([edit])[0] for edit in edits]
    assert [{name: row[name] for name in rows[0]} for row in found] == sorted(
        rows, key=lambda row: (row["attribute"], row["source"], row["target"], row["kind"])
    )
    assert write_edits(found) == write_edits(rows) or len(rows) > 1
    assert tuple(map(edit_from_row, found)) == edits


def kind_of(kind: str, old: str, new: str) -> str:
    """An exchange of words with one side empty is an insertion or a deletion."""
    if kind != "substitute" or (old and new):
        return kind
    return "delete" if old else "insert"
