"""Marks of somebody's sex in notes: "73 y/o F", "28 yo male", "F, 60", "a nurse (f)", "I (29F)"."""

from __future__ import annotations

import re
from functools import lru_cache

from hinter_core.language.people import FEMALE, MALE
from hinter_core.types import Span

# A number of years tells that a letter is a mark; "45F" is a temperature, too.
_MARK = re.compile(
    r"""
    \b\d{1,3}[\s-]?(?:y/?o\b|yrs?\b|years?\b|y\b)\.?(?:[\s-]?olds?\b)?,?\s
        (?:[\w-]+\s){0,2}?(?P<aged>[FM]|(?:fe)?male)\b(?![/'\u2019&-]|\.\w)
    | (?:^|[\n.:;(]\s*|\b[Aa]\s)\d\d(?P<glued>[FM])(?=,|\s(?:w/|with\b|who\b|came\b|admitted\b
        |present|c/o|p/w|s/p|h/o|hx\b|brought\b|found\b|seen\b|here\b|complain))
    | (?:^|[\n.:;(]\s*)(?P<first>[FM])[,/\s]\s?\d\d(?![\d%.:]|\s?(?:kg|cm|degrees)\b)
    | \b\d\d\s?/\s?(?P<slashed>[FM])\b(?![/'\u2019&-])
    | (?<=\w)\s[(\[](?:\d\d\s?/?\s?)?(?P<behind>[FMfm])(?:\s?/?\s?\d\d)?[)\]]
    | (?<=\w)\s\d\d(?P<bare>[FMfm])\b(?!\s(?:away|from|tall|high|long|wide|deep|above|below))
    """,
    re.VERBOSE,
)
# Somebody else's, where they stand alone: "Wife: Anna", "Daughter says"; not "mother of two".
RELATIVES = frozenset(
    """wife husband girlfriend boyfriend daughter son sister brother mother father mum mom dad aunt
    uncle niece nephew grandmother grandfather granddaughter grandson""".split()
)
_BEHIND = ("behind", "bare")  # their noun
_SAYS = {"f": FEMALE, "m": MALE}
_TURNED = str.maketrans("fmFM", "mfMF")


@lru_cache(maxsize=8)
def sex_marks(text: str) -> tuple[tuple[Span, str, int], ...]:
    """Return the marks of a text with what they say, and where the noun before one ends, or -1."""
    return tuple(
        (match.span(kind), _SAYS[match[kind].lower()[0]], match.start() if kind in _BEHIND else -1)
        for match in _MARK.finditer(text)
        if (kind := match.lastgroup) is not None
    )


def turned(mark: str) -> str:
    """Return the mark of the other sex."""
    words = {"female": "male", "male": "female"}
    return words.get(mark) or mark.translate(_TURNED)
