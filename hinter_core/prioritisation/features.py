"""Features of test cases that need no model call, with the prior of their effects.

A fault's log-odds are the sum of effects: of the number of edits, the relation, the attributes, the
source text; and, for each edit, of its words, its groups, and what they do in this one text. The
effect of an edit in one text is shared by the atomic mutant and all mutants that contain it, so the
verdict of a part tells about the whole, and the other way round.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hinter_core.prioritisation.cases import PairCase

if TYPE_CHECKING:
    from numpy import ndarray

# Standard deviations of the effects in log-odds, normal around 0, by family. They were chosen on
# other campaigns than those of ``python -m benchmarks --prioritise`` (its module says which).
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

    places: dict[Hashable, int] = {}
    columns: list[int] = []
    ends = [0]
    spread: list[float] = []
    for case in cases:
        # Two edits may share a feature; it counts once.
        for family, key in dict.fromkeys(_features(case)):
            place = places.setdefault((family, key), len(places))
            if place == len(spread):
                spread.append(PRIOR[family])
            columns.append(place)
        ends.append(len(columns))
    ones = numpy.ones(len(columns), dtype=numpy.float64)
    shape = (len(cases), len(places))
    return Design(csr_matrix((ones, columns, ends), shape=shape), numpy.array(spread))


def _features(case: PairCase) -> Iterator[tuple[str, Hashable]]:
    text, attributes = case.text, case.attributes
    yield "number of edits", len(case.edits)
    yield "relation", case.relation
    yield "attributes", (case.relation, attributes)
    yield "text", text
    for edit in case.edits:
        name, source, target, from_group, to_group = edit
        yield "source word", (name, source)
        yield "target word", (name, target)
        yield "word pair", (name, source, target)
        yield "source group", (name, from_group)
        yield "target group", (name, to_group)
        yield "group pair", (name, from_group, to_group)
        yield "attribute in text", (text, name)
        yield "source word in text", (text, name, source)
        yield "target group in text", (text, name, to_group)
        yield "edit in text", (text, case.relation, edit)
