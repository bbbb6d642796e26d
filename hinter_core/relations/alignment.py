"""Alignment: the exchanges in a mutant that a person wrote, found by comparing the two texts."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from hinter_core.relations.base import Compared
from hinter_core.terms.matching import fold
from hinter_core.terms.senses.forms import known_forms
from hinter_core.types import Edit, Mutant, Pair, Span, Splice, Term

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*|[^\w\s]")
_ARTICLES = frozenset({"a", "an"})
_LONGEST = 4  # words of a term

Words = Sequence[tuple[str, Span]]


def aligned(pair: Compared) -> Compared | None:
    """Return the pair with its mutant as exchanges of words; None if it is not one of these only.

    Articles that are adapted belong to no exchange.
    """
    old, new = list(_words(pair.text)), list(_words(pair.mutant.text))
    matcher = SequenceMatcher(a=[w for w, _ in old], b=[w for w, _ in new], autojunk=False)
    splices: list[Splice] = []
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            continue
        both = _exchanges(pair, old[a1:a2], new[b1:b2]) if kind == "replace" else None
        if both is None:
            return None
        for (before, (start, end)), (after, (at, _)) in both:
            adapted = fold(before) in _ARTICLES and fold(after) in _ARTICLES
            splices.append(Splice(start, end, before, after, at, "" if adapted else "by hand"))
    edits = tuple(
        Edit(Pair("by hand", Term(s.old, s.old), Term(s.new, s.new)), ((s.start, s.end),))
        for s in splices
        if s.attribute
    )
    return pair._replace(mutant=Mutant(edits, pair.mutant.text, tuple(splices)))


def _words(text: str) -> Iterator[tuple[str, Span]]:
    for match in _WORD.finditer(text):
        yield match.group(), match.span()


def _exchanges(
    pair: Compared, old: Words, new: Words
) -> list[tuple[tuple[str, Span], tuple[str, Span]]] | None:
    """Pair the terms of two stretches of words; None if their numbers differ."""
    first, second = _terms(pair.text, old), _terms(pair.mutant.text, new)
    if len(first) != len(second):
        if len(old) != len(new):
            return None
        first, second = list(old), list(new)
    return list(zip(first, second, strict=True))


def _terms(text: str, words: Words) -> list[tuple[str, Span]]:
    """Join words that make up a known term."""
    found: list[tuple[str, Span]] = []
    at = 0
    while at < len(words):
        start = words[at][1][0]
        ends = [span[1] for _, span in words[at : at + _LONGEST]]
        known = [n for n, end in enumerate(ends, 1) if n > 1 and known_forms(text[start:end])]
        length = known[-1] if known else 1
        end = ends[length - 1]
        found.append((text[start:end], (start, end)))
        at += length
    return found
