"""Words in hashtags: "#BlackGirlMagic" and "#autismacceptance" still say what an edit replaces."""

import re
from collections.abc import Iterator
from functools import lru_cache

from hinter_core.terms.dictionary import load_shipped
from hinter_core.types import Edit, Span

_HASHTAG = re.compile(r"#(\w+)")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FEWEST = 4  # letters of a word that is seen without capitals: "#menu" has no men


def tags_against(text: str, edit: Edit) -> Iterator[tuple[Span, str]]:
    """Yield the hashtags, with their places, that say the replaced group and not the new one."""
    for match in _HASHTAG.finditer(text) if edit.attribute in load_shipped() else ():
        groups = {_words(edit.attribute).get(piece) for piece in _pieces(match[1])}
        if edit.source.group in groups and edit.target.group not in groups:
            yield match.span(), match[0]


@lru_cache(maxsize=16)
def _words(attribute: str) -> dict[str, str]:
    """Return the groups of an attribute's terms, by their letters."""
    return {
        "".join(_PIECE.findall(t.text)).lower(): t.group for t in load_shipped()[attribute].terms
    }


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    of_people = (one for one in load_shipped().values() if not one.placebo)
    words = (word for one in of_people for word in _words(one.attribute))
    return frozenset(word for word in words if len(word) >= _FEWEST)


@lru_cache(maxsize=1024)
def _pieces(tag: str) -> tuple[str, ...]:
    """Return the words of a hashtag: by its capitals, or those known at its two ends."""
    pieces = [piece.lower() for piece in _PIECE.findall(tag)]
    if len(pieces) > 1:
        return tuple(pieces)
    found, rest = [tag.lower()], tag.lower()
    while rest:
        lengths = range(len(rest), _FEWEST - 1, -1)
        ends = ((rest[:n], rest[n:]) for n in lengths), ((rest[-n:], rest[:-n]) for n in lengths)
        piece, rest = next(((w, r) for end in ends for w, r in end if w in _known()), ("", ""))
        found.append(piece)
    return tuple(found)
