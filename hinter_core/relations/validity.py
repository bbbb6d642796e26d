"""Validity score: how probably people call a mutant a fair test, from 0 to 1.

The invariant says yes or no. Some mutants that it keeps are unfair all the same, because a replaced
word is no person there. The score is the product of two parts, both fitted to mutants that two
people judged blind (``python -m benchmarks --validity`` fits them and prints their error):

- *structure*: the share of fair mutants among those that the invariant discards; 1 if it keeps one;
- *words*: a logistic model of the replaced words: whether they are ambiguous, and how probably they
  are about people in their sentences (:mod:`hinter_core.relations.person_probability`).

Nothing is parsed for it; a small network reads the source's sentences once. Departure: the papers
have no such score. Grammatical acceptability and the plausibility of the words under a masked model
were measured as further parts; they tell nothing of these labels (AUC 0.49 and 0.47) and are left
out.
"""

from math import exp, log
from typing import NamedTuple

from hinter_core.relations.person_probability import is_ambiguous, person_probability
from hinter_core.types import Mutant, Outcome

_DOUBT = 0.01  # least probability that counts, of a person and of none


class WordFeatures(NamedTuple):
    """What is known of the replaced words.

    ``ambiguous``: edits of words that are not always a person (*white*). ``person``: log odds that
    the least probable of the words is about people, from -4.6 to 4.6.
    """

    ambiguous: float
    person: float


STRUCTURE = 0.292  # of discarded mutants
INTERCEPT = 1.311
WEIGHTS = WordFeatures(-0.435, 0.415)


class ValidityScore(NamedTuple):
    """The parts of the score, each from 0 to 1."""

    structure: float
    words: float

    @property
    def score(self) -> float:
        """The probability of a fair test."""
        return self.structure * self.words


def validity_of(text: str, mutant: Mutant, *, kept: bool) -> ValidityScore:
    """Return the validity score of a mutant of ``text``; ``kept``: the invariant's answer."""
    found = word_features(text, mutant)
    logit = INTERCEPT + sum(w * x for w, x in zip(WEIGHTS, found, strict=True))
    return ValidityScore(1.0 if kept else STRUCTURE, 1 / (1 + exp(-logit)))


def validity_of_outcome(text: str, outcome: Outcome) -> ValidityScore:
    """Return the validity score of a judged mutant of ``text``."""
    return validity_of(text, outcome.mutant, kept=outcome.conformance.kept)


def word_features(text: str, mutant: Mutant) -> WordFeatures:
    """Return the features of the replaced words of a mutant of ``text``."""
    return WordFeatures(
        float(sum(is_ambiguous(edit.source) for edit in mutant.edits)),
        _log_odds(person_probability(text, mutant)),
    )


def _log_odds(probability: float | None) -> float:
    """Return the log odds; where nothing was asked, those of a clear person."""
    clear = 1 - _DOUBT if probability is None else probability
    bounded = min(max(clear, _DOUBT), 1 - _DOUBT)
    return log(bounded / (1 - bounded))
