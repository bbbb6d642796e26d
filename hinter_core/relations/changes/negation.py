"""Words of sensitive attributes turned into their opposites (MR4, MR5).

Source: metamorphic-relation prioritisation, section V-B2, whose examples say *female* for *male*
and *old* for *young*. A word without an opposite gets "non-": *non-Asian*.
"""

from collections.abc import Iterator

from hinter_core.relations.changes.phrases import Pieces, SourceText, edit_of, exchange
from hinter_core.relations.changes.words import opposite, relation_words
from hinter_core.terms.senses.lexicon import NOUNS
from hinter_core.types import Edit, EditKind, GrammaticalForm, Occurrence, Term

NEGATE_ONE, NEGATE_ALL = "negate-one", "negate-all"
_PREFIXED = (GrammaticalForm.ADJECTIVE, *NOUNS)


def negations(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield, for each term of an attribute, the edit that negates all its occurrences."""
    for term, places in source.occurrences(attribute).items():
        target = _opposite(source, attribute, term)
        if target is not None and not any(_counted(source, place) for place in places):
            pieces = _pieces(source, attribute, term, target, places)
            yield edit_of(NEGATE_ONE, EditKind.SUBSTITUTE, (attribute, term), target, pieces)


def negation_of_all(source: SourceText, attribute: str) -> Edit | None:
    """Return the edit that negates every term of an attribute; None if one has no opposite."""
    pieces: Pieces = []
    targets: list[Term] = []
    terms = source.occurrences(attribute)
    for term, places in terms.items():
        target = _opposite(source, attribute, term)
        if target is None or any(_counted(source, place) for place in places):
            return None
        targets.append(target)
        pieces += _pieces(source, attribute, term, target, places)
    if not pieces:
        return None
    before, after = (
        Term(", ".join(term.text for term in words), words[0].group, words[0].form)
        for words in (list(terms), targets)
    )
    return edit_of(NEGATE_ONE, EditKind.SUBSTITUTE, (attribute, before), after, pieces)


def _pieces(
    source: SourceText, attribute: str, term: Term, target: Term, places: list[Occurrence]
) -> Pieces:
    return [(s.start, s.end, s.new) for s in exchange(source, attribute, term, target, places)]


def _counted(source: SourceText, occurrence: Occurrence) -> bool:
    """Whether a term says an age in years: *twelve years old* has no opposite."""
    words = source.words_at(occurrence.span)
    before = words[0].beside(-1) if words else None
    while before is not None and before.tag == "HYPH":
        before = before.beside(-1)
    return before is not None and before.text.lower() in ("year", "years", "month", "months")


def _opposite(source: SourceText, attribute: str, term: Term) -> Term | None:
    dictionary = source.dictionaries[attribute]
    other = opposite(dictionary, term.group)
    pairs = dictionary.pairs_from.get(term, ()) if other else ()
    target = next((pair.target for pair in pairs if pair.target.group == other), None)
    if target is not None:
        return target
    negated = term.text.lower().startswith("non")
    if attribute not in relation_words().with_non or term.form not in _PREFIXED or negated:
        return None
    return Term(f"non-{term.text}", f"not {term.group}", term.form)
