"""Find the terms of all chosen dictionaries in one pass over a text.

An index of their words finds, at each word, the longest term of every attribute, so the time
depends on the text and not on the dictionaries. Terms match whole words in any case; a possessive
or contracted ``'s`` is outside the span; ``don't`` is one word; ``man-made`` and ``e-mail@man.org``
do not match ``man``.

Departure: HInter's script (and line 12 of Algorithm 1) replaces substrings one after another; here
all spans are found first, so a replacement never changes words of another.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache, cached

from hinter_core.language.clean import INVISIBLE
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import GrammaticalForm, Occurrence, RejectedOccurrence, Span, Term

_FOLDED = {ord(c): None for c in INVISIBLE} | {0x2019: "'"}
_CLITIC = r"['\u2019](?:s|d|ll|re|ve|m)\b"
_LETTERS = rf"[^\W_](?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670{INVISIBLE}])*"
# "don't", "o'clock", "D'Arcy": one word. "she's", "woman's": a word, and a clitic that is skipped.
# So is that of "shes".
_WORD = re.compile(
    rf"(?P<word>\bs?he(?=s\b)|{_LETTERS}(?:(?!{_CLITIC})['\u2019]{_LETTERS})*)"
    rf"(?:{_CLITIC}|(?<=\bhe)s\b|(?<=\bshe)s\b)*",
    re.IGNORECASE,
)
_HYPHENS = "-\u2010\u2011"
ADDRESS = re.compile(r"(?:https?://|www\.)\S+|(?<!\S)[^\s@]+@[^\s@]+\.\S+|[@#]\w+")
# By words and what is between them: terms by their attribute and the mark that ends them.
_Index = defaultdict[tuple[str, ...], defaultdict[tuple[str, str], list[Term]]]
_JOINED = re.compile(rf"(?:[{_HYPHENS}_][^\W_]+)*+")
_MAX_COMPOUND = 61  # characters examined on either side, for linear time
# Prefixes that keep the meaning: "ex-wife" is about a wife.
_PERSON_PREFIXES = frozenset({"ex", "co", "great"})
_GROWN = frozenset({"woman", "women", "man", "men"})


def fold(word: str) -> str:
    """Normalise a word: NFC, case-folded, straight apostrophes, no invisible characters."""
    return unicodedata.normalize("NFC", word.translate(_FOLDED)).casefold()


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans share a character."""
    return one[0] < other[1] and other[0] < one[1]


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    key: str
    opaque: bool  # part of an address: never a term


def _words(text: str) -> list[_Word]:
    addresses = [match.span() for match in ADDRESS.finditer(text)]
    words: list[_Word] = []
    for match in _WORD.finditer(text):
        start, end = match.span("word")
        place = bisect_right(addresses, (start, len(text))) - 1
        opaque = place >= 0 and start < addresses[place][1]
        words.append(_Word(start, end, fold(match["word"]), opaque))
    return words


def _gap(text: str, left: _Word, right: _Word) -> str:
    gap = text[left.end : right.start].replace("\u2019", "'")
    if gap and not gap.strip() and "\n\n" not in gap:
        return " "
    return "-" if len(gap) == 1 and gap in _HYPHENS else gap


def _put_in_only(dictionary: Dictionary) -> set[Term]:
    """Return the terms that are an adjective of their dictionary and *woman* or *man*.

    In "a gay man", *gay* changes alone, so that *man* may change with it.
    """
    words = {term.text for term in dictionary.terms}
    if dictionary.listed or not words.isdisjoint(_GROWN):
        return set()
    adjectives = {t.text for t in dictionary.terms if t.form is GrammaticalForm.ADJECTIVE}
    parts = ((term, *term.text.rpartition(" ")) for term in dictionary.terms)
    return {term for term, kind, _, noun in parts if kind in adjectives and noun in _GROWN}


class Matcher:
    """A set of dictionaries, for any number of texts."""

    def __init__(self, dictionaries: Sequence[Dictionary]) -> None:
        self.dictionaries = list(dictionaries)
        self._starting: _Index = defaultdict(lambda: defaultdict(list))
        for dictionary in dictionaries:
            put_in = _put_in_only(dictionary)
            for term in dictionary.terms:
                if term in dictionary.pairs_from and term not in put_in:
                    self._insert(dictionary.attribute, term)

    def _insert(self, attribute: str, term: Term) -> None:
        words = _words(term.text)
        key: tuple[str, ...] = ()
        for number, word in enumerate(words):
            gap = _gap(term.text, words[number - 1], word) if number else ""
            key = (*key, gap, word.key)
            entries = self._starting[key]
        if words:
            suffix = term.text[words[-1].end :].strip()
            entries[attribute, suffix].append(term)

    def find(self, text: str) -> tuple[list[Occurrence], list[RejectedOccurrence]]:
        """Return all occurrences in order, and those rejected as part of a larger word.

        Occurrences of one attribute never overlap (leftmost, then longest); those of different
        attributes may.
        """
        words = _words(text)
        occurrences: list[Occurrence] = []
        rejected: list[RejectedOccurrence] = []
        free_from: dict[str, int] = {}
        for index, word in enumerate(words):
            if word.opaque:
                continue
            for occurrence in self._longest_at(text, words, index):
                if word.start < free_from.get(occurrence.attribute, 0):
                    continue
                free_from[occurrence.attribute] = occurrence.span[1]
                if compound := compound_around(text, occurrence.span):
                    reason = f"is part of the word \u201c{compound}\u201d"
                    rejected.append(RejectedOccurrence(occurrence, reason))
                else:
                    occurrences.append(occurrence)
        return occurrences, rejected

    def _longest_at(self, text: str, words: list[_Word], index: int) -> Iterator[Occurrence]:
        best: dict[str, tuple[int, list[Term]]] = {}
        start, last = words[index].start, index
        key: tuple[str, ...] = ("", words[index].key)
        while key in self._starting:
            for (attribute, suffix), terms in self._starting[key].items():
                end = words[last].end + len(suffix)
                longer = end > best.get(attribute, (0, terms))[0]
                if longer and text.startswith(suffix, words[last].end):
                    best[attribute] = end, terms
            last += 1
            if last == len(words) or words[last].opaque:
                break
            key = (*key, _gap(text, words[last - 1], words[last]), words[last].key)
        for attribute, (end, terms) in best.items():
            yield Occurrence(attribute, (start, end), text[start:end], tuple(terms))


def compound_around(text: str, span: tuple[int, int]) -> str:
    """Return the hyphenated or underscored word that contains ``span``, or ""."""
    start, end = span
    backwards = text[max(0, start - _MAX_COMPOUND) : start][::-1]
    left = start - _JOINED.match(backwards).end()  # type: ignore[union-attr]  # it matches always
    right = _JOINED.match(text, end, end + _MAX_COMPOUND).end()  # type: ignore[union-attr]
    if (left, right) == span or (right == end and fold(text[left : start - 1]) in _PERSON_PREFIXES):
        return ""
    return text[left:right]


def _identity(
    dictionaries: Sequence[Dictionary], kind: type[Matcher] = Matcher
) -> tuple[Hashable, ...]:
    return (kind, *map(id, dictionaries))  # which stay theirs, as a matcher keeps its dictionaries


@cached(LRUCache(32), _identity, Lock())
def matcher_for(dictionaries: Sequence[Dictionary], kind: type[Matcher] = Matcher) -> Matcher:
    """Return the matcher of these very dictionaries, kept for those used last.

    To compile ten attributes takes some 40 ms, most of a check of one sentence.
    """
    return kind(dictionaries)


_PLAIN_WORD = re.compile(r"\w+")
_WITHIN = re.compile(r"(?<=\w)(?=\w)")  # between two characters of one word


class LiteralMatcher(Matcher):
    r"""Finds terms as the published script does: each by itself, wherever it stands as a word.

    Source: line 12 of HInter's Algorithm 1 and line 4 of Algorithm 2, read as the published script
    does: the expression ``\bterm\b`` on the text in lower case. A word ends at anything that is no
    letter, digit or underscore, so *man* is found in *man-made*, in ``mail@man.org`` and within the
    longer term *old man*; it is not found in *woman* or *man_made*.

    Departure: the ``replace`` of the algorithms finds *man* within *woman*, too; the script does
    not. The script writes the text in lower case; here capitals stay. A curly apostrophe is a
    straight one, and a term that ends with a mark (*Mr.*) needs no letter after it.
    """

    def _insert(self, attribute: str, term: Term) -> None:
        key = _straight(term.text).casefold()
        if first := _PLAIN_WORD.search(key):
            self._starting[(first.group(),)][attribute, key].append(term)

    def find(self, text: str) -> tuple[list[Occurrence], list[RejectedOccurrence]]:
        """Return all occurrences in order; none is rejected.

        Occurrences of one term never overlap; those of different terms may.
        """
        plain = _straight(text)
        free_from: dict[tuple[str, str], int] = {}
        occurrences = []
        for word in _PLAIN_WORD.finditer(plain):
            for key, terms in self._starting.get((word.group().casefold(),), {}).items():
                start = word.start() - len(_PLAIN_WORD.split(key[1], 1)[0])
                end = start + len(terms[0].text)
                if (
                    start >= free_from.get(key, 0)
                    and plain[start:end].casefold() == key[1]
                    and not (_WITHIN.match(plain, start) or _WITHIN.match(plain, end))
                ):
                    free_from[key] = end
                    occurrences.append(
                        Occurrence(key[0], (start, end), text[start:end], tuple(terms))
                    )
        return sorted(occurrences, key=lambda o: o.span), []


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")
