"""Person probability: how probably the words that a mutant replaces are about people.

The rules of the person sense (:mod:`hinter_core.terms.person_sense`) say yes or no. This is a
second opinion, of a network that reads the sentence (:mod:`hinter_core.language.word_sense`). It is
part of the validity score alone; it decides nothing, since as a veto it was wrong more often about
some groups than about others.

Words for a race, a nationality or a religion are asked about as one fixed word of their form. So
the answer turns on the sentence, and is the same for every group. Colours are asked about as they
are: *white* has senses that *Italian* has not.

The network knows reviews best, and may doubt a plain word that it has seldom read (*electrician*).
So words that nearly always mean a person count as no less than even. The score loses nothing by it:
its AUC among the kept mutants of blind round 7 is the same.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from hinter_core.language.sentences import sentence_at, split_sentences
from hinter_core.language.word_sense import Place, load_word_sense
from hinter_core.mutation.coherent import PRONOUN_FORMS
from hinter_core.terms.dictionary import load_shipped
from hinter_core.terms.forms import known_forms
from hinter_core.terms.matching import fold
from hinter_core.types import GrammaticalForm, Mutant, Sense, Sentence, Span, Term

_FORM = GrammaticalForm
_NOT_ASKED = PRONOUN_FORMS | {_FORM.ANY, _FORM.PREP_PHRASE}
_FIXED = {_FORM.ADJECTIVE: "Italian", _FORM.NOUN_SG: "Italian", _FORM.NOUN_PL: "Italians"}
_OF_FIXED = frozenset({"race", "nationality", "religion"})
_COLOURS = frozenset("black blacks brown white whites".split())
_EVEN = 0.5
_TEXTS = 8  # whose sentences are kept
_EDITS = 4096  # whose answers are kept


def person_probability(text: str, mutant: Mutant) -> float | None:
    """Return the least probability, from 0 to 1, that a replaced word of ``text`` is about people.

    None if there is no word to ask about: pronouns and phrases are left to the rules, and words of
    a user's own may mean anything.
    """
    found = (_least(text, edit.attribute, edit.source, edit.spans) for edit in mutant.edits)
    return min((one for one in found if one is not None), default=None)


@lru_cache(maxsize=_EDITS)
def _least(text: str, attribute: str, term: Term, spans: tuple[Span, ...]) -> float | None:
    """Return the least probability of a term's places; None if there is none to ask about."""
    if term.form in _NOT_ASKED or attribute not in load_shipped():
        return None
    if term.form not in known_forms(term.text):
        return None
    places = list(_places(text, attribute, term, spans))
    if not places:
        return None
    least = min(load_word_sense().probabilities(places).values())
    return least if attribute in _OF_FIXED or is_ambiguous(term) else max(least, _EVEN)


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


def _places(text: str, attribute: str, term: Term, spans: Sequence[Span]) -> Iterator[Place]:
    """Yield the places of a term in their sentences, with the word that is asked about."""
    word = _fixed(attribute, term)
    for start, end in spans:
        sentence = sentence_at(_sentences(text), start)
        if sentence is None or end > sentence.end or fold(text[start:end]) != fold(term.text):
            continue  # a pronoun that goes with the word, or the place of an insertion
        at = start - sentence.start
        before, own, after = sentence.text[:at], text[start:end], text[end : sentence.end]
        yield before + (word or own) + after, (at, at + len(word or own))


def _fixed(attribute: str, term: Term) -> str:
    """Return the word that is asked about in place of a term; "" if the term itself is."""
    if attribute not in _OF_FIXED or fold(term.text) in _COLOURS:
        return ""
    return _FIXED.get(term.form, "")


@lru_cache(maxsize=_TEXTS)
def _sentences(text: str) -> list[Sentence]:
    return split_sentences(text)
