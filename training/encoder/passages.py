"""Passages to learn from: sentences that stand together, with names and terms exchanged."""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tokenizers import Tokenizer

from hinter_core.language.encoder import WINDOW, fix_peoples, styles
from hinter_core.language.reading.view import Replaced, with_pieces
from hinter_core.language.sentences import split_sentences
from hinter_core.terms.dictionary import Dictionary
from hinter_core.terms.names import load_names
from hinter_core.types import Span, Term
from training.encoder.corpus import Document, Label

_ALONE = 0.6  # share of passages of one sentence, as they are read later
_FEWEST, _MOST = 24, 112  # pieces of the other passages
_RENAMED, _EXCHANGED, _LOWERED, _RAISED = 0.5, 0.4, 0.06, 0.015
_PIECES_OF_A_WORD = 1.35


@dataclass(frozen=True)
class Encoded:
    """Pieces of a passage, how their words are written, and the labels.

    ``words``: for each labelled word its pieces, its kind and its weight. ``tags``: of each piece,
    0 to 2; -1 where it is not known.
    """

    ids: Sequence[int]
    styles: Sequence[int]
    words: Sequence[tuple[Sequence[int], int, float]]
    tags: Sequence[int]


def held_name(name: str) -> bool:
    """Whether a name of the list is kept to measure: one in five."""
    return hashlib.sha1(name.encode(), usedforsecurity=False).digest()[0] % 5 == 0


class Augment:
    """Exchanges names of people, and terms for others of their form and attribute."""

    def __init__(self, dictionaries: Iterable[Dictionary], chance: random.Random) -> None:
        names = load_names()
        self._given = [
            n for key in sorted(names.given) for n in names.given[key] if not held_name(n)
        ]
        self._family = [n for key in sorted(names.family) for n in names.family[key]]
        self._targets: dict[Term, list[str]] = defaultdict(list)
        for dictionary in dictionaries:
            for term, pairs in dictionary.pairs_from.items():
                self._targets[term] += [pair.target.text for pair in pairs]
        self._chance = chance

    def of(self, document: Document) -> Document:
        """Return the passage with other words, or as it was."""
        edits: dict[Span, str] = {}
        if document.names and self._chance.random() < _RENAMED:
            edits |= self._renamed(document.text, document.names)
        for label in document.labels:
            targets = self._targets.get(self._chance.choice(label.terms), ()) if label.terms else ()
            free = all(b <= label.span[0] or a >= label.span[1] for a, b in edits)
            if targets and free and self._chance.random() < _EXCHANGED:
                word = self._chance.choice(targets)
                if document.text[label.span[0]].isupper():
                    word = word[0].upper() + word[1:]
                edits[label.span] = word
        changed = edited(document, edits) if edits else document
        drawn = self._chance.random()
        if drawn < _LOWERED + _RAISED:
            text = changed.text.lower() if drawn < _LOWERED else changed.text.upper()
            changed = replace(changed, text=text) if len(text) == len(changed.text) else changed
        return changed

    def _renamed(self, text: str, names: Sequence[Span]) -> dict[Span, str]:
        """Give people other names; a word that comes again gets the same one."""
        given: dict[str, str] = {}
        family: dict[str, str] = {}
        edits = {}
        for start, end in sorted(names, key=lambda s: s[0] - s[1]):
            words = text[start:end].split()
            if not all(w[0].isupper() and w[1:].islower() and w.isalpha() for w in words):
                continue
            new = []
            for n, word in enumerate(words):
                last = n == len(words) - 1
                kept = family if word in family or (last and word not in given and (
                    n or self._chance.random() < 0.35)) else given  # fmt: skip
                every = self._family if kept is family else self._given
                new.append(kept.setdefault(word, self._chance.choice(every)))
            edits[start, end] = " ".join(new)
        return edits


def edited(document: Document, edits: Mapping[Span, str]) -> Document:
    """Return a document with other words at some places."""
    pieces = ((start, end, word) for (start, end), word in sorted(edits.items()))
    return moved_to(document, with_pieces(document.text, pieces))


def moved_to(document: Document, changed: Replaced) -> Document:
    """Return a document with its labels at the places of a changed text."""
    turned = changed.turned
    return replace(
        document,
        text=changed.text,
        labels=[replace(one, span=turned.span(*one.span)) for one in document.labels],
        names=None if document.names is None else [turned.span(*s) for s in document.names],
        unsure=[turned.span(*s) for s in document.unsure],
    )


def passages(document: Document, chance: random.Random | None) -> Iterator[Document]:
    """Yield the document in passages of random lengths; without ``chance``, in sentences."""
    limit = _limit(chance)
    first, last, pieces = 0, -1, 0.0
    for sentence in split_sentences(document.text):
        own = _PIECES_OF_A_WORD * len(sentence.text.split())
        if last >= 0 and pieces + own > limit:
            yield from _part(document, first, last)
            limit, first, pieces = _limit(chance), sentence.start, 0.0
        first = sentence.start if last < 0 else first
        last, pieces = sentence.end, pieces + own
    if last >= 0:
        yield from _part(document, first, last)


def _limit(chance: random.Random | None) -> float:
    if chance is None or chance.random() < _ALONE:
        return 0
    return chance.uniform(_FEWEST, _MOST)


def _part(document: Document, first: int, last: int) -> Iterator[Document]:
    """Yield a part of a document, if anything in it has a label."""

    def inside(span: Span) -> bool:
        return first <= span[0] and span[1] <= last

    def cut(spans: Iterable[Span]) -> list[Span]:
        return [(a - first, b - first) for a, b in spans if inside((a, b))]

    labels = [
        replace(one, span=(one.span[0] - first, one.span[1] - first))
        for one in document.labels
        if inside(one.span)
    ]
    names = None if document.names is None else cut(document.names)
    if labels or names is not None:
        text = " ".join(document.text[first:last].split("\n"))
        yield Document(text, labels, names, cut(document.unsure), document.source)


def encoded(tokenizer: Tokenizer, passage: Document, peoples: Mapping[str, str]) -> Encoded:
    """Encode a passage as it is read later: with fixed words for peoples."""
    fixed = moved_to(passage, fix_peoples(passage.text, peoples))
    pieces = tokenizer.encode(fixed.text)
    ids, offsets = pieces.ids[: WINDOW + 2], pieces.offsets[: WINDOW + 2]
    words = []
    for label in fixed.labels:
        own = _pieces(offsets, label)
        if own:
            words.append((own, label.kind, label.weight))
    return Encoded(ids, styles(fixed.text, offsets), words, _tags(fixed, offsets))


def _pieces(offsets: Sequence[Span], label: Label) -> list[int]:
    start, end = label.span
    return [n for n, (a, b) in enumerate(offsets) if a < end and b > start and b > a]


def _tags(passage: Document, offsets: Sequence[Span]) -> list[int]:
    if passage.names is None:
        return [-1] * len(offsets)
    tags = [0 if b > a else -1 for a, b in offsets]
    for spans, first, rest in ((passage.unsure, -1, -1), (passage.names, 1, 2)):
        for start, end in spans:
            begun = False
            for n, (a, b) in enumerate(offsets):
                if a < end and b > start and b > a:
                    tags[n] = rest if begun else first
                    begun = True
    return tags
