"""Words of sensitive attributes turned into their opposites (MR4, MR5).

Source: metamorphic-relation prioritisation, section V-B2, whose examples say *female* for *male*
and *old* for *young*. An opposite is one of the exchanges of the plan, so the words of a person
change together. Departure: the paper's *old Hispanic* for *young Asian* (MR5) exchanges the race,
as MR8 does. Here a word without an opposite gets "non-": *old non-Asian*. A noun has one "non-" at
most: *the non-blind non-Jewish teacher* is discarded (``relations/wording.py``).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hinter_core.mutation.edits import splices_of, texts_of
from hinter_core.relations.changes.phrases import SourceText, edit_of, exchange
from hinter_core.relations.changes.words import opposite, relation_words
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.senses.lexicon import NOUNS
from hinter_core.terms.unlisted import is_number
from hinter_core.types import Change, Edit, EditKind, GrammaticalForm, Span, Term

NEGATE_ONE, NEGATE_ALL = "negate-one", "negate-all"
_PREFIXED = (GrammaticalForm.ADJECTIVE, *NOUNS)


def negations(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield the edit to the opposite for each word of an attribute, with its person's others."""
    seen: set[tuple[Span, ...]] = set()
    for edit in source.exchanges.get(attribute, ()):
        fits = negates(source.dictionaries[attribute], edit) and edit.spans not in seen
        if fits and not any(_counted(source, span) for span in edit.spans):
            seen.add(edit.spans)
            yield _negation(source, edit)
    for term, places in source.occurrences(attribute).items():
        negated = term.text.lower().startswith("non")
        if attribute in relation_words().with_non and term.form in _PREFIXED and not negated:
            target = Term(f"non-{term.text}", f"not {term.group}", term.form)
            new = texts_of(exchange(source, attribute, term, target, places))
            yield _edit(attribute, term, target, new)


def negation_of_all(source: SourceText, attribute: str) -> Edit | Term:
    """Return the edit that negates every term of an attribute, or a term without an opposite."""
    new: dict[Span, str] = {}
    edits = list(negations(source, attribute))
    for edit in edits:
        new = texts_of(splices_of(source.text, edit)) | new
    for term, places in source.occurrences(attribute).items():
        if any(place.span not in new for place in places):
            return term
    before, after = (
        replace(terms[0], text=", ".join(dict.fromkeys(term.text for term in terms)))
        for terms in ([e.source for e in edits], [e.target for e in edits])
    )
    return _edit(attribute, before, after, new)


def negates(dictionary: Dictionary, edit: Edit) -> bool:
    """Whether an exchange says the opposite of what stands there."""
    other = "" if is_number(edit.source) else opposite(dictionary, edit.source.group)
    return bool(other) and edit.target.group == other


def _negation(source: SourceText, exchanged: Edit) -> Edit:
    """Return an exchange as an edit of this relation."""
    if isinstance(exchanged.change, Change):
        return replace(exchanged, change=replace(exchanged.change, relation=NEGATE_ONE))
    new = texts_of(splices_of(source.text, exchanged))
    return _edit(exchanged.attribute, exchanged.source, exchanged.target, new)


def _edit(attribute: str, before: Term, after: Term, new: Mapping[Span, str]) -> Edit:
    pieces = [(*span, text) for span, text in new.items()]
    return edit_of(NEGATE_ONE, EditKind.SUBSTITUTE, (attribute, before), after, pieces)


def _counted(source: SourceText, span: Span) -> bool:
    """Whether a term says an age in years: *twelve years old* has no opposite."""
    words = source.words_at(span)
    before = words[0].beside(-1) if words else None
    while before is not None and before.tag == "HYPH":
        before = before.beside(-1)
    return before is not None and before.text.lower() in ("year", "years", "month", "months")
