"""Person probability: how probably a word of a sentence is about people.

The rules of :mod:`hinter_core.terms.senses.person_sense` say yes or no. This is a second opinion,
of a network that reads the sentence (:mod:`hinter_core.language.word_sense`). It is part of the
validity score (:mod:`hinter_core.relations.validity`).

Words for a race, a nationality or a religion are asked about as one fixed word of their form. So
the answer turns on the sentence, and is the same for every group. Colours are asked about as they
are: *white* has senses that *Italian* has not.

The network knows reviews best, and may doubt a plain word that it has seldom read (*electrician*).
So words that nearly always mean a person count as no less than even.
"""

from collections.abc import Iterable
from functools import lru_cache

from hinter_core.language.word_sense import Place, load_word_sense
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.forms import known_forms
from hinter_core.types import GrammaticalForm, Sense, Span, Term

_FORM = GrammaticalForm
_FIXED = {
    _FORM.ADJECTIVE: "Italian", _FORM.NOUN_SG: "Italian", _FORM.NOUN_PL: "Italians",
    _FORM.COLLECTIVE: "Italians",
}  # fmt: skip
_OF_FIXED = frozenset({"race", "nationality", "religion"})
_EVEN = 0.5
_COLOURS = frozenset("black blacks brown white whites".split())

Word = tuple[str, Span, str, Term]  # a sentence, a place in it, an attribute and its term there


def person_probabilities(words: Iterable[Word]) -> list[float | None]:
    """Return for each word how probably it is about people, from 0 to 1.

    None where there is nothing to ask: pronouns and phrases are left to the rules, and words of a
    user's own may mean anything.
    """
    asked = list(words)
    places = [_place(*word) for word in asked]
    found = load_word_sense().probabilities(place for place in places if place)
    return [
        None if place is None else max(found[place], _EVEN if _is_plain(*word[2:]) else 0.0)
        for word, place in zip(asked, places, strict=True)
    ]


def _place(sentence: str, span: Span, attribute: str, term: Term) -> Place | None:
    """Return the sentence with the word that is asked about; None if there is none."""
    if term.form.is_pronoun or term.form in (_FORM.ANY, _FORM.PREP_PHRASE):
        return None
    if attribute not in load_shipped() or term.form not in known_forms(term.text):
        return None
    start, end = span
    own = sentence[start:end]
    word = _FIXED.get(term.form, own) if _is_fixed(attribute, term) else own
    return sentence[:start] + word + sentence[end:], (start, start + len(word))


def _is_fixed(attribute: str, term: Term) -> bool:
    """Whether another word is asked about in the place of a term."""
    return attribute in _OF_FIXED and fold(term.text) not in _COLOURS


def _is_plain(attribute: str, term: Term) -> bool:
    """Whether a word nearly always means a person."""
    return attribute not in _OF_FIXED and not is_ambiguous(term)


def is_ambiguous(term: Term) -> bool:
    """Whether a word is not always a person: its own entry says so, or a shipped one."""
    return term.sense is Sense.ASK or fold(term.text) in _ambiguous()


@lru_cache(maxsize=1)
def _ambiguous() -> frozenset[str]:
    """Return the words of the shipped dictionaries that are not always a person."""
    return frozenset(
        fold(term.text)
        for dictionary in load_shipped().values()
        for term in dictionary.terms
        if term.sense is Sense.ASK
    )
