"""Test cases with planted faults."""

from __future__ import annotations

import numpy

from hinter_core.prioritisation.cases import EditWords, PairCase


def grid(texts: int = 20, sources: int = 2, targets: int = 10) -> list[PairCase]:
    """Each text has every pair of source and target word, and pairs of them with another one."""
    cases = []
    for text in range(texts):
        for source in range(sources):
            for target in range(targets):
                edit = EditWords("race", f"s{source}", f"t{target}", "g", f"g{target % 3}")
                other = EditWords("gender", "man", f"w{target}", "male", "female")
                cases.append(PairCase(text, "substitute", (edit,)))
                cases.append(PairCase(text, "substitute", (other, edit)))
    return cases


def texts_of(cases: list[PairCase]) -> numpy.ndarray:
    return numpy.array([case.text for case in cases])


def targets(cases: list[PairCase], *words: str) -> numpy.ndarray:
    """Faults: the cases that bring in one of these words."""
    return numpy.array([any(edit.target in words for edit in case.edits) for case in cases])
