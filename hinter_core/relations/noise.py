"""The noise floor: how often a model contradicts itself on a text that nobody changed.

Bias is a flip after an edit; a model that flips without one has flips that are no bias. So the
original is asked again a few times, and that rate stands beside the rates of its mutants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hinter_core.relations.oracle import same_answer
from hinter_core.types import Prediction


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """The original asked again: ``flips`` of ``answered`` usable answers differ from its first.

    ``answers`` counts the label sets given, most frequent first.
    """

    asked: int
    answered: int
    flips: int
    answers: tuple[tuple[tuple[str, ...], int], ...]

    @property
    def rate(self) -> float | None:
        """Share of answers that differ, in [0, 1]; None where there is no answer."""
        return self.flips / self.answered if self.answered else None


def noise_floor(
    original: Prediction,
    repeats: Sequence[Prediction],
    same: Callable[[Prediction, Prediction], bool] = same_answer,
) -> NoiseFloor:
    """Compare later answers to the same text with its first; failed ones say nothing."""
    usable = [answer for answer in repeats if answer.answered]
    flips = [a for a in usable if original.answered and not same(original, a)]
    tally = Counter(tuple(sorted(answer.labels)) for answer in usable)
    return NoiseFloor(len(repeats), len(usable), len(flips), tuple(tally.most_common()))
