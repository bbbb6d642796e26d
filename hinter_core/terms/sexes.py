"""Marks of sex in notes as terms of gender: the "F" of "73 y/o F" and the "M" of "70M".

They stand in no dictionary, and become the mark of the other sex.
"""

from collections.abc import Iterable, Mapping
from itertools import permutations

from hinter_core.language.people import FEMALE, MALE
from hinter_core.language.reading.notes import sex_marks
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Occurrence, Pair, Term

GENDER = "gender"
_MARKS = {says: Term(says[0].upper(), says, concept="mark of sex") for says in (FEMALE, MALE)}
_PAIRS = {one: (Pair(GENDER, one, other),) for one, other in permutations(_MARKS.values())}


def is_mark(term: Term) -> bool:
    """Whether a term is a mark of sex."""
    return term in _PAIRS


def with_marks(
    text: str, dictionaries: Iterable[Dictionary], occurrences: list[Occurrence]
) -> list[Occurrence]:
    """Add the marks that are the word for their person, where a dictionary has both sexes."""
    if not any(map(_has_both, dictionaries)):
        return occurrences
    found = [
        Occurrence(GENDER, mark.span, text[slice(*mark.span)], (_MARKS[mark.says],))
        for mark in sex_marks(text)
        if mark.stands_alone
    ]
    return sorted([*occurrences, *found], key=lambda one: (one.span[0], -one.span[1]))


def pairs_of_marks(dictionary: Dictionary) -> Mapping[Term, tuple[Pair, ...]]:
    """Return the pairs of the marks, if a dictionary has both sexes."""
    return _PAIRS if _has_both(dictionary) else {}


def _has_both(dictionary: Dictionary) -> bool:
    return dictionary.attribute == GENDER and dictionary.words_by_group.keys() >= _MARKS.keys()
