r"""Find terms as the published script does: each term by itself, wherever it stands as a word.

Source: line 12 of HInter's Algorithm 1 and line 4 of Algorithm 2, read as the published script
does: the expression ``\bterm\b`` on the text in lower case. A word ends at anything that is no
letter, digit or underscore, so *man* is found in *man-made*, in ``mail@man.org`` and within the
longer term *old man*; it is not found in *woman* or *man_made*.

Departure: the ``replace`` of the algorithms finds *man* within *woman*, too; the script does not.
The script writes the text in lower case; here capitals stay. A curly apostrophe is a straight one,
and a term that ends with a mark (*Mr.*) needs no letter after it.
"""

import re
from collections.abc import Iterable

from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.matching import Matcher
from hinter_core.types import Occurrence, RejectedOccurrence, Span, Term

_WORD = re.compile(r"\w+")


class LiteralMatcher(Matcher):
    """A set of dictionaries by the first word of their terms, for any number of texts."""

    def __init__(self, dictionaries: Iterable[Dictionary]) -> None:
        self._starting: dict[str, dict[tuple[str, str], list[Term]]] = {}
        for dictionary in dictionaries:
            sources = dictionary.pairs_from
            for term in dictionary.terms:
                key = _straight(term.text).casefold()
                first = _WORD.search(key)
                if term in sources and first:
                    by_key = self._starting.setdefault(first.group(), {})
                    by_key.setdefault((dictionary.attribute, key), []).append(term)

    def find(self, text: str) -> tuple[list[Occurrence], list[RejectedOccurrence]]:
        """Return all occurrences in order; none is rejected.

        Occurrences of one term never overlap; those of different terms may.
        """
        plain = _straight(text)
        free_from: dict[tuple[str, str], int] = {}
        found = []
        for word in _WORD.finditer(plain):
            for key, terms in self._starting.get(word.group().casefold(), {}).items():
                span = _place(plain, word.start(), key[1], terms[0].text)
                if span is not None and span[0] >= free_from.get(key, 0):
                    free_from[key] = span[1]
                    surface = text[span[0] : span[1]]
                    found.append(Occurrence(key[0], span, surface, tuple(terms)))
        return sorted(found, key=lambda o: o.span), []


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")


def _place(text: str, word: int, key: str, term: str) -> Span | None:
    """Return where ``term`` stands, if it does, when its first word begins at ``word``."""
    first = _WORD.search(term)
    start = word - (first.start() if first else 0)
    end = start + len(term)
    if start < 0 or text[start:end].casefold() != key:
        return None
    return None if _within(text, start) or _within(text, end) else (start, end)


def _within(text: str, place: int) -> bool:
    """Whether ``place`` lies between two characters of one word."""
    around = text[place - 1 : place + 1] if place else ""
    return len(around) == 2 and _WORD.fullmatch(around) is not None
