"""Numbers of years: "34-year-old", "58 years old", "73 y/o", "Age: 61".

A dictionary has a few of them. Any other number is a term of the stage whose number is nearest, and
changes to the numbers of the other stages. Only the number changes, in figures or in words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hinter_core.terms.ages import YEAR_OLD, number_of, stated
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.sexes import pairs_of_marks
from hinter_core.types import Occurrence, Pair, RejectedOccurrence, Span, Term

AGE = "age"
_CONCEPTS = {True: "years", False: "years-in-words"}  # by whether they are figures


def is_number(term: Term) -> bool:
    """Whether a term is the number of somebody's years alone."""
    return term.concept in _CONCEPTS.values()


def with_years(
    text: str,
    dictionaries: Iterable[Dictionary],
    occurrences: list[Occurrence],
    rejected: list[RejectedOccurrence],
) -> tuple[list[Occurrence], list[RejectedOccurrence]]:
    """Add the numbers of years that stand in no dictionary, in place of a term beside them.

    No *old* is read in "34-year-old".
    """
    ages = next((one for one in dictionaries if one.attribute == AGE), None)
    if ages is None:
        return occurrences, rejected
    for span, words in stated(text):
        start, end = words.number
        own = [one for one in occurrences if one.attribute == AGE and _meet(one.span, span)]
        numbers = _stages(ages, text[start:end].isdigit())
        # "1 year old" would be "6 year old".
        if (
            number_of(text[start:end]) == 1
            or not numbers
            or any(one.span[0] <= start for one in own)
        ):
            continue
        term = _term(text[start:end], numbers)
        occurrences = [one for one in occurrences if one not in own]
        occurrences.append(Occurrence(AGE, (start, end), text[start:end], (term,)))
        occurrences.sort(key=lambda one: (one.span[0], -one.span[1]))
        rejected = [
            one
            for one in rejected
            if one.occurrence.attribute != AGE or not _meet(one.occurrence.span, span)
        ]
    return occurrences, rejected


def pairs_of(
    dictionary: Dictionary, occurrences: Sequence[Occurrence]
) -> Mapping[Term, tuple[Pair, ...]]:
    """Return the pairs of a dictionary, with those of numbers and marks among occurrences."""
    pairs = dictionary.pairs_from
    if marks := pairs_of_marks(dictionary):
        return {**pairs, **marks}
    terms = [term for one in occurrences if one.attribute == AGE for term in one.terms]
    if dictionary.attribute != AGE or not any(map(is_number, terms)):
        return pairs
    return {
        term: tuple(
            Pair(AGE, term, other)
            for other in _stages(dictionary, term.concept == _CONCEPTS[True]).values()
            if other.group != term.group
        )
        if is_number(term)
        else pairs.get(term, ())
        for term in terms
    }


def _stages(dictionary: Dictionary, figures: bool) -> dict[int, Term]:
    """Return the numbers of years that a dictionary has, as terms of a number alone."""
    numbers: dict[int, Term] = {}
    for term in dictionary.terms:
        match = YEAR_OLD.match(term.text.lower())
        words = match.group(1) if match else None
        if words and words.isdigit() is figures:
            numbers[number_of(words)] = Term(words, term.group, concept=_CONCEPTS[figures])
    return numbers


def _term(words: str, numbers: Mapping[int, Term]) -> Term:
    number = number_of(words)
    nearest = min(numbers, key=lambda other: (abs(other - number), -other))
    return replace(numbers[nearest], text=words.lower())


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
