"""Words of sensitive attributes left out (MR1, MR2).

Source: metamorphic-relation prioritisation, section V-B2. A modifier or title is deleted; a noun
that says a gender becomes the neutral one (*actress* to *performer*), as a text without a noun is
no text. A pronoun cannot be left out.
"""

from collections.abc import Iterator

from hinter_core.relations.changes.phrases import Pieces, SourceText, edit_of, exchange
from hinter_core.terms.senses.forms import known_forms
from hinter_core.terms.senses.lexicon import NOUNS
from hinter_core.types import Edit, EditKind, GrammaticalForm, Occurrence, Term

REMOVE_ONE, REMOVE_ALL = "remove-one", "remove-all"
_NEUTRAL = "neutral"  # group of words that say no gender
_NOTHING = Term("", "not said")
_WITH_BLANK = (GrammaticalForm.ADJECTIVE, GrammaticalForm.COMPARATIVE, GrammaticalForm.SUPERLATIVE)


def removals(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield, for each term of an attribute, the edit that leaves out all its occurrences."""
    for term, places in source.occurrences(attribute).items():
        if (pieces := _pieces(source, term, places)) is not None:
            yield _edit(attribute, [term], pieces)


def removal_of_all(source: SourceText, attribute: str) -> Edit | Term:
    """Return the edit that leaves out every term of an attribute, or a term that must stay."""
    terms = source.occurrences(attribute)
    removed: Pieces = []
    for term, places in terms.items():
        if (pieces := _pieces(source, term, places)) is None:
            return term
        removed += pieces
    return _edit(attribute, list(terms), removed)


def neutral_removals(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield edits that delete an adjective outside all dictionaries (placebo)."""
    for word in source.words():
        if word.tag != "JJ" or known_forms(word.text) or not word.text.islower():
            continue
        term = Term(word.text, "said", GrammaticalForm.ADJECTIVE)
        occurrence = Occurrence(attribute, word.span, word.text, (term,))
        if (modifier := source.modified(occurrence)) is not None:
            pieces = [(*span, "") for span in modifier.spans]
            yield edit_of(REMOVE_ONE, EditKind.DELETE, (attribute, term), _NOTHING, pieces)


def _edit(attribute: str, terms: list[Term], pieces: Pieces) -> Edit:
    words = ", ".join(term.text for term in terms)
    left = Term(words, terms[0].group, terms[0].form)
    new = ", ".join(dict.fromkeys(new for *_, new in pieces if new))
    target = Term(new, _NEUTRAL, terms[0].form) if new else _NOTHING
    kind = EditKind.REWRITE if new else EditKind.DELETE
    return edit_of(REMOVE_ONE, kind, (attribute, left), target, pieces)


def _pieces(source: SourceText, term: Term, places: list[Occurrence]) -> Pieces | None:
    removed: Pieces = []
    for occurrence in places:
        pieces = _left_out(source, term, occurrence)
        if not pieces:
            return None
        removed += pieces
    return removed


def _left_out(source: SourceText, term: Term, occurrence: Occurrence) -> Pieces:
    """Return how an occurrence is left out; empty if it cannot be."""
    start, end = occurrence.span
    text, form = source.text, term.form
    if form is GrammaticalForm.PREP_PHRASE:
        return [(start - 1, end, "")] if start and text[start - 1] == " " else []
    if form is GrammaticalForm.TITLE:
        followed = text[end : end + 1] == " " and text[end + 1 : end + 2].isupper()
        return [(start, end + 1, "")] if followed else []
    modifier = source.modified(occurrence) if form in (*_WITH_BLANK, *NOUNS) else None
    if modifier is not None:
        return [(*span, "") for span in modifier.spans]
    return _neutral(source, term, occurrence) if form in NOUNS else []


def _neutral(source: SourceText, term: Term, occurrence: Occurrence) -> Pieces:
    """Return the exchange of a noun for the first one that says the same of everybody."""
    dictionary = source.dictionaries[occurrence.attribute]
    if _NEUTRAL not in (dictionary.groups or ()) or term.group == _NEUTRAL:
        return []
    pairs = dictionary.pairs_from.get(term, ())
    pair = next((pair for pair in pairs if pair.target.group == _NEUTRAL), None)
    if pair is None:
        return []
    splices = exchange(source, occurrence.attribute, term, pair.target, [occurrence])
    return [(s.start, s.end, s.new) for s in splices if s.attribute]
