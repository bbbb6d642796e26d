"""Coherent swaps: all words of an attribute that speak of one person change together.

"The man lost his hat" becomes "The woman lost her hat" by one edit. A neutral noun contradicts
nothing ("the person lost his hat"), so that it changes alone. An edit that would leave a word of
the same person behind that contradicts it, because the dictionary has no counterpart or does not
have the word, is not made.
Other people stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hinter_core.language.people import PRONOUNS, people_words
from hinter_core.mutation.edits import splices_of, splices_overlap
from hinter_core.mutation.people import People
from hinter_core.types import (
    Change,
    Edit,
    EditKind,
    Occurrence,
    Pair,
    Sentence,
    Span,
    Term,
)

PairsOf = Mapping[Term, tuple[Pair, ...]]
_BINARY = ("female", "male")
_NEUTRAL = "neutral"


def coherent_edits(
    text: str,
    sentences: Sequence[Sentence],
    occurrences: Iterable[Occurrence],
    pairs_of: PairsOf,
    edits: Sequence[Edit],
    people: People,
) -> list[Edit]:
    """Extend each edit of an attribute to the other mentions of the people that it changes.

    ``occurrences``: the accepted ones of the attribute. ``people``: of the text. Edits that come
    out the same are one.
    """
    where: dict[int, list[Occurrence]] = {}
    for occurrence in occurrences:
        person = people.at(occurrence)
        if person is not None:
            where.setdefault(person, []).append(occurrence)
    by_span = {one.span: person for person, found in where.items() for one in found}
    direction = _Direction(pairs_of)
    made: dict[tuple[tuple[Span, str], ...], Edit] = {}
    for edit in edits:
        concerned = {by_span[span] for span in edit.spans if span in by_span}
        also = [o for n in sorted(concerned) for o in where[n] if o.span not in edit.spans]
        heads = [head for n in sorted(concerned) for head in people.heads(n)]
        extended = _extended(text, sentences, edit, also, heads, direction)
        if extended is not None:
            splices = splices_of(text, extended, sentences)
            made.setdefault(tuple(((s.start, s.end), s.new) for s in splices), extended)
    return list(made.values())


class _Direction:
    """What the terms of a dictionary say of gender, and the pairs that change it alike."""

    def __init__(self, pairs_of: PairsOf) -> None:
        self._pairs_of = pairs_of
        self._words = {t.text.lower(): t.group for t in pairs_of if t.group in _BINARY}

    def says(self, term: Term) -> str:
        """Return the gender that a term says: a "trans woman" is *she*."""
        last = term.text.lower().rpartition(" ")[2]
        return term.group if term.group in _BINARY else self._words.get(last, term.group)

    def counterpart(self, change: Pair, terms: Sequence[Term]) -> Pair | None:
        """Return the pair that changes another mention in the same direction."""
        wanted = self.says(change.target)
        series = [pair.target.text for pair in self._towards(change.source, wanted)]
        for term in terms:
            found = self._towards(term, wanted)
            if len(found) == len(series) and change.target.text in series:
                # "xe" goes with "xem" and "ze" with "hir": the series keep their order.
                return found[series.index(change.target.text)]
            if found:
                stop = term.text.endswith(".")
                return next((p for p in found if p.target.text.endswith(".") is stop), found[0])
        return None

    def _towards(self, term: Term, wanted: str) -> list[Pair]:
        pairs = self._pairs_of.get(term, ())
        return [pair for pair in pairs if self.says(pair.target) == wanted]


def _extended(
    text: str,
    sentences: Sequence[Sentence],
    edit: Edit,
    also: Sequence[Occurrence],
    heads: Sequence[Span],
    direction: _Direction,
) -> Edit | None:
    """Return an edit with all other mentions; None if one that contradicts it cannot change.

    ``heads``: of all mentions of the people that the edit changes.
    """
    pair = edit.change
    if not isinstance(pair, Pair):
        return edit
    said = direction.says(pair.source)
    wanted = direction.says(pair.target)
    if wanted == said or (wanted == _NEUTRAL and not pair.source.form.is_pronoun):
        return edit
    parts = [edit]
    for occurrence in also:
        terms = [term for term in occurrence.terms if direction.says(term) == said]
        counterpart = direction.counterpart(pair, terms)
        if counterpart is not None:
            parts.append(Edit(counterpart, (occurrence.span,)))
        elif terms and (wanted != _NEUTRAL or terms[0].form.is_pronoun):
            return None
    changed = [span for part in parts for span in part.spans]
    for start, end in heads:
        apart = all(end <= low or high <= start for low, high in changed)
        if apart and _contradicts(text[start:end], said, wanted):
            return None
    if len(parts) == 1:
        return edit
    found = [splice for part in parts for splice in splices_of(text, part, sentences)]
    splices = {(splice.start, splice.end): splice.new for splice in found}
    spans = tuple(sorted(splices))
    texts = tuple(splices[span] for span in spans)
    change = Change(EditKind.SUBSTITUTE, edit.attribute, edit.source, edit.target, texts)
    return None if splices_overlap(found) else Edit(change, spans)


def _contradicts(word: str, said: str, wanted: str) -> bool:
    """Whether a word that stays says the gender that an edit replaces."""
    form = PRONOUNS.get(word.lower())
    if form is not None:
        return form.gender == said
    return wanted != _NEUTRAL and people_words().nouns.get(word.lower()) == said
