"""A word of a sensitive attribute moved to another place of its sentence (MR7).

Source: metamorphic-relation prioritisation, section V-B2: *a young musician* becomes *a musician
who is young*.
"""

from collections.abc import Callable, Iterator

from hinter_core.language.trees import Word
from hinter_core.relations.changes.phrases import Pieces, SourceText, edit_of
from hinter_core.relations.changes.words import relation_words
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.lexicon import capitalised
from hinter_core.types import Edit, EditKind, GrammaticalForm, Occurrence, Term

SHUFFLE = "shuffle"

Said = Callable[[Word, str], str]  # of a noun and its adjective: what is said after the noun


def moves(source: SourceText, attribute: str) -> Iterator[Edit]:
    """Yield, for each adjective of an attribute, the edit that moves it into a relative clause."""
    for term, places in source.occurrences(attribute).items():
        before = fold(term.text) in relation_words().attributive  # the noun alone
        if term.form is not GrammaticalForm.ADJECTIVE or before:
            continue
        pieces = after_noun(source, places, _clause)
        if pieces:
            kind, target = EditKind.MOVE, Term(pieces[-1][2].strip(), term.group, term.form)
            yield edit_of(SHUFFLE, kind, (attribute, term), target, pieces)


def after_noun(source: SourceText, places: list[Occurrence], said: Said) -> Pieces:
    """Take adjectives from before their nouns and say them behind; empty if one cannot be."""
    pieces: Pieces = []
    for occurrence in places:
        modifier = source.modified(occurrence)
        if modifier is None or not source.open_after(modifier.noun):
            return []
        place = modifier.noun.span[1]
        words = said(modifier.noun, source.text[slice(*occurrence.span)])
        pieces += [*((*span, "") for span in modifier.spans), (place, place, f" {words}")]
    stops = [piece[0] for piece in pieces if piece[0] == piece[1]]
    return pieces if len(stops) == len(set(stops)) else []


def _clause(noun: Word, adjective: str) -> str:
    several = noun.tag in ("NNS", "NNPS")
    finite = (tag for tag in noun.parse.tags if tag in ("VBD", "VBZ", "VBP", "MD"))
    past = next(finite, "") == "VBD"
    verb = {(0, 0): "is", (1, 0): "are", (0, 1): "was", (1, 1): "were"}[several, past]
    return f"who {verb} {_written(noun, adjective)}"


def _written(noun: Word, adjective: str) -> str:
    """Return an adjective without the capital that began its sentence."""
    first = noun.sentence.text.startswith(adjective)
    return adjective.lower() if first and adjective.casefold() not in capitalised() else adjective
