"""Find the terms of all chosen dictionaries in one pass over a text.

A trie over words finds, at each word, the longest term of every attribute, so the time depends on
the text and not on the dictionaries. Terms match whole words in any case; a possessive or
contracted ``'s`` is outside the span; ``don't`` is one word; ``man-made`` and ``e-mail@man.org``
do not match ``man``.

Departure: HInter's script (and line 12 of Algorithm 1) replaces substrings one after another; here
all spans are found first, so a replacement never changes words of another.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cachetools import LRUCache

from hinter_core.language.clean import INVISIBLE
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Occurrence, RejectedOccurrence, Term

_FOLDED = {ord(c): None for c in INVISIBLE} | {0x2019: "'"}
_CLITIC = r"['\u2019](?:s|d|ll|re|ve|m)\b"
_LETTERS = rf"[^\W_](?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670{INVISIBLE}])*"
# "don't", "o'clock", "D'Arcy": one word. "she's", "woman's": a word, and a clitic that is skipped.
_WORD = re.compile(
    rf"(?P<word>{_LETTERS}(?:(?!{_CLITIC})['\u2019]{_LETTERS})*)(?:{_CLITIC})*", re.IGNORECASE
)
_HYPHENS = "-\u2010\u2011"
ADDRESS = re.compile(r"(?:https?://|www\.)\S+|(?<!\S)[^\s@]+@[^\s@]+\.\S+|[@#]\w+")
_MAX_COMPOUND = 60  # characters examined on either side, for linear time
# Prefixes that keep the meaning: "ex-wife" is about a wife.
_PERSON_PREFIXES = frozenset({"ex", "co", "great"})


def fold(word: str) -> str:
    """Normalise a word: NFC, case-folded, straight apostrophes, no invisible characters."""
    return unicodedata.normalize("NFC", word.translate(_FOLDED)).casefold()


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


@dataclass(slots=True)
class _Node:
    children: dict[str, _Node] = field(default_factory=dict)
    terms: dict[str, list[tuple[Term, str]]] = field(default_factory=dict)


def _gap(text: str, left: _Word, right: _Word) -> str | None:
    gap = text[left.end : right.start].replace("\u2019", "'")
    if gap and not gap.strip() and "\n\n" not in gap:
        return " "
    return "-" if len(gap) == 1 and gap in _HYPHENS else gap or None


class Matcher:
    """A set of dictionaries compiled into a trie, for any number of texts."""

    def __init__(self, dictionaries: Iterable[Dictionary]) -> None:
        self._root = _Node()
        for dictionary in dictionaries:
            sources = dictionary.pairs_from
            for term in dictionary.terms:
                if term in sources:
                    self._insert(dictionary.attribute, term)

    def _insert(self, attribute: str, term: Term) -> None:
        words = _words(term.text)
        if not words:
            return
        node, previous = self._root, None
        for word in words:
            if previous is not None:
                gap = _gap(term.text, previous, word) or ""
                node = node.children.setdefault(gap, _Node())
            node = node.children.setdefault(word.key, _Node())
            previous = word
        suffix = term.text[words[-1].end :].strip()
        node.terms.setdefault(attribute, []).append((term, suffix))

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
                compound = compound_around(text, occurrence.span)
                if compound:
                    reason = f"part of the word \u201c{compound}\u201d"
                    rejected.append(RejectedOccurrence(occurrence, reason))
                else:
                    occurrences.append(occurrence)
        return occurrences, rejected

    def _longest_at(self, text: str, words: list[_Word], index: int) -> Iterator[Occurrence]:
        best: dict[str, tuple[int, list[Term]]] = {}
        node = self._root.children.get(words[index].key)
        last = index
        while node is not None:
            end = words[last].end
            for attribute, entries in node.terms.items():
                for suffix in sorted({s for _, s in entries}, key=len):
                    if text.startswith(suffix, end):
                        terms = [term for term, s in entries if s == suffix]
                        best[attribute] = (end + len(suffix), terms)
            if last + 1 >= len(words) or words[last + 1].opaque:
                break
            gap = _gap(text, words[last], words[last + 1])
            step = node.children.get(gap) if gap else None
            last += 1
            node = step.children.get(words[last].key) if step else None
        start = words[index].start
        for attribute, (end, terms) in best.items():
            yield Occurrence(attribute, (start, end), text[start:end], tuple(terms))


def compound_around(text: str, span: tuple[int, int]) -> str:
    """Return the hyphenated or underscored word that contains ``span``, or ""."""
    start, end = span
    left, right = start, end
    first, beyond = max(1, start - _MAX_COMPOUND), min(len(text) - 1, end + _MAX_COMPOUND)
    while left > first and text[left - 1] in _HYPHENS + "_" and text[left - 2].isalnum():
        left -= 2
        while left > first - 1 and text[left - 1].isalnum():
            left -= 1
    while right < beyond and text[right] in _HYPHENS + "_" and text[right + 1].isalnum():
        right += 2
        while right <= beyond and text[right].isalnum():
            right += 1
    if (left, right) == span or (right == end and fold(text[left : start - 1]) in _PERSON_PREFIXES):
        return ""
    return text[left:right]


def matcher_for(dictionaries: Sequence[Dictionary], kind: type[Matcher] = Matcher) -> Matcher:
    """Return the matcher of these very dictionaries, kept for those used last.

    To compile ten attributes takes some 40 ms, most of a check of one sentence.
    """
    key = (kind, *map(id, dictionaries))
    with _LOCK:
        kept = _KEPT.get(key)
    if kept is None:
        kept = (list(dictionaries), kind(dictionaries))  # a list, so that the ids stay theirs
        with _LOCK:
            _KEPT[key] = kept
    return kept[1]


_LOCK = threading.Lock()
_KEPT: LRUCache[tuple[object, ...], tuple[list[Dictionary], Matcher]] = LRUCache(32)
