"""Words of sensitive attributes added to a text that does not say them (MR6, MR11).

Source: metamorphic-relation prioritisation, section V-B2. Departures: an attribute is added to any
text that does not say this one, also if it says others. The paper's example of MR11 appends no
attribute; here a sentence about the writer is appended, as its words say.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache

from hinter_core.language.trees import Word
from hinter_core.mutation.edits import ADJECTIVE_ORDER, adjective_rank, article_for
from hinter_core.relations.changes.phrases import SourceText, edit_of, leftmost
from hinter_core.relations.changes.words import relation_words
from hinter_core.terms.dictionary import Dictionary, load_shipped
from hinter_core.terms.matching import fold
from hinter_core.types import Edit, EditKind, GrammaticalForm, Term

ADD, APPEND = "add", "append"
_PLACES = 2  # nouns of a text that get an adjective
_NOWHERE = Term("", "not said")
_ENDED = re.compile(  # also by a smiley or an emoji
    r"""[.!?\u2026]["\u201d)]?$|[:;=8][-'^o]?[()\[\]DPp/\\|3*]$|<3$|[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?$"""
)
_BEFORE_ORIGIN = "migration"  # where neutral adjectives stand: "a young visiting Muslim nurse"
_LONGEST = 3  # words of an adjective: "hard of hearing"


def additions(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield edits that put an adjective of each group before a noun for people.

    The adjectives are drawn with the seed, one of each group at each noun.
    """
    if not _unsaid(source, attribute):
        return
    terms = _terms(source.dictionaries[attribute], (GrammaticalForm.ADJECTIVE,))
    rng = random.Random(f"{source.plan.settings.seed} {attribute} {source.text}")
    for place in _drawn(source, attribute):
        for group in terms.values():
            term = rng.choice(group)
            yield _inserted(ADD, attribute, term, place, f"{term.text} ")


def appended(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield edits that append a sentence about the writer: *I am Hispanic.*"""
    if not _unsaid(source, attribute):
        return
    dictionary = source.dictionaries[attribute]
    terms = _terms(dictionary, (GrammaticalForm.ADJECTIVE,), predicates=True) or _terms(
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
    for place in _drawn(source, _BEFORE_ORIGIN):
        for word in relation_words().adjectives:
            term = Term(word, "added", GrammaticalForm.ADJECTIVE)
            yield _inserted(ADD, attribute, term, place, f"{word} ")


def neutral_sentences(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield edits that append a neutral sentence."""
    for words in relation_words().sentences:
        yield _sentence(source, attribute, Term(words, "appended"), words)


def _unsaid(source: SourceText, attribute: str) -> bool:
    return not any(o.attribute == attribute for o in source.plan.occurrences)


def _place(source: SourceText, noun: Word, attribute: str) -> int | None:
    """Return where an adjective is put before a noun; None where it would begin a sentence.

    It stands before nouns of the phrase, and before adjectives that English puts behind it: *a
    young Muslim woman*. Joined ones stay together.
    """
    beside = first = leftmost(noun)
    while (further := _adjective_before(source, first, adjective_rank(attribute))) is not None:
        first = further
    before = first.beside(-1)
    if before is None:
        return None
    return (beside if before.text in (",", "and", "or", "&") else first).span[0]


def _adjective_before(source: SourceText, word: Word, rank: int) -> Word | None:
    """Return the first word of an adjective before a word, if its rank is higher."""
    for back in range(_LONGEST, 0, -1):
        first, last = word.beside(-back), word.beside(-1)
        if first is not None and last is not None:
            said = fold(source.text[first.span[0] : last.span[1]])
            if _ranks().get(said, -1) > rank:
                return first
    return None


@lru_cache(maxsize=1)
def _ranks() -> Mapping[str, int]:
    """Return the ranks of the adjectives of the shipped dictionaries; of several, the lowest.

    What is not added stands next to its noun: *a Caucasian immigrant chef*.
    """
    ranks: dict[str, int] = {}
    for name in reversed(ADJECTIVE_ORDER):
        for term in load_shipped()[name].terms:
            if term.form is GrammaticalForm.ADJECTIVE:
                ranks[fold(term.text)] = adjective_rank(name)
    return ranks | dict.fromkeys(relation_words().unadded, len(ADJECTIVE_ORDER))


def _drawn(source: SourceText, attribute: str) -> list[int]:
    """Return where an adjective of an attribute is put, before nouns drawn with the seed."""
    people = list(source.people())
    rng = random.Random(source.plan.settings.seed)
    drawn = rng.sample(people, min(_PLACES, len(people)))
    places = (_place(source, noun, attribute) for noun in drawn)
    return [place for place in places if place is not None]


def _terms(
    dictionary: Dictionary, forms: tuple[GrammaticalForm, ...], *, predicates: bool = False
) -> dict[str, list[Term]]:
    """Return the terms that can be added, by group; ``predicates``: those that follow "I am"."""
    concepts = relation_words().added.get(dictionary.attribute)
    barred = relation_words().attributive if predicates else relation_words().unadded
    terms: dict[str, list[Term]] = defaultdict(list)
    for term in dictionary.terms:
        if (
            term.form in forms
            and not term.source_only
            and (concepts is None or term.concept in concepts)
            and fold(term.text) not in barred
        ):
            terms[term.group].append(term)
    return terms


def _inserted(relation: str, attribute: str, term: Term, place: int, new: str) -> Edit:
    return edit_of(relation, EditKind.INSERT, (attribute, _NOWHERE), term, [(place, place, new)])


def _sentence(source: SourceText, attribute: str, term: Term, words: str) -> Edit:
    end = len(source.text.rstrip())
    stop = "" if _ENDED.search(source.text, 0, end) else "."
    return _inserted(APPEND, attribute, term, end, f"{stop} {words}")
