"""Shorthand of notes and forms: ages and marks of sex, as in "73 y/o F", "28 yo male", "70M".

Neither the parser nor the encoder learned to read it; :func:`spelled_out` writes it in words for
them, so that "56 yo M" is a 56-year-old male.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from hinter_core.language.people import FEMALE, MALE
from hinter_core.types import Span

_YO = r"(?:y/?o\b|y\.o\b\.?|yrs?\b\.?[\s-]?olds?\b)"
# A number of years tells that a letter is a mark; "45F" is a temperature, too.
_MARK = re.compile(
    r"""
    \b(?P<years>\d{1,3})[\s-]?(?:y/?o?(?=[FM]\b)|(?:y/?o\b|y\.o\b|yrs?\b|years?\b|y\b)\.?
        (?:[\s-]?olds?\b)?,?\s(?:[\w-]+\s){0,2}?)
        (?P<aged>[FM]|(?<=[y/]o\s)[fm]|(?:fe)?male)\b(?![/'\u2019&-]|\.\w)
    | (?:^|[\n.:;(]\s*|\b[Aa]\s|\b(?:[Bb]ed|[Rr]oom|[Bb]ay)\s\w{1,4},\s)(?P<number>\d\d)
        (?P<glued>[FM])(?=,(?!\s\W?\d)|\s(?:w/|with\b|who\b|came\b|admitted\b
        |present|c/o|p/w|s/p|h/o|hx\b|brought\b|found\b|seen\b|here\b|complain))
    | (?:^|[\n.:;(]\s*)(?P<first>[FM])[,/\s]\s?\d\d(?![\d%.:]|\s?(?:kg|cm|degrees)\b)
    | \b\d\d\s?/\s?(?P<slashed>[FM])\b(?![/'\u2019&-])
    | (?:^|\n)[ \t]*(?P<label>[A-Z][a-z]+(?:\s[a-z]+)?):\s(?P<field>(?:fe)?male)(?=[,;.\s]|$)
    | (?<=\w)\s[(\[](?:\d\d\s?/?\s?)?(?P<behind>[FMfm])(?:\s?/?\s?\d\d)?[)\]]
    | (?<=\w)\s\d\d(?P<bare>[FMfm])\b(?!\s(?:away|from|tall|high|long|wide|deep|above|below))
    """,
    re.VERBOSE,
)
_AGE = re.compile(rf"\b\d{{1,3}}([\s-]?{_YO})(?![\w/])", re.IGNORECASE)
_WITH = re.compile(r"(?<!\S)(?:[cs]/[op]|p/w|h/o|w/)(?!\S)", re.IGNORECASE)
_BEHIND = ("behind", "bare")  # their noun
_NUMBERED = {"aged": "years", "glued": "number"}
_SAYS = {"f": FEMALE, "m": MALE}
_TURNED = str.maketrans("fmFM", "mfMF")


class SexMark(NamedTuple):
    """A mark of somebody's sex with what it says.

    ``end``: where the noun before it ends, also one in a label ("Applicant: male"), or -1.
    ``years``: the number of years before it that is of the same person, if it has one.
    """

    span: Span
    says: str
    end: int
    years: Span | None

    @property
    def stands_alone(self) -> bool:
        """Whether it is the word for its person: the "F" of "73 y/o F", but no "male"."""
        return self.years is not None and self.span[1] - self.span[0] == 1

    @property
    def labelled(self) -> bool:
        """Whether it is a value behind a label of its person."""
        return self.end >= 0 and self.span[1] - self.span[0] > 1


@lru_cache(maxsize=8)
def sex_marks(text: str) -> tuple[SexMark, ...]:
    """Return the marks of a text."""
    return tuple(
        SexMark(
            match.span(kind),
            _SAYS[match[kind].lower()[0]],
            match.start() if kind in _BEHIND else match.end("label"),
            match.span(_NUMBERED[kind]) if kind in _NUMBERED else None,
        )
        for match in _MARK.finditer(text)
        if (kind := match.lastgroup) is not None
    )


def turned(mark: str) -> str:
    """Return the mark of the other sex."""
    words = {"female": "male", "male": "female"}
    return words.get(mark) or mark.translate(_TURNED)


def spelled_out(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the shorthand about people with what it stands for, in order."""
    pieces = [(*match.span(1), "-year-old") for match in _AGE.finditer(text)]
    for mark in sex_marks(text):
        if mark.stands_alone:
            start, end = mark.years[1] if mark.years else 0, mark.span[1]
            glued = " " not in text[start:end]
            pieces.append(
                (start, end, f"-year-old {mark.says}") if glued else (*mark.span, mark.says)
            )
    if pieces:
        pieces += [(*match.span(), "with") for match in _WITH.finditer(text)]
    yield from sorted(pieces)
