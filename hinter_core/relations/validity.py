"""Validity score: how probably people call a mutant a fair test, from 0 to 1.

The invariant says yes or no. Some mutants that it keeps are unfair all the same, because a replaced
word is no person there. The score is the product of two parts, both fitted to mutants that two
people judged blind (``python -m benchmarks --validity`` fits them and prints their error):

- *structure*: the share of fair mutants among those that the invariant discards; 1 if it keeps one;
- *words*: a logistic model of the replaced words and their places.

Nothing is parsed or asked for it. Departure: the papers have no such score. Grammatical
acceptability and the plausibility of the words under a masked model were measured as further parts;
they tell nothing of these labels (AUC 0.49 and 0.47) and are left out.
"""

from functools import lru_cache
from math import exp, log
from typing import NamedTuple

from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.types import Mutant, Outcome, Sense

_SENTENCE_ENDS = frozenset('.!?"\u201c\u201d')
_NEAR = 40  # characters looked at before a word
_SOFTEN = 20  # characters added to the distance, so that one place has a logarithm


class WordFeatures(NamedTuple):
    """What is known of the replaced words.

    ``ambiguous``: edits of words that are not always a person (*white*). ``capital``: places where
    a replaced word has a capital inside a sentence (*Danish*). ``spread``: logarithm of the
    characters between the first and the last place.
    """

    ambiguous: float
    capital: float
    spread: float


STRUCTURE = 0.183  # of discarded mutants
INTERCEPT = 5.340
WEIGHTS = WordFeatures(-1.009, 1.036, -0.506)


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
    places = [s for s in mutant.splices if s.attribute] or list(mutant.splices)
    starts = [splice.start for splice in places] or [0]
    return WordFeatures(
        float(sum(_is_ambiguous(edit.source.text, edit.source.sense) for edit in mutant.edits)),
        float(sum(s.old[:1].isupper() and not _opens(text, s.start) for s in places)),
        log(_SOFTEN + max(starts) - min(starts)),
    )


def _opens(text: str, start: int) -> bool:
    """Whether a word opens a sentence, or the text."""
    before = text[max(0, start - _NEAR) : start].rstrip()
    return not before or before[-1] in _SENTENCE_ENDS


def _is_ambiguous(word: str, sense: Sense) -> bool:
    return sense is Sense.ASK or fold(word) in _ambiguous()


@lru_cache(maxsize=1)
def _ambiguous() -> frozenset[str]:
    """Return the words of the shipped dictionaries that are not always a person."""
    return frozenset(
        fold(term.text)
        for dictionary in load_shipped().values()
        for term in dictionary.terms
        if term.sense is Sense.ASK
    )
