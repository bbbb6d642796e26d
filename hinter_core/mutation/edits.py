"""Mutation: edits as spans on the source, applied at once; undo is exact.

A substitution carries case over and mends a/an; edits of other kinds bring their texts as they are
to stand. Overlapping edits make no mutant, nor do two insertions at one place.

Departure: Algorithm 1 (lines 13-17) replaces text twice, so the second replacement may touch words
that the first brought in ("British waiter" -> "Pakistani waiter" -> ...). Spans on the source
cannot. What one edit does to the text never depends on the others, so the sub-mutants of a mutant
are exactly its edits' subsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from hinter_core.errors import HinterError
from hinter_core.language.sentences import sentence_at
from hinter_core.types import Change, Edit, Mutant, Occurrence, Pair, Sentence, Span, Splice, Term

_ARTICLE = re.compile(r"\b([Aa][Nn]?|AN)(\s+)$")
_FIRST_WORD = re.compile(r"\w+")
# Spelt with a vowel, spoken with a consonant, and the other way round.
_CONSONANT_SOUND = re.compile(
    r"(?:uni(?!n|m|dentif)|u[bkt][aeiou]|us[aeiu]|ukr|ugand|uro|urug|eu|ewe|one\b|once|ouija|u\b)",
    re.IGNORECASE,
)
_VOWEL_SOUND = re.compile(r"(?:hour|honest|hono[u]?r|heir)", re.IGNORECASE)
_VOWEL_NUMBER = re.compile(r"8|1[18](?!\d)")  # eight, eleven, eighteen
_LETTERS_SPOKEN_WITH_VOWEL = frozenset("AEFHILMNORSX")


class OverlapError(HinterError):
    """Two edits touch the same characters."""


def article_for(word: str) -> str:
    """``"an"`` or ``"a"``, by the sound that ``word`` begins with."""
    if len(word) > 1 and word.isupper() and len(word) <= 5 and not word.isdigit():
        return "an" if word[0] in _LETTERS_SPOKEN_WITH_VOWEL else "a"
    if word[:1].isdigit():
        return "an" if _VOWEL_NUMBER.match(word) else "a"
    if _CONSONANT_SOUND.match(word):
        return "a"
    if _VOWEL_SOUND.match(word):
        return "an"
    return "an" if word[:1].lower() in tuple("aeiou") else "a"


def carry_case(
    surface: str, source: str, target: str, starts_sentence: bool, all_lower: bool = False
) -> str:
    """``target`` in the case in which the text wrote ``source`` as ``surface``.

    ``all_lower`` says that the text has no capital at all: only then is a proper adjective written
    small ("a black man" in running text becomes "an Asian man").
    """
    if surface.isupper() and sum(c.isalpha() for c in surface) > 1 and not source.isupper():
        return target.upper()
    words = surface.split()
    if len(words) > 1 and all(w[:1].isupper() for w in words) and not source[:1].isupper():
        return " ".join(w[:1].upper() + w[1:] for w in target.split(" "))
    if surface[:1].isupper() and (starts_sentence or source[:1].islower()):
        return target[:1].upper() + target[1:]
    if all_lower:
        return target.lower()
    return target


def _starts_sentence(text: str, start: int, sentences: Sequence[Sentence]) -> bool:
    sentence = sentence_at(sentences, start)
    begin = sentence.start if sentence else 0
    return not _FIRST_WORD.search(text, begin, start)


def splices_of(text: str, edit: Edit, sentences: Sequence[Sentence]) -> tuple[Splice, ...]:
    """The replacements that ``edit`` makes in ``text``, mended articles included.

    ``at`` is not yet known (0); :func:`apply_edits` sets it.
    """
    change = edit.change
    if isinstance(change, Change):
        return tuple(
            Splice(start, end, text[start:end], new, 0, change.attribute)
            for (start, end), new in zip(edit.spans, change.texts, strict=True)
        )
    splices: list[Splice] = []
    source, target = change.source.text, change.target.text
    all_lower = text.islower()
    for start, end in edit.spans:
        surface = text[start:end]
        first = _starts_sentence(text, start, sentences)
        new = carry_case(surface, source, target, first, all_lower)
        article = _mended_article(text, start, source, target)
        if article:
            splices.append(article)
        splices.append(Splice(start, end, surface, new, 0, edit.attribute))
    return tuple(splices)


def _mended_article(text: str, start: int, old: str, new: str) -> Splice | None:
    """``old`` and ``new`` come as the dictionary writes them, so that "WOMAN" is no acronym."""
    match = _ARTICLE.search(text, max(0, start - 12), start)
    old_word, new_word = _FIRST_WORD.search(old), _FIRST_WORD.search(new)
    if not (match and old_word and new_word):
        return None
    needed = article_for(new_word.group())
    article = match.group(1)
    # Only where the swap changes the sound: an article that was wrong before is not ours to mend.
    if article_for(old_word.group()) == needed or article.lower() == needed:
        return None
    if article.isupper() and len(article) > 1:
        needed = needed.upper()
    elif article[0].isupper():
        needed = needed.capitalize()
    begin = start - len(match.group(0))
    return Splice(begin, begin + len(article), article, needed, 0)


def splices_overlap(splices: Iterable[Splice]) -> bool:
    """Whether any two of the splices share a character of the source, or insert at one place."""
    ordered = sorted((s.start, s.end) for s in splices)
    return any(right[0] < left[1] or right == left for left, right in pairwise(ordered))


def assemble(text: str, edits: Sequence[Edit], splices: Iterable[Splice]) -> Mutant:
    """The mutant of ``text`` with these splices (one set per edit, see :func:`splices_of`).

    Raises:
        OverlapError: two splices touch the same characters, or insert at one place.
    """
    ordered = sorted(splices, key=lambda s: (s.start, s.end))
    pieces: list[str] = []
    placed: list[Splice] = []
    position = length = 0
    inserted = -1  # where the splice before inserted
    for splice in ordered:
        if splice.start < position or splice.end == inserted:
            raise OverlapError(f"Two edits overlap at character {splice.start}.")
        if splice.start == splice.end:
            inserted = splice.end
        kept = text[position : splice.start]
        at = length + len(kept)
        pieces += (kept, splice.new)
        placed.append(
            Splice(splice.start, splice.end, splice.old, splice.new, at, splice.attribute)
        )
        length = at + len(splice.new)
        position = splice.end
    pieces.append(text[position:])
    edits = tuple(sorted(edits, key=lambda e: e.key))
    return Mutant(edits, "".join(pieces), tuple(placed))


def apply_edits(text: str, edits: Sequence[Edit], sentences: Sequence[Sentence]) -> Mutant:
    """Apply ``edits`` to ``text`` at once.

    Raises:
        OverlapError: two edits touch the same characters.
    """
    splices = [s for edit in edits for s in splices_of(text, edit, sentences)]
    return assemble(text, edits, splices)


def undo(mutant: Mutant) -> str:
    """The source text of ``mutant``, restored from the mutant alone."""
    pieces: list[str] = []
    position = 0
    for splice in mutant.splices:
        pieces += (mutant.text[position : splice.at], splice.old)
        position = splice.at + len(splice.new)
    pieces.append(mutant.text[position:])
    return "".join(pieces)


def edits_for(
    occurrences: Iterable[Occurrence], pairs_of: dict[str, dict[Term, tuple[Pair, ...]]]
) -> dict[str, list[Edit]]:
    """All possible edits by attribute: each pair, applied to all occurrences of its source term."""
    spans: dict[tuple[str, Term], list[Span]] = {}
    for occurrence in occurrences:
        for term in occurrence.terms:
            spans.setdefault((occurrence.attribute, term), []).append(occurrence.span)
    edits: dict[str, list[Edit]] = {}
    seen: set[tuple[str, str, tuple[Span, ...]]] = set()
    for (attribute, term), where in spans.items():
        for pair in pairs_of[attribute].get(term, ()):
            # Two readings of one word ("her") may offer the same replacement: it is one edit.
            key = (attribute, pair.target.text, tuple(where))
            if key not in seen:
                seen.add(key)
                edits.setdefault(attribute, []).append(Edit(pair, tuple(where)))
    return edits
