"""Validity score: how probably people call a mutant a fair test, from 0 to 1.

The invariant says yes or no. Some mutants that it keeps are unfair all the same, because a replaced
word is no person there. The score is the product of two parts, both fitted to mutants that two
people judged blind (``python -m benchmarks --validity`` fits them and prints their error):

- *structure*: the share of fair mutants among those that the invariant discards; 1 if it keeps one;
- *words*: a logistic model of the replaced words: whether they are ambiguous, and how probably they
  are about people in their sentences (:mod:`hinter_core.terms.senses.person_probability`).

Nothing is parsed for it; a small network reads the source's sentences once. Departure: the papers
have no such score. Grammatical acceptability and the plausibility of the words under a masked model
were measured as further parts; they tell nothing of these labels (AUC 0.49 and 0.47) and are left
out.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import exp, log
from typing import NamedTuple

from hinter_core.language.sentences import sentence_at, split_sentences
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.person_probability import (
    Word,
    is_ambiguous,
    person_probabilities,
)
from hinter_core.types import Mutant, Outcome, Sentence, Span, Term

_TEXTS = 8  # whose sentences are kept
_EDITS = 4096  # whose answers are kept

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
    return validity_of(text, outcome.mutant, kept=outcome.conformance.by_invariant)


def word_features(text: str, mutant: Mutant) -> WordFeatures:
    """Return the features of the replaced words of a mutant of ``text``."""
    return WordFeatures(
        float(sum(is_ambiguous(edit.source) for edit in mutant.edits)),
        _log_odds(person_probability(text, mutant)),
    )


def person_probability(text: str, mutant: Mutant) -> float | None:
    """Return the least probability, from 0 to 1, that a replaced word of ``text`` is about people.

    None if there is no word to ask about.
    """
    found = (_least(text, edit.attribute, edit.source, edit.spans) for edit in mutant.edits)
    return min((one for one in found if one is not None), default=None)


@lru_cache(maxsize=_EDITS)
def _least(text: str, attribute: str, term: Term, spans: tuple[Span, ...]) -> float | None:
    """Return the least probability of a term's places; None if there is none to ask about."""
    found = person_probabilities(_words(text, attribute, term, spans))
    return min((one for one in found if one is not None), default=None)


def _words(text: str, attribute: str, term: Term, spans: Sequence[Span]) -> Iterator[Word]:
    """Yield the places of a term in their sentences."""
    for start, end in spans:
        sentence = sentence_at(_sentences(text), start)
        if sentence is None or end > sentence.end or fold(text[start:end]) != fold(term.text):
            continue  # a pronoun that goes with the word, or the place of an insertion
        yield sentence.text, (start - sentence.start, end - sentence.start), attribute, term


@lru_cache(maxsize=_TEXTS)
def _sentences(text: str) -> list[Sentence]:
    return split_sentences(text)


def _log_odds(probability: float | None) -> float:
    """Return the log odds; where nothing was asked, those of a clear person."""
    clear = 1 - _DOUBT if probability is None else probability
    bounded = min(max(clear, _DOUBT), 1 - _DOUBT)
    return log(bounded / (1 - bounded))
