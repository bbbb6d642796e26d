"""Features of test cases that need no model call, with the prior of their effects.

A fault's log-odds are the sum of effects: of the number of edits, the relation, the attributes, the
source text; and, for each edit, of its words, its groups, and what they do in this one text. The
effect of an edit in one text is shared by the atomic mutant and all mutants that contain it, so the
verdict of a part tells about the whole, and the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hinter_core.prioritisation.cases import EditWords, PairCase

if TYPE_CHECKING:
    from numpy import ndarray

# Standard deviations of the effects in log-odds, normal around 0, by family;
# ``benchmarks/prioritisation.py`` says on which campaigns they were chosen.
PRIOR = {
    "number of edits": 0.25,
    "relation": 1.0,
    "attributes": 1.0,
    "text": 2.5,
    "source word": 0.5,
    "target word": 2.0,
    "word pair": 2.0,
    "source group": 0.25,
    "target group": 0.5,
    "group pair": 0.5,
    "attribute in text": 0.5,
    "source word in text": 2.5,
    "target group in text": 0.5,
    "edit in text": 1.0,
}


@dataclass(frozen=True)
class Design:
    """The sparse design: ``matrix`` (cases x features) of 0 and 1, ``spread`` by feature."""

    matrix: Any
    spread: ndarray


def design_of(cases: Sequence[PairCase]) -> Design:
    """Return the design of all cases that an order may choose from."""
    import numpy
    from scipy.sparse import csr_matrix

    places: dict[tuple[Any, ...], int] = {}  # by family and key

    def columns_of(*features: tuple[Any, ...]) -> list[int]:
        return [places.setdefault(feature, len(places)) for feature in features]

    of_words: dict[EditWords, list[int]] = {}  # the same in all texts
    columns: list[int] = []
    ends = [0]
    for case in cases:
        text = case.text
        columns_of_case = columns_of(
            ("number of edits", len(case.edits)),
            ("relation", case.relation),
            ("attributes", case.relation, case.attributes),
            ("text", text),
        )
        for edit in case.edits:
            name, source, target, from_group, to_group = edit
            if edit not in of_words:
                of_words[edit] = columns_of(
                    ("source word", name, source),
                    ("target word", name, target),
                    ("word pair", name, source, target),
                    ("source group", name, from_group),
                    ("target group", name, to_group),
                    ("group pair", name, from_group, to_group),
                )
            columns_of_case += of_words[edit] + columns_of(
                ("attribute in text", text, name),
                ("source word in text", text, name, source),
                ("target group in text", text, name, to_group),
                ("edit in text", text, case.relation, edit),
            )
        # Two edits may share a feature; it counts once.
        columns += dict.fromkeys(columns_of_case) if len(case.edits) > 1 else columns_of_case
        ends.append(len(columns))
    ones = numpy.ones(len(columns), dtype=numpy.float64)
    shape = (len(cases), len(places))
    spread = numpy.array([PRIOR[family] for family, *_ in places])
    return Design(csr_matrix((ones, columns, ends), shape=shape), spread)
