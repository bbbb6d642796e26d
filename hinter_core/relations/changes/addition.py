"""Words of sensitive attributes added to a text that does not say them (MR6, MR11).

Source: metamorphic-relation prioritisation, section V-B2. Departures: an attribute is added to any
text that does not say this one, also if it says others. The paper's example of MR11 appends no
attribute; here a sentence about the writer is appended, as its words say.
"""

import random
from collections import defaultdict
from collections.abc import Iterator

from hinter_core.language.trees import Word
from hinter_core.mutation.edits import article_for
from hinter_core.relations.changes.phrases import SourceText, edit_of, leftmost
from hinter_core.relations.changes.words import relation_words
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Edit, EditKind, GrammaticalForm, Term

ADD, APPEND = "add", "append"
_PLACES = 2  # nouns of a text that get an adjective
_NOWHERE = Term("", "not said")
_ENDS = (".", "!", "?", "\u2026", '."', '!"', '?"', ".\u201d", "!\u201d", "?\u201d", ".)", "!)")


def additions(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield edits that put an adjective of each group before a noun for people.

    The adjectives are drawn with the seed, one of each group at each noun.
    """
    if not _unsaid(source, attribute):
        return
    terms = _terms(source.dictionaries[attribute], (GrammaticalForm.ADJECTIVE,))
    rng = random.Random(f"{source.plan.settings.seed} {attribute} {source.text}")
    for noun in _drawn(source):
        place = _place(source, noun)
        for group in terms.values():
            term = rng.choice(group)
            yield _inserted(ADD, attribute, term, place, f"{term.text} ")


def appended(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield edits that append a sentence about the writer: *I am Hispanic.*"""
    if not _unsaid(source, attribute):
        return
    dictionary = source.dictionaries[attribute]
    terms = _terms(dictionary, (GrammaticalForm.ADJECTIVE,)) or _terms(
        dictionary, (GrammaticalForm.NOUN_SG,)
    )
    rng = random.Random(f"{source.plan.settings.seed} {attribute} {source.text}")
    for group in terms.values():
        term = rng.choice(group)
        noun = term.form is GrammaticalForm.NOUN_SG
        said = f"{article_for(term.text)} {term.text}" if noun else term.text
        yield _sentence(source, attribute, term, f"I am {said}.")


def neutral_additions(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield edits that put a neutral adjective where :func:`additions` puts another."""
    for noun in _drawn(source):
        place = _place(source, noun)
        for word in relation_words().adjectives:
            term = Term(word, "added", GrammaticalForm.ADJECTIVE)
            yield _inserted(ADD, attribute, term, place, f"{word} ")


def neutral_sentences(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield edits that append a neutral sentence."""
    for words in relation_words().sentences:
        yield _sentence(source, attribute, Term(words, "appended"), words)


def _unsaid(source: SourceText, attribute: str) -> bool:
    return not any(o.attribute == attribute for o in source.plan.occurrences)


def _place(source: SourceText, noun: Word) -> int:
    """Return where an adjective is put: before nouns of the phrase, and before *male*, *female*."""
    first = leftmost(noun)
    genders = {
        occurrence.span
        for term, occurrences in source.occurrences("gender").items()
        for occurrence in occurrences
        if term.form is GrammaticalForm.ADJECTIVE
    }
    before = first.beside(-1)
    return before.span[0] if before is not None and before.span in genders else first.span[0]


def _drawn(source: SourceText) -> list[Word]:
    people = list(source.people())
    rng = random.Random(source.plan.settings.seed)
    return rng.sample(people, min(_PLACES, len(people)))


def _terms(dictionary: Dictionary, forms: tuple[GrammaticalForm, ...]) -> dict[str, list[Term]]:
    """Return the terms that can be added, by group."""
    concepts = relation_words().added.get(dictionary.attribute)
    terms: dict[str, list[Term]] = defaultdict(list)
    for term in dictionary.terms:
        if term.form in forms and (concepts is None or term.concept in concepts):
            terms[term.group].append(term)
    return terms


def _inserted(relation: str, attribute: str, term: Term, place: int, new: str) -> Edit:
    return edit_of(relation, EditKind.INSERT, (attribute, _NOWHERE), term, [(place, place, new)])


def _sentence(source: SourceText, attribute: str, term: Term, words: str) -> Edit:
    end = len(source.text.rstrip())
    stop = "" if source.text[:end].endswith(_ENDS) else "."
    return _inserted(APPEND, attribute, term, end, f"{stop} {words}")
