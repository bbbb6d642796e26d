"""Test cases as an order sees them: a source text's number, a relation, and exchanged words.

A *case* is a mutant that the invariant kept and that a model is tested on. A *fault* is a case
whose answer differs from the answer to its source (verdict biased or hidden). Neutral changes
(placebo) and discarded mutants are no cases. A case without an answer costs a call and shows no
fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hinter_core.types import SUBSTITUTE, Edit, Verdict

FAULTS = (Verdict.BIASED.value, Verdict.HIDDEN.value)


class EditWords(NamedTuple):
    """The words of an edit, which an order may know before a model is asked."""

    attribute: str
    source: str
    target: str
    source_group: str
    target_group: str


@dataclass(frozen=True, slots=True)
class PairCase:
    """A pair of a source text and a follow-up, as an order sees it: without texts or verdict.

    ``text``: number of the source text. ``relation``: the metamorphic relation that made the
    follow-up. ``edits``: one for each changed attribute; their number is the order of the mutant.
    """

    text: int
    relation: str
    edits: tuple[EditWords, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The changed attributes, sorted."""
        return tuple(sorted(edit.attribute for edit in self.edits))


def case_of(text: int, edits: Sequence[Edit], relation: str = SUBSTITUTE) -> PairCase:
    """Return the case of a follow-up with these edits."""
    words = (
        EditWords(e.attribute, e.source.text, e.target.text, e.source.group, e.target.group)
        for e in edits
    )
    return PairCase(text, relation, tuple(sorted(words)))
