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

from hinter_core.terms.matching import Matcher
from hinter_core.types import Occurrence, RejectedOccurrence, Term

_WORD = re.compile(r"\w+")
_WITHIN = re.compile(r"(?<=\w)(?=\w)")  # between two characters of one word


class LiteralMatcher(Matcher):
    """A set of dictionaries by the first word of their terms, for any number of texts."""

    def _insert(self, attribute: str, term: Term) -> None:
        key = _straight(term.text).casefold()
        if first := _WORD.search(key):
            self._starting[(first.group(),)][attribute, key].append(term)

    def find(self, text: str) -> tuple[list[Occurrence], list[RejectedOccurrence]]:
        """Return all occurrences in order; none is rejected.

        Occurrences of one term never overlap; those of different terms may.
        """
        plain = _straight(text)
        free_from: dict[tuple[str, str], int] = {}
        found = []
        for word in _WORD.finditer(plain):
            for key, terms in self._starting.get((word.group().casefold(),), {}).items():
                start = word.start() - len(_WORD.split(key[1], 1)[0])
                end = start + len(terms[0].text)
                if (
                    start >= free_from.get(key, 0)
                    and plain[start:end].casefold() == key[1]
                    and not (_WITHIN.match(plain, start) or _WITHIN.match(plain, end))
                ):
                    free_from[key] = end
                    found.append(Occurrence(key[0], (start, end), text[start:end], tuple(terms)))
        return sorted(found, key=lambda o: o.span), []


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")
