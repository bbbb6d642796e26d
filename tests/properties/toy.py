"""A small world for random tests: two attributes, a parser and a model that answer by rule.

The parser tags a word by a hash of it, so a replacement keeps or breaks the invariant at random but
always the same way. The model's answer is a hash of the words it knows, so that atomic and
intersectional flips, and hidden ones, are common.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from zlib import crc32

from benchmarks.reference import Labels, Tree, WordPair
from hinter_core.language.sentences import split_sentences
from hinter_core.models.base import Capabilities
from hinter_core.terms.dictionary import Dictionary
from hinter_core.types import Pair, Parse, Prediction, Term

ATTRIBUTES = {
    "race": ("black", "amber", "dark green", "green", "teal"),
    "gender": ("man", "aunt", "green person", "kid"),
}
# With articles before terms, compounds and an address that contain terms, and what only looks so.
FILLERS = ("the", "a", "an", "said", "green", "person", "kind", "man-made", "non-black", "kid's",
           "post@man.org", "teal_man")  # fmt: skip


def dictionary(attribute: str, pairs: Sequence[WordPair]) -> Dictionary:
    terms = {w: Term(w, w) for pair in pairs for w in pair}
    listed = tuple(Pair(attribute, terms[a], terms[b]) for a, b in pairs)
    return Dictionary(attribute, tuple(dict.fromkeys(p.source for p in listed)), listed=listed)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text)


class ToyParser:
    """Tags by a hash of the word, relations by a hash of the word and the one before it."""

    name = identity = "toy"

    def __init__(self, seed: int, kinds: int) -> None:
        self._seed, self._kinds = seed, kinds

    def tree(self, sentence: str) -> Tree:
        words = _words(sentence)
        tags = [self._kind("tag", w) for w in words]
        labels = ["root"] + [self._kind("dep", a + "/" + b) for a, b in pairwise(words)]
        return tags, labels[: len(words)]

    def _kind(self, layer: str, key: str) -> str:
        return f"{layer}{crc32(f'{self._seed}{layer}{key}'.encode()) % self._kinds}"

    def parse(self, sentences: Sequence[str], *, entities: bool = False) -> list[Parse]:
        found = []
        for sentence in sentences:
            words = tuple(_words(sentence))
            tags, labels = self.tree(sentence)
            none = ("",) * len(words)
            spans = tuple(m.span() for m in re.finditer(r"\w+|[^\w\s]", sentence))
            heads = tuple(max(0, i - 1) for i in range(len(words)))
            found.append(Parse(words, tuple(tags), tuple(labels), heads, spans, none))
        return found


class ToyModel:
    """Answers by a hash of the set of dictionary words in the text; multi-label now and then."""

    name = identity = "toy"
    capabilities = Capabilities(labels=("a", "b", "c"), multi_label=True, scores=False)

    def __init__(self, seed: int, odds: int) -> None:
        self._seed, self._odds = seed, odds

    def labels(self, text: str) -> Labels:
        known = sorted({w for ws in ATTRIBUTES.values() for t in ws for w in t.split()})
        key = ",".join(w for w in known if re.search(rf"\b{w}\b", text))
        number = crc32(f"{self._seed}{key}".encode()) % self._odds
        return frozenset({0: "ab", 1: "c", 2: ""}.get(number, "a"))

    def predict(self, texts: Sequence[str]) -> list[Prediction]:
        return [Prediction(tuple(sorted(self.labels(text)))) for text in texts]

    def visible(self, text: str) -> int:
        return len(text)


def spans_of(text: str, term: str) -> list[tuple[int, int]]:
    """Where ``term`` stands as a word, as the expression of the published script finds it."""
    return [m.span() for m in re.finditer(rf"\b{re.escape(term)}\b", text)]


class SpanReplace:
    """Lines 12-17 of Algorithm 1 with spans of the source, replaced at once."""

    @staticmethod
    def contains(text: str, pair: WordPair) -> bool:
        return bool(spans_of(text, pair[0]))

    @staticmethod
    def replace(text: str, pairs: Sequence[WordPair]) -> str | None:
        spots = sorted((span, pair[1]) for pair in pairs for span in spans_of(text, pair[0]))
        if any(right[0][0] < left[0][1] for left, right in pairwise(spots)):
            return None
        for (start, end), target in reversed(spots):
            text = text[:start] + target + text[end:]
        return text


def split(text: str) -> list[str]:
    return [s.text for s in split_sentences(text)]
