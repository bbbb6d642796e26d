"""Terms that stand in no dictionary: numbers of years, and marks of sex in notes.

A dictionary has a few numbers of years. Any other ("34-year-old", "58 years old", "Age: 61") is a
term of the stage whose number is nearest, and changes to the numbers of the other stages. Only the
number changes, in figures or in words. The "F" of "73 y/o F" and the "M" of "70M" become the mark
of the other sex.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from hinter_core.language.people import FEMALE, MALE
from hinter_core.language.reading.notes import sex_marks
from hinter_core.terms.ages import YEAR_OLD, number_of, stated
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import overlap
from hinter_core.types import GrammaticalForm, Occurrence, Pair, RejectedOccurrence, Span, Term

AGE, GENDER = "age", "gender"
_CONCEPTS = {True: "years", False: "years-in-words"}  # by whether they are figures

_MARKS = {says: Term(says[0].upper(), says, concept="mark of sex") for says in (FEMALE, MALE)}
_PAIRS = {one: (Pair(GENDER, one, other),) for one, other in permutations(_MARKS.values())}


def is_mark(term: Term) -> bool:
    """Whether a term is a mark of sex."""
    return term in _PAIRS


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
        own = [one for one in occurrences if one.attribute == AGE and overlap(one.span, span)]
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
        occurrences.sort(key=_place)
        rejected = [
            one
            for one in rejected
            if one.occurrence.attribute != AGE or not overlap(one.occurrence.span, span)
        ]
    return occurrences, rejected


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
    return sorted([*occurrences, *found], key=_place)


def _has_both(dictionary: Dictionary) -> bool:
    return dictionary.attribute == GENDER and dictionary.words_by_group.keys() >= _MARKS.keys()


def _place(one: Occurrence) -> Span:
    """Return what sorts occurrences as they begin, the longer one first."""
    return one.span[0], -one.span[1]


def pairs_of(
    dictionary: Dictionary, occurrences: Sequence[Occurrence]
) -> Mapping[Term, tuple[Pair, ...]]:
    """Return the pairs of a dictionary, with those of numbers and marks among occurrences.

    Where there are any, the pairs are those of the occurrences' terms only: to list those of the
    whole dictionary takes as long as all else that is done with a text.
    """
    pairs, attribute = dictionary.pairs_from, dictionary.attribute
    terms = [term for one in occurrences if one.attribute == attribute for term in one.terms]
    if any(map(is_mark, terms)) and _has_both(dictionary):
        return {term: _PAIRS.get(term) or pairs.get(term, ()) for term in terms}
    if women := [
        t for t in terms if t.form is GrammaticalForm.ADJECTIVE and _general(dictionary, t)
    ]:
        of_women = {t: pairs.get(t, ()) + _as_general(dictionary, t) for t in women}
        return {term: pairs.get(term, ()) for term in terms} | of_women
    if attribute != AGE or not any(map(is_number, terms)):
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


def _general(dictionary: Dictionary, term: Term) -> Term | None:
    """Return the adjective of a people of which a term is the feminine: *Latino* of *Latina*."""
    if not (term.text.istitle() and term.text.endswith("a")):
        return None
    wanted = term.text[:-1] + "o", term.form, term.group
    return next((t for t in dictionary.terms if (t.text, t.form, t.group) == wanted), None)


def _as_general(dictionary: Dictionary, term: Term) -> tuple[Pair, ...]:
    """Return the pairs of a feminine adjective to those of other peoples: "a Latina nurse"."""
    general = _general(dictionary, term)
    pairs = dictionary.pairs_from.get(general, ()) if general else ()
    return tuple(replace(pair, source=term) for pair in pairs)


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
