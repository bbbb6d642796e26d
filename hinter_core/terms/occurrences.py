"""Occurrences of terms in a text as a person reads it, and those that nobody should change.

Terms are found in the view of a text (:mod:`hinter_core.language.reading.view`), and placed in it.
Not changed, with the reason: terms in markup, addresses and hashtags, and words that name two
genders at once (*s/he*, *(wo)men*, *she/they*), half of which would say something else.

Departure: the paper replaces substrings of the text as it stands; so does the literal mode.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from hinter_core.language.reading.view import Reading, reading
from hinter_core.terms.matching import ADDRESS, Matcher, compound_around, overlap
from hinter_core.terms.senses.fields import pronouns_at
from hinter_core.terms.senses.lexicon import capitalised
from hinter_core.terms.unlisted import GENDER, with_marks, with_years
from hinter_core.types import Occurrence, RejectedOccurrence, Span

_SHOWN = 40  # characters of a tag or an address in a reason
_LONGEST = 2_000  # characters of a tag or an address that are looked into
_HASHTAG = re.compile(r"[A-Z]?[a-z\d]+|[A-Z]+(?![a-z])|[^\W_]+")
_PRONOUN = (
    r"(?:s/?he|he|him|his|hers?|they|them|theirs?|xe[mr]?|xyrs?|ze|hirs?|it|its"
    r"|(?:him|her|them|xem|hir)sel(?:f|ves))"
)
_MORE = r"(?:women|woman|men|man|girls?|boys?|ladies|lady|s?he|hers?|him|his)"
_TITLES = r"(?:mr|mrs|ms|mx|miss|sir|madam)"
_MERGED = re.compile(
    rf"""
    (?<![\w/]){_PRONOUN}-?(?:\s?/\s?-?{_PRONOUN})+(?![\w/])
    | (?<![\w/])(?:s|wo|fe)/\w{{1,12}}
    | (?<!\w)\((?:s|wo|fe)-?\)-?\w{{1,12}}
    | (?<!\w)\w{{1,20}}\((?:e?s|ren|[ei]?ss(?:es)?|trix|ette|r|wo|{_MORE})\)\w{{0,12}}
    | (?<!\w)\w{{2,20}}m[ae]n/-?(?:wo)?m[ae]n(?!\w)
    | (?<!\w)\w{{2,20}}/-?(?:e?s|in|ess(?:es)?|ettes?|trix)(?!\w)
    | (?<!\w)\w{{2,20}}(?:o/-?a|a/-?o|os/-?as|as/-?os)(?:/-?[xe])?(?!\w)
    | (?<!\w)\w{{2,20}}@s?(?![\w.])
    | (?<!\w){_TITLES}\.?(?:\s?/\s?{_TITLES}\b\.?)+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_EITHER = re.compile(
    r"(?<!\w)(?:sirs?\sor\smad(?:am|ame)s?|mad(?:am|ame)s?\sor\ssirs?)(?!\w)", re.I
)
_HYPHEN = re.compile("[-\u2010\u2011]")
# Before a people, they make another one of it: "half-Korean", "Afro-Brazilian".
_PARTLY = frozenset("half part quarter mixed afro euro black white".split())
_SHOUTED = re.compile(r"\.?\s+[A-Z]{2}")
_SLASH = re.compile(r"\.?\s?/\s?")

Found = tuple[list[Occurrence], list[RejectedOccurrence]]


def find_occurrences(text: str, matcher: Matcher) -> Found:
    """Return the occurrences of terms in order, and those that are not changed, with reasons."""
    view = reading(text)
    occurrences, rejected = _with_compounds(view.text, *matcher.find(view.text))
    occurrences, rejected = with_years(view.text, matcher.dictionaries, occurrences, rejected)
    occurrences = with_marks(view.text, matcher.dictionaries, occurrences)
    merged = [m.span() for m in _MERGED.finditer(view.text)] + _counterparts(view.text, occurrences)
    either = [m.span() for m in _EITHER.finditer(view.text)]
    kept: list[Occurrence] = []
    for one in occurrences:
        span = next((m for m in merged + either if overlap(m, one.span)), None)
        if span is not None and not pronouns_at(view.text, one.span):
            said = "speaks to any gender" if span in either else "says two forms in one word"
            reason = f"\u201c{view.text[slice(*span)]}\u201d {said}"
            rejected.append(RejectedOccurrence(one, reason))
        elif one.surface == "MS" and not _SHOUTED.match(view.text, one.span[1]):
            rejected.append(RejectedOccurrence(one, "\u201cMS\u201d may be an abbreviation"))
        else:
            kept.append(one)
    rejected += _in_addresses(view.text, matcher)
    if view.layers:
        kept = [_placed(text, view, one) for one in kept]
        rejected = [
            RejectedOccurrence(_placed(text, view, one.occurrence), one.reason) for one in rejected
        ]
    return kept, [*rejected, *_in_markup(text, view, matcher)]


def _with_compounds(
    text: str, occurrences: list[Occurrence], rejected: list[RejectedOccurrence]
) -> Found:
    """Count a people in a compound of several: "Muslim-American", but not "Muslim-owned"."""
    of_peoples = [r for r in rejected if _of_peoples(compound_around(text, r.occurrence.span))]
    if not of_peoples:
        return occurrences, rejected
    every = [*occurrences, *(r.occurrence for r in of_peoples)]
    every.sort(key=lambda one: (one.span[0], -one.span[1]))
    return every, [r for r in rejected if r not in of_peoples]


def _of_peoples(compound: str) -> bool:
    first, *others = map(str.casefold, _HYPHEN.split(compound))
    known = capitalised()
    return bool(others) and (first in known or first in _PARTLY) and known.issuperset(others)


def _placed(text: str, view: Reading, one: Occurrence) -> Occurrence:
    start, end = view.span(*one.span)
    return Occurrence(one.attribute, (start, end), text[start:end], one.terms)


def _counterparts(text: str, occurrences: Iterable[Occurrence]) -> list[Span]:
    """Return what joins two genders with a slash: "actor/actress", "male/female"."""
    of_gender = [one for one in occurrences if one.attribute == GENDER]
    return [
        (left.span[0], right.span[1])
        for left, right in pairwise(of_gender)
        if _SLASH.fullmatch(text, left.span[1], right.span[0])
        and any(
            (a.concept, a.form) == (b.concept, b.form) and a.group != b.group
            for a in left.terms
            for b in right.terms
        )
    ]


def _in_addresses(text: str, matcher: Matcher) -> Iterator[RejectedOccurrence]:
    """Yield the terms in hashtags ("#BlackWomen"), names of accounts and addresses."""
    for match in ADDRESS.finditer(text):
        piece = match[0][:_LONGEST]
        words = [m.span() for m in _HASHTAG.finditer(piece)]
        joined = " ".join(piece[a:b] for a, b in words)
        if not joined:
            continue
        places = [match.start() + i for a, b in words for i in range(a, b + 1)]
        kind = {"#": "hashtag", "@": "account"}.get(piece[0], "address")
        for one in matcher.find(joined)[0]:
            start, end = places[one.span[0]], places[one.span[1] - 1] + 1
            placed = Occurrence(one.attribute, (start, end), text[start:end], one.terms)
            reason = f"is part of the {kind} \u201c{_short(piece)}\u201d"
            yield RejectedOccurrence(placed, reason)


def _in_markup(text: str, view: Reading, matcher: Matcher) -> Iterator[RejectedOccurrence]:
    """Yield the terms in tags and comments: a colour in a style sheet is about nobody."""
    for start, end in view.markup:
        piece = text[start : min(end, start + _LONGEST)]
        occurrences, refused = matcher.find(piece)
        for one in (*occurrences, *(r.occurrence for r in refused)):
            span = (start + one.span[0], start + one.span[1])
            placed = Occurrence(one.attribute, span, one.surface, one.terms)
            yield RejectedOccurrence(placed, f"inside the markup \u201c{_short(piece)}\u201d")


def _short(piece: str) -> str:
    return piece if len(piece) <= _SHOWN else f"{piece[:_SHOWN]}\u2026"
